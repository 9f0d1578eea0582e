"""Cases of fake_quantize."""

import numpy as np

from cases import INTEGERS, REALS, call, case, method, ops_case, tensor

GRADIENTS = ("identity", "clipped", "tanh", "hard_tanh")


def fake(x, scale, zero=0.0, low=-128, high=127):
    with np.errstate(all="ignore"):
        q = np.minimum(np.maximum(np.rint(x / scale) + zero, low), high)
        return scale * (q - zero)


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def by_dtype():
    others = {"f16": "f32", "bf16": "f16", "f32": "bf16", "f64": "f32"}
    for dtype in REALS:
        x, s = tensor(dtype, numbers(1, 3, 4) * 2), tensor(others[dtype], np.array(0.25))
        z = tensor("i8", np.array(3))
        ops = {
            "plain": ("fake_quantize %x, %s", tensor(dtype, fake(x.values, 0.25))),
            "shifted": ("fake_quantize %x, %s, %z {low=-2, high=5}", tensor(dtype, fake(x.values, 0.25, 3, -2, 5))),
        }
        ops |= {g: (f"fake_quantize %x, %s {{high=3, gradient={g}}}", tensor(dtype, fake(x.values, 0.25, high=3))) for g in GRADIENTS}
        yield ops_case(f"{dtype} by {s.dtype}", {"x": x, "s": s, "z": z}, ops)
    for dtype in (*INTEGERS, *REALS):
        x, s, z = tensor("f32", numbers(2, 5)), tensor("f32", np.array(0.5)), tensor(dtype, np.array(2))
        ops = {"y": ("fake_quantize %x, %s, %z {low=0, high=4}", tensor("f32", fake(x.values, 0.5, 2, 0, 4)))}
        yield ops_case(f"zero of {dtype}", {"x": x, "s": s, "z": z}, ops)


def broadcast():
    x = tensor("f32", numbers(3, 2, 3, 4))
    for scale_shape, zero_shape in (((3, 1), (3, 1)), ((1,), (4,)), ((2, 1, 1), ()), ((2, 3, 4), (1, 1, 4)), ((), (2, 3, 1))):
        count = int(np.prod(scale_shape))
        s, z = tensor("f32", 2.0 ** -np.arange(count).reshape(scale_shape)), tensor("f32", np.arange(int(np.prod(zero_shape))).reshape(zero_shape) - 2)
        y = tensor("f32", fake(x.values, s.values, z.values, -7, 6))
        yield ops_case(f"scale {list(scale_shape)}, zero {list(zero_shape)}", {"x": x, "s": s, "z": z}, {"y": ("fake_quantize %x, %s, %z {low=-7, high=6}", y)})


def special():
    inf, nan = np.inf, np.nan
    x, s = tensor("f32", [0.5, 1.5, 2.5, -0.5, -1.5, 0.0, -0.0, nan, inf, -inf, 1e30, -1e30, 1e-40]), tensor("f32", np.array(1.0))
    ops = {
        "ties": ("fake_quantize %x, %s", tensor("f32", fake(x.values, 1.0))),
        "one": ("fake_quantize %x, %s {low=2, high=2}", tensor("f32", fake(x.values, 1.0, low=2, high=2))),
        "wide": ("fake_quantize %x, %s {low=-9223372036854775808, high=9223372036854775807}", tensor("f32", fake(x.values, 1.0, low=-(2.0**63), high=2.0**63))),
    }
    yield ops_case("ties and ends", {"x": x, "s": s}, ops)
    x = tensor("f32", [[1.0, -2.0, 0.0]] * 5)
    s = tensor("f32", [[0.0], [-0.5], [inf], [nan], [1e-45]])
    yield ops_case("odd scales", {"x": x, "s": s}, {"y": ("fake_quantize %x, %s {low=-3, high=3}", tensor("f32", fake(x.values, s.values, low=-3, high=3)))})
    for shape in ((0,), (2, 0), ()):
        x, s = tensor("f32", np.full(shape, 0.75)), tensor("f32", np.array(0.5))
        yield ops_case(f"shape {list(shape)}", {"x": x, "s": s}, {"y": ("fake_quantize %x, %s", tensor("f32", fake(x.values, 0.5)))})


def open_sizes():
    program = "symbol N\n" + method({"x": "f32[N, 3]", "s": "f32[3]"}, ["%y = fake_quantize %x, %s {low=-1, high=1}"], ["y"])
    s, calls = tensor("f32", [0.25, 0.5, 1]), []
    for n in (2, 1, 0):
        x = tensor("f32", numbers(n, n, 3))
        calls.append(call({"x": x, "s": s}, {"y": tensor("f32", fake(x.values, s.values, low=-1, high=1))}))
    return case("open sizes", program, calls)


def cases():
    return [*by_dtype(), *broadcast(), *special(), open_sizes()]
