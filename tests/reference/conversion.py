"""Promotion and conversion between dtypes, as docs/semantics.md states them, on exact numbers."""

import fractions
import math

import numpy as np

from cases import INTEGERS, REAL_FORMATS, REALS, Tensor, integer_range, tensor, wrap

SMALL_INTEGERS = ("i4", "u4", "i2", "u2")
STORAGE = ("f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1") + SMALL_INTEGERS


def promote(a, b):
    """The dtype of two operands, or None."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if "c64" in (a, b):
        return None if "f64" in (a, b) else "c64"
    if a in REALS and b in REALS:
        return "f32" if {a, b} == {"f16", "bf16"} else max(a, b, key=lambda d: int(d.lstrip("bf")))
    if a in REALS or b in REALS:
        return a if a in REALS else b
    if a[0] == b[0]:
        return max(a, b, key=lambda d: int(d[1:]))
    low, high = min(integer_range(a)[0], integer_range(b)[0]), max(integer_range(a)[1], integer_range(b)[1])
    holds = [d for d in ("i8", "i16", "i32", "i64") if integer_range(d)[0] <= low and high <= integer_range(d)[1]]
    return holds[0] if holds else None


def nearest_power(x):
    """f8e8m0: the nearest power of two, from the middle of two on the larger."""
    if not 0 < x < math.inf:
        return math.nan
    mantissa, exponent = math.frexp(x)
    exponent = max(exponent - 1 if mantissa < 0.75 else exponent, -127)
    return math.ldexp(1.0, exponent) if exponent <= 127 else math.nan


def nearest_real(dtype, x):
    """An integer or a float to a real dtype, halves to even, in one rounding. NaN is the largest f4e2m1."""
    if x != x and dtype == "f4e2m1":
        return REAL_FORMATS[dtype].largest
    if isinstance(x, float) and not math.isfinite(x):
        return nearest_power(x) if dtype == "f8e8m0" else float(tensor(dtype, x).values)
    if dtype == "f8e8m0":
        return nearest_power(x)
    if x == 0 or dtype == "f64":
        return float(x)
    form = REAL_FORMATS[dtype]
    exact = fractions.Fraction(x)
    exponent = math.frexp(float(x))[1] - 1
    if abs(exact) < fractions.Fraction(2) ** exponent:  # float(x) rounded up to a power of two
        exponent -= 1
    unit = fractions.Fraction(2) ** (max(exponent, form.min_exponent) - form.digits)
    rounded = round(exact / unit) * unit
    if abs(rounded) > fractions.Fraction(form.largest):
        return math.copysign({"inf": math.inf, "nan": math.nan, "largest": form.largest}[form.beyond], x)
    return math.copysign(float(rounded), x)


def to_real(dtype, x, saturate):
    if saturate and not x != x:
        low, high = (
            (2.0**-127, 2.0**127) if dtype == "f8e8m0" else (-REAL_FORMATS[dtype].largest, REAL_FORMATS[dtype].largest)
        )
        x = low if x < low else high if x > high else x
    return nearest_real(dtype, x)


def to_integer(dtype, x, saturate):
    low, high = integer_range(dtype)
    if isinstance(x, float):
        if math.isnan(x):
            return 0
        first = integer_range("u64" if dtype == "u64" else "i64")
        x = int(min(max(x, -1e30), 1e30))
        x = x if saturate else min(max(x, first[0]), first[1])
    return min(max(x, low), high) if saturate else int(wrap(dtype, x))


def convert(x, dtype, saturate=False):
    if dtype == "bool":
        return Tensor("bool", np.array([bool(v != 0) for v in x.values.ravel()], bool).reshape(x.shape))
    if dtype == "c64":
        parts = [(v.real, v.imag) if x.dtype == "c64" else (v, 0.0) for v in x.values.ravel()]
        plain = [(plain_number(a), plain_number(b)) for a, b in parts]
        values = [complex(to_real("f32", a, saturate), to_real("f32", b, saturate)) for a, b in plain]
        return Tensor("c64", np.array(values, np.complex128).reshape(x.shape))
    is_real = dtype in REALS or dtype not in INTEGERS + SMALL_INTEGERS
    to = to_real if is_real else to_integer
    numbers = [plain_number(v.real if x.dtype == "c64" else v) for v in x.values.ravel()]
    values = [to(dtype, v, saturate) for v in numbers]
    return Tensor(dtype, np.array(values, np.float64 if is_real else object).reshape(x.shape))


def plain_number(v):
    """A Python int or float."""
    return int(v) if isinstance(v, (bool, int, np.bool_, np.integer)) else float(v)
