from ingot import DType, ops
from ingot.ops import IndexMode, ScatterFn
from support import Bench

from .registry import example


@example(ops.Take)
def take(b: Bench) -> None:
    for mode in IndexMode:
        b.g.take(b.f32(b.s, 3), b.i64(5, 1), axis=-1, mode=mode)


@example(ops.Gather)
def gather(b: Bench) -> None:
    b.g.gather(b.f32(b.s, 3), b.i64(b.s, 2), axis=1, mode=IndexMode.drop)


@example(ops.Scatter)
def scatter(b: Bench) -> None:
    for fn in ScatterFn:
        scatter_fn = getattr(b.g, f"scatter_{fn.name}")
        scatter_fn(b.f32(b.s, 3), b.i64(b.s, 2), b.f32(b.s, 2), axis=1, mode=IndexMode.clamp)


@example(ops.Nonzero)
def nonzero(b: Bench) -> None:
    b.g.nonzero(b.f32(b.s, 3), b.n)


@example(ops.Item)
def item(b: Bench) -> None:
    b.g.item(b.input(DType.u16), b.n)


@example(ops.DynamicSlice)
def dynamic_slice(b: Bench) -> None:
    for mode in IndexMode:
        b.g.dynamic_slice(b.f32(5, b.s), [b.i64()], [0], [3], mode=mode)


@example(ops.DynamicUpdate)
def dynamic_update(b: Bench) -> None:
    b.g.dynamic_update(b.f32(5, b.s), b.f32(2, 1), [b.i64(), b.i64()], [0, 1], mode=IndexMode.drop)


@example(ops.GatherNd)
def gather_nd(b: Bench) -> None:
    b.g.gather_nd(b.f32(b.s, 3, 2), b.i64(b.s, 4, 1), batch_dims=1, mode=IndexMode.clamp)


@example(ops.ScatterNd)
def scatter_nd(b: Bench) -> None:
    for fn in ScatterFn:
        scatter_fn = getattr(b.g, f"scatter_nd_{fn.name}")
        scatter_fn(b.f32(b.s, 3), b.i64(4, 1), b.f32(4, 3), mode=IndexMode.drop)


@example(ops.IndexGet)
def index_get(b: Bench) -> None:
    b.g.index_get(b.f32(b.s, 3, b.t), [b.i64(2, 1), b.i64(4)], [-1, 0], mode=IndexMode.clamp)


@example(ops.IndexPut)
def index_put(b: Bench) -> None:
    for fn in ScatterFn:
        index_put_fn = getattr(b.g, f"index_put_{fn.name}")
        index_put_fn(b.f32(b.s, 3), [b.i64(2)], b.f32(3), [0], mode=IndexMode.drop)


@example(ops.OneHot)
def one_hot(b: Bench) -> None:
    b.g.one_hot(b.i64(b.s), b.t + 1, axis=0, dtype=DType.i8)


@example(ops.MaskedScatter)
def masked_scatter(b: Bench) -> None:
    b.g.masked_scatter(b.f32(b.s, 3), b.input(DType.bool, (3,)), b.f32(b.t))
