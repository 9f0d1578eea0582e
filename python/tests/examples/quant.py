from ingot import DType, QuantMethod, QuantScheme, ops
from support import Bench

from .registry import example


# Their codes are found by a search: quantize refuses them.
SEARCHED = ("iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq1_s", "iq1_m")


@example(ops.Quantize)
def quantize(b: Bench) -> None:
    for method in QuantMethod:
        if method.name not in SEARCHED:
            b.g.quantize(b.f32(3, 256), QuantScheme(method), b.f32())
    b.g.quantize(b.f32(3, 65), QuantScheme(QuantMethod.symmetric, bits=3, group=16, scale=DType.bf16))
    b.g.quantize(b.f32(3, 65), QuantScheme(QuantMethod.nf4, group=16, scale=DType.f32))


@example(ops.Dequantize)
def dequantize(b: Bench) -> None:
    b.g.dequantize(b.packed(b.s, 64), b.f32(), dtype=DType.bf16)
    for method in QuantMethod:
        b.g.dequantize(b.input(DType.packed, [b.s, 512], QuantScheme(method)))


@example(ops.QuantizedMatmul)
def quantized_matmul(b: Bench) -> None:
    b.g.quantized_matmul(b.f32(b.s, 64), b.packed(5, 64), b.f32())


@example(ops.FakeQuantize)
def fake_quantize(b: Bench) -> None:
    b.g.fake_quantize(b.f32(b.s, 3), b.f32(3), b.f32(), low=0, high=15)
    for gradient in ops.FakeQuantizeGradient:
        b.g.fake_quantize(b.f32(b.s, 3), b.f32(), gradient=gradient)
