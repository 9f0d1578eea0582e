from ingot import DType, ops
from ingot.ops import IndexMode
from support import SCHEME, Bench

from .registry import example


@example(ops.StateRead)
def state_read(b: Bench) -> None:
    b.g.state_read(b.program.state("cache", DType.f32, [2, 3]))


@example(ops.StateWrite)
def state_write(b: Bench) -> None:
    b.g.state_write(b.program.state("packed", DType.packed, [2, 64], SCHEME), b.packed(2, 64))


@example(ops.StateUpdate)
def state_update(b: Bench) -> None:
    state = b.program.state("cache", DType.f32, [8, 3])
    b.g.state_update(state, b.f32(1, 2), [b.i64(), b.i64()], [0, 1], mode=IndexMode.drop)
