"""Cases of reduce, arg_reduce and softmax."""

import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, call, case, integer_range, method, ops_case, tensor, wrap
from conversion import convert

# How the axes may be named; all of them on rank 3.
AXES = [(0,), (1,), (-1,), (0, 2), (2, -2), (0, 1, 2), ()]


def number_of(dtype, count, seed=1):
    """Positive and exact in every dtype, so that sums do not cancel."""
    values = np.random.RandomState(seed).randint(1, 12, count)
    return [v / 8 for v in values] if dtype in REALS else [int(v) for v in values]


def groups(x, axes, keepdims):
    """The elements that each element of the result is made of, in index order, as an array of lists."""
    axes = [axis % x.ndim for axis in axes]
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x, kept + sorted(axes))
    shape = [x.shape[axis] for axis in kept]
    flat = moved.reshape(math.prod(shape), math.prod(x.shape[axis] for axis in axes))
    return flat, [1 if axis in axes else x.shape[axis] for axis in range(x.ndim)] if keepdims else shape


def product(values):
    result = 1
    for value in values:
        result = result * value
    return result


def extreme(f, values, empty):
    return math.nan if any(v != v for v in values) else f(values, default=empty)


def identities(dtype):
    if dtype == "bool":
        return False, True
    return integer_range(dtype) if dtype in INTEGERS else (-math.inf, math.inf)


def logsumexp(values):
    top = max(values, default=-math.inf)
    if math.isinf(top) or any(v != v for v in values):
        return math.nan if any(v != v for v in values) else top
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


def total(values):
    return (
        sum(values) if any(isinstance(v, (int, complex)) or not math.isfinite(v) for v in values) else math.fsum(values)
    )


def reduced(fn, x, axes, keepdims=False, dtype=None):
    if fn in ("sum", "mean", "prod"):
        dtype = dtype or ("i64" if x.dtype == "bool" else x.dtype)
        x = convert(x, dtype)
    low, high = identities(x.dtype) if x.dtype != "c64" else (0, 0)
    functions = {
        "sum": total,
        "mean": lambda v: total(v) / len(v) if v else complex(math.nan, math.nan) if x.dtype == "c64" else math.nan,
        "prod": product,
        "max": lambda v: extreme(max, v, low),
        "min": lambda v: extreme(min, v, high),
        "any": any,
        "all": all,
        "logsumexp": logsumexp,
    }
    flat, shape = groups(x.values, axes, keepdims)
    values = [functions[fn](row.tolist()) for row in flat]
    return tensor(x.dtype, wrap(x.dtype, values) if x.dtype in INTEGERS else values, shape)


def line(fn, axes, keepdims=False, dtype=None):
    attributes = (
        [f"axes=[{', '.join(map(str, axes))}]"]
        + ["keepdims=true"] * keepdims
        + [f"dtype={dtype}"] * (dtype is not None)
    )
    return f"reduce_{fn} %x {{{', '.join(attributes)}}}"


def functions_of(dtype):
    if dtype == "bool":
        return ("sum", "prod", "max", "min", "any", "all")
    return {"c64": ("sum", "mean", "prod")}.get(
        dtype, ("sum", "prod", "max", "min") + (("mean", "logsumexp") if dtype in REALS else ())
    )


def input_of(dtype, shape):
    count = math.prod(shape)
    if dtype == "bool":
        return tensor(dtype, np.random.RandomState(3).rand(count) < 0.6, shape)
    if dtype == "c64":
        return tensor(dtype, [a + 1j * b for a, b in zip(number_of("f32", count), number_of("f32", count, 2))], shape)
    return tensor(dtype, number_of(dtype, count), shape)


def every_dtype():
    for dtype in COMPUTABLE:
        x = input_of(dtype, (3, 2, 5))
        ops = {}
        for fn in functions_of(dtype):
            for i, axes in enumerate(AXES):
                keepdims = i % 2 == 1
                ops[f"{fn}_{i}"] = line(fn, axes, keepdims), reduced(fn, x, axes, keepdims)
        yield ops_case(f"reduce {dtype}", {"x": x}, ops, ulps=4 if dtype == "f64" else 1)


def empty_and_scalar():
    for dtype in COMPUTABLE:
        x, scalar = input_of(dtype, (2, 0, 3)), input_of(dtype, ())
        for name, x, all_axes in (("nothing", x, [(1,), (0,), (0, 1, 2), (1, 2)]), ("a scalar", scalar, [()])):
            ops = {
                f"{fn}_{i}": (line(fn, axes, i == 1), reduced(fn, x, axes, i == 1))
                for fn in functions_of(dtype)
                for i, axes in enumerate(all_axes)
            }
            yield ops_case(f"reduce {name} of {dtype}", {"x": x}, ops)


def chosen_dtype():
    chosen = {
        "bool": ("u8", "i8", "f16", "c64"),
        "u8": ("u8", "i32", "u64", "f32"),
        "i8": ("i8", "i16", "u8", "bf16"),
        "i64": ("i32", "u16", "f64"),
        "f16": ("f32", "f64", "i32", "bf16"),
        "f32": ("f16", "f64", "u8", "c64"),
        "f64": ("f32", "bf16", "i64"),
        "c64": ("c64",),
    }
    inputs = {
        "u8": [255, 254, 3],
        "i8": [-128, 127, -5],
        "i64": [2**40, -7, 2**31],
        "f16": [1.75, -2.5, 300.25],
        "f32": [2049.5, -1.25, 0.1],
        "f64": [1e5, 0.1, -3.7],
    }
    for dtype, targets in chosen.items():
        x = tensor(dtype, inputs[dtype]) if dtype in inputs else input_of(dtype, (3,))
        ops = {}
        for target in targets:
            for fn in ("sum", "prod") + (("mean",) if target in REALS + ("c64",) else ()):
                ops[f"{fn}_{target}"] = line(fn, (0,), dtype=target), reduced(fn, x, (0,), dtype=target)
        yield ops_case(f"reduce {dtype} in other dtypes", {"x": x}, ops, ulps=2)


def wrapping_and_specials():
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        x = tensor(dtype, [high, high, 3, low, high - 1])
        ops = {fn: (line(fn, (0,)), reduced(fn, x, (0,))) for fn in functions_of(dtype)}
        yield ops_case(f"reduce {dtype} at its ends", {"x": x}, ops)
    nan, inf = math.nan, math.inf
    rows = [
        [1, nan, 3],
        [-inf, -inf, -inf],
        [inf, 1, -2],
        [inf, -inf, 0],
        [0.0, -0.0, 0.0],
        [-0.0, -0.0, -0.0],
        [nan, inf, 1],
        [800, 800, -800],
    ]
    for dtype in REALS:
        x = tensor(dtype, rows)
        expected = {fn: reduced(fn, x, (1,)) for fn in functions_of(dtype)}
        # Of two zeros max is +0 and min is -0; sums begin with +0, products with 1.
        expected["max"].values[4:6], expected["min"].values[4:6] = (0.0, -0.0), (-0.0, -0.0)
        expected["sum"].values[5] = expected["mean"].values[5] = 0.0
        ops = {fn: (line(fn, (1,)), y) for fn, y in expected.items()}
        yield ops_case(f"reduce {dtype} with specials", {"x": x}, ops)


# ---------------------------------------------------------------------------------------------------------- arg_reduce


def arg_extreme(fn, lane, last):
    nans = [i for i, v in enumerate(lane) if v != v]
    if nans:
        return nans[0]
    best = (max if fn == "max" else min)(lane)
    places = [i for i, v in enumerate(lane) if v == best]
    return places[-1] if last else places[0]


def arg_reduced(fn, x, axis=-1, keepdims=False, last=False, dtype="i64"):
    flat, shape = groups(x.values, (axis,), keepdims)
    return tensor(dtype, [arg_extreme(fn, row.tolist(), last) for row in flat], shape)


def arg_reduce():
    for dtype in [d for d in COMPUTABLE if d != "c64"]:
        x = input_of(dtype, (3, 4, 2))
        ops = {}
        for fn in ("max", "min"):
            ops[fn] = f"arg{fn} %x", arg_reduced(fn, x)
            for axis in (0, 1, -2):
                ops[f"{fn}_{axis % 3}_{axis < 0}"] = (
                    f"arg{fn} %x {{axis={axis}, keepdims=true, dtype=i32}}",
                    arg_reduced(fn, x, axis, True, dtype="i32"),
                )
            ops[f"{fn}_last"] = f"arg{fn} %x {{axis=1, last=true}}", arg_reduced(fn, x, 1, last=True)
        yield ops_case(f"argmax and argmin of {dtype}", {"x": x}, ops)
    nan, inf = math.nan, math.inf
    specials = [
        [1, 1, 0, 0],
        [0.0, -0.0, 0.0, -0.0],
        [1, nan, 5, nan],
        [inf, 2, inf, -inf],
        [-inf, -inf, -inf, -inf],
        [nan, nan, nan, nan],
    ]
    for dtype in REALS:
        x = tensor(dtype, specials)
        ops = {
            f"{fn}_{last}": (f"arg{fn} %x {{last={str(last).lower()}}}", arg_reduced(fn, x, last=last))
            for fn in ("max", "min")
            for last in (False, True)
        }
        yield ops_case(f"argmax and argmin of {dtype}, ties and NaN", {"x": x}, ops)
    for dtype in INTEGERS:
        x = tensor(
            dtype,
            [integer_range(dtype)[0], integer_range(dtype)[1], 1, integer_range(dtype)[0], integer_range(dtype)[1]],
        )
        ops = {
            f"{fn}_{last}": (f"arg{fn} %x {{last={str(last).lower()}}}", arg_reduced(fn, x, last=last))
            for fn in ("max", "min")
            for last in (False, True)
        }
        yield ops_case(f"argmax and argmin of {dtype}, ends", {"x": x}, ops)
    x = tensor("f32", np.zeros((0, 3)))
    yield ops_case("argmax of nothing", {"x": x}, {"y": ("argmax %x", tensor("i64", np.zeros((0,), int)))})


# ------------------------------------------------------------------------------------------------------------- softmax


def softmax(x, axis=-1, log=False):
    if x.size == 0:
        return x
    shifted = x - np.max(x, axis, keepdims=True)
    powers = np.exp(shifted)
    summed = np.sum(powers, axis, keepdims=True)
    return shifted - np.log(summed) if log else powers / summed


def softmaxes():
    nan, inf = math.nan, math.inf
    for dtype in REALS:
        x = tensor(dtype, np.random.RandomState(5).randint(-40, 40, (3, 2, 5)) / 8)
        ops = {}
        for axis in (-1, 0, 1, -2):
            name = f"{axis % 3}_{'back' if axis < 0 else 'front'}"
            ops[f"y_{name}"] = f"softmax %x {{axis={axis}}}", tensor(dtype, softmax(x.values, axis))
            ops[f"log_{name}"] = f"softmax %x {{axis={axis}, log=true}}", tensor(dtype, softmax(x.values, axis, True))
        yield ops_case(f"softmax {dtype}", {"x": x}, ops, ulps=8 if dtype == "f64" else 1, atol=1e-15)
        x = tensor(
            dtype, [[1000, 0, -1000], [-inf, 0, 1], [-inf, -inf, -inf], [inf, 0, 1], [nan, 0, 1], [0.0, -0.0, 0.0]]
        )
        ops = {
            "y": ("softmax %x", tensor(dtype, softmax(x.values))),
            "log": ("softmax %x {log=true}", tensor(dtype, softmax(x.values, log=True))),
        }
        yield ops_case(f"softmax {dtype} with specials", {"x": x}, ops, ulps=4 if dtype == "f64" else 1)
    for shape, axis in (((1,), 0), ((4, 0), 1), ((4, 0), 0), ((0,), 0), ((2, 1, 3), 1)):
        x = tensor("f32", np.arange(math.prod(shape)) / 4, shape)
        yield ops_case(
            f"softmax of {list(shape)} along {axis}",
            {"x": x},
            {"y": (f"softmax %x {{axis={axis}}}", tensor("f32", softmax(x.values, axis)))},
        )


def symbols():
    """Sizes that only the call knows, from call to call."""
    inputs = {"x": "f32[S, 2]"}
    program = "symbol S\n" + method(inputs, ["%y = reduce_sum %x {axes=[0]}", "%z = softmax %x {axis=0}"], ["y", "z"])
    calls = []
    for size in (3, 0, 1, 7):
        x = tensor("f32", np.arange(size * 2) / 2, (size, 2))
        calls.append(call({"x": x}, {"y": tensor("f32", x.values.sum(0)), "z": tensor("f32", softmax(x.values, 0))}))
    yield case("sizes by symbol", program, calls)


def cases():
    with np.errstate(all="ignore"):
        makers = (every_dtype, empty_and_scalar, chosen_dtype, wrapping_and_specials, arg_reduce, softmaxes, symbols)
        return [case for make in makers for case in make()]
