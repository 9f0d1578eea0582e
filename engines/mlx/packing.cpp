#include "engines/mlx/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/mlx/cast.h"
#include "engines/mlx/gguf.h"
#include "engines/quant_facts.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

array levels_of_nf4(mx::Dtype dtype) { return array(kNf4Levels.begin(), {16}, dtype); }

// Where codes, scales and biases lie: sizes count elements, places count bytes.
struct Layout {
  int rows, columns, groups, size;
  int64_t row_bytes, scales_at, biases_at;

  Layout(const QuantScheme& scheme, const Sizes& sizes)
      : rows(static_cast<int>(element_count(std::span(sizes).first(sizes.size() - 1)))),
        columns(static_cast<int>(sizes.back())),
        // A group beyond the row is the row.
        groups(static_cast<int>((sizes.back() - 1) / scheme.group + 1)),
        size(static_cast<int>(std::min(scheme.group, sizes.back()))),
        row_bytes((sizes.back() * scheme.bits + 7) / 8),
        scales_at(rows * row_bytes),
        biases_at(scales_at + int64_t{rows} * groups * (bits(scheme.scale) / 8)) {}
};

// [rows, columns] as [rows, groups, size], filled up behind the last column.
array grouped(const array& x, const Layout& layout, const char* fill, mx::Stream s) {
  const int missing = layout.groups * layout.size - layout.columns;
  const array whole = missing == 0 ? x : mx::pad(x, {1}, {0}, {missing}, number(0, x), fill, s);
  return mx::reshape(whole, {layout.rows, layout.groups, layout.size}, s);
}

// What each code stands for.
array code_values(Frame& frame, const array& codes, const QuantScheme& scheme, DType dtype) {
  const mx::Stream s = frame.stream();
  if (scheme.method == QuantMethod::nf4) return mx::take(levels_of_nf4(to_mlx(dtype)), codes, s);
  if (const auto floats = code_dtype(scheme.method)) return cast(frame, codes, *floats, dtype);
  if (scheme.method == QuantMethod::affine) return mx::astype(codes, to_mlx(dtype), s);
  const array unused(8 - scheme.bits, mx::int8);
  const array sign_extended = mx::right_shift(mx::left_shift(mx::view(codes, mx::int8, s), unused, s), unused, s);
  return mx::astype(sign_extended, to_mlx(dtype), s);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- elements

// Codes that divide a byte are taken from it. Others: 8 codes fill `bits` bytes, which a word of 64 bits holds.
array unpacked_codes(const array& rows, int bits, int columns, mx::Stream s) {
  const int count = rows.shape(0), bytes = rows.shape(1);
  const bool in_bytes = 8 % bits == 0;
  array words = mx::expand_dims(rows, -1, s);
  if (!in_bytes) {
    const int units = (bytes + bits - 1) / bits;
    const array whole = mx::pad(rows, {1}, {0}, {units * bits - bytes}, number(0, rows), "constant", s);
    const array wide =
        mx::pad(mx::reshape(whole, {count, units, bits}, s), {2}, {0}, {8 - bits}, number(0, rows), "constant", s);
    words = mx::view(wide, mx::uint64, s);
  }
  const int each = in_bytes ? 8 / bits : 8;
  const array shifts = mx::arange(0, each * bits, bits, words.dtype(), s);
  const array codes = mx::bitwise_and(mx::right_shift(words, shifts, s), number((1 << bits) - 1, words), s);
  const array row = mx::reshape(mx::astype(codes, mx::uint8, s), {count, words.shape(1) * each}, s);
  return row.shape(1) == columns ? row : mx::slice(row, {0, 0}, {count, columns}, s);
}

array packed_codes(const array& codes, int bits, mx::Stream s) {
  const int count = codes.shape(0), columns = codes.shape(1);
  const auto bytes = static_cast<int>((int64_t{columns} * bits + 7) / 8);
  if (bits == 8) return codes;
  const bool in_bytes = 8 % bits == 0;
  const int each = in_bytes ? 8 / bits : 8, units = (columns + each - 1) / each;
  const array whole = mx::pad(codes, {1}, {0}, {units * each - columns}, number(0, codes), "constant", s);
  const array wide = mx::astype(mx::reshape(whole, {count, units, each}, s), in_bytes ? mx::uint32 : mx::uint64, s);
  const array shifts = mx::arange(0, each * bits, bits, wide.dtype(), s);
  const array words = mx::sum(mx::left_shift(wide, shifts, s), -1, true, s);
  if (in_bytes) return mx::reshape(mx::astype(words, mx::uint8, s), {count, units}, s);
  const array used = mx::slice(mx::view(words, mx::uint8, s), {0, 0, 0}, {count, units, bits}, s);
  return mx::slice(mx::reshape(used, {count, units * bits}, s), {0, 0}, {count, bytes}, s);
}

array elements_at(const array& bytes, int64_t start, int64_t count, DType dtype, mx::Stream s) {
  const int size = bits(dtype) / 8, first = static_cast<int>(start), elements = static_cast<int>(count);
  array own = mx::slice(bytes, {first}, {first + elements * size}, s);
  if (size == 1) return own;
  if (start % size == 0) return mx::view(own, to_mlx(dtype), s);
  // Memory of its own, so that the elements are aligned: one more in front.
  const array moved = mx::view(mx::pad(own, {0}, {size}, {0}, number(0, own), "constant", s), to_mlx(dtype), s);
  return mx::slice(moved, {1}, {elements + 1}, s);
}

DType fitting_dtype(const Frame& frame) { return frame.on_cpu() ? DType::f64 : DType::f32; }

namespace {

// Fails the call where `holds` is false. The number shown is then not 0.
void require(Frame& frame, const array& holds, const array& shown, std::string what, std::string expected) {
  const mx::Stream s = frame.stream();
  const array bad = mx::where(holds, number(0, shown), shown, s);
  const mx::Dtype common = frame.on_cpu() ? mx::float64 : mx::float32;
  frame.guard(holds, mx::astype(bad, common, s),
              [what = std::move(what), expected = std::move(expected)](const Tensor& witness) {
                const auto first = [](auto values) -> double {
                  return *std::ranges::find_if(values, [](auto x) { return x != 0; });
                };
                const double x =
                    witness.dtype() == DType::f64 ? first(witness.as<double>()) : first(witness.as<float>());
                return Error::mismatch(Code::out_of_range, "", what, fmt::format("{}", x), expected);
              });
}

}  // namespace

array held_by(Frame& frame, const array& x, DType from, DType to, std::string what) {
  const array held = cast(frame, x, from, to);
  require(frame, mx::isfinite(held, frame.stream()), x, std::move(what),
          fmt::format("a number that {} holds", to_string(to)));
  return held;
}

void require_finite(Frame& frame, const array& x) {
  require(frame, mx::isfinite(x, frame.stream()), x, "an element of a group", "a finite number");
}

array nearest_level(const array& x, const array& levels, mx::Stream s) {
  const array distances = mx::abs(mx::subtract(levels, mx::expand_dims(x, -1, s), s), s);
  return mx::astype(mx::argmin(distances, -1, false, s), mx::uint8, s);
}

// In f32 a quotient beside the middle of two integers may be rounded to it: what is left of x beside the multiple decides,
// which is computed without rounding. f64 has digits enough for any quotient of two f32.
array nearest_multiple(const array& x, const array& scale, const std::optional<array>& bias, mx::Stream s) {
  const array above = bias ? mx::subtract(x, *bias, s) : x;
  array multiple = mx::round(mx::divide(above, scale, s), s);
  if (x.dtype() != mx::float32) return multiple;
  // Half of the digits each, so that their products with a code are exact.
  const array mask(static_cast<int32_t>(0xFFFFF000));
  const array high = mx::view(mx::bitwise_and(mx::view(scale, mx::int32, s), mask, s), mx::float32, s);
  const array low = mx::subtract(scale, high, s);
  const array left =
      mx::subtract(mx::subtract(above, mx::multiply(multiple, high, s), s), mx::multiply(multiple, low, s), s);
  const array two(2.0F), direction = mx::sign(left, s);
  array past_middle = mx::subtract(mx::multiply(mx::abs(left, s), two, s), scale, s);
  if (bias) {
    // What the difference has lost of x and of the bias.
    const array taken = mx::subtract(x, above, s), kept = mx::add(above, taken, s);
    const array lost = mx::add(mx::subtract(x, kept, s), mx::subtract(taken, *bias, s), s);
    past_middle = mx::add(past_middle, mx::multiply(mx::multiply(lost, two, s), direction, s), s);
  }
  const array half = mx::multiply(multiple, array(0.5F), s), odd = mx::not_equal(mx::floor(half, s), half, s);
  const array zero(0.0F), in_middle = mx::logical_and(mx::equal(past_middle, zero, s), odd, s);
  const array further = mx::logical_or(mx::greater(past_middle, zero, s), in_middle, s);
  return mx::where(further, mx::add(multiple, direction, s), multiple, s);
}

// ----------------------------------------------------------------------------------------------------------- reading

Unpacked unpack(Frame& frame, const array& bytes, const QuantScheme& scheme, const Sizes& sizes, DType dtype) {
  if (has_blocks(scheme.method)) return unpack_blocks(frame, bytes, scheme.method, sizes, dtype);
  const mx::Stream s = frame.stream();
  const Layout layout(scheme, sizes);
  const array rows = mx::reshape(mx::slice(bytes, {0}, {static_cast<int>(layout.scales_at)}, s),
                                 {layout.rows, static_cast<int>(layout.row_bytes)}, s);
  const array codes = grouped(unpacked_codes(rows, scheme.bits, layout.columns, s), layout, "constant", s);
  const auto of_groups = [&](int64_t start) {
    const array held = elements_at(bytes, start, int64_t{layout.rows} * layout.groups, scheme.scale, s);
    return mx::reshape(cast(frame, held, scheme.scale, dtype), {layout.rows, layout.groups, 1}, s);
  };
  Unpacked result{code_values(frame, codes, scheme, dtype), of_groups(layout.scales_at), {}};
  if (has_bias(scheme)) result.biases = of_groups(layout.biases_at);
  return result;
}

array values_of(const Unpacked& unpacked, int columns, mx::Stream s) {
  array values = mx::multiply(unpacked.scales, unpacked.codes, s);
  if (unpacked.biases) values = mx::add(values, *unpacked.biases, s);
  const int rows = values.shape(0), whole = values.shape(1) * values.shape(2);
  values = mx::reshape(values, {rows, whole}, s);
  return whole == columns ? values : mx::slice(values, {0, 0}, {rows, columns}, s);
}

// ----------------------------------------------------------------------------------------------------------- writing

namespace {

// What the elements of a group share: as it is stored, and as it reads back.
struct Stored {
  array bytes, value;
};

Stored stored(Frame& frame, const array& held, DType dtype, DType wide) {
  return {mx::view(held, mx::uint8, frame.stream()), cast(frame, held, dtype, wide)};
}

// 2^(⌊log2 magnitude⌋ - ⌊log2 largest⌋) within f8e8m0, whose bits are the exponent from -127 on.
array power_scale(const array& magnitude, double largest, mx::Stream s) {
  const bool wide = magnitude.dtype() == mx::float64;
  const array raw = mx::view(magnitude, wide ? mx::int64 : mx::int32, s);
  const array exponent = mx::astype(mx::right_shift(raw, number(wide ? 52 : 23, raw), s), mx::int32, s);
  const array code = mx::subtract(exponent, array((wide ? 1023 : 127) + std::ilogb(largest) - 127), s);
  return mx::astype(mx::clip(code, array(0), array(254), s), mx::uint8, s);
}

Stored fitted_scale(Frame& frame, const array& spread, const QuantScheme& scheme, DType wide) {
  const mx::Stream s = frame.stream();
  const double largest = largest_code(scheme);
  const array step = mx::divide(spread, number(largest, spread), s);
  if (scheme.scale == DType::f8e8m0) return stored(frame, power_scale(spread, largest, s), scheme.scale, wide);
  const array held = scheme.scale == DType::f8e4m3 ? cast(frame, step, wide, scheme.scale, true)
                                                   : held_by(frame, step, wide, scheme.scale, "scale of a group");
  return stored(frame, held, scheme.scale, wide);
}

// The nearest code of x in its group, to even.
array fitted_codes(Frame& frame, const array& x, const array& scale, const std::optional<array>& bias,
                   const QuantScheme& scheme, DType wide) {
  const mx::Stream s = frame.stream();
  const array none = mx::equal(scale, number(0, scale), s), divisor = mx::where(none, number(1, scale), scale, s);
  const auto in_group = [&](const array& q) { return mx::where(none, number(0, q), q, s); };
  const double largest = largest_code(scheme);
  const auto within = [&](const array& q) {
    return mx::clip(q, number(bias ? 0 : -largest, q), number(largest, q), s);
  };
  if (scheme.method == QuantMethod::nf4) {
    return nearest_level(in_group(mx::divide(x, divisor, s)), levels_of_nf4(x.dtype()), s);
  }
  if (const auto dtype = code_dtype(scheme.method)) {
    return cast(frame, within(in_group(mx::divide(x, divisor, s))), wide, *dtype);
  }
  const array code = mx::astype(within(in_group(nearest_multiple(x, divisor, bias, s))), mx::int32, s);
  return mx::astype(mx::bitwise_and(code, array((1 << scheme.bits) - 1), s), mx::uint8, s);
}

}  // namespace

array quantized(Frame& frame, const array& x, const QuantScheme& scheme, const Sizes& sizes) {
  const mx::Stream s = frame.stream();
  require_finite(frame, x);
  if (has_blocks(scheme.method)) return quantized_blocks(frame, x, scheme.method);
  const DType wide = from_mlx(x.dtype());
  const Layout layout(scheme, sizes);
  // Filled up with the last element, which changes neither the smallest nor the largest of its group.
  const array members = grouped(mx::reshape(x, {layout.rows, layout.columns}, s), layout, "edge", s);
  const array magnitude = mx::max(mx::abs(members, s), -1, true, s);
  // The first of the smallest: of -0 and 0 mx::min takes either.
  const array low = mx::take_along_axis(members, mx::argmin(members, -1, true, s), -1, s);
  const array high = mx::max(members, -1, true, s);
  const Stored scale = fitted_scale(frame, has_bias(scheme) ? mx::subtract(high, low, s) : magnitude, scheme, wide);
  std::optional<Stored> bias;
  if (has_bias(scheme)) {
    bias = stored(frame, held_by(frame, low, wide, scheme.scale, "bias of a group"), scheme.scale, wide);
  }
  const array codes =
      fitted_codes(frame, members, scale.value, bias ? std::optional(bias->value) : std::nullopt, scheme, wide);
  const array row = mx::slice(mx::reshape(codes, {layout.rows, layout.groups * layout.size}, s), {0, 0},
                              {layout.rows, layout.columns}, s);
  std::vector<array> parts{mx::flatten(packed_codes(row, scheme.bits, s), s), mx::flatten(scale.bytes, s)};
  if (bias) parts.push_back(mx::flatten(bias->bytes, s));
  return mx::concatenate(std::move(parts), 0, s);
}

}  // namespace ingot::mlx_engine
