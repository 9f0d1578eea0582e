#include "engines/reference/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engines/quant_facts.h"
#include "engines/reference/elements.h"
#include "engines/reference/gguf_blocks.h"
#include "engines/reference/numbers.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

double code_value(const QuantScheme& scheme, uint64_t code) {
  if (scheme.method == QuantMethod::nf4) return kNf4Levels[code];
  if (const auto dtype = code_dtype(scheme.method)) {
    const std::byte byte{static_cast<uint8_t>(code)};
    return loader<double>(*dtype)(&byte, 0);
  }
  const bool negative = scheme.method == QuantMethod::symmetric && code >> (scheme.bits - 1);
  return static_cast<double>(code) - (negative ? std::ldexp(1, scheme.bits) : 0);
}

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

int64_t row_bytes(const QuantScheme& scheme, int64_t columns) {
  if (has_blocks(scheme.method)) return columns / scheme.group * facts(scheme.method).block_bytes;
  return columns / 8 * scheme.bits + ceil_div(columns % 8 * scheme.bits, 8);
}

template <class Bytes>
Bytes part(Bytes bytes, int64_t first, int64_t size) {
  return bytes.subspan(static_cast<size_t>(first), static_cast<size_t>(size));
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ layout

Packing::Packing(const QuantScheme& scheme, const Sizes& sizes)
    : scheme_(scheme),
      rows_(element_count(std::span(sizes).first(sizes.size() - 1))),
      columns_(sizes.back()),
      groups_(ceil_div(columns_, scheme.group)),
      row_bytes_(row_bytes(scheme, columns_)),
      scales_at_(rows_ * row_bytes_),
      biases_at_(scales_at_ + rows_ * groups_ * (bits(scheme.scale) / 8)) {}

Packing::Group Packing::load_group(std::span<const std::byte> bytes, int64_t row, int64_t g) const {
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
    bytes[static_cast<size_t>(row * row_bytes_ + bit / 8)] |= static_cast<std::byte>((code >> b & 1) << (bit % 8));
  }
}

double Packing::value(std::span<const std::byte> bytes, int64_t row, int64_t k) const {
  if (has_blocks(scheme_.method)) {
    const int64_t size = facts(scheme_.method).block_bytes;
    const auto block = part(bytes, row * row_bytes_ + k / scheme_.group * size, size);
    return block_value(scheme_.method, block, static_cast<int>(k % scheme_.group));
  }
  const Group group = load_group(bytes, row, k / scheme_.group);
  const double value = group.scale * code_value(scheme_, load_code(bytes, row, k));
  return has_bias(scheme_) ? value + group.bias : value;  // 0 more would make -0 a +0
}

void Packing::store_row(std::span<std::byte> bytes, int64_t row, std::span<const double> values) const {
  for (double x : values) {
    if (std::isfinite(x)) continue;
    throw Error::mismatch(Code::out_of_range, "", "an element of a group", fmt::format("{}", x), "a finite number");
  }
  const int64_t size = facts(scheme_.method).block_bytes;
  for (int64_t g = 0; g < groups_; ++g) {
    const int64_t first = g * scheme_.group;
    const auto members = part(values, first, std::min(scheme_.group, columns_ - first));
    if (has_blocks(scheme_.method)) {
      store_block(scheme_.method, members, part(bytes, row * row_bytes_ + g * size, size));
      continue;
    }
    store_group(bytes, row, g, fit(members));
    const Group stored = load_group(bytes, row, g);
    for (size_t k = 0; k < members.size(); ++k) {
      store_code(bytes, row, first + static_cast<int64_t>(k), nearest_code(stored, members[k]));
    }
  }
}

// -------------------------------------------------------------------------------------------------------- arithmetic

namespace {

struct Spread {
  double min, max, magnitude;
};

Spread spread(std::span<const double> values) {
  Spread result{values[0], values[0], 0};
  for (double x : values) {
    result.min = smaller(result.min, x);
    result.max = larger(result.max, x);
    result.magnitude = larger(result.magnitude, std::abs(x));
  }
  return result;
}

// 2^(⌊log2 magnitude⌋ - ⌊log2 largest code⌋), within f8e8m0.
double power_scale(double magnitude, double largest) {
  const auto [lowest, highest] = extremes<double>(DType::f8e8m0);
  if (magnitude == 0) return lowest;
  return std::clamp(std::ldexp(1, std::ilogb(magnitude) - std::ilogb(largest)), lowest, highest);
}

// Of two levels equally near the lower.
uint64_t nearest_level(double x) {
  uint64_t nearest = 0;
  for (uint64_t code = 1; code < kNf4Levels.size(); ++code) {
    if (std::abs(kNf4Levels[code] - x) < std::abs(kNf4Levels[nearest] - x)) nearest = code;
  }
  return nearest;
}

}  // namespace

double held_by(DType dtype, std::string_view what, double x) {
  const double stored = round_to(dtype, x);
  if (std::isfinite(stored)) return stored;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("{} of a group", what), fmt::format("{}", x),
                        fmt::format("a number that {} holds", to_string(dtype)));
}

Packing::Group Packing::fit(std::span<const double> values) const {
  const auto [min, max, magnitude] = spread(values);
  const double largest = largest_code(scheme_);
  const DType dtype = scheme_.scale;
  if (dtype == DType::f8e8m0) return {power_scale(magnitude, largest)};
  if (dtype == DType::f8e4m3) return {round_to(dtype, std::min(magnitude / largest, extremes<double>(dtype).highest))};
  if (!has_bias(scheme_)) return {held_by(dtype, "scale", magnitude / largest)};
  return {held_by(dtype, "scale", (max - min) / largest), held_by(dtype, "bias", min)};
}

uint64_t Packing::nearest_code(const Group& group, double x) const {
  if (scheme_.method == QuantMethod::nf4) return nearest_level(group.scale == 0 ? 0 : x / group.scale);
  if (group.scale == 0) return 0;
  const double largest = largest_code(scheme_);
  const double q = std::clamp((x - group.bias) / group.scale, has_bias(scheme_) ? 0 : -largest, largest);
  const auto dtype = code_dtype(scheme_.method);
  if (!dtype) return static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(q)));
  std::byte byte{};
  storer<double> (*dtype)(&byte, 0, q);
  return std::to_integer<uint64_t>(byte);
}

}  // namespace ingot::reference
