// Scalar: one number as an attribute, exact for every dtype.
//
// Ownership  a value. Threads  immutable. Failure  `check_fits` throws Code::out_of_range.
#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "gen/enums.h"

namespace ingot {

struct Scalar {
  ScalarKind kind = ScalarKind::signed_int;
  uint64_t bits = 0;

  Scalar() = default;
  template <std::integral T>
  Scalar(T value)  // NOLINT(google-explicit-constructor): so that attributes take plain numbers
      : kind(std::signed_integral<T> || std::same_as<T, bool> ? ScalarKind::signed_int : ScalarKind::unsigned_int),
        bits(static_cast<uint64_t>(value)) {}
  template <std::floating_point T>
  Scalar(T value)  // NOLINT(google-explicit-constructor)
      : kind(ScalarKind::real), bits(std::bit_cast<uint64_t>(static_cast<double>(value))) {}
  Scalar(std::complex<float> value);  // NOLINT(google-explicit-constructor)

  // Bit equality: two NaNs of one pattern are equal, 0.0 and -0.0 are not.
  bool operator==(const Scalar&) const = default;

  int64_t as_int() const { return static_cast<int64_t>(bits); }  // Precondition: an integer kind.
  double as_real() const;                                        // Any kind but complex; rounds to nearest.
  std::complex<double> as_complex() const;
  bool is_integer() const { return kind == ScalarKind::signed_int || kind == ScalarKind::unsigned_int; }
};

// An integer dtype takes integers within its range, bool takes 0 and 1, reals take any number, c64 takes anything.
void check_fits(const Scalar& value, DType dtype, std::string_view op, std::string_view subject);

// Shortest text that reads back to the same number, always with a point, an exponent or a word: `2.0`, `1e-05`, `-inf`.
// A NaN keeps its sign and loses its payload.
std::string real_text(double value);
std::string real_text(float value);

// `7`, `2.5`, `nan`, `-inf`, `complex(1, -2)`: reads back to the same bits.
std::string to_string(const Scalar& value);

}  // namespace ingot
