// Linear algebra on stacks of matrices, in double throughout; one rounding, at the store. What an op cannot do with one
// matrix fails the call and names it by its position in the stack.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "engines/linalg_facts.h"
#include "engines/reference/kernel.h"
#include "engines/reference/matrix.h"
#include "engines/reference/numbers.h"
#include "engines/reference/orthogonal.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

[[noreturn]] void refuse(std::string_view operand, int64_t i, std::string_view problem) {
  throw Error(Code::invalid_argument, fmt::format("matrix {} of {} is {}", i, operand, problem));
}

// ------------------------------------------------------------------------------------------------------------ stacks

// Calls f(i, matrix) for matrix number i of x. Precondition: a result has elements, so their number is bounded.
template <class T, class F>
void each_matrix(Frame& frame, Ref x, F&& f) {
  const View<T> stack = frame.in<T>(x);
  const int64_t rows = stack.sizes().end()[-2], columns = stack.sizes().end()[-1];
  const int64_t count = element_count(std::span(stack.sizes()).first(stack.sizes().size() - 2));
  for (int64_t i = 0; i < count; ++i) f(i, Matrix<T>(frame, rows, columns, stack, i * rows * columns));
}

Sizes lead_of(const Sizes& sizes) { return {sizes.begin(), sizes.end() - 2}; }

// y = f(number of a's matrix, a, b) for each pair of two stacks whose leading axes broadcast; nothing for an empty y.
template <class T, class O, class F>
void each_pair(const O& op, Frame& frame, F&& f) {
  const DType dtype = frame.result_dtype();
  const View<T> a = frame.in<T>(op.a, dtype), b = frame.in<T>(op.b, dtype);
  const Out<T> y = frame.out<T>();
  if (y.size() == 0) return;
  const int64_t rows = a.sizes().end()[-2], columns = a.sizes().end()[-1], right = b.sizes().end()[-1];
  const Sizes lead = lead_of(y.sizes());
  const auto pair = [&](int64_t i, int64_t of_a, int64_t of_b) {
    Matrix<T> left(frame, rows, columns, a, of_a * rows * columns);
    f(of_a, std::move(left), Matrix<T>(frame, rows, right, b, of_b * rows * right)).store(y, i * columns * right);
  };
  walk(lead, pair, broadcast_strides(lead_of(a.sizes()), lead), broadcast_strides(lead_of(b.sizes()), lead));
}

void store_numbers(const Scratch<double>& numbers, const Out<double>& y, int64_t i) {
  for (size_t k = 0; k < numbers.size(); ++k) {
    y.store(i * static_cast<int64_t>(numbers.size()) + static_cast<int64_t>(k), numbers[k]);
  }
}

// --------------------------------------------------------------------------------------------------------- elimination

// The row from k on with the largest magnitude in column k; NaN counts as the largest.
template <class T>
int64_t pivot_row(const Matrix<T>& a, int64_t k) {
  int64_t pivot = k;
  for (int64_t i = k + 1; i < a.rows(); ++i) {
    const double best = std::abs(a(pivot, k)), next = std::abs(a(i, k));
    if (next > best || (std::isnan(next) && !std::isnan(best))) pivot = i;
  }
  return pivot;
}

// Adds rows of a to those below until it is upper triangular, and takes b along. The sign of the order of the rows;
// 0 where a column has no pivot.
template <class T>
double eliminate(Frame& frame, Matrix<T>& a, Matrix<T>& b) {
  const int64_t n = a.rows();
  frame.spend(n, n * (n + b.columns()));
  double sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t pivot = pivot_row(a, k);
    if (a(pivot, k) == T(0)) return 0;
    if (pivot != k) {
      std::ranges::swap_ranges(a.row(pivot), a.row(k));
      std::ranges::swap_ranges(b.row(pivot), b.row(k));
      sign = -sign;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = -a(i, k) / a(k, k);
      add_multiple<T>(a.row(i), factor, std::as_const(a).row(k));
      add_multiple<T>(b.row(i), factor, std::as_const(b).row(k));
    }
  }
  return sign;
}

// b becomes y with a·y = b for triangular a, row by row from the one with the fewest unknowns.
template <class T>
void substitute(Frame& frame, const Matrix<T>& a, Matrix<T>& b, bool upper, bool unit) {
  const int64_t n = a.rows();
  frame.spend(n * n, b.columns());
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) {
      add_multiple<T>(b.row(i), -a(i, j), std::as_const(b).row(j));
    }
    if (unit) continue;
    for (T& x : b.row(i)) x /= a(i, i);
  }
}

// y with a·y = b, in b; whether there is one.
template <class T>
bool solve(Frame& frame, Matrix<T>& a, Matrix<T>& b) {
  if (eliminate(frame, a, b) == 0) return false;
  substitute(frame, a, b, true, false);
  return true;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ kernels

// l[i, j] = (x[i, j] - Σ l[i, k]·conj(l[j, k])) / l[j, j], the root on the diagonal; of the triangle that is asked for
static void kernel(const op::Cholesky& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> y = frame.out<T>();
    if (y.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, const Matrix<T>& x) {
      const int64_t n = x.rows();
      frame.spend(n * n, n);
      Matrix<T> l(frame, n, n);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          T sum = op.upper ? conjugate(x(j, i)) : x(i, j);
          for (int64_t k = 0; k < j; ++k) sum -= l(i, k) * conjugate(l(j, k));
          if (i == j && !(std::real(sum) > 0)) refuse("x", number, "not positive definite");
          l(i, j) = i == j ? T(std::sqrt(std::real(sum))) : sum / l(j, j);
        }
      }
      (op.upper ? adjoint(frame, l) : l).store(y, number * n * n);
    });
  });
}

static void kernel(const op::Qr& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> q = frame.out<T>(0), r = frame.out<T>(1);
    if (q.size() == 0 && r.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, const Matrix<T>& x) {
      const QrFactors<T> factors = factor_qr(frame, x, q.sizes().back());
      factors.q.store(q, number * factors.q.rows() * factors.q.columns());
      factors.r.store(r, number * factors.r.rows() * factors.r.columns());
    });
  });
}

static void kernel(const op::Svd& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> u = frame.out<T>(0), vt = frame.out<T>(2);
    const Out<double> s = frame.out(1);
    if (u.size() == 0 && vt.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, const Matrix<T>& x) {
      const Singular<T> parts = factor_singular(frame, x, op.full);
      transposed(frame, parts.u).store(u, number * parts.u.rows() * x.rows());
      store_numbers(parts.s, s, number);
      conjugated(parts.v).store(vt, number * parts.v.rows() * x.columns());
    });
  });
}

static void kernel(const op::Eigh& op, Frame& frame) {
  with_field(frame.dtype(op.x), [&]<class T>() {
    const Out<double> values = frame.out(0);
    const Out<T> vectors = frame.out<T>(1);
    if (vectors.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, Matrix<T> x) {
      const int64_t n = x.rows();
      for (int64_t i = 0; i < n; ++i) {
        x(i, i) = std::real(x(i, i));
        for (int64_t j = 0; j < i; ++j) (op.upper ? x(i, j) : x(j, i)) = conjugate(op.upper ? x(j, i) : x(i, j));
      }
      const Eigen<T> parts = factor_symmetric(frame, std::move(x));
      store_numbers(parts.values, values, number);
      transposed(frame, parts.vectors).store(vectors, number * n * n);
    });
  });
}

static void kernel(const op::Solve& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    each_pair<T>(op, frame, [&](int64_t number, Matrix<T> a, Matrix<T> b) {
      if (!solve(frame, a, b)) refuse("a", number, "singular");
      return b;
    });
  });
}

static void kernel(const op::TriangularSolve& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    each_pair<T>(op, frame, [&](int64_t number, Matrix<T> a, Matrix<T> b) {
      for (int64_t i = 0; i < a.rows(); ++i) {
        if (!op.unit && a(i, i) == T(0)) refuse("a", number, "singular");
        for (int64_t j = 0; op.transpose && j < i; ++j) std::swap(a(i, j), a(j, i));
      }
      substitute(frame, a, b, op.upper != op.transpose, op.unit);
      return b;
    });
  });
}

// y with x·y = 1
static void kernel(const op::Inverse& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> y = frame.out<T>();
    if (y.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, Matrix<T> x) {
      Matrix<T> result = identity<T>(frame, x.rows(), x.rows());
      if (!solve(frame, x, result)) refuse("x", number, "singular");
      result.store(y, number * x.rows() * x.rows());
    });
  });
}

// The product of the pivots, with the sign of the order of the rows
static void kernel(const op::Det& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> y = frame.out<T>();
    each_matrix<T>(frame, op.x, [&](int64_t number, Matrix<T> x) {
      Matrix<T> nothing(frame, x.rows(), 0);
      const double sign = eliminate(frame, x, nothing);
      T result = sign;
      for (int64_t i = 0; sign != 0 && i < x.rows(); ++i) result *= x(i, i);
      y.store(number, result);
    });
  });
}

// The product of their phases, and the sum of the logarithms of their magnitudes
static void kernel(const op::SlogDet& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> signs = frame.out<T>(0);
    const Out<double> logarithms = frame.out(1);
    each_matrix<T>(frame, op.x, [&](int64_t number, Matrix<T> x) {
      Matrix<T> nothing(frame, x.rows(), 0);
      T sign = eliminate(frame, x, nothing);
      double logarithm = sign == T(0) ? -std::numeric_limits<double>::infinity() : 0;
      for (int64_t i = 0; sign != T(0) && i < x.rows(); ++i) {
        sign *= phase(x(i, i));
        logarithm += std::log(std::abs(x(i, i)));
      }
      signs.store(number, sign);
      logarithms.store(number, logarithm);
    });
  });
}

// Σ v[i]·(u[i]ᴴ·b) / s[i] over the singular values that count; all of them where one is NaN
static void kernel(const op::Lstsq& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    each_pair<T>(op, frame, [&](int64_t, const Matrix<T>& a, const Matrix<T>& b) {
      const auto larger_size = static_cast<double>(std::max(a.rows(), a.columns()));
      const double rcond = op.rcond ? *op.rcond : epsilon(frame.result_dtype()) * larger_size;
      const Singular<T> parts = factor_singular(frame, a, false);
      frame.spend(static_cast<int64_t>(parts.s.size()) * (a.rows() + a.columns()), b.columns());
      Matrix<T> y(frame, a.columns(), b.columns());
      for (size_t i = 0; i < parts.s.size() && !(parts.s[i] <= rcond * parts.s[0]); ++i) {
        const auto k = static_cast<int64_t>(i);
        for (int64_t c = 0; c < b.columns(); ++c) {
          T sum = 0;
          for (int64_t r = 0; r < a.rows(); ++r) sum += conjugate(parts.u(k, r)) * b(r, c);
          for (int64_t r = 0; r < a.columns(); ++r) y(r, c) += parts.v(k, r) * (sum / parts.s[i]);
        }
      }
      return y;
    });
  });
}

namespace {

// The largest sum of the magnitudes of a column.
template <class T>
double one_norm(const Matrix<T>& x) {
  double largest = 0;
  for (int64_t j = 0; j < x.columns(); ++j) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows(); ++i) sum += std::abs(x(i, j));
    largest = larger(largest, sum);
  }
  return largest;
}

template <class T>
Matrix<T> pade(Frame& frame, const Matrix<T>& x) {
  const Matrix<T> square = product(frame, x, x);
  Matrix<T> even(frame, x.rows(), x.rows()), odd = even;
  for (size_t i = std::size(kPade); i > 0; i -= 2) {  // Horner's scheme
    even = product(frame, even, square);
    odd = product(frame, odd, square);
    for (int64_t k = 0; k < x.rows(); ++k) {
      even(k, k) += kPade[i - 2];
      odd(k, k) += kPade[i - 1];
    }
  }
  odd = product(frame, odd, x);
  Matrix<T> denominator = even, result = even;
  add_multiple<T>(denominator.values(), T(-1), odd.values());
  add_multiple<T>(result.values(), T(1), odd.values());
  solve(frame, denominator, result);  // never singular up to kPadeNorm
  return result;
}

}  // namespace

// (e^(x / 2^n))^(2^n), with n such that the norm is small
static void kernel(const op::Expm& op, Frame& frame) {
  with_field(frame.result_dtype(), [&]<class T>() {
    const Out<T> y = frame.out<T>();
    if (y.size() == 0) return;
    each_matrix<T>(frame, op.x, [&](int64_t number, Matrix<T> x) {
      const int64_t at = number * x.rows() * x.rows();
      const double norm = one_norm(x);
      if (!std::isfinite(norm)) return nans<T>(frame, x.rows(), x.rows()).store(y, at);
      const int halvings = norm <= kPadeNorm ? 0 : 1 + std::ilogb(norm / kPadeNorm);
      for (T& value : x.values()) value = value * std::ldexp(1.0, -halvings);
      Matrix<T> result = pade(frame, x);
      for (int i = 0; i < halvings; ++i) result = product(frame, result, result);
      result.store(y, at);
    });
  });
}

INGOT_KERNELS(linalg)

}  // namespace ingot::reference
