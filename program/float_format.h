// FloatFormat: the bits of the real dtypes, and the way from a double to them and back.
//
// Threads    pure functions.
// Failure    `encode` answers none where the format does not hold the number: it never overflows to infinity.
#pragma once

#include <cstdint>
#include <optional>

#include "gen/enums.h"

namespace ingot {

struct FloatFormat {
  // Which of the highest exponent's patterns are no finite numbers.
  enum class Special {
    ieee,      // all of them: infinity, and NaN
    nan_only,  // all ones is NaN, the others are numbers
    none,      // none
    power,     // f8e8m0: no sign, no mantissa, no zero; all ones is NaN
  };
  int exponent_bits, mantissa_bits;
  Special special;
};

// None for dtypes that are not real numbers.
std::optional<FloatFormat> float_format(DType dtype);

// Exact: every format here is a subset of f64. A NaN keeps its sign and loses its payload.
double decode(const FloatFormat& format, uint64_t bits);
// To nearest, ties to even; `power` takes powers of two only. None beyond the largest finite number, and for an infinity or
// a NaN that the format does not have.
std::optional<uint64_t> encode(const FloatFormat& format, double value);

}  // namespace ingot
