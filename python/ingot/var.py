"""What an op takes: values of a graph, weights and states of a program. Values have Python's operators."""

from __future__ import annotations

import numbers
import re
from typing import TYPE_CHECKING, Any, Union

from ingot.dims import Shape
from ingot.numeric import Scalar
from ingot.ops import DType
from ingot.tensor_type import QuantScheme, TensorType, name_text, quoted

if TYPE_CHECKING:
    from ingot.text import Graph, Program

# What the text form takes for a value without a name.
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


class Weight:
    """A weight of a program: an operand of any of its graphs."""

    def __init__(self, program: Program, name: str, type: TensorType, contents: str | None):
        self.program = program
        self.name = name
        self.type = type
        self._contents = contents

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def has_contents(self) -> bool:
        """Whether it begins with contents, zeros included; if not, the host fills it."""
        return self._contents is not None

    def __str__(self) -> str:
        return f"@{name_text(self.name)}"

    def __repr__(self) -> str:
        return f"Weight({self})"

    def declaration(self) -> str:
        """Its line in the text form."""
        head = f"weight {self} : {self.type}"
        return head if self._contents is None else f"{head} = {self._contents}"


class State:
    """A declared state of a program, read and written by ops."""

    def __init__(self, program: Program, name: str, type: TensorType, initial: Weight | None):
        self.program = program
        self.name = name
        self.type = type
        self.initial = initial

    def __str__(self) -> str:
        return f"@{name_text(self.name)}"

    def __repr__(self) -> str:
        return f"State({self})"

    def declaration(self) -> str:
        """Its line in the text form."""
        return f"state {self} : {self.type} = {self.initial or 'zeros'}"


class Var:
    """A value of a graph. Its dtype is None where only inference knows it; ``typed`` declares it.

    A number beside a Var in an expression takes the Var's dtype, which must be known. ``==`` compares identity, so that
    a Var can be a key; Graph.eq compares elements.
    """

    __array_ufunc__ = None  # NumPy's numbers leave operators to this class

    def __init__(self, graph: Graph, number: int, name: str | None, dtype: DType | None):
        self.graph = graph
        self.number = number  # what it is called without a name
        self.name = name
        self.dtype = dtype
        self.declared: TensorType | None = None

    def named(self, name: str) -> Var:
        """Gives the value this name."""
        self.graph.rename(self, name)
        return self

    def typed(self, dtype: DType, shape: Shape, scheme: QuantScheme | None = None) -> Var:
        """Declares the type, which the reader of the text compares with the one that it infers."""
        self.declared = self.graph.program.tensor_type(dtype, shape, scheme)
        self.dtype = dtype
        return self

    def __str__(self) -> str:
        if self.name is None:
            return f"%{self.number}"
        return f"%{quoted(self.name) if _NUMBER.fullmatch(self.name) else name_text(self.name)}"

    def __repr__(self) -> str:
        return f"Var({self})"

    def __bool__(self) -> bool:
        raise TypeError(f"{self} has no truth value while the program is being written: use Graph.if_ or Graph.select")

    def __add__(self, other: Term) -> Var:
        return self._apply("add", self, other)

    def __radd__(self, other: Term) -> Var:
        return self._apply("add", other, self)

    def __sub__(self, other: Term) -> Var:
        return self._apply("sub", self, other)

    def __rsub__(self, other: Term) -> Var:
        return self._apply("sub", other, self)

    def __mul__(self, other: Term) -> Var:
        return self._apply("mul", self, other)

    def __rmul__(self, other: Term) -> Var:
        return self._apply("mul", other, self)

    def __truediv__(self, other: Term) -> Var:
        return self._apply("div", self, other)

    def __rtruediv__(self, other: Term) -> Var:
        return self._apply("div", other, self)

    def __floordiv__(self, other: Term) -> Var:
        return self._apply("floor_div", self, other)

    def __rfloordiv__(self, other: Term) -> Var:
        return self._apply("floor_div", other, self)

    def __mod__(self, other: Term) -> Var:
        return self._apply("rem", self, other)

    def __rmod__(self, other: Term) -> Var:
        return self._apply("rem", other, self)

    def __pow__(self, other: Term) -> Var:
        return self._apply("pow", self, other)

    def __rpow__(self, other: Term) -> Var:
        return self._apply("pow", other, self)

    def __matmul__(self, other: Operand) -> Var:
        return self._apply("matmul", self, other)

    def __rmatmul__(self, other: Operand) -> Var:
        return self._apply("matmul", other, self)

    def __and__(self, other: Term) -> Var:
        return self._apply("bitwise_and", self, other)

    def __rand__(self, other: Term) -> Var:
        return self._apply("bitwise_and", other, self)

    def __or__(self, other: Term) -> Var:
        return self._apply("bitwise_or", self, other)

    def __ror__(self, other: Term) -> Var:
        return self._apply("bitwise_or", other, self)

    def __xor__(self, other: Term) -> Var:
        return self._apply("bitwise_xor", self, other)

    def __rxor__(self, other: Term) -> Var:
        return self._apply("bitwise_xor", other, self)

    def __lshift__(self, other: Term) -> Var:
        return self._apply("shift_left", self, other)

    def __rlshift__(self, other: Term) -> Var:
        return self._apply("shift_left", other, self)

    def __rshift__(self, other: Term) -> Var:
        return self._apply("shift_right", self, other)

    def __rrshift__(self, other: Term) -> Var:
        return self._apply("shift_right", other, self)

    def __lt__(self, other: Term) -> Var:
        return self._apply("lt", self, other)

    def __le__(self, other: Term) -> Var:
        return self._apply("le", self, other)

    def __gt__(self, other: Term) -> Var:
        return self._apply("gt", self, other)

    def __ge__(self, other: Term) -> Var:
        return self._apply("ge", self, other)

    def __neg__(self) -> Var:
        return self._apply("neg", self)

    def __abs__(self) -> Var:
        return self._apply("abs", self)

    def __invert__(self) -> Var:
        return self._apply("bitwise_not", self)

    def _apply(self, mnemonic: str, *terms: Any) -> Var:
        return getattr(self.graph, mnemonic)(*map(self._operand, terms))

    def _operand(self, term: Any) -> Any:
        """A number becomes a constant of this value's dtype; what is no operand is refused by the op."""
        if not isinstance(term, numbers.Number):
            return term
        if self.dtype is None:
            raise TypeError(
                f"the number {term} stands beside {self}, whose dtype is not known here: "
                "write Graph.scalar(number, dtype), or declare the type with Var.typed"
            )
        return self.graph.scalar(term, self.dtype)


Operand = Union[Var, Weight]
Term = Union[Var, Weight, Scalar]
