"""Cases of promotion and cast: every dtype to every other."""

import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, integer_range, ops_case, tensor, wrap
from conversion import STORAGE, convert, promote
from make_elementwise import LARGEST, POINTS, integer_points


def added(dtype, a, b):
    if dtype in INTEGERS:
        return tensor(dtype, wrap(dtype, a.values + b.values))
    return tensor(dtype, a.values + b.values)


def promotion():
    for left in COMPUTABLE:
        a = tensor(left, POINTS[left])
        inputs, ops = {"a": a}, {}
        for right in COMPUTABLE:
            dtype = promote(left, right)
            if dtype is None:
                continue
            b = inputs[right] = tensor(right, POINTS[right])
            x, y = convert(a, dtype), convert(b, dtype)
            if dtype != "bool":
                ops[f"add_{right}"] = f"add %a, %{right}", added(dtype, x, y)
            ops[f"eq_{right}"] = f"eq %a, %{right}", tensor("bool", x.values == y.values)
            pick = tensor("bool", [True, False, True])
            inputs["pick"] = pick
            ops[f"select_{right}"] = f"select %pick, %a, %{right}", tensor(
                dtype, np.where(pick.values, x.values, y.values)
            )
        yield ops_case(f"promotion of {left}", inputs, ops)


CAST_REALS = (
    "0.0 -0.0 0.4 -0.5 1.5 -2.5 2.75 127.9 -128.5 255.5 448 464.5 65519.9 -70000 3e9 -3e9 1e19 -1e19 2e19".split()
)
CAST_REALS = [float(v) for v in CAST_REALS] + [1e38, -1e39, 2.0**-130, 2.0**-10 * 1.001, math.inf, -math.inf]
CAST = {
    "bool": [False, True, True],
    "f8e4m3": [0.0, -0.0, 2.0**-9, 448.0, -448.0, 1.125, -3.5, 0.875, math.nan],
    "f8e5m2": [0.0, -0.0, 2.0**-16, 57344.0, -57344.0, 1.25, -3.5, math.inf, -math.inf, math.nan, 40960.0],
    "f8e8m0": [2.0**-127, 1.0, 2.0, 0.5, 2.0**127, 64.0, math.nan],
    "f4e2m1": [0.0, -0.0, 0.5, 1.0, 1.5, 2.0, -3.0, 4.0, -6.0],
    "i4": [-8, -1, 0, 1, 7],
    "u4": [0, 1, 8, 14, 15],
    "i2": [-2, -1, 0, 1, 1],
    "u2": [0, 1, 2, 3, 3, 1, 0],
    "c64": [0, -0.0j, 1.5 - 2j, 1j, -300.75 + 0.5j, complex(3e38, -1e30), complex(math.inf, math.nan)],
}


def cast_points(dtype):
    if dtype in CAST:
        return tensor(dtype, CAST[dtype])
    if dtype in INTEGERS:
        wide = [
            v
            for v in (-(2**40) - 3, 2**40 + 3, 2**53 + 1, -129, -9, 4, 8, 15, 16, 128, 255, 256, 448, 480)
            if integer_range(dtype)[0] <= v <= integer_range(dtype)[1]
        ]
        return tensor(dtype, integer_points(dtype) + wide)
    return tensor(dtype, [v for v in CAST_REALS if math.isinf(v) or abs(v) <= LARGEST[dtype]])


def cast():
    for source in COMPUTABLE + STORAGE:
        x = cast_points(source)
        ops = {}
        for target in COMPUTABLE + STORAGE:
            if source == "c64" and target in STORAGE:
                continue
            ops[target] = f"cast %x {{dtype={target}}}", convert(x, target)
            ops[target + "_nearest"] = f"cast %x {{dtype={target}, saturate=true}}", convert(x, target, saturate=True)
        yield ops_case(f"cast of {source}", {"x": x}, ops, ulps=0)
    nan = tensor("f32", math.nan)
    ops = {}
    for target in COMPUTABLE + STORAGE:
        ops[target] = f"cast %x {{dtype={target}}}", convert(nan, target)
        ops[target + "_nearest"] = f"cast %x {{dtype={target}, saturate=true}}", convert(nan, target, saturate=True)
    yield ops_case("cast of NaN", {"x": nan}, ops)
    empty = tensor("f32", np.zeros((3, 0)))
    yield ops_case("cast of nothing", {"x": empty}, {"y": ("cast %x {dtype=i4}", convert(empty, "i4"))})


def cases():
    with np.errstate(all="ignore"):
        return [*promotion(), *cast()]
