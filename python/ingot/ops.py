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
    nf4 = 5  # codes of the 16 quantiles of the normal distribution, one scale per group
    fp8_e4m3 = 6  # f8e4m3 codes, one scale per group
    fp8_e5m2 = 7  # f8e5m2 codes, one scale per group
    q4_0 = 8  # GGUF blocks, as the file format lays them out
    q4_1 = 9
    q5_0 = 10
    q5_1 = 11
    q8_0 = 12
    q8_1 = 13
    q2_k = 14
    q3_k = 15
    q4_k = 16
    q5_k = 17
    q6_k = 18
    q8_k = 19
    iq4_nl = 20
    iq4_xs = 21
    iq2_xxs = 22
    iq2_xs = 23
    iq2_s = 24
    iq3_xxs = 25
    iq3_s = 26
    iq1_s = 27
    iq1_m = 28
    tq1_0 = 29
    tq2_0 = 30


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
    real = 43  # the parts of a complex number: f32
    imag = 44
    conj = 45
    angle = 46  # of a complex number, in radians: f32
    lgamma = 47  # log |Γ(x)|
    signbit = 48  # the sign bit is set


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


class ActivationFn(enum.Enum):
    elu = 0  # x > 0 ? x : alpha·(e^x - 1); alpha 1
    selu = 1  # beta·(x > 0 ? x : alpha·(e^x - 1)); alpha 1.67326319217681884765625, beta 1.05070102214813232421875
    celu = 2  # max(x, 0) + min(0, alpha·(e^(x/alpha) - 1)); alpha 1
    leaky_relu = 3  # x < 0 ? alpha·x : x; alpha 0.01
    hard_sigmoid = 4  # clip(alpha·x + beta, 0, 1); alpha 0.2, beta 0.5
    hard_swish = 5  # x·clip(x/6 + 1/2, 0, 1)
    hard_tanh = 6  # clip(x, alpha, beta); alpha -1, beta 1
    mish = 7  # x·tanh(log(1 + e^x))
    softsign = 8  # x / (1 + |x|)
    squared_relu = 9  # max(x, 0)²
    thresholded_relu = 10  # x ≤ alpha ? beta : x; alpha 1, beta 0
    hard_shrink = 11  # |x| ≤ alpha ? 0 : x; alpha 0.5
    soft_shrink = 12  # x < -alpha ? x + beta : x > alpha ? x - beta : 0; alpha 0.5, beta alpha; NaN stays
    log_sigmoid = 13  # -log(1 + e^-x)
    swish = 14  # x·sigmoid(alpha·x); alpha 1
    quick_gelu = 15  # x·sigmoid(1.702·x)


class GluFn(enum.Enum):
    glu = 0  # value·sigmoid(gate)
    swiglu = 1  # value·silu(gate)
    geglu = 2  # value·gelu(gate)
    geglu_tanh = 3  # value·gelu_tanh(gate)
    reglu = 4  # value·relu(gate)


class ReduceFn(enum.Enum):
    sum = 0
    mean = 1
    prod = 2
    max = 3
    min = 4
    any = 5
    all = 6
    logsumexp = 7
    var = 8  # Σ(x - mean)² / (n - ddof)
    std = 9  # the root of var


class ArgReduceFn(enum.Enum):
    max = 0
    min = 1


class CumulateFn(enum.Enum):
    sum = 0
    prod = 1
    max = 2
    min = 3
    logsumexp = 4


class PadMode(enum.Enum):
    constant = 0
    reflect = 1  # mirror without the border element
    edge = 2  # repeat the border element
    wrap = 3  # continue at the other end


class TriangleFn(enum.Enum):
    lower = 0
    upper = 1


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


class PoolFn(enum.Enum):
    max = 0
    avg = 1
    lp = 2  # (Σ |x|^p)^(1/p)


class Causal(enum.Enum):
    none = 0
    upper_left = 1  # query i sees keys 0 … i
    lower_right = 2  # query i sees keys 0 … i + T - S


class FakeQuantizeGradient(enum.Enum):
    identity = 0
    clipped = 1
    tanh = 2
    hard_tanh = 3


class ResizeMode(enum.Enum):
    nearest = 0
    linear = 1
    cubic = 2


class ResizeCoordinates(enum.Enum):
    """Where output position i lies in the input; s is the scale of the axis, L the length that it implies (s·in where scales are given, else the output size)."""

    half_pixel = 0  # (i + 1/2)/s - 1/2
    half_pixel_symmetric = 1  # half_pixel about the middle of x: plus (in/2)·(1 - out/L)
    pytorch_half_pixel = 2  # half_pixel, 0 where L is 1
    align_corners = 3  # i·(in - 1)/(L - 1)
    asymmetric = 4  # i/s
    tf_crop_and_resize = 5  # align_corners within `roi`; outside x it is `extrapolation`


class ResizeRounding(enum.Enum):
    round_prefer_floor = 0
    round_prefer_ceil = 1
    floor = 2
    ceil = 3


class GridMode(enum.Enum):
    nearest = 0
    linear = 1
    cubic = 2


class GridPadding(enum.Enum):
    zeros = 0
    border = 1
    reflection = 2


class RoiFn(enum.Enum):
    avg = 0
    max = 1


class RnnActivation(enum.Enum):
    tanh = 0
    sigmoid = 1
    relu = 2
    affine = 3
    leaky_relu = 4
    thresholded_relu = 5
    scaled_tanh = 6
    hard_sigmoid = 7
    elu = 8
    softsign = 9
    softplus = 10


class RnnDirection(enum.Enum):
    forward = 0
    reverse = 1
    bidirectional = 2


class FftFn(enum.Enum):
    forward = 0
    inverse = 1


class FftNorm(enum.Enum):
    backward = 0  # 1/n on the inverse
    ortho = 1  # 1/sqrt(n) on both
    forward = 2  # 1/n on the forward


class LossReduction(enum.Enum):
    none = 0
    sum = 1
    mean = 2


class LossFn(enum.Enum):
    mse = 0  # (x - y)²
    l1 = 1  # |x - y|
    huber = 2  # |d| < delta ? d²/2 : delta·(|d| - delta/2)
    smooth_l1 = 3  # huber / delta
    bce = 4  # -(y·log x + (1-y)·log(1-x)), logarithms at least -100
    bce_logits = 5  # the same on logits
    kl_div = 6  # y·(log y - x)
    hinge = 7  # max(0, 1 - x·y)


class RouterFn(enum.Enum):
    softmax = 0
    sigmoid = 1


class ValueKind(enum.Enum):
    input = 0
    weight = 1
    result = 2


class WeightContents(enum.Enum):
    """What a weight begins as."""

    stored = 0  # bytes of this file, or of one beside it
    zeros = 1
    none = 2  # nothing: the host gives the contents before the first call that reads them


@dataclass(frozen=True, kw_only=True)
class Unary:
    """y = fn(x), element by element."""

    fn: UnaryFn
    x: Operand

    mnemonic: ClassVar[str] = "{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class Binary:
    """y = fn(a, b) after promotion and broadcasting."""

    fn: BinaryFn
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Compare:
    """y = fn(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false."""

    fn: CompareFn
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Select:
    """y = condition ? a : b, element by element, with promotion and broadcasting."""

    condition: Operand
    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "select"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"condition": "value", "a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class Cast:
    """x converted to another dtype: to nearest even, out-of-range integers wrap unless `saturate`."""

    x: Operand
    dtype: DType
    saturate: bool = False  # clamp to the range of the target; NaN becomes 0 in integers

    mnemonic: ClassVar[str] = "cast"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "dtype": DType, "saturate": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Reduce:
    """fn over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN."""

    fn: ReduceFn
    x: Operand
    axes: Sequence[int]
    keepdims: bool = False
    dtype: DType | None = None  # dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
    ddof: float = 0.0  # var and std: subtracted from the count

    mnemonic: ClassVar[str] = "reduce_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "keepdims": "boolean", "dtype": DType, "ddof": "real"}


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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "keepdims": "boolean", "dtype": DType, "last": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Softmax:
    """e^x / Σ e^x along `axis`, with the maximum subtracted first; its logarithm when `log`."""

    x: Operand
    axis: int = -1
    log: bool = False

    mnemonic: ClassVar[str] = "softmax"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "log": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Matmul:
    """a·b over the last two axes; leading axes broadcast."""

    a: Operand
    b: Operand
    transpose_a: bool = False
    transpose_b: bool = False

    mnemonic: ClassVar[str] = "matmul"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value", "transpose_a": "boolean", "transpose_b": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Reshape:
    """The same elements in row-major order under another shape of equal count."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "reshape"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims"}


@dataclass(frozen=True, kw_only=True)
class Transpose:
    """Axis i of the result is axis perm[i] of x."""

    x: Operand
    perm: Sequence[int]

    mnemonic: ClassVar[str] = "transpose"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "perm": "integers"}


@dataclass(frozen=True, kw_only=True)
class Broadcast:
    """x repeated to `shape`: axes align at the end, an axis of size 1 stretches."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "broadcast"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "starts": "dims", "stops": "dims", "steps": "integers"}


@dataclass(frozen=True, kw_only=True)
class Concatenate:
    """The operands one after the other along `axis`."""

    operands: Sequence[Operand]
    axis: int = 0

    mnemonic: ClassVar[str] = "concatenate"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "before": "dims", "after": "dims", "mode": PadMode, "value": "scalar"}


@dataclass(frozen=True, kw_only=True)
class EnsureShape:
    """x, whose sizes are checked against `shape` when the op runs: a promise that inference cannot prove."""

    x: Operand
    shape: Shape

    mnemonic: ClassVar[str] = "ensure_shape"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims"}


@dataclass(frozen=True, kw_only=True)
class Take:
    """Slices of x along `axis` at `indices`; the axis is replaced by the axes of indices. Negatives count from the end."""

    x: Operand
    indices: Operand
    axis: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "take"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "axis": "integer", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class Gather:
    """y[…, i, …] = x[…, indices[…, i, …], …] along `axis`: NumPy's take_along_axis."""

    x: Operand
    indices: Operand
    axis: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "gather"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "count": "symbol"}


@dataclass(frozen=True, kw_only=True)
class Iota:
    """start + i·step for i in 0 … length-1."""

    length: Size
    dtype: DType = DType.i64
    start: Scalar | None = None  # absent: 0
    step: Scalar | None = None  # absent: 1

    mnemonic: ClassVar[str] = "iota"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"length": "dim", "dtype": DType, "start": "scalar", "step": "scalar"}


@dataclass(frozen=True, kw_only=True)
class Full:
    """Every element is `value`."""

    shape: Shape
    value: Scalar
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "full"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"key": "value", "shape": "dims", "dtype": DType, "offset": "real", "scale": "real"}


@dataclass(frozen=True, kw_only=True)
class SizeOf:
    """A size as a value of rank 0."""

    size: Size
    dtype: DType = DType.i64  # i32 or i64

    mnemonic: ClassVar[str] = "size_of"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "weight": "value", "bias": "value", "axis": "integer", "eps": "real"}


@dataclass(frozen=True, kw_only=True)
class RmsNorm:
    """x / sqrt(mean(x²) + eps) · weight over the axes from `axis` on."""

    x: Operand
    weight: Operand | None = None
    axis: int = -1
    eps: float = 0.00001

    mnemonic: ClassVar[str] = "rms_norm"
    result_count: ClassVar[int] = 1
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
    sinks: Operand | None = None  # [H]: a score without a value that joins the softmax of every row
    lengths: Operand | None = None  # integers [B]: keys from lengths[b] on are not seen; `lower_right` aligns at that length

    mnemonic: ClassVar[str] = "attention"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "q": "value",
        "k": "value",
        "v": "value",
        "mask": "value",
        "scale": "real",
        "causal": Causal,
        "window": "integer",
        "softcap": "real",
        "sinks": "value",
        "lengths": "value",
    }


@dataclass(frozen=True, kw_only=True)
class Quantize:
    """x packed by `scheme` along its last axis, to the nearest code."""

    x: Operand
    scheme: QuantScheme
    scale: Operand | None = None  # f32[]; the codes hold x / scale

    mnemonic: ClassVar[str] = "quantize"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "scheme": "scheme", "scale": "value"}


@dataclass(frozen=True, kw_only=True)
class Dequantize:
    """The values of a packed tensor, times `scale`."""

    x: Operand
    scale: Operand | None = None  # f32[]
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "dequantize"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "scale": "value", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class QuantizedMatmul:
    """x·wᵀ with w packed as [N,K]."""

    x: Operand
    w: Operand
    scale: Operand | None = None  # f32[]; multiplies w

    mnemonic: ClassVar[str] = "quantized_matmul"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "w": "value", "scale": "value"}


@dataclass(frozen=True, kw_only=True)
class StateRead:
    """The current contents of a state."""

    state: State

    mnemonic: ClassVar[str] = "state_read"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"state": "state"}


@dataclass(frozen=True, kw_only=True)
class StateWrite:
    """Replaces the contents of a state; the result is the new contents."""

    state: State
    value: Operand

    mnemonic: ClassVar[str] = "state_write"
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 1
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
    result_count: ClassVar[int] = 0
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
    result_count: ClassVar[int] = 0
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
    result_count: ClassVar[int] = 0
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
    result_count: ClassVar[int] = 0
    kinds: ClassVar[Kinds] = {"operands": "values", "graph": "graph"}


@dataclass(frozen=True, kw_only=True)
class Custom:
    """An op that the host registered under `name`; its result types are declared."""

    name: str
    operands: Sequence[Operand] = ()
    attributes: Mapping[str, NamedValue] | None = None
    results: Sequence[TensorType]

    mnemonic: ClassVar[str] = "custom"
    result_count: ClassVar[int] = 0
    kinds: ClassVar[Kinds] = {"name": "text", "operands": "values", "attributes": "attributes", "results": "types"}


@dataclass(frozen=True, kw_only=True)
class Activation:
    """y = fn(x), element by element; alpha and beta where `fn` has them, absent: its default."""

    fn: ActivationFn
    x: Operand
    alpha: float | None = None
    beta: float | None = None

    mnemonic: ClassVar[str] = "{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "alpha": "real", "beta": "real"}


@dataclass(frozen=True, kw_only=True)
class Clip:
    """min(max(x, low), high) after promotion and broadcasting; where low > high the result is high. One bound at least."""

    x: Operand
    low: Operand | None = None
    high: Operand | None = None

    mnemonic: ClassVar[str] = "clip"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "low": "value", "high": "value"}


@dataclass(frozen=True, kw_only=True)
class Bitcast:
    """The same bits under another dtype of equal width; to bool only from bool."""

    x: Operand
    dtype: DType

    mnemonic: ClassVar[str] = "bitcast"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class Complex:
    """re + i·im as c64, after broadcasting."""

    re: Operand
    im: Operand

    mnemonic: ClassVar[str] = "complex"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"re": "value", "im": "value"}


@dataclass(frozen=True, kw_only=True)
class Cumulate:
    """y[i] = fn(x[0] … x[i]) along `axis`."""

    fn: CumulateFn
    x: Operand
    axis: int = -1
    exclusive: bool = False  # without x[i] itself; the first is the empty reduction
    reverse: bool = False  # from the end to the front
    dtype: DType | None = None  # dtype of accumulation and result of sum and prod; absent: x's, i64 for bool

    mnemonic: ClassVar[str] = "cum{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "axis": "integer",
        "exclusive": "boolean",
        "reverse": "boolean",
        "dtype": DType,
    }


@dataclass(frozen=True, kw_only=True)
class Sort:
    """x in order along `axis`, and where each element was (i64). Stable; NaN counts as larger than everything."""

    x: Operand
    axis: int = -1
    descending: bool = False

    mnemonic: ClassVar[str] = "sort"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "descending": "boolean"}


@dataclass(frozen=True, kw_only=True)
class TopK:
    """The k largest along `axis` in descending order (or smallest, ascending), and their indices (i64). The lowest index wins a tie; NaN counts as larger than everything."""

    x: Operand
    k: Size
    axis: int = -1
    largest: bool = True
    sorted: bool = True  # false: any order

    mnemonic: ClassVar[str] = "topk"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "k": "dim", "axis": "integer", "largest": "boolean", "sorted": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Partition:
    """x along `axis` such that element `kth` is where sorting puts it, with none larger before and none smaller after; and where each element was (i64). Any order on either side."""

    x: Operand
    kth: Size
    axis: int = -1

    mnemonic: ClassVar[str] = "partition"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "kth": "dim", "axis": "integer"}


@dataclass(frozen=True, kw_only=True)
class Median:
    """The middle of the sorted elements along `axis`: of an even count the lower one, with `average` the mean of both. NaN where there is one."""

    x: Operand
    axis: int = -1
    keepdims: bool = False
    average: bool = False

    mnemonic: ClassVar[str] = "median"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axis": "integer", "keepdims": "boolean", "average": "boolean"}


@dataclass(frozen=True, kw_only=True)
class SearchSorted:
    """For each of `values` how many of `sorted` (ascending, one axis) are smaller, with `right` smaller or equal: i64. Fails where that is not ascending."""

    sorted: Operand
    values: Operand
    right: bool = False

    mnemonic: ClassVar[str] = "search_sorted"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"sorted": "value", "values": "value", "right": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Unique:
    """The distinct elements of x, or slices along `axis`; the first index of each, for each element of x which one it is, and how often each occurs (all i64). Binds the symbol `count`."""

    x: Operand
    count: Symbol
    axis: int | None = None  # absent: x flattened
    sorted: bool = True  # false: in the order of first occurrence

    mnemonic: ClassVar[str] = "unique"
    result_count: ClassVar[int] = 4
    kinds: ClassVar[Kinds] = {"x": "value", "count": "symbol", "axis": "integer", "sorted": "boolean"}


@dataclass(frozen=True, kw_only=True)
class DotGeneral:
    """Σ over the contracted axes of a·b. The result has the batch axes, then the other axes of a, then those of b."""

    a: Operand
    b: Operand
    contract_a: Sequence[int]
    contract_b: Sequence[int]
    batch_a: Sequence[int] = ()
    batch_b: Sequence[int] = ()

    mnemonic: ClassVar[str] = "dot_general"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "a": "value",
        "b": "value",
        "contract_a": "integers",
        "contract_b": "integers",
        "batch_a": "integers",
        "batch_b": "integers",
    }


@dataclass(frozen=True, kw_only=True)
class Einsum:
    """Einstein summation: `bij,bjk->bik`; `...` broadcasts, a letter that the result lacks is summed."""

    operands: Sequence[Operand]
    equation: str

    mnemonic: ClassVar[str] = "einsum"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"operands": "values", "equation": "text"}


@dataclass(frozen=True, kw_only=True)
class GroupedMatmul:
    """y[m] = x[m]·w[group[m]]: x [M,K], w [G,K,N] or packed [G,N,K], group integers [M]. A group outside 0 … G-1 fails the call."""

    x: Operand
    w: Operand
    group: Operand
    transpose_w: bool = False  # w is [G,N,K]; always so for packed

    mnemonic: ClassVar[str] = "grouped_matmul"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "w": "value", "group": "value", "transpose_w": "boolean"}


@dataclass(frozen=True, kw_only=True)
class IntegerMatmul:
    """(a - a_zero)·(b - b_zero) on 8-bit integers, in i32. a_zero is a scalar, [M] or [...,M,1], b_zero a scalar, [N] or [...,1,N]."""

    a: Operand
    b: Operand
    a_zero: Operand | None = None
    b_zero: Operand | None = None

    mnemonic: ClassVar[str] = "integer_matmul"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value", "a_zero": "value", "b_zero": "value"}


@dataclass(frozen=True, kw_only=True)
class LoraLinear:
    """x·w + scale·(x·a)·b: x [...,K], w [K,N], a [K,R], b [R,N]; the dtype is that of x·w."""

    x: Operand
    w: Operand
    a: Operand
    b: Operand
    scale: float = 1.0

    mnemonic: ClassVar[str] = "lora_linear"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "w": "value", "a": "value", "b": "value", "scale": "real"}


@dataclass(frozen=True, kw_only=True)
class Tile:
    """x repeated as a whole repeats[i] times along axis i."""

    x: Operand
    repeats: Shape

    mnemonic: ClassVar[str] = "tile"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "repeats": "dims"}


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """Each slice of x along `axis` repeated `count` times in place."""

    x: Operand
    count: Size
    axis: int = 0

    mnemonic: ClassVar[str] = "repeat"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "count": "dim", "axis": "integer"}


@dataclass(frozen=True, kw_only=True)
class Flip:
    """x backwards along `axes`."""

    x: Operand
    axes: Sequence[int]

    mnemonic: ClassVar[str] = "flip"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers"}


@dataclass(frozen=True, kw_only=True)
class Roll:
    """x moved by shifts[i] along axes[i], each axis at most once; what leaves at one end comes back at the other."""

    x: Operand
    shifts: Sequence[int]
    axes: Sequence[int]

    mnemonic: ClassVar[str] = "roll"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "shifts": "integers", "axes": "integers"}


@dataclass(frozen=True, kw_only=True)
class Triangle:
    """The last two axes with 0 above (lower) or below (upper) the k-th diagonal."""

    fn: TriangleFn
    x: Operand
    k: Size | None = None

    mnemonic: ClassVar[str] = "triangle_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "k": "dim"}


@dataclass(frozen=True, kw_only=True)
class Diagonal:
    """The elements x[…, i, …, i + offset, …] of two axes, as a new last axis."""

    x: Operand
    offset: int = 0
    axis1: int = 0
    axis2: int = 1

    mnemonic: ClassVar[str] = "diagonal"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "offset": "integer", "axis1": "integer", "axis2": "integer"}


@dataclass(frozen=True, kw_only=True)
class AsStrided:
    """y[i…] = x's element offset + Σ i·strides, counted in row-major order; every position must be provably inside."""

    x: Operand
    shape: Shape
    strides: Shape
    offset: Size | None = None

    mnemonic: ClassVar[str] = "as_strided"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims", "strides": "dims", "offset": "dim"}


@dataclass(frozen=True, kw_only=True)
class Unfold:
    """Windows of `kernel` over the last axes: [N, C, spatial…] becomes [N, C·∏kernel, positions]; outside x is 0."""

    x: Operand
    kernel: Sequence[int]
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: all 0
    after: Shape = ()  # empty: all 0

    mnemonic: ClassVar[str] = "unfold"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "kernel": "integers",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
    }


@dataclass(frozen=True, kw_only=True)
class Fold:
    """The sum of overlapping windows: the transpose of unfold onto the spatial sizes `shape`."""

    x: Operand
    shape: Shape
    kernel: Sequence[int]
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: all 0
    after: Shape = ()  # empty: all 0

    mnemonic: ClassVar[str] = "fold"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "shape": "dims",
        "kernel": "integers",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
    }


@dataclass(frozen=True, kw_only=True)
class Item:
    """Binds a symbol to the value of an integer scalar, which must lie within the symbol's bounds; the result is x."""

    x: Operand
    symbol: Symbol

    mnemonic: ClassVar[str] = "item"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "symbol": "symbol"}


@dataclass(frozen=True, kw_only=True)
class DynamicSlice:
    """sizes[i] elements of x from starts[i] on along axes[i]; starts are integer scalars."""

    x: Operand
    starts: Sequence[Operand]
    axes: Sequence[int]
    sizes: Shape
    mode: IndexMode = IndexMode.error  # error: fails unless it fits; clamp: the start moves so that it fits; drop: outside reads 0, and only then may sizes be larger than the axis

    mnemonic: ClassVar[str] = "dynamic_slice"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "starts": "values", "axes": "integers", "sizes": "dims", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class DynamicUpdate:
    """x with `update` written at `starts` along `axes`."""

    x: Operand
    update: Operand
    starts: Sequence[Operand]
    axes: Sequence[int]
    mode: IndexMode = IndexMode.error  # as in state_update

    mnemonic: ClassVar[str] = "dynamic_update"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "update": "value",
        "starts": "values",
        "axes": "integers",
        "mode": IndexMode,
    }


@dataclass(frozen=True, kw_only=True)
class GatherNd:
    """y[b…, i…] = x[b…, indices[b…, i…, :]]: the last axis of indices, of literal size, holds coordinates; the first batch_dims axes are shared."""

    x: Operand
    indices: Operand
    batch_dims: int = 0
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "gather_nd"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "batch_dims": "integer", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class ScatterNd:
    """x with x[indices[i…, :]] = fn(x[…], updates[i…])."""

    fn: ScatterFn
    x: Operand
    indices: Operand
    updates: Operand
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "scatter_nd_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "updates": "value", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class IndexGet:
    """x indexed as NumPy does by integer tensors, one for each of `axes`: they broadcast; their axes stand where the indexed ones stood, or in front when those are not neighbours."""

    x: Operand
    indices: Sequence[Operand]
    axes: Sequence[int]
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "index_get"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "values", "axes": "integers", "mode": IndexMode}


@dataclass(frozen=True, kw_only=True)
class IndexPut:
    """x with fn(x[…], values) at the places that index_get reads; values broadcast."""

    fn: ScatterFn
    x: Operand
    indices: Sequence[Operand]
    values: Operand
    axes: Sequence[int]
    mode: IndexMode = IndexMode.error

    mnemonic: ClassVar[str] = "index_put_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "indices": "values",
        "values": "value",
        "axes": "integers",
        "mode": IndexMode,
    }


@dataclass(frozen=True, kw_only=True)
class OneHot:
    """1 where the new axis of size `depth` equals the index, else 0; an index outside -depth … depth-1 gives zeros."""

    indices: Operand
    depth: Size
    axis: int = -1
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "one_hot"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"indices": "value", "depth": "dim", "axis": "integer", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class MaskedScatter:
    """x where mask, stretched to x, is false; where it is true, the elements of `source` one after the other, in row-major order; too few fail the call."""

    x: Operand
    mask: Operand
    source: Operand

    mnemonic: ClassVar[str] = "masked_scatter"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "mask": "value", "source": "value"}


@dataclass(frozen=True, kw_only=True)
class Eye:
    """1 on the k-th diagonal, else 0."""

    rows: Size
    columns: Size
    k: Size | None = None
    dtype: DType = DType.f32

    mnemonic: ClassVar[str] = "eye"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"rows": "dim", "columns": "dim", "k": "dim", "dtype": DType}


@dataclass(frozen=True, kw_only=True)
class RandomCategorical:
    """Samples along `axis` of unnormalised log-probabilities: argmax(logits + Gumbel noise): i64."""

    key: Operand  # u32[2]
    logits: Operand
    axis: int = -1

    mnemonic: ClassVar[str] = "random_categorical"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"key": "value", "logits": "value", "axis": "integer"}


@dataclass(frozen=True, kw_only=True)
class RandomPermutation:
    """The numbers 0 … length-1 in random order: i64."""

    key: Operand  # u32[2]
    length: Size

    mnemonic: ClassVar[str] = "random_permutation"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"key": "value", "length": "dim"}


@dataclass(frozen=True, kw_only=True)
class Dropout:
    """x / (1 - ratio) where a uniform draw is at least ratio, else 0; and that mask (bool)."""

    x: Operand
    key: Operand  # u32[2]
    ratio: float = 0.5

    mnemonic: ClassVar[str] = "dropout"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "key": "value", "ratio": "real"}


@dataclass(frozen=True, kw_only=True)
class Conv:
    """Cross-correlation. x [N,C,spatial…], w [O,C/groups,kernel…], bias [O]."""

    x: Operand
    w: Operand
    bias: Operand | None = None
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # zeros in front of each spatial axis; empty: none
    after: Shape = ()  # zeros behind each spatial axis; empty: none
    groups: int = 1

    mnemonic: ClassVar[str] = "conv"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "bias": "value",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "groups": "integer",
    }


@dataclass(frozen=True, kw_only=True)
class ConvTranspose:
    """The transpose of conv. x [N,C,spatial…], w [C,O/groups,kernel…]; size (in-1)·stride - before - after + dilation·(kernel-1) + 1 + output_padding."""

    x: Operand
    w: Operand
    bias: Operand | None = None
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # cut off in front of each spatial axis; empty: none
    after: Shape = ()  # cut off behind each spatial axis; empty: none
    output_padding: Shape = ()  # added behind each spatial axis; empty: none
    groups: int = 1

    mnemonic: ClassVar[str] = "conv_transpose"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "bias": "value",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "output_padding": "dims",
        "groups": "integer",
    }


@dataclass(frozen=True, kw_only=True)
class IntegerConv:
    """conv of 8-bit integers in i32: (x - x_zero) with (w - w_zero); padding is x_zero. Zero points are scalars, w_zero may be [O]."""

    x: Operand
    w: Operand
    x_zero: Operand | None = None
    w_zero: Operand | None = None
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: none
    after: Shape = ()  # empty: none
    groups: int = 1

    mnemonic: ClassVar[str] = "integer_conv"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "x_zero": "value",
        "w_zero": "value",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "groups": "integer",
    }


@dataclass(frozen=True, kw_only=True)
class DeformConv:
    """conv of two spatial axes that reads x at positions moved by `offset` [N, 2·G·kh·kw, oh, ow] (row, column), bilinear, times `mask` [N, G·kh·kw, oh, ow]; the C channels form G offset groups."""

    x: Operand
    w: Operand
    offset: Operand
    bias: Operand | None = None
    mask: Operand | None = None
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: none
    after: Shape = ()  # empty: none
    groups: int = 1
    offset_groups: int = 1

    mnemonic: ClassVar[str] = "deform_conv"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "offset": "value",
        "bias": "value",
        "mask": "value",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "groups": "integer",
        "offset_groups": "integer",
    }


@dataclass(frozen=True, kw_only=True)
class Pool:
    """fn over windows of the spatial axes of x [N,C,spatial…]."""

    fn: PoolFn
    x: Operand
    kernel: Sequence[int]
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: none
    after: Shape = ()  # empty: none
    ceil_mode: bool = False  # a last window that reaches beyond the padding counts, if it begins in x or the padding in front of it
    count_include_pad: bool = False  # avg: padding counts as elements
    p: float = 2.0  # lp

    mnemonic: ClassVar[str] = "pool_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "kernel": "integers",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "ceil_mode": "boolean",
        "count_include_pad": "boolean",
        "p": "real",
    }


@dataclass(frozen=True, kw_only=True)
class MaxPoolIndices:
    """pool_max, and where each maximum was: i64, positions of x counted in row-major order (with column_major: the spatial axes in reverse order), -1 where a window has no element. The first wins a tie."""

    x: Operand
    kernel: Sequence[int]
    strides: Sequence[int] = ()  # empty: all 1
    dilations: Sequence[int] = ()  # empty: all 1
    before: Shape = ()  # empty: none
    after: Shape = ()  # empty: none
    ceil_mode: bool = False
    column_major: bool = False
    per_channel: bool = False  # positions count within the spatial axes of one channel

    mnemonic: ClassVar[str] = "pool_max_indices"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "kernel": "integers",
        "strides": "integers",
        "dilations": "integers",
        "before": "dims",
        "after": "dims",
        "ceil_mode": "boolean",
        "column_major": "boolean",
        "per_channel": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class AdaptivePool:
    """fn over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`."""

    fn: PoolFn
    x: Operand
    shape: Shape
    p: float = 2.0  # lp

    mnemonic: ClassVar[str] = "adaptive_pool_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "shape": "dims", "p": "real"}


@dataclass(frozen=True, kw_only=True)
class MaxUnpool:
    """Zeros of `shape` [N,C,spatial…] with x at `indices`, as pool_max_indices gives them in row-major order; the last wins."""

    x: Operand
    indices: Operand
    shape: Shape
    per_channel: bool = False  # indices count within the spatial axes of one channel

    mnemonic: ClassVar[str] = "max_unpool"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "indices": "value", "shape": "dims", "per_channel": "boolean"}


@dataclass(frozen=True, kw_only=True)
class GroupNorm:
    """x [N,C,…] normalised over each group of channels and all spatial axes; weight and bias [C]."""

    x: Operand
    weight: Operand | None = None
    bias: Operand | None = None
    groups: int
    eps: float = 0.00001

    mnemonic: ClassVar[str] = "group_norm"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "weight": "value", "bias": "value", "groups": "integer", "eps": "real"}


@dataclass(frozen=True, kw_only=True)
class BatchNorm:
    """(x - mean) / sqrt(var + eps) · weight + bias with given statistics, all [C] along `axis`."""

    x: Operand
    mean: Operand
    var: Operand
    weight: Operand | None = None
    bias: Operand | None = None
    axis: int = 1
    eps: float = 0.00001

    mnemonic: ClassVar[str] = "batch_norm"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "mean": "value",
        "var": "value",
        "weight": "value",
        "bias": "value",
        "axis": "integer",
        "eps": "real",
    }


@dataclass(frozen=True, kw_only=True)
class LocalResponseNorm:
    """x / (bias + alpha/size·Σ x²)^beta, the sum over `size` neighbours along axis 1: ⌊(size-1)/2⌋ before, ⌈(size-1)/2⌉ after."""

    x: Operand
    size: int
    alpha: float = 0.0001
    beta: float = 0.75
    bias: float = 1.0

    mnemonic: ClassVar[str] = "local_response_norm"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "size": "integer", "alpha": "real", "beta": "real", "bias": "real"}


@dataclass(frozen=True, kw_only=True)
class LpNormalize:
    """x / max(‖x‖_p, eps) over `axes`; 0 where both are 0."""

    x: Operand
    axes: Sequence[int]
    p: float = 2.0  # more than 0; inf: the largest magnitude
    eps: float = 0.0

    mnemonic: ClassVar[str] = "lp_normalize"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "p": "real", "eps": "real"}


@dataclass(frozen=True, kw_only=True)
class PagedAttention:
    """attention whose keys and values lie in pages: q [B,H,S,D], k and v pages [P,page,G,D] and [P,page,G,E]; key t of batch b is row t mod page of page table[b, t / page]; lengths [B]. Queries are the last S positions of each."""

    q: Operand
    k: Operand
    v: Operand
    table: Operand  # integers [B, pages]
    lengths: Operand  # integers [B]
    scale: float | None = None  # absent: 1/sqrt(D)
    causal: bool = True  # false: every query sees every key
    window: int | None = None
    softcap: float | None = None
    sinks: Operand | None = None  # [H], as in attention

    mnemonic: ClassVar[str] = "paged_attention"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "q": "value",
        "k": "value",
        "v": "value",
        "table": "value",
        "lengths": "value",
        "scale": "real",
        "causal": "boolean",
        "window": "integer",
        "softcap": "real",
        "sinks": "value",
    }


@dataclass(frozen=True, kw_only=True)
class Rope:
    """Rotary embedding: the first `dims` elements of the last axis, as pairs (x_i, x_(i+dims/2)) or interleaved (x_2i, x_(2i+1)), turned by the angle position·scale·freqs[i]."""

    x: Operand
    positions: Operand  # numbers that broadcast to x without its last axis; with `sections` one more axis in front, of their number
    freqs: Operand | None = None  # [dims/2]; absent: base^(-2i/dims)
    dims: int | None = None  # absent: the whole axis
    base: float = 10000.0  # of the default freqs
    scale: float = 1.0
    interleaved: bool = False
    sections: Sequence[int] = ()  # how many pairs take their position from each entry of positions: 2-D and 3-D embeddings

    mnemonic: ClassVar[str] = "rope"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "positions": "value",
        "freqs": "value",
        "dims": "integer",
        "base": "real",
        "scale": "real",
        "interleaved": "boolean",
        "sections": "integers",
    }


@dataclass(frozen=True, kw_only=True)
class RopeTable:
    """The same with tables: cos and sin broadcast to x's shape with a last axis of dims/2."""

    x: Operand
    cos: Operand
    sin: Operand
    interleaved: bool = False

    mnemonic: ClassVar[str] = "rope_table"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "cos": "value", "sin": "value", "interleaved": "boolean"}


@dataclass(frozen=True, kw_only=True)
class FakeQuantize:
    """scale·(clip(round(x / scale) + zero, low, high) - zero): x as it would read after quantisation. scale and zero broadcast to x."""

    x: Operand
    scale: Operand
    zero: Operand | None = None
    low: int = -128
    high: int = 127
    gradient: FakeQuantizeGradient = FakeQuantizeGradient.clipped  # how the derivative treats the rounding

    mnemonic: ClassVar[str] = "fake_quantize"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "scale": "value",
        "zero": "value",
        "low": "integer",
        "high": "integer",
        "gradient": FakeQuantizeGradient,
    }


@dataclass(frozen=True, kw_only=True)
class Resize:
    """x at other sizes along `axes`; nearest for any dtype, the others for reals."""

    x: Operand
    axes: Sequence[int]
    sizes: Shape
    scales: Sequence[float] = ()  # output size / input size where it is not the quotient of the two; empty: the quotient
    mode: ResizeMode = ResizeMode.linear
    coordinates: ResizeCoordinates = ResizeCoordinates.half_pixel
    rounding: ResizeRounding = ResizeRounding.round_prefer_floor  # mode nearest
    cubic_coefficient: float = -0.75
    exclude_outside: bool = False  # weights of samples outside x are 0 and the others sum to 1 (not in mode nearest)
    antialias: bool = False  # smaller outputs average over what they cover (not in mode nearest)
    roi: Sequence[float] = ()  # starts, then ends, of each of axes, relative to its size: tf_crop_and_resize
    extrapolation: float = 0.0
    factors: Operand | None = None  # real [axes]: the scales as a value, instead of scales
    region: Operand | None = None  # real [2·axes]: roi as a value, instead of roi

    mnemonic: ClassVar[str] = "resize"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "axes": "integers",
        "sizes": "dims",
        "scales": "reals",
        "mode": ResizeMode,
        "coordinates": ResizeCoordinates,
        "rounding": ResizeRounding,
        "cubic_coefficient": "real",
        "exclude_outside": "boolean",
        "antialias": "boolean",
        "roi": "reals",
        "extrapolation": "real",
        "factors": "value",
        "region": "value",
    }


@dataclass(frozen=True, kw_only=True)
class GridSample:
    """x [N,C,spatial…] read at `grid` [N,out…,rank]: coordinates -1 … 1, the last axis of x first."""

    x: Operand
    grid: Operand
    mode: GridMode = GridMode.linear
    padding: GridPadding = GridPadding.zeros
    align_corners: bool = False

    mnemonic: ClassVar[str] = "grid_sample"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "grid": "value",
        "mode": GridMode,
        "padding": GridPadding,
        "align_corners": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class RoiAlign:
    """Regions [R,4] (x1, y1, x2, y2) of x [N,C,H,W], from image batch[r], sampled bilinearly to height × width bins: avg is the mean of the samples, max their largest weight·element."""

    fn: RoiFn
    x: Operand
    rois: Operand
    batch: Operand
    height: int = 1
    width: int = 1
    sampling: int = 0  # samples per bin and axis; 0: ⌈size of the bin⌉
    scale: float = 1.0
    half_pixel: bool = True  # coordinates are moved by -1/2

    mnemonic: ClassVar[str] = "roi_align_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "rois": "value",
        "batch": "value",
        "height": "integer",
        "width": "integer",
        "sampling": "integer",
        "scale": "real",
        "half_pixel": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class RoiPool:
    """The maximum of each of height × width bins of regions [R,5] (batch, x1, y1, x2, y2), corners rounded."""

    x: Operand
    rois: Operand
    height: int
    width: int
    scale: float = 1.0

    mnemonic: ClassVar[str] = "roi_pool"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "rois": "value", "height": "integer", "width": "integer", "scale": "real"}


@dataclass(frozen=True, kw_only=True)
class Nms:
    """Boxes [N,B,4] that survive for each class of scores [N,C,B], best first: rows (batch, class, box) as i64[count, 3]. Binds the symbol `count`."""

    boxes: Operand
    scores: Operand
    count: Symbol
    max_output: Size  # of each class
    iou_threshold: Operand | None = None  # real scalar: a box that overlaps a better one by more than this goes; absent: 0
    score_threshold: Operand | None = None  # real scalar; absent: none is too low
    center: bool = False  # boxes are (x, y, width, height) about their centre, not corners (y1, x1, y2, x2)

    mnemonic: ClassVar[str] = "nms"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "boxes": "value",
        "scores": "value",
        "count": "symbol",
        "max_output": "dim",
        "iou_threshold": "value",
        "score_threshold": "value",
        "center": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class Rnn:
    """h = f(x·wᵀ + h·rᵀ + b). x [T,B,I], w [D,H,I], r [D,H,H], bias [D,2H], lengths integers [B], h0 [D,B,H]. Results: every h [T,D,B,H], the last h [D,B,H]."""

    x: Operand
    w: Operand
    r: Operand
    bias: Operand | None = None
    lengths: Operand | None = None
    h0: Operand | None = None
    direction: RnnDirection = RnnDirection.forward
    activations: Sequence[RnnActivation] = ()  # one for each direction; empty: tanh
    alphas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    betas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    clip: float | None = None  # what goes into an activation is cut to ±clip

    mnemonic: ClassVar[str] = "rnn"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "r": "value",
        "bias": "value",
        "lengths": "value",
        "h0": "value",
        "direction": RnnDirection,
        "activations": [RnnActivation],
        "alphas": "reals",
        "betas": "reals",
        "clip": "real",
    }


@dataclass(frozen=True, kw_only=True)
class Gru:
    """Gates z, r, h stacked in w [D,3H,I], r [D,3H,H], bias [D,6H]; results as rnn."""

    x: Operand
    w: Operand
    r: Operand
    bias: Operand | None = None
    lengths: Operand | None = None
    h0: Operand | None = None
    direction: RnnDirection = RnnDirection.forward
    activations: Sequence[RnnActivation] = ()  # two for each direction; empty: sigmoid, tanh
    alphas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    betas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    clip: float | None = None
    linear_before_reset: bool = False  # the reset gate multiplies h·rᵀ + b, not h

    mnemonic: ClassVar[str] = "gru"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "r": "value",
        "bias": "value",
        "lengths": "value",
        "h0": "value",
        "direction": RnnDirection,
        "activations": [RnnActivation],
        "alphas": "reals",
        "betas": "reals",
        "clip": "real",
        "linear_before_reset": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class Lstm:
    """Gates i, o, f, c stacked in w [D,4H,I], r [D,4H,H], bias [D,8H]; peepholes i, o, f [D,3H]. Results as rnn, and the last c [D,B,H]."""

    x: Operand
    w: Operand
    r: Operand
    bias: Operand | None = None
    lengths: Operand | None = None
    h0: Operand | None = None
    c0: Operand | None = None
    peepholes: Operand | None = None
    direction: RnnDirection = RnnDirection.forward
    activations: Sequence[RnnActivation] = ()  # three for each direction; empty: sigmoid, tanh, tanh
    alphas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    betas: Sequence[float] = ()  # one for each activation that takes one, in order; empty: the defaults
    clip: float | None = None
    input_forget: bool = False  # f = 1 - i

    mnemonic: ClassVar[str] = "lstm"
    result_count: ClassVar[int] = 3
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "w": "value",
        "r": "value",
        "bias": "value",
        "lengths": "value",
        "h0": "value",
        "c0": "value",
        "peepholes": "value",
        "direction": RnnDirection,
        "activations": [RnnActivation],
        "alphas": "reals",
        "betas": "reals",
        "clip": "real",
        "input_forget": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class SelectiveScan:
    """h_t = exp(Δ_t·a)·h + Δ_t·b_t·x_t, y_t = c_t·h_t + d·x_t. x and delta [B,S,C], a [C,N], b and c [B,S,N], d [C], h0 [B,C,N]. Results: y [B,S,C] in x's dtype, the last h in that of h0, or f32 at least."""

    x: Operand
    delta: Operand
    a: Operand
    b: Operand
    c: Operand
    d: Operand | None = None
    h0: Operand | None = None

    mnemonic: ClassVar[str] = "selective_scan"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "delta": "value",
        "a": "value",
        "b": "value",
        "c": "value",
        "d": "value",
        "h0": "value",
    }


@dataclass(frozen=True, kw_only=True)
class GatedDelta:
    """Linear attention with decay: S ← e^g·S, u = beta·(v - Sᵀk), S ← S + k·uᵀ, o = scale·Sᵀq for each step. q [B,H,T,K], k [B,G,T,K], v [B,G,T,V], H a multiple of G. Results: o [B,H,T,V], the last S [B,G,K,V] in the dtype of the first, or f32 at least."""

    q: Operand
    k: Operand
    v: Operand
    g: Operand | None = None  # [B,G,T], or [B,G,T,K] for each row of S; absent: 0
    beta: Operand | None = None  # [B,G,T]; absent: 1
    state: Operand | None = None  # the first S; absent: 0
    scale: float | None = None  # absent: 1/sqrt(K)
    delta: bool = True  # false: u = beta·v

    mnemonic: ClassVar[str] = "gated_delta"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "q": "value",
        "k": "value",
        "v": "value",
        "g": "value",
        "beta": "value",
        "state": "value",
        "scale": "real",
        "delta": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class Fft:
    """The discrete Fourier transform of c64 along `axes`, or its inverse."""

    fn: FftFn
    x: Operand
    axes: Sequence[int]
    sizes: Shape = ()  # sizes that x is cut or zero-padded to first; empty: as they are
    norm: FftNorm = FftNorm.backward

    mnemonic: ClassVar[str] = "fft_{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "sizes": "dims", "norm": FftNorm}


@dataclass(frozen=True, kw_only=True)
class Rfft:
    """The transform of reals: the last of `axes` keeps the n/2 + 1 frequencies from 0 on."""

    x: Operand
    axes: Sequence[int]
    sizes: Shape = ()  # empty: as they are
    norm: FftNorm = FftNorm.backward

    mnemonic: ClassVar[str] = "rfft"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "sizes": "dims", "norm": FftNorm}


@dataclass(frozen=True, kw_only=True)
class Irfft:
    """The inverse of rfft: reals, whose last axis has the given size."""

    x: Operand
    axes: Sequence[int]
    sizes: Shape  # of the result; its last entry decides between even and odd
    norm: FftNorm = FftNorm.backward

    mnemonic: ClassVar[str] = "irfft"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "axes": "integers", "sizes": "dims", "norm": FftNorm}


@dataclass(frozen=True, kw_only=True)
class Stft:
    """Transforms of windows of the last axis: frames of `length` every `step`, times `window` [length]: c64 […, frames, bins]."""

    x: Operand
    window: Operand | None = None
    length: Size
    step: Size
    onesided: bool = True  # bins length/2 + 1 instead of length; x must be real

    mnemonic: ClassVar[str] = "stft"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "window": "value", "length": "dim", "step": "dim", "onesided": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Cholesky:
    """L with x = L·Lᵀ (Lᴴ), or with `upper` Lᵀ; reads that triangle of x alone. Fails where x is not positive definite."""

    x: Operand
    upper: bool = False

    mnemonic: ClassVar[str] = "cholesky"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "upper": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Qr:
    """q, r with x = q·r; the diagonal of r is not negative. complete: q is square."""

    x: Operand
    complete: bool = False

    mnemonic: ClassVar[str] = "qr"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "complete": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Svd:
    """u, s, vt with x = u·diag(s)·vt, s descending; full: u and vt are square. In each column of u the first component of at least 0.999 times the largest magnitude is positive."""

    x: Operand
    full: bool = False

    mnemonic: ClassVar[str] = "svd"
    result_count: ClassVar[int] = 3
    kinds: ClassVar[Kinds] = {"x": "value", "full": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Eigh:
    """Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices; reads the lower triangle, or the upper. In each vector the first component of at least 0.999 times the largest magnitude is positive."""

    x: Operand
    upper: bool = False

    mnemonic: ClassVar[str] = "eigh"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value", "upper": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Solve:
    """y with a·y = b, b [..., n, m]. Fails where a is singular."""

    a: Operand
    b: Operand

    mnemonic: ClassVar[str] = "solve"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value"}


@dataclass(frozen=True, kw_only=True)
class TriangularSolve:
    """y with a·y = b for triangular a; the other triangle is not read. Fails where the diagonal has a 0."""

    a: Operand
    b: Operand
    upper: bool = False
    transpose: bool = False  # aᵀ·y = b
    unit: bool = False  # the diagonal counts as 1

    mnemonic: ClassVar[str] = "triangular_solve"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value", "upper": "boolean", "transpose": "boolean", "unit": "boolean"}


@dataclass(frozen=True, kw_only=True)
class Inverse:
    """The inverse of square matrices. Fails where x is singular."""

    x: Operand

    mnemonic: ClassVar[str] = "inverse"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class Det:
    """The determinant of square matrices."""

    x: Operand

    mnemonic: ClassVar[str] = "det"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class SlogDet:
    """The sign of the determinant and the logarithm of its magnitude."""

    x: Operand

    mnemonic: ClassVar[str] = "slogdet"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class Lstsq:
    """The y of least norm that minimises ‖a·y - b‖; singular values of at most rcond times the largest count as 0."""

    a: Operand
    b: Operand
    rcond: float | None = None  # absent: the dtype's epsilon times the larger size

    mnemonic: ClassVar[str] = "lstsq"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"a": "value", "b": "value", "rcond": "real"}


@dataclass(frozen=True, kw_only=True)
class Expm:
    """e^x of square matrices."""

    x: Operand

    mnemonic: ClassVar[str] = "expm"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value"}


@dataclass(frozen=True, kw_only=True)
class SoftmaxCrossEntropy:
    """-Σ target·log softmax(logits) along `axis`: labels integers without that axis, or probabilities of logits' shape. Class weights [C]: with integer labels a mean divides by the weights of those that count, with probabilities by the rows."""

    logits: Operand
    labels: Operand
    weight: Operand | None = None
    axis: int = -1
    ignore: int | None = None  # integer labels of this value count for nothing
    smoothing: float = 0.0
    reduction: LossReduction = LossReduction.mean

    mnemonic: ClassVar[str] = "softmax_cross_entropy"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "logits": "value",
        "labels": "value",
        "weight": "value",
        "axis": "integer",
        "ignore": "integer",
        "smoothing": "real",
        "reduction": LossReduction,
    }


@dataclass(frozen=True, kw_only=True)
class Loss:
    """fn(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements."""

    fn: LossFn
    x: Operand
    target: Operand
    weight: Operand | None = None
    delta: float = 1.0  # huber and smooth_l1
    reduction: LossReduction = LossReduction.mean

    mnemonic: ClassVar[str] = "{fn}_loss"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "x": "value",
        "target": "value",
        "weight": "value",
        "delta": "real",
        "reduction": LossReduction,
    }


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One token for each row of logits […, V]: the largest where temperature is 0, else a draw from the softmax of logits / temperature, cut to the top_k largest, then to the smallest set of at least top_p mass, then to those of at least min_p times the largest probability: i64 […]."""

    logits: Operand
    key: Operand  # u32[2]
    temperature: float = 1.0
    top_k: int | None = None  # absent: all
    top_p: float = 1.0
    min_p: float = 0.0

    mnemonic: ClassVar[str] = "sample"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {
        "logits": "value",
        "key": "value",
        "temperature": "real",
        "top_k": "integer",
        "top_p": "real",
        "min_p": "real",
    }


@dataclass(frozen=True, kw_only=True)
class MoeRoute:
    """The k experts of each row of logits [T,E], best first, and their weights: weights [T,k], experts i64 [T,k]."""

    fn: RouterFn
    logits: Operand
    bias: Operand | None = None  # [E]: added to the scores for the choice, not to the weights
    k: int
    groups: int = 1  # experts in as many groups, of which the `top_groups` best by the sum of their two best biased scores take part
    top_groups: int = 1
    normalize: bool = False  # weights sum to 1
    scale: float = 1.0

    mnemonic: ClassVar[str] = "moe_route_{fn}"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "logits": "value",
        "bias": "value",
        "k": "integer",
        "groups": "integer",
        "top_groups": "integer",
        "normalize": "boolean",
        "scale": "real",
    }


@dataclass(frozen=True, kw_only=True)
class MoeCombine:
    """Σ over k of weights [T,k] · x [T,k,D], in x's dtype."""

    x: Operand
    weights: Operand

    mnemonic: ClassVar[str] = "moe_combine"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"x": "value", "weights": "value"}


@dataclass(frozen=True, kw_only=True)
class AdamwStep:
    """One step of AdamW; results: p, m, v, each in the dtype of the operand that it replaces. step counts from 1; lr is a scalar value."""

    p: Operand
    g: Operand
    m: Operand
    v: Operand
    step: Operand
    lr: Operand
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 0.00000001
    weight_decay: float = 0.01

    mnemonic: ClassVar[str] = "adamw_step"
    result_count: ClassVar[int] = 3
    kinds: ClassVar[Kinds] = {
        "p": "value",
        "g": "value",
        "m": "value",
        "v": "value",
        "step": "value",
        "lr": "value",
        "beta1": "real",
        "beta2": "real",
        "eps": "real",
        "weight_decay": "real",
    }


@dataclass(frozen=True, kw_only=True)
class LionStep:
    """One step of Lion; results: p, m, each in the dtype of the operand that it replaces."""

    p: Operand
    g: Operand
    m: Operand
    lr: Operand
    beta1: float = 0.9
    beta2: float = 0.99
    weight_decay: float = 0.0

    mnemonic: ClassVar[str] = "lion_step"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "p": "value",
        "g": "value",
        "m": "value",
        "lr": "value",
        "beta1": "real",
        "beta2": "real",
        "weight_decay": "real",
    }


@dataclass(frozen=True, kw_only=True)
class SgdStep:
    """One step of SGD with momentum; results: p, m, each in the dtype of the operand that it replaces."""

    p: Operand
    g: Operand
    m: Operand
    lr: Operand
    momentum: float = 0.0
    dampening: float = 0.0
    weight_decay: float = 0.0
    nesterov: bool = False

    mnemonic: ClassVar[str] = "sgd_step"
    result_count: ClassVar[int] = 2
    kinds: ClassVar[Kinds] = {
        "p": "value",
        "g": "value",
        "m": "value",
        "lr": "value",
        "momentum": "real",
        "dampening": "real",
        "weight_decay": "real",
        "nesterov": "boolean",
    }


@dataclass(frozen=True, kw_only=True)
class Glu:
    """Gated linear units: value times a function of gate, element by element, of one shape and one dtype."""

    fn: GluFn
    value: Operand
    gate: Operand

    mnemonic: ClassVar[str] = "{fn}"
    result_count: ClassVar[int] = 1
    kinds: ClassVar[Kinds] = {"value": "value", "gate": "value"}


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
    | Activation
    | Clip
    | Bitcast
    | Complex
    | Cumulate
    | Sort
    | TopK
    | Partition
    | Median
    | SearchSorted
    | Unique
    | DotGeneral
    | Einsum
    | GroupedMatmul
    | IntegerMatmul
    | LoraLinear
    | Tile
    | Repeat
    | Flip
    | Roll
    | Triangle
    | Diagonal
    | AsStrided
    | Unfold
    | Fold
    | Item
    | DynamicSlice
    | DynamicUpdate
    | GatherNd
    | ScatterNd
    | IndexGet
    | IndexPut
    | OneHot
    | MaskedScatter
    | Eye
    | RandomCategorical
    | RandomPermutation
    | Dropout
    | Conv
    | ConvTranspose
    | IntegerConv
    | DeformConv
    | Pool
    | MaxPoolIndices
    | AdaptivePool
    | MaxUnpool
    | GroupNorm
    | BatchNorm
    | LocalResponseNorm
    | LpNormalize
    | PagedAttention
    | Rope
    | RopeTable
    | FakeQuantize
    | Resize
    | GridSample
    | RoiAlign
    | RoiPool
    | Nms
    | Rnn
    | Gru
    | Lstm
    | SelectiveScan
    | GatedDelta
    | Fft
    | Rfft
    | Irfft
    | Stft
    | Cholesky
    | Qr
    | Svd
    | Eigh
    | Solve
    | TriangularSolve
    | Inverse
    | Det
    | SlogDet
    | Lstsq
    | Expm
    | SoftmaxCrossEntropy
    | Loss
    | Sample
    | MoeRoute
    | MoeCombine
    | AdamwStep
    | LionStep
    | SgdStep
    | Glu
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

    def real(self, x: Operand) -> Var:
        """y = real(x), element by element.

        real: the parts of a complex number: f32
        """
        return self.append(Unary(fn=UnaryFn.real, x=x))[0]

    def imag(self, x: Operand) -> Var:
        """y = imag(x), element by element."""
        return self.append(Unary(fn=UnaryFn.imag, x=x))[0]

    def conj(self, x: Operand) -> Var:
        """y = conj(x), element by element."""
        return self.append(Unary(fn=UnaryFn.conj, x=x))[0]

    def angle(self, x: Operand) -> Var:
        """y = angle(x), element by element.

        angle: of a complex number, in radians: f32
        """
        return self.append(Unary(fn=UnaryFn.angle, x=x))[0]

    def lgamma(self, x: Operand) -> Var:
        """y = lgamma(x), element by element.

        lgamma: log |Γ(x)|
        """
        return self.append(Unary(fn=UnaryFn.lgamma, x=x))[0]

    def signbit(self, x: Operand) -> Var:
        """y = signbit(x), element by element.

        signbit: the sign bit is set
        """
        return self.append(Unary(fn=UnaryFn.signbit, x=x))[0]

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

    def reduce_sum(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """sum over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.sum, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_mean(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """mean over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.mean, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_prod(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """prod over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.prod, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_max(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """max over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.max, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_min(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """min over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.min, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_any(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """any over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.any, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_all(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """all over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.all, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_logsumexp(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """logsumexp over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.logsumexp, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_var(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """var over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        var: Σ(x - mean)² / (n - ddof)
        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.var, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

    def reduce_std(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        keepdims: bool = False,
        dtype: DType | None = None,
        ddof: float = 0.0,
    ) -> Var:
        """std over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.

        std: the root of var
        dtype: dtype of accumulation and result of sum, mean and prod; absent: x's, i64 for bool
        ddof: var and std: subtracted from the count
        """
        return self.append(Reduce(fn=ReduceFn.std, x=x, axes=axes, keepdims=keepdims, dtype=dtype, ddof=ddof))[0]

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
        sinks: Operand | None = None,
        lengths: Operand | None = None,
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
        sinks: [H]: a score without a value that joins the softmax of every row
        lengths: integers [B]: keys from lengths[b] on are not seen; `lower_right` aligns at that length
        """
        return self.append(Attention(
            q=q,
            k=k,
            v=v,
            mask=mask,
            sinks=sinks,
            lengths=lengths,
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

    def elu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = elu(x), element by element; alpha and beta where `elu` has them, absent: its default.

        elu: x > 0 ? x : alpha·(e^x - 1); alpha 1
        """
        return self.append(Activation(fn=ActivationFn.elu, x=x, alpha=alpha, beta=beta))[0]

    def selu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = selu(x), element by element; alpha and beta where `selu` has them, absent: its default.

        selu: beta·(x > 0 ? x : alpha·(e^x - 1)); alpha 1.67326319217681884765625, beta 1.05070102214813232421875
        """
        return self.append(Activation(fn=ActivationFn.selu, x=x, alpha=alpha, beta=beta))[0]

    def celu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = celu(x), element by element; alpha and beta where `celu` has them, absent: its default.

        celu: max(x, 0) + min(0, alpha·(e^(x/alpha) - 1)); alpha 1
        """
        return self.append(Activation(fn=ActivationFn.celu, x=x, alpha=alpha, beta=beta))[0]

    def leaky_relu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = leaky_relu(x), element by element; alpha and beta where `leaky_relu` has them, absent: its default.

        leaky_relu: x < 0 ? alpha·x : x; alpha 0.01
        """
        return self.append(Activation(fn=ActivationFn.leaky_relu, x=x, alpha=alpha, beta=beta))[0]

    def hard_sigmoid(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = hard_sigmoid(x), element by element; alpha and beta where `hard_sigmoid` has them, absent: its default.

        hard_sigmoid: clip(alpha·x + beta, 0, 1); alpha 0.2, beta 0.5
        """
        return self.append(Activation(fn=ActivationFn.hard_sigmoid, x=x, alpha=alpha, beta=beta))[0]

    def hard_swish(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = hard_swish(x), element by element; alpha and beta where `hard_swish` has them, absent: its default.

        hard_swish: x·clip(x/6 + 1/2, 0, 1)
        """
        return self.append(Activation(fn=ActivationFn.hard_swish, x=x, alpha=alpha, beta=beta))[0]

    def hard_tanh(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = hard_tanh(x), element by element; alpha and beta where `hard_tanh` has them, absent: its default.

        hard_tanh: clip(x, alpha, beta); alpha -1, beta 1
        """
        return self.append(Activation(fn=ActivationFn.hard_tanh, x=x, alpha=alpha, beta=beta))[0]

    def mish(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = mish(x), element by element; alpha and beta where `mish` has them, absent: its default.

        mish: x·tanh(log(1 + e^x))
        """
        return self.append(Activation(fn=ActivationFn.mish, x=x, alpha=alpha, beta=beta))[0]

    def softsign(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = softsign(x), element by element; alpha and beta where `softsign` has them, absent: its default.

        softsign: x / (1 + |x|)
        """
        return self.append(Activation(fn=ActivationFn.softsign, x=x, alpha=alpha, beta=beta))[0]

    def squared_relu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = squared_relu(x), element by element; alpha and beta where `squared_relu` has them, absent: its default.

        squared_relu: max(x, 0)²
        """
        return self.append(Activation(fn=ActivationFn.squared_relu, x=x, alpha=alpha, beta=beta))[0]

    def thresholded_relu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = thresholded_relu(x), element by element; alpha and beta where `thresholded_relu` has them, absent: its default.

        thresholded_relu: x ≤ alpha ? beta : x; alpha 1, beta 0
        """
        return self.append(Activation(fn=ActivationFn.thresholded_relu, x=x, alpha=alpha, beta=beta))[0]

    def hard_shrink(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = hard_shrink(x), element by element; alpha and beta where `hard_shrink` has them, absent: its default.

        hard_shrink: |x| ≤ alpha ? 0 : x; alpha 0.5
        """
        return self.append(Activation(fn=ActivationFn.hard_shrink, x=x, alpha=alpha, beta=beta))[0]

    def soft_shrink(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = soft_shrink(x), element by element; alpha and beta where `soft_shrink` has them, absent: its default.

        soft_shrink: x < -alpha ? x + beta : x > alpha ? x - beta : 0; alpha 0.5, beta alpha; NaN stays
        """
        return self.append(Activation(fn=ActivationFn.soft_shrink, x=x, alpha=alpha, beta=beta))[0]

    def log_sigmoid(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = log_sigmoid(x), element by element; alpha and beta where `log_sigmoid` has them, absent: its default.

        log_sigmoid: -log(1 + e^-x)
        """
        return self.append(Activation(fn=ActivationFn.log_sigmoid, x=x, alpha=alpha, beta=beta))[0]

    def swish(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = swish(x), element by element; alpha and beta where `swish` has them, absent: its default.

        swish: x·sigmoid(alpha·x); alpha 1
        """
        return self.append(Activation(fn=ActivationFn.swish, x=x, alpha=alpha, beta=beta))[0]

    def quick_gelu(self, x: Operand, *, alpha: float | None = None, beta: float | None = None) -> Var:
        """y = quick_gelu(x), element by element; alpha and beta where `quick_gelu` has them, absent: its default.

        quick_gelu: x·sigmoid(1.702·x)
        """
        return self.append(Activation(fn=ActivationFn.quick_gelu, x=x, alpha=alpha, beta=beta))[0]

    def clip(self, x: Operand, low: Operand | None = None, high: Operand | None = None) -> Var:
        """min(max(x, low), high) after promotion and broadcasting; where low > high the result is high. One bound at least."""
        return self.append(Clip(x=x, low=low, high=high))[0]

    def bitcast(self, x: Operand, dtype: DType) -> Var:
        """The same bits under another dtype of equal width; to bool only from bool."""
        return self.append(Bitcast(x=x, dtype=dtype))[0]

    def complex(self, re: Operand, im: Operand) -> Var:
        """re + i·im as c64, after broadcasting."""
        return self.append(Complex(re=re, im=im))[0]

    def cumsum(
        self,
        x: Operand,
        *,
        axis: int = -1,
        exclusive: bool = False,
        reverse: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """y[i] = sum(x[0] … x[i]) along `axis`.

        exclusive: without x[i] itself; the first is the empty reduction
        reverse: from the end to the front
        dtype: dtype of accumulation and result of sum and prod; absent: x's, i64 for bool
        """
        return self.append(Cumulate(
            fn=CumulateFn.sum,
            x=x,
            axis=axis,
            exclusive=exclusive,
            reverse=reverse,
            dtype=dtype,
        ))[0]

    def cumprod(
        self,
        x: Operand,
        *,
        axis: int = -1,
        exclusive: bool = False,
        reverse: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """y[i] = prod(x[0] … x[i]) along `axis`.

        exclusive: without x[i] itself; the first is the empty reduction
        reverse: from the end to the front
        dtype: dtype of accumulation and result of sum and prod; absent: x's, i64 for bool
        """
        return self.append(Cumulate(
            fn=CumulateFn.prod,
            x=x,
            axis=axis,
            exclusive=exclusive,
            reverse=reverse,
            dtype=dtype,
        ))[0]

    def cummax(
        self,
        x: Operand,
        *,
        axis: int = -1,
        exclusive: bool = False,
        reverse: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """y[i] = max(x[0] … x[i]) along `axis`.

        exclusive: without x[i] itself; the first is the empty reduction
        reverse: from the end to the front
        dtype: dtype of accumulation and result of sum and prod; absent: x's, i64 for bool
        """
        return self.append(Cumulate(
            fn=CumulateFn.max,
            x=x,
            axis=axis,
            exclusive=exclusive,
            reverse=reverse,
            dtype=dtype,
        ))[0]

    def cummin(
        self,
        x: Operand,
        *,
        axis: int = -1,
        exclusive: bool = False,
        reverse: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """y[i] = min(x[0] … x[i]) along `axis`.

        exclusive: without x[i] itself; the first is the empty reduction
        reverse: from the end to the front
        dtype: dtype of accumulation and result of sum and prod; absent: x's, i64 for bool
        """
        return self.append(Cumulate(
            fn=CumulateFn.min,
            x=x,
            axis=axis,
            exclusive=exclusive,
            reverse=reverse,
            dtype=dtype,
        ))[0]

    def cumlogsumexp(
        self,
        x: Operand,
        *,
        axis: int = -1,
        exclusive: bool = False,
        reverse: bool = False,
        dtype: DType | None = None,
    ) -> Var:
        """y[i] = logsumexp(x[0] … x[i]) along `axis`.

        exclusive: without x[i] itself; the first is the empty reduction
        reverse: from the end to the front
        dtype: dtype of accumulation and result of sum and prod; absent: x's, i64 for bool
        """
        return self.append(Cumulate(
            fn=CumulateFn.logsumexp,
            x=x,
            axis=axis,
            exclusive=exclusive,
            reverse=reverse,
            dtype=dtype,
        ))[0]

    def sort(self, x: Operand, *, axis: int = -1, descending: bool = False) -> list[Var]:
        """x in order along `axis`, and where each element was (i64). Stable; NaN counts as larger than everything."""
        return self.append(Sort(x=x, axis=axis, descending=descending))

    def topk(self, x: Operand, k: Size, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> list[Var]:
        """The k largest along `axis` in descending order (or smallest, ascending), and their indices (i64). The lowest index wins a tie; NaN counts as larger than everything.

        sorted: false: any order
        """
        return self.append(TopK(x=x, k=k, axis=axis, largest=largest, sorted=sorted))

    def partition(self, x: Operand, kth: Size, *, axis: int = -1) -> list[Var]:
        """x along `axis` such that element `kth` is where sorting puts it, with none larger before and none smaller after; and where each element was (i64). Any order on either side."""
        return self.append(Partition(x=x, kth=kth, axis=axis))

    def median(self, x: Operand, *, axis: int = -1, keepdims: bool = False, average: bool = False) -> Var:
        """The middle of the sorted elements along `axis`: of an even count the lower one, with `average` the mean of both. NaN where there is one."""
        return self.append(Median(x=x, axis=axis, keepdims=keepdims, average=average))[0]

    def search_sorted(self, sorted: Operand, values: Operand, *, right: bool = False) -> Var:
        """For each of `values` how many of `sorted` (ascending, one axis) are smaller, with `right` smaller or equal: i64. Fails where that is not ascending."""
        return self.append(SearchSorted(sorted=sorted, values=values, right=right))[0]

    def unique(self, x: Operand, count: Symbol, *, axis: int | None = None, sorted: bool = True) -> list[Var]:
        """The distinct elements of x, or slices along `axis`; the first index of each, for each element of x which one it is, and how often each occurs (all i64). Binds the symbol `count`.

        axis: absent: x flattened
        sorted: false: in the order of first occurrence
        """
        return self.append(Unique(x=x, count=count, axis=axis, sorted=sorted))

    def dot_general(
        self,
        a: Operand,
        b: Operand,
        contract_a: Sequence[int],
        contract_b: Sequence[int],
        *,
        batch_a: Sequence[int] = (),
        batch_b: Sequence[int] = (),
    ) -> Var:
        """Σ over the contracted axes of a·b. The result has the batch axes, then the other axes of a, then those of b."""
        return self.append(DotGeneral(
            a=a,
            b=b,
            contract_a=contract_a,
            contract_b=contract_b,
            batch_a=batch_a,
            batch_b=batch_b,
        ))[0]

    def einsum(self, operands: Sequence[Operand], equation: str) -> Var:
        """Einstein summation: `bij,bjk->bik`; `...` broadcasts, a letter that the result lacks is summed."""
        return self.append(Einsum(operands=operands, equation=equation))[0]

    def grouped_matmul(self, x: Operand, w: Operand, group: Operand, *, transpose_w: bool = False) -> Var:
        """y[m] = x[m]·w[group[m]]: x [M,K], w [G,K,N] or packed [G,N,K], group integers [M]. A group outside 0 … G-1 fails the call.

        transpose_w: w is [G,N,K]; always so for packed
        """
        return self.append(GroupedMatmul(x=x, w=w, group=group, transpose_w=transpose_w))[0]

    def integer_matmul(
        self,
        a: Operand,
        b: Operand,
        a_zero: Operand | None = None,
        b_zero: Operand | None = None,
    ) -> Var:
        """(a - a_zero)·(b - b_zero) on 8-bit integers, in i32. a_zero is a scalar, [M] or [...,M,1], b_zero a scalar, [N] or [...,1,N]."""
        return self.append(IntegerMatmul(a=a, b=b, a_zero=a_zero, b_zero=b_zero))[0]

    def lora_linear(self, x: Operand, w: Operand, a: Operand, b: Operand, *, scale: float = 1.0) -> Var:
        """x·w + scale·(x·a)·b: x [...,K], w [K,N], a [K,R], b [R,N]; the dtype is that of x·w."""
        return self.append(LoraLinear(x=x, w=w, a=a, b=b, scale=scale))[0]

    def tile(self, x: Operand, repeats: Shape) -> Var:
        """x repeated as a whole repeats[i] times along axis i."""
        return self.append(Tile(x=x, repeats=repeats))[0]

    def repeat(self, x: Operand, count: Size, *, axis: int = 0) -> Var:
        """Each slice of x along `axis` repeated `count` times in place."""
        return self.append(Repeat(x=x, count=count, axis=axis))[0]

    def flip(self, x: Operand, axes: Sequence[int]) -> Var:
        """x backwards along `axes`."""
        return self.append(Flip(x=x, axes=axes))[0]

    def roll(self, x: Operand, shifts: Sequence[int], axes: Sequence[int]) -> Var:
        """x moved by shifts[i] along axes[i], each axis at most once; what leaves at one end comes back at the other."""
        return self.append(Roll(x=x, shifts=shifts, axes=axes))[0]

    def triangle_lower(self, x: Operand, *, k: Size | None = None) -> Var:
        """The last two axes with 0 above (lower) or below (upper) the k-th diagonal."""
        return self.append(Triangle(fn=TriangleFn.lower, x=x, k=k))[0]

    def triangle_upper(self, x: Operand, *, k: Size | None = None) -> Var:
        """The last two axes with 0 above (lower) or below (upper) the k-th diagonal."""
        return self.append(Triangle(fn=TriangleFn.upper, x=x, k=k))[0]

    def diagonal(self, x: Operand, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Var:
        """The elements x[…, i, …, i + offset, …] of two axes, as a new last axis."""
        return self.append(Diagonal(x=x, offset=offset, axis1=axis1, axis2=axis2))[0]

    def as_strided(self, x: Operand, shape: Shape, strides: Shape, *, offset: Size | None = None) -> Var:
        """y[i…] = x's element offset + Σ i·strides, counted in row-major order; every position must be provably inside."""
        return self.append(AsStrided(x=x, shape=shape, strides=strides, offset=offset))[0]

    def unfold(
        self,
        x: Operand,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
    ) -> Var:
        """Windows of `kernel` over the last axes: [N, C, spatial…] becomes [N, C·∏kernel, positions]; outside x is 0.

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: all 0
        after: empty: all 0
        """
        return self.append(Unfold(
            x=x,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
        ))[0]

    def fold(
        self,
        x: Operand,
        shape: Shape,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
    ) -> Var:
        """The sum of overlapping windows: the transpose of unfold onto the spatial sizes `shape`.

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: all 0
        after: empty: all 0
        """
        return self.append(Fold(
            x=x,
            shape=shape,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
        ))[0]

    def item(self, x: Operand, symbol: Symbol) -> Var:
        """Binds a symbol to the value of an integer scalar, which must lie within the symbol's bounds; the result is x."""
        return self.append(Item(x=x, symbol=symbol))[0]

    def dynamic_slice(
        self,
        x: Operand,
        starts: Sequence[Operand],
        axes: Sequence[int],
        sizes: Shape,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """sizes[i] elements of x from starts[i] on along axes[i]; starts are integer scalars.

        mode: error: fails unless it fits; clamp: the start moves so that it fits; drop: outside reads 0, and only then may sizes be larger than the axis
        """
        return self.append(DynamicSlice(x=x, starts=starts, axes=axes, sizes=sizes, mode=mode))[0]

    def dynamic_update(
        self,
        x: Operand,
        update: Operand,
        starts: Sequence[Operand],
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with `update` written at `starts` along `axes`.

        mode: as in state_update
        """
        return self.append(DynamicUpdate(x=x, update=update, starts=starts, axes=axes, mode=mode))[0]

    def gather_nd(self, x: Operand, indices: Operand, *, batch_dims: int = 0, mode: IndexMode = IndexMode.error) -> Var:
        """y[b…, i…] = x[b…, indices[b…, i…, :]]: the last axis of indices, of literal size, holds coordinates; the first batch_dims axes are shared."""
        return self.append(GatherNd(x=x, indices=indices, batch_dims=batch_dims, mode=mode))[0]

    def scatter_nd_set(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[indices[i…, :]] = set(x[…], updates[i…]).

        set: the last write in row-major order wins
        """
        return self.append(ScatterNd(fn=ScatterFn.set, x=x, indices=indices, updates=updates, mode=mode))[0]

    def scatter_nd_add(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[indices[i…, :]] = add(x[…], updates[i…])."""
        return self.append(ScatterNd(fn=ScatterFn.add, x=x, indices=indices, updates=updates, mode=mode))[0]

    def scatter_nd_mul(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[indices[i…, :]] = mul(x[…], updates[i…])."""
        return self.append(ScatterNd(fn=ScatterFn.mul, x=x, indices=indices, updates=updates, mode=mode))[0]

    def scatter_nd_max(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[indices[i…, :]] = max(x[…], updates[i…])."""
        return self.append(ScatterNd(fn=ScatterFn.max, x=x, indices=indices, updates=updates, mode=mode))[0]

    def scatter_nd_min(
        self,
        x: Operand,
        indices: Operand,
        updates: Operand,
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with x[indices[i…, :]] = min(x[…], updates[i…])."""
        return self.append(ScatterNd(fn=ScatterFn.min, x=x, indices=indices, updates=updates, mode=mode))[0]

    def index_get(
        self,
        x: Operand,
        indices: Sequence[Operand],
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x indexed as NumPy does by integer tensors, one for each of `axes`: they broadcast; their axes stand where the indexed ones stood, or in front when those are not neighbours."""
        return self.append(IndexGet(x=x, indices=indices, axes=axes, mode=mode))[0]

    def index_put_set(
        self,
        x: Operand,
        indices: Sequence[Operand],
        values: Operand,
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with set(x[…], values) at the places that index_get reads; values broadcast.

        set: the last write in row-major order wins
        """
        return self.append(IndexPut(fn=ScatterFn.set, x=x, indices=indices, values=values, axes=axes, mode=mode))[0]

    def index_put_add(
        self,
        x: Operand,
        indices: Sequence[Operand],
        values: Operand,
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with add(x[…], values) at the places that index_get reads; values broadcast."""
        return self.append(IndexPut(fn=ScatterFn.add, x=x, indices=indices, values=values, axes=axes, mode=mode))[0]

    def index_put_mul(
        self,
        x: Operand,
        indices: Sequence[Operand],
        values: Operand,
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with mul(x[…], values) at the places that index_get reads; values broadcast."""
        return self.append(IndexPut(fn=ScatterFn.mul, x=x, indices=indices, values=values, axes=axes, mode=mode))[0]

    def index_put_max(
        self,
        x: Operand,
        indices: Sequence[Operand],
        values: Operand,
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with max(x[…], values) at the places that index_get reads; values broadcast."""
        return self.append(IndexPut(fn=ScatterFn.max, x=x, indices=indices, values=values, axes=axes, mode=mode))[0]

    def index_put_min(
        self,
        x: Operand,
        indices: Sequence[Operand],
        values: Operand,
        axes: Sequence[int],
        *,
        mode: IndexMode = IndexMode.error,
    ) -> Var:
        """x with min(x[…], values) at the places that index_get reads; values broadcast."""
        return self.append(IndexPut(fn=ScatterFn.min, x=x, indices=indices, values=values, axes=axes, mode=mode))[0]

    def one_hot(self, indices: Operand, depth: Size, *, axis: int = -1, dtype: DType = DType.f32) -> Var:
        """1 where the new axis of size `depth` equals the index, else 0; an index outside -depth … depth-1 gives zeros."""
        return self.append(OneHot(indices=indices, depth=depth, axis=axis, dtype=dtype))[0]

    def masked_scatter(self, x: Operand, mask: Operand, source: Operand) -> Var:
        """x where mask, stretched to x, is false; where it is true, the elements of `source` one after the other, in row-major order; too few fail the call."""
        return self.append(MaskedScatter(x=x, mask=mask, source=source))[0]

    def eye(self, rows: Size, columns: Size, *, k: Size | None = None, dtype: DType = DType.f32) -> Var:
        """1 on the k-th diagonal, else 0."""
        return self.append(Eye(rows=rows, columns=columns, k=k, dtype=dtype))[0]

    def random_categorical(self, key: Operand, logits: Operand, *, axis: int = -1) -> Var:
        """Samples along `axis` of unnormalised log-probabilities: argmax(logits + Gumbel noise): i64.

        key: u32[2]
        """
        return self.append(RandomCategorical(key=key, logits=logits, axis=axis))[0]

    def random_permutation(self, key: Operand, length: Size) -> Var:
        """The numbers 0 … length-1 in random order: i64.

        key: u32[2]
        """
        return self.append(RandomPermutation(key=key, length=length))[0]

    def dropout(self, x: Operand, key: Operand, *, ratio: float = 0.5) -> list[Var]:
        """x / (1 - ratio) where a uniform draw is at least ratio, else 0; and that mask (bool).

        key: u32[2]
        """
        return self.append(Dropout(x=x, key=key, ratio=ratio))

    def conv(
        self,
        x: Operand,
        w: Operand,
        bias: Operand | None = None,
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        groups: int = 1,
    ) -> Var:
        """Cross-correlation. x [N,C,spatial…], w [O,C/groups,kernel…], bias [O].

        strides: empty: all 1
        dilations: empty: all 1
        before: zeros in front of each spatial axis; empty: none
        after: zeros behind each spatial axis; empty: none
        """
        return self.append(Conv(
            x=x,
            w=w,
            bias=bias,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            groups=groups,
        ))[0]

    def conv_transpose(
        self,
        x: Operand,
        w: Operand,
        bias: Operand | None = None,
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        output_padding: Shape = (),
        groups: int = 1,
    ) -> Var:
        """The transpose of conv. x [N,C,spatial…], w [C,O/groups,kernel…]; size (in-1)·stride - before - after + dilation·(kernel-1) + 1 + output_padding.

        strides: empty: all 1
        dilations: empty: all 1
        before: cut off in front of each spatial axis; empty: none
        after: cut off behind each spatial axis; empty: none
        output_padding: added behind each spatial axis; empty: none
        """
        return self.append(ConvTranspose(
            x=x,
            w=w,
            bias=bias,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            output_padding=output_padding,
            groups=groups,
        ))[0]

    def integer_conv(
        self,
        x: Operand,
        w: Operand,
        x_zero: Operand | None = None,
        w_zero: Operand | None = None,
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        groups: int = 1,
    ) -> Var:
        """conv of 8-bit integers in i32: (x - x_zero) with (w - w_zero); padding is x_zero. Zero points are scalars, w_zero may be [O].

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        """
        return self.append(IntegerConv(
            x=x,
            w=w,
            x_zero=x_zero,
            w_zero=w_zero,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            groups=groups,
        ))[0]

    def deform_conv(
        self,
        x: Operand,
        w: Operand,
        offset: Operand,
        bias: Operand | None = None,
        mask: Operand | None = None,
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        groups: int = 1,
        offset_groups: int = 1,
    ) -> Var:
        """conv of two spatial axes that reads x at positions moved by `offset` [N, 2·G·kh·kw, oh, ow] (row, column), bilinear, times `mask` [N, G·kh·kw, oh, ow]; the C channels form G offset groups.

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        """
        return self.append(DeformConv(
            x=x,
            w=w,
            offset=offset,
            bias=bias,
            mask=mask,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            groups=groups,
            offset_groups=offset_groups,
        ))[0]

    def pool_max(
        self,
        x: Operand,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        p: float = 2.0,
    ) -> Var:
        """max over windows of the spatial axes of x [N,C,spatial…].

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        ceil_mode: a last window that reaches beyond the padding counts, if it begins in x or the padding in front of it
        count_include_pad: avg: padding counts as elements
        p: lp
        """
        return self.append(Pool(
            fn=PoolFn.max,
            x=x,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            p=p,
        ))[0]

    def pool_avg(
        self,
        x: Operand,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        p: float = 2.0,
    ) -> Var:
        """avg over windows of the spatial axes of x [N,C,spatial…].

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        ceil_mode: a last window that reaches beyond the padding counts, if it begins in x or the padding in front of it
        count_include_pad: avg: padding counts as elements
        p: lp
        """
        return self.append(Pool(
            fn=PoolFn.avg,
            x=x,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            p=p,
        ))[0]

    def pool_lp(
        self,
        x: Operand,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        p: float = 2.0,
    ) -> Var:
        """lp over windows of the spatial axes of x [N,C,spatial…].

        lp: (Σ |x|^p)^(1/p)
        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        ceil_mode: a last window that reaches beyond the padding counts, if it begins in x or the padding in front of it
        count_include_pad: avg: padding counts as elements
        p: lp
        """
        return self.append(Pool(
            fn=PoolFn.lp,
            x=x,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            p=p,
        ))[0]

    def pool_max_indices(
        self,
        x: Operand,
        kernel: Sequence[int],
        *,
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        before: Shape = (),
        after: Shape = (),
        ceil_mode: bool = False,
        column_major: bool = False,
        per_channel: bool = False,
    ) -> list[Var]:
        """pool_max, and where each maximum was: i64, positions of x counted in row-major order (with column_major: the spatial axes in reverse order), -1 where a window has no element. The first wins a tie.

        strides: empty: all 1
        dilations: empty: all 1
        before: empty: none
        after: empty: none
        per_channel: positions count within the spatial axes of one channel
        """
        return self.append(MaxPoolIndices(
            x=x,
            kernel=kernel,
            strides=strides,
            dilations=dilations,
            before=before,
            after=after,
            ceil_mode=ceil_mode,
            column_major=column_major,
            per_channel=per_channel,
        ))

    def adaptive_pool_max(self, x: Operand, shape: Shape, *, p: float = 2.0) -> Var:
        """max over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`.

        p: lp
        """
        return self.append(AdaptivePool(fn=PoolFn.max, x=x, shape=shape, p=p))[0]

    def adaptive_pool_avg(self, x: Operand, shape: Shape, *, p: float = 2.0) -> Var:
        """avg over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`.

        p: lp
        """
        return self.append(AdaptivePool(fn=PoolFn.avg, x=x, shape=shape, p=p))[0]

    def adaptive_pool_lp(self, x: Operand, shape: Shape, *, p: float = 2.0) -> Var:
        """lp over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`.

        lp: (Σ |x|^p)^(1/p)
        p: lp
        """
        return self.append(AdaptivePool(fn=PoolFn.lp, x=x, shape=shape, p=p))[0]

    def max_unpool(self, x: Operand, indices: Operand, shape: Shape, *, per_channel: bool = False) -> Var:
        """Zeros of `shape` [N,C,spatial…] with x at `indices`, as pool_max_indices gives them in row-major order; the last wins.

        per_channel: indices count within the spatial axes of one channel
        """
        return self.append(MaxUnpool(x=x, indices=indices, shape=shape, per_channel=per_channel))[0]

    def group_norm(
        self,
        x: Operand,
        groups: int,
        weight: Operand | None = None,
        bias: Operand | None = None,
        *,
        eps: float = 0.00001,
    ) -> Var:
        """x [N,C,…] normalised over each group of channels and all spatial axes; weight and bias [C]."""
        return self.append(GroupNorm(x=x, groups=groups, weight=weight, bias=bias, eps=eps))[0]

    def batch_norm(
        self,
        x: Operand,
        mean: Operand,
        var: Operand,
        weight: Operand | None = None,
        bias: Operand | None = None,
        *,
        axis: int = 1,
        eps: float = 0.00001,
    ) -> Var:
        """(x - mean) / sqrt(var + eps) · weight + bias with given statistics, all [C] along `axis`."""
        return self.append(BatchNorm(x=x, mean=mean, var=var, weight=weight, bias=bias, axis=axis, eps=eps))[0]

    def local_response_norm(
        self,
        x: Operand,
        size: int,
        *,
        alpha: float = 0.0001,
        beta: float = 0.75,
        bias: float = 1.0,
    ) -> Var:
        """x / (bias + alpha/size·Σ x²)^beta, the sum over `size` neighbours along axis 1: ⌊(size-1)/2⌋ before, ⌈(size-1)/2⌉ after."""
        return self.append(LocalResponseNorm(x=x, size=size, alpha=alpha, beta=beta, bias=bias))[0]

    def lp_normalize(self, x: Operand, axes: Sequence[int], *, p: float = 2.0, eps: float = 0.0) -> Var:
        """x / max(‖x‖_p, eps) over `axes`; 0 where both are 0.

        p: more than 0; inf: the largest magnitude
        """
        return self.append(LpNormalize(x=x, axes=axes, p=p, eps=eps))[0]

    def paged_attention(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        table: Operand,
        lengths: Operand,
        sinks: Operand | None = None,
        *,
        scale: float | None = None,
        causal: bool = True,
        window: int | None = None,
        softcap: float | None = None,
    ) -> Var:
        """attention whose keys and values lie in pages: q [B,H,S,D], k and v pages [P,page,G,D] and [P,page,G,E]; key t of batch b is row t mod page of page table[b, t / page]; lengths [B]. Queries are the last S positions of each.

        table: integers [B, pages]
        lengths: integers [B]
        scale: absent: 1/sqrt(D)
        causal: false: every query sees every key
        sinks: [H], as in attention
        """
        return self.append(PagedAttention(
            q=q,
            k=k,
            v=v,
            table=table,
            lengths=lengths,
            sinks=sinks,
            scale=scale,
            causal=causal,
            window=window,
            softcap=softcap,
        ))[0]

    def rope(
        self,
        x: Operand,
        positions: Operand,
        freqs: Operand | None = None,
        *,
        dims: int | None = None,
        base: float = 10000.0,
        scale: float = 1.0,
        interleaved: bool = False,
        sections: Sequence[int] = (),
    ) -> Var:
        """Rotary embedding: the first `dims` elements of the last axis, as pairs (x_i, x_(i+dims/2)) or interleaved (x_2i, x_(2i+1)), turned by the angle position·scale·freqs[i].

        positions: numbers that broadcast to x without its last axis; with `sections` one more axis in front, of their number
        freqs: [dims/2]; absent: base^(-2i/dims)
        dims: absent: the whole axis
        base: of the default freqs
        sections: how many pairs take their position from each entry of positions: 2-D and 3-D embeddings
        """
        return self.append(Rope(
            x=x,
            positions=positions,
            freqs=freqs,
            dims=dims,
            base=base,
            scale=scale,
            interleaved=interleaved,
            sections=sections,
        ))[0]

    def rope_table(self, x: Operand, cos: Operand, sin: Operand, *, interleaved: bool = False) -> Var:
        """The same with tables: cos and sin broadcast to x's shape with a last axis of dims/2."""
        return self.append(RopeTable(x=x, cos=cos, sin=sin, interleaved=interleaved))[0]

    def fake_quantize(
        self,
        x: Operand,
        scale: Operand,
        zero: Operand | None = None,
        *,
        low: int = -128,
        high: int = 127,
        gradient: FakeQuantizeGradient = FakeQuantizeGradient.clipped,
    ) -> Var:
        """scale·(clip(round(x / scale) + zero, low, high) - zero): x as it would read after quantisation. scale and zero broadcast to x.

        gradient: how the derivative treats the rounding
        """
        return self.append(FakeQuantize(x=x, scale=scale, zero=zero, low=low, high=high, gradient=gradient))[0]

    def resize(
        self,
        x: Operand,
        axes: Sequence[int],
        sizes: Shape,
        factors: Operand | None = None,
        region: Operand | None = None,
        *,
        scales: Sequence[float] = (),
        mode: ResizeMode = ResizeMode.linear,
        coordinates: ResizeCoordinates = ResizeCoordinates.half_pixel,
        rounding: ResizeRounding = ResizeRounding.round_prefer_floor,
        cubic_coefficient: float = -0.75,
        exclude_outside: bool = False,
        antialias: bool = False,
        roi: Sequence[float] = (),
        extrapolation: float = 0.0,
    ) -> Var:
        """x at other sizes along `axes`; nearest for any dtype, the others for reals.

        scales: output size / input size where it is not the quotient of the two; empty: the quotient
        rounding: mode nearest
        exclude_outside: weights of samples outside x are 0 and the others sum to 1 (not in mode nearest)
        antialias: smaller outputs average over what they cover (not in mode nearest)
        roi: starts, then ends, of each of axes, relative to its size: tf_crop_and_resize
        factors: real [axes]: the scales as a value, instead of scales
        region: real [2·axes]: roi as a value, instead of roi
        """
        return self.append(Resize(
            x=x,
            axes=axes,
            sizes=sizes,
            factors=factors,
            region=region,
            scales=scales,
            mode=mode,
            coordinates=coordinates,
            rounding=rounding,
            cubic_coefficient=cubic_coefficient,
            exclude_outside=exclude_outside,
            antialias=antialias,
            roi=roi,
            extrapolation=extrapolation,
        ))[0]

    def grid_sample(
        self,
        x: Operand,
        grid: Operand,
        *,
        mode: GridMode = GridMode.linear,
        padding: GridPadding = GridPadding.zeros,
        align_corners: bool = False,
    ) -> Var:
        """x [N,C,spatial…] read at `grid` [N,out…,rank]: coordinates -1 … 1, the last axis of x first."""
        return self.append(GridSample(x=x, grid=grid, mode=mode, padding=padding, align_corners=align_corners))[0]

    def roi_align_avg(
        self,
        x: Operand,
        rois: Operand,
        batch: Operand,
        *,
        height: int = 1,
        width: int = 1,
        sampling: int = 0,
        scale: float = 1.0,
        half_pixel: bool = True,
    ) -> Var:
        """Regions [R,4] (x1, y1, x2, y2) of x [N,C,H,W], from image batch[r], sampled bilinearly to height × width bins: avg is the mean of the samples, max their largest weight·element.

        sampling: samples per bin and axis; 0: ⌈size of the bin⌉
        half_pixel: coordinates are moved by -1/2
        """
        return self.append(RoiAlign(
            fn=RoiFn.avg,
            x=x,
            rois=rois,
            batch=batch,
            height=height,
            width=width,
            sampling=sampling,
            scale=scale,
            half_pixel=half_pixel,
        ))[0]

    def roi_align_max(
        self,
        x: Operand,
        rois: Operand,
        batch: Operand,
        *,
        height: int = 1,
        width: int = 1,
        sampling: int = 0,
        scale: float = 1.0,
        half_pixel: bool = True,
    ) -> Var:
        """Regions [R,4] (x1, y1, x2, y2) of x [N,C,H,W], from image batch[r], sampled bilinearly to height × width bins: avg is the mean of the samples, max their largest weight·element.

        sampling: samples per bin and axis; 0: ⌈size of the bin⌉
        half_pixel: coordinates are moved by -1/2
        """
        return self.append(RoiAlign(
            fn=RoiFn.max,
            x=x,
            rois=rois,
            batch=batch,
            height=height,
            width=width,
            sampling=sampling,
            scale=scale,
            half_pixel=half_pixel,
        ))[0]

    def roi_pool(self, x: Operand, rois: Operand, height: int, width: int, *, scale: float = 1.0) -> Var:
        """The maximum of each of height × width bins of regions [R,5] (batch, x1, y1, x2, y2), corners rounded."""
        return self.append(RoiPool(x=x, rois=rois, height=height, width=width, scale=scale))[0]

    def nms(
        self,
        boxes: Operand,
        scores: Operand,
        count: Symbol,
        max_output: Size,
        iou_threshold: Operand | None = None,
        score_threshold: Operand | None = None,
        *,
        center: bool = False,
    ) -> Var:
        """Boxes [N,B,4] that survive for each class of scores [N,C,B], best first: rows (batch, class, box) as i64[count, 3]. Binds the symbol `count`.

        max_output: of each class
        iou_threshold: real scalar: a box that overlaps a better one by more than this goes; absent: 0
        score_threshold: real scalar; absent: none is too low
        center: boxes are (x, y, width, height) about their centre, not corners (y1, x1, y2, x2)
        """
        return self.append(Nms(
            boxes=boxes,
            scores=scores,
            count=count,
            max_output=max_output,
            iou_threshold=iou_threshold,
            score_threshold=score_threshold,
            center=center,
        ))[0]

    def rnn(
        self,
        x: Operand,
        w: Operand,
        r: Operand,
        bias: Operand | None = None,
        lengths: Operand | None = None,
        h0: Operand | None = None,
        *,
        direction: RnnDirection = RnnDirection.forward,
        activations: Sequence[RnnActivation] = (),
        alphas: Sequence[float] = (),
        betas: Sequence[float] = (),
        clip: float | None = None,
    ) -> list[Var]:
        """h = f(x·wᵀ + h·rᵀ + b). x [T,B,I], w [D,H,I], r [D,H,H], bias [D,2H], lengths integers [B], h0 [D,B,H]. Results: every h [T,D,B,H], the last h [D,B,H].

        activations: one for each direction; empty: tanh
        alphas: one for each activation that takes one, in order; empty: the defaults
        betas: one for each activation that takes one, in order; empty: the defaults
        clip: what goes into an activation is cut to ±clip
        """
        return self.append(Rnn(
            x=x,
            w=w,
            r=r,
            bias=bias,
            lengths=lengths,
            h0=h0,
            direction=direction,
            activations=activations,
            alphas=alphas,
            betas=betas,
            clip=clip,
        ))

    def gru(
        self,
        x: Operand,
        w: Operand,
        r: Operand,
        bias: Operand | None = None,
        lengths: Operand | None = None,
        h0: Operand | None = None,
        *,
        direction: RnnDirection = RnnDirection.forward,
        activations: Sequence[RnnActivation] = (),
        alphas: Sequence[float] = (),
        betas: Sequence[float] = (),
        clip: float | None = None,
        linear_before_reset: bool = False,
    ) -> list[Var]:
        """Gates z, r, h stacked in w [D,3H,I], r [D,3H,H], bias [D,6H]; results as rnn.

        activations: two for each direction; empty: sigmoid, tanh
        alphas: one for each activation that takes one, in order; empty: the defaults
        betas: one for each activation that takes one, in order; empty: the defaults
        linear_before_reset: the reset gate multiplies h·rᵀ + b, not h
        """
        return self.append(Gru(
            x=x,
            w=w,
            r=r,
            bias=bias,
            lengths=lengths,
            h0=h0,
            direction=direction,
            activations=activations,
            alphas=alphas,
            betas=betas,
            clip=clip,
            linear_before_reset=linear_before_reset,
        ))

    def lstm(
        self,
        x: Operand,
        w: Operand,
        r: Operand,
        bias: Operand | None = None,
        lengths: Operand | None = None,
        h0: Operand | None = None,
        c0: Operand | None = None,
        peepholes: Operand | None = None,
        *,
        direction: RnnDirection = RnnDirection.forward,
        activations: Sequence[RnnActivation] = (),
        alphas: Sequence[float] = (),
        betas: Sequence[float] = (),
        clip: float | None = None,
        input_forget: bool = False,
    ) -> list[Var]:
        """Gates i, o, f, c stacked in w [D,4H,I], r [D,4H,H], bias [D,8H]; peepholes i, o, f [D,3H]. Results as rnn, and the last c [D,B,H].

        activations: three for each direction; empty: sigmoid, tanh, tanh
        alphas: one for each activation that takes one, in order; empty: the defaults
        betas: one for each activation that takes one, in order; empty: the defaults
        input_forget: f = 1 - i
        """
        return self.append(Lstm(
            x=x,
            w=w,
            r=r,
            bias=bias,
            lengths=lengths,
            h0=h0,
            c0=c0,
            peepholes=peepholes,
            direction=direction,
            activations=activations,
            alphas=alphas,
            betas=betas,
            clip=clip,
            input_forget=input_forget,
        ))

    def selective_scan(
        self,
        x: Operand,
        delta: Operand,
        a: Operand,
        b: Operand,
        c: Operand,
        d: Operand | None = None,
        h0: Operand | None = None,
    ) -> list[Var]:
        """h_t = exp(Δ_t·a)·h + Δ_t·b_t·x_t, y_t = c_t·h_t + d·x_t. x and delta [B,S,C], a [C,N], b and c [B,S,N], d [C], h0 [B,C,N]. Results: y [B,S,C] in x's dtype, the last h in that of h0, or f32 at least."""
        return self.append(SelectiveScan(x=x, delta=delta, a=a, b=b, c=c, d=d, h0=h0))

    def gated_delta(
        self,
        q: Operand,
        k: Operand,
        v: Operand,
        g: Operand | None = None,
        beta: Operand | None = None,
        state: Operand | None = None,
        *,
        scale: float | None = None,
        delta: bool = True,
    ) -> list[Var]:
        """Linear attention with decay: S ← e^g·S, u = beta·(v - Sᵀk), S ← S + k·uᵀ, o = scale·Sᵀq for each step. q [B,H,T,K], k [B,G,T,K], v [B,G,T,V], H a multiple of G. Results: o [B,H,T,V], the last S [B,G,K,V] in the dtype of the first, or f32 at least.

        g: [B,G,T], or [B,G,T,K] for each row of S; absent: 0
        beta: [B,G,T]; absent: 1
        state: the first S; absent: 0
        scale: absent: 1/sqrt(K)
        delta: false: u = beta·v
        """
        return self.append(GatedDelta(q=q, k=k, v=v, g=g, beta=beta, state=state, scale=scale, delta=delta))

    def fft_forward(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        sizes: Shape = (),
        norm: FftNorm = FftNorm.backward,
    ) -> Var:
        """The discrete Fourier transform of c64 along `axes`, or its inverse.

        sizes: sizes that x is cut or zero-padded to first; empty: as they are
        """
        return self.append(Fft(fn=FftFn.forward, x=x, axes=axes, sizes=sizes, norm=norm))[0]

    def fft_inverse(
        self,
        x: Operand,
        axes: Sequence[int],
        *,
        sizes: Shape = (),
        norm: FftNorm = FftNorm.backward,
    ) -> Var:
        """The discrete Fourier transform of c64 along `axes`, or its inverse.

        sizes: sizes that x is cut or zero-padded to first; empty: as they are
        """
        return self.append(Fft(fn=FftFn.inverse, x=x, axes=axes, sizes=sizes, norm=norm))[0]

    def rfft(self, x: Operand, axes: Sequence[int], *, sizes: Shape = (), norm: FftNorm = FftNorm.backward) -> Var:
        """The transform of reals: the last of `axes` keeps the n/2 + 1 frequencies from 0 on.

        sizes: empty: as they are
        """
        return self.append(Rfft(x=x, axes=axes, sizes=sizes, norm=norm))[0]

    def irfft(self, x: Operand, axes: Sequence[int], sizes: Shape, *, norm: FftNorm = FftNorm.backward) -> Var:
        """The inverse of rfft: reals, whose last axis has the given size.

        sizes: of the result; its last entry decides between even and odd
        """
        return self.append(Irfft(x=x, axes=axes, sizes=sizes, norm=norm))[0]

    def stft(
        self,
        x: Operand,
        length: Size,
        step: Size,
        window: Operand | None = None,
        *,
        onesided: bool = True,
    ) -> Var:
        """Transforms of windows of the last axis: frames of `length` every `step`, times `window` [length]: c64 […, frames, bins].

        onesided: bins length/2 + 1 instead of length; x must be real
        """
        return self.append(Stft(x=x, length=length, step=step, window=window, onesided=onesided))[0]

    def cholesky(self, x: Operand, *, upper: bool = False) -> Var:
        """L with x = L·Lᵀ (Lᴴ), or with `upper` Lᵀ; reads that triangle of x alone. Fails where x is not positive definite."""
        return self.append(Cholesky(x=x, upper=upper))[0]

    def qr(self, x: Operand, *, complete: bool = False) -> list[Var]:
        """q, r with x = q·r; the diagonal of r is not negative. complete: q is square."""
        return self.append(Qr(x=x, complete=complete))

    def svd(self, x: Operand, *, full: bool = False) -> list[Var]:
        """u, s, vt with x = u·diag(s)·vt, s descending; full: u and vt are square. In each column of u the first component of at least 0.999 times the largest magnitude is positive."""
        return self.append(Svd(x=x, full=full))

    def eigh(self, x: Operand, *, upper: bool = False) -> list[Var]:
        """Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices; reads the lower triangle, or the upper. In each vector the first component of at least 0.999 times the largest magnitude is positive."""
        return self.append(Eigh(x=x, upper=upper))

    def solve(self, a: Operand, b: Operand) -> Var:
        """y with a·y = b, b [..., n, m]. Fails where a is singular."""
        return self.append(Solve(a=a, b=b))[0]

    def triangular_solve(
        self,
        a: Operand,
        b: Operand,
        *,
        upper: bool = False,
        transpose: bool = False,
        unit: bool = False,
    ) -> Var:
        """y with a·y = b for triangular a; the other triangle is not read. Fails where the diagonal has a 0.

        transpose: aᵀ·y = b
        unit: the diagonal counts as 1
        """
        return self.append(TriangularSolve(a=a, b=b, upper=upper, transpose=transpose, unit=unit))[0]

    def inverse(self, x: Operand) -> Var:
        """The inverse of square matrices. Fails where x is singular."""
        return self.append(Inverse(x=x))[0]

    def det(self, x: Operand) -> Var:
        """The determinant of square matrices."""
        return self.append(Det(x=x))[0]

    def slogdet(self, x: Operand) -> list[Var]:
        """The sign of the determinant and the logarithm of its magnitude."""
        return self.append(SlogDet(x=x))

    def lstsq(self, a: Operand, b: Operand, *, rcond: float | None = None) -> Var:
        """The y of least norm that minimises ‖a·y - b‖; singular values of at most rcond times the largest count as 0.

        rcond: absent: the dtype's epsilon times the larger size
        """
        return self.append(Lstsq(a=a, b=b, rcond=rcond))[0]

    def expm(self, x: Operand) -> Var:
        """e^x of square matrices."""
        return self.append(Expm(x=x))[0]

    def softmax_cross_entropy(
        self,
        logits: Operand,
        labels: Operand,
        weight: Operand | None = None,
        *,
        axis: int = -1,
        ignore: int | None = None,
        smoothing: float = 0.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """-Σ target·log softmax(logits) along `axis`: labels integers without that axis, or probabilities of logits' shape. Class weights [C]: with integer labels a mean divides by the weights of those that count, with probabilities by the rows.

        ignore: integer labels of this value count for nothing
        """
        return self.append(SoftmaxCrossEntropy(
            logits=logits,
            labels=labels,
            weight=weight,
            axis=axis,
            ignore=ignore,
            smoothing=smoothing,
            reduction=reduction,
        ))[0]

    def mse_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """mse(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        mse: (x - y)²
        delta: huber and smooth_l1
        """
        return self.append(Loss(fn=LossFn.mse, x=x, target=target, weight=weight, delta=delta, reduction=reduction))[0]

    def l1_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """l1(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        l1: |x - y|
        delta: huber and smooth_l1
        """
        return self.append(Loss(fn=LossFn.l1, x=x, target=target, weight=weight, delta=delta, reduction=reduction))[0]

    def huber_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """huber(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        huber: |d| < delta ? d²/2 : delta·(|d| - delta/2)
        delta: huber and smooth_l1
        """
        return self.append(Loss(
            fn=LossFn.huber,
            x=x,
            target=target,
            weight=weight,
            delta=delta,
            reduction=reduction,
        ))[0]

    def smooth_l1_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """smooth_l1(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        smooth_l1: huber / delta
        delta: huber and smooth_l1
        """
        return self.append(Loss(
            fn=LossFn.smooth_l1,
            x=x,
            target=target,
            weight=weight,
            delta=delta,
            reduction=reduction,
        ))[0]

    def bce_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """bce(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        bce: -(y·log x + (1-y)·log(1-x)), logarithms at least -100
        delta: huber and smooth_l1
        """
        return self.append(Loss(fn=LossFn.bce, x=x, target=target, weight=weight, delta=delta, reduction=reduction))[0]

    def bce_logits_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """bce_logits(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        bce_logits: the same on logits
        delta: huber and smooth_l1
        """
        return self.append(Loss(
            fn=LossFn.bce_logits,
            x=x,
            target=target,
            weight=weight,
            delta=delta,
            reduction=reduction,
        ))[0]

    def kl_div_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """kl_div(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        kl_div: y·(log y - x)
        delta: huber and smooth_l1
        """
        return self.append(Loss(
            fn=LossFn.kl_div,
            x=x,
            target=target,
            weight=weight,
            delta=delta,
            reduction=reduction,
        ))[0]

    def hinge_loss(
        self,
        x: Operand,
        target: Operand,
        weight: Operand | None = None,
        *,
        delta: float = 1.0,
        reduction: LossReduction = LossReduction.mean,
    ) -> Var:
        """hinge(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.

        hinge: max(0, 1 - x·y)
        delta: huber and smooth_l1
        """
        return self.append(Loss(
            fn=LossFn.hinge,
            x=x,
            target=target,
            weight=weight,
            delta=delta,
            reduction=reduction,
        ))[0]

    def sample(
        self,
        logits: Operand,
        key: Operand,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        min_p: float = 0.0,
    ) -> Var:
        """One token for each row of logits […, V]: the largest where temperature is 0, else a draw from the softmax of logits / temperature, cut to the top_k largest, then to the smallest set of at least top_p mass, then to those of at least min_p times the largest probability: i64 […].

        key: u32[2]
        top_k: absent: all
        """
        return self.append(Sample(
            logits=logits,
            key=key,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p,
        ))[0]

    def moe_route_softmax(
        self,
        logits: Operand,
        k: int,
        bias: Operand | None = None,
        *,
        groups: int = 1,
        top_groups: int = 1,
        normalize: bool = False,
        scale: float = 1.0,
    ) -> list[Var]:
        """The k experts of each row of logits [T,E], best first, and their weights: weights [T,k], experts i64 [T,k].

        bias: [E]: added to the scores for the choice, not to the weights
        groups: experts in as many groups, of which the `top_groups` best by the sum of their two best biased scores take part
        normalize: weights sum to 1
        """
        return self.append(MoeRoute(
            fn=RouterFn.softmax,
            logits=logits,
            k=k,
            bias=bias,
            groups=groups,
            top_groups=top_groups,
            normalize=normalize,
            scale=scale,
        ))

    def moe_route_sigmoid(
        self,
        logits: Operand,
        k: int,
        bias: Operand | None = None,
        *,
        groups: int = 1,
        top_groups: int = 1,
        normalize: bool = False,
        scale: float = 1.0,
    ) -> list[Var]:
        """The k experts of each row of logits [T,E], best first, and their weights: weights [T,k], experts i64 [T,k].

        bias: [E]: added to the scores for the choice, not to the weights
        groups: experts in as many groups, of which the `top_groups` best by the sum of their two best biased scores take part
        normalize: weights sum to 1
        """
        return self.append(MoeRoute(
            fn=RouterFn.sigmoid,
            logits=logits,
            k=k,
            bias=bias,
            groups=groups,
            top_groups=top_groups,
            normalize=normalize,
            scale=scale,
        ))

    def moe_combine(self, x: Operand, weights: Operand) -> Var:
        """Σ over k of weights [T,k] · x [T,k,D], in x's dtype."""
        return self.append(MoeCombine(x=x, weights=weights))[0]

    def adamw_step(
        self,
        p: Operand,
        g: Operand,
        m: Operand,
        v: Operand,
        step: Operand,
        lr: Operand,
        *,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 0.00000001,
        weight_decay: float = 0.01,
    ) -> list[Var]:
        """One step of AdamW; results: p, m, v, each in the dtype of the operand that it replaces. step counts from 1; lr is a scalar value."""
        return self.append(AdamwStep(
            p=p,
            g=g,
            m=m,
            v=v,
            step=step,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            eps=eps,
            weight_decay=weight_decay,
        ))

    def lion_step(
        self,
        p: Operand,
        g: Operand,
        m: Operand,
        lr: Operand,
        *,
        beta1: float = 0.9,
        beta2: float = 0.99,
        weight_decay: float = 0.0,
    ) -> list[Var]:
        """One step of Lion; results: p, m, each in the dtype of the operand that it replaces."""
        return self.append(LionStep(p=p, g=g, m=m, lr=lr, beta1=beta1, beta2=beta2, weight_decay=weight_decay))

    def sgd_step(
        self,
        p: Operand,
        g: Operand,
        m: Operand,
        lr: Operand,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> list[Var]:
        """One step of SGD with momentum; results: p, m, each in the dtype of the operand that it replaces."""
        return self.append(SgdStep(
            p=p,
            g=g,
            m=m,
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
        ))

    def glu(self, value: Operand, gate: Operand) -> Var:
        """Gated linear units: value times a function of gate, element by element, of one shape and one dtype.

        glu: value·sigmoid(gate)
        """
        return self.append(Glu(fn=GluFn.glu, value=value, gate=gate))[0]

    def swiglu(self, value: Operand, gate: Operand) -> Var:
        """Gated linear units: value times a function of gate, element by element, of one shape and one dtype.

        swiglu: value·silu(gate)
        """
        return self.append(Glu(fn=GluFn.swiglu, value=value, gate=gate))[0]

    def geglu(self, value: Operand, gate: Operand) -> Var:
        """Gated linear units: value times a function of gate, element by element, of one shape and one dtype.

        geglu: value·gelu(gate)
        """
        return self.append(Glu(fn=GluFn.geglu, value=value, gate=gate))[0]

    def geglu_tanh(self, value: Operand, gate: Operand) -> Var:
        """Gated linear units: value times a function of gate, element by element, of one shape and one dtype.

        geglu_tanh: value·gelu_tanh(gate)
        """
        return self.append(Glu(fn=GluFn.geglu_tanh, value=value, gate=gate))[0]

    def reglu(self, value: Operand, gate: Operand) -> Var:
        """Gated linear units: value times a function of gate, element by element, of one shape and one dtype.

        reglu: value·relu(gate)
        """
        return self.append(Glu(fn=GluFn.reglu, value=value, gate=gate))[0]
