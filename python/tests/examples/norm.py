from ingot import ops
from support import Bench

from .registry import example


@example(ops.LayerNorm)
def layer_norm(b: Bench) -> None:
    b.g.layer_norm(b.f32(b.s, 3, 4), b.f32(3, 4), b.f32(3, 4), axis=1, eps=1e-6)
    b.g.layer_norm(b.f32(b.s, 3), bias=b.f32(3))


@example(ops.RmsNorm)
def rms_norm(b: Bench) -> None:
    b.g.rms_norm(b.f32(b.s, 3), b.f32(b.s, 3), axis=0, eps=0.0)


@example(ops.GroupNorm)
def group_norm(b: Bench) -> None:
    b.g.group_norm(b.f32(b.s, 6, b.t), 3, b.f32(6), b.f32(6), eps=1e-6)
    b.g.group_norm(b.f32(b.s, 4), 1, bias=b.f32(4))


@example(ops.BatchNorm)
def batch_norm(b: Bench) -> None:
    channels = b.f32(3)
    b.g.batch_norm(b.f32(b.s, 3, b.t), channels, channels)
    b.g.batch_norm(b.f32(b.s, 3), channels, channels, channels, channels, axis=-1, eps=0.0)


@example(ops.LocalResponseNorm)
def local_response_norm(b: Bench) -> None:
    b.g.local_response_norm(b.f32(b.s, 3, b.t), 3, alpha=0.5, beta=0.5, bias=2.0)


@example(ops.LpNormalize)
def lp_normalize(b: Bench) -> None:
    b.g.lp_normalize(b.f32(b.s, 3), [0, -1], p=1.0, eps=1e-6)
    b.g.lp_normalize(b.f32(b.s, 3), [1], p=float("inf"))
