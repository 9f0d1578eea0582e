from ingot import DType, maximum, ops
from ingot.ops import RandomFn
from support import Bench

from .registry import example


@example(ops.Iota)
def iota(b: Bench) -> None:
    b.g.iota(b.s + 1, dtype=DType.f32, start=0.5, step=-2)


@example(ops.Full)
def full(b: Bench) -> None:
    b.g.full([b.s, 2], 2**64 - 1, dtype=DType.u64)
    b.g.full([], complex(1, -0.0), dtype=DType.c64)
    b.g.full([2], True, dtype=DType.bool)
    for value in (float("nan"), float("-inf"), -0.0, 1e22, 5e-324):
        b.g.full([2], value, dtype=DType.f64)


@example(ops.Random)
def random(b: Bench) -> None:
    for fn in RandomFn:
        dtype = DType.u32 if fn is RandomFn.bits else DType.f64
        getattr(b.g, f"random_{fn.name}")(b.input(DType.u32, [2]), [b.s, 3], dtype=dtype)
    b.g.random_normal(b.input(DType.u32, [2]), [], offset=3, scale=0.25)


@example(ops.SizeOf)
def size_of(b: Bench) -> None:
    b.g.size_of(maximum(b.s, 4) // 2, dtype=DType.i32)


@example(ops.Eye)
def eye(b: Bench) -> None:
    b.g.eye(b.s, b.t, k=b.t - b.s, dtype=DType.bool)


@example(ops.RandomCategorical)
def random_categorical(b: Bench) -> None:
    b.g.random_categorical(b.input(DType.u32, [2]), b.f32(b.s, 3), axis=0)


@example(ops.RandomPermutation)
def random_permutation(b: Bench) -> None:
    b.g.random_permutation(b.input(DType.u32, [2]), b.s * 2)


@example(ops.Dropout)
def dropout(b: Bench) -> None:
    b.g.dropout(b.f32(b.s), b.input(DType.u32, [2]), ratio=0.1)
