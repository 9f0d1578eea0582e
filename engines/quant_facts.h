// What the codes of packed tensors mean, in the methods without blocks: facts that every engine shares.
//
// Threads    pure. Failure  none.
#pragma once

#include <array>
#include <cmath>
#include <optional>

#include "program/type.h"

namespace ingot {

// The levels of nf4: the quantiles of the normal distribution that QLoRA published, as f32.
inline constexpr std::array<double, 16> kNf4Levels = {
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
};

// The dtype of the codes, where they are floats.
inline std::optional<DType> code_dtype(QuantMethod method) {
  switch (method) {
    case QuantMethod::mxfp4:
    case QuantMethod::nvfp4: return DType::f4e2m1;
    case QuantMethod::mxfp8:
    case QuantMethod::fp8_e4m3: return DType::f8e4m3;
    case QuantMethod::fp8_e5m2: return DType::f8e5m2;
    default: return {};
  }
}

inline bool has_bias(const QuantScheme& scheme) { return scheme.method == QuantMethod::affine; }

// The value of the largest code that `quantize` makes: 2^bits - 1, 2^(bits-1) - 1, the largest float, or 1.
inline double largest_code(const QuantScheme& scheme) {
  if (scheme.method == QuantMethod::nf4) return 1;
  if (const auto dtype = code_dtype(scheme.method)) {
    return *dtype == DType::f4e2m1 ? 6 : *dtype == DType::f8e4m3 ? 448 : 57344;
  }
  return std::ldexp(1, has_bias(scheme) ? scheme.bits : scheme.bits - 1) - 1;
}

}  // namespace ingot
