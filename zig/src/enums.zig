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
    /// codes of the 16 quantiles of the normal distribution, one scale per group
    nf4 = 5,
    /// f8e4m3 codes, one scale per group
    fp8_e4m3 = 6,
    /// f8e5m2 codes, one scale per group
    fp8_e5m2 = 7,
    /// GGUF blocks, as the file format lays them out
    q4_0 = 8,
    q4_1 = 9,
    q5_0 = 10,
    q5_1 = 11,
    q8_0 = 12,
    q8_1 = 13,
    q2_k = 14,
    q3_k = 15,
    q4_k = 16,
    q5_k = 17,
    q6_k = 18,
    q8_k = 19,
    iq4_nl = 20,
    iq4_xs = 21,
    iq2_xxs = 22,
    iq2_xs = 23,
    iq2_s = 24,
    iq3_xxs = 25,
    iq3_s = 26,
    iq1_s = 27,
    iq1_m = 28,
    tq1_0 = 29,
    tq2_0 = 30,
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
    /// the parts of a complex number: f32
    real = 43,
    imag = 44,
    conj = 45,
    /// of a complex number, in radians: f32
    angle = 46,
    /// log |Γ(x)|
    lgamma = 47,
    /// the sign bit is set
    signbit = 48,
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

pub const ActivationFn = enum(u8) {
    /// x > 0 ? x : alpha·(e^x - 1); alpha 1
    elu = 0,
    /// beta·(x > 0 ? x : alpha·(e^x - 1)); alpha 1.67326319217681884765625, beta 1.05070102214813232421875
    selu = 1,
    /// max(x, 0) + min(0, alpha·(e^(x/alpha) - 1)); alpha 1
    celu = 2,
    /// x < 0 ? alpha·x : x; alpha 0.01
    leaky_relu = 3,
    /// clip(alpha·x + beta, 0, 1); alpha 0.2, beta 0.5
    hard_sigmoid = 4,
    /// x·clip(x/6 + 1/2, 0, 1)
    hard_swish = 5,
    /// clip(x, alpha, beta); alpha -1, beta 1
    hard_tanh = 6,
    /// x·tanh(log(1 + e^x))
    mish = 7,
    /// x / (1 + |x|)
    softsign = 8,
    /// max(x, 0)²
    squared_relu = 9,
    /// x ≤ alpha ? beta : x; alpha 1, beta 0
    thresholded_relu = 10,
    /// |x| ≤ alpha ? 0 : x; alpha 0.5
    hard_shrink = 11,
    /// x < -alpha ? x + beta : x > alpha ? x - beta : 0; alpha 0.5, beta alpha; NaN stays
    soft_shrink = 12,
    /// -log(1 + e^-x)
    log_sigmoid = 13,
    /// x·sigmoid(alpha·x); alpha 1
    swish = 14,
    /// x·sigmoid(1.702·x)
    quick_gelu = 15,
};

pub const GluFn = enum(u8) {
    /// value·sigmoid(gate)
    glu = 0,
    /// value·silu(gate)
    swiglu = 1,
    /// value·gelu(gate)
    geglu = 2,
    /// value·gelu_tanh(gate)
    geglu_tanh = 3,
    /// value·relu(gate)
    reglu = 4,
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
    /// Σ(x - mean)² / (n - ddof)
    @"var" = 8,
    /// the root of var
    std = 9,
};

pub const ArgReduceFn = enum(u8) {
    max = 0,
    min = 1,
};

pub const CumulateFn = enum(u8) {
    sum = 0,
    prod = 1,
    max = 2,
    min = 3,
    logsumexp = 4,
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

pub const TriangleFn = enum(u8) {
    lower = 0,
    upper = 1,
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

pub const PoolFn = enum(u8) {
    max = 0,
    avg = 1,
    /// (Σ |x|^p)^(1/p)
    lp = 2,
};

pub const Causal = enum(u8) {
    none = 0,
    /// query i sees keys 0 … i
    upper_left = 1,
    /// query i sees keys 0 … i + T - S
    lower_right = 2,
};

pub const FakeQuantizeGradient = enum(u8) {
    identity = 0,
    clipped = 1,
    tanh = 2,
    hard_tanh = 3,
};

pub const ResizeMode = enum(u8) {
    nearest = 0,
    linear = 1,
    cubic = 2,
};

/// Where output position i lies in the input; s is the scale of the axis, L the length that it implies (s·in where scales are given, else the output size).
pub const ResizeCoordinates = enum(u8) {
    /// (i + 1/2)/s - 1/2
    half_pixel = 0,
    /// half_pixel about the middle of x: plus (in/2)·(1 - out/L)
    half_pixel_symmetric = 1,
    /// half_pixel, 0 where L is 1
    pytorch_half_pixel = 2,
    /// i·(in - 1)/(L - 1)
    align_corners = 3,
    /// i/s
    asymmetric = 4,
    /// align_corners within `roi`; outside x it is `extrapolation`
    tf_crop_and_resize = 5,
};

pub const ResizeRounding = enum(u8) {
    round_prefer_floor = 0,
    round_prefer_ceil = 1,
    floor = 2,
    ceil = 3,
};

pub const GridMode = enum(u8) {
    nearest = 0,
    linear = 1,
    cubic = 2,
};

pub const GridPadding = enum(u8) {
    zeros = 0,
    border = 1,
    reflection = 2,
};

pub const RoiFn = enum(u8) {
    avg = 0,
    max = 1,
};

pub const RnnActivation = enum(u8) {
    tanh = 0,
    sigmoid = 1,
    relu = 2,
    affine = 3,
    leaky_relu = 4,
    thresholded_relu = 5,
    scaled_tanh = 6,
    hard_sigmoid = 7,
    elu = 8,
    softsign = 9,
    softplus = 10,
};

pub const RnnDirection = enum(u8) {
    forward = 0,
    reverse = 1,
    bidirectional = 2,
};

pub const FftFn = enum(u8) {
    forward = 0,
    inverse = 1,
};

pub const FftNorm = enum(u8) {
    /// 1/n on the inverse
    backward = 0,
    /// 1/sqrt(n) on both
    ortho = 1,
    /// 1/n on the forward
    forward = 2,
};

pub const LossReduction = enum(u8) {
    none = 0,
    sum = 1,
    mean = 2,
};

pub const LossFn = enum(u8) {
    /// (x - y)²
    mse = 0,
    /// |x - y|
    l1 = 1,
    /// |d| < delta ? d²/2 : delta·(|d| - delta/2)
    huber = 2,
    /// huber / delta
    smooth_l1 = 3,
    /// -(y·log x + (1-y)·log(1-x)), logarithms at least -100
    bce = 4,
    /// the same on logits
    bce_logits = 5,
    /// y·(log y - x)
    kl_div = 6,
    /// max(0, 1 - x·y)
    hinge = 7,
};

pub const RouterFn = enum(u8) {
    softmax = 0,
    sigmoid = 1,
};

pub const ValueKind = enum(u8) {
    input = 0,
    weight = 1,
    result = 2,
};

/// What a weight begins as.
pub const WeightContents = enum(u8) {
    /// bytes of this file, or of one beside it
    stored = 0,
    zeros = 1,
    /// nothing: the host gives the contents before the first call that reads them
    none = 2,
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
    /// y = fn(x), element by element; alpha and beta where `fn` has them, absent: its default.
    activation = 38,
    /// min(max(x, low), high) after promotion and broadcasting; where low > high the result is high. One bound at least.
    clip = 39,
    /// The same bits under another dtype of equal width; to bool only from bool.
    bitcast = 40,
    /// re + i·im as c64, after broadcasting.
    complex = 41,
    /// y[i] = fn(x[0] … x[i]) along `axis`.
    cumulate = 42,
    /// x in order along `axis`, and where each element was (i64). Stable; NaN counts as larger than everything.
    sort = 43,
    /// The k largest along `axis` in descending order (or smallest, ascending), and their indices (i64). The lowest index wins a tie; NaN counts as larger than everything.
    top_k = 44,
    /// x along `axis` such that element `kth` is where sorting puts it, with none larger before and none smaller after; and where each element was (i64). Any order on either side.
    partition = 45,
    /// The middle of the sorted elements along `axis`: of an even count the lower one, with `average` the mean of both. NaN where there is one.
    median = 46,
    /// For each of `values` how many of `sorted` (ascending, one axis) are smaller, with `right` smaller or equal: i64. Fails where that is not ascending.
    search_sorted = 47,
    /// The distinct elements of x, or slices along `axis`; the first index of each, for each element of x which one it is, and how often each occurs (all i64). Binds the symbol `count`.
    unique = 48,
    /// Σ over the contracted axes of a·b. The result has the batch axes, then the other axes of a, then those of b.
    dot_general = 49,
    /// Einstein summation: `bij,bjk->bik`; `...` broadcasts, a letter that the result lacks is summed.
    einsum = 50,
    /// y[m] = x[m]·w[group[m]]: x [M,K], w [G,K,N] or packed [G,N,K], group integers [M]. A group outside 0 … G-1 fails the call.
    grouped_matmul = 51,
    /// (a - a_zero)·(b - b_zero) on 8-bit integers, in i32. a_zero is a scalar, [M] or [...,M,1], b_zero a scalar, [N] or [...,1,N].
    integer_matmul = 52,
    /// x·w + scale·(x·a)·b: x [...,K], w [K,N], a [K,R], b [R,N]; the dtype is that of x·w.
    lora_linear = 53,
    /// x repeated as a whole repeats[i] times along axis i.
    tile = 54,
    /// Each slice of x along `axis` repeated `count` times in place.
    repeat = 55,
    /// x backwards along `axes`.
    flip = 56,
    /// x moved by shifts[i] along axes[i], each axis at most once; what leaves at one end comes back at the other.
    roll = 57,
    /// The last two axes with 0 above (lower) or below (upper) the k-th diagonal.
    triangle = 58,
    /// The elements x[…, i, …, i + offset, …] of two axes, as a new last axis.
    diagonal = 59,
    /// y[i…] = x's element offset + Σ i·strides, counted in row-major order; every position must be provably inside.
    as_strided = 60,
    /// Windows of `kernel` over the last axes: [N, C, spatial…] becomes [N, C·∏kernel, positions]; outside x is 0.
    unfold = 61,
    /// The sum of overlapping windows: the transpose of unfold onto the spatial sizes `shape`.
    fold = 62,
    /// Binds a symbol to the value of an integer scalar, which must lie within the symbol's bounds; the result is x.
    item = 63,
    /// sizes[i] elements of x from starts[i] on along axes[i]; starts are integer scalars.
    dynamic_slice = 64,
    /// x with `update` written at `starts` along `axes`.
    dynamic_update = 65,
    /// y[b…, i…] = x[b…, indices[b…, i…, :]]: the last axis of indices, of literal size, holds coordinates; the first batch_dims axes are shared.
    gather_nd = 66,
    /// x with x[indices[i…, :]] = fn(x[…], updates[i…]).
    scatter_nd = 67,
    /// x indexed as NumPy does by integer tensors, one for each of `axes`: they broadcast; their axes stand where the indexed ones stood, or in front when those are not neighbours.
    index_get = 68,
    /// x with fn(x[…], values) at the places that index_get reads; values broadcast.
    index_put = 69,
    /// 1 where the new axis of size `depth` equals the index, else 0; an index outside -depth … depth-1 gives zeros.
    one_hot = 70,
    /// x where mask, stretched to x, is false; where it is true, the elements of `source` one after the other, in row-major order; too few fail the call.
    masked_scatter = 71,
    /// 1 on the k-th diagonal, else 0.
    eye = 72,
    /// Samples along `axis` of unnormalised log-probabilities: argmax(logits + Gumbel noise): i64.
    random_categorical = 73,
    /// The numbers 0 … length-1 in random order: i64.
    random_permutation = 74,
    /// x / (1 - ratio) where a uniform draw is at least ratio, else 0; and that mask (bool).
    dropout = 75,
    /// Cross-correlation. x [N,C,spatial…], w [O,C/groups,kernel…], bias [O].
    conv = 76,
    /// The transpose of conv. x [N,C,spatial…], w [C,O/groups,kernel…]; size (in-1)·stride - before - after + dilation·(kernel-1) + 1 + output_padding.
    conv_transpose = 77,
    /// conv of 8-bit integers in i32: (x - x_zero) with (w - w_zero); padding is x_zero. Zero points are scalars, w_zero may be [O].
    integer_conv = 78,
    /// conv of two spatial axes that reads x at positions moved by `offset` [N, 2·G·kh·kw, oh, ow] (row, column), bilinear, times `mask` [N, G·kh·kw, oh, ow]; the C channels form G offset groups.
    deform_conv = 79,
    /// fn over windows of the spatial axes of x [N,C,spatial…].
    pool = 80,
    /// pool_max, and where each maximum was: i64, positions of x counted in row-major order (with column_major: the spatial axes in reverse order), -1 where a window has no element. The first wins a tie.
    max_pool_indices = 81,
    /// fn over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`.
    adaptive_pool = 82,
    /// Zeros of `shape` [N,C,spatial…] with x at `indices`, as pool_max_indices gives them in row-major order; the last wins.
    max_unpool = 83,
    /// x [N,C,…] normalised over each group of channels and all spatial axes; weight and bias [C].
    group_norm = 84,
    /// (x - mean) / sqrt(var + eps) · weight + bias with given statistics, all [C] along `axis`.
    batch_norm = 85,
    /// x / (bias + alpha/size·Σ x²)^beta, the sum over `size` neighbours along axis 1: ⌊(size-1)/2⌋ before, ⌈(size-1)/2⌉ after.
    local_response_norm = 86,
    /// x / max(‖x‖_p, eps) over `axes`; 0 where both are 0.
    lp_normalize = 87,
    /// attention whose keys and values lie in pages: q [B,H,S,D], k and v pages [P,page,G,D] and [P,page,G,E]; key t of batch b is row t mod page of page table[b, t / page]; lengths [B]. Queries are the last S positions of each.
    paged_attention = 88,
    /// Rotary embedding: the first `dims` elements of the last axis, as pairs (x_i, x_(i+dims/2)) or interleaved (x_2i, x_(2i+1)), turned by the angle position·scale·freqs[i].
    rope = 89,
    /// The same with tables: cos and sin broadcast to x's shape with a last axis of dims/2.
    rope_table = 90,
    /// scale·(clip(round(x / scale) + zero, low, high) - zero): x as it would read after quantisation. scale and zero broadcast to x.
    fake_quantize = 91,
    /// x at other sizes along `axes`; nearest for any dtype, the others for reals.
    resize = 92,
    /// x [N,C,spatial…] read at `grid` [N,out…,rank]: coordinates -1 … 1, the last axis of x first.
    grid_sample = 93,
    /// Regions [R,4] (x1, y1, x2, y2) of x [N,C,H,W], from image batch[r], sampled bilinearly to height × width bins: avg is the mean of the samples, max their largest weight·element.
    roi_align = 94,
    /// The maximum of each of height × width bins of regions [R,5] (batch, x1, y1, x2, y2), corners rounded.
    roi_pool = 95,
    /// Boxes [N,B,4] that survive for each class of scores [N,C,B], best first: rows (batch, class, box) as i64[count, 3]. Binds the symbol `count`.
    nms = 96,
    /// h = f(x·wᵀ + h·rᵀ + b). x [T,B,I], w [D,H,I], r [D,H,H], bias [D,2H], lengths integers [B], h0 [D,B,H]. Results: every h [T,D,B,H], the last h [D,B,H].
    rnn = 97,
    /// Gates z, r, h stacked in w [D,3H,I], r [D,3H,H], bias [D,6H]; results as rnn.
    gru = 98,
    /// Gates i, o, f, c stacked in w [D,4H,I], r [D,4H,H], bias [D,8H]; peepholes i, o, f [D,3H]. Results as rnn, and the last c [D,B,H].
    lstm = 99,
    /// h_t = exp(Δ_t·a)·h + Δ_t·b_t·x_t, y_t = c_t·h_t + d·x_t. x and delta [B,S,C], a [C,N], b and c [B,S,N], d [C], h0 [B,C,N]. Results: y [B,S,C] in x's dtype, the last h in that of h0, or f32 at least.
    selective_scan = 100,
    /// Linear attention with decay: S ← e^g·S, u = beta·(v - Sᵀk), S ← S + k·uᵀ, o = scale·Sᵀq for each step. q [B,H,T,K], k [B,G,T,K], v [B,G,T,V], H a multiple of G. Results: o [B,H,T,V], the last S [B,G,K,V] in the dtype of the first, or f32 at least.
    gated_delta = 101,
    /// The discrete Fourier transform of c64 along `axes`, or its inverse.
    fft = 102,
    /// The transform of reals: the last of `axes` keeps the n/2 + 1 frequencies from 0 on.
    rfft = 103,
    /// The inverse of rfft: reals, whose last axis has the given size.
    irfft = 104,
    /// Transforms of windows of the last axis: frames of `length` every `step`, times `window` [length]: c64 […, frames, bins].
    stft = 105,
    /// L with x = L·Lᵀ (Lᴴ), or with `upper` Lᵀ; reads that triangle of x alone. Fails where x is not positive definite.
    cholesky = 106,
    /// q, r with x = q·r; the diagonal of r is not negative. complete: q is square.
    qr = 107,
    /// u, s, vt with x = u·diag(s)·vt, s descending; full: u and vt are square. In each column of u the first component of at least 0.999 times the largest magnitude is positive.
    svd = 108,
    /// Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices; reads the lower triangle, or the upper. In each vector the first component of at least 0.999 times the largest magnitude is positive.
    eigh = 109,
    /// y with a·y = b, b [..., n, m]. Fails where a is singular.
    solve = 110,
    /// y with a·y = b for triangular a; the other triangle is not read. Fails where the diagonal has a 0.
    triangular_solve = 111,
    /// The inverse of square matrices. Fails where x is singular.
    inverse = 112,
    /// The determinant of square matrices.
    det = 113,
    /// The sign of the determinant and the logarithm of its magnitude.
    slog_det = 114,
    /// The y of least norm that minimises ‖a·y - b‖; singular values of at most rcond times the largest count as 0.
    lstsq = 115,
    /// e^x of square matrices.
    expm = 116,
    /// -Σ target·log softmax(logits) along `axis`: labels integers without that axis, or probabilities of logits' shape. Class weights [C]: with integer labels a mean divides by the weights of those that count, with probabilities by the rows.
    softmax_cross_entropy = 117,
    /// fn(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements.
    loss = 118,
    /// One token for each row of logits […, V]: the largest where temperature is 0, else a draw from the softmax of logits / temperature, cut to the top_k largest, then to the smallest set of at least top_p mass, then to those of at least min_p times the largest probability: i64 […].
    sample = 119,
    /// The k experts of each row of logits [T,E], best first, and their weights: weights [T,k], experts i64 [T,k].
    moe_route = 120,
    /// Σ over k of weights [T,k] · x [T,k,D], in x's dtype.
    moe_combine = 121,
    /// One step of AdamW; results: p, m, v, each in the dtype of the operand that it replaces. step counts from 1; lr is a scalar value.
    adamw_step = 122,
    /// One step of Lion; results: p, m, each in the dtype of the operand that it replaces.
    lion_step = 123,
    /// One step of SGD with momentum; results: p, m, each in the dtype of the operand that it replaces.
    sgd_step = 124,
    /// Gated linear units: value times a function of gate, element by element, of one shape and one dtype.
    glu = 125,
};
