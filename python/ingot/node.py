"""One op of a graph: its fields checked, its line in the text form."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any

from ingot.attributes import KINDS, Kind, enum_kind, enum_list_kind, expect, list_text, many
from ingot.dims import Dim, Symbol
from ingot.ops import Builder, Op
from ingot.tensor_type import TensorType, enum_text, quoted
from ingot.var import State, Var, Weight

if TYPE_CHECKING:
    from ingot.text import Graph

_VALUE = expect((Var, Weight), "a Var or a Weight")
_KINDS = KINDS | {
    "value": Kind(_VALUE, str),
    "values": Kind(many(_VALUE, "a sequence of Vars and Weights"), lambda values: list_text(values, str)),
    "graph": Kind(expect(Builder, "a Graph"), str),
    "state": Kind(expect(State, "a State"), str),
    "symbol": Kind(expect(Symbol, "a Symbol"), str),
}


@dataclasses.dataclass
class Node:
    """An op, its results, and where it comes from (name, op and file, as far as they are known)."""

    op: Op
    results: list[Var]
    location: dict[str, str]

    def text(self) -> str:
        """Its line, without indent."""
        results = ", ".join(map(str, self.results))
        parts = [f"{results} = {mnemonic(self.op)}" if results else mnemonic(self.op)]
        parts += [part for part in (_operands_text(self.op), _attributes_text(self.op)) if part]
        types = [str(var.declared) for var in self.results if var.declared]
        if types and len(types) == len(self.results):
            parts.append(f": {', '.join(types)}")
        if self.location:
            parts.append(f"loc({', '.join(f'{key}={quoted(text)}' for key, text in self.location.items())})")
        return " ".join(parts)


def mnemonic(op: Op) -> str:
    fn = getattr(op, "fn", None)
    return op.mnemonic if fn is None else op.mnemonic.format(fn=enum_text(fn))


def checked(graph: Graph, op: Op) -> Op:
    """The op with its fields as they are kept. Raises TypeError or ValueError: `[op] field is …, expected …`."""
    defaults, values = _defaults(op), {}
    for name, kind in op.kinds.items():
        value = getattr(op, name)
        if value is None and defaults[name] is None:
            continue
        try:
            values[name] = _kind(kind).take(value)
            _check_home(graph, values[name])
        except (TypeError, ValueError) as error:
            raise error.__class__(f"[{mnemonic(op)}] {name} is {value!r}, expected {error}") from None
    return dataclasses.replace(op, **values)


def check_operand(graph: Graph, value: Any) -> None:
    """Raises TypeError or ValueError unless a node of the graph may use the value."""
    _check_home(graph, _VALUE(value))


def _check_home(graph: Graph, value: Any) -> None:
    """Values are of the graph that uses them, everything else of its program; a graph that is called comes before."""
    if isinstance(value, tuple):
        for item in value:
            _check_home(graph, item)
    elif isinstance(value, Var) and value.graph is not graph:
        raise ValueError(f"a value of graph {graph.name}, not of graph {value.graph.name}")
    elif isinstance(value, (Weight, State, Builder)) and value.program is not graph.program:
        raise ValueError("something of the same program")
    elif isinstance(value, Builder) and value.number >= graph.number:
        raise ValueError(f"a graph that was made before graph {graph.name}")
    elif isinstance(value, (Dim, TensorType)):
        graph.program.check_symbols(value.symbols)


def _kind(kind: str | type[enum.Enum] | list[type[enum.Enum]]) -> Kind:
    if isinstance(kind, str):
        return _KINDS[kind]
    return enum_list_kind(kind[0]) if isinstance(kind, list) else enum_kind(kind)


def _defaults(op: Op) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(op)}


def _operands_text(op: Op) -> str:
    """Operands in order. An absent one is `_`, or nothing at the end."""
    operands = [(getattr(op, name), _kind(kind)) for name, kind in op.kinds.items() if kind in ("value", "values")]
    while operands and operands[-1][0] is None:
        operands.pop()
    return ", ".join("_" if value is None else kind.write(value) for value, kind in operands)


def _attributes_text(op: Op) -> str:
    """Attributes in braces, those at their default left out."""
    defaults, written = _defaults(op), []
    for name, kind in op.kinds.items():
        value, default = getattr(op, name), defaults[name]
        if kind in ("value", "values") or value is None:
            continue
        text = _kind(kind).write(value)
        # Texts are compared, not numbers: -0.0 equals 0.0 and NaN nothing.
        if default is dataclasses.MISSING or default is None or text != _kind(kind).write(default):
            written.append(f"{name.removesuffix('_')}={text}")
    return f"{{{', '.join(written)}}}" if written else ""
