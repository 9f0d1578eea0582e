"""Attributes: which Python values they take, and how the text form writes them."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ingot.dims import Dim, as_dim
from ingot.tensor_type import QuantScheme, TensorType, enum_text, quoted

Scalar = bool | int | float | complex
NamedValue = str | Sequence[int] | Sequence[float]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Kind(NamedTuple):
    """A kind of field. `take` gives the value as it is kept, or raises TypeError with what it expected."""

    take: Callable[[Any], Any]
    write: Callable[[Any], str]


def number_text(value: Scalar) -> str:
    """A number: a real always has a point or an exponent, or is nan or inf."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def list_text(items: Sequence[Any], write: Callable[[Any], str]) -> str:
    return f"[{', '.join(map(write, items))}]"


def expect(wanted: type | tuple[type, ...], words: str) -> Callable[[Any], Any]:
    """A `take` that lets instances of `wanted` through. A bool is no number here."""

    def take(value: Any) -> Any:
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise TypeError(words)
        return value

    return take


def many(take: Callable[[Any], Any], words: str) -> Callable[[Any], tuple[Any, ...]]:
    """A `take` for a sequence."""

    def take_all(values: Any) -> tuple[Any, ...]:
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise TypeError(words)
        return tuple(take(value) for value in values)

    return take_all


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("an integer")
    if not -(2**63) <= value < 2**63:
        raise ValueError("an integer of 64 bits")
    return value


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("a real number")
    return float(value)


def _scalar(value: Any) -> Scalar:
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError("a number")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ValueError("an integer of 64 bits, signed or unsigned")
    return value


def _dim(value: Any) -> Dim:
    try:
        return as_dim(value)
    except TypeError:
        raise TypeError("a size: an int or an expression over symbols") from None


def _named(values: Any) -> dict[str, NamedValue]:
    if not isinstance(values, Mapping):
        raise TypeError("a dict of names and lists of numbers, or strings")
    return {_name(name): _named_value(value) for name, value in values.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
        raise ValueError("names of letters, digits and underscores")
    return name


# A list with a float in it is a list of reals.
def _named_value(value: Any) -> NamedValue:
    if isinstance(value, str):
        return value
    numbers = many(expect((int, float), "a number"), "a list of numbers or a string")(value)
    real = any(isinstance(number, float) for number in numbers)
    return tuple(map(_real if real else _integer, numbers))


def _named_text(values: Mapping[str, NamedValue]) -> str:
    def write(item: tuple[str, NamedValue]) -> str:
        name, value = item
        return f"{name}={quoted(value) if isinstance(value, str) else list_text(value, number_text)}"

    return list_text(list(values.items()), write)


_TYPE = expect(TensorType, "a TensorType")

# By the names that the dataclasses of ingot.ops use. Those that refer to parts of a program are in ingot.text.
KINDS: dict[str, Kind] = {
    "boolean": Kind(expect(bool, "a bool"), number_text),
    "integer": Kind(_integer, str),
    "integers": Kind(many(_integer, "a sequence of integers"), lambda values: list_text(values, str)),
    "real": Kind(_real, number_text),
    "text": Kind(expect(str, "a string"), quoted),
    "scalar": Kind(_scalar, number_text),
    "dim": Kind(_dim, str),
    "dims": Kind(many(_dim, "a sequence of sizes"), lambda values: list_text(values, str)),
    "type": Kind(_TYPE, str),
    "types": Kind(many(_TYPE, "a sequence of TensorTypes"), lambda values: list_text(values, str)),
    "scheme": Kind(expect(QuantScheme, "a QuantScheme"), str),
    "attributes": Kind(_named, _named_text),
}


def enum_kind(choice: type[enum.Enum]) -> Kind:
    return Kind(expect(choice, f"a {choice.__name__}"), enum_text)
