"""Cases of var, std and cumulate."""

import math
import warnings

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, call, case, integer_range, method, ops_case, tensor, wrap
from conversion import convert
from make_reduce import identities, input_of

# -------------------------------------------------------------------------------------------------------- var and std


def spread(fn, x, axes, keepdims=False, ddof=0.0):
    return tensor(x.dtype, getattr(np, fn)(x.values, axis=tuple(axes), ddof=ddof, keepdims=keepdims))


def spread_line(fn, axes, keepdims=False, ddof=0.0):
    written = f"axes=[{', '.join(map(str, axes))}]" + ", keepdims=true" * keepdims + f", ddof={ddof!r}" * (ddof != 0)
    return f"reduce_{fn} %x {{{written}}}"


def spread_ops(x, settings):
    return {
        f"{fn}_{i}": (spread_line(fn, *setting), spread(fn, x, *setting))
        for fn in ("var", "std")
        for i, setting in enumerate(settings)
    }


def var_and_std():
    nan, inf = math.nan, math.inf
    for dtype in REALS:
        x = tensor(dtype, np.random.RandomState(7).randint(-40, 40, (3, 2, 5)) / 8)
        settings = [((0,),), ((-1,), True), ((2, 0), False, 1.0), ((0, 1, 2), True, 0.5), ((1,), False, -1.0), ((),)]
        # Another order of addition shows in f64.
        yield ops_case(f"var and std {dtype}", {"x": x}, spread_ops(x, settings), ulps=16 if dtype == "f64" else 1)
        x = tensor(dtype, [[1, nan, 3], [inf, 1, -2], [inf, -inf, 0], [2, 2, 2], [-0.0, 0.0, -0.0]])
        # As many as there are elements, and more.
        settings = [((1,),), ((1,), False, 2.0), ((1,), False, 3.0), ((1,), True, 4.5)]
        yield ops_case(f"var and std {dtype} with specials", {"x": x}, spread_ops(x, settings), ulps=1)
    for shape, axes in (((2, 0, 3), (1,)), ((2, 0, 3), (0,)), ((0,), (0,)), ((), ()), ((1,), (0,)), ((4, 1), (1,))):
        x = tensor("f32", np.arange(math.prod(shape)) / 2, shape)
        yield ops_case(
            f"var and std of {list(shape)} over {list(axes)}", {"x": x}, spread_ops(x, [(axes,), (axes, True, 1.0)])
        )
    # The difference of two sums of squares would have no digit left.
    x = tensor("f64", 1e9 + np.array([0.25, 0.5, 0.75, 1.0, 1.25]))
    yield ops_case("var far from 0", {"x": x}, spread_ops(x, [((0,),), ((0,), False, 1.0)]), ulps=4)
    x = tensor("f32", [3e38, -3e38, 1e38])
    yield ops_case("std of the largest numbers", {"x": x}, spread_ops(x, [((0,),)]))
    x = tensor("f16", [65504, -65504, 60000])
    yield ops_case("std of the largest halves", {"x": x}, spread_ops(x, [((0,),)]))
    program = "symbol S\n" + method({"x": "f32[S, 3]"}, ["%y = reduce_var %x {axes=[0], ddof=1.0}"], ["y"])
    calls = []
    for size in (4, 2, 1, 0):
        x = tensor("f32", np.arange(size * 3) ** 2 / 4, (size, 3))
        calls.append(call({"x": x}, {"y": spread("var", x, (0,), ddof=1.0)}))
    yield case("var by symbol", program, calls)


# ------------------------------------------------------------------------------------------------------------ cumulate

ACCUMULATE = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "logsumexp": np.logaddexp}


def identity(fn, dtype):
    low, high = (0, 0) if dtype == "c64" else identities(dtype)
    return {"sum": 0, "prod": 1, "max": low, "min": high, "logsumexp": -math.inf}[fn]


def cumulated(fn, x, axis=-1, exclusive=False, reverse=False, dtype=None):
    """By NumPy's accumulate: shifted by one place where exclusive, over the flipped axis where reverse."""
    if fn in ("sum", "prod"):
        x = convert(x, dtype or ("i64" if x.dtype == "bool" else x.dtype))
    values = np.flip(x.values, axis) if reverse else x.values
    if values.size:
        values = ACCUMULATE[fn].accumulate(values, axis)
    if exclusive and values.size:
        start = np.full_like(np.take(values, [0], axis), identity(fn, x.dtype))
        values = np.concatenate([start, np.delete(values, -1, axis)], axis)
    values = np.flip(values, axis) if reverse else values
    return tensor(x.dtype, wrap(x.dtype, values) if x.dtype in INTEGERS else values)


def line(fn, axis=-1, exclusive=False, reverse=False, dtype=None):
    written = [f"axis={axis}"] * (axis != -1) + ["exclusive=true"] * exclusive + ["reverse=true"] * reverse
    written += [f"dtype={dtype}"] * (dtype is not None)
    return f"cum{fn} %x" + (f" {{{', '.join(written)}}}" if written else "")


def functions_of(dtype):
    if dtype == "c64":
        return ("sum", "prod")
    return ("sum", "prod", "max", "min") + ("logsumexp",) * (dtype in REALS)


SETTINGS = [(), (0,), (1, True), (-2, False, True), (-1, True, True)]


def cumulate_ops(x, settings):
    return {
        f"{fn}_{i}": (line(fn, *setting), cumulated(fn, x, *setting))
        for fn in functions_of(x.dtype)
        for i, setting in enumerate(settings)
    }


def cumulate():
    nan, inf = math.nan, math.inf
    for dtype in COMPUTABLE:
        x = input_of(dtype, (2, 3, 4))
        yield ops_case(f"cumulate {dtype}", {"x": x}, cumulate_ops(x, SETTINGS), ulps=8 if dtype == "f64" else 1)
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        x = tensor(dtype, [high, 3, low, high - 1, low + 1])
        yield ops_case(f"cumulate {dtype} at its ends", {"x": x}, cumulate_ops(x, [(), (-1, True), (0, False, True)]))
    rows = [[1, nan, 3, 0], [-inf, -inf, 1, inf], [inf, -inf, 0, 1], [800, 800, -800, nan], [-1, 2, -3, 0.5]]
    for dtype in REALS:
        x = tensor(dtype, rows)
        ops = cumulate_ops(x, [(), (1, True), (-1, False, True), (-1, True, True)])
        yield ops_case(f"cumulate {dtype} with specials", {"x": x}, ops, ulps=8 if dtype == "f64" else 1)
        # max takes +0, min -0; a sum begins with +0, a product with 1.
        x = tensor(dtype, [-0.0, 0.0, -0.0])
        expected = {
            "sum": [0.0, 0.0, 0.0],
            "prod": [-0.0, -0.0, 0.0],
            "max": [-0.0, 0.0, 0.0],
            "min": [-0.0, -0.0, -0.0],
        }
        yield ops_case(
            f"cumulate {dtype}, zeros", {"x": x}, {fn: (line(fn), tensor(dtype, y)) for fn, y in expected.items()}
        )
    chosen = {
        "bool": ("u8", "f16"),
        "u8": ("u64", "f32"),
        "i64": ("i8", "f64"),
        "f16": ("f32", "i32"),
        "f32": ("c64",),
        "c64": ("c64",),
    }
    for dtype, targets in chosen.items():
        x = tensor(dtype, [200, 100, 3]) if dtype in ("u8", "i64") else input_of(dtype, (3,))
        ops = {f"{fn}_{d}": (line(fn, dtype=d), cumulated(fn, x, dtype=d)) for fn in ("sum", "prod") for d in targets}
        yield ops_case(f"cumulate {dtype} in other dtypes", {"x": x}, ops)
    # What is summed up is not what was rounded for the result.
    x = tensor("f16", [2048] + [1] * 5)
    yield ops_case("cumsum of small steps", {"x": x}, cumulate_ops(x, [()]))
    for shape, axis in (((0,), 0), ((3, 0), 0), ((0, 2), 0), ((1,), 0), ((2, 1, 3), 1)):
        x = tensor("f32", np.arange(math.prod(shape)) / 4, shape)
        ops = cumulate_ops(x, [(axis,), (axis, True), (axis, True, True)])
        yield ops_case(f"cumulate {list(shape)} along {axis}", {"x": x}, ops)
    program = "symbol S\n" + method({"x": "i32[2, S]"}, ["%y = cumsum %x {reverse=true}"], ["y"])
    inputs = [tensor("i32", np.arange(2 * size) - 3, (2, size)) for size in (3, 0, 1)]
    yield case(
        "cumulate by symbol", program, [call({"x": x}, {"y": cumulated("sum", x, reverse=True)}) for x in inputs]
    )


def cases():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about variances of nothing
        return [*var_and_std(), *cumulate()]
