"""Cases of group_norm, batch_norm, local_response_norm and lp_normalize.

group_norm and batch_norm are PyTorch's; local_response_norm is PyTorch's where the window is odd: with an even one it
has the extra neighbour before, and here it is after, as in ONNX. lp_normalize is SciPy's norm.
"""

import numpy as np
import torch
import torch.nn.functional as F
from scipy.linalg import norm

from cases import REALS, call, case, method, ops_case, tensor
from make_norm import layer_norm

ULPS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 64}
ATOL = {"f16": 1e-9, "bf16": 1e-9, "f32": 1e-9, "f64": 1e-14}


def closeness(dtype):
    return {"ulps": ULPS[dtype], "atol": ATOL[dtype]}


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def group_norm(x, groups, weight=None, bias=None, eps=1e-5):
    if x.size == 0:
        return x
    given = [None if each is None else torch.tensor(each) for each in (weight, bias)]
    return torch.group_norm(torch.tensor(x), groups, *given, eps).numpy()


def batch_norm(x, mean, var, weight=None, bias=None, axis=1, eps=1e-5):
    if x.size == 0:
        return x
    given = [None if each is None else torch.tensor(each) for each in (weight, bias)]
    moved = np.moveaxis(x[None], axis + 1 if axis >= 0 else axis, 1)
    y = F.batch_norm(torch.tensor(moved.copy()), torch.tensor(mean), torch.tensor(var), *given, eps=eps).numpy()
    return np.moveaxis(y, 1, axis + 1 if axis >= 0 else axis)[0]


def local_response_norm(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    before, after = (size - 1) // 2, size // 2
    squares = np.zeros_like(x)
    for c in range(x.shape[1]):
        squares[:, c] = (x[:, max(0, c - before) : c + after + 1] ** 2).sum(1)
    with np.errstate(all="ignore"):
        y = x / (bias + alpha / size * squares) ** beta
    if size % 2 and x.ndim > 2 and x.size:
        theirs = F.local_response_norm(torch.tensor(x), size, alpha, beta, bias).numpy()
        np.testing.assert_allclose(y, theirs, rtol=1e-12, equal_nan=True)
    return y


def lp_normalize(x, axes, p=2.0, eps=0.0):
    axes = tuple(axis % x.ndim for axis in axes)
    y = np.zeros_like(x)
    kept = [range(1) if axis in axes else range(n) for axis, n in enumerate(x.shape)]
    for at in np.ndindex(*map(len, kept)):
        index = tuple(slice(None) if axis in axes else i for axis, i in enumerate(at))
        part = np.atleast_1d(x[index])
        if part.size == 0:
            continue
        with np.errstate(all="ignore"):
            length = np.maximum(norm(part.ravel(), p, check_finite=False), eps)
            y[index] = 0 if length == 0 else x[index] / length
    return y


def channels_by_dtype():
    others = {"f16": ("f32", "bf16"), "bf16": ("f16", "f64"), "f32": ("f32", "f16"), "f64": ("bf16", "f32")}
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 2, 6, 3))
        w, b = (tensor(other, numbers(2 + i, 6)) for i, other in enumerate(others[dtype]))
        mean, var = tensor(others[dtype][1], numbers(4, 6)), tensor(others[dtype][0], np.abs(numbers(5, 6)))
        values = {"x": x, "w": w, "b": b, "mean": mean, "var": var}
        group = lambda *rest, **options: tensor(dtype, group_norm(x.values, *rest, **options))
        batch = lambda *rest, **options: tensor(dtype, batch_norm(x.values, mean.values, var.values, *rest, **options))
        yield ops_case(
            f"{dtype}, parameters of {w.dtype} and {b.dtype}",
            values,
            {
                "group": ("group_norm %x {groups=3}", group(3)),
                "group_weight": ("group_norm %x, %w {groups=2}", group(2, w.values)),
                "group_bias": ("group_norm %x, _, %b {groups=1}", group(1, None, b.values)),
                "group_both": ("group_norm %x, %w, %b {groups=6, eps=0.25}", group(6, w.values, b.values, eps=0.25)),
                "batch": ("batch_norm %x, %mean, %var", batch()),
                "batch_weight": ("batch_norm %x, %mean, %var, %w", batch(w.values)),
                "batch_bias": ("batch_norm %x, %mean, %var, _, %b", batch(None, b.values)),
                "batch_both": ("batch_norm %x, %mean, %var, %w, %b {eps=0.5}", batch(w.values, b.values, eps=0.5)),
            },
            **closeness(dtype),
        )


def batch_axes():
    for shape, axis in (((3,), 0), ((3,), -1), ((2, 3), 1), ((2, 3, 4, 5), 1), ((2, 4, 3), -1), ((2, 3, 2), -2), ((3, 2), 0)):
        x = tensor("f32", numbers(7, *shape))
        mean, var, w, b = (tensor("f32", numbers(8 + i, 3)) for i in range(4))
        var = tensor("f32", np.abs(var.values))
        y = batch_norm(x.values, mean.values, var.values, w.values, b.values, axis)
        line = f"batch_norm %x, %mean, %var, %w, %b {{axis={axis}}}"
        yield ops_case(f"axis {axis} of {list(shape)}", {"x": x, "mean": mean, "var": var, "w": w, "b": b}, {"y": (line, tensor("f32", y))}, atol=1e-9)


def group_shapes():
    for shape, groups in (((3, 4), 2), ((1, 4, 1, 1), 4), ((2, 6, 3, 2), 3), ((2, 2, 2, 1, 3), 1), ((0, 4, 3), 2), ((2, 4, 0), 2), ((2, 0, 3), 5)):
        x = tensor("f32", numbers(3, *shape))
        w = tensor("f32", numbers(4, shape[1]))
        y = group_norm(x.values, groups, w.values)
        yield ops_case(f"{groups} groups of {list(shape)}", {"x": x, "w": w}, {"y": (f"group_norm %x, %w {{groups={groups}}}", tensor("f32", y))}, atol=1e-9)


def channels_special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[1, nan, 2, 4], [inf, 1, 2, 3], [-0.0, 0.0, -inf, inf]])
    zero, one = tensor("f32", np.zeros(4)), tensor("f32", np.ones(4))
    var = tensor("f32", [0, 1, inf, -1])
    with np.errstate(all="ignore"):
        odd = x.values / np.sqrt(var.values) + 0.0  # PyTorch multiplies by the reciprocal, which is infinite
    yield ops_case(
        "NaN, infinities, a variance of 0 and one below",
        {"x": x, "zero": zero, "one": one, "var": var},
        {
            "group": ("group_norm %x {groups=2}", tensor("f32", layer_norm(x.values.reshape(3, 2, 2)).reshape(3, 4))),
            "batch": ("batch_norm %x, %zero, %one", tensor("f32", batch_norm(x.values, zero.values, one.values))),
            "odd": ("batch_norm %x, %zero, %var {eps=0}", tensor("f32", odd)),
        },
    )
    for mean in (100, 10000):
        x = tensor("f32", mean + numbers(3, 2, 4, 3))
        y = {"y": ("group_norm %x {groups=2}", tensor("f32", group_norm(x.values, 2)))}
        # A decomposition has a mean of f32.
        yield ops_case(f"a mean near {mean}", {"x": x}, y, atol=1e-6) | {"expands": mean == 100}
    x = tensor("f32", [[1e30, -2e30, 3e30, 1e30]])
    y = {"y": ("group_norm %x {groups=2}", tensor("f32", group_norm(x.values, 2)))}
    yield ops_case("squares beyond f32", {"x": x}, y) | {"expands": False}


def local_response():
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 2, 5, 3))
        op = lambda size, **options: (
            "local_response_norm %x {" + ", ".join([f"size={size}", *(f"{k}={v}" for k, v in options.items())]) + "}",
            tensor(dtype, local_response_norm(x.values, size, **options)),
        )
        ops = {
            "one": op(1, alpha=2.0),
            "two": op(2, alpha=0.5, beta=0.5, bias=2.0),
            "three": op(3, alpha=1.5, beta=-1.0),
            "four": op(4, alpha=1.0, beta=1.25, bias=0.5),
            "plain": op(5),
            "wide": op(9, alpha=3.0),
        }
        yield ops_case(f"local_response_norm of {dtype}", {"x": x}, ops, **closeness(dtype))
    x = tensor("f32", [[1, np.nan, 2, np.inf], [3, -0.0, 0, -2]])
    huge = 2**62
    yield ops_case(
        "local_response_norm of NaN and infinities, and windows of any size",
        {"x": x},
        {
            "y": ("local_response_norm %x {size=2}", tensor("f32", local_response_norm(x.values, 2))),
            "below": ("local_response_norm %x {size=1, bias=-1, alpha=0}", tensor("f32", local_response_norm(x.values, 1, 0.0, bias=-1.0))),
            "all": (f"local_response_norm %x {{size={huge}}}", tensor("f32", local_response_norm(x.values, huge))),
        },
    )
    for shape in ((0, 3), (3, 0), (2, 3, 0)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"local_response_norm of {list(shape)}", {"x": x}, {"y": ("local_response_norm %x {size=3}", x)})


def lp():
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 3, 4, 2))
        ops = {}
        for name, axes, options in (
            ("plain", [1], {}),
            ("first", [-1], {"p": 1.0}),
            ("cube", [0, 2], {"p": 3.0}),
            ("half", [1], {"p": 0.5, "eps": 0.25}),
            ("top", [-2, -1], {"p": np.inf}),
            ("floor", [2], {"eps": 1.5}),
            ("signs", [], {}),
            ("all", [2, 0, 1], {"p": 2.5}),
        ):
            text = ", ".join([f"axes={axes}", *(f"{k}={v}" for k, v in options.items())])
            ops[name] = (f"lp_normalize %x {{{text}}}", tensor(dtype, lp_normalize(x.values, axes, **options)))
        yield ops_case(f"lp_normalize of {dtype}", {"x": x}, ops, **closeness(dtype))
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[0, -0.0, 0], [1, nan, 2], [3, inf, 4], [inf, -inf, 0], [-5, 0, 0]])
    ops = {
        f"p{i}": (f"lp_normalize %x {{axes=[1], p={p}}}", tensor("f32", lp_normalize(x.values, [1], p)))
        for i, p in enumerate((1.0, 2.0, 3.0, inf))
    }
    yield ops_case("lp_normalize: 0/0 is 0, NaN and infinities stay in their row", {"x": x}, ops)
    large = tensor("f64", [[3e200, 4e200], [3e-200, 4e-200], [5e-324, 0]])
    half = tensor("f64", [[0.6, 0.8], [0.6, 0.8], [1, 0]])
    yield ops_case("lp_normalize: no square is out of range", {"x": large}, {"y": ("lp_normalize %x {axes=[-1]}", half)}, ulps=4)
    zero = tensor("f32", np.array(-0.0))
    yield ops_case("lp_normalize of a scalar", {"x": tensor("f32", np.array(-3.0)), "z": zero}, {
        "y": ("lp_normalize %x {axes=[]}", tensor("f32", np.array(-1.0))),
        "nothing": ("lp_normalize %z {axes=[]}", tensor("f32", np.array(0.0))),
        "floor": ("lp_normalize %z {axes=[], eps=1}", zero),
    })
    for shape in ((0, 3), (3, 0)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"lp_normalize of {list(shape)}", {"x": x}, {"y": ("lp_normalize %x {axes=[1]}", x)})


def open_sizes():
    inputs = {"x": "f32[N, 2 * C, S]", "c": "f32[2 * C]"}
    program = "symbol N\nsymbol C\nsymbol S\n" + method(
        inputs,
        [
            "%group = group_norm %x, %c {groups=2}",
            "%batch = batch_norm %x, %c, %c, %c",
            "%local = local_response_norm %x {size=3, alpha=1}",
            "%lp = lp_normalize %x {axes=[1, 2]}",
        ],
        ["group", "batch", "local", "lp"],
    )
    calls = []
    for n, c, s in ((2, 3, 2), (1, 1, 1), (0, 1, 2), (2, 0, 3), (2, 2, 0)):
        x, v = tensor("f32", numbers(n + s, n, 2 * c, s)), tensor("f32", np.abs(numbers(c, 2 * c)))
        outputs = {
            "group": group_norm(x.values, 2, v.values),
            "batch": batch_norm(x.values, v.values, v.values, v.values),
            "local": local_response_norm(x.values, 3, 1.0),
            "lp": lp_normalize(x.values, [1, 2]),
        }
        calls.append(call({"x": x, "c": v}, {k: tensor("f32", y) for k, y in outputs.items()}, atol=1e-9))
    return case("open sizes", program, calls)


def limits():
    x = tensor("f32", np.ones((1, 8)))
    program = method({"x": x}, ["%y = local_response_norm %x {size=1000000000}"], ["y"])
    y = {"y": tensor("f32", local_response_norm(x.values, 1000000000))}
    return case("limits", program, [
        call({"x": x}, error="[local_response_norm] the call takes more than 72 steps (at main: %y)", steps=72),
        call({"x": x}, y, steps=73),
    ])


def cases():
    return [
        *channels_by_dtype(), *batch_axes(), *group_shapes(), *channels_special(), *local_response(), *lp(),
        open_sizes(), limits(),
    ]
