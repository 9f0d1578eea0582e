// Functions that C++'s library lacks, in double.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <math.h>  // lgamma_r, which std does not have

#include <cmath>
#include <limits>
#include <numbers>

namespace ingot {

// y with erf(y) = x: Winitzki's approximation, then Halley's steps, each of which triples the digits. Near ±1 erfc
// keeps the digits that erf has lost.
inline double erfinv(double x) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  if (std::abs(x) >= 1) return std::abs(x) > 1 ? nan : std::copysign(infinity, x);
  const double log = std::log1p(-x * x), a = 0.147, t = 2 / (std::numbers::pi * a) + log / 2;
  double y = std::sqrt(std::sqrt(t * t - log / a) - t);
  for (int step = 0; step < 3; ++step) {
    const double error = std::abs(x) < 0.5 ? std::erf(y) - std::abs(x) : (1 - std::abs(x)) - std::erfc(y);
    const double newton = error * std::exp(y * y) / (2 * std::numbers::inv_sqrtpi);
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

// log |Γ(x)|. std::lgamma writes the sign into a global.
inline double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace ingot
