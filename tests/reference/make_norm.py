"""Cases of layer_norm and rms_norm."""

import numpy as np

from cases import REALS, call, case, method, ops_case, tensor

# NumPy adds up in another order, which shows in f64.
ULPS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 64}


def over(x, axis):
    return tuple(range(axis % x.ndim, x.ndim))


def layer_norm(x, weight=1.0, bias=0.0, axis=-1, eps=1e-5):
    if x.size == 0:
        return x
    with np.errstate(all="ignore"):
        centred = x - x.mean(over(x, axis), keepdims=True)
        return centred / np.sqrt((centred**2).mean(over(x, axis), keepdims=True) + eps) * weight + bias


def rms_norm(x, weight=1.0, axis=-1, eps=1e-5):
    if x.size == 0:
        return x
    with np.errstate(all="ignore"):
        return x / np.sqrt((x**2).mean(over(x, axis), keepdims=True) + eps) * weight


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def by_dtype():
    """Weights and biases of other dtypes than x."""
    others = {"f16": ("f32", "bf16"), "bf16": ("f16", "f64"), "f32": ("f32", "f16"), "f64": ("bf16", "f32")}
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 3, 5))
        w, b = (tensor(other, numbers(2 + i, 5)) for i, other in enumerate(others[dtype]))
        yield ops_case(
            f"{dtype}, parameters of {w.dtype} and {b.dtype}",
            {"x": x, "w": w, "b": b},
            {
                "plain": ("layer_norm %x", tensor(dtype, layer_norm(x.values))),
                "weighted": ("layer_norm %x, %w", tensor(dtype, layer_norm(x.values, w.values))),
                "shifted": ("layer_norm %x, _, %b", tensor(dtype, layer_norm(x.values, 1, b.values))),
                "both": ("layer_norm %x, %w, %b {eps=0.25}", tensor(dtype, layer_norm(x.values, w.values, b.values, eps=0.25))),
                "rms": ("rms_norm %x", tensor(dtype, rms_norm(x.values))),
                "rms_weighted": ("rms_norm %x, %w {eps=0.25}", tensor(dtype, rms_norm(x.values, w.values, eps=0.25))),
            },
            ulps=ULPS[dtype],
            atol=1e-15 if dtype == "f64" else 1e-9,
        )


def by_axis():
    x = tensor("f32", numbers(7, 2, 3, 5))
    for axis in (0, 1, 2, -1, -2, -3):
        w, b = tensor("f32", numbers(8, *x.shape[axis % 3 :])), tensor("f32", numbers(9, *x.shape[axis % 3 :]))
        yield ops_case(
            f"axis {axis}",
            {"x": x, "w": w, "b": b},
            {
                "layer": (f"layer_norm %x, %w, %b {{axis={axis}}}", tensor("f32", layer_norm(x.values, w.values, b.values, axis))),
                "rms": (f"rms_norm %x, %w {{axis={axis}}}", tensor("f32", rms_norm(x.values, w.values, axis))),
            },
            atol=1e-9,
        )


def norms(name, x, eps=1e-5, **options):
    return ops_case(
        name,
        {"x": x},
        {
            "layer": (f"layer_norm %x {{eps={eps!r}}}", tensor(x.dtype, layer_norm(x.values, eps=eps))),
            "rms": (f"rms_norm %x {{eps={eps!r}}}", tensor(x.dtype, rms_norm(x.values, eps=eps))),
        },
        **options,
    )


def special():
    inf, nan = np.inf, np.nan
    yield norms("one element", tensor("f32", [3.0]))
    yield norms("rows of one", tensor("f16", [[3.0], [-2.0]]))
    yield norms("NaN and infinities stay in their row", tensor("f32", [[1, nan, 2], [inf, 1, 2], [1, -inf, inf], [1, 2, 4]]))
    yield norms("a constant row without eps", tensor("f32", [[2, 2, 2], [0, 0, 0], [1, 2, 3]]), eps=0.0)
    yield norms("signed zeros", tensor("f32", [[-0.0, 0.0]]))
    yield norms("squares beyond f16", tensor("f16", [[60000, -60000, 300, 0.5]]))
    # A decomposition squares in f32.
    yield norms("squares beyond f32", tensor("f32", [[1e30, -2e30, 3e30]])) | {"expands": False}
    yield norms("smallest numbers", tensor("f32", [[1e-45, 3e-45, -1e-44]]), eps=1e-90) | {"expands": False}
    yield norms("a mean far from 0", tensor("f32", 1000 + numbers(3, 2, 9)), atol=1e-6)
    for shape in ((0, 4), (4, 0), (0,)):
        yield norms(f"shape {list(shape)}", tensor("f32", np.zeros(shape)))


def open_sizes():
    """One program, several sizes, none among them."""
    inputs = {"x": "f32[S, T, 4]", "w": "f32[T, 4]"}
    program = "symbol S\nsymbol T\n" + method(inputs, ["%y = layer_norm %x, %w {axis=1}", "%z = rms_norm %x, %w {axis=-2}"], ["y", "z"])
    calls = []
    for s, t in ((2, 3), (1, 1), (0, 2), (3, 0)):
        x, w = tensor("f32", numbers(s, s, t, 4)), tensor("f32", numbers(t, t, 4))
        y, z = layer_norm(x.values, w.values, 0, 1), rms_norm(x.values, w.values, 1)
        calls.append(call({"x": x, "w": w}, {"y": tensor("f32", y), "z": tensor("f32", z)}, atol=1e-9))
    return case("open sizes", program, calls)


def limits():
    x = tensor("f32", np.ones((4, 8)))
    program = method({"x": x}, ["%y = rms_norm %x"], ["y"])
    yield case("limits", program, [
        call({"x": x}, error="[rms_norm] the call takes more than 64 steps (at main: %y)", steps=64),
        call({"x": x}, error="[rms_norm] 128 bytes more than the 0 alive go beyond the limit of 127 (at main: %y)", bytes=127),
        call({"x": x}, {"y": tensor("f32", rms_norm(x.values))}, steps=65, bytes=128),
    ])


def cases():
    return [*by_dtype(), *by_axis(), *special(), open_sizes(), *limits()]
