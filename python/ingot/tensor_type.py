"""Tensor types and quantisation schemes, and how the text form spells names and strings."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from ingot.dims import Dim, Shape, Symbol, as_dim
from ingot.ops import DType, QuantMethod

_BARE = re.compile(r"(?!.*//)[A-Za-z0-9_.$/-]+")  # two slashes begin a comment
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def quoted(text: str) -> str:
    """A string literal of the text form."""

    def escaped(character: str) -> str:
        if character in _ESCAPES:
            return _ESCAPES[character]
        return character if character.isprintable() else "".join(f"\\x{byte:02x}" for byte in character.encode())

    return f'"{"".join(map(escaped, text))}"'


def name_text(name: str) -> str:
    """A name as it stands after % or @."""
    return name if _BARE.fullmatch(name) else quoted(name)


def enum_text(value: enum.Enum) -> str:
    """An enum value by its bare name; only Python's keywords have the underscore."""
    return value.name.removesuffix("_")


@dataclass(frozen=True)
class QuantScheme:
    """How a packed tensor stores the rows of its last axis: docs/semantics.md."""

    method: QuantMethod
    bits: int = 4
    group: int = 64
    scale: DType = DType.f16

    def __str__(self) -> str:
        method, scale = enum_text(self.method), enum_text(self.scale)
        return f"packed<{method}, bits={self.bits}, group={self.group}, scale={scale}>"


@dataclass(frozen=True)
class TensorType:
    """Dtype and shape. A packed type has a scheme, every other none."""

    dtype: DType
    shape: Shape = ()
    scheme: QuantScheme | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.dtype, DType):
            raise TypeError(f"the dtype of a tensor is {self.dtype!r}, expected a DType")
        if (self.dtype is DType.packed) != (self.scheme is not None):
            raise ValueError(f"dtype {self.dtype.name} with scheme {self.scheme}: packed has a scheme, others have none")
        object.__setattr__(self, "shape", tuple(self.shape))
        self.dims()

    def dims(self) -> list[Dim]:
        """Its sizes as expressions."""
        return [as_dim(size) for size in self.shape]

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols of its sizes."""
        return frozenset().union(*(dim.symbols for dim in self.dims()))

    def __str__(self) -> str:
        head = str(self.scheme) if self.scheme else enum_text(self.dtype)
        return f"{head}[{', '.join(map(str, self.dims()))}]"
