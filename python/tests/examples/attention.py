from ingot import DType, ops
from ingot.ops import Causal
from support import Bench

from .registry import example


@example(ops.Attention)
def attention(b: Bench) -> None:
    q, k, v = b.f32(2, 4, b.s, 8), b.f32(2, 2, b.t, 8), b.f32(2, 2, b.t, 6)
    mask = b.input(DType.bool, [b.s, b.t])
    b.g.attention(q, k, v, mask, scale=0.5, causal=Causal.lower_right, window=3, softcap=20.0)
    b.g.attention(q, k, v, causal=Causal.upper_left)
    b.g.attention(q, k, v, sinks=b.f32(4), lengths=b.i64(2))


@example(ops.PagedAttention)
def paged_attention(b: Bench) -> None:
    q, k, v = b.f32(2, 4, b.s, 8), b.f32(9, 16, 2, 8), b.f32(9, 16, 2, 6)
    table, lengths = b.input(DType.i32, [2, b.t]), b.i64(2)
    b.g.paged_attention(q, k, v, table, lengths, sinks=b.f32(4), scale=0.5, window=3, softcap=20.0)
    b.g.paged_attention(q, k, v, table, lengths, causal=False)


@example(ops.Rope)
def rope(b: Bench) -> None:
    x = b.f32(2, b.s, 8)
    b.g.rope(x, b.i64(b.s), base=500.0, scale=0.5, interleaved=True)
    b.g.rope(x, b.f32(b.s), b.f32(2), dims=4)
    b.g.rope(x, b.i64(2, b.s), sections=[1, 3])


@example(ops.RopeTable)
def rope_table(b: Bench) -> None:
    b.g.rope_table(b.f32(2, b.s, 8), b.f32(b.s, 4), b.f32(b.s, 4))
    b.g.rope_table(b.f32(2, b.s, 8), b.f32(b.s, 3), b.f32(3), interleaved=True)
