from ingot import DType, ops
from support import Bench

from .registry import example


@example(ops.Sample)
def sample(b: Bench) -> None:
    logits, key = b.f32(b.s, 100), b.input(DType.u32, [2])
    b.g.sample(logits, key, temperature=0.0)
    b.g.sample(logits, key, temperature=0.7, top_k=40, top_p=0.9, min_p=0.05)


@example(ops.MoeRoute)
def moe_route(b: Bench) -> None:
    logits = b.f32(b.s, 8)
    b.g.moe_route_softmax(logits, 2)
    b.g.moe_route_sigmoid(logits, 3, b.f32(8), groups=4, top_groups=2, normalize=True, scale=2.5)


@example(ops.MoeCombine)
def moe_combine(b: Bench) -> None:
    b.g.moe_combine(b.f32(b.s, 2, b.t), b.f32(b.s, 2))
