from ingot import ops
from support import Bench

from .registry import example


@example(ops.AdamwStep)
def adamw_step(b: Bench) -> None:
    p, g, m, v = (b.f32(b.s, 3) for _ in range(4))
    b.g.adamw_step(p, g, m, v, b.i64(), b.f32(), beta1=0.8, beta2=0.95, eps=1e-6, weight_decay=0.1)


@example(ops.LionStep)
def lion_step(b: Bench) -> None:
    p, g, m = (b.f32(b.s, 3) for _ in range(3))
    b.g.lion_step(p, g, m, b.f32(), beta1=0.95, beta2=0.98, weight_decay=0.1)


@example(ops.SgdStep)
def sgd_step(b: Bench) -> None:
    p, g, m = (b.f32(b.s, 3) for _ in range(3))
    b.g.sgd_step(p, g, m, b.f32(), momentum=0.9, dampening=0.5)
    b.g.sgd_step(p, g, m, b.f32(), momentum=0.9, weight_decay=0.01, nesterov=True)
