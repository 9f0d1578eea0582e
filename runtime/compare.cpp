#include "runtime/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "engines/reference/elements.h"

namespace ingot {
namespace {

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    return fmt::format("complex({}, {})", value.real(), value.imag());
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "nan";  // whose sign says nothing
    }
    return fmt::format("{}", value);
  }
}

// What |x| is taken of: integers and bool as double.
template <class T>
using Real = std::conditional_t<std::is_same_v<T, std::complex<double>>, T, double>;

template <class T>
double error_of(T actual, T expected) {
  if (actual == expected) return 0;
  return std::abs(static_cast<double>(actual) - static_cast<double>(expected));
}
double error_of(std::complex<double> actual, std::complex<double> expected) { return std::abs(actual - expected); }

bool close(double actual, double expected, const Tolerance& tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance.atol + tolerance.rtol * std::abs(expected);
}
bool close(std::complex<double> actual, std::complex<double> expected, const Tolerance& tolerance) {
  return close(actual.real(), expected.real(), tolerance) && close(actual.imag(), expected.imag(), tolerance);
}
template <class T>
bool close(T actual, T expected, const Tolerance&) {
  return actual == expected;
}

// `[1, 2]` of a flat position.
std::string position(int64_t flat, const Sizes& sizes) {
  std::vector<int64_t> index(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0; flat /= sizes[axis]) index[axis] = flat % sizes[axis];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

template <class T>
Comparison compare_elements(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  const auto a = reference::view<T>(actual), b = reference::view<T>(expected);
  Comparison result;
  double sum = 0;
  int64_t finite = 0, unbounded = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double error = error_of(a[i], b[i]);
    if (std::isfinite(error)) {
      result.max_error = std::max(result.max_error, error);
      const double size = std::abs(static_cast<Real<T>>(b[i]));
      if (size > 0) result.max_relative_error = std::max(result.max_relative_error, error / size);
      sum += error;
      ++finite;
    }
    if (close(a[i], b[i], tolerance)) continue;
    if (!std::isfinite(error)) ++unbounded;
    if (result.differing++ == 0) {
      result.difference =
          fmt::format("element {} is {}, expected {}", position(i, actual.sizes()), text_of(a[i]), text_of(b[i]));
    }
  }
  if (finite > 0) result.mean_error = sum / static_cast<double>(finite);
  result.equal = result.differing == 0;
  if (result.equal) return result;
  result.difference += fmt::format("; {} of {} elements differ", result.differing, a.size());
  if (unbounded > 0) result.difference += fmt::format(", {} of them by NaN or infinity", unbounded);
  if (finite > 0) {
    const char* of = unbounded > 0 ? " of the others" : "";
    result.difference += fmt::format(", largest error{} {:.3g}", of, result.max_error);
  }
  return result;
}

Comparison compare_bytes(const Tensor& actual, const Tensor& expected) {
  const bool equal =
      std::equal(actual.bytes().begin(), actual.bytes().end(), expected.bytes().begin(), expected.bytes().end());
  Comparison result;
  result.equal = equal;
  result.differing = equal ? 0 : 1;
  if (!equal) result.difference = "packed bytes differ";
  return result;
}

}  // namespace

Comparison compare_types(const TensorType& actual, const TensorType& expected) {
  Comparison result;
  result.equal = actual == expected;
  if (!result.equal) {
    result.difference = fmt::format("type is {}, expected {}", to_string(actual), to_string(expected));
  }
  return result;
}

Comparison compare(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  if (const Comparison types = compare_types(actual.type(), expected.type()); !types.equal) return types;
  if (actual.dtype() == DType::packed) return compare_bytes(actual, expected);
  Comparison result;
  reference::with_domain(actual.dtype(), [&]<class T>() { result = compare_elements<T>(actual, expected, tolerance); });
  return result;
}

}  // namespace ingot
