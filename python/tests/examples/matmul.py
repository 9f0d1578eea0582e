from ingot import DType, ops
from support import Bench

from .registry import example


@example(ops.Matmul)
def matmul(b: Bench) -> None:
    b.g.matmul(b.f32(5, b.s), b.f32(7, 5), transpose_a=True, transpose_b=True)


@example(ops.DotGeneral)
def dot_general(b: Bench) -> None:
    b.g.dot_general(b.f32(b.s, b.t, 4), b.f32(4, 3, b.t), [2], [0], batch_a=[1], batch_b=[-1])


@example(ops.Einsum)
def einsum(b: Bench) -> None:
    b.g.einsum([b.f32(b.n, b.s, 4), b.f32(4, b.s)], "...ij,ji->...i")


@example(ops.GroupedMatmul)
def grouped_matmul(b: Bench) -> None:
    b.g.grouped_matmul(b.f32(b.s, 3), b.f32(2, 4, 3), b.i64(b.s), transpose_w=True)
    b.g.grouped_matmul(b.f32(b.s, 64), b.packed(2, 4, 64), b.i64(b.s))


@example(ops.IntegerMatmul)
def integer_matmul(b: Bench) -> None:
    a, w = b.input(DType.u8, (b.n, b.s, 4)), b.input(DType.i8, (4, 3))
    b.g.integer_matmul(a, w, b.input(DType.u8, (b.s,)), b.input(DType.i8, (3,)))


@example(ops.LoraLinear)
def lora_linear(b: Bench) -> None:
    b.g.lora_linear(b.f32(b.s, 4), b.f32(4, 6), b.f32(4, 2), b.f32(2, 6), scale=0.5)
