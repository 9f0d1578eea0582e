#include "engines/mlx/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/mlx/packing.h"
#include "program/float_format.h"

namespace ingot::mlx_engine {
namespace {

constexpr double kTwo63 = 0x1p63, kTwo64 = 0x1p64;

bool is_float(DType dtype) { return float_format(dtype).has_value(); }
// By value, also for the storage dtypes.
bool is_signed_int(DType dtype) { return kind(dtype) == Kind::signed_int || dtype == DType::i4 || dtype == DType::i2; }

// --------------------------------------------------------------------------------------------------- storage dtypes

// What the storage dtypes are read as: the smallest dtype that has all their values.
DType carrier(DType storage) {
  if (is_float(storage)) return DType::f32;
  return is_signed_int(storage) ? DType::i8 : DType::u8;
}

// The value of every pattern of a small float.
std::vector<float> values_of(DType dtype) {
  std::vector<float> values(size_t{1} << bits(dtype));
  for (size_t code = 0; code < values.size(); ++code) {
    values[code] = static_cast<float>(decode(*float_format(dtype), code));
  }
  return values;
}

array decoded(const array& codes, DType dtype, mx::Stream s) {
  if (is_float(dtype)) {
    const std::vector<float> values = values_of(dtype);
    return mx::take(array(values.data(), {static_cast<int>(values.size())}), codes, s);
  }
  if (!is_signed_int(dtype)) return codes;
  const array unused(8 - bits(dtype), mx::int8);
  return mx::right_shift(mx::left_shift(mx::view(codes, mx::int8, s), unused, s), unused, s);
}

// ---------------------------------------------------------------------------------------------------------- extremes

struct Range {
  double lowest, highest;
};

// The finite numbers of a float, bounds that f64 has.
Range finite_range(DType dtype) {
  if (kind(dtype) != Kind::storage) {
    const mx::finfo facts(to_mlx(dtype));
    return {facts.min, facts.max};
  }
  std::vector<float> values = values_of(dtype);
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  return {std::ranges::min(values), std::ranges::max(values)};
}

int64_t lowest_int(DType dtype) {
  return is_signed_int(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - bits(dtype)) : 0;
}
uint64_t highest_int(DType dtype) {
  return std::numeric_limits<uint64_t>::max() >> (64 - bits(dtype) + (is_signed_int(dtype) ? 1 : 0));
}

// NaN stays.
array within_finite(const array& x, DType to, mx::Stream s) {
  const auto [lowest, highest] = finite_range(to);
  return mx::clip(x, number(lowest, x), number(highest, x), s);
}

// -------------------------------------------------------------------------------------------------------- to floats

// x in f32 so that one more rounding gives what rounding x itself would: what f32 does not have becomes the neighbour
// whose last bit is 1.
array sticky(const array& x, mx::Stream s) {
  const array near = mx::astype(x, mx::float32, s), back = mx::abs(mx::astype(near, mx::float64, s), s);
  const array magnitude = mx::abs(x, s), bits = mx::view(near, mx::int32, s);
  const array outwards = mx::astype(mx::greater(magnitude, back, s), mx::int32, s);
  const array inwards = mx::astype(mx::less(magnitude, back, s), mx::int32, s);
  const array even = mx::bitwise_and(mx::bitwise_invert(bits, s), array(1), s);
  return mx::view(mx::add(bits, mx::multiply(even, mx::subtract(outwards, inwards, s), s), s), mx::float32, s);
}

// The same of an integer of 32 or 64 bits, on its way to at most 8 bits of mantissa, or 11 and an exponent up to 15. From
// 2^24 on some of its low bits become one that says whether there were any, so that f32 has what is left.
array sticky_integer(const array& x, mx::Stream s) {
  const auto u64 = [](uint64_t value) { return array(value, mx::uint64); };
  const array wide = mx::astype(x, mx::uint64, s), negative = mx::less(x, number(0, x), s);
  const array magnitude = mx::where(negative, mx::subtract(u64(0), wide, s), wide, s);
  array dropped = u64(0);
  for (const auto& [from, count] : {std::pair{24, 15}, {39, 30}, {54, 45}}) {
    const array beyond = mx::greater_equal(magnitude, u64(uint64_t{1} << from), s);
    dropped = mx::where(beyond, u64((uint64_t{1} << count) - 1), dropped, s);
  }
  const array any = mx::not_equal(mx::bitwise_and(magnitude, dropped, s), u64(0), s);
  const array kept = mx::bitwise_and(magnitude, mx::bitwise_invert(dropped, s), s);
  const array exact = mx::bitwise_or(kept, mx::where(any, mx::add(dropped, u64(1), s), u64(0), s), s);
  const array result = mx::astype(exact, mx::float32, s);
  return mx::where(negative, mx::negative(result, s), result, s);
}

// x in f32 for the last rounding.
array before_rounding(const array& x, DType from, mx::Stream s) {
  if (from == DType::f64) return sticky(x, s);
  return is_integer(from) && bits(from) >= 32 ? sticky_integer(x, s) : mx::astype(x, mx::float32, s);
}

// The nearest power of two, from the middle of two on the larger; the smallest below it. All ones is NaN, which every
// other number is.
array encoded_power(const array& x, mx::Stream s) {
  const array bits = mx::view(x, mx::int32, s);
  const array positive = mx::logical_and(mx::greater(bits, array(0), s), mx::less(bits, array(0x7f800000), s), s);
  const array normal = mx::right_shift(mx::add(bits, array(1 << 22), s), array(23), s);
  const array subnormal = mx::astype(mx::greater_equal(bits, array(0x600000), s), mx::int32, s);
  const array code = mx::where(mx::less(bits, array(1 << 23), s), subnormal, normal, s);
  return mx::astype(mx::where(positive, code, array(255), s), mx::uint8, s);
}

// f32 to the bits of a small float, to nearest even.
array encoded(const array& x, DType to, mx::Stream s) {
  using Special = FloatFormat::Special;
  const FloatFormat format = *float_format(to);
  if (format.special == Special::power) return encoded_power(x, s);
  const int bias = (1 << (format.exponent_bits - 1)) - 1, width = format.exponent_bits + format.mantissa_bits;
  const int all = (1 << width) - 1, mantissa = (1 << format.mantissa_bits) - 1;
  const int largest = format.special == Special::ieee       ? all - mantissa - 1
                      : format.special == Special::nan_only ? all - 1
                                                            : all;
  // Infinities become numbers beyond the largest.
  const auto beyond = static_cast<float>(2 * finite_range(to).highest);
  const array magnitude = mx::minimum(mx::abs(x, s), array(beyond), s);
  const array raw = mx::right_shift(mx::view(magnitude, mx::int32, s), array(23), s);
  const array exponent = mx::maximum(mx::subtract(raw, array(127), s), array(1 - bias), s);  // the lowest: subnormal
  const array scale = mx::view(
      mx::left_shift(mx::subtract(array(127 + format.mantissa_bits), exponent, s), array(23), s), mx::float32, s);
  const array steps = mx::astype(mx::round(mx::multiply(magnitude, scale, s), s), mx::int32, s);
  // The leading 1 of a normal number adds one to the exponent, as does a carry out of the mantissa.
  const array field = mx::left_shift(mx::add(exponent, array(bias - 1), s), array(format.mantissa_bits), s);
  array code = mx::add(field, steps, s);
  array sign = mx::bitwise_and(mx::right_shift(mx::view(x, mx::int32, s), array(31 - width), s), array(1 << width), s);
  const array nan = mx::isnan(x, s);
  if (format.special == Special::nan_only) {
    const array too_large = mx::logical_and(mx::greater(code, array(largest), s), mx::logical_not(nan, s), s);
    sign = mx::where(too_large, array(0), sign, s);
  }
  if (format.special == Special::none) sign = mx::where(nan, array(0), sign, s);
  code = mx::minimum(code, array(std::min(largest + 1, all)), s);
  code = mx::where(nan, array(format.special == Special::ieee ? all - mantissa / 2 : all), code, s);
  return mx::astype(mx::bitwise_or(code, sign, s), mx::uint8, s);
}

array to_float(const array& given, DType from, DType to, bool saturate, mx::Stream s) {
  array x = given;
  if (bits(to) < 32) {
    x = before_rounding(x, from, s);
  } else if (bits(from) < bits(to)) {
    x = mx::astype(x, to_mlx(to), s);
  }
  if (saturate && mx::issubdtype(x.dtype(), mx::floating)) x = within_finite(x, to, s);
  return kind(to) == Kind::storage ? encoded(x, to, s) : mx::astype(x, to_mlx(to), s);
}

// ------------------------------------------------------------------------------------------------------- to integers

// Towards zero, saturating at 64 bits; NaN is 0.
array to_i64(const array& x, mx::Stream s) {
  const auto i64 = [](int64_t value) { return array(value, mx::int64); };
  const array fits = mx::less(mx::abs(x, s), number(kTwo63, x), s);
  const array inside = mx::astype(mx::where(fits, x, number(0, x), s), mx::int64, s);
  const array low = mx::less_equal(x, number(-kTwo63, x), s), high = mx::greater_equal(x, number(kTwo63, x), s);
  return mx::where(high, i64(std::numeric_limits<int64_t>::max()),
                   mx::where(low, i64(std::numeric_limits<int64_t>::min()), inside, s), s);
}
array to_u64(const array& x, mx::Stream s) {
  const array high = mx::greater_equal(x, number(kTwo64, x), s);
  const array fits = mx::logical_and(mx::greater(x, number(0, x), s), mx::logical_not(high, s), s);
  const array inside = mx::astype(mx::where(fits, x, number(0, x), s), mx::uint64, s);
  return mx::where(high, array(std::numeric_limits<uint64_t>::max(), mx::uint64), inside, s);
}

// An integer of 64 bits to the nearest value of another dtype, as far as 64 bits of its own signedness have it.
array nearest_integer(array x, DType to, mx::Stream s) {
  const uint64_t highest = highest_int(to);
  if (x.dtype() == mx::uint64) return mx::minimum(x, number(highest, x), s);
  x = mx::maximum(x, number(lowest_int(to), x), s);
  return highest > std::numeric_limits<int64_t>::max() ? x : mx::minimum(x, number(highest, x), s);
}

array to_integer(const array& x, DType from, DType to, bool saturate, mx::Stream s) {
  const mx::Dtype target = kind(to) == Kind::storage ? mx::uint8 : to_mlx(to);
  array wide = x;
  if (is_float(from)) {
    // The bounds are numbers that f16 does not have.
    const array real = from == DType::f64 ? x : mx::astype(x, mx::float32, s);
    const bool as_unsigned = saturate ? !is_signed_int(to) : to == DType::u64;
    wide = as_unsigned ? to_u64(real, s) : to_i64(real, s);
  } else if (saturate) {
    wide = mx::astype(x, is_signed_int(from) ? mx::int64 : mx::uint64, s);
  }
  if (saturate) wide = nearest_integer(wide, to, s);
  array result = mx::astype(wide, target, s);
  if (kind(to) != Kind::storage) return result;
  return mx::bitwise_and(result, array((1 << bits(to)) - 1, mx::uint8), s);
}

}  // namespace

array cast(const Frame& frame, const array& x, DType from, DType to, bool saturate) {
  const mx::Stream s = frame.stream();
  if (from == to && !(saturate && (is_float(to) || to == DType::c64))) return x;
  if (kind(from) == Kind::storage) return cast(frame, decoded(x, from, s), carrier(from), to, saturate);
  if (to == DType::bool_) return mx::not_equal(x, number(0, x), s);
  if (to == DType::c64) {
    if (from != DType::c64) return mx::astype(cast(frame, x, from, DType::f32, saturate), mx::complex64, s);
    return complex_of(within_finite(mx::real(x, s), DType::f32, s), within_finite(mx::imag(x, s), DType::f32, s), s);
  }
  if (from == DType::c64) return cast(frame, mx::real(x, s), DType::f32, to, saturate);
  return is_float(to) ? to_float(x, from, to, saturate, s) : to_integer(x, from, to, saturate, s);
}

array cast(const Frame& frame, Ref x, DType to) { return cast(frame, frame.in(x), frame.dtype(x), to); }

// --------------------------------------------------------------------------------------------------------- bits, parts

array unpacked(const Frame& frame, const array& bytes, DType dtype, const Sizes& sizes) {
  const mx::Stream s = frame.stream();
  const auto count = static_cast<int>(element_count(sizes));
  if (count == 0) return mx::zeros(to_mlx(sizes), mx::uint8, s);
  const array row = unpacked_codes(mx::expand_dims(bytes, 0, s), bits(dtype), count, s);
  return mx::reshape(row, to_mlx(sizes), s);
}

array packed_bits(const Frame& frame, const array& elements, DType dtype) {
  const mx::Stream s = frame.stream();
  if (elements.size() == 0) return mx::zeros({0}, mx::uint8, s);
  return mx::squeeze(packed_codes(mx::reshape(elements, {1, -1}, s), bits(dtype), s), 0, s);
}

array complex_of(const array& re, const array& im, mx::Stream s) {
  const std::vector<array> parts = mx::broadcast_arrays({re, im}, s);
  const array pairs = mx::view(mx::stack(parts, -1, s), mx::complex64, s);
  return mx::squeeze(pairs, -1, s);
}

}  // namespace ingot::mlx_engine
