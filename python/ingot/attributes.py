"""Attributes: which Python values they take, and how the text form writes them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ingot.dims import Dim, as_dim
from ingot.numeric import integer, number_text, real, scalar
from ingot.tensor_type import QuantScheme, TensorType, enum_text, name_text, quoted

NamedValue = str | Sequence[int] | Sequence[float]


class Kind(NamedTuple):
    """A kind of field. `take` gives the value as it is kept; TypeError and ValueError say what was expected."""

    take: Callable[[Any], Any]
    write: Callable[[Any], str]


def list_text(items: Sequence[Any], write: Callable[[Any], str]) -> str:
    return f"[{', '.join(map(write, items))}]"


def expect(wanted: type | tuple[type, ...], words: str) -> Callable[[Any], Any]:
    """A `take` that lets instances of `wanted` through."""

    def take(value: Any) -> Any:
        if not isinstance(value, wanted):
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
    if not isinstance(name, str) or not name:
        raise TypeError("names that are strings and not empty")
    return name


# A list with a float in it is a list of reals.
def _named_value(value: Any) -> NamedValue:
    if isinstance(value, str):
        return value
    values = many(scalar, "a list of numbers or a string")(value)
    return tuple(map(real if any(isinstance(number, float) for number in values) else integer, values))


def _named_text(values: Mapping[str, NamedValue]) -> str:
    def write(item: tuple[str, NamedValue]) -> str:
        name, value = item
        return f"{name_text(name)}={quoted(value) if isinstance(value, str) else list_text(value, number_text)}"

    return list_text(list(values.items()), write)


_TYPE = expect(TensorType, "a TensorType")

# By the names that the dataclasses of ingot.ops use. Those that refer to parts of a program are in ingot.node.
KINDS: dict[str, Kind] = {
    "boolean": Kind(expect(bool, "a bool"), number_text),
    "integer": Kind(integer, str),
    "integers": Kind(many(integer, "a sequence of integers"), lambda values: list_text(values, str)),
    "real": Kind(real, number_text),
    "reals": Kind(many(real, "a sequence of numbers"), lambda values: list_text(values, number_text)),
    "text": Kind(expect(str, "a string"), quoted),
    "scalar": Kind(scalar, number_text),
    "dim": Kind(_dim, str),
    "dims": Kind(many(_dim, "a sequence of sizes"), lambda values: list_text(values, str)),
    "type": Kind(_TYPE, str),
    "types": Kind(many(_TYPE, "a sequence of TensorTypes"), lambda values: list_text(values, str)),
    "scheme": Kind(expect(QuantScheme, "a QuantScheme"), str),
    "attributes": Kind(_named, _named_text),
}


def enum_kind(choice: type[enum.Enum]) -> Kind:
    return Kind(expect(choice, f"a {choice.__name__}"), enum_text)


def enum_list_kind(choice: type[enum.Enum]) -> Kind:
    one = enum_kind(choice)
    return Kind(many(one.take, f"a sequence of {choice.__name__}"), lambda values: list_text(values, one.write))
