"""Cases of unary, binary, compare and select; make_conversion.py has cast, make_elementwise_more.py the rest."""

import decimal
import fractions
import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, bits_of, integer_range, ops_case, tensor, wrap

decimal.getcontext().prec = 60

# ------------------------------------------------------------------------------------------------------------- unary

PI = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def exact_erf(x):
    """The series 2/sqrt(pi)·Σ (-1)^n x^(2n+1) / (n! (2n+1)), in 60 digits."""
    term = total = x
    n = 0
    while abs(term) > decimal.Decimal(10) ** -55 * abs(total):
        n += 1
        term = -term * x * x / n
        total += term / (2 * n + 1)
    return total * 2 / PI.sqrt()


def erfinv(x):
    if math.isnan(x) or abs(x) > 1:
        return math.nan
    if abs(x) == 1 or x == 0:
        return x if x == 0 else math.copysign(math.inf, x)
    target = decimal.Decimal(abs(x))
    low, high = decimal.Decimal(0), decimal.Decimal(7)
    y = min(target, decimal.Decimal("0.9"))
    for _ in range(300):
        error = exact_erf(y) - target
        low, high = (low, y) if error > 0 else (y, high)
        step = y - error * PI.sqrt() / 2 * (y * y).exp()
        done, y = y, step if low < step < high else (low + high) / 2
        if abs(y - done) <= decimal.Decimal(10) ** -30 * y:
            break
    return math.copysign(float(y), x)


def each(f):
    return lambda x: np.array([f(float(v)) for v in x.ravel()]).reshape(x.shape)


def lgamma(x):
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):  # beyond f64, and 0, -1, -2 …
        return math.inf


def sigmoid(x):
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


EXACT = {
    "abs": np.abs,
    "neg": np.negative,
    "sign": lambda x: np.where(x == 0, x, np.sign(x)),
    "square": np.square,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: 1 / x,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
    "relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, 0.0)),
}
LIBRARY = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "expm1": np.expm1,
    "exp2": np.exp2,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": each(math.erf),
    "erfinv": each(erfinv),
}
# With -inf these are the product of an infinity and 0.
COMPOSED = {
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "gelu": lambda x: x / 2 * each(math.erfc)(-x / math.sqrt(2)),
    "gelu_tanh": lambda x: x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)),
    "softplus": lambda x: np.logaddexp(x, 0.0),
}
TRUTHS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}

REAL_POINTS = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.5,
    0.99,
    -0.875,
    1e-3,
    -1e-3,
]
REAL_POINTS += [1 / 3, math.pi, -math.e, 7.25, -9.5, 30, -30, 88, -100, 1000.5, 6e-8, -6e-8]
SMALLEST = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 5e-324}
LARGEST = {"f16": 65504.0, "bf16": float.fromhex("0x1.fep127"), "f32": float.fromhex("0x1.fffffep127"), "f64": 1.7e308}


def real_unary():
    # Digits that NumPy's own functions or another order of operations may lose in f64.
    for dtype in REALS:
        x = tensor(dtype, REAL_POINTS + [SMALLEST[dtype], -SMALLEST[dtype], LARGEST[dtype], -LARGEST[dtype]])
        for name, functions, loss in (("exact", EXACT, 0), ("library", LIBRARY, 4), ("composed", COMPOSED, 64)):
            ops = {f: (f"{f} %x", tensor(dtype, g(x.values))) for f, g in functions.items()}
            yield ops_case(f"unary {dtype}, {name}", {"x": x}, ops, ulps=loss if dtype == "f64" else min(loss, 1))
        # Near a zero of the function Python's has few digits.
        expected = {"y": ("lgamma %x", tensor(dtype, each(lgamma)(x.values)))}
        yield ops_case(f"lgamma {dtype}", {"x": x}, expected, ulps=4 if dtype == "f64" else 1, atol=1e-15)
        functions = TRUTHS | {"signbit": np.signbit}
        truths = {f: (f"{f} %x", tensor("bool", g(x.values))) for f, g in functions.items()}
        yield ops_case(f"unary {dtype}, truths", {"x": x}, truths)


def integer_points(dtype):
    low, high = integer_range(dtype)
    return sorted({low, low + 1, high - 1, high} | {v for v in (-100, -7, -2, -1, 0, 1, 2, 3, 5, 100) if v >= low})


def integer_unary():
    functions = {
        "abs": abs,
        "neg": lambda v: -v,
        "sign": lambda v: (v > 0) - (v < 0),
        "square": lambda v: v * v,
        "relu": lambda v: max(v, 0),
        "bitwise_not": lambda v: ~v,
    }
    functions |= dict.fromkeys(("floor", "ceil", "round", "trunc"), lambda v: v)
    for dtype in INTEGERS:
        x = tensor(dtype, integer_points(dtype))
        ops = {f: (f"{f} %x", tensor(dtype, wrap(dtype, [g(v) for v in x.values]))) for f, g in functions.items()}
        yield ops_case(f"unary {dtype}", {"x": x}, ops)


PARTS = {"abs": np.abs, "real": np.real, "imag": np.imag, "angle": np.angle}
COMPLEX_POINTS = [1, -1, 1j, -1j, 0.5 - 2j, -3 + 0.25j, -3 - 0.25j, 1e-3 + 1e3j, 1e10 - 1e-10j]


def other_unary():
    x = tensor("bool", [True, False, True])
    yield ops_case("unary bool", {"x": x}, {"y": ("logical_not %x", tensor("bool", ~x.values))})
    z = tensor("c64", COMPLEX_POINTS)
    functions = {"neg": np.negative, "square": np.square, "sqrt": np.sqrt, "reciprocal": lambda v: 1 / v, "log": np.log}
    functions["conj"] = np.conj
    ops = {f: (f"{f} %x", tensor("c64", g(z.values))) for f, g in functions.items()}
    ops |= {f: (f"{f} %x", tensor("f32", g(z.values))) for f, g in PARTS.items()}
    yield ops_case("unary c64", {"x": z}, ops, atol=1e-7)
    small = tensor("c64", COMPLEX_POINTS[:7])
    yield ops_case("exp c64", {"x": small}, {"y": ("exp %x", tensor("c64", np.exp(small.values)))}, atol=1e-7)
    odd = tensor(
        "c64", [complex(math.nan, 1), complex(1, math.inf), complex(math.nan, -math.inf), 1 + 1j, complex(-0.0, 0)]
    )
    ops = {f: (f"{f} %x", tensor("bool", g(odd.values))) for f, g in TRUTHS.items()}
    yield ops_case("truths c64", {"x": odd}, ops)
    nan, inf = math.nan, math.inf
    edges = [(0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0), (-1, 0.0), (-1, -0.0), (inf, inf), (-inf, inf)]
    edges += [(nan, 1), (1, nan), (inf, nan), (3e38, 3e38), (1e-45, -1e-45), (0.0, -inf)]
    x = tensor("c64", [complex(*z) for z in edges])
    ops = {f: (f"{f} %x", tensor("f32", g(x.values))) for f, g in PARTS.items()}
    ops["conj"] = "conj %x", tensor("c64", np.conj(x.values))
    yield ops_case("parts c64", {"x": x}, ops)
    for shape in ((), (0,), (3, 0, 2), (2, 1, 3)):
        count = math.prod(shape)
        x = tensor("f32", np.arange(count) + 4.0, shape)
        ops = {
            "root": ("sqrt %x", tensor("f32", np.sqrt(x.values))),
            "no": ("isnan %x", tensor("bool", np.isnan(x.values))),
        }
        yield ops_case(f"unary of shape {list(shape)}", {"x": x}, ops)


# ------------------------------------------------------------------------------------------------------------ binary


def exact_quotient(rounding):
    """The integer next to a / b by exact fractions; the IEEE quotient where that is no number."""

    def divide(a, b):
        if not (math.isfinite(a) and math.isfinite(b)) or b == 0:
            with np.errstate(all="ignore"):
                return float(getattr(np, rounding.__name__)(np.float64(a) / np.float64(b)))
        integer = rounding(fractions.Fraction(a) / fractions.Fraction(b))
        return float(integer) if integer else math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b))

    return divide


def extreme(larger):
    def pick(a, b):
        if math.isnan(a) or math.isnan(b):
            return math.nan
        key = lambda v: (v, math.copysign(1, v))  # noqa: E731
        return max(a, b, key=key) if larger else min(a, b, key=key)

    return pick


def pairwise(f):
    return lambda a, b: np.array([f(float(x), float(y)) for x, y in zip(a.ravel(), b.ravel())]).reshape(a.shape)


REAL_BINARY = {
    "add": (np.add, 0),
    "sub": (np.subtract, 0),
    "mul": (np.multiply, 0),
    "div": (np.divide, 0),
    "floor_div": (pairwise(exact_quotient(math.floor)), 0),
    "trunc_div": (pairwise(exact_quotient(math.trunc)), 0),
    "rem": (np.remainder, 0),
    "fmod": (np.fmod, 0),
    "max": (pairwise(extreme(True)), 0),
    "min": (pairwise(extreme(False)), 0),
    "pow": (np.power, 2),
    "atan2": (np.arctan2, 2),
    "logaddexp": (np.logaddexp, 2),
}


def grid(a, b):
    return np.broadcast_arrays(a.values[:, None], b.values[None, :])


def real_binary():
    left = [0.0, -0.0, 1, -1, 2.5, -7, 0.3, 1000, math.inf, -math.inf, math.nan]
    right = [0.0, -0.0, 1, -1, 3, -2.5, 0.1, math.inf, -math.inf, math.nan]
    for dtype in REALS:
        a, b = tensor(dtype, left), tensor(dtype, right)
        column = tensor(dtype, left, (len(left), 1))
        for loss in (0, 2):
            ops = {
                f: (f"{f} %a, %b", tensor(dtype, g(*grid(a, b))))
                for f, (g, of_f) in REAL_BINARY.items()
                if of_f == loss
            }
            yield ops_case(f"binary {dtype}, {loss} ulps", {"a": column, "b": b}, ops, ulps=loss)


def integer_power(a, b):
    if b >= 0:
        return pow(a, b, 2**64)
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


def integer_binary():
    def shift(a, b, width):
        return 0 if not 0 <= b < width else a << b

    def shift_back(a, b, width):
        return a >> (b if 0 <= b < width else width)

    functions = {
        "add": lambda a, b, _: a + b,
        "sub": lambda a, b, _: a - b,
        "mul": lambda a, b, _: a * b,
        "floor_div": lambda a, b, _: a // b if b else 0,
        "trunc_div": lambda a, b, _: math.trunc(fractions.Fraction(a, b)) if b else 0,
        "rem": lambda a, b, _: a % b if b else 0,
        "fmod": lambda a, b, _: a - b * math.trunc(fractions.Fraction(a, b)) if b else 0,
        "pow": lambda a, b, _: integer_power(a, b),
        "max": lambda a, b, _: max(a, b),
        "min": lambda a, b, _: min(a, b),
        "bitwise_and": lambda a, b, _: a & b,
        "bitwise_or": lambda a, b, _: a | b,
        "bitwise_xor": lambda a, b, _: a ^ b,
        "shift_left": shift,
        "shift_right": shift_back,
    }
    for dtype in INTEGERS:
        width = bits_of(dtype)
        points = [v for v in integer_points(dtype) if abs(v) != 2]
        a, b = tensor(dtype, points), tensor(dtype, sorted({width - 1, width, *points}))
        column = tensor(dtype, points, (len(points), 1))
        ops = {}
        for f, g in functions.items():
            values = wrap(dtype, [[g(x, y, width) for y in b.values] for x in a.values])
            ops[f] = f"{f} %a, %b", tensor(dtype, values)
        yield ops_case(f"binary {dtype}", {"a": column, "b": b}, ops)


def other_binary():
    a, b = tensor("bool", [[False], [True]]), tensor("bool", [False, True])
    functions = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
    ops = {
        f"{p}_{f}": (f"{p}_{f} %a, %b", tensor("bool", g(a.values, b.values)))
        for f, g in functions.items()
        for p in ("logical", "bitwise")
    }
    yield ops_case("binary bool", {"a": a, "b": b}, ops)
    a, b = tensor("c64", COMPLEX_POINTS), tensor("c64", [2 - 1j, -0.5j, 3])
    column = tensor("c64", COMPLEX_POINTS, (len(COMPLEX_POINTS), 1))
    functions = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
    ops = {f: (f"{f} %a, %b", tensor("c64", g(*grid(a, b)))) for f, g in functions.items()}
    yield ops_case("binary c64", {"a": column, "b": b}, ops)


SHAPES = [
    ((), ()),
    ((3,), ()),
    ((), (2, 0)),
    ((2, 1, 5), (3, 1)),
    ((1, 1), (4, 1, 3)),
    ((0, 3), (1, 3)),
    ((2, 3), (2, 3)),
]


def broadcasting():
    for left, right in SHAPES:
        a = tensor("i32", np.arange(math.prod(left)) * 3 - 4, left)
        b = tensor("i32", np.arange(math.prod(right)) + 7, right)
        ops = {
            "sum": ("add %a, %b", tensor("i32", a.values + b.values)),
            "less": ("lt %a, %b", tensor("bool", a.values < b.values)),
        }
        yield ops_case(f"binary of {list(left)} and {list(right)}", {"a": a, "b": b}, ops)


# ------------------------------------------------------------------------------------------------- compare and select

COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare():
    points = {dtype: [integer_range(dtype)[0], 0, 1, integer_range(dtype)[1]] for dtype in INTEGERS}
    points |= dict.fromkeys(REALS, [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan])
    points |= {"bool": [False, True], "c64": [1, 1j, 1 + 1j, complex(math.nan, 0), complex(-0.0, 0), 0]}
    for dtype, values in points.items():
        a, b = tensor(dtype, values, (len(values), 1)), tensor(dtype, values)
        fns = ("eq", "ne") if dtype == "c64" else COMPARE
        ops = {f: (f"{f} %a, %b", tensor("bool", np.array(COMPARE[f](a.values, b.values), bool))) for f in fns}
        yield ops_case(f"compare {dtype}", {"a": a, "b": b}, ops)
    # i8 with u8 compares in i16: no wrap.
    a, b = tensor("i8", [-1, -128, 127]), tensor("u8", [255, 128, 127])
    ops = {f: (f"{f} %a, %b", tensor("bool", np.array(g(a.values, b.values), bool))) for f, g in COMPARE.items()}
    yield ops_case("compare i8 and u8", {"a": a, "b": b}, ops)


POINTS = {
    "bool": [False, True, True],
    "u8": [0, 1, 255],
    "u16": [2, 257, 65535],
    "u32": [3, 16777217, 4294967295],
    "u64": [4, 2**53 + 1, 2**64 - 1],
    "i8": [-128, 1, 127],
    "i16": [-32768, 2049, 32767],
    "i32": [-(2**31), 16777217, 2**31 - 1],
    "i64": [-(2**63), 2**53 + 1, 2**60 + 2**36 + 1],
    "f16": [0.1, 2048, -65504],
    "bf16": [0.1, 256, -3e38],
    "f32": [0.1, 1e30, -16777216],
    "f64": [0.1, 1e300, -(2.0**53)],
    "c64": [0.5 + 1j, -1, 3e4 - 2j],
}


def select():
    condition = tensor("bool", [[True], [False]])
    for dtype in COMPUTABLE:
        a, b = tensor(dtype, POINTS[dtype]), tensor(dtype, POINTS[dtype][1])
        expected = tensor(dtype, np.where(condition.values, a.values, b.values))
        yield ops_case(f"select {dtype}", {"c": condition, "a": a, "b": b}, {"y": ("select %c, %a, %b", expected)})
    a, b = tensor("f32", [math.nan, -0.0]), tensor("f32", [[math.inf], [0.0], [1.0]])
    for name, condition in (
        ("scalar", tensor("bool", True)),
        ("cube", tensor("bool", [[[True, False]], [[False, True]]])),
    ):
        expected = tensor("f32", np.where(condition.values, a.values, b.values))
        yield ops_case(f"select by {name}", {"c": condition, "a": a, "b": b}, {"y": ("select %c, %a, %b", expected)})
    empty = tensor("f32", np.zeros((0, 2)))
    yield ops_case(
        "select of nothing",
        {"c": tensor("bool", [True, False]), "a": empty, "b": tensor("f32", 1)},
        {"y": ("select %c, %a, %b", empty)},
    )


def cases():
    makers = (real_unary, integer_unary, other_unary, real_binary, integer_binary, other_binary)
    with np.errstate(all="ignore"):
        return [case for make in makers + (broadcasting, compare, select) for case in make()]
