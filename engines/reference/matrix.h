// Matrix: one matrix of doubles or of complex numbers, as the linear algebra of the reference engine works on it.
//
// T is double or Complex throughout.
//
// Ownership  a value. Threads  pure functions. Failure  Code::limit before working space goes beyond RunLimits.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines/reference/frame.h"

namespace ingot::reference {

inline double conjugate(double x) { return x; }
inline Complex conjugate(Complex x) { return std::conj(x); }

// Calls f.operator()<T>() with double for a real dtype, with Complex for a complex one.
template <class F>
void with_field(DType dtype, F&& f) {
  if (domain(dtype) == Domain::complex) return f.template operator()<Complex>();
  f.template operator()<double>();
}

template <class T>
class Matrix {
 public:
  // Zeros.
  Matrix(const Frame& frame, int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), values_(frame.scratch<T>(element_count(Sizes{rows, columns}))) {}
  // The one at `first` in a stack.
  Matrix(const Frame& frame, int64_t rows, int64_t columns, const View<T>& stack, int64_t first)
      : Matrix(frame, rows, columns) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = stack[first + static_cast<int64_t>(i)];
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  T& operator()(int64_t i, int64_t j) { return values_[static_cast<size_t>(i * columns_ + j)]; }
  const T& operator()(int64_t i, int64_t j) const { return values_[static_cast<size_t>(i * columns_ + j)]; }
  std::span<T> row(int64_t i) { return std::span(values_).subspan(at(i), static_cast<size_t>(columns_)); }
  std::span<const T> row(int64_t i) const { return std::span(values_).subspan(at(i), static_cast<size_t>(columns_)); }
  Scratch<T>& values() { return values_; }
  const Scratch<T>& values() const { return values_; }

  // A zero goes without its sign: how a factor gets to it decides that.
  void store(const Out<T>& to, int64_t first) const {
    for (size_t i = 0; i < values_.size(); ++i) to.store(first + static_cast<int64_t>(i), values_[i] + T(0));
  }

 private:
  size_t at(int64_t i) const { return static_cast<size_t>(i * columns_); }

  int64_t rows_, columns_;
  Scratch<T> values_;
};

template <class T>
Matrix<T> identity(const Frame& frame, int64_t rows, int64_t columns) {
  Matrix<T> result(frame, rows, columns);
  for (int64_t i = 0; i < std::min(rows, columns); ++i) result(i, i) = 1;
  return result;
}

// For what has no answer: NaN in every part of every number.
template <class T>
Matrix<T> nans(const Frame& frame, int64_t rows, int64_t columns) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix<T> result(frame, rows, columns);
  if constexpr (std::is_same_v<T, Complex>) {
    std::ranges::fill(result.values(), Complex(nan, nan));
  } else {
    std::ranges::fill(result.values(), nan);
  }
  return result;
}

// aᵀ
template <class T>
Matrix<T> transposed(const Frame& frame, const Matrix<T>& a) {
  Matrix<T> result(frame, a.columns(), a.rows());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

// Every number conjugated.
template <class T>
Matrix<T> conjugated(Matrix<T> a) {
  for (T& x : a.values()) x = conjugate(x);
  return a;
}

// aᴴ
template <class T>
Matrix<T> adjoint(const Frame& frame, const Matrix<T>& a) {
  return conjugated(transposed(frame, a));
}

template <class T>
Matrix<T> product(Frame& frame, const Matrix<T>& a, const Matrix<T>& b) {
  frame.spend(a.rows() * a.columns(), b.columns());
  Matrix<T> result(frame, a.rows(), b.columns());
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t k = 0; k < a.columns(); ++k) {
      for (int64_t j = 0; j < b.columns(); ++j) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

// to += factor·from
template <class T>
void add_multiple(std::span<T> to, T factor, std::span<const T> from) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// aᴴ·b
template <class T>
T inner(std::span<const T> a, std::span<const T> b) {
  T sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += conjugate(a[i]) * b[i];
  return sum;
}

template <class T>
double squared_norm(std::span<const T> a) {
  double sum = 0;
  for (const T& x : a) sum += std::norm(x);
  return sum;
}

template <class T>
bool is_finite(const Matrix<T>& a) {
  return std::ranges::all_of(a.values(), [](const T& x) { return std::isfinite(std::abs(x)); });
}

// Divides by a power of two so that the largest magnitude is 1 to 2 and no square overflows; the power. 1 where there
// is nothing to scale by.
template <class T>
double normalise(Matrix<T>& a) {
  double largest = 0;
  for (const T& x : a.values()) largest = std::max(largest, std::abs(x));
  if (largest == 0 || !std::isfinite(largest)) return 1;
  const double power = std::exp2(std::ilogb(largest));
  for (T& x : a.values()) x /= power;
  return power;
}

// x / |x|; 1 for 0
template <class T>
T phase(T x) {
  const double magnitude = std::abs(x);
  return magnitude == 0 ? T(1) : x / magnitude;
}

}  // namespace ingot::reference
