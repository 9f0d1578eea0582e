from ingot import DType, ops
from support import Bench

from .registry import example


@example(ops.Conv)
def conv(b: Bench) -> None:
    b.g.conv(
        b.f32(b.n, 4, b.s, 6), b.f32(6, 2, 3, 2), b.f32(6),
        strides=[2, 1], dilations=[1, 2], before=[1, b.s], after=[1, 0], groups=2,
    )
    b.g.conv(b.f32(1, 2, 5), b.f32(3, 2, 2))


@example(ops.ConvTranspose)
def conv_transpose(b: Bench) -> None:
    b.g.conv_transpose(
        b.f32(b.n, 4, b.s), b.f32(4, 3, 3), b.f32(6),
        strides=[3], dilations=[2], before=[1], after=[2], output_padding=[1], groups=2,
    )


@example(ops.IntegerConv)
def integer_conv(b: Bench) -> None:
    b.g.integer_conv(
        b.input(DType.u8, (1, 4, b.s)), b.input(DType.i8, (2, 2, 2)), b.input(DType.u8), b.input(DType.i8, (2,)),
        strides=[2], dilations=[2], before=[1], after=[1], groups=2,
    )


@example(ops.DeformConv)
def deform_conv(b: Bench) -> None:
    b.g.deform_conv(
        b.f32(b.n, 4, 5, 6), b.f32(2, 2, 2, 3), b.f32(b.n, 24, 3, 4), b.f32(2), b.f32(b.n, 12, 3, 4),
        strides=[2, 1], dilations=[1, 2], before=[1, 0], after=[0, 2], groups=2, offset_groups=2,
    )
