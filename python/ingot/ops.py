"""The ops of Ingot. Generated from schema/ingot.fbs: do not edit."""

from __future__ import annotations

import abc
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ingot.attributes import NamedValue
    from ingot.dims import Shape, Size, Symbol
    from ingot.numeric import Scalar
    from ingot.tensor_type import QuantScheme, TensorType
    from ingot.text import Graph
    from ingot.var import Operand, State, Var

# Fields of an op in order, without `fn`, and what they are: an enum, a list with the enum of its items, or a name that
# ingot.attributes or ingot.node know.
Kinds = dict[str, str | type[enum.Enum] | list[type[enum.Enum]]]


class DType(enum.Enum):
    """Element types. From `f8e4m3` on, storage only: cast, copied, quantised, never computed with."""

    bool = 0  # one byte, 0 or 1
    u8 = 1
    u16 = 2
    u32 = 3
    u64 = 4
    i8 = 5
    i16 = 6
    i32 = 7
    i64 = 8
    f16 = 9  # IEEE half
    bf16 = 10  # the upper half of an f32
    f32 = 11
    f64 = 12
    c64 = 13  # two f32: real, imaginary
    f8e4m3 = 14  # 4 exponent bits, 3 mantissa bits, no infinity
    f8e5m2 = 15  # 5 exponent bits, 2 mantissa bits
    f8e8m0 = 16  # a power of two: 2^(b - 127), 255 is NaN
    f4e2m1 = 17  # 2 exponent bits, 1 mantissa bit; two values a byte, low bits first
    i4 = 18  # two values a byte, low bits first
    u4 = 19
    i2 = 20  # four values a byte, low bits first
    u2 = 21
    packed = 22  # blocks of a quantisation scheme


class QuantMethod(enum.Enum):
    """How a packed tensor stores the rows of its last axis; docs/semantics.md gives the layout bit by bit."""

    affine = 0  # x = scale·q + bias, q unsigned of `bits` bits, one scale and bias per group
    symmetric = 1  # x = scale·q, q two's complement of `bits` bits, one scale per group
    mxfp4 = 2  # f4e2m1 codes, an f8e8m0 scale per 32
    mxfp8 = 3  # f8e4m3 codes, an f8e8m0 scale per 32
    nvfp4 = 4  # f4e2m1 codes, an f8e4m3 scale per 16


class DimOp(enum.Enum):
    literal = 0
    symbol = 1
    add = 2
    mul = 3
    floor_div = 4
    min = 5
    max = 6


class ScalarKind(enum.Enum):
    signed_int = 0
    unsigned_int = 1
    real = 2
    complex = 3


class UnaryFn(enum.Enum):
    abs = 0
    neg = 1
    sign = 2
    square = 3
    sqrt = 4
    rsqrt = 5
    reciprocal = 6
    exp = 7
    expm1 = 8
    exp2 = 9
    log = 10
    log1p = 11
    log2 = 12
    log10 = 13
    sin = 14
    cos = 15
    tan = 16
    asin = 17
    acos = 18
    atan = 19
    sinh = 20
    cosh = 21
    tanh = 22
    asinh = 23
    acosh = 24
    atanh = 25
    erf = 26
    erfinv = 27
    floor = 28
    ceil = 29
    round = 30  # to the nearest, halves to even
    trunc = 31
    isnan = 32
    isinf = 33
    isfinite = 34
    logical_not = 35
    bitwise_not = 36
    sigmoid = 37
    relu = 38
    silu = 39
    gelu = 40  # x·Φ(x), by erf
    gelu_tanh = 41  # the tanh approximation
    softplus = 42  # log(1 + e^x)


class BinaryFn(enum.Enum):
    add = 0
    sub = 1
    mul = 2
    div = 3  # true division, floats and complex only
    floor_div = 4  # towards minus infinity; integer x / 0 is 0
    trunc_div = 5  # towards zero; integer x / 0 is 0
    rem = 6  # sign of the divisor, as in Python
    fmod = 7  # sign of the dividend, as in C
    pow = 8
    max = 9  # NaN if either is NaN
    min = 10  # NaN if either is NaN
    atan2 = 11
    logaddexp = 12
    logical_and = 13
    logical_or = 14
    logical_xor = 15
    bitwise_and = 16
    bitwise_or = 17
    bitwise_xor = 18
    shift_left = 19
    shift_right = 20


class CompareFn(enum.Enum):
    eq = 0
    ne = 1
    lt = 2
    le = 3
    gt = 4
    ge = 5


class ReduceFn(enum.Enum):
    sum = 0
    mean = 1
    prod = 2
    max = 3
    min = 4
    any = 5
    all = 6
    logsumexp = 7


class ArgReduceFn(enum.Enum):
    max = 0
    min = 1


class PadMode(enum.Enum):
    constant = 0
    reflect = 1  # mirror without the border element
    edge = 2  # repeat the border element
    wrap = 3  # continue at the other end


class IndexMode(enum.Enum):
    error = 0  # an index outside -size … size-1 fails the call
    clamp = 1  # it becomes the nearest valid one; negatives do not count from the end
    drop = 2  # it reads 0 or false, and writes nothing


class ScatterFn(enum.Enum):
    set = 0  # the last write in row-major order wins
    add = 1
    mul = 2
    max = 3
    min = 4


class RandomFn(enum.Enum):
    bits = 0  # raw words: u32 or u64
    uniform = 1  # in [0, 1)
    normal = 2


class Causal(enum.Enum):
    none = 0
    upper_left = 1  # query i sees keys 0 … i
    lower_right = 2  # query i sees keys 0 … i + T - S


class ValueKind(enum.Enum):
    input = 0
    weight = 1
    result = 2


@dataclass(frozen=True, kw_only=True)
class Unary:
    """y = fn(x), element by element."""

    fn: UnaryFn
    x: Operand

    mnemonic: ClassVar[str] = "{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class Binary:
    """y = fn(a, b) after promotion and broadcasting."""

    fn: BinaryFn
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Compare:
    """y = fn(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""

    fn: CompareFn
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Select:
    """y = condition ? a : b, element by element, with promotion and broadcasting."""

    condition: Operand
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "select"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"condition": "value", "a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Cast:
    """x converted to another dtype: to nearest even, out-of-range integers wrap unless `saturate`."""

    x: Operand
    dtype: DType
    saturate: bool = False  # clamp to the range of the target; NaN becomes 0 in integers

    mnemonic: ClassVar[str] = "cast"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "dtype": DType, "saturate": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Reduce:
    """fn over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN."""

    fn: ReduceFn
    x: Operand
    axes: Sequence[int]
    keepdims: bool = False
    dtype: DType | None = None  # dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool

    mnemonic: ClassVar[str] = "reduce_{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "keepdims": "boolean", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class ArgReduce:
    """Index of the extreme along `axis`. The lowest index wins a tie; NaN counts as the extreme."""

    fn: ArgReduceFn
    x: Operand
    axis: int = -1
    keepdims: bool = False
    dtype: DType = DType.i64  # i32 or i64
    last: bool = False  # the highest index wins a tie

    mnemonic: ClassVar[str] = "arg{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "keepdims": "boolean", "dtype": DType, "last": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Softmax:
    """e^x / Σ e^x along `axis`, with the maximum subtracted first; its logarithm when `log`."""

    x: Operand
    axis: int = -1
    log: bool = False

    mnemonic: ClassVar[str] = "softmax"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "log": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Matmul:
    """a·b over the last two axes; leading axes broadcast."""

    a: Operand
    b: Operand
    transpose_a: bool = False
    transpose_b: bool = False

    mnemonic: ClassVar[str] = "matmul"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value", "transpose_a": "boolean", "transpose_b": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Reshape:
    """The same elements in row-major order under another shape of equal count."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "reshape"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims"}


@dataclass(frozen=True, kw_only=True)
class Transpose:
    """Axis i of the result is axis perm[i] of x."""

    x: Operand
    perm: Sequence[int]

    mnemonic: ClassVar[str] = "transpose"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "perm": "integers"}


@dataclass(frozen=True, kw_only=True)
class Broadcast:
    """x repeated to `shape`: axes align at the end, an axis of size 1 stretches."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "broadcast"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims"}


@dataclass(frozen=True, kw_only=True)
class Slice:
    """x[start : stop : step] along each of `axes`; 0 ≤ start ≤ stop ≤ size must be provable."""

    x: Operand
    axes: Sequence[int]
    starts: Shape
    stops: Shape
    steps: Sequence[int] = ()  # positive; empty: all 1

    mnemonic: ClassVar[str] = "slice"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "starts": "dims", "stops": "dims", "steps": "integers"}


@dataclass(frozen=True, kw_only=True)
class Concatenate:
    """The operands one after the other along `axis`."""

    operands: Sequence[Operand]
    axis: int = 0

    mnemonic: ClassVar[str] = "concatenate"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"operands": "values", "axis": "integer"}


@dataclass(frozen=True, kw_only=True)
class Pad:
    """x with `before` and `after` elements added at the ends of each axis."""

    x: Operand
    before: Shape
    after: Shape
    mode: PadMode = PadMode.constant
    value: Scalar | None = None  # mode constant; absent: 0

    mnemonic: ClassVar[str] = "pad"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "before": "dims", "after": "dims", "mode": PadMode, "value": "scalar"}


@dataclass(frozen=True, kw_only=True)
class EnsureShape:
    """x, whose sizes are checked against `shape` when the op runs: a promise that inference cannot prove."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "ensure_shape"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims"}


@dataclass(frozen=True, kw_only=True)
class Take:
    """Slices of x along `axis` at `indices`; the axis is replaced by the axes of indices. Negatives count from the end."""

    x: Operand
    indices: Operand
    axis: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "take"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "axis": "integer", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class Gather:
    """y[…, i, …] = x[…, indices[…, i, …], …] along `axis`: NumPy's take_along_axis."""

    x: Operand
    indices: Operand
    axis: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "gather"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "axis": "integer", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """x with x[…, indices[…, i, …], …] = fn(x[…], updates[…, i, …]) along `axis`."""

    fn: ScatterFn
    x: Operand
    indices: Operand
    updates: Operand
    axis: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "scatter_{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "indices": "value",
        "updates": "value",
        "axis": "integer",
        "mode": IndexMode,
    }


@dataclass(frozen=True, kw_only=True)
class Nonzero:
    """Coordinates of the elements that are not 0, as i64[rank, count], row-major; binds the symbol `count`."""

    x: Operand
    count: Symbol

    mnemonic: ClassVar[str] = "nonzero"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "count": "symbol"}


@dataclass(frozen=True, kw_only=True)
class Iota:
    """start + i·step for i in 0 … length-1."""

    length: Size
    dtype: DType = DType.i64
    start: Scalar | None = None  # absent: 0
    step: Scalar | None = None  # absent: 1

    mnemonic: ClassVar[str] = "iota"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"length": "dim", "dtype": DType, "start": "scalar", "step": "scalar"}


@dataclass(frozen=True, kw_only=True)
class Full:
    """Every element is `value`."""

    shape: Shape
    value: Scalar
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "full"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"shape": "dims", "value": "scalar", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class Random:
    """offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone."""

    fn: RandomFn
    key: Operand  # u32[2]
    shape: Shape
    dtype: DType = DType.f32
    offset: float = 0.0
    scale: float = 1.0

    mnemonic: ClassVar[str] = "random_{fn}"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"key": "value", "shape": "dims", "dtype": DType, "offset": "real", "scale": "real"}


@dataclass(frozen=True, kw_only=True)
class SizeOf:
    """A size as a value of rank 0."""

    size: Size
    dtype: DType = DType.i64  # i32 or i64

    mnemonic: ClassVar[str] = "size_of"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"size": "dim", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class LayerNorm:
    """(x - mean) / sqrt(var + eps) · weight + bias over the axes from `axis` on."""

    x: Operand
    weight: Operand | None = None
    bias: Operand | None = None
    axis: int = -1
    eps: float = 0.00001

    mnemonic: ClassVar[str] = "layer_norm"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "weight": "value", "bias": "value", "axis": "integer", "eps": "real"}


@dataclass(frozen=True, kw_only=True)
class RmsNorm:
    """x / sqrt(mean(x²) + eps) · weight over the axes from `axis` on."""

    x: Operand
    weight: Operand | None = None
    axis: int = -1
    eps: float = 0.00001

    mnemonic: ClassVar[str] = "rms_norm"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "weight": "value", "axis": "integer", "eps": "real"}


@dataclass(frozen=True, kw_only=True)
class Attention:
    """softmax(scale·q·kᵀ)·v per head. q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], H a multiple of G. A row that sees no key is 0."""

    q: Operand
    k: Operand
    v: Operand
    mask: Operand | None = None  # broadcasts to [B,H,S,T]; bool: true is seen; float: added to the scores
    scale: float | None = None  # absent: 1/sqrt(D)
    causal: Causal = Causal.none
    window: int | None = None  # query i sees at most this many keys up to its own, as `causal` aligns them
    softcap: float | None = None  # scores become softcap·tanh(scores / softcap)

    mnemonic: ClassVar[str] = "attention"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {
        "q": "value",
        "k": "value",
        "v": "value",
        "mask": "value",
        "scale": "real",
        "causal": Causal,
        "window": "integer",
        "softcap": "real",
    }


@dataclass(frozen=True, kw_only=True)
class Quantize:
    """x packed by `scheme` along its last axis, to the nearest code."""

    x: Operand
    scheme: QuantScheme
    scale: Operand | None = None  # f32[]; the codes hold x / scale

    mnemonic: ClassVar[str] = "quantize"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "scheme": "scheme", "scale": "value"}


@dataclass(frozen=True, kw_only=True)
class Dequantize:
    """The values of a packed tensor, times `scale`."""

    x: Operand
    scale: Operand | None = None  # f32[]
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "dequantize"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "scale": "value", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class QuantizedMatmul:
    """x·wᵀ with w packed as [N,K]."""

    x: Operand
    w: Operand
    scale: Operand | None = None  # f32[]; multiplies w

    mnemonic: ClassVar[str] = "quantized_matmul"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"x": "value", "w": "value", "scale": "value"}


@dataclass(frozen=True, kw_only=True)
class StateRead:
    """The current contents of a state."""

    state: State

    mnemonic: ClassVar[str] = "state_read"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"state": "state"}


@dataclass(frozen=True, kw_only=True)
class StateWrite:
    """Replaces the contents of a state; the result is the new contents."""

    state: State
    value: Operand

    mnemonic: ClassVar[str] = "state_write"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {"state": "state", "value": "value"}


@dataclass(frozen=True, kw_only=True)
class StateUpdate:
    """Writes `update` into a state at `starts` along `axes`; the rest keeps its value. The result is the new contents."""

    state: State
    update: Operand
    starts: Sequence[Operand]  # integer scalars, one for each of axes
    axes: Sequence[int]
    mode: IndexMode = IndexMode.error  # clamp: the start moves so that the update fits; drop: elements outside are not written

    mnemonic: ClassVar[str] = "state_update"
    several: ClassVar[bool] = False
    kinds: ClassVar[Kinds] = {
        "state": "state",
        "update": "value",
        "starts": "values",
        "axes": "integers",
        "mode": IndexMode,
    }


@dataclass(frozen=True, kw_only=True)
class If:
    """Runs one of two graphs on the captures."""

    condition: Operand
    captures: Sequence[Operand] = ()
    on_true: Graph
    on_false: Graph

    mnemonic: ClassVar[str] = "if"
    several: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = {"condition": "value", "captures": "values", "on_true": "graph", "on_false": "graph"}


@dataclass(frozen=True, kw_only=True)
class While:
    """carry = body(carry, captures) while condition(carry, captures); the results are the last carry."""

    carry: Sequence[Operand] = ()
    captures: Sequence[Operand] = ()
    condition: Graph
    body: Graph
    max_trips: int | None = None  # at most this many trips

    mnemonic: ClassVar[str] = "while"
    several: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = {
        "carry": "values",
        "captures": "values",
        "condition": "graph",
        "body": "graph",
        "max_trips": "integer",
    }


@dataclass(frozen=True, kw_only=True)
class Scan:
    """carry, ys[i] = body(carry, xs[i], captures) for i in 0 … length-1; the results are the last carry and the ys."""

    carry: Sequence[Operand] = ()
    xs: Sequence[Operand] = ()  # sliced along axis 0
    captures: Sequence[Operand] = ()
    body: Graph
    length: Size
    reverse: bool = False  # from the last slice to the first

    mnemonic: ClassVar[str] = "scan"
    several: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = {
        "carry": "values",
        "xs": "values",
        "captures": "values",
        "body": "graph",
        "length": "dim",
        "reverse": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class Call:
    """Runs a graph on the operands."""

    operands: Sequence[Operand] = ()
    graph: Graph

    mnemonic: ClassVar[str] = "call"
    several: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = {"operands": "values", "graph": "graph"}


@dataclass(frozen=True, kw_only=True)
class Custom:
    """An op that the host registered under `name`; its result types are declared."""

    name: str
    operands: Sequence[Operand] = ()
    attributes: Mapping[str, NamedValue] | None = None
    results: Sequence[TensorType]

    mnemonic: ClassVar[str] = "custom"
    several: ClassVar[bool] = True
    kinds: ClassVar[Kinds] = {"name": "text", "operands": "values", "attributes": "attributes", "results": "types"}


Op = (
    Unary
    | Binary
    | Compare
    | Select
    | Cast
    | Reduce
    | ArgReduce
    | Softmax
    | Matmul
    | Reshape
    | Transpose
    | Broadcast
    | Slice
    | Concatenate
    | Pad
    | EnsureShape
    | Take
    | Gather
    | Scatter
    | Nonzero
    | Iota
    | Full
    | Random
    | SizeOf
    | LayerNorm
    | RmsNorm
    | Attention
    | Quantize
    | Dequantize
    | QuantizedMatmul
    | StateRead
    | StateWrite
    | StateUpdate
    | If
    | While
    | Scan
    | Call
    | Custom
)


class Builder(abc.ABC):
    """A method for each mnemonic of the text form. Graph inherits them."""

    @abc.abstractmethod
    def append(self, op: Op) -> list[Var]:
        """Adds a node and returns its results."""

    def abs(self, x: Operand) -> Var:
        """y = abs(x), element by element."""
        return self.append(Unary(fn=UnaryFn.abs, x=x))[0]

    def neg(self, x: Operand) -> Var:
        """y = neg(x), element by element."""
        return self.append(Unary(fn=UnaryFn.neg, x=x))[0]

    def sign(self, x: Operand) -> Var:
        """y = sign(x), element by element."""
        return self.append(Unary(fn=UnaryFn.sign, x=x))[0]

    def square(self, x: Operand) -> Var:
        """y = square(x), element by element."""
        return self.append(Unary(fn=UnaryFn.square, x=x))[0]

    def sqrt(self, x: Operand) -> Var:
        """y = sqrt(x), element by element."""
        return self.append(Unary(fn=UnaryFn.sqrt, x=x))[0]

    def rsqrt(self, x: Operand) -> Var:
        """y = rsqrt(x), element by element."""
        return self.append(Unary(fn=UnaryFn.rsqrt, x=x))[0]

    def reciprocal(self, x: Operand) -> Var:
        """y = reciprocal(x), element by element."""
        return self.append(Unary(fn=UnaryFn.reciprocal, x=x))[0]

    def exp(self, x: Operand) -> Var:
        """y = exp(x), element by element."""
        return self.append(Unary(fn=UnaryFn.exp, x=x))[0]

    def expm1(self, x: Operand) -> Var:
        """y = expm1(x), element by element."""
        return self.append(Unary(fn=UnaryFn.expm1, x=x))[0]

    def exp2(self, x: Operand) -> Var:
        """y = exp2(x), element by element."""
        return self.append(Unary(fn=UnaryFn.exp2, x=x))[0]

    def log(self, x: Operand) -> Var:
        """y = log(x), element by element."""
        return self.append(Unary(fn=UnaryFn.log, x=x))[0]

    def log1p(self, x: Operand) -> Var:
        """y = log1p(x), element by element."""
        return self.append(Unary(fn=UnaryFn.log1p, x=x))[0]

    def log2(self, x: Operand) -> Var:
        """y = log2(x), element by element."""
        return self.append(Unary(fn=UnaryFn.log2, x=x))[0]

    def log10(self, x: Operand) -> Var:
        """y = log10(x), element by element."""
        return self.append(Unary(fn=UnaryFn.log10, x=x))[0]

    def sin(self, x: Operand) -> Var:
        """y = sin(x), element by element."""
        return self.append(Unary(fn=UnaryFn.sin, x=x))[0]

    def cos(self, x: Operand) -> Var:
        """y = cos(x), element by element."""
        return self.append(Unary(fn=UnaryFn.cos, x=x))[0]

    def tan(self, x: Operand) -> Var:
        """y = tan(x), element by element."""
        return self.append(Unary(fn=UnaryFn.tan, x=x))[0]

    def asin(self, x: Operand) -> Var:
        """y = asin(x), element by element."""
        return self.append(Unary(fn=UnaryFn.asin, x=x))[0]

    def acos(self, x: Operand) -> Var:
        """y = acos(x), element by element."""
        return self.append(Unary(fn=UnaryFn.acos, x=x))[0]

    def atan(self, x: Operand) -> Var:
        """y = atan(x), element by element."""
        return self.append(Unary(fn=UnaryFn.atan, x=x))[0]

    def sinh(self, x: Operand) -> Var:
        """y = sinh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.sinh, x=x))[0]

    def cosh(self, x: Operand) -> Var:
        """y = cosh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.cosh, x=x))[0]

    def tanh(self, x: Operand) -> Var:
        """y = tanh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.tanh, x=x))[0]

    def asinh(self, x: Operand) -> Var:
        """y = asinh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.asinh, x=x))[0]

    def acosh(self, x: Operand) -> Var:
        """y = acosh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.acosh, x=x))[0]

    def atanh(self, x: Operand) -> Var:
        """y = atanh(x), element by element."""
        return self.append(Unary(fn=UnaryFn.atanh, x=x))[0]

    def erf(self, x: Operand) -> Var:
        """y = erf(x), element by element."""
        return self.append(Unary(fn=UnaryFn.erf, x=x))[0]

    def erfinv(self, x: Operand) -> Var:
        """y = erfinv(x), element by element."""
        return self.append(Unary(fn=UnaryFn.erfinv, x=x))[0]

    def floor(self, x: Operand) -> Var:
        """y = floor(x), element by element."""
        return self.append(Unary(fn=UnaryFn.floor, x=x))[0]

    def ceil(self, x: Operand) -> Var:
        """y = ceil(x), element by element."""
        return self.append(Unary(fn=UnaryFn.ceil, x=x))[0]

    def round(self, x: Operand) -> Var:
        """y = round(x), element by element.

        round: to the nearest, halves to even
        """
        return self.append(Unary(fn=UnaryFn.round, x=x))[0]

    def trunc(self, x: Operand) -> Var:
        """y = trunc(x), element by element."""
        return self.append(Unary(fn=UnaryFn.trunc, x=x))[0]

    def isnan(self, x: Operand) -> Var:
        """y = isnan(x), element by element."""
        return self.append(Unary(fn=UnaryFn.isnan, x=x))[0]

    def isinf(self, x: Operand) -> Var:
        """y = isinf(x), element by element."""
        return self.append(Unary(fn=UnaryFn.isinf, x=x))[0]

    def isfinite(self, x: Operand) -> Var:
        """y = isfinite(x), element by element."""
        return self.append(Unary(fn=UnaryFn.isfinite, x=x))[0]

    def logical_not(self, x: Operand) -> Var:
        """y = logical_not(x), element by element."""
        return self.append(Unary(fn=UnaryFn.logical_not, x=x))[0]

    def bitwise_not(self, x: Operand) -> Var:
        """y = bitwise_not(x), element by element."""
        return self.append(Unary(fn=UnaryFn.bitwise_not, x=x))[0]

    def sigmoid(self, x: Operand) -> Var:
        """y = sigmoid(x), element by element."""
        return self.append(Unary(fn=UnaryFn.sigmoid, x=x))[0]

    def relu(self, x: Operand) -> Var:
        """y = relu(x), element by element."""
        return self.append(Unary(fn=UnaryFn.relu, x=x))[0]

    def silu(self, x: Operand) -> Var:
        """y = silu(x), element by element."""
        return self.append(Unary(fn=UnaryFn.silu, x=x))[0]

    def gelu(self, x: Operand) -> Var:
        """y = gelu(x), element by element.

        gelu: x·Φ(x), by erf
        """
        return self.append(Unary(fn=UnaryFn.gelu, x=x))[0]

    def gelu_tanh(self, x: Operand) -> Var:
        """y = gelu_tanh(x), element by element.

        gelu_tanh: the tanh approximation
        """
        return self.append(Unary(fn=UnaryFn.gelu_tanh, x=x))[0]

    def softplus(self, x: Operand) -> Var:
        """y = softplus(x), element by element.

        softplus: log(1 + e^x)
        """
        return self.append(Unary(fn=UnaryFn.softplus, x=x))[0]

    def add(self, a: Operand, b: Operand) -> Var:
        """y = add(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.add, a=a, b=b))[0]

    def sub(self, a: Operand, b: Operand) -> Var:
        """y = sub(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.sub, a=a, b=b))[0]

    def mul(self, a: Operand, b: Operand) -> Var:
        """y = mul(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.mul, a=a, b=b))[0]

    def div(self, a: Operand, b: Operand) -> Var:
        """y = div(a, b) after promotion and broadcasting.

        div: true division, floats and complex only
        """
        return self.append(Binary(fn=BinaryFn.div, a=a, b=b))[0]

    def floor_div(self, a: Operand, b: Operand) -> Var:
        """y = floor_div(a, b) after promotion and broadcasting.

        floor_div: towards minus infinity; integer x / 0 is 0
        """
        return self.append(Binary(fn=BinaryFn.floor_div, a=a, b=b))[0]

    def trunc_div(self, a: Operand, b: Operand) -> Var:
        """y = trunc_div(a, b) after promotion and broadcasting.

        trunc_div: towards zero; integer x / 0 is 0
        """
        return self.append(Binary(fn=BinaryFn.trunc_div, a=a, b=b))[0]

    def rem(self, a: Operand, b: Operand) -> Var:
        """y = rem(a, b) after promotion and broadcasting.

        rem: sign of the divisor, as in Python
        """
        return self.append(Binary(fn=BinaryFn.rem, a=a, b=b))[0]

    def fmod(self, a: Operand, b: Operand) -> Var:
        """y = fmod(a, b) after promotion and broadcasting.

        fmod: sign of the dividend, as in C
        """
        return self.append(Binary(fn=BinaryFn.fmod, a=a, b=b))[0]

    def pow(self, a: Operand, b: Operand) -> Var:
        """y = pow(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.pow, a=a, b=b))[0]

    def max(self, a: Operand, b: Operand) -> Var:
        """y = max(a, b) after promotion and broadcasting.

        max: NaN if either is NaN
        """
        return self.append(Binary(fn=BinaryFn.max, a=a, b=b))[0]

    def min(self, a: Operand, b: Operand) -> Var:
        """y = min(a, b) after promotion and broadcasting.

        min: NaN if either is NaN
        """
        return self.append(Binary(fn=BinaryFn.min, a=a, b=b))[0]

    def atan2(self, a: Operand, b: Operand) -> Var:
        """y = atan2(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.atan2, a=a, b=b))[0]

    def logaddexp(self, a: Operand, b: Operand) -> Var:
        """y = logaddexp(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.logaddexp, a=a, b=b))[0]

    def logical_and(self, a: Operand, b: Operand) -> Var:
        """y = logical_and(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.logical_and, a=a, b=b))[0]

    def logical_or(self, a: Operand, b: Operand) -> Var:
        """y = logical_or(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.logical_or, a=a, b=b))[0]

    def logical_xor(self, a: Operand, b: Operand) -> Var:
        """y = logical_xor(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.logical_xor, a=a, b=b))[0]

    def bitwise_and(self, a: Operand, b: Operand) -> Var:
        """y = bitwise_and(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.bitwise_and, a=a, b=b))[0]

    def bitwise_or(self, a: Operand, b: Operand) -> Var:
        """y = bitwise_or(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.bitwise_or, a=a, b=b))[0]

    def bitwise_xor(self, a: Operand, b: Operand) -> Var:
        """y = bitwise_xor(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.bitwise_xor, a=a, b=b))[0]

    def shift_left(self, a: Operand, b: Operand) -> Var:
        """y = shift_left(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.shift_left, a=a, b=b))[0]

    def shift_right(self, a: Operand, b: Operand) -> Var:
        """y = shift_right(a, b) after promotion and broadcasting."""
        return self.append(Binary(fn=BinaryFn.shift_right, a=a, b=b))[0]

    def eq(self, a: Operand, b: Operand) -> Var:
        """y = eq(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.eq, a=a, b=b))[0]

    def ne(self, a: Operand, b: Operand) -> Var:
        """y = ne(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.ne, a=a, b=b))[0]

    def lt(self, a: Operand, b: Operand) -> Var:
        """y = lt(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.lt, a=a, b=b))[0]

    def le(self, a: Operand, b: Operand) -> Var:
        """y = le(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.le, a=a, b=b))[0]

    def gt(self, a: Operand, b: Operand) -> Var:
        """y = gt(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.gt, a=a, b=b))[0]

    def ge(self, a: Operand, b: Operand) -> Var:
        """y = ge(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""
        return self.append(Compare(fn=CompareFn.ge, a=a, b=b))[0]

    def select(self, condition: Operand, a: Operand, b: Operand) -> Var:
        """y = condition ? a : b, element by element, with promotion and broadcasting."""
        return self.append(Select(condition=condition, a=a, b=b))[0]

    def cast(self, x: Operand, dtype: DType, *, saturate: bool = False) -> Var:
        """x converted to another dtype: to nearest even, out-of-range integers wrap unless `saturate`.

        saturate: clamp to the range of the target; NaN becomes 0 in integers
        """
        return self.append(Cast(x=x, dtype=dtype, saturate=saturate))[0]

    def reduce_sum(self, x: Operand, axes: Sequence[int], *, keepdims: bool = False, dtype: DType | None = None) -> Var:
        """sum over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.sum, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_mean(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """mean over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.mean, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_prod(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """prod over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.prod, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_max(self, x: Operand, axes: Sequence[int], *, keepdims: bool = False, dtype: DType | None = None) -> Var:
        """max over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.max, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_min(self, x: Operand, axes: Sequence[int], *, keepdims: bool = False, dtype: DType | None = None) -> Var:
        """min over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.min, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_any(self, x: Operand, axes: Sequence[int], *, keepdims: bool = False, dtype: DType | None = None) -> Var:
        """any over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.any, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_all(self, x: Operand, axes: Sequence[int], *, keepdims: bool = False, dtype: DType | None = None) -> Var:
        """all over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.all, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def reduce_logsumexp(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """logsumexp over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        """
        return self.append(Reduce(fn=ReduceFn.logsumexp, x=x, axes=axes, keepdims=keepdims, dtype=dtype))[0]

    def argmax(
        self,
        x: Operand,
        *,
        axis: int = -1,
        keepdims: bool = False,
        dtype: DType = DType.i64,
        last: bool = False,
    ) -> Var:
        """Index of the extreme along `axis`. The lowest index wins a tie; NaN counts as the extreme.

        dtype: i32 or i64
        last: the highest index wins a tie
        """
        return self.append(ArgReduce(fn=ArgReduceFn.max, x=x, axis=axis, keepdims=keepdims, dtype=dtype, last=last))[0]

    def argmin(
        self,
        x: Operand,
        *,
        axis: int = -1,
        keepdims: bool = False,
        dtype: DType = DType.i64,
        last: bool = False,
    ) -> Var:
        """Index of the extreme along `axis`. The lowest index wins a tie; NaN counts as the extreme.

        dtype: i32 or i64
        last: the highest index wins a tie
        """
        return self.append(ArgReduce(fn=ArgReduceFn.min, x=x, axis=axis, keepdims=keepdims, dtype=dtype, last=last))[0]

    def softmax(self, x: Operand, *, axis: int = -1, log: bool = False) -> Var:
        """e^x / Σ e^x along `axis`, with the maximum subtracted first; its logarithm when `log`."""
        return self.append(Softmax(x=x, axis=axis, log=log))[0]

    def matmul(self, a: Operand, b: Operand, *, transpose_a: bool = False, transpose_b: bool = False) -> Var:
        """a·b over the last two axes; leading axes broadcast."""
        return self.append(Matmul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b))[0]

    def reshape(self, x: Operand, shape: Shape) -> Var:
        """The same elements in row-major order under another shape of equal count."""
        return self.append(Reshape(x=x, shape=shape))[0]

    def transpose(self, x: Operand, perm: Sequence[int]) -> Var:
        """Axis i of the result is axis perm[i] of x."""
        return self.append(Transpose(x=x, perm=perm))[0]

    def broadcast(self, x: Operand, shape: Shape) -> Var:
        """x repeated to `shape`: axes align at the end, an axis of size 1 stretches."""
        return self.append(Broadcast(x=x, shape=shape))[0]

    def slice(self, x: Operand, axes: Sequence[int], starts: Shape, stops: Shape, *, steps: Sequence[int] = ()) -> Var:
        """x[start : stop : step] along each of `axes`; 0 ≤ start ≤ stop ≤ size must be provable.

        steps: positive; empty: all 1
        """
        return self.append(Slice(x=x, axes=axes, starts=starts, stops=stops, steps=steps))[0]

    def concatenate(self, operands: Sequence[Operand], *, axis: int = 0) -> Var:
        """The operands one after the other along `axis`."""
        return self.append(Concatenate(operands=operands, axis=axis))[0]

    def pad(
        self,
        x: Operand,
        before: Shape,
        after: Shape,
        *,
        mode: PadMode = PadMode.constant,
        value: Scalar | None = None,
    ) -> Var:
        """x with `before` and `after` elements added at the ends of each axis.

        value: mode constant; absent: 0
        """
        return self.append(Pad(x=x, before=before, after=after, mode=mode, value=value))[0]

    def ensure_shape(self, x: Operand, shape: Shape) -> Var:
        """x, whose sizes are checked against `shape` when the op runs: a promise that inference cannot prove."""
        return self.append(EnsureShape(x=x, shape=shape))[0]

    def take(self, x: Operand, indices: Operand, *, axis: int = 0, mode: IndexMode = IndexMode.error) -> Var:
        """Slices of x along `axis` at `indices`; the axis is replaced by the axes of indices. Negatives count from the end."""
        return self.append(Take(x=x, indices=indices, axis=axis, mode=mode))[0]

    def gather(self, x: Operand, indices: Operand, *, axis: int = 0, mode: IndexMode = IndexMode.error) -> Var:
        """y[…, i, …] = x[…, indices[…, i, …], …] along `axis`: NumPy's take_along_axis."""
        return self.append(Gather(x=x, indices=indices, axis=axis, mode=mode))[0]

    def scatter_set(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[…, indices[…, i, …], …] = set(x[…], updates[…, i, …]) along `axis`.

        set: the last write in row-major order wins
        """
        return self.append(Scatter(fn=ScatterFn.set, x=x, indices=indices, updates=updates, axis=axis, mode=mode))[0]

    def scatter_add(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[…, indices[…, i, …], …] = add(x[…], updates[…, i, …]) along `axis`."""
        return self.append(Scatter(fn=ScatterFn.add, x=x, indices=indices, updates=updates, axis=axis, mode=mode))[0]

    def scatter_mul(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[…, indices[…, i, …], …] = mul(x[…], updates[…, i, …]) along `axis`."""
        return self.append(Scatter(fn=ScatterFn.mul, x=x, indices=indices, updates=updates, axis=axis, mode=mode))[0]

    def scatter_max(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[…, indices[…, i, …], …] = max(x[…], updates[…, i, …]) along `axis`."""
        return self.append(Scatter(fn=ScatterFn.max, x=x, indices=indices, updates=updates, axis=axis, mode=mode))[0]

    def scatter_min(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[…, indices[…, i, …], …] = min(x[…], updates[…, i, …]) along `axis`."""
        return self.append(Scatter(fn=ScatterFn.min, x=x, indices=indices, updates=updates, axis=axis, mode=mode))[0]

    def nonzero(self, x: Operand, count: Symbol) -> Var:
        """Coordinates of the elements that are not 0, as i64[rank, count], row-major; binds the symbol `count`."""
        return self.append(Nonzero(x=x, count=count))[0]

    def iota(
        self,
        length: Size,
        *,
        dtype: DType = DType.i64,
        start: Scalar | None = None,
        step: Scalar | None = None,
    ) -> Var:
        """start + i·step for i in 0 … length-1.

        start: absent: 0
        step: absent: 1
        """
        return self.append(Iota(length=length, dtype=dtype, start=start, step=step))[0]

    def full(self, shape: Shape, value: Scalar, *, dtype: DType = DType.f32) -> Var:
        """Every element is `value`."""
        return self.append(Full(shape=shape, value=value, dtype=dtype))[0]

    def random_bits(
        self,
        key: Operand,
        shape: Shape,
        *,
        dtype: DType = DType.f32,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> Var:
        """offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone.

        bits: raw words: u32 or u64
        key: u32[2]
        """
        return self.append(Random(fn=RandomFn.bits, key=key, shape=shape, dtype=dtype, offset=offset, scale=scale))[0]

    def random_uniform(
        self,
        key: Operand,
        shape: Shape,
        *,
        dtype: DType = DType.f32,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> Var:
        """offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone.

        uniform: in [0, 1)
        key: u32[2]
        """
        return self.append(Random(
            fn=RandomFn.uniform,
            key=key,
            shape=shape,
            dtype=dtype,
            offset=offset,
            scale=scale,
        ))[0]

    def random_normal(
        self,
        key: Operand,
        shape: Shape,
        *,
        dtype: DType = DType.f32,
        offset: float = 0.0,
        scale: float = 1.0,
    ) -> Var:
        """offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone.

        key: u32[2]
        """
        return self.append(Random(fn=RandomFn.normal, key=key, shape=shape, dtype=dtype, offset=offset, scale=scale))[0]

    def size_of(self, size: Size, *, dtype: DType = DType.i64) -> Var:
        """A size as a value of rank 0.

        dtype: i32 or i64
        """
        return self.append(SizeOf(size=size, dtype=dtype))[0]

    def layer_norm(
        self,
        x: Operand,
        weight: Operand | None = None,
        bias: Operand | None = None,
        *,
        axis: int = -1,
        eps: float = 0.00001,
    ) -> Var:
        """(x - mean) / sqrt(var + eps) · weight + bias over the axes from `axis` on."""
        return self.append(LayerNorm(x=x, weight=weight, bias=bias, axis=axis, eps=eps))[0]

    def rms_norm(self, x: Operand, weight: Operand | None = None, *, axis: int = -1, eps: float = 0.00001) -> Var:
        """x / sqrt(mean(x²) + eps) · weight over the axes from `axis` on."""
        return self.append(RmsNorm(x=x, weight=weight, axis=axis, eps=eps))[0]

    def attention(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        mask: Operand | None = None,
        *,
        scale: float | None = None,
        causal: Causal = Causal.none,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Var:
        """softmax(scale·q·kᵀ)·v per head. q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], H a multiple of G. A row that sees no key is 0.

        mask: broadcasts to [B,H,S,T]; bool: true is seen; float: added to the scores
        scale: absent: 1/sqrt(D)
        window: query i sees at most this many keys up to its own, as `causal` aligns them
        softcap: scores become softcap·tanh(scores / softcap)
        """
        return self.append(Attention(
            q=q,
            k=k,
            v=v,
            mask=mask,
            scale=scale,
            causal=causal,
            window=window,
            softcap=softcap,
        ))[0]

    def quantize(self, x: Operand, scheme: QuantScheme, scale: Operand | None = None) -> Var:
        """x packed by `scheme` along its last axis, to the nearest code.

        scale: f32[]; the codes hold x / scale
        """
        return self.append(Quantize(x=x, scheme=scheme, scale=scale))[0]

    def dequantize(self, x: Operand, scale: Operand | None = None, *, dtype: DType = DType.f32) -> Var:
        """The values of a packed tensor, times `scale`.

        scale: f32[]
        """
        return self.append(Dequantize(x=x, scale=scale, dtype=dtype))[0]

    def quantized_matmul(self, x: Operand, w: Operand, scale: Operand | None = None) -> Var:
        """x·wᵀ with w packed as [N,K].

        scale: f32[]; multiplies w
        """
        return self.append(QuantizedMatmul(x=x, w=w, scale=scale))[0]

    def state_read(self, state: State) -> Var:
        """The current contents of a state."""
        return self.append(StateRead(state=state))[0]

    def state_write(self, state: State, value: Operand) -> Var:
        """Replaces the contents of a state; the result is the new contents."""
        return self.append(StateWrite(state=state, value=value))[0]

    def state_update(
        self,
        state: State,
        update: Operand,
        starts: Sequence[Operand],
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """Writes `update` into a state at `starts` along `axes`; the rest keeps its value. The result is the new contents.

        starts: integer scalars, one for each of axes
        mode: clamp: the start moves so that the update fits; drop: elements outside are not written
        """
        return self.append(StateUpdate(state=state, update=update, starts=starts, axes=axes, mode=mode))[0]

    def if_(self, condition: Operand, on_true: Graph, on_false: Graph, captures: Sequence[Operand] = ()) -> list[Var]:
        """Runs one of two graphs on the captures."""
        return self.append(If(condition=condition, on_true=on_true, on_false=on_false, captures=captures))

    def while_(
        self,
        condition: Graph,
        body: Graph,
        carry: Sequence[Operand] = (),
        captures: Sequence[Operand] = (),
        *,
        max_trips: int | None = None,
    ) -> list[Var]:
        """carry = body(carry, captures) while condition(carry, captures); the results are the last carry.

        max_trips: at most this many trips
        """
        return self.append(While(condition=condition, body=body, carry=carry, captures=captures, max_trips=max_trips))

    def scan(
        self,
        body: Graph,
        length: Size,
        carry: Sequence[Operand] = (),
        xs: Sequence[Operand] = (),
        captures: Sequence[Operand] = (),
        *,
        reverse: bool = False,
    ) -> list[Var]:
        """carry, ys[i] = body(carry, xs[i], captures) for i in 0 … length-1; the results are the last carry and the ys.

        xs: sliced along axis 0
        reverse: from the last slice to the first
        """
        return self.append(Scan(body=body, length=length, carry=carry, xs=xs, captures=captures, reverse=reverse))

    def call(self, graph: Graph, operands: Sequence[Operand] = ()) -> list[Var]:
        """Runs a graph on the operands."""
        return self.append(Call(graph=graph, operands=operands))

    def custom(
        self,
        name: str,
        results: Sequence[TensorType],
        operands: Sequence[Operand] = (),
        *,
        attributes: Mapping[str, NamedValue] | None = None,
    ) -> list[Var]:
        """An op that the host registered under `name`; its result types are declared."""
        return self.append(Custom(name=name, results=results, operands=operands, attributes=attributes))
