"""The contents of weights: nested lists, or anything with the buffer protocol, NumPy arrays among them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from typing import Any

from ingot.attributes import list_text
from ingot.numeric import bits, element, number_text
from ingot.ops import DType, QuantMethod
from ingot.tensor_type import TensorType, block_bytes

# Larger buffers are written as bytes.
_MAX_NUMBERS = 64

# Format characters of the struct module; Z is NumPy's mark of a complex number.
_FORMATS = {"?": "bool", "e": "f", "f": "f", "d": "f", "Zf": "c"}
_FORMATS |= dict.fromkeys("bhilqn", "i") | dict.fromkeys("BHILQN", "u")
_HASH = re.compile(r"[0-9a-f]{32}")


def contents(data: Any, wanted: DType | TensorType | None) -> tuple[TensorType, str]:
    """Type and text of a weight. `wanted` is needed unless the data says its own dtype."""
    if not isinstance(wanted, (DType, TensorType, type(None))):
        raise TypeError(f"the type is {wanted!r}, expected a DType or a TensorType")
    try:
        view = memoryview(data)
    except TypeError:
        return _from_list(data, wanted)
    return _from_buffer(view, wanted)


def check_hash(digits: str) -> str:
    """Raises ValueError unless `digits` is a content hash."""
    if not isinstance(digits, str) or not _HASH.fullmatch(digits):
        raise ValueError(f"the hash is {digits!r}, expected 32 hexadecimal digits in lower case")
    return digits


def literal_sizes(type: TensorType) -> tuple[int, ...]:
    """Raises ValueError when a size is not a number: weights and states have fixed sizes."""
    for size in type.shape:
        if not isinstance(size, int):
            raise ValueError(f"the type is {type}, expected sizes that are numbers")
    return tuple(type.shape)


def byte_count(type: TensorType) -> int:
    """Bytes of the contents: docs/semantics.md has the layout of packed ones."""
    sizes, scheme = literal_sizes(type), type.scheme
    if scheme is None:
        return -(-math.prod(sizes) * bits(type.dtype) // 8)
    if not sizes:
        raise ValueError("a packed tensor has a last axis")
    block = block_bytes(scheme.method)
    if block is not None:
        if sizes[-1] % scheme.group:
            raise ValueError(f"the last axis of {type} is {sizes[-1]}, expected a multiple of {scheme.group}")
        return math.prod(sizes) // scheme.group * block
    codes = -(-sizes[-1] * scheme.bits // 8)
    per_group = bits(scheme.scale) // 8 * (2 if scheme.method is QuantMethod.affine else 1)
    return math.prod(sizes[:-1]) * (codes + -(-sizes[-1] // scheme.group) * per_group)


def _from_list(data: Any, wanted: DType | TensorType | None) -> tuple[TensorType, str]:
    if wanted is None:
        raise TypeError("a list does not say its dtype: give one")
    dtype = wanted if isinstance(wanted, DType) else wanted.dtype
    if dtype is DType.packed:
        raise ValueError("the contents of a packed tensor are bytes, not a list")
    items: list[Any] = []
    shape = _flatten(data, items)
    type = wanted if isinstance(wanted, TensorType) else TensorType(wanted, shape)
    if literal_sizes(type) != shape:
        raise ValueError(f"the data is of shape {list(shape)}, expected {list(type.shape)}")
    return type, list_text([_number(item, dtype) for item in items], number_text)


def _number(item: Any, dtype: DType) -> Any:
    try:
        return element(dtype)(item)
    except (TypeError, ValueError) as error:
        raise error.__class__(f"the data holds {item!r}, expected {error} ({dtype.name})") from None


def _flatten(data: Any, into: list[Any]) -> tuple[int, ...]:
    """Appends the items in row-major order; the shape, which every list of a level must share."""
    if isinstance(data, (str, bytes)) or not isinstance(data, Sequence):
        into.append(data)
        return ()
    shapes = {_flatten(row, into) for row in data}
    if len(shapes) > 1:
        raise ValueError(f"the data is ragged: rows of shapes {sorted(map(list, shapes))}")
    return (len(data), *(shapes.pop() if shapes else ()))


def _from_buffer(view: memoryview, wanted: DType | TensorType | None) -> tuple[TensorType, str]:
    if isinstance(wanted, TensorType) and view.format == "B" and wanted.dtype is not DType.u8:
        if view.nbytes != byte_count(wanted):
            raise ValueError(f"the data has {view.nbytes} bytes, expected {byte_count(wanted)} for {wanted}")
        return wanted, _hex(view)
    type = TensorType(_dtype(view), view.shape or ())
    if isinstance(wanted, DType) and wanted is not type.dtype:
        raise ValueError(f"the data is {type.dtype.name}, expected {wanted.name}")
    if isinstance(wanted, TensorType) and wanted != type:
        raise ValueError(f"the data is {type}, expected {wanted}")
    return type, _numbers(view) or _hex(view)


def _numbers(view: memoryview) -> str | None:
    """The contents as a list; none where that would be long, or lose the bits of a NaN."""
    if view.nbytes == 0 or view.nbytes // view.itemsize > _MAX_NUMBERS or view.format not in ("?", *"bhilqBHILQfd"):
        return None
    items: list[Any] = []
    _flatten(view.tolist(), items)
    return list_text(items, number_text) if all(item == item for item in items) else None


def _hex(view: memoryview) -> str:
    return f'hex"{view.tobytes().hex()}"'


def _dtype(view: memoryview) -> DType:
    order, code = re.fullmatch(r"([<>=@|!]?)(.+)", view.format).groups()
    kind = _FORMATS.get(code)
    if kind is None:
        raise ValueError(f"the data has the format {view.format!r}, which no dtype has: give bytes and a TensorType")
    if view.itemsize > 1 and (order in (">", "!") or (order != "<" and sys.byteorder == "big")):
        raise ValueError(f"the data has the format {view.format!r}, expected little-endian numbers")
    return DType.bool if kind == "bool" else DType[f"{kind}{8 * view.itemsize}"]
