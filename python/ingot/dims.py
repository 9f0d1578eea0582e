"""Sizes: literals, and integer expressions over symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from ingot.numeric import integer

# How tightly an expression binds, for parentheses.
_SUM, _QUOTIENT, _PRODUCT, _ATOM = range(4)


class Dim:
    """A size that may depend on symbols: ``2 * S + 1``, ``S // 4``, ``S % 4``.

    ``ceil_div``, ``minimum`` and ``maximum`` are functions. Nothing is simplified here, the reader of the text does it.
    ``==`` compares identity, so that a Symbol can be a key.
    """

    def __init__(self, text: str, symbols: frozenset[Symbol], binding: int = _ATOM):
        self._text = text
        self._symbols = symbols
        self._binding = binding

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols that occur in it."""
        return self._symbols

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Dim({self._text})"

    def __bool__(self) -> bool:
        raise TypeError(f"the size {self} has no truth value: it is not known while the program is being written")

    def __add__(self, other: Size) -> Dim:
        return _infix(self, " + ", other, _SUM, _SUM, _SUM)

    def __radd__(self, other: Size) -> Dim:
        return _infix(other, " + ", self, _SUM, _SUM, _SUM)

    def __sub__(self, other: Size) -> Dim:
        return _infix(self, " - ", other, _SUM, _QUOTIENT, _SUM)

    def __rsub__(self, other: Size) -> Dim:
        return _infix(other, " - ", self, _SUM, _QUOTIENT, _SUM)

    def __mul__(self, other: Size) -> Dim:
        return _infix(self, "*", other, _PRODUCT, _ATOM, _PRODUCT)

    def __rmul__(self, other: Size) -> Dim:
        return _infix(other, "*", self, _PRODUCT, _ATOM, _PRODUCT)

    def __floordiv__(self, other: Size) -> Dim:
        return _infix(self, " / ", other, _PRODUCT, _ATOM, _QUOTIENT)

    def __rfloordiv__(self, other: Size) -> Dim:
        return _infix(other, " / ", self, _PRODUCT, _ATOM, _QUOTIENT)

    def __mod__(self, other: Size) -> Dim:
        return _infix(self, " % ", other, _PRODUCT, _ATOM, _QUOTIENT)

    def __rmod__(self, other: Size) -> Dim:
        return _infix(other, " % ", self, _PRODUCT, _ATOM, _QUOTIENT)

    def __neg__(self) -> Dim:
        return 0 - self


class Symbol(Dim):
    """A named size, declared by ``Program.symbol``. Its bounds are inclusive; ``max=None`` leaves the end open."""

    def __init__(self, name: str, min: int, max: int | None):
        super().__init__(name, frozenset((self,)))
        self.name = name
        self.min = min
        self.max = max

    def __repr__(self) -> str:
        return f"Symbol({self.name})"

    def declaration(self) -> str:
        """Its line in the text form."""
        if self.max is None and self.min == 0:
            return f"symbol {self.name}"
        return f"symbol {self.name} in {self.min}..{'' if self.max is None else self.max}"


Size = Union[int, Dim]
Shape = Sequence[Size]


def ceil_div(a: Size, b: Size) -> Dim:
    """``a / b`` rounded up."""
    return _function("ceil", a, b)


def minimum(a: Size, b: Size) -> Dim:
    """The smaller of two sizes."""
    return _function("min", a, b)


def maximum(a: Size, b: Size) -> Dim:
    """The larger of two sizes."""
    return _function("max", a, b)


def as_dim(size: Size) -> Dim:
    """A size as an expression. Raises TypeError for anything but an integer or a Dim."""
    if isinstance(size, Dim):
        return size
    literal = _literal(size)
    return Dim(str(literal), frozenset(), _ATOM if literal >= 0 else _SUM)


def as_shape(sizes: Any) -> tuple[Size, ...]:
    """Sizes of a tensor: ints that are not negative, and expressions."""
    if isinstance(sizes, (str, bytes)) or not isinstance(sizes, Sequence):
        raise TypeError(f"the shape is {sizes!r}, expected a sequence of sizes")
    shape = tuple(size if isinstance(size, Dim) else _literal(size) for size in sizes)
    for size in shape:
        if isinstance(size, int) and size < 0:
            raise ValueError(f"a size is {size}, expected at least 0")
    return shape


def _literal(size: Any) -> int:
    try:
        return integer(size)
    except (TypeError, ValueError) as error:
        raise error.__class__(f"a size is {size!r}, expected {error} or an expression over symbols") from None


def _infix(a: Size, sign: str, b: Size, left: int, right: int, binding: int) -> Dim:
    """`a sign b`: an operand that binds less tightly than its side demands goes into parentheses."""
    a, b = as_dim(a), as_dim(b)
    text = f"{_enclosed(a, left)}{sign}{_enclosed(b, right)}"
    return Dim(text, a.symbols | b.symbols, binding)


def _enclosed(dim: Dim, binding: int) -> str:
    return str(dim) if dim._binding >= binding else f"({dim})"


def _function(name: str, a: Size, b: Size) -> Dim:
    a, b = as_dim(a), as_dim(b)
    return Dim(f"{name}({a}, {b})", a.symbols | b.symbols)
