from ingot import ops
from support import Bench

from .registry import example


@example(ops.Pool)
def pool(b: Bench) -> None:
    x = b.f32(b.n, 2, b.s, 7)
    b.g.pool_max(x, [2, 3], strides=[2, 1], dilations=[1, 2], before=[1, 0], after=[0, b.s], ceil_mode=True)
    b.g.pool_avg(x, [3, 3], before=[1, 1], after=[1, 1], count_include_pad=True)
    b.g.pool_lp(x, [1, 2], p=3.0)


@example(ops.MaxPoolIndices)
def max_pool_indices(b: Bench) -> None:
    x = b.f32(b.n, 2, b.s, 7)
    b.g.pool_max_indices(
        x, [2, 2], strides=[1, 2], dilations=[1, 2], before=[1, 0], after=[0, 1],
        ceil_mode=True, column_major=True, per_channel=True,
    )


@example(ops.AdaptivePool)
def adaptive_pool(b: Bench) -> None:
    x = b.f32(b.n, 2, b.s, 7)
    b.g.adaptive_pool_max(x, [2, b.s])
    b.g.adaptive_pool_avg(x, [1, 1])
    b.g.adaptive_pool_lp(x, [3, 9], p=1.0)


@example(ops.MaxUnpool)
def max_unpool(b: Bench) -> None:
    b.g.max_unpool(b.f32(b.n, 2, b.s), b.i64(b.n, 2, b.s), [b.n, 2, b.s * 2], per_channel=True)
