from ingot import DType, ops
from ingot.ops import CumulateFn, ReduceFn
from support import Bench

from .registry import example


@example(ops.Reduce)
def reduce(b: Bench) -> None:
    for fn in ReduceFn:
        dtype = DType.bool if fn in (ReduceFn.any, ReduceFn.all) else DType.f32
        getattr(b.g, f"reduce_{fn.name}")(b.input(dtype, [b.s, 2, 3]), [0, -1], keepdims=True)
    b.g.reduce_sum(b.input(DType.u8, [3]), [0], dtype=DType.u64)
    b.g.reduce_sum(b.input(DType.bool, [3]), [0])
    b.g.reduce_max(b.f32(b.s), [])
    b.g.reduce_var(b.f32(b.s), [0], ddof=1)


@example(ops.ArgReduce)
def arg_reduce(b: Bench) -> None:
    b.g.argmax(b.f32(b.s, 3))
    b.g.argmin(b.f32(b.s, 3), axis=0, keepdims=True, dtype=DType.i32, last=True)


@example(ops.Softmax)
def softmax(b: Bench) -> None:
    b.g.softmax(b.f32(b.s, 3), axis=0, log=True)


@example(ops.Cumulate)
def cumulate(b: Bench) -> None:
    for fn in CumulateFn:
        getattr(b.g, f"cum{fn.name}")(b.f32(b.s, 3), axis=0, exclusive=True, reverse=True)
    b.g.cumsum(b.input(DType.u8, [3]), dtype=DType.u64)
    b.g.cumprod(b.input(DType.bool, [3]))
