from ingot import ops
from ingot.ops import PadMode
from support import Bench

from .registry import example


@example(ops.Reshape)
def reshape(b: Bench) -> None:
    b.g.reshape(b.f32(b.s, 6), [b.s * 2, 3, 1])
    b.g.reshape(b.f32(1, 1), [])


@example(ops.Transpose)
def transpose(b: Bench) -> None:
    b.g.transpose(b.f32(b.s, 3, 4), [2, 0, 1])


@example(ops.Broadcast)
def broadcast(b: Bench) -> None:
    b.g.broadcast(b.f32(1, 3), [b.s, 2, 3])


@example(ops.Slice)
def slice(b: Bench) -> None:
    b.g.slice(b.f32(b.s + 4, 3), [0, -1], [2, 1], [b.s + 3, 3], steps=[3, 2])


@example(ops.Concatenate)
def concatenate(b: Bench) -> None:
    b.g.concatenate([b.f32(2, b.s), b.f32(2, 3), b.f32(2, 0)], axis=1)


@example(ops.Pad)
def pad(b: Bench) -> None:
    b.g.pad(b.f32(b.s, 3), [1, b.t], [0, 2], value=-1.5)
    for mode in PadMode:
        b.g.pad(b.f32(3), [2], [1], mode=mode)


@example(ops.EnsureShape)
def ensure_shape(b: Bench) -> None:
    b.g.ensure_shape(b.f32(b.s), [b.t])


@example(ops.Tile)
def tile(b: Bench) -> None:
    b.g.tile(b.f32(b.s, 3), [2, b.t])


@example(ops.Repeat)
def repeat(b: Bench) -> None:
    b.g.repeat(b.f32(b.s, 3), b.t + 1, axis=-1)


@example(ops.Flip)
def flip(b: Bench) -> None:
    b.g.flip(b.f32(b.s, 3), [0, -1])


@example(ops.Roll)
def roll(b: Bench) -> None:
    b.g.roll(b.f32(b.s, 3), [-2, 1], [1, 0])


@example(ops.Triangle)
def triangle(b: Bench) -> None:
    b.g.triangle_lower(b.f32(2, b.s, 3), k=1)
    b.g.triangle_upper(b.f32(b.s, b.t), k=b.t - b.s)


@example(ops.Diagonal)
def diagonal(b: Bench) -> None:
    b.g.diagonal(b.f32(3, b.s, 4), offset=-1, axis1=-1, axis2=0)


@example(ops.AsStrided)
def as_strided(b: Bench) -> None:
    b.g.as_strided(b.f32(b.s + 3), [b.s, 3], [1, 1], offset=1)


@example(ops.Unfold)
def unfold(b: Bench) -> None:
    b.g.unfold(b.f32(2, b.s, 5, 6), [2, 3], strides=[2, 1], dilations=[1, 2], before=[1, 0], after=[0, b.t])


@example(ops.Fold)
def fold(b: Bench) -> None:
    x = b.f32(b.s, 6, b.t)
    b.g.fold(x, [2 * b.t], [3], strides=[2], dilations=[2], before=[3], after=[0])
