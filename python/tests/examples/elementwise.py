from ingot import DType, ops
from ingot.ops import ActivationFn, BinaryFn, CompareFn, GluFn, UnaryFn
from support import Bench

from .registry import example


@example(ops.Unary)
def unary(b: Bench) -> None:
    special = {UnaryFn.logical_not: DType.bool, UnaryFn.bitwise_not: DType.i16}
    special |= dict.fromkeys((UnaryFn.real, UnaryFn.imag, UnaryFn.conj, UnaryFn.angle), DType.c64)
    for fn in UnaryFn:
        getattr(b.g, fn.name)(b.input(special.get(fn, DType.f32), [b.s, 3]))
    b.g.abs(b.input(DType.c64, [2]))
    b.g.isnan(b.input(DType.c64, [2]))


@example(ops.Binary)
def binary(b: Bench) -> None:
    for fn in BinaryFn:
        dtype = DType.bool if fn.name.startswith("logical") else DType.f32
        dtype = DType.u8 if fn.name.startswith(("bitwise", "shift")) else dtype
        getattr(b.g, fn.name.removesuffix("_"))(b.input(dtype, [b.s, 3]), b.input(dtype, [3]))


@example(ops.Compare)
def compare(b: Bench) -> None:
    for fn in CompareFn:
        getattr(b.g, fn.name)(b.f32(b.s, 1), b.i64(4))


@example(ops.Select)
def select(b: Bench) -> None:
    b.g.select(b.input(DType.bool, [b.s]), b.f32(), b.f32(b.s))


@example(ops.Cast)
def cast(b: Bench) -> None:
    for dtype in DType:
        if dtype is not DType.packed:
            b.g.cast(b.f32(2), dtype)
    b.g.cast(b.f32(2), DType.i8, saturate=True)


@example(ops.Activation)
def activation(b: Bench) -> None:
    alpha = "elu celu leaky_relu hard_shrink swish".split()
    both = "selu hard_sigmoid hard_tanh thresholded_relu soft_shrink".split()
    for fn in ActivationFn:
        parameters = {"alpha": 0.25} if fn.name in alpha else {"alpha": 0.25, "beta": 2} if fn.name in both else {}
        getattr(b.g, fn.name)(b.input(DType.bf16, [b.s, 3]), **parameters)
        getattr(b.g, fn.name)(b.f32(2))


@example(ops.Clip)
def clip(b: Bench) -> None:
    b.g.clip(b.f32(b.s, 3), b.f32(), b.f32(3))
    b.g.clip(b.i64(b.s), high=b.input(DType.i8, [b.s]))


@example(ops.Bitcast)
def bitcast(b: Bench) -> None:
    b.g.bitcast(b.f32(b.s), DType.u32)
    b.g.bitcast(b.input(DType.i2, [5]), DType.u2)


@example(ops.Complex)
def complex_(b: Bench) -> None:
    b.g.complex(b.f32(b.s, 1), b.input(DType.f16, [3]))


@example(ops.Glu)
def glu(b: Bench) -> None:
    for fn in GluFn:
        getattr(b.g, fn.name)(b.f32(b.s, 3), b.f32(b.s, 3))
