"""Cases of activation, clip, bitcast, complex and glu."""

import itertools
import math

import numpy as np

from cases import INTEGERS, REALS, Raw, bits_of, call, case, integer_range, method, ops_case, tensor
from conversion import convert, promote
from make_elementwise import COMPOSED, EXACT, LARGEST, POINTS, REAL_POINTS, SMALLEST, extreme, pairwise

# ---------------------------------------------------------------------------------------------------------- activation


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


def cut(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(x))


def shrink(x, alpha, beta):
    y = np.where(x > alpha, x - beta, np.where(np.isnan(x), x, 0.0))
    return np.where(x < -alpha, x + beta, y)


# Function of x and the parameters, then their defaults and others.
ACTIVATIONS = {
    "elu": (elu, {"alpha": 1}, {"alpha": 0.3}),
    "selu": (
        lambda x, alpha, beta: beta * elu(x, alpha),
        {"alpha": 1.67326319217681884765625, "beta": 1.05070102214813232421875},
        {"alpha": 2.5, "beta": -0.5},
    ),
    "celu": (
        lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)),
        {"alpha": 1},
        {"alpha": 0.7},
    ),
    "leaky_relu": (lambda x, alpha: np.where(x < 0, alpha * x, x), {"alpha": 0.01}, {"alpha": -3.0}),
    "hard_sigmoid": (
        lambda x, alpha, beta: cut(alpha * x + beta, 0, 1),
        {"alpha": 0.2, "beta": 0.5},
        {"alpha": 0.1, "beta": 0.6},
    ),
    "hard_swish": (lambda x: x * cut(x / 6 + 0.5, 0, 1), {}, {}),
    "hard_tanh": (
        lambda x, alpha, beta: cut(x, alpha, beta),
        {"alpha": -1, "beta": 1},
        {"alpha": -0.875, "beta": 7.25},
    ),
    "mish": (lambda x: x * np.tanh(np.logaddexp(0, x)), {}, {}),
    "softsign": (lambda x: x / (1 + np.abs(x)), {}, {}),
    "squared_relu": (lambda x: np.square(np.maximum(x, 0)), {}, {}),
    "thresholded_relu": (
        lambda x, alpha, beta: np.where(x <= alpha, beta, x),
        {"alpha": 1, "beta": 0},
        {"alpha": -0.5, "beta": 20.0},
    ),
    "hard_shrink": (lambda x, alpha: np.where(np.abs(x) <= alpha, 0, x), {"alpha": 0.5}, {"alpha": 1.5}),
    "soft_shrink": (shrink, {"alpha": 0.5, "beta": 0.5}, {"alpha": 1.5, "beta": 0.25}),
    "log_sigmoid": (lambda x: -np.logaddexp(0, -x), {}, {}),
    "swish": (lambda x, alpha: x * sigmoid(alpha * x), {"alpha": 1}, {"alpha": -1.5}),
    "quick_gelu": (lambda x: x * sigmoid(1.702 * x), {}, {}),
}


def in_dtype(dtype, parameters):
    """Parameters are numbers of f32 unless all are f64."""
    return {k: float(v if dtype == "f64" else np.float32(v)) for k, v in parameters.items()}


def line(fn, parameters):
    written = ", ".join(f"{k}={float(v)!r}" for k, v in parameters.items())
    return f"{fn} %x" + (f" {{{written}}}" if written else "")


def activation():
    for dtype in REALS:
        x = tensor(dtype, REAL_POINTS + [SMALLEST[dtype], -SMALLEST[dtype], LARGEST[dtype], -LARGEST[dtype]])
        ops = {}
        for fn, (f, defaults, others) in ACTIVATIONS.items():
            ops[fn] = line(fn, {}), tensor(dtype, f(x.values, **in_dtype(dtype, defaults)))
            if others:
                ops[f"{fn}_other"] = line(fn, others), tensor(dtype, f(x.values, **in_dtype(dtype, others)))
        yield ops_case(f"activations {dtype}", {"x": x}, ops, ulps=64 if dtype == "f64" else 1)
    # One parameter alone: the other is the default, which for soft_shrink is alpha.
    x = tensor("f32", [-4, -2, -1.25, -1, -0.5, 0, 0.5, 1, 1.25, 2, 4])
    ops = {}
    for fn, (f, defaults, others) in ACTIVATIONS.items():
        for name in others if len(others) == 2 else ():
            given = {name: others[name]}
            both = in_dtype("f32", defaults | given)
            if fn == "soft_shrink" and name == "alpha":
                both["beta"] = both["alpha"]
            ops[f"{fn}_{name}"] = line(fn, given), tensor("f32", f(x.values, **both))
    ops["hard_tanh_crossed"] = line("hard_tanh", {"alpha": 2, "beta": 1}), tensor("f32", np.full(x.shape, 1))
    yield ops_case("activations with one parameter", {"x": x}, ops)
    yield from thresholds()
    for shape in ((), (0,), (2, 0, 3), (2, 1, 3)):
        x = tensor("f32", np.arange(math.prod(shape)) - 2.0, shape)
        ops = {
            fn: (line(fn, {}), tensor("f32", f(x.values, **in_dtype("f32", p))))
            for fn, (f, p, _) in ACTIVATIONS.items()
        }
        yield ops_case(f"activations of shape {list(shape)}", {"x": x}, ops)


def thresholds():
    """0.1 is another number in every dtype: x is on the side that f32 (or f64) puts it on."""
    for dtype in REALS:
        near = float(tensor(dtype, 0.1).values)
        x = tensor(dtype, [near, -near, near * 1.02, near * 0.98])
        ops = {}
        for fn, alpha in (("thresholded_relu", 0.1), ("hard_shrink", 0.1), ("soft_shrink", 0.1)):
            f, defaults, _ = ACTIVATIONS[fn]
            given = {"alpha": alpha} | ({"beta": 5.0} if "beta" in defaults else {})
            ops[fn] = line(fn, given), tensor(dtype, f(x.values, **in_dtype(dtype, given)))
        yield ops_case(f"activations {dtype} at their thresholds", {"x": x}, ops, ulps=0)


# ---------------------------------------------------------------------------------------------------------------- clip


def clipped(x, low=None, high=None):
    """On what NumPy promotes; both zeros and NaN as max and min of Ingot have them."""
    for bound, larger in ((low, True), (high, False)):
        if bound is None:
            continue
        x, bound = np.broadcast_arrays(x, bound)
        if x.dtype == object:
            x = np.where(x < bound, bound, x) if larger else np.where(x > bound, bound, x)
        else:
            x = pairwise(extreme(larger))(x, bound)
    return x


def clip_ops(dtype, x, low, high):
    x, low, high = (convert(v, dtype).values for v in (x, low, high))
    return {
        "both": ("clip %x, %low, %high", tensor(dtype, clipped(x, low, high))),
        "low_only": ("clip %x, %low", tensor(dtype, clipped(x, low))),
        "high_only": ("clip %x, _, %high", tensor(dtype, clipped(x, None, high))),
    }


def clip():
    for dtype in INTEGERS:
        lowest, highest = integer_range(dtype)
        x = tensor(dtype, [lowest, lowest + 1, 3, 5, 9, highest - 1, highest])
        low, high = tensor(dtype, [[4], [lowest], [highest]]), tensor(dtype, 8)
        yield ops_case(f"clip {dtype}", {"x": x, "low": low, "high": high}, clip_ops(dtype, x, low, high))
    for dtype in REALS:
        x = tensor(dtype, [0.0, -0.0, 1.5, -7, math.inf, -math.inf, math.nan, LARGEST[dtype], SMALLEST[dtype]], (9, 1))
        low = tensor(dtype, [-1, 0.0, -0.0, 5, -math.inf, math.nan])
        high = tensor(dtype, [2, -0.0, 0.0, 3, math.nan, math.inf])
        yield ops_case(f"clip {dtype}", {"x": x, "low": low, "high": high}, clip_ops(dtype, x, low, high), ulps=0)
    mixed = [
        (tensor("u8", [0, 7, 255]), tensor("i8", -3), tensor("i8", 100)),
        (tensor("i32", [-5, 0, 70000]), tensor("f16", -2.25), tensor("bool", True)),
        (tensor("f16", [-0.5, 0.1, 9]), tensor("bf16", 0.1), tensor("f32", 0.1)),
        (tensor("i64", [-9, 2**53 + 1, 2049]), tensor("f16", -2.25), tensor("f64", 1e15)),
    ]
    for x, low, high in mixed:
        with_low, with_high = promote(x.dtype, low.dtype), promote(x.dtype, high.dtype)
        ops = {
            "both": clip_ops(promote(with_low, high.dtype), x, low, high)["both"],
            "low_only": clip_ops(with_low, x, low, x)["low_only"],
            "high_only": clip_ops(with_high, x, x, high)["high_only"],
        }
        yield ops_case(f"clip {x.dtype} to {low.dtype} and {high.dtype}", {"x": x, "low": low, "high": high}, ops)
    for shape, low_shape in (((), ()), ((0, 3), ()), ((), (2, 0)), ((2, 1, 3), (4, 1))):
        x = tensor("f32", np.arange(math.prod(shape)) - 2.0, shape)
        low, high = tensor("f32", np.arange(math.prod(low_shape)) / 2, low_shape), tensor("f32", [1])
        yield ops_case(
            f"clip {list(shape)} to {list(low_shape)}",
            {"x": x, "low": low, "high": high},
            clip_ops("f32", x, low, high),
        )
    inputs = {"x": "i32[S, 2]", "low": "i32[S, 1]"}
    program = "symbol S\n" + method(inputs, ["%y = clip %x, %low"], ["y"])
    calls = []
    for size in (3, 0, 1):
        x, low = tensor("i32", np.arange(2 * size) - 3, (size, 2)), tensor("i32", np.arange(size) * 2 - 2, (size, 1))
        calls.append(call({"x": x, "low": low}, {"y": tensor("i32", clipped(x.values, low.values))}))
    yield case("clip by symbol", program, calls)


# ------------------------------------------------------------------------------------------------------------- bitcast

NUMPY = {
    "bool": bool,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "i8": np.int8,
    "i16": np.int16,
}
NUMPY |= {
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
}
WIDTHS = {
    8: ("u8", "i8", "f8e4m3", "f8e5m2", "f8e8m0"),
    16: ("u16", "i16", "f16", "bf16"),
    32: ("u32", "i32", "f32"),
    64: ("u64", "i64", "f64", "c64"),
    4: ("u4", "i4", "f4e2m1"),
    2: ("u2", "i2"),
}


def bitcast():
    """By NumPy's view where it has the dtypes, then every pair by its bytes."""
    for dtype, to in itertools.permutations(NUMPY, 2):
        if bits_of(dtype) != bits_of(to) or to == "bool":
            continue
        x = tensor(dtype, POINTS[dtype])
        viewed = x.values.astype(NUMPY[dtype]).view(NUMPY[to])
        yield ops_case(
            f"bitcast {dtype} to {to}", {"x": x}, {"y": (f"bitcast %x {{dtype={to}}}", tensor(to, viewed))}, ulps=0
        )
    for width, dtypes in WIDTHS.items():
        count = 6 if width >= 8 else 7  # elements of less than a byte: the last one is not full
        data = np.random.RandomState(width).bytes((count * width + 7) // 8)
        if count * width % 8:
            data = data[:-1] + bytes([data[-1] & ((1 << count * width % 8) - 1)])
        for dtype in dtypes:
            x = Raw(f"{dtype}[{count}]", data)
            back = {f"y_{to}": f"bitcast %x {{dtype={to}}}" for to in dtypes}
            # NaNs of reals are compared as NaNs: going back to integers shows their bits.
            body = [f"%{name} = {op}" for name, op in back.items()]
            body += [f"%back_{to} = bitcast %y_{to} {{dtype={dtypes[0]}}}" for to in dtypes]
            expected = {f"y_{to}": Raw(f"{to}[{count}]", data) for to in dtypes}
            expected |= {f"back_{to}": Raw(f"{dtypes[0]}[{count}]", data) for to in dtypes}
            yield case(f"bitcast of {dtype}", method({"x": x.type}, body, expected), [call({"x": x}, expected, ulps=0)])
    for shape in ((), (0, 2), (2, 1, 3)):
        x = tensor("f32", np.arange(math.prod(shape)), shape)
        y = tensor("u32", x.values.astype(np.float32).view(np.uint32))
        yield ops_case(f"bitcast of shape {list(shape)}", {"x": x}, {"y": ("bitcast %x {dtype=u32}", y)})
    truth = tensor("bool", [True, False])
    yield ops_case(
        "bitcast bool",
        {"x": truth},
        {"y": ("bitcast %x {dtype=bool}", truth), "i": ("bitcast %x {dtype=i8}", tensor("i8", [1, 0]))},
    )


# ------------------------------------------------------------------------------------------------------------- complex


def complexes():
    nan, inf = math.nan, math.inf
    for a, b in itertools.product(("f16", "bf16", "f32"), repeat=2):
        re = tensor(a, [0.0, -0.0, 0.1, inf, nan, -3], (6, 1))
        im = tensor(b, [-0.0, 1 / 3, -inf, nan, LARGEST[b], SMALLEST[b]])
        z = np.empty((6, 6), complex)
        z.real, z.imag = re.values, im.values
        yield ops_case(
            f"complex of {a} and {b}", {"re": re, "im": im}, {"z": ("complex %re, %im", tensor("c64", z))}, ulps=0
        )
    for left, right in (((), ()), ((2, 0), ()), ((2, 1), (3, 1, 2))):
        re, im = tensor("f32", np.arange(math.prod(left)), left), tensor(
            "f32", np.arange(math.prod(right)) - 1.5, right
        )
        z = tensor("c64", re.values + 1j * im.values)
        yield ops_case(
            f"complex of {list(left)} and {list(right)}", {"re": re, "im": im}, {"z": ("complex %re, %im", z)}
        )


# ----------------------------------------------------------------------------------------------------------------- glu

GATES = {
    "glu": COMPOSED["sigmoid"],
    "swiglu": COMPOSED["silu"],
    "geglu": COMPOSED["gelu"],
    "geglu_tanh": COMPOSED["gelu_tanh"],
    "reglu": EXACT["relu"],
}


def glu_ops(value, gate):
    return {
        fn: (f"{fn} %value, %gate", tensor(value.dtype, value.values * f(gate.values))) for fn, f in GATES.items()
    }


def glu():
    nan, inf = math.nan, math.inf
    values = [0.0, -0.0, 1, -1 / 3, math.pi, -7.25, 100, inf, -inf, nan]
    gates = [0.0, -0.0, 1, -1, 1 / 3, -1.5, 3.5, 8, 88, inf, nan]
    for dtype in REALS:
        value, gate = (tensor(dtype, [p[i] for p in itertools.product(values, gates)]) for i in (0, 1))
        # Engines may round the function of the gate to the dtype.
        ops = glu_ops(value, gate)
        yield ops_case(f"glu {dtype}", {"value": value, "gate": gate}, ops, ulps=64 if dtype == "f64" else 2)
    # The product of an infinity and 0, but for reglu.
    value, gate = tensor("f32", [1, -2, 0.0, inf, nan]), tensor("f32", np.full(5, -inf))
    yield ops_case("glu of a gate of -inf", {"value": value, "gate": gate}, glu_ops(value, gate))
    for shape in ((), (0,), (2, 0, 3), (2, 1, 3)):
        value = tensor("f32", np.arange(math.prod(shape)) - 2.0, shape)
        gate = tensor("f32", 1.5 - np.arange(math.prod(shape)), shape)
        yield ops_case(f"glu of shape {list(shape)}", {"value": value, "gate": gate}, glu_ops(value, gate), ulps=2)
    # The halves of one value, of any size.
    body = ["%a = slice %x {axes=[1], starts=[0], stops=[3]}", "%b = slice %x {axes=[1], starts=[3], stops=[6]}"]
    program = "symbol S\n" + method({"x": "f32[S, 6]"}, [*body, "%y = glu %a, %b"], ["y"])
    calls = []
    for size in (3, 0, 1):
        x = tensor("f32", np.arange(6 * size) / 4 - 2, (size, 6))
        y = x.values[:, :3] * COMPOSED["sigmoid"](x.values[:, 3:])
        calls.append(call({"x": x}, {"y": tensor("f32", y)}, ulps=2))
    yield case("glu of halves by symbol", program, calls)


def cases():
    with np.errstate(all="ignore"):
        return [case for make in (activation, clip, bitcast, complexes, glu) for case in make()]
