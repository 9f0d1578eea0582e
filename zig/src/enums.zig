//! Generated from schema/ingot.fbs. Do not edit.
//!
//! The enums of Ingot programs. The numbers are those of the file format: they never change, new ones are appended.

/// Element types. From `f8e4m3` on, storage only: cast, copied, quantised, never computed with.
pub const DType = enum(u8) {
    /// one byte, 0 or 1
    bool = 0,
    u8 = 1,
    u16 = 2,
    u32 = 3,
    u64 = 4,
    i8 = 5,
    i16 = 6,
    i32 = 7,
    i64 = 8,
    /// IEEE half
    f16 = 9,
    /// the upper half of an f32
    bf16 = 10,
    f32 = 11,
    f64 = 12,
    /// two f32: real, imaginary
    c64 = 13,
    /// 4 exponent bits, 3 mantissa bits, no infinity
    f8e4m3 = 14,
    /// 5 exponent bits, 2 mantissa bits
    f8e5m2 = 15,
    /// a power of two: 2^(b - 127), 255 is NaN
    f8e8m0 = 16,
    /// 2 exponent bits, 1 mantissa bit; two values a byte, low bits first
    f4e2m1 = 17,
    /// two values a byte, low bits first
    i4 = 18,
    u4 = 19,
    /// four values a byte, low bits first
    i2 = 20,
    u2 = 21,
    /// blocks of a quantisation scheme
    @"packed" = 22,
};

/// How a packed tensor stores the rows of its last axis; docs/semantics.md gives the layout bit by bit.
pub const QuantMethod = enum(u8) {
    /// x = scale·q + bias, q unsigned of `bits` bits, one scale and bias per group
    affine = 0,
    /// x = scale·q, q two's complement of `bits` bits, one scale per group
    symmetric = 1,
    /// f4e2m1 codes, an f8e8m0 scale per 32
    mxfp4 = 2,
    /// f8e4m3 codes, an f8e8m0 scale per 32
    mxfp8 = 3,
    /// f4e2m1 codes, an f8e4m3 scale per 16
    nvfp4 = 4,
};

pub const DimOp = enum(u8) {
    literal = 0,
    symbol = 1,
    add = 2,
    mul = 3,
    floor_div = 4,
    min = 5,
    max = 6,
};

pub const ScalarKind = enum(u8) {
    signed_int = 0,
    unsigned_int = 1,
    real = 2,
    complex = 3,
};

pub const UnaryFn = enum(u8) {
    abs = 0,
    neg = 1,
    sign = 2,
    square = 3,
    sqrt = 4,
    rsqrt = 5,
    reciprocal = 6,
    exp = 7,
    expm1 = 8,
    exp2 = 9,
    log = 10,
    log1p = 11,
    log2 = 12,
    log10 = 13,
    sin = 14,
    cos = 15,
    tan = 16,
    asin = 17,
    acos = 18,
    atan = 19,
    sinh = 20,
    cosh = 21,
    tanh = 22,
    asinh = 23,
    acosh = 24,
    atanh = 25,
    erf = 26,
    erfinv = 27,
    floor = 28,
    ceil = 29,
    /// to the nearest, halves to even
    round = 30,
    trunc = 31,
    isnan = 32,
    isinf = 33,
    isfinite = 34,
    logical_not = 35,
    bitwise_not = 36,
    sigmoid = 37,
    relu = 38,
    silu = 39,
    /// x·Φ(x), by erf
    gelu = 40,
    /// the tanh approximation
    gelu_tanh = 41,
    /// log(1 + e^x)
    softplus = 42,
};

pub const BinaryFn = enum(u8) {
    add = 0,
    sub = 1,
    mul = 2,
    /// true division, floats and complex only
    div = 3,
    /// towards minus infinity; integer x / 0 is 0
    floor_div = 4,
    /// towards zero; integer x / 0 is 0
    trunc_div = 5,
    /// sign of the divisor, as in Python
    rem = 6,
    /// sign of the dividend, as in C
    fmod = 7,
    pow = 8,
    /// NaN if either is NaN
    max = 9,
    /// NaN if either is NaN
    min = 10,
    atan2 = 11,
    logaddexp = 12,
    logical_and = 13,
    logical_or = 14,
    logical_xor = 15,
    bitwise_and = 16,
    bitwise_or = 17,
    bitwise_xor = 18,
    shift_left = 19,
    shift_right = 20,
};

pub const CompareFn = enum(u8) {
    eq = 0,
    ne = 1,
    lt = 2,
    le = 3,
    gt = 4,
    ge = 5,
};

pub const ReduceFn = enum(u8) {
    sum = 0,
    mean = 1,
    prod = 2,
    max = 3,
    min = 4,
    any = 5,
    all = 6,
    logsumexp = 7,
};

pub const ArgReduceFn = enum(u8) {
    max = 0,
    min = 1,
};

pub const PadMode = enum(u8) {
    constant = 0,
    /// mirror without the border element
    reflect = 1,
    /// repeat the border element
    edge = 2,
    /// continue at the other end
    wrap = 3,
};

pub const IndexMode = enum(u8) {
    /// an index outside -size … size-1 fails the call
    @"error" = 0,
    /// it becomes the nearest valid one; negatives do not count from the end
    clamp = 1,
    /// it reads 0 or false, and writes nothing
    drop = 2,
};

pub const ScatterFn = enum(u8) {
    /// the last write in row-major order wins
    set = 0,
    add = 1,
    mul = 2,
    max = 3,
    min = 4,
};

pub const RandomFn = enum(u8) {
    /// raw words: u32 or u64
    bits = 0,
    /// in [0, 1)
    uniform = 1,
    normal = 2,
};

pub const Causal = enum(u8) {
    none = 0,
    /// query i sees keys 0 … i
    upper_left = 1,
    /// query i sees keys 0 … i + T - S
    lower_right = 2,
};

pub const ValueKind = enum(u8) {
    input = 0,
    weight = 1,
    result = 2,
};

/// The position of an op in the schema's table Ops.
pub const Opcode = enum(u16) {
    /// y = fn(x), element by element.
    unary = 0,
    /// y = fn(a, b) after promotion and broadcasting.
    binary = 1,
    /// y = fn(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false.
    compare = 2,
    /// y = condition ? a : b, element by element, with promotion and broadcasting.
    select = 3,
    /// x converted to another dtype: to nearest even, out-of-range integers wrap unless `saturate`.
    cast = 4,
    /// fn over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN.
    reduce = 5,
    /// Index of the extreme along `axis`. The lowest index wins a tie; NaN counts as the extreme.
    arg_reduce = 6,
    /// e^x / Σ e^x along `axis`, with the maximum subtracted first; its logarithm when `log`.
    softmax = 7,
    /// a·b over the last two axes; leading axes broadcast.
    matmul = 8,
    /// The same elements in row-major order under another shape of equal count.
    reshape = 9,
    /// Axis i of the result is axis perm[i] of x.
    transpose = 10,
    /// x repeated to `shape`: axes align at the end, an axis of size 1 stretches.
    broadcast = 11,
    /// x[start : stop : step] along each of `axes`; 0 ≤ start ≤ stop ≤ size must be provable.
    slice = 12,
    /// The operands one after the other along `axis`.
    concatenate = 13,
    /// x with `before` and `after` elements added at the ends of each axis.
    pad = 14,
    /// x, whose sizes are checked against `shape` when the op runs: a promise that inference cannot prove.
    ensure_shape = 15,
    /// Slices of x along `axis` at `indices`; the axis is replaced by the axes of indices. Negatives count from the end.
    take = 16,
    /// y[…, i, …] = x[…, indices[…, i, …], …] along `axis`: NumPy's take_along_axis.
    gather = 17,
    /// x with x[…, indices[…, i, …], …] = fn(x[…], updates[…, i, …]) along `axis`.
    scatter = 18,
    /// Coordinates of the elements that are not 0, as i64[rank, count], row-major; binds the symbol `count`.
    nonzero = 19,
    /// start + i·step for i in 0 … length-1.
    iota = 20,
    /// Every element is `value`.
    full = 21,
    /// offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone.
    random = 22,
    /// A size as a value of rank 0.
    size_of = 23,
    /// (x - mean) / sqrt(var + eps) · weight + bias over the axes from `axis` on.
    layer_norm = 24,
    /// x / sqrt(mean(x²) + eps) · weight over the axes from `axis` on.
    rms_norm = 25,
    /// softmax(scale·q·kᵀ)·v per head. q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], H a multiple of G. A row that sees no key is 0.
    attention = 26,
    /// x packed by `scheme` along its last axis, to the nearest code.
    quantize = 27,
    /// The values of a packed tensor, times `scale`.
    dequantize = 28,
    /// x·wᵀ with w packed as [N,K].
    quantized_matmul = 29,
    /// The current contents of a state.
    state_read = 30,
    /// Replaces the contents of a state; the result is the new contents.
    state_write = 31,
    /// Writes `update` into a state at `starts` along `axes`; the rest keeps its value. The result is the new contents.
    state_update = 32,
    /// Runs one of two graphs on the captures.
    @"if" = 33,
    /// carry = body(carry, captures) while condition(carry, captures); the results are the last carry.
    @"while" = 34,
    /// carry, ys[i] = body(carry, xs[i], captures) for i in 0 … length-1; the results are the last carry and the ys.
    scan = 35,
    /// Runs a graph on the operands.
    call = 36,
    /// An op that the host registered under `name`; its result types are declared.
    custom = 37,
};
