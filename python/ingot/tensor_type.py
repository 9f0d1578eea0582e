"""Tensor types and quantisation schemes, and how the text form spells names and strings."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Any

from ingot.dims import Shape, Symbol, as_dim, as_shape
from ingot.numeric import integer
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
    """A name as it stands in the text form: in quotes where it must be."""
    return name if _BARE.fullmatch(name) else quoted(name)


def check_name(what: str, name: Any) -> str:
    """The name; TypeError or ValueError unless it is a string with something in it."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a {what} is {name!r}, expected a string")
    if not name:
        raise ValueError(f"the name of a {what} is empty")
    return name


def enum_text(value: enum.Enum) -> str:
    """An enum value by its bare name; only Python's keywords have the underscore."""
    return value.name.removesuffix("_")


# Bits, group and scale where they are not given. The methods with floats of f8 as scales allow no others.
_SCHEME_DEFAULTS = {
    QuantMethod.affine: (4, 64, DType.f16),
    QuantMethod.symmetric: (4, 64, DType.f16),
    QuantMethod.mxfp4: (4, 32, DType.f8e8m0),
    QuantMethod.mxfp8: (8, 32, DType.f8e8m0),
    QuantMethod.nvfp4: (4, 16, DType.f8e4m3),
    QuantMethod.nf4: (4, 64, DType.f16),
    QuantMethod.fp8_e4m3: (8, 64, DType.f16),
    QuantMethod.fp8_e5m2: (8, 64, DType.f16),
}

# GGUF methods: bits, group and the bytes of a block of one group. They allow no others.
_BLOCKS = {
    QuantMethod.q4_0: (4, 32, 18),
    QuantMethod.q4_1: (4, 32, 20),
    QuantMethod.q5_0: (5, 32, 22),
    QuantMethod.q5_1: (5, 32, 24),
    QuantMethod.q8_0: (8, 32, 34),
    QuantMethod.q8_1: (8, 32, 36),
    QuantMethod.q2_k: (2, 256, 84),
    QuantMethod.q3_k: (3, 256, 110),
    QuantMethod.q4_k: (4, 256, 144),
    QuantMethod.q5_k: (5, 256, 176),
    QuantMethod.q6_k: (6, 256, 210),
    QuantMethod.q8_k: (8, 256, 292),
    QuantMethod.iq4_nl: (4, 32, 18),
    QuantMethod.iq4_xs: (4, 256, 136),
    QuantMethod.iq2_xxs: (2, 256, 66),
    QuantMethod.iq2_xs: (2, 256, 74),
    QuantMethod.iq2_s: (2, 256, 82),
    QuantMethod.iq3_xxs: (3, 256, 98),
    QuantMethod.iq3_s: (3, 256, 110),
    QuantMethod.iq1_s: (1, 256, 50),
    QuantMethod.iq1_m: (1, 256, 56),
    QuantMethod.tq1_0: (1, 256, 54),
    QuantMethod.tq2_0: (2, 256, 66),
}
_SCHEME_DEFAULTS |= {
    method: (bits, group, DType.f32 if method is QuantMethod.q8_k else DType.f16)
    for method, (bits, group, _) in _BLOCKS.items()
}


def block_bytes(method: QuantMethod) -> int | None:
    """Bytes of a block of a GGUF method; None for the others."""
    return _BLOCKS[method][2] if method in _BLOCKS else None


@dataclass(frozen=True)
class QuantScheme:
    """How a packed tensor stores the rows of its last axis: docs/semantics.md.

    What is not given is the method's own; for affine and symmetric 4 bits, groups of 64 and scales in f16.
    """

    method: QuantMethod
    bits: int | None = None
    group: int | None = None
    scale: DType | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method, QuantMethod):
            raise TypeError(f"the method of a scheme is {self.method!r}, expected a QuantMethod")
        for name, default in zip(("bits", "group", "scale"), _SCHEME_DEFAULTS[self.method]):
            value = default if getattr(self, name) is None else getattr(self, name)
            if name == "scale" and not isinstance(value, DType):
                raise TypeError(f"the scale of a scheme is {value!r}, expected a DType")
            try:
                object.__setattr__(self, name, value if name == "scale" else integer(value))
            except (TypeError, ValueError) as error:
                raise error.__class__(f"{name} of a scheme is {value!r}, expected {error}") from None

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
        if self.scheme is not None and not isinstance(self.scheme, QuantScheme):
            raise TypeError(f"the scheme of a tensor is {self.scheme!r}, expected a QuantScheme")
        if (self.dtype is DType.packed) != (self.scheme is not None):
            raise ValueError(
                f"dtype {self.dtype.name} with scheme {self.scheme}: packed has a scheme, others have none"
            )
        object.__setattr__(self, "shape", as_shape(self.shape))

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols of its sizes."""
        return frozenset().union(*(as_dim(size).symbols for size in self.shape))

    def __str__(self) -> str:
        head = str(self.scheme) if self.scheme else enum_text(self.dtype)
        return f"{head}[{', '.join(map(str, self.shape))}]"
