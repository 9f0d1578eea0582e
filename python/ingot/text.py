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
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ingot import weights
from ingot.dims import Shape, Symbol
from ingot.dtypes import result_dtypes
from ingot.node import Node, check_operand, checked
from ingot.numeric import Scalar, element, integer
from ingot.ops import Builder, DType, Op
from ingot.tensor_type import QuantScheme, TensorType, check_name, name_text, quoted
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
        if not _SYMBOL.fullmatch(check_name("symbol", name)):
            raise ValueError(f"the symbol is {name!r}, expected letters, digits and underscores")
        if name in self._symbols:
            raise ValueError(f"the symbol {name} is declared twice")
        try:
            bounds = integer(min), None if max is None else integer(max)
        except (TypeError, ValueError) as error:
            raise error.__class__(f"the symbol {name} lies in {min}..{max}, expected {error}") from None
        if min < 0 or (max is not None and max < min):
            raise ValueError(f"the symbol {name} lies in {min}..{max}, expected 0 <= min <= max")
        self._symbols[name] = Symbol(name, *bounds)
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
        with _naming(f"weight {name}"):
            type, text = weights.contents(data, type)
        return self._declare(self._weights, "weight", Weight(self, name, type, text))

    def weight_by_hash(self, name: str, type: TensorType, hash: str) -> Weight:
        """A weight whose bytes are in one of the files of ``weights_from``."""
        with _naming(f"weight {name}"):
            return self._reference(name, type, f'ref "{weights.check_hash(hash)}"')

    def weight_in_file(self, name: str, type: TensorType, file: str, tensor: str, hash: str | None = None) -> Weight:
        """A weight that stays in a safetensors file beside the program."""
        text = f"file {quoted(check_name('file', file))} tensor {quoted(check_name('tensor', tensor))}"
        with _naming(f"weight {name}"):
            return self._reference(name, type, text if hash is None else f'{text} hash "{weights.check_hash(hash)}"')

    def declare_weight(self, name: str, type: TensorType) -> Weight:
        """A weight without contents: the host fills it before the first call that reads it (``ingot run --params``)."""
        with _naming(f"weight {name}"):
            return self._reference(name, type, None)

    def zero_weight(self, name: str, type: TensorType) -> Weight:
        """A weight that begins as zeros, which are not stored."""
        with _naming(f"weight {name}"):
            return self._reference(name, type, "zeros")

    def weights_from(self, file: str) -> None:
        """Names a file where weights are looked up by hash."""
        self._weight_files.append(check_name("file", file))

    def state(
        self,
        name: str,
        dtype: DType,
        shape: Shape,
        scheme: QuantScheme | None = None,
        *,
        initial: Weight | None = None,
    ) -> State:
        """Declares a state: zeros at first, or the contents of a weight."""
        with _naming(f"state {name}"):
            type = TensorType(dtype, shape, scheme)
            weights.literal_sizes(type)
            if initial is not None and not isinstance(initial, Weight):
                raise TypeError(f"initial is {initial!r}, expected a Weight")
            if initial is not None and initial.program is not self:
                raise ValueError(f"the weight {initial} belongs to another program")
            if initial is not None and initial.type != type:
                raise ValueError(f"the weight {initial} is {initial.type}, expected {type}")
            if initial is not None and not initial.has_contents:
                raise ValueError(f"the weight {initial} has no contents, expected zeros or a weight with contents")
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

    def _reference(self, name: str, type: TensorType, text: str | None) -> Weight:
        if not isinstance(type, TensorType):
            raise TypeError(f"the type is {type!r}, expected a TensorType")
        weights.literal_sizes(type)
        return self._declare(self._weights, "weight", Weight(self, name, type, text))

    def _declare(self, table: dict[str, _Named], what: str, item: _Named) -> _Named:
        if check_name(what, item.name) in table:
            raise ValueError(f"the {what} {item.name} is declared twice")
        table[item.name] = item
        return item

    def check_symbols(self, symbols: Iterable[Symbol]) -> None:
        """Raises ValueError when one is not declared here."""
        for symbol in symbols:
            if self._symbols.get(symbol.name) is not symbol:
                raise ValueError(f"symbols of this program, and {symbol} is not")


class Graph(Builder):
    """One dataflow graph. Every op of ingot.ops is a method, which appends a node and returns its results."""

    def __init__(self, program: Program, name: str, exported: bool, number: int):
        self.program = program
        self.name = name
        self.exported = exported
        self.number = number
        self._inputs: list[tuple[Var, TensorType]] = []
        self._outputs: dict[str, Operand] = {}
        self._nodes: list[Node] = []
        self._names: set[str] = set()
        self._count = 0
        self._location: dict[str, str] = {}
        self._fixed = False

    def input(self, name: str, dtype: DType, shape: Shape, scheme: QuantScheme | None = None) -> Var:
        """Adds an input."""
        self._check_open(f"the input {name}")
        type = self.program.tensor_type(dtype, shape, scheme)
        self._claim("input", name)
        var = self._value(name, dtype)
        self._inputs.append((var, type))
        return var

    def output(self, name: str, value: Operand) -> None:
        """Adds an output."""
        self._check_open(f"the output {name}")
        if check_name("output", name) in self._outputs:
            raise ValueError(f"graph {self.name} has two outputs {name}")
        try:
            check_operand(self, value)
        except (TypeError, ValueError) as error:
            raise error.__class__(f"the output {name} is {value!r}, expected {error}") from None
        self._outputs[name] = value

    def scalar(self, value: Scalar, dtype: DType) -> Var:
        """A constant of rank 0."""
        try:
            number = element(dtype)(value)
        except (TypeError, ValueError) as error:
            raise error.__class__(f"[full] value is {value!r}, expected {error} (dtype {dtype.name})") from None
        return self.full([], number, dtype=dtype)

    @contextlib.contextmanager
    def at(self, *, name: str | None = None, op: str | None = None, file: str | None = None) -> Iterator[None]:
        """Nodes appended inside carry this name and provenance; what is not given stays as it is outside."""
        outer, given = self._location, {"name": name, "op": op, "file": file}
        self._location = outer | {key: check_name(key, text) for key, text in given.items() if text is not None}
        try:
            yield
        finally:
            self._location = outer

    def append(self, op: Op) -> list[Var]:
        """Appends a node: what the methods of Builder call."""
        op = checked(self, op)
        for name, kind in op.kinds.items():
            if kind == "graph":
                getattr(op, name)._fixed = True
        results = [self._value(None, dtype) for dtype in result_dtypes(op)]
        self._nodes.append(Node(op, results, self._location))
        return results

    @property
    def output_dtypes(self) -> list[DType | None]:
        """The dtypes of the outputs, None where only inference knows one."""
        return [value.dtype for value in self._outputs.values()]

    @property
    def nodes(self) -> list[Node]:
        """The nodes, in order."""
        return list(self._nodes)

    def rename(self, var: Var, name: str) -> None:
        """Gives a value of this graph another name."""
        self._claim("value", name)
        self._names.discard(var.name)
        var.name = name

    def __str__(self) -> str:
        return f"@{name_text(self.name)}"

    def __repr__(self) -> str:
        return f"Graph({self})"

    def text(self) -> str:
        """The graph in the text form."""
        inputs = ", ".join(f"{var}: {type}" for var, type in self._inputs)
        outputs = ", ".join(map(name_text, self._outputs))
        lines = [f"{'method' if self.exported else 'graph'} {name_text(self.name)}({inputs}) -> ({outputs}) {{"]
        lines += [f"  {node.text()}" for node in self._nodes]
        lines += [f"  return {', '.join(map(str, self._outputs.values()))}".rstrip(), "}"]
        return "\n".join(lines)

    def _value(self, name: str | None, dtype: DType | None) -> Var:
        self._count += 1
        return Var(self, self._count - 1, name, dtype)

    def _claim(self, what: str, name: str) -> None:
        if check_name(what, name) in self._names:
            raise ValueError(f"graph {self.name}: the name {name!r} is taken")
        self._names.add(name)

    def _check_open(self, what: str) -> None:
        if self._fixed:
            raise ValueError(f"{what} comes too late: graph {self.name} is called already, so its signature is fixed")


@contextlib.contextmanager
def _naming(subject: str) -> Iterator[None]:
    """Errors from inside begin with the subject."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise error.__class__(f"{subject}: {error}") from None
