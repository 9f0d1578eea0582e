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
  INGOT_QUANT_METHOD_NVFP4 = 4 /* f4e2m1 codes, an f8e4m3 scale per 16 */
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
  INGOT_UNARY_SOFTPLUS = 42 /* log(1 + e^x) */
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

typedef enum ingot_reduce {
  INGOT_REDUCE_SUM = 0,
  INGOT_REDUCE_MEAN = 1,
  INGOT_REDUCE_PROD = 2,
  INGOT_REDUCE_MAX = 3,
  INGOT_REDUCE_MIN = 4,
  INGOT_REDUCE_ANY = 5,
  INGOT_REDUCE_ALL = 6,
  INGOT_REDUCE_LOGSUMEXP = 7
} ingot_reduce;

typedef enum ingot_arg_reduce {
  INGOT_ARG_REDUCE_MAX = 0,
  INGOT_ARG_REDUCE_MIN = 1
} ingot_arg_reduce;

typedef enum ingot_pad_mode {
  INGOT_PAD_MODE_CONSTANT = 0,
  INGOT_PAD_MODE_REFLECT = 1, /* mirror without the border element */
  INGOT_PAD_MODE_EDGE = 2, /* repeat the border element */
  INGOT_PAD_MODE_WRAP = 3 /* continue at the other end */
} ingot_pad_mode;

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

typedef enum ingot_causal {
  INGOT_CAUSAL_NONE = 0,
  INGOT_CAUSAL_UPPER_LEFT = 1, /* query i sees keys 0 … i */
  INGOT_CAUSAL_LOWER_RIGHT = 2 /* query i sees keys 0 … i + T - S */
} ingot_causal;

typedef enum ingot_value_kind {
  INGOT_VALUE_KIND_INPUT = 0,
  INGOT_VALUE_KIND_WEIGHT = 1,
  INGOT_VALUE_KIND_RESULT = 2
} ingot_value_kind;

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
  INGOT_OP_CUSTOM = 37 /* An op that the host registered under `name`; its result types are declared. */
} ingot_op;

#endif /* INGOT_ENUMS_H */
