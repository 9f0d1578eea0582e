#include "program/float_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ingot {
namespace {

using Special = FloatFormat::Special;

uint64_t ones(int count) { return (uint64_t{1} << count) - 1; }

int bias(const FloatFormat& f) { return (1 << (f.exponent_bits - 1)) - 1; }

uint64_t largest_finite(const FloatFormat& f) {
  const uint64_t all = ones(f.exponent_bits + f.mantissa_bits);
  switch (f.special) {
    case Special::ieee: return all - ones(f.mantissa_bits) - 1;
    case Special::nan_only:
    case Special::power: return all - 1;
    case Special::none: break;
  }
  return all;
}

// Quiet, without payload.
uint64_t nan_bits(const FloatFormat& f) {
  const uint64_t all = ones(f.exponent_bits + f.mantissa_bits);
  return f.special == Special::ieee ? all - ones(f.mantissa_bits - 1) : all;
}

std::optional<uint64_t> encode_power(const FloatFormat& f, double value) {
  int exponent;
  if (!(value > 0) || std::isinf(value) || std::frexp(value, &exponent) != 0.5) return {};
  const int biased = exponent - 1 + bias(f);
  if (biased < 0 || static_cast<uint64_t>(biased) > largest_finite(f)) return {};
  return static_cast<uint64_t>(biased);
}

std::optional<uint64_t> encode_magnitude(const FloatFormat& f, double value) {
  if (std::isinf(value)) return f.special == Special::ieee ? std::optional(largest_finite(f) + 1) : std::nullopt;
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), 1 - bias(f));  // the lowest is that of the subnormals
  const auto steps = static_cast<uint64_t>(std::nearbyint(std::ldexp(value, f.mantissa_bits - exponent)));
  // The leading 1 of a normal number adds one to the exponent, as does a carry out of the mantissa.
  const uint64_t bits = (static_cast<uint64_t>(exponent + bias(f) - 1) << f.mantissa_bits) + steps;
  return bits <= largest_finite(f) ? std::optional(bits) : std::nullopt;
}

}  // namespace

std::optional<FloatFormat> float_format(DType dtype) {
  switch (dtype) {
    case DType::f16: return FloatFormat{5, 10, Special::ieee};
    case DType::bf16: return FloatFormat{8, 7, Special::ieee};
    case DType::f32: return FloatFormat{8, 23, Special::ieee};
    case DType::f64: return FloatFormat{11, 52, Special::ieee};
    case DType::f8e4m3: return FloatFormat{4, 3, Special::nan_only};
    case DType::f8e5m2: return FloatFormat{5, 2, Special::ieee};
    case DType::f8e8m0: return FloatFormat{8, 0, Special::power};
    case DType::f4e2m1: return FloatFormat{2, 1, Special::none};
    default: return {};
  }
}

double decode(const FloatFormat& f, uint64_t bits) {
  const uint64_t magnitude = bits & ones(f.exponent_bits + f.mantissa_bits);
  const auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const uint64_t mantissa = magnitude & ones(f.mantissa_bits);
  double value;
  if (magnitude > largest_finite(f)) {
    const bool infinite = f.special == Special::ieee && mantissa == 0;
    value = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (f.special == Special::power) {
    return std::ldexp(1.0, exponent - bias(f));
  } else {
    const uint64_t steps = exponent ? mantissa | (uint64_t{1} << f.mantissa_bits) : mantissa;
    value = std::ldexp(static_cast<double>(steps), std::max(exponent, 1) - bias(f) - f.mantissa_bits);
  }
  const bool negative = f.special != Special::power && (bits >> (f.exponent_bits + f.mantissa_bits) & 1);
  return negative ? -value : value;
}

std::optional<uint64_t> encode(const FloatFormat& f, double value) {
  const bool signed_format = f.special != Special::power;
  if (std::isnan(value) && f.special == Special::none) return {};
  if (!signed_format && !std::isnan(value)) return encode_power(f, value);
  if (!signed_format && std::signbit(value)) return {};
  const auto magnitude = std::isnan(value) ? std::optional(nan_bits(f)) : encode_magnitude(f, std::abs(value));
  if (!magnitude || !std::signbit(value)) return magnitude;
  return *magnitude | uint64_t{1} << (f.exponent_bits + f.mantissa_bits);
}

}  // namespace ingot
