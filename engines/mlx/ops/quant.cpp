// Ops on packed tensors: engines/mlx/packing.h has layout and arithmetic.
#include <algorithm>
#include <cmath>

#include "engines/mlx/cast.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/packing.h"
#include "program/decompose.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// -------------------------------------------------------------------------------------------- MLX's own packed weights

// A weight [N, K] as MLX's quantized_matmul takes it.
struct Native {
  array codes, scales;
  std::optional<array> biases;
  int group, bits;
  const char* mode;
  // bool[N]: rows with a NaN, which MLX reads as a number.
  std::optional<array> nans;
};

// Methods whose codes are integers: how many elements share a scale, and the smallest and largest code.
struct IntegerCodes {
  QuantMethod method;
  int64_t group;
  int lowest, highest;
};

// Of those whose groups MLX has: 32 or a multiple.
constexpr IntegerCodes block_codes[] = {
    {QuantMethod::q4_0, 32, -8, 7},       {QuantMethod::q4_1, 32, 0, 15},       {QuantMethod::q5_0, 32, -16, 15},
    {QuantMethod::q5_1, 32, 0, 31},       {QuantMethod::q8_0, 32, -128, 127},   {QuantMethod::q8_1, 32, -128, 127},
    {QuantMethod::q4_k, 32, 0, 15},       {QuantMethod::q5_k, 32, 0, 31},       {QuantMethod::q8_k, 256, -128, 127},
    {QuantMethod::iq4_nl, 32, -127, 113}, {QuantMethod::iq4_xs, 32, -127, 113}, {QuantMethod::iq2_xxs, 32, -43, 43},
    {QuantMethod::iq3_xxs, 32, -62, 62},  {QuantMethod::iq3_s, 32, -15, 15},    {QuantMethod::iq1_s, 32, -9, 9},
    {QuantMethod::tq1_0, 256, -1, 1},     {QuantMethod::tq2_0, 256, -1, 1},
};

std::optional<IntegerCodes> integer_codes(const QuantScheme& scheme) {
  const int half = 1 << (scheme.bits - 1);
  if (scheme.method == QuantMethod::affine) return IntegerCodes{scheme.method, scheme.group, 0, 2 * half - 1};
  if (scheme.method == QuantMethod::symmetric) return IntegerCodes{scheme.method, scheme.group, -half, half - 1};
  const auto found = std::ranges::find(block_codes, scheme.method, &IntegerCodes::method);
  return found == std::end(block_codes) ? std::nullopt : std::optional(*found);
}

// The widest group of MLX that divides this one.
std::optional<int> native_group(int64_t group) {
  for (int each : {128, 64, 32}) {
    if (group % each == 0) return each;
  }
  return {};
}

bool has_native_bits(int bits) { return bits != 7 && 2 <= bits && bits <= 8; }
// The narrowest codes of MLX for so many values.
int native_bits(int values) {
  int bits = 2;
  while (values > 1 << bits || !has_native_bits(bits)) ++bits;
  return bits;
}

array words_of(const array& rows, mx::Stream s) { return mx::view(rows, mx::uint32, s); }

// The codes of the rows as they lie in memory: MLX has the same order of bits.
array codes_in_place(const array& bytes, int n, int64_t k, int bits, mx::Stream s) {
  const auto row = static_cast<int>(k * bits / 8);
  return words_of(mx::reshape(mx::slice(bytes, {0}, {n * row}, s), {n, row}, s), s);
}

// Scales or biases [N, groups], in bytes from `start` on.
array of_groups(const array& bytes, int64_t start, int n, int64_t groups, DType dtype, mx::Stream s) {
  return mx::reshape(elements_at(bytes, start, n * groups, dtype, s), {n, static_cast<int>(groups)}, s);
}

array any_of_row(const array& flags, mx::Stream s) { return mx::any(flags, -1, false, s); }

// All ones but the sign is NaN in f8e4m3, all ones in f8e8m0.
array is_nan_code(const array& codes, DType dtype, mx::Stream s) {
  const int magnitude = dtype == DType::f8e8m0 ? 0xff : 0x7f;
  return mx::equal(mx::bitwise_and(codes, number(magnitude, codes), s), number(magnitude, codes), s);
}

Native float_codes(const array& bytes, const QuantScheme& scheme, int n, int64_t k, mx::Stream s) {
  const array codes = codes_in_place(bytes, n, k, scheme.bits, s);
  const array scales = of_groups(bytes, n * k * scheme.bits / 8, n, k / scheme.group, scheme.scale, s);
  array nans = any_of_row(is_nan_code(scales, scheme.scale, s), s);
  if (scheme.method == QuantMethod::mxfp8) {
    const array elements = mx::view(codes, mx::uint8, s);
    nans = mx::logical_or(nans, any_of_row(is_nan_code(elements, DType::f8e4m3, s), s), s);
  }
  const char* mode = scheme.method == QuantMethod::mxfp4   ? "mxfp4"
                     : scheme.method == QuantMethod::mxfp8 ? "mxfp8"
                                                           : "nvfp4";
  return {codes, scales, {}, static_cast<int>(scheme.group), scheme.bits, mode, nans};
}

// Whether MLX packs affine codes in such groups.
bool is_affine_of_mlx(const QuantScheme& scheme, int64_t k) {
  return scheme.method == QuantMethod::affine && native_group(scheme.group) == scheme.group &&
         has_native_bits(scheme.bits) && k % scheme.group == 0;
}

// An affine weight as it is.
Native affine_in_place(const array& bytes, const QuantScheme& scheme, int n, int64_t k, mx::Stream s) {
  const int64_t groups = k / scheme.group, scales_at = n * k * scheme.bits / 8;
  const int64_t biases_at = scales_at + n * groups * (bits(scheme.scale) / 8);
  return {codes_in_place(bytes, n, k, scheme.bits, s),
          of_groups(bytes, scales_at, n, groups, scheme.scale, s),
          of_groups(bytes, biases_at, n, groups, scheme.scale, s),
          static_cast<int>(scheme.group),
          scheme.bits,
          "affine",
          {}};
}

// Integer codes counted from the lowest, packed anew: value = scale·code' + (bias + scale·lowest), in f32.
Native repacked(Frame& frame, const array& bytes, const QuantScheme& scheme, const IntegerCodes& known, int n,
                int64_t k) {
  const mx::Stream s = frame.stream();
  const auto columns = static_cast<int>(k);
  const Unpacked w = unpack(frame, bytes, scheme, {n, k}, DType::f32);
  const int group = *native_group(known.group), bits = native_bits(known.highest - known.lowest + 1);
  const array counted = mx::subtract(w.codes, number(known.lowest, w.codes), s);
  const array codes = mx::reshape(mx::astype(counted, mx::uint8, s), {n, columns}, s);
  const array low = mx::multiply(w.scales, number(known.lowest, w.scales), s);
  const array bias = w.biases ? mx::add(*w.biases, low, s) : low;
  const auto each = [&](const array& x) {
    return mx::repeat(mx::squeeze(x, -1, s), static_cast<int>(known.group / group), 1, s);
  };
  return {words_of(packed_codes(codes, bits, s), s), each(w.scales), each(bias), group, bits, "affine", {}};
}

// None where MLX has no such weight.
std::optional<Native> native_weight(Frame& frame, const array& bytes, const QuantScheme& scheme, const Sizes& sizes) {
  const mx::Stream s = frame.stream();
  const auto n = static_cast<int>(sizes[0]);
  const int64_t k = sizes[1];
  switch (scheme.method) {
    case QuantMethod::mxfp4:
    case QuantMethod::mxfp8:
    case QuantMethod::nvfp4:
      if (k % 32 != 0) return {};
      return float_codes(bytes, scheme, n, k, s);
    default: break;
  }
  if (is_affine_of_mlx(scheme, k)) return affine_in_place(bytes, scheme, n, k, s);
  const auto known = integer_codes(scheme);
  if (!known || !native_group(known->group) || k % known->group != 0) return {};
  return repacked(frame, bytes, scheme, *known, n, k);
}

// There MLX unpacks the weight anew for every row of x: with more rows it is quicker to unpack it once, and bytes at once.
int64_t most_rows_on_cpu(const QuantScheme& scheme) { return scheme.bits == 8 ? 1 : 4; }

// The dtype that MLX multiplies in: that of x where nothing is lost. On the CPU MLX sums in it, so that it is f32.
mx::Dtype multiplied_in(const Frame& frame, const Native& w, DType dtype) {
  const bool keeps = w.mode != std::string_view("affine") || w.scales.dtype() == to_mlx(dtype);
  return keeps && !frame.on_cpu() ? to_mlx(dtype) : mx::float32;
}

// x [M, K] by w [N, K], in f32 or the dtype of x.
array multiplied(Frame& frame, const array& x, const Native& w, DType dtype) {
  const mx::Stream s = frame.stream();
  const mx::Dtype computed = multiplied_in(frame, w, dtype);
  // Its kernels take rows that lie one behind the other, and on a GPU there is none for others.
  const auto dense = [&](const array& rows) { return mx::contiguous(rows, false, s); };
  const auto typed = [&](const array& numbers) { return dense(mx::astype(numbers, computed, s)); };
  const bool floats = !w.biases;  // whose scales are bytes
  array y =
      mx::quantized_matmul(typed(x), dense(w.codes), floats ? dense(w.scales) : typed(w.scales),
                           floats ? std::nullopt : std::optional(typed(*w.biases)), true, w.group, w.bits, w.mode, s);
  if (!w.nans) return y;
  return mx::where(*w.nans, number(std::nanf(""), y), y, s);
}

// The values of a packed tensor, [rows, columns].
array unpacked_values(Frame& frame, const array& bytes, const QuantScheme& scheme, const Sizes& sizes, DType dtype) {
  const mx::Stream s = frame.stream();
  const int64_t columns = sizes.back();
  const bool as_bytes = frame.on_cpu() && scheme.bits == 8;  // quicker there than MLX's own
  if (dtype != DType::f32 || as_bytes || !is_affine_of_mlx(scheme, columns)) {
    return values_of(unpack(frame, bytes, scheme, sizes, dtype), static_cast<int>(columns), s);
  }
  const auto rows = static_cast<int>(element_count(sizes) / columns);
  const Native x = affine_in_place(bytes, scheme, rows, columns, s);
  const auto wide = [&](const array& numbers) { return mx::astype(numbers, mx::float32, s); };
  return mx::dequantize(x.codes, wide(x.scales), wide(*x.biases), x.group, x.bits, x.mode, {}, mx::float32, s);
}

std::optional<array> scale_of(const Frame& frame, const std::optional<Ref>& scale, DType dtype) {
  return scale ? std::optional(frame.in(*scale, dtype)) : std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------------- ops

// The codes of x / scale, group by group
array emit(const op::Quantize& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const Sizes sizes = frame.sizes(op.x);
  if (element_count(sizes) == 0) return mx::zeros(stored_shape(DType::packed, sizes, op.scheme), mx::uint8, s);
  const DType wide = fitting_dtype(frame);
  const array x = frame.in(op.x, wide);
  const auto scale = scale_of(frame, op.scale, wide);
  return quantized(frame, scale ? mx::divide(x, *scale, s) : x, op.scheme, sizes);
}
std::string remark(const op::Quantize& op, const Graph&, bool cpu) {
  const bool has_integers = op.scheme.method == QuantMethod::affine || op.scheme.method == QuantMethod::symmetric;
  if (cpu || (has_integers && !op.scale)) return "";  // nearest_multiple is exact
  return "the device has no f64: codes are computed in f32, and one halfway between two may be the other";
}

// The value of each code, times scale
array emit(const op::Dequantize& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const Sizes sizes = frame.sizes(op.x);
  if (element_count(sizes) == 0) return mx::zeros(frame.result_shape(), to_mlx(op.dtype), s);
  const DType wide = widened(op.dtype);
  const array values = unpacked_values(frame, frame.in(op.x), *frame.type(op.x).scheme, sizes, wide);
  const auto scale = scale_of(frame, op.scale, wide);
  const array scaled = scale ? mx::multiply(values, *scale, s) : values;
  return mx::reshape(mx::astype(scaled, to_mlx(op.dtype), s), frame.result_shape(), s);
}

// y[..., n] = Σ x[..., k] · w[n, k] · scale
array emit(const op::QuantizedMatmul& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype(), wide = widened(dtype);
  const Sizes sizes = frame.sizes(op.w);
  const int64_t n = sizes[0], k = sizes[1], count = element_count(frame.result_sizes());
  if (count == 0 || k == 0) return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  frame.spend(static_cast<uint64_t>(element_count(Sizes{count, k})));
  const QuantScheme scheme = *frame.type(op.w).scheme;
  const array& w = frame.in(op.w);
  const array x = mx::reshape(frame.in(op.x), {static_cast<int>(count / n), static_cast<int>(k)}, s);
  const bool may_be_native = dtype != DType::f64 && (!frame.on_cpu() || count / n <= most_rows_on_cpu(scheme));
  const auto native = may_be_native ? native_weight(frame, w, scheme, sizes) : std::nullopt;
  array y = x;
  if (native) {
    y = multiplied(frame, x, *native, dtype);
  } else {
    const array values = unpacked_values(frame, w, scheme, sizes, wide);
    y = mx::matmul(mx::astype(x, to_mlx(wide), s), mx::transpose(values, s), s);
  }
  if (const auto scale = scale_of(frame, op.scale, wide)) y = mx::multiply(mx::astype(y, to_mlx(wide), s), *scale, s);
  return mx::reshape(mx::astype(y, to_mlx(dtype), s), frame.result_shape(), s);
}

INGOT_EXPANDED(FakeQuantize)

}  // namespace

INGOT_LOWERINGS(quant)

}  // namespace ingot::mlx_engine
