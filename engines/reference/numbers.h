// Arithmetic on the domains: integers wrap around, as in two's complement; reals and complex numbers are themselves.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engines/reference/elements.h"

namespace ingot::reference {

// f(a, b), for i64 on the same bits unsigned: there overflow wraps.
template <class T, class F>
T wrapping(T a, T b, F f) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return f(a, b);
  }
}

template <class T>
T add(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x + y; });
}
template <class T>
T subtract(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x - y; });
}
template <class T>
T multiply(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_same_v<T, double>) return std::isnan(x);
  return false;
}

// The order of sorting: NaN behind everything.
template <class T>
bool sorts_before(T a, T b) {
  return is_nan(b) ? !is_nan(a) : a < b;
}

// NaN when either is; -0 before +0.
template <class T>
T larger(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

// log(e^a + e^b). Equal infinities have no difference.
inline double logaddexp(double a, double b) {
  const double difference = a == b ? 0 : std::abs(a - b);
  return larger(a, b) + std::log1p(std::exp(-difference));
}

}  // namespace ingot::reference
