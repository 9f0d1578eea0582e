"""Numbers: what Python and NumPy call one, and how the text form writes it. NumPy itself is not needed."""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable
from typing import Any

from ingot.ops import DType

Scalar = bool | int | float | complex


def integer(value: Any) -> int:
    """An integer of 64 bits. A bool is none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError("an integer")
    if not -(2**63) <= value < 2**63:
        raise ValueError("an integer of 64 bits")
    return int(value)


def real(value: Any) -> float:
    """A real number. A bool is none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError("a real number")
    return float(value)


def scalar(value: Any) -> Scalar:
    """Any number, as Python's own."""
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):
        if not -(2**63) <= value < 2**64:
            raise ValueError("an integer of 64 bits, signed or unsigned")
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if not isinstance(value, numbers.Complex):
        raise TypeError("a number")
    return complex(value)


def bits(dtype: DType) -> int:
    """Bits of one element; a packed one has no fixed number."""
    return 8 if dtype is DType.bool else int(re.search(r"\d+", dtype.name)[0])


def element(dtype: DType) -> Callable[[Any], Scalar]:
    """A function that gives a number as one of this dtype: TypeError or ValueError says what was expected."""
    if dtype is DType.bool:
        return _truth
    if dtype is DType.c64:
        return _complex
    if dtype is DType.packed:
        raise ValueError("bytes for a packed tensor")
    if dtype.name[0] not in "ui":
        return real
    width = bits(dtype)
    low, high = (0, 2**width - 1) if dtype.name[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    return _integer_within(low, high)


def number_text(value: Scalar) -> str:
    """A number: a real always has a point or an exponent, or is nan or inf."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def _truth(value: Any) -> bool:
    if value not in (False, True):
        raise ValueError("False or True")
    return bool(value)


def _complex(value: Any) -> complex:
    if isinstance(value, bool) or not isinstance(value, numbers.Complex):
        raise TypeError("a number")
    return complex(value)


def _integer_within(low: int, high: int) -> Callable[[Any], int]:
    def take(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not low <= value <= high:
            raise ValueError(f"an integer in {low}..{high}")
        return int(value)

    return take
