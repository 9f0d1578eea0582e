from ingot import DType, TensorType, ops
from support import SCHEME, Bench

from .registry import example


@example(ops.Custom)
def custom(b: Bench) -> None:
    attributes = {"ints": [1, -2], "reals": [0.5, 2], "text": 'say "hi"\n', "odd name": [], "nan": [float("nan")]}
    results = [TensorType(DType.f16, [b.s, 2]), TensorType(DType.packed, [3, 64], SCHEME)]
    b.g.custom("host.op", results, [b.f32(b.s), b.i64()], attributes=attributes)
