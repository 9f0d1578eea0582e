/* Generated from schema/ingot.fbs. Do not edit.
 *
 * The enums of Ingot programs. The numbers are those of the file format: they never change, new ones are appended. */
/* clang-format off */
#ifndef INGOT_ENUMS_H
#define INGOT_ENUMS_H

/* Element types. From `f8e4m3` on, storage only: cast, copied, quantised, never computed with. */
typedef enum ingot_dtype {
  INGOT_DTYPE_BOOL = 0, /* one byte, 0 or 1 */
  INGOT_DTYPE_U8 = 1,
  INGOT_DTYPE_U16 = 2,
  INGOT_DTYPE_U32 = 3,
  INGOT_DTYPE_U64 = 4,
  INGOT_DTYPE_I8 = 5,
  INGOT_DTYPE_I16 = 6,
  INGOT_DTYPE_I32 = 7,
  INGOT_DTYPE_I64 = 8,
  INGOT_DTYPE_F16 = 9, /* IEEE half */
  INGOT_DTYPE_BF16 = 10, /* the upper half of an f32 */
  INGOT_DTYPE_F32 = 11,
  INGOT_DTYPE_F64 = 12,
  INGOT_DTYPE_C64 = 13, /* two f32: real, imaginary */
  INGOT_DTYPE_F8E4M3 = 14, /* 4 exponent bits, 3 mantissa bits, no infinity */
  INGOT_DTYPE_F8E5M2 = 15, /* 5 exponent bits, 2 mantissa bits */
  INGOT_DTYPE_F8E8M0 = 16, /* a power of two: 2^(b - 127), 255 is NaN */
  INGOT_DTYPE_F4E2M1 = 17, /* 2 exponent bits, 1 mantissa bit; two values a byte, low bits first */
  INGOT_DTYPE_I4 = 18, /* two values a byte, low bits first */
  INGOT_DTYPE_U4 = 19,
  INGOT_DTYPE_I2 = 20, /* four values a byte, low bits first */
  INGOT_DTYPE_U2 = 21,
  INGOT_DTYPE_PACKED = 22 /* blocks of a quantisation scheme */
} ingot_dtype;

/* How a packed tensor stores the rows of its last axis; docs/semantics.md gives the layout bit by bit. */
typedef enum ingot_quant_method {
  INGOT_QUANT_METHOD_AFFINE = 0, /* x = scale·q + bias, q unsigned of `bits` bits, one scale and bias per group */
  INGOT_QUANT_METHOD_SYMMETRIC = 1, /* x = scale·q, q two's complement of `bits` bits, one scale per group */
  INGOT_QUANT_METHOD_MXFP4 = 2, /* f4e2m1 codes, an f8e8m0 scale per 32 */
  INGOT_QUANT_METHOD_MXFP8 = 3, /* f8e4m3 codes, an f8e8m0 scale per 32 */
  INGOT_QUANT_METHOD_NVFP4 = 4, /* f4e2m1 codes, an f8e4m3 scale per 16 */
  INGOT_QUANT_METHOD_NF4 = 5, /* codes of the 16 quantiles of the normal distribution, one scale per group */
  INGOT_QUANT_METHOD_FP8_E4M3 = 6, /* f8e4m3 codes, one scale per group */
  INGOT_QUANT_METHOD_FP8_E5M2 = 7, /* f8e5m2 codes, one scale per group */
  INGOT_QUANT_METHOD_Q4_0 = 8, /* GGUF blocks, as the file format lays them out */
  INGOT_QUANT_METHOD_Q4_1 = 9,
  INGOT_QUANT_METHOD_Q5_0 = 10,
  INGOT_QUANT_METHOD_Q5_1 = 11,
  INGOT_QUANT_METHOD_Q8_0 = 12,
  INGOT_QUANT_METHOD_Q8_1 = 13,
  INGOT_QUANT_METHOD_Q2_K = 14,
  INGOT_QUANT_METHOD_Q3_K = 15,
  INGOT_QUANT_METHOD_Q4_K = 16,
  INGOT_QUANT_METHOD_Q5_K = 17,
  INGOT_QUANT_METHOD_Q6_K = 18,
  INGOT_QUANT_METHOD_Q8_K = 19,
  INGOT_QUANT_METHOD_IQ4_NL = 20,
  INGOT_QUANT_METHOD_IQ4_XS = 21,
  INGOT_QUANT_METHOD_IQ2_XXS = 22,
  INGOT_QUANT_METHOD_IQ2_XS = 23,
  INGOT_QUANT_METHOD_IQ2_S = 24,
  INGOT_QUANT_METHOD_IQ3_XXS = 25,
  INGOT_QUANT_METHOD_IQ3_S = 26,
  INGOT_QUANT_METHOD_IQ1_S = 27,
  INGOT_QUANT_METHOD_IQ1_M = 28,
  INGOT_QUANT_METHOD_TQ1_0 = 29,
  INGOT_QUANT_METHOD_TQ2_0 = 30
} ingot_quant_method;

typedef enum ingot_dim_op {
  INGOT_DIM_OP_LITERAL = 0,
  INGOT_DIM_OP_SYMBOL = 1,
  INGOT_DIM_OP_ADD = 2,
  INGOT_DIM_OP_MUL = 3,
  INGOT_DIM_OP_FLOOR_DIV = 4,
  INGOT_DIM_OP_MIN = 5,
  INGOT_DIM_OP_MAX = 6
} ingot_dim_op;

typedef enum ingot_scalar_kind {
  INGOT_SCALAR_KIND_SIGNED_INT = 0,
  INGOT_SCALAR_KIND_UNSIGNED_INT = 1,
  INGOT_SCALAR_KIND_REAL = 2,
  INGOT_SCALAR_KIND_COMPLEX = 3
} ingot_scalar_kind;

typedef enum ingot_unary {
  INGOT_UNARY_ABS = 0,
  INGOT_UNARY_NEG = 1,
  INGOT_UNARY_SIGN = 2,
  INGOT_UNARY_SQUARE = 3,
  INGOT_UNARY_SQRT = 4,
  INGOT_UNARY_RSQRT = 5,
  INGOT_UNARY_RECIPROCAL = 6,
  INGOT_UNARY_EXP = 7,
  INGOT_UNARY_EXPM1 = 8,
  INGOT_UNARY_EXP2 = 9,
  INGOT_UNARY_LOG = 10,
  INGOT_UNARY_LOG1P = 11,
  INGOT_UNARY_LOG2 = 12,
  INGOT_UNARY_LOG10 = 13,
  INGOT_UNARY_SIN = 14,
  INGOT_UNARY_COS = 15,
  INGOT_UNARY_TAN = 16,
  INGOT_UNARY_ASIN = 17,
  INGOT_UNARY_ACOS = 18,
  INGOT_UNARY_ATAN = 19,
  INGOT_UNARY_SINH = 20,
  INGOT_UNARY_COSH = 21,
  INGOT_UNARY_TANH = 22,
  INGOT_UNARY_ASINH = 23,
  INGOT_UNARY_ACOSH = 24,
  INGOT_UNARY_ATANH = 25,
  INGOT_UNARY_ERF = 26,
  INGOT_UNARY_ERFINV = 27,
  INGOT_UNARY_FLOOR = 28,
  INGOT_UNARY_CEIL = 29,
  INGOT_UNARY_ROUND = 30, /* to the nearest, halves to even */
  INGOT_UNARY_TRUNC = 31,
  INGOT_UNARY_ISNAN = 32,
  INGOT_UNARY_ISINF = 33,
  INGOT_UNARY_ISFINITE = 34,
  INGOT_UNARY_LOGICAL_NOT = 35,
  INGOT_UNARY_BITWISE_NOT = 36,
  INGOT_UNARY_SIGMOID = 37,
  INGOT_UNARY_RELU = 38,
  INGOT_UNARY_SILU = 39,
  INGOT_UNARY_GELU = 40, /* x·Φ(x), by erf */
  INGOT_UNARY_GELU_TANH = 41, /* the tanh approximation */
  INGOT_UNARY_SOFTPLUS = 42, /* log(1 + e^x) */
  INGOT_UNARY_REAL = 43, /* the parts of a complex number: f32 */
  INGOT_UNARY_IMAG = 44,
  INGOT_UNARY_CONJ = 45,
  INGOT_UNARY_ANGLE = 46, /* of a complex number, in radians: f32 */
  INGOT_UNARY_LGAMMA = 47, /* log |Γ(x)| */
  INGOT_UNARY_SIGNBIT = 48 /* the sign bit is set */
} ingot_unary;

typedef enum ingot_binary {
  INGOT_BINARY_ADD = 0,
  INGOT_BINARY_SUB = 1,
  INGOT_BINARY_MUL = 2,
  INGOT_BINARY_DIV = 3, /* true division, floats and complex only */
  INGOT_BINARY_FLOOR_DIV = 4, /* towards minus infinity; integer x / 0 is 0 */
  INGOT_BINARY_TRUNC_DIV = 5, /* towards zero; integer x / 0 is 0 */
  INGOT_BINARY_REM = 6, /* sign of the divisor, as in Python */
  INGOT_BINARY_FMOD = 7, /* sign of the dividend, as in C */
  INGOT_BINARY_POW = 8,
  INGOT_BINARY_MAX = 9, /* NaN if either is NaN */
  INGOT_BINARY_MIN = 10, /* NaN if either is NaN */
  INGOT_BINARY_ATAN2 = 11,
  INGOT_BINARY_LOGADDEXP = 12,
  INGOT_BINARY_LOGICAL_AND = 13,
  INGOT_BINARY_LOGICAL_OR = 14,
  INGOT_BINARY_LOGICAL_XOR = 15,
  INGOT_BINARY_BITWISE_AND = 16,
  INGOT_BINARY_BITWISE_OR = 17,
  INGOT_BINARY_BITWISE_XOR = 18,
  INGOT_BINARY_SHIFT_LEFT = 19,
  INGOT_BINARY_SHIFT_RIGHT = 20
} ingot_binary;

typedef enum ingot_compare {
  INGOT_COMPARE_EQ = 0,
  INGOT_COMPARE_NE = 1,
  INGOT_COMPARE_LT = 2,
  INGOT_COMPARE_LE = 3,
  INGOT_COMPARE_GT = 4,
  INGOT_COMPARE_GE = 5
} ingot_compare;

typedef enum ingot_activation {
  INGOT_ACTIVATION_ELU = 0, /* x > 0 ? x : alpha·(e^x - 1); alpha 1 */
  INGOT_ACTIVATION_SELU = 1, /* beta·(x > 0 ? x : alpha·(e^x - 1)); alpha 1.67326319217681884765625, beta 1.05070102214813232421875 */
  INGOT_ACTIVATION_CELU = 2, /* max(x, 0) + min(0, alpha·(e^(x/alpha) - 1)); alpha 1 */
  INGOT_ACTIVATION_LEAKY_RELU = 3, /* x < 0 ? alpha·x : x; alpha 0.01 */
  INGOT_ACTIVATION_HARD_SIGMOID = 4, /* clip(alpha·x + beta, 0, 1); alpha 0.2, beta 0.5 */
  INGOT_ACTIVATION_HARD_SWISH = 5, /* x·clip(x/6 + 1/2, 0, 1) */
  INGOT_ACTIVATION_HARD_TANH = 6, /* clip(x, alpha, beta); alpha -1, beta 1 */
  INGOT_ACTIVATION_MISH = 7, /* x·tanh(log(1 + e^x)) */
  INGOT_ACTIVATION_SOFTSIGN = 8, /* x / (1 + |x|) */
  INGOT_ACTIVATION_SQUARED_RELU = 9, /* max(x, 0)² */
  INGOT_ACTIVATION_THRESHOLDED_RELU = 10, /* x ≤ alpha ? beta : x; alpha 1, beta 0 */
  INGOT_ACTIVATION_HARD_SHRINK = 11, /* |x| ≤ alpha ? 0 : x; alpha 0.5 */
  INGOT_ACTIVATION_SOFT_SHRINK = 12, /* x < -alpha ? x + beta : x > alpha ? x - beta : 0; alpha 0.5, beta alpha; NaN stays */
  INGOT_ACTIVATION_LOG_SIGMOID = 13, /* -log(1 + e^-x) */
  INGOT_ACTIVATION_SWISH = 14, /* x·sigmoid(alpha·x); alpha 1 */
  INGOT_ACTIVATION_QUICK_GELU = 15 /* x·sigmoid(1.702·x) */
} ingot_activation;

typedef enum ingot_glu {
  INGOT_GLU_GLU = 0, /* value·sigmoid(gate) */
  INGOT_GLU_SWIGLU = 1, /* value·silu(gate) */
  INGOT_GLU_GEGLU = 2, /* value·gelu(gate) */
  INGOT_GLU_GEGLU_TANH = 3, /* value·gelu_tanh(gate) */
  INGOT_GLU_REGLU = 4 /* value·relu(gate) */
} ingot_glu;

typedef enum ingot_reduce {
  INGOT_REDUCE_SUM = 0,
  INGOT_REDUCE_MEAN = 1,
  INGOT_REDUCE_PROD = 2,
  INGOT_REDUCE_MAX = 3,
  INGOT_REDUCE_MIN = 4,
  INGOT_REDUCE_ANY = 5,
  INGOT_REDUCE_ALL = 6,
  INGOT_REDUCE_LOGSUMEXP = 7,
  INGOT_REDUCE_VAR = 8, /* Σ(x - mean)² / (n - ddof) */
  INGOT_REDUCE_STD = 9 /* the root of var */
} ingot_reduce;

typedef enum ingot_arg_reduce {
  INGOT_ARG_REDUCE_MAX = 0,
  INGOT_ARG_REDUCE_MIN = 1
} ingot_arg_reduce;

typedef enum ingot_cumulate {
  INGOT_CUMULATE_SUM = 0,
  INGOT_CUMULATE_PROD = 1,
  INGOT_CUMULATE_MAX = 2,
  INGOT_CUMULATE_MIN = 3,
  INGOT_CUMULATE_LOGSUMEXP = 4
} ingot_cumulate;

typedef enum ingot_pad_mode {
  INGOT_PAD_MODE_CONSTANT = 0,
  INGOT_PAD_MODE_REFLECT = 1, /* mirror without the border element */
  INGOT_PAD_MODE_EDGE = 2, /* repeat the border element */
  INGOT_PAD_MODE_WRAP = 3 /* continue at the other end */
} ingot_pad_mode;

typedef enum ingot_triangle {
  INGOT_TRIANGLE_LOWER = 0,
  INGOT_TRIANGLE_UPPER = 1
} ingot_triangle;

typedef enum ingot_index_mode {
  INGOT_INDEX_MODE_ERROR = 0, /* an index outside -size … size-1 fails the call */
  INGOT_INDEX_MODE_CLAMP = 1, /* it becomes the nearest valid one; negatives do not count from the end */
  INGOT_INDEX_MODE_DROP = 2 /* it reads 0 or false, and writes nothing */
} ingot_index_mode;

typedef enum ingot_scatter {
  INGOT_SCATTER_SET = 0, /* the last write in row-major order wins */
  INGOT_SCATTER_ADD = 1,
  INGOT_SCATTER_MUL = 2,
  INGOT_SCATTER_MAX = 3,
  INGOT_SCATTER_MIN = 4
} ingot_scatter;

typedef enum ingot_random {
  INGOT_RANDOM_BITS = 0, /* raw words: u32 or u64 */
  INGOT_RANDOM_UNIFORM = 1, /* in [0, 1) */
  INGOT_RANDOM_NORMAL = 2
} ingot_random;

typedef enum ingot_pool {
  INGOT_POOL_MAX = 0,
  INGOT_POOL_AVG = 1,
  INGOT_POOL_LP = 2 /* (Σ |x|^p)^(1/p) */
} ingot_pool;

typedef enum ingot_causal {
  INGOT_CAUSAL_NONE = 0,
  INGOT_CAUSAL_UPPER_LEFT = 1, /* query i sees keys 0 … i */
  INGOT_CAUSAL_LOWER_RIGHT = 2 /* query i sees keys 0 … i + T - S */
} ingot_causal;

typedef enum ingot_fake_quantize_gradient {
  INGOT_FAKE_QUANTIZE_GRADIENT_IDENTITY = 0,
  INGOT_FAKE_QUANTIZE_GRADIENT_CLIPPED = 1,
  INGOT_FAKE_QUANTIZE_GRADIENT_TANH = 2,
  INGOT_FAKE_QUANTIZE_GRADIENT_HARD_TANH = 3
} ingot_fake_quantize_gradient;

typedef enum ingot_resize_mode {
  INGOT_RESIZE_MODE_NEAREST = 0,
  INGOT_RESIZE_MODE_LINEAR = 1,
  INGOT_RESIZE_MODE_CUBIC = 2
} ingot_resize_mode;

/* Where output position i lies in the input; s is the scale of the axis, L the length that it implies (s·in where scales are given, else the output size). */
typedef enum ingot_resize_coordinates {
  INGOT_RESIZE_COORDINATES_HALF_PIXEL = 0, /* (i + 1/2)/s - 1/2 */
  INGOT_RESIZE_COORDINATES_HALF_PIXEL_SYMMETRIC = 1, /* half_pixel about the middle of x: plus (in/2)·(1 - out/L) */
  INGOT_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL = 2, /* half_pixel, 0 where L is 1 */
  INGOT_RESIZE_COORDINATES_ALIGN_CORNERS = 3, /* i·(in - 1)/(L - 1) */
  INGOT_RESIZE_COORDINATES_ASYMMETRIC = 4, /* i/s */
  INGOT_RESIZE_COORDINATES_TF_CROP_AND_RESIZE = 5 /* align_corners within `roi`; outside x it is `extrapolation` */
} ingot_resize_coordinates;

typedef enum ingot_resize_rounding {
  INGOT_RESIZE_ROUNDING_ROUND_PREFER_FLOOR = 0,
  INGOT_RESIZE_ROUNDING_ROUND_PREFER_CEIL = 1,
  INGOT_RESIZE_ROUNDING_FLOOR = 2,
  INGOT_RESIZE_ROUNDING_CEIL = 3
} ingot_resize_rounding;

typedef enum ingot_grid_mode {
  INGOT_GRID_MODE_NEAREST = 0,
  INGOT_GRID_MODE_LINEAR = 1,
  INGOT_GRID_MODE_CUBIC = 2
} ingot_grid_mode;

typedef enum ingot_grid_padding {
  INGOT_GRID_PADDING_ZEROS = 0,
  INGOT_GRID_PADDING_BORDER = 1,
  INGOT_GRID_PADDING_REFLECTION = 2
} ingot_grid_padding;

typedef enum ingot_roi {
  INGOT_ROI_AVG = 0,
  INGOT_ROI_MAX = 1
} ingot_roi;

typedef enum ingot_rnn_activation {
  INGOT_RNN_ACTIVATION_TANH = 0,
  INGOT_RNN_ACTIVATION_SIGMOID = 1,
  INGOT_RNN_ACTIVATION_RELU = 2,
  INGOT_RNN_ACTIVATION_AFFINE = 3,
  INGOT_RNN_ACTIVATION_LEAKY_RELU = 4,
  INGOT_RNN_ACTIVATION_THRESHOLDED_RELU = 5,
  INGOT_RNN_ACTIVATION_SCALED_TANH = 6,
  INGOT_RNN_ACTIVATION_HARD_SIGMOID = 7,
  INGOT_RNN_ACTIVATION_ELU = 8,
  INGOT_RNN_ACTIVATION_SOFTSIGN = 9,
  INGOT_RNN_ACTIVATION_SOFTPLUS = 10
} ingot_rnn_activation;

typedef enum ingot_rnn_direction {
  INGOT_RNN_DIRECTION_FORWARD = 0,
  INGOT_RNN_DIRECTION_REVERSE = 1,
  INGOT_RNN_DIRECTION_BIDIRECTIONAL = 2
} ingot_rnn_direction;

typedef enum ingot_fft {
  INGOT_FFT_FORWARD = 0,
  INGOT_FFT_INVERSE = 1
} ingot_fft;

typedef enum ingot_fft_norm {
  INGOT_FFT_NORM_BACKWARD = 0, /* 1/n on the inverse */
  INGOT_FFT_NORM_ORTHO = 1, /* 1/sqrt(n) on both */
  INGOT_FFT_NORM_FORWARD = 2 /* 1/n on the forward */
} ingot_fft_norm;

typedef enum ingot_loss_reduction {
  INGOT_LOSS_REDUCTION_NONE = 0,
  INGOT_LOSS_REDUCTION_SUM = 1,
  INGOT_LOSS_REDUCTION_MEAN = 2
} ingot_loss_reduction;

typedef enum ingot_loss {
  INGOT_LOSS_MSE = 0, /* (x - y)² */
  INGOT_LOSS_L1 = 1, /* |x - y| */
  INGOT_LOSS_HUBER = 2, /* |d| < delta ? d²/2 : delta·(|d| - delta/2) */
  INGOT_LOSS_SMOOTH_L1 = 3, /* huber / delta */
  INGOT_LOSS_BCE = 4, /* -(y·log x + (1-y)·log(1-x)), logarithms at least -100 */
  INGOT_LOSS_BCE_LOGITS = 5, /* the same on logits */
  INGOT_LOSS_KL_DIV = 6, /* y·(log y - x) */
  INGOT_LOSS_HINGE = 7 /* max(0, 1 - x·y) */
} ingot_loss;

typedef enum ingot_router {
  INGOT_ROUTER_SOFTMAX = 0,
  INGOT_ROUTER_SIGMOID = 1
} ingot_router;

typedef enum ingot_value_kind {
  INGOT_VALUE_KIND_INPUT = 0,
  INGOT_VALUE_KIND_WEIGHT = 1,
  INGOT_VALUE_KIND_RESULT = 2
} ingot_value_kind;

/* What a weight begins as. */
typedef enum ingot_weight_contents {
  INGOT_WEIGHT_CONTENTS_STORED = 0, /* bytes of this file, or of one beside it */
  INGOT_WEIGHT_CONTENTS_ZEROS = 1,
  INGOT_WEIGHT_CONTENTS_NONE = 2 /* nothing: the host gives the contents before the first call that reads them */
} ingot_weight_contents;

/* The position of an op in the schema's table Ops. */
typedef enum ingot_op {
  INGOT_OP_UNARY = 0, /* y = fn(x), element by element. */
  INGOT_OP_BINARY = 1, /* y = fn(a, b) after promotion and broadcasting. */
  INGOT_OP_COMPARE = 2, /* y = fn(a, b) as bool, after promotion and broadcasting; every comparison with NaN but ne is false. */
  INGOT_OP_SELECT = 3, /* y = condition ? a : b, element by element, with promotion and broadcasting. */
  INGOT_OP_CAST = 4, /* x converted to another dtype: to nearest even, out-of-range integers wrap unless `saturate`. */
  INGOT_OP_REDUCE = 5, /* fn over `axes`. An empty sum is 0, a product 1, max and min the identity of the dtype, a mean NaN. */
  INGOT_OP_ARG_REDUCE = 6, /* Index of the extreme along `axis`. The lowest index wins a tie; NaN counts as the extreme. */
  INGOT_OP_SOFTMAX = 7, /* e^x / Σ e^x along `axis`, with the maximum subtracted first; its logarithm when `log`. */
  INGOT_OP_MATMUL = 8, /* a·b over the last two axes; leading axes broadcast. */
  INGOT_OP_RESHAPE = 9, /* The same elements in row-major order under another shape of equal count. */
  INGOT_OP_TRANSPOSE = 10, /* Axis i of the result is axis perm[i] of x. */
  INGOT_OP_BROADCAST = 11, /* x repeated to `shape`: axes align at the end, an axis of size 1 stretches. */
  INGOT_OP_SLICE = 12, /* x[start : stop : step] along each of `axes`; 0 ≤ start ≤ stop ≤ size must be provable. */
  INGOT_OP_CONCATENATE = 13, /* The operands one after the other along `axis`. */
  INGOT_OP_PAD = 14, /* x with `before` and `after` elements added at the ends of each axis. */
  INGOT_OP_ENSURE_SHAPE = 15, /* x, whose sizes are checked against `shape` when the op runs: a promise that inference cannot prove. */
  INGOT_OP_TAKE = 16, /* Slices of x along `axis` at `indices`; the axis is replaced by the axes of indices. Negatives count from the end. */
  INGOT_OP_GATHER = 17, /* y[…, i, …] = x[…, indices[…, i, …], …] along `axis`: NumPy's take_along_axis. */
  INGOT_OP_SCATTER = 18, /* x with x[…, indices[…, i, …], …] = fn(x[…], updates[…, i, …]) along `axis`. */
  INGOT_OP_NONZERO = 19, /* Coordinates of the elements that are not 0, as i64[rank, count], row-major; binds the symbol `count`. */
  INGOT_OP_IOTA = 20, /* start + i·step for i in 0 … length-1. */
  INGOT_OP_FULL = 21, /* Every element is `value`. */
  INGOT_OP_RANDOM = 22, /* offset + scale·sample. Counter-based (Philox 4x32-10): the value depends on key and position alone. */
  INGOT_OP_SIZE_OF = 23, /* A size as a value of rank 0. */
  INGOT_OP_LAYER_NORM = 24, /* (x - mean) / sqrt(var + eps) · weight + bias over the axes from `axis` on. */
  INGOT_OP_RMS_NORM = 25, /* x / sqrt(mean(x²) + eps) · weight over the axes from `axis` on. */
  INGOT_OP_ATTENTION = 26, /* softmax(scale·q·kᵀ)·v per head. q [B,H,S,D], k [B,G,T,D], v [B,G,T,E], H a multiple of G. A row that sees no key is 0. */
  INGOT_OP_QUANTIZE = 27, /* x packed by `scheme` along its last axis, to the nearest code. */
  INGOT_OP_DEQUANTIZE = 28, /* The values of a packed tensor, times `scale`. */
  INGOT_OP_QUANTIZED_MATMUL = 29, /* x·wᵀ with w packed as [N,K]. */
  INGOT_OP_STATE_READ = 30, /* The current contents of a state. */
  INGOT_OP_STATE_WRITE = 31, /* Replaces the contents of a state; the result is the new contents. */
  INGOT_OP_STATE_UPDATE = 32, /* Writes `update` into a state at `starts` along `axes`; the rest keeps its value. The result is the new contents. */
  INGOT_OP_IF = 33, /* Runs one of two graphs on the captures. */
  INGOT_OP_WHILE = 34, /* carry = body(carry, captures) while condition(carry, captures); the results are the last carry. */
  INGOT_OP_SCAN = 35, /* carry, ys[i] = body(carry, xs[i], captures) for i in 0 … length-1; the results are the last carry and the ys. */
  INGOT_OP_CALL = 36, /* Runs a graph on the operands. */
  INGOT_OP_CUSTOM = 37, /* An op that the host registered under `name`; its result types are declared. */
  INGOT_OP_ACTIVATION = 38, /* y = fn(x), element by element; alpha and beta where `fn` has them, absent: its default. */
  INGOT_OP_CLIP = 39, /* min(max(x, low), high) after promotion and broadcasting; where low > high the result is high. One bound at least. */
  INGOT_OP_BITCAST = 40, /* The same bits under another dtype of equal width; to bool only from bool. */
  INGOT_OP_COMPLEX = 41, /* re + i·im as c64, after broadcasting. */
  INGOT_OP_CUMULATE = 42, /* y[i] = fn(x[0] … x[i]) along `axis`. */
  INGOT_OP_SORT = 43, /* x in order along `axis`, and where each element was (i64). Stable; NaN counts as larger than everything. */
  INGOT_OP_TOP_K = 44, /* The k largest along `axis` in descending order (or smallest, ascending), and their indices (i64). The lowest index wins a tie; NaN counts as larger than everything. */
  INGOT_OP_PARTITION = 45, /* x along `axis` such that element `kth` is where sorting puts it, with none larger before and none smaller after; and where each element was (i64). Any order on either side. */
  INGOT_OP_MEDIAN = 46, /* The middle of the sorted elements along `axis`: of an even count the lower one, with `average` the mean of both. NaN where there is one. */
  INGOT_OP_SEARCH_SORTED = 47, /* For each of `values` how many of `sorted` (ascending, one axis) are smaller, with `right` smaller or equal: i64. Fails where that is not ascending. */
  INGOT_OP_UNIQUE = 48, /* The distinct elements of x, or slices along `axis`; the first index of each, for each element of x which one it is, and how often each occurs (all i64). Binds the symbol `count`. */
  INGOT_OP_DOT_GENERAL = 49, /* Σ over the contracted axes of a·b. The result has the batch axes, then the other axes of a, then those of b. */
  INGOT_OP_EINSUM = 50, /* Einstein summation: `bij,bjk->bik`; `...` broadcasts, a letter that the result lacks is summed. */
  INGOT_OP_GROUPED_MATMUL = 51, /* y[m] = x[m]·w[group[m]]: x [M,K], w [G,K,N] or packed [G,N,K], group integers [M]. A group outside 0 … G-1 fails the call. */
  INGOT_OP_INTEGER_MATMUL = 52, /* (a - a_zero)·(b - b_zero) on 8-bit integers, in i32. a_zero is a scalar, [M] or [...,M,1], b_zero a scalar, [N] or [...,1,N]. */
  INGOT_OP_LORA_LINEAR = 53, /* x·w + scale·(x·a)·b: x [...,K], w [K,N], a [K,R], b [R,N]; the dtype is that of x·w. */
  INGOT_OP_TILE = 54, /* x repeated as a whole repeats[i] times along axis i. */
  INGOT_OP_REPEAT = 55, /* Each slice of x along `axis` repeated `count` times in place. */
  INGOT_OP_FLIP = 56, /* x backwards along `axes`. */
  INGOT_OP_ROLL = 57, /* x moved by shifts[i] along axes[i], each axis at most once; what leaves at one end comes back at the other. */
  INGOT_OP_TRIANGLE = 58, /* The last two axes with 0 above (lower) or below (upper) the k-th diagonal. */
  INGOT_OP_DIAGONAL = 59, /* The elements x[…, i, …, i + offset, …] of two axes, as a new last axis. */
  INGOT_OP_AS_STRIDED = 60, /* y[i…] = x's element offset + Σ i·strides, counted in row-major order; every position must be provably inside. */
  INGOT_OP_UNFOLD = 61, /* Windows of `kernel` over the last axes: [N, C, spatial…] becomes [N, C·∏kernel, positions]; outside x is 0. */
  INGOT_OP_FOLD = 62, /* The sum of overlapping windows: the transpose of unfold onto the spatial sizes `shape`. */
  INGOT_OP_ITEM = 63, /* Binds a symbol to the value of an integer scalar, which must lie within the symbol's bounds; the result is x. */
  INGOT_OP_DYNAMIC_SLICE = 64, /* sizes[i] elements of x from starts[i] on along axes[i]; starts are integer scalars. */
  INGOT_OP_DYNAMIC_UPDATE = 65, /* x with `update` written at `starts` along `axes`. */
  INGOT_OP_GATHER_ND = 66, /* y[b…, i…] = x[b…, indices[b…, i…, :]]: the last axis of indices, of literal size, holds coordinates; the first batch_dims axes are shared. */
  INGOT_OP_SCATTER_ND = 67, /* x with x[indices[i…, :]] = fn(x[…], updates[i…]). */
  INGOT_OP_INDEX_GET = 68, /* x indexed as NumPy does by integer tensors, one for each of `axes`: they broadcast; their axes stand where the indexed ones stood, or in front when those are not neighbours. */
  INGOT_OP_INDEX_PUT = 69, /* x with fn(x[…], values) at the places that index_get reads; values broadcast. */
  INGOT_OP_ONE_HOT = 70, /* 1 where the new axis of size `depth` equals the index, else 0; an index outside -depth … depth-1 gives zeros. */
  INGOT_OP_MASKED_SCATTER = 71, /* x where mask, stretched to x, is false; where it is true, the elements of `source` one after the other, in row-major order; too few fail the call. */
  INGOT_OP_EYE = 72, /* 1 on the k-th diagonal, else 0. */
  INGOT_OP_RANDOM_CATEGORICAL = 73, /* Samples along `axis` of unnormalised log-probabilities: argmax(logits + Gumbel noise): i64. */
  INGOT_OP_RANDOM_PERMUTATION = 74, /* The numbers 0 … length-1 in random order: i64. */
  INGOT_OP_DROPOUT = 75, /* x / (1 - ratio) where a uniform draw is at least ratio, else 0; and that mask (bool). */
  INGOT_OP_CONV = 76, /* Cross-correlation. x [N,C,spatial…], w [O,C/groups,kernel…], bias [O]. */
  INGOT_OP_CONV_TRANSPOSE = 77, /* The transpose of conv. x [N,C,spatial…], w [C,O/groups,kernel…]; size (in-1)·stride - before - after + dilation·(kernel-1) + 1 + output_padding. */
  INGOT_OP_INTEGER_CONV = 78, /* conv of 8-bit integers in i32: (x - x_zero) with (w - w_zero); padding is x_zero. Zero points are scalars, w_zero may be [O]. */
  INGOT_OP_DEFORM_CONV = 79, /* conv of two spatial axes that reads x at positions moved by `offset` [N, 2·G·kh·kw, oh, ow] (row, column), bilinear, times `mask` [N, G·kh·kw, oh, ow]; the C channels form G offset groups. */
  INGOT_OP_POOL = 80, /* fn over windows of the spatial axes of x [N,C,spatial…]. */
  INGOT_OP_MAX_POOL_INDICES = 81, /* pool_max, and where each maximum was: i64, positions of x counted in row-major order (with column_major: the spatial axes in reverse order), -1 where a window has no element. The first wins a tie. */
  INGOT_OP_ADAPTIVE_POOL = 82, /* fn over windows ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1 of each spatial axis, so that these have the sizes `shape`. */
  INGOT_OP_MAX_UNPOOL = 83, /* Zeros of `shape` [N,C,spatial…] with x at `indices`, as pool_max_indices gives them in row-major order; the last wins. */
  INGOT_OP_GROUP_NORM = 84, /* x [N,C,…] normalised over each group of channels and all spatial axes; weight and bias [C]. */
  INGOT_OP_BATCH_NORM = 85, /* (x - mean) / sqrt(var + eps) · weight + bias with given statistics, all [C] along `axis`. */
  INGOT_OP_LOCAL_RESPONSE_NORM = 86, /* x / (bias + alpha/size·Σ x²)^beta, the sum over `size` neighbours along axis 1: ⌊(size-1)/2⌋ before, ⌈(size-1)/2⌉ after. */
  INGOT_OP_LP_NORMALIZE = 87, /* x / max(‖x‖_p, eps) over `axes`; 0 where both are 0. */
  INGOT_OP_PAGED_ATTENTION = 88, /* attention whose keys and values lie in pages: q [B,H,S,D], k and v pages [P,page,G,D] and [P,page,G,E]; key t of batch b is row t mod page of page table[b, t / page]; lengths [B]. Queries are the last S positions of each. */
  INGOT_OP_ROPE = 89, /* Rotary embedding: the first `dims` elements of the last axis, as pairs (x_i, x_(i+dims/2)) or interleaved (x_2i, x_(2i+1)), turned by the angle position·scale·freqs[i]. */
  INGOT_OP_ROPE_TABLE = 90, /* The same with tables: cos and sin broadcast to x's shape with a last axis of dims/2. */
  INGOT_OP_FAKE_QUANTIZE = 91, /* scale·(clip(round(x / scale) + zero, low, high) - zero): x as it would read after quantisation. scale and zero broadcast to x. */
  INGOT_OP_RESIZE = 92, /* x at other sizes along `axes`; nearest for any dtype, the others for reals. */
  INGOT_OP_GRID_SAMPLE = 93, /* x [N,C,spatial…] read at `grid` [N,out…,rank]: coordinates -1 … 1, the last axis of x first. */
  INGOT_OP_ROI_ALIGN = 94, /* Regions [R,4] (x1, y1, x2, y2) of x [N,C,H,W], from image batch[r], sampled bilinearly to height × width bins: avg is the mean of the samples, max their largest weight·element. */
  INGOT_OP_ROI_POOL = 95, /* The maximum of each of height × width bins of regions [R,5] (batch, x1, y1, x2, y2), corners rounded. */
  INGOT_OP_NMS = 96, /* Boxes [N,B,4] that survive for each class of scores [N,C,B], best first: rows (batch, class, box) as i64[count, 3]. Binds the symbol `count`. */
  INGOT_OP_RNN = 97, /* h = f(x·wᵀ + h·rᵀ + b). x [T,B,I], w [D,H,I], r [D,H,H], bias [D,2H], lengths integers [B], h0 [D,B,H]. Results: every h [T,D,B,H], the last h [D,B,H]. */
  INGOT_OP_GRU = 98, /* Gates z, r, h stacked in w [D,3H,I], r [D,3H,H], bias [D,6H]; results as rnn. */
  INGOT_OP_LSTM = 99, /* Gates i, o, f, c stacked in w [D,4H,I], r [D,4H,H], bias [D,8H]; peepholes i, o, f [D,3H]. Results as rnn, and the last c [D,B,H]. */
  INGOT_OP_SELECTIVE_SCAN = 100, /* h_t = exp(Δ_t·a)·h + Δ_t·b_t·x_t, y_t = c_t·h_t + d·x_t. x and delta [B,S,C], a [C,N], b and c [B,S,N], d [C], h0 [B,C,N]. Results: y [B,S,C] in x's dtype, the last h in that of h0, or f32 at least. */
  INGOT_OP_GATED_DELTA = 101, /* Linear attention with decay: S ← e^g·S, u = beta·(v - Sᵀk), S ← S + k·uᵀ, o = scale·Sᵀq for each step. q [B,H,T,K], k [B,G,T,K], v [B,G,T,V], H a multiple of G. Results: o [B,H,T,V], the last S [B,G,K,V] in the dtype of the first, or f32 at least. */
  INGOT_OP_FFT = 102, /* The discrete Fourier transform of c64 along `axes`, or its inverse. */
  INGOT_OP_RFFT = 103, /* The transform of reals: the last of `axes` keeps the n/2 + 1 frequencies from 0 on. */
  INGOT_OP_IRFFT = 104, /* The inverse of rfft: reals, whose last axis has the given size. */
  INGOT_OP_STFT = 105, /* Transforms of windows of the last axis: frames of `length` every `step`, times `window` [length]: c64 […, frames, bins]. */
  INGOT_OP_CHOLESKY = 106, /* L with x = L·Lᵀ (Lᴴ), or with `upper` Lᵀ; reads that triangle of x alone. Fails where x is not positive definite. */
  INGOT_OP_QR = 107, /* q, r with x = q·r; the diagonal of r is not negative. complete: q is square. */
  INGOT_OP_SVD = 108, /* u, s, vt with x = u·diag(s)·vt, s descending; full: u and vt are square. In each column of u the first component of at least 0.999 times the largest magnitude is positive. */
  INGOT_OP_EIGH = 109, /* Eigenvalues, ascending, and eigenvectors as columns of symmetric matrices; reads the lower triangle, or the upper. In each vector the first component of at least 0.999 times the largest magnitude is positive. */
  INGOT_OP_SOLVE = 110, /* y with a·y = b, b [..., n, m]. Fails where a is singular. */
  INGOT_OP_TRIANGULAR_SOLVE = 111, /* y with a·y = b for triangular a; the other triangle is not read. Fails where the diagonal has a 0. */
  INGOT_OP_INVERSE = 112, /* The inverse of square matrices. Fails where x is singular. */
  INGOT_OP_DET = 113, /* The determinant of square matrices. */
  INGOT_OP_SLOG_DET = 114, /* The sign of the determinant and the logarithm of its magnitude. */
  INGOT_OP_LSTSQ = 115, /* The y of least norm that minimises ‖a·y - b‖; singular values of at most rcond times the largest count as 0. */
  INGOT_OP_EXPM = 116, /* e^x of square matrices. */
  INGOT_OP_SOFTMAX_CROSS_ENTROPY = 117, /* -Σ target·log softmax(logits) along `axis`: labels integers without that axis, or probabilities of logits' shape. Class weights [C]: with integer labels a mean divides by the weights of those that count, with probabilities by the rows. */
  INGOT_OP_LOSS = 118, /* fn(x, target), reduced; target has x's shape. weight broadcasts to x and multiplies before; a mean divides by the number of elements. */
  INGOT_OP_SAMPLE = 119, /* One token for each row of logits […, V]: the largest where temperature is 0, else a draw from the softmax of logits / temperature, cut to the top_k largest, then to the smallest set of at least top_p mass, then to those of at least min_p times the largest probability: i64 […]. */
  INGOT_OP_MOE_ROUTE = 120, /* The k experts of each row of logits [T,E], best first, and their weights: weights [T,k], experts i64 [T,k]. */
  INGOT_OP_MOE_COMBINE = 121, /* Σ over k of weights [T,k] · x [T,k,D], in x's dtype. */
  INGOT_OP_ADAMW_STEP = 122, /* One step of AdamW; results: p, m, v, each in the dtype of the operand that it replaces. step counts from 1; lr is a scalar value. */
  INGOT_OP_LION_STEP = 123, /* One step of Lion; results: p, m, each in the dtype of the operand that it replaces. */
  INGOT_OP_SGD_STEP = 124, /* One step of SGD with momentum; results: p, m, each in the dtype of the operand that it replaces. */
  INGOT_OP_GLU = 125 /* Gated linear units: value times a function of gate, element by element, of one shape and one dtype. */
} ingot_op;

#endif /* INGOT_ENUMS_H */
