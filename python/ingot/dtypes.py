"""The dtypes of an op's results, where they follow without promotion; otherwise None.

So a number can stand beside most values: ``g.relu(x) * 0.5``. Every op is in one of the tables, unless a field says
what its results are: an attribute `dtype`, a state, a graph, or a list of types.
"""

from __future__ import annotations

from ingot import ops
from ingot.ops import CumulateFn, DType, Op, ReduceFn, UnaryFn

# Operands whose dtype is the result's when all have the same.
_FOLLOWS: dict[type, tuple[str, ...]] = {
    ops.Unary: ("x",),
    ops.Binary: ("a", "b"),
    ops.Select: ("a", "b"),
    ops.Activation: ("x",),
    ops.Clip: ("x", "low", "high"),
    ops.Glu: ("value", "gate"),
    ops.Reduce: ("x",),
    ops.Softmax: ("x",),
    ops.Cumulate: ("x",),
    ops.Median: ("x",),
    ops.Matmul: ("a", "b"),
    ops.DotGeneral: ("a", "b"),
    ops.Einsum: ("operands",),
    ops.GroupedMatmul: ("x", "w"),
    ops.LoraLinear: ("x", "w"),
    ops.Reshape: ("x",),
    ops.Transpose: ("x",),
    ops.Broadcast: ("x",),
    ops.Slice: ("x",),
    ops.Concatenate: ("operands",),
    ops.Pad: ("x",),
    ops.EnsureShape: ("x",),
    ops.Tile: ("x",),
    ops.Repeat: ("x",),
    ops.Flip: ("x",),
    ops.Roll: ("x",),
    ops.Triangle: ("x",),
    ops.Diagonal: ("x",),
    ops.AsStrided: ("x",),
    ops.Unfold: ("x",),
    ops.Fold: ("x",),
    ops.Take: ("x",),
    ops.Gather: ("x",),
    ops.Scatter: ("x",),
    ops.Item: ("x",),
    ops.DynamicSlice: ("x",),
    ops.DynamicUpdate: ("x",),
    ops.GatherNd: ("x",),
    ops.ScatterNd: ("x",),
    ops.IndexGet: ("x",),
    ops.IndexPut: ("x",),
    ops.MaskedScatter: ("x",),
    ops.Conv: ("x", "w", "bias"),
    ops.ConvTranspose: ("x", "w", "bias"),
    ops.DeformConv: ("x", "w", "bias"),
    ops.Pool: ("x",),
    ops.AdaptivePool: ("x",),
    ops.MaxUnpool: ("x",),
    ops.LayerNorm: ("x",),
    ops.RmsNorm: ("x",),
    ops.GroupNorm: ("x",),
    ops.BatchNorm: ("x",),
    ops.LocalResponseNorm: ("x",),
    ops.LpNormalize: ("x",),
    ops.Attention: ("q", "k", "v"),
    ops.PagedAttention: ("q", "k", "v"),
    ops.Rope: ("x",),
    ops.RopeTable: ("x",),
    ops.MoeCombine: ("x",),
    ops.SoftmaxCrossEntropy: ("logits",),
    ops.Loss: ("x", "target"),
    ops.QuantizedMatmul: ("x",),
    ops.FakeQuantize: ("x",),
    ops.Resize: ("x",),
    ops.GridSample: ("x",),
    ops.RoiAlign: ("x",),
    ops.RoiPool: ("x",),
    ops.Cholesky: ("x",),
    ops.Solve: ("a", "b"),
    ops.TriangularSolve: ("a", "b"),
    ops.Inverse: ("x",),
    ops.Det: ("x",),
    ops.Lstsq: ("a", "b"),
    ops.Expm: ("x",),
}

_FIXED = {
    ops.Compare: DType.bool,
    ops.Complex: DType.c64,
    ops.IntegerMatmul: DType.i32,
    ops.IntegerConv: DType.i32,
    ops.Fft: DType.c64,
    ops.Rfft: DType.c64,
    ops.Irfft: DType.f32,
    ops.Stft: DType.c64,
    ops.SearchSorted: DType.i64,
    ops.Nonzero: DType.i64,
    ops.RandomCategorical: DType.i64,
    ops.RandomPermutation: DType.i64,
    ops.Quantize: DType.packed,
    ops.Nms: DType.i64,
    ops.Sample: DType.i64,
}

# Results in order: the operand whose dtype they have, or the dtype, or None where it depends on more.
_SEVERAL: dict[type, tuple[str | DType | None, ...]] = {
    ops.Sort: ("x", DType.i64),
    ops.TopK: ("x", DType.i64),
    ops.Partition: ("x", DType.i64),
    ops.Unique: ("x", DType.i64, DType.i64, DType.i64),
    ops.Dropout: ("x", DType.bool),
    ops.MaxPoolIndices: ("x", DType.i64),
    ops.SelectiveScan: ("x", None),
    ops.Qr: ("x", "x"),
    ops.Svd: ("x", None, "x"),
    ops.Eigh: (None, "x"),
    ops.SlogDet: ("x", None),
    ops.AdamwStep: ("p", "m", "v"),
    ops.LionStep: ("p", "m"),
    ops.SgdStep: ("p", "m"),
}

# Their operands are promoted.
_PROMOTED = (ops.Rnn, ops.Gru, ops.Lstm, ops.GatedDelta, ops.MoeRoute)

# Of bools they are i64.
_COUNTS = (ReduceFn.sum, ReduceFn.prod, CumulateFn.sum, CumulateFn.prod)


def has_rule(op: type) -> bool:
    """Whether this file says what the results of an op are."""
    told = "dtype" in op.kinds or not {"state", "graph", "types"}.isdisjoint(map(str, op.kinds.values()))
    return told or op in _PROMOTED or any(op in table for table in (_FOLLOWS, _FIXED, _SEVERAL))


def result_dtypes(op: Op) -> list[DType | None]:
    """One for each result. Control flow has the results of its body, a custom op those that it declares."""
    if op.result_count == 1:
        return [_result(op)]
    if op.result_count > 1:
        results = _SEVERAL.get(type(op), (None,) * op.result_count)
        return [getattr(op, result).dtype if isinstance(result, str) else result for result in results]
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
    if common is DType.bool and getattr(op, "fn", None) in _COUNTS:
        return DType.i64
    return common


def _common(op: Op) -> DType | None:
    dtypes = set()
    for name in _FOLLOWS.get(type(op), ()):
        field = getattr(op, name)
        operands = field if isinstance(field, tuple) else (field,)
        dtypes |= {operand.dtype for operand in operands if operand is not None}
    return dtypes.pop() if len(dtypes) == 1 else None


def _unary(fn: UnaryFn, x: DType | None) -> DType | None:
    if fn in (UnaryFn.isnan, UnaryFn.isinf, UnaryFn.isfinite, UnaryFn.signbit):
        return DType.bool
    parts = (UnaryFn.abs, UnaryFn.real, UnaryFn.imag, UnaryFn.angle)
    return DType.f32 if fn in parts and x is DType.c64 else x
