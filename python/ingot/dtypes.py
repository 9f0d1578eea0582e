"""The dtypes of an op's results, where they follow without promotion; otherwise None.

So a number can stand beside most values: ``g.relu(x) * 0.5``.
"""

from __future__ import annotations

from ingot import ops
from ingot.ops import DType, Op, ReduceFn, UnaryFn

# Operands whose dtype is the result's when all have the same.
_FOLLOWS: dict[type, tuple[str, ...]] = {
    ops.Unary: ("x",),
    ops.Binary: ("a", "b"),
    ops.Select: ("a", "b"),
    ops.Reduce: ("x",),
    ops.Softmax: ("x",),
    ops.Matmul: ("a", "b"),
    ops.Reshape: ("x",),
    ops.Transpose: ("x",),
    ops.Broadcast: ("x",),
    ops.Slice: ("x",),
    ops.Concatenate: ("operands",),
    ops.Pad: ("x",),
    ops.EnsureShape: ("x",),
    ops.Take: ("x",),
    ops.Gather: ("x",),
    ops.Scatter: ("x",),
    ops.LayerNorm: ("x",),
    ops.RmsNorm: ("x",),
    ops.Attention: ("q", "k", "v"),
    ops.QuantizedMatmul: ("x",),
}

_FIXED = {ops.Compare: DType.bool, ops.Nonzero: DType.i64, ops.Quantize: DType.packed}


def result_dtypes(op: Op) -> list[DType | None]:
    """One for each result. Control flow has the results of its body, a custom op those that it declares."""
    if not op.several:
        return [_result(op)]
    graphs = [getattr(op, name) for name, kind in op.kinds.items() if kind == "graph"]
    types = [getattr(op, name) for name, kind in op.kinds.items() if kind == "types"]
    return graphs[-1].output_dtypes if graphs else [type.dtype for type in types[0]]


def _result(op: Op) -> DType | None:
    dtype, state = getattr(op, "dtype", None), getattr(op, "state", None)
    if dtype is not None:
        return dtype
    if state is not None:
        return state.type.dtype
    if type(op) in _FIXED:
        return _FIXED[type(op)]
    common = _common(op)
    if isinstance(op, ops.Unary):
        return _unary(op.fn, common)
    if isinstance(op, ops.Reduce) and common is DType.bool and op.fn in (ReduceFn.sum, ReduceFn.prod):
        return DType.i64
    return common


def _common(op: Op) -> DType | None:
    dtypes = set()
    for name in _FOLLOWS.get(type(op), ()):
        field = getattr(op, name)
        dtypes |= {operand.dtype for operand in (field if isinstance(field, tuple) else (field,))}
    return dtypes.pop() if len(dtypes) == 1 else None


def _unary(fn: UnaryFn, x: DType | None) -> DType | None:
    if fn in (UnaryFn.isnan, UnaryFn.isinf, UnaryFn.isfinite):
        return DType.bool
    return DType.f32 if fn is UnaryFn.abs and x is DType.c64 else x
