// Orthogonal factorisations: QR by reflections, eigenvectors and singular vectors by Jacobi's rotations.
//
// T is double or Complex throughout; for complex numbers orthogonal means unitary, symmetric Hermitian.
//
// Threads    pure functions.
// Failure    Code::limit before work or working space goes beyond RunLimits. Rotations end after kMaxSweeps at the
//            latest; some ten do for any matrix.
#pragma once

#include <numeric>

#include "engines/reference/matrix.h"

namespace ingot::reference {

inline constexpr int kMaxSweeps = 64;

// ---------------------------------------------------------------------------------------------------------------- QR

template <class T>
struct QrFactors {
  Matrix<T> q, r;
};

// a -= 2·v·(vᴴ·a) for a unit vector v, which is column `j` of `vectors` and 0 above row j.
template <class T>
void reflect(Matrix<T>& a, const Matrix<T>& vectors, int64_t j) {
  for (int64_t c = 0; c < a.columns(); ++c) {
    T sum = 0;
    for (int64_t i = j; i < a.rows(); ++i) sum += conjugate(vectors(i, j)) * a(i, c);
    for (int64_t i = j; i < a.rows(); ++i) a(i, c) -= 2.0 * sum * vectors(i, j);
  }
}

// The unit vector of the reflection that clears column j of r below row j, into column j of `vectors`.
template <class T>
void reflector(const Matrix<T>& r, Matrix<T>& vectors, int64_t j) {
  double norm = 0;
  for (int64_t i = j; i < r.rows(); ++i) norm += std::norm(vectors(i, j) = r(i, j));
  if (norm == 0) return;
  vectors(j, j) += phase(r(j, j)) * std::sqrt(norm);
  double length = 0;
  for (int64_t i = j; i < r.rows(); ++i) length += std::norm(vectors(i, j));
  for (int64_t i = j; i < r.rows(); ++i) vectors(i, j) /= std::sqrt(length);
}

// a = q·r with so many columns of q, at least the smaller size of a; the diagonal of r is real and not negative.
template <class T>
QrFactors<T> factor_qr(Frame& frame, Matrix<T> a, int64_t q_columns) {
  const double power = normalise(a);
  const int64_t count = std::min(a.rows(), a.columns());
  frame.spend(a.rows() * count, a.columns() + q_columns);
  Matrix<T> vectors(frame, a.rows(), count);
  for (int64_t j = 0; j < count; ++j) {
    reflector(a, vectors, j);
    reflect(a, vectors, j);
  }
  Matrix<T> q = identity<T>(frame, a.rows(), q_columns), r(frame, q_columns, a.columns());
  for (int64_t j = count; j-- > 0;) reflect(q, vectors, j);
  for (int64_t i = 0; i < count; ++i) {
    const T turn = phase(a(i, i));
    for (int64_t j = i; j < a.columns(); ++j) r(i, j) = conjugate(turn) * a(i, j) * power;
    r(i, i) = std::abs(a(i, i)) * power;
    for (int64_t k = 0; k < q.rows(); ++k) q(k, i) *= turn;
  }
  return {std::move(q), std::move(r)};
}

// --------------------------------------------------------------------------------------------------------- rotations

// The orthogonal 2x2 matrix that makes [[a, g], [conj(g), b]] diagonal.
template <class T>
struct Rotation {
  double cosine, sine;
  T turn;  // conj(g) / |g|

  Rotation(double a, double b, T g) : turn(conjugate(g) / std::abs(g)) {
    const double ratio = (b - a) / (2 * std::abs(g));
    const double tangent = std::copysign(1 / (std::abs(ratio) + std::hypot(1, ratio)), ratio);
    cosine = 1 / std::hypot(1, tangent);
    sine = tangent * cosine;
  }

  // [p, q] times the matrix, or its conjugate.
  void operator()(std::span<T> p, std::span<T> q, bool conjugated = false) const {
    const T by = conjugated ? conjugate(turn) : turn;
    for (size_t i = 0; i < p.size(); ++i) {
      const T x = p[i], y = by * q[i];
      p[i] = cosine * x - sine * y;
      q[i] = sine * x + cosine * y;
    }
  }
};

// Turns a vector so that its first component of at least 0.999 times the largest magnitude is positive; by what it was
// multiplied. Rounding decides between components of equal magnitude otherwise.
template <class T>
T orient(std::span<T> vector) {
  double largest = 0;
  for (const T& x : vector) largest = std::max(largest, std::abs(x));
  const auto first = std::ranges::find_if(vector, [&](const T& x) { return std::abs(x) >= 0.999 * largest; });
  const T turn = first == vector.end() ? T(1) : conjugate(phase(*first));
  for (T& x : vector) x *= turn;
  return turn;
}

// Rows in another order.
template <class T>
Matrix<T> rows_in_order(const Frame& frame, const Matrix<T>& a, const Scratch<int64_t>& order) {
  Matrix<T> result(frame, static_cast<int64_t>(order.size()), a.columns());
  for (size_t i = 0; i < order.size(); ++i) {
    std::ranges::copy(a.row(order[i]), result.row(static_cast<int64_t>(i)).begin());
  }
  return result;
}

// Positions by their value, ascending or descending; equal ones as they were.
inline Scratch<int64_t> sorted_positions(const Frame& frame, const Scratch<double>& values, bool descending) {
  Scratch<int64_t> order = frame.scratch<int64_t>(std::ssize(values));
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int64_t i) {
    const double value = values[static_cast<size_t>(i)];
    return std::pair(descending ? -value : value, i);
  };
  std::ranges::sort(order, {}, key);
  return order;
}

// ------------------------------------------------------------------------------------------------------- eigenvectors

template <class T>
struct Eigen {
  Scratch<double> values;  // ascending
  Matrix<T> vectors;       // rows
};

// Of a symmetric matrix; all NaN where not every number is finite.
template <class T>
Eigen<T> factor_symmetric(Frame& frame, Matrix<T> a) {
  const int64_t n = a.rows();
  if (!is_finite(a)) return {nans<double>(frame, 1, n).values(), nans<T>(frame, n, n)};
  const double power = normalise(a), least = std::ldexp(std::sqrt(squared_norm<T>(a.values())), -60);
  Matrix<T> vectors = identity<T>(frame, n, n);  // rows
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMaxSweeps; ++sweep) {
    turned = false;
    frame.spend(n * n, 3 * n);
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) <= least) continue;
        turned = true;
        const Rotation<T> rotate(std::real(a(p, p)), std::real(a(q, q)), a(p, q));
        for (int64_t i = 0; i < n; ++i) rotate({&a(i, p), 1}, {&a(i, q), 1});
        rotate(a.row(p), a.row(q), true);
        a(p, q) = a(q, p) = 0;
        rotate(vectors.row(p), vectors.row(q));
      }
    }
  }
  Scratch<double> diagonal = frame.scratch<double>(n), values = diagonal;
  for (int64_t i = 0; i < n; ++i) diagonal[static_cast<size_t>(i)] = std::real(a(i, i)) * power;
  const Scratch<int64_t> order = sorted_positions(frame, diagonal, false);
  std::ranges::transform(order, values.begin(), [&](int64_t i) { return diagonal[static_cast<size_t>(i)]; });
  vectors = rows_in_order(frame, vectors, order);
  for (int64_t i = 0; i < n; ++i) orient(vectors.row(i));
  return {std::move(values), std::move(vectors)};
}

// --------------------------------------------------------------------------------------------------- singular vectors

// a = Σ s[i]·u[i]·v[i]ᴴ over rows of u and v; those beyond s complete an orthonormal basis.
template <class T>
struct Singular {
  Matrix<T> u;
  Scratch<double> s;  // descending
  Matrix<T> v;
};

// What is left of the unit vector along an axis without its parts along the rows, which are orthonormal or 0.
template <class T>
void outside(const Matrix<T>& rows, int64_t axis, Scratch<T>& vector) {
  std::ranges::fill(vector, T(0));
  vector[static_cast<size_t>(axis)] = 1;
  for (int64_t i = 0; i < 2 * rows.rows(); ++i) {  // twice: the first time leaves rounding behind
    const auto row = rows.row(i % rows.rows());
    add_multiple<T>(vector, -inner<T>(row, vector), row);
  }
}

// Rows of 0 become unit vectors orthogonal to all others. There is always an axis that lies far enough outside of what
// the rows span, and one that does not never will: each is tried once.
template <class T>
void complete_basis(Frame& frame, Matrix<T>& rows) {
  const int64_t size = rows.columns();
  int64_t axis = 0;
  auto vector = frame.scratch<T>(size);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    if (squared_norm<T>(rows.row(i)) > 0) continue;
    double length = 0;
    for (; length < 0.5 / static_cast<double>(size) && axis < size; ++axis) {
      frame.spend(rows.rows(), 2 * size);
      outside(rows, axis, vector);
      length = squared_norm<T>(vector);
    }
    std::ranges::transform(vector, rows.row(i).begin(), [&](const T& x) { return x / std::sqrt(length); });
  }
}

// Rotates rows of w until all are orthogonal, and the same rows of v.
template <class T>
void orthogonalise(Frame& frame, Matrix<T>& w, Matrix<T>& v) {
  const double tolerance = std::ldexp(std::sqrt(static_cast<double>(w.columns())), -52);
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMaxSweeps; ++sweep) {
    turned = false;
    frame.spend(w.rows() * w.rows(), 2 * w.columns());
    for (int64_t p = 0; p < w.rows(); ++p) {
      for (int64_t q = p + 1; q < w.rows(); ++q) {
        const double a = squared_norm<T>(w.row(p)), b = squared_norm<T>(w.row(q));
        const T g = inner<T>(w.row(p), w.row(q));
        if (std::abs(g) <= tolerance * std::sqrt(a) * std::sqrt(b)) continue;
        turned = true;
        const Rotation<T> rotate(a, b, g);
        rotate(w.row(p), w.row(q));
        rotate(v.row(p), v.row(q));
      }
    }
  }
}

// Of a matrix of finite numbers with at least as many rows as columns; u_rows is its columns, or its rows for a basis.
template <class T>
Singular<T> factor_tall(Frame& frame, const Matrix<T>& a, int64_t u_rows) {
  const int64_t n = a.columns();
  Matrix<T> w = transposed(frame, a), v = identity<T>(frame, n, n);
  orthogonalise(frame, w, v);
  Scratch<double> lengths = frame.scratch<double>(n), s = lengths;
  for (int64_t i = 0; i < n; ++i) lengths[static_cast<size_t>(i)] = std::sqrt(squared_norm<T>(w.row(i)));
  const Scratch<int64_t> order = sorted_positions(frame, lengths, true);
  Matrix<T> u(frame, u_rows, a.rows());
  for (size_t i = 0; i < order.size(); ++i) {
    const double length = s[i] = lengths[static_cast<size_t>(order[i])];
    if (length == 0) continue;
    std::ranges::transform(w.row(order[i]), u.row(static_cast<int64_t>(i)).begin(),
                           [&](const T& x) { return x / length; });
  }
  complete_basis(frame, u);
  return {std::move(u), std::move(s), rows_in_order(frame, v, order)};
}

// With `full` both bases are complete; all NaN where not every number is finite.
template <class T>
Singular<T> factor_singular(Frame& frame, Matrix<T> a, bool full) {
  const int64_t least = std::min(a.rows(), a.columns()), most = std::max(a.rows(), a.columns());
  if (!is_finite(a)) {
    return {nans<T>(frame, full ? a.rows() : least, a.rows()), nans<double>(frame, 1, least).values(),
            nans<T>(frame, full ? a.columns() : least, a.columns())};
  }
  const double power = normalise(a);
  const bool tall = a.rows() >= a.columns();
  Singular<T> result = factor_tall(frame, tall ? a : adjoint(frame, a), full ? most : least);
  if (!tall) std::swap(result.u, result.v);
  for (double& s : result.s) s *= power;
  for (int64_t i = 0; i < result.u.rows(); ++i) {
    const T turn = orient(result.u.row(i));
    if (i >= least) continue;
    for (T& x : result.v.row(i)) x *= turn;
  }
  for (int64_t i = least; i < result.v.rows(); ++i) orient(result.v.row(i));
  return result;
}

}  // namespace ingot::reference
