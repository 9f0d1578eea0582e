#include "engines/reference/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/reference/convert.h"
#include "engines/reference/elements.h"
#include "engines/reference/numbers.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

bool has_integer_codes(const QuantScheme& scheme) {
  return scheme.method == QuantMethod::affine || scheme.method == QuantMethod::symmetric;
}

// Precondition: no integer codes.
DType code_dtype(const QuantScheme& scheme) {
  return scheme.method == QuantMethod::mxfp8 ? DType::f8e4m3 : DType::f4e2m1;
}

double code_value(const QuantScheme& scheme, uint64_t code) {
  if (has_integer_codes(scheme)) {
    const bool negative = scheme.method == QuantMethod::symmetric && code >> (scheme.bits - 1);
    return static_cast<double>(code) - (negative ? std::ldexp(1, scheme.bits) : 0);
  }
  const std::byte byte{static_cast<uint8_t>(code)};
  return loader<double>(code_dtype(scheme))(&byte, 0);
}

// The value of the largest code that `quantize` makes: 2^bits - 1, 2^(bits-1) - 1, 448 or 6.
double largest_code(const QuantScheme& scheme) {
  if (!has_integer_codes(scheme)) return extremes<double>(code_dtype(scheme)).highest;
  return std::ldexp(1, scheme.method == QuantMethod::affine ? scheme.bits : scheme.bits - 1) - 1;
}

bool has_bias(const QuantScheme& scheme) { return scheme.method == QuantMethod::affine; }

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace

// ------------------------------------------------------------------------------------------------------------ layout

Packing::Packing(const QuantScheme& scheme, const Sizes& sizes)
    : scheme_(scheme),
      rows_(element_count(std::span(sizes).first(sizes.size() - 1))),
      columns_(sizes.back()),
      groups_(ceil_div(columns_, scheme.group)),
      row_bytes_(columns_ / 8 * scheme.bits + ceil_div(columns_ % 8 * scheme.bits, 8)),
      scales_at_(rows_ * row_bytes_),
      biases_at_(scales_at_ + rows_ * groups_ * (bits(scheme.scale) / 8)) {}

Packing::Range Packing::range(int64_t g) const {
  const int64_t first = g * scheme_.group;
  return {first, std::min(scheme_.group, columns_ - first)};
}

Group Packing::load_group(std::span<const std::byte> bytes, int64_t row, int64_t g) const {
  const auto load = loader<double>(scheme_.scale);
  const int64_t i = row * groups_ + g;
  return {load(bytes.data() + scales_at_, i), has_bias(scheme_) ? load(bytes.data() + biases_at_, i) : 0};
}

void Packing::store_group(std::span<std::byte> bytes, int64_t row, int64_t g, const Group& group) const {
  const auto store = storer<double>(scheme_.scale);
  const int64_t i = row * groups_ + g;
  store(bytes.data() + scales_at_, i, group.scale);
  if (has_bias(scheme_)) store(bytes.data() + biases_at_, i, group.bias);
}

// Bit b of element k is bit k·bits + b of the row, from the low bit of its first byte.
uint64_t Packing::load_code(std::span<const std::byte> bytes, int64_t row, int64_t k) const {
  uint64_t code = 0;
  for (int b = 0; b < scheme_.bits; ++b) {
    const int64_t bit = k * scheme_.bits + b;
    const auto byte = std::to_integer<uint64_t>(bytes[static_cast<size_t>(row * row_bytes_ + bit / 8)]);
    code |= (byte >> (bit % 8) & 1) << b;
  }
  return code;
}

void Packing::store_code(std::span<std::byte> bytes, int64_t row, int64_t k, uint64_t code) const {
  for (int b = 0; b < scheme_.bits; ++b) {
    const int64_t bit = k * scheme_.bits + b;
    const auto mask = std::byte{1} << (bit % 8);
    std::byte& byte = bytes[static_cast<size_t>(row * row_bytes_ + bit / 8)];
    byte = code >> b & 1 ? byte | mask : byte & ~mask;
  }
}

double Packing::value(std::span<const std::byte> bytes, int64_t row, int64_t k) const {
  const Group group = load_group(bytes, row, k / scheme_.group);
  const double value = group.scale * code_value(scheme_, load_code(bytes, row, k));
  return has_bias(scheme_) ? value + group.bias : value;  // 0 more would make -0 a +0
}

// -------------------------------------------------------------------------------------------------------- arithmetic

namespace {

struct Spread {
  double min, max, magnitude;
};

Spread spread(std::span<const double> values) {
  Spread result{values[0], values[0], 0};
  for (double x : values) {
    if (!std::isfinite(x)) {
      throw Error::mismatch(Code::out_of_range, "", "an element of a group", fmt::format("{}", x), "a finite number");
    }
    result.min = smaller(result.min, x);
    result.max = larger(result.max, x);
    result.magnitude = larger(result.magnitude, std::abs(x));
  }
  return result;
}

double rounded(const QuantScheme& scheme, std::string_view what, double x) {
  const double stored = round_to(scheme.scale, x);
  if (std::isfinite(stored)) return stored;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("{} of a group", what), fmt::format("{}", x),
                        fmt::format("a number that {} holds", to_string(scheme.scale)));
}

// 2^(⌊log2 magnitude⌋ - ⌊log2 largest code⌋), within f8e8m0.
double power_scale(double magnitude, double largest) {
  const auto [lowest, highest] = extremes<double>(DType::f8e8m0);
  if (magnitude == 0) return lowest;
  return std::clamp(std::ldexp(1, std::ilogb(magnitude) - std::ilogb(largest)), lowest, highest);
}

}  // namespace

Group fit(const QuantScheme& scheme, std::span<const double> values) {
  const auto [min, max, magnitude] = spread(values);
  const double largest = largest_code(scheme);
  switch (scheme.method) {
    case QuantMethod::affine: return {rounded(scheme, "scale", (max - min) / largest), rounded(scheme, "bias", min)};
    case QuantMethod::symmetric: return {rounded(scheme, "scale", magnitude / largest)};
    case QuantMethod::mxfp4:
    case QuantMethod::mxfp8: return {power_scale(magnitude, largest)};
    case QuantMethod::nvfp4: break;
  }
  return {round_to(scheme.scale, std::min(magnitude / largest, extremes<double>(scheme.scale).highest))};
}

uint64_t nearest_code(const QuantScheme& scheme, const Group& group, double x) {
  if (group.scale == 0) return 0;
  const double largest = largest_code(scheme);
  const double q = std::clamp((x - group.bias) / group.scale, has_bias(scheme) ? 0 : -largest, largest);
  if (has_integer_codes(scheme)) return static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(q)));
  std::byte byte{};
  storer<double>(code_dtype(scheme))(&byte, 0, q);
  return std::to_integer<uint64_t>(byte);
}

}  // namespace ingot::reference
