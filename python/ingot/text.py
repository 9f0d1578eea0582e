"""Programs written in Python: builders that produce the text form, with no native code.

    p = Program()
    s = p.symbol("S", 1, 512)
    w = p.weight("w", [[1.0, 2.0], [3.0, 4.0]], DType.f32)
    f = p.method("forward")
    x = f.input("x", DType.f32, [s, 2])
    f.output("y", f.rms_norm(x @ w, eps=1e-6))
    print(p.text())

Mistakes that Python can see are raised at the call. Types are inferred by whoever reads the text: ``ingot verify``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ingot import weights
from ingot.attributes import KINDS, Kind, Scalar, enum_kind, expect, list_text, many
from ingot.dims import Dim, Shape, Symbol
from ingot.ops import Builder, DType, Op
from ingot.tensor_type import QuantScheme, TensorType, enum_text, name_text, quoted
from ingot.var import Operand, State, Var, Weight

FORMAT_VERSION = 1

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_Named = TypeVar("_Named", Weight, State, "Graph")


class Program:
    """Symbols, weights, states and graphs. ``text()`` writes them."""

    def __init__(self) -> None:
        self._symbols: dict[str, Symbol] = {}
        self._weights: dict[str, Weight] = {}
        self._states: dict[str, State] = {}
        self._graphs: dict[str, Graph] = {}
        self._weight_files: list[str] = []

    def symbol(self, name: str, min: int = 0, max: int | None = None) -> Symbol:
        """Declares a size that is known when a method is called; bounds are inclusive."""
        if not _SYMBOL.fullmatch(name):
            raise ValueError(f"the symbol is {name!r}, expected letters, digits and underscores")
        if name in self._symbols:
            raise ValueError(f"the symbol {name} is declared twice")
        if min < 0 or (max is not None and max < min):
            raise ValueError(f"the symbol {name} lies in {min}..{max}, expected 0 <= min <= max")
        self._symbols[name] = Symbol(name, min, max)
        return self._symbols[name]

    def tensor_type(self, dtype: DType, shape: Shape = (), scheme: QuantScheme | None = None) -> TensorType:
        """A type whose symbols are this program's."""
        type = TensorType(dtype, shape, scheme)
        self.check_symbols(type.symbols)
        return type

    def weight(self, name: str, data: Any, type: DType | TensorType | None = None) -> Weight:
        """A weight from nested lists, or from anything with the buffer protocol: a NumPy array, an ``array``, bytes.

        Lists need a dtype. Bytes with a TensorType are its raw contents: codes of a packed tensor, bf16.
        """
        try:
            type, text = weights.contents(data, type)
        except (TypeError, ValueError) as error:
            raise error.__class__(f"weight {name}: {error}") from None
        return self._declare(self._weights, "weight", Weight(self, name, type, text))

    def weight_by_hash(self, name: str, type: TensorType, hash: str) -> Weight:
        """A weight whose bytes are in one of the files of ``weights_from``."""
        return self._reference(name, type, f'ref "{weights.check_hash(hash)}"')

    def weight_in_file(self, name: str, type: TensorType, file: str, tensor: str, hash: str | None = None) -> Weight:
        """A weight that stays in a safetensors file beside the program."""
        text = f"file {quoted(file)} tensor {quoted(tensor)}"
        return self._reference(name, type, text if hash is None else f'{text} hash "{weights.check_hash(hash)}"')

    def weights_from(self, file: str) -> None:
        """Names a file where weights are looked up by hash."""
        self._weight_files.append(file)

    def state(self, name: str, dtype: DType, shape: Shape, initial: Weight | None = None) -> State:
        """Declares a state: zeros at first, or the contents of a weight."""
        type = TensorType(dtype, shape)
        weights.literal_sizes(type)
        if initial is not None and initial.program is not self:
            raise ValueError(f"state {name}: the weight {initial} belongs to another program")
        return self._declare(self._states, "state", State(self, name, type, initial))

    def graph(self, name: str) -> Graph:
        """A graph for control flow and calls. A graph calls only graphs made before it."""
        return self._declare(self._graphs, "graph", Graph(self, name, False, len(self._graphs)))

    def method(self, name: str) -> Graph:
        """A graph that can be called from outside."""
        return self._declare(self._graphs, "graph", Graph(self, name, True, len(self._graphs)))

    def text(self) -> str:
        """The whole program in the text form."""
        lines = [f"ingot {FORMAT_VERSION}"]
        lines += [symbol.declaration() for symbol in self._symbols.values()]
        lines += [f"weights_from {quoted(file)}" for file in self._weight_files]
        lines += [weight.declaration() for weight in self._weights.values()]
        lines += [state.declaration() for state in self._states.values()]
        lines += ["\n" + graph.text() for graph in self._graphs.values()]
        return "\n".join(lines) + "\n"

    def _reference(self, name: str, type: TensorType, text: str) -> Weight:
        weights.literal_sizes(type)
        return self._declare(self._weights, "weight", Weight(self, name, type, text))

    def _declare(self, table: dict[str, _Named], what: str, item: _Named) -> _Named:
        if item.name in table:
            raise ValueError(f"the {what} {item.name} is declared twice")
        table[item.name] = item
        return item

    def check_symbols(self, symbols: Iterable[Symbol]) -> None:
        """Raises ValueError when one is not declared here."""
        for symbol in symbols:
            if self._symbols.get(symbol.name) is not symbol:
                raise ValueError(f"symbols of this program, and {symbol} is not")


@dataclasses.dataclass
class _Node:
    op: Op
    mnemonic: str
    attributes: str
    results: list[Var]
    location: str


class Graph(Builder):
    """One dataflow graph. Every op of ingot.ops is a method, which appends a node and returns its results."""

    def __init__(self, program: Program, name: str, exported: bool, number: int):
        self.program = program
        self.name = name
        self.exported = exported
        self.number = number
        self._inputs: list[tuple[Var, TensorType]] = []
        self._outputs: dict[str, Operand] = {}
        self._nodes: list[_Node] = []
        self._names: set[str] = set()
        self._location = ""
        self._fixed = False

    def input(self, name: str, dtype: DType, shape: Shape, scheme: QuantScheme | None = None) -> Var:
        """Adds an input."""
        self._check_open(f"the input {name}")
        type = self.program.tensor_type(dtype, shape, scheme)
        var = Var(self, self._claim(name), dtype)
        self._inputs.append((var, type))
        return var

    def output(self, name: str, value: Operand) -> None:
        """Adds an output."""
        self._check_open(f"the output {name}")
        if name in self._outputs:
            raise ValueError(f"graph {self.name} has two outputs {name}")
        try:
            _check_home(self, _VALUE(value))
        except (TypeError, ValueError) as error:
            raise error.__class__(f"the output {name} is {value!r}, expected {error}") from None
        self._outputs[name] = value

    def scalar(self, value: Scalar, dtype: DType) -> Var:
        """A constant of rank 0."""
        var = self.full([], value, dtype=dtype)
        var.dtype = dtype
        return var

    @contextlib.contextmanager
    def at(self, *, name: str = "", op: str = "", file: str = "") -> Iterator[None]:
        """Nodes appended inside carry this name and provenance."""
        outer = self._location
        parts = [f"{key}={quoted(text)}" for key, text in (("name", name), ("op", op), ("file", file)) if text]
        self._location = f" loc({', '.join(parts)})" if parts else ""
        try:
            yield
        finally:
            self._location = outer

    def append(self, op: Op) -> list[Var]:
        """Appends a node: what the methods of Builder call."""
        mnemonic = _mnemonic(op)
        op = dataclasses.replace(op, **_checked(self, mnemonic, op))
        for name, kind in op.kinds.items():
            if kind == "graph":
                getattr(op, name)._fixed = True
        results = [Var(self, self._claim(None)) for _ in range(_result_count(op))]
        self._nodes.append(_Node(op, mnemonic, _attributes_text(op), results, self._location))
        return results

    @property
    def output_count(self) -> int:
        return len(self._outputs)

    @property
    def ops(self) -> list[Op]:
        """The ops, in order."""
        return [node.op for node in self._nodes]

    def rename(self, var: Var, name: str) -> None:
        """Gives a value of this graph another name."""
        self._claim(name)
        self._names.discard(var.name)
        var.name = name

    def __str__(self) -> str:
        return f"@{name_text(self.name)}"

    def text(self) -> str:
        """The graph in the text form."""
        inputs = ", ".join(f"{var}: {type}" for var, type in self._inputs)
        outputs = ", ".join(map(name_text, self._outputs))
        lines = [f"{'method' if self.exported else 'graph'} {name_text(self.name)}({inputs}) -> ({outputs}) {{"]
        lines += [f"  {_node_text(node)}" for node in self._nodes]
        lines += [f"  return {', '.join(map(str, self._outputs.values()))}".rstrip(), "}"]
        return "\n".join(lines)

    def _claim(self, name: str | None) -> str:
        """Takes a name; none: the next number that is free."""
        if name is None:
            number = len(self._names)
            while str(number) in self._names:
                number += 1
            name = str(number)
        if name == "" or name in self._names:
            raise ValueError(f"graph {self.name}: the name {name!r} is {'taken' if name else 'empty'}")
        self._names.add(name)
        return name

    def _check_open(self, what: str) -> None:
        if self._fixed:
            raise ValueError(f"{what} comes too late: graph {self.name} is called already, so its signature is fixed")


def _mnemonic(op: Op) -> str:
    return op.mnemonic.format(fn=enum_text(op.fn)) if "{fn}" in op.mnemonic else op.mnemonic


_VALUE = expect((Var, Weight), "a Var or a Weight")
_KINDS = KINDS | {
    "value": Kind(_VALUE, str),
    "values": Kind(many(_VALUE, "a sequence of Vars and Weights"), lambda values: list_text(values, str)),
    "graph": Kind(expect(Graph, "a Graph"), str),
    "state": Kind(expect(State, "a State"), str),
    "symbol": Kind(expect(Symbol, "a Symbol"), str),
}


def _kind(kind: str | type[enum.Enum]) -> Kind:
    return _KINDS[kind] if isinstance(kind, str) else enum_kind(kind)


def _defaults(op: Op) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(op)}


def _checked(graph: Graph, mnemonic: str, op: Op) -> dict[str, Any]:
    """The fields of the op as they are kept. Raises TypeError or ValueError: `[op] field is …, expected …`."""
    defaults, values = _defaults(op), {}
    for name, kind in op.kinds.items():
        value = getattr(op, name)
        if value is None and defaults[name] is None:
            continue
        try:
            values[name] = _kind(kind).take(value)
            _check_home(graph, values[name])
        except (TypeError, ValueError) as error:
            raise error.__class__(f"[{mnemonic}] {name} is {value!r}, expected {error}") from None
    return values


def _check_home(graph: Graph, value: Any) -> None:
    """Values are of the graph that uses them, everything else of its program; a graph that is called comes before."""
    if isinstance(value, tuple):
        for item in value:
            _check_home(graph, item)
    elif isinstance(value, Var) and value.graph is not graph:
        raise ValueError(f"a value of graph {graph.name}, not of graph {value.graph.name}")
    elif isinstance(value, (Weight, State, Graph)) and value.program is not graph.program:
        raise ValueError("something of the same program")
    elif isinstance(value, Graph) and value.number >= graph.number:
        raise ValueError(f"a graph that was made before graph {graph.name}")
    elif isinstance(value, (Dim, TensorType)):
        graph.program.check_symbols(value.symbols)


def _result_count(op: Op) -> int:
    """Most ops have one result; control flow those of its body, a custom op those that it declares."""
    if not op.several:
        return 1
    graphs = [getattr(op, name) for name, kind in op.kinds.items() if kind == "graph"]
    types = [getattr(op, name) for name, kind in op.kinds.items() if kind == "types"]
    return graphs[-1].output_count if graphs else len(types[0])


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


def _node_text(node: _Node) -> str:
    results = ", ".join(map(str, node.results))
    head = [f"{results} = {node.mnemonic}" if results else node.mnemonic]
    parts = head + [part for part in (_operands_text(node.op), node.attributes) if part]
    types = [str(var.declared) for var in node.results if var.declared]
    if types and len(types) == len(node.results):
        parts.append(f": {', '.join(types)}")
    return " ".join(parts) + node.location
