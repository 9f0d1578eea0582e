// Linear algebra on stacks of matrices, in f64 on a stream of the CPU (matrices.h).
#include <algorithm>

#include "engines/linalg_facts.h"
#include "engines/mlx/cast.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/matrices.h"

namespace ingot::mlx_engine {
namespace {

// Zeros with ones on the diagonal: what is left of a basis where there is nothing to take it from.
array identity_result(const Frame& frame, uint32_t i) {
  const mx::Shape shape = frame.result_shape(i);
  const array one = identity(shape.end()[-2], shape.end()[-1], to_mlx(frame.result_dtype(i)), frame.stream());
  return mx::broadcast_to(one, shape, frame.stream());
}

bool is_complex(const Frame& frame, Ref x) { return frame.dtype(x) == DType::c64; }

Matrices operand(const Frame& frame, Ref x) { return matrices_of(frame.in(x), frame.cpu_stream()); }

// In the dtype of the result.
Matrices operand_as_result(const Frame& frame, Ref x) {
  return matrices_of(frame.in(x, frame.result_dtype()), frame.cpu_stream());
}

// Steps of the order of an elimination.
void spend(Frame& frame, Ref x, int64_t times = 1) {
  Sizes sizes = frame.sizes(x);
  sizes.push_back(std::min(sizes.end()[-2], sizes.end()[-1]));
  sizes.push_back(times);
  frame.spend(static_cast<uint64_t>(element_count(sizes)));
}

// ------------------------------------------------------------------------------------------------------- factorisations

array emit(const op::Cholesky& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  spend(frame, op.x);
  const mx::Stream s = frame.cpu_stream();
  const Matrices x = matrices_of(symmetric(frame.in(op.x), op.upper, s), s);
  const array factor = mx::linalg::cholesky(x.values, op.upper, s);
  // LAPACK stops at a pivot that is not positive and leaves it there.
  const array pivots = diagonal_of(factor, s);
  const array positive = mx::all(mx::greater(pivots, number(0, pivots), s), -1, false, s);
  refuse_where(frame, mx::logical_not(positive, s), "x", "not positive definite");
  return stored(x.with(factor), frame.result_dtype());
}

std::vector<array> emit(const op::Qr& op, Frame& frame) {
  if (element_count(frame.sizes(op.x)) == 0) return {identity_result(frame, 0), frame.result_zeros(1)};
  spend(frame, op.x);
  const Matrices x = operand(frame, op.x);
  const Orthogonal factors = factor_qr(x, frame.result_shape(0).back());
  return {stored(x.with(factors.q), frame.result_dtype()), stored(x.with(factors.r), frame.result_dtype())};
}

std::vector<array> emit(const op::Svd& op, Frame& frame) {
  if (element_count(frame.sizes(op.x)) == 0) {
    return {identity_result(frame, 0), frame.result_zeros(1), identity_result(frame, 2)};
  }
  spend(frame, op.x);
  const mx::Stream s = frame.cpu_stream();
  const bool complex = is_complex(frame, op.x);
  const Finite x = finite_of(complex ? frame.in(op.x) : operand(frame, op.x).values, s);
  std::vector<array> factors = complex || op.full ? mx::linalg::svd(x.values, true, s) : thin_svd(x.values, s);
  const int rows = x.values.shape(-2), columns = x.values.shape(-1), count = std::min(rows, columns);
  array u = part(factors[0], 0, rows, 0, frame.result_shape(0).back(), s);
  array vt = part(factors[2], 0, frame.result_shape(2).end()[-2], 0, columns, s);
  // Rows of vt turn back what the columns of u turn, and beyond them by themselves.
  const array turns = turns_of(u, s), turns_back = adjoint(part(turns, 0, 1, 0, count, s), s);
  u = mx::multiply(u, turns, s);
  std::vector<array> of_rows{turns_back};
  if (const int more = vt.shape(-2) - count; more > 0) {
    const array as_columns = mx::swapaxes(part(vt, count, more, 0, columns, s), -1, -2, s);
    of_rows.push_back(mx::swapaxes(turns_of(as_columns, s), -1, -2, s));
  }
  vt = mx::multiply(vt, mx::concatenate(of_rows, -2, s), s);
  return {stored(x.restore(u, 2, s), frame.result_dtype(0), s),
          stored(x.restore(factors[1], 1, s), frame.result_dtype(1), s),
          stored(x.restore(vt, 2, s), frame.result_dtype(2), s)};
}

std::vector<array> emit(const op::Eigh& op, Frame& frame) {
  if (frame.result_is_empty(1)) return {frame.result_zeros(), frame.result_zeros(1)};
  spend(frame, op.x);
  const mx::Stream s = frame.cpu_stream();
  const array given = is_complex(frame, op.x) ? frame.in(op.x) : operand(frame, op.x).values;
  const Finite x = finite_of(symmetric(given, op.upper, s), s);
  const auto [values, vectors] = mx::linalg::eigh(x.values, "L", s);
  const array turned = mx::multiply(vectors, turns_of(vectors, s), s);
  return {stored(x.restore(values, 1, s), frame.result_dtype(0), s),
          stored(x.restore(turned, 2, s), frame.result_dtype(1), s)};
}

// -------------------------------------------------------------------------------------------------------------- solving

array emit(const op::Solve& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  spend(frame, op.a);
  const Matrices a = operand_as_result(frame, op.a), b = operand_as_result(frame, op.b);
  const Inverse inverse = inverse_of(a);
  refuse_where(frame, inverse.is_singular, "a", "singular");
  return stored(b.with(inverse.times(b.values, a.s)), frame.result_dtype());
}

array emit(const op::TriangularSolve& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  spend(frame, op.b);
  const mx::Stream s = frame.cpu_stream();
  array given = frame.in(op.a, frame.result_dtype());
  if (op.transpose) given = mx::swapaxes(given, -1, -2, s);
  if (!op.unit) {
    const array diagonal = diagonal_of(given, s);
    refuse_where(frame, mx::any(mx::equal(diagonal, number(0, diagonal), s), -1, false, s), "a", "singular");
  }
  const Matrices a = matrices_of(given, s), b = operand_as_result(frame, op.b);
  mx::Shape shape = frame.result_shape();
  std::copy(b.values.shape().end() - 2, b.values.shape().end(), shape.end() - 2);
  const array y = substitute(a, mx::broadcast_to(b.values, shape, s), op.upper != op.transpose, op.unit);
  return stored(b.with(y), frame.result_dtype());
}

array emit(const op::Inverse& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  spend(frame, op.x);
  const Matrices x = operand(frame, op.x);
  const Inverse inverse = inverse_of(x);
  refuse_where(frame, inverse.is_singular, "x", "singular");
  return stored(x.with(inverse.whole(x.s)), frame.result_dtype());
}

array emit(const op::Det& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  if (element_count(frame.sizes(op.x)) == 0) {
    return mx::ones(frame.result_shape(), to_mlx(frame.result_dtype()), frame.stream());
  }
  spend(frame, op.x);
  const Matrices x = operand(frame, op.x);
  const Determinant determinant = determinant_of(x);
  return mx::squeeze(stored(x.with(determinant.value), frame.result_dtype()), std::vector<int>{-2, -1}, x.s);
}

std::vector<array> emit(const op::SlogDet& op, Frame& frame) {
  if (frame.result_is_empty()) return {frame.result_zeros(), frame.result_zeros(1)};
  if (element_count(frame.sizes(op.x)) == 0) {
    return {mx::ones(frame.result_shape(), to_mlx(frame.result_dtype()), frame.stream()), frame.result_zeros(1)};
  }
  spend(frame, op.x);
  const Matrices x = operand(frame, op.x);
  const Determinant determinant = determinant_of(x);
  return {mx::squeeze(stored(x.with(determinant.phase), frame.result_dtype(0)), std::vector<int>{-2, -1}, x.s),
          stored(determinant.logarithm, frame.result_dtype(1), x.s)};
}

// Σ v[i]·(u[i]ᴴ·b) / s[i] over the singular values that count
array emit(const op::Lstsq& op, Frame& frame) {
  if (frame.result_is_empty() || element_count(frame.sizes(op.a)) == 0) return frame.result_zeros();
  spend(frame, op.a);
  const Matrices a = operand_as_result(frame, op.a), b = operand_as_result(frame, op.b);
  const mx::Stream s = a.s;
  const double rcond = op.rcond ? *op.rcond : epsilon(frame.result_dtype()) * std::max(a.rows(), a.columns());
  const Finite finite = finite_of(a.values, s);
  const std::vector<array> factors = thin_svd(finite.values, s);
  const array values = mx::expand_dims(factors[1], -1, s), largest = part(values, 0, 1, 0, 1, s);
  const array left_out = mx::less_equal(values, mx::multiply(number(rcond, values), largest, s), s);
  const array parts = mx::divide(mx::matmul(adjoint(factors[0], s), b.values, s), values, s);
  const array counted = mx::where(left_out, number(0, parts), parts, s);
  const array y = mx::matmul(adjoint(factors[2], s), counted, s);
  return stored(b.with(finite.restore(y, 2, s)), frame.result_dtype());
}

// ---------------------------------------------------------------------------------------------------------- exponential

array pade(const Matrices& x) {
  const mx::Stream s = x.s;
  const int n = x.values.shape(-1);
  const auto term = [&](size_t i) {
    return mx::multiply(number(kPade[i], x.values), identity(n, n, mx::float64, s), s);
  };
  const array square = mx::matmul(x.values, x.values, s);
  array even = term(12), odd = term(13);
  for (size_t i = 12; i > 0; i -= 2) {  // Horner's scheme
    even = mx::add(mx::matmul(even, square, s), term(i - 2), s);
    odd = mx::add(mx::matmul(odd, square, s), term(i - 1), s);
  }
  odd = mx::matmul(odd, x.values, s);
  const Inverse inverse = inverse_of(x.with(mx::subtract(even, odd, s)));  // never singular up to kPadeNorm
  return inverse.times(mx::add(even, odd, s), s);
}

bool reads_values(const op::Expm&) { return true; }

// (e^(x / 2^n))^(2^n), with n such that the norm is small. How often to square is read: some matrices need a thousand
// times, most none.
array emit(const op::Expm& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  const Matrices given = operand(frame, op.x);
  const mx::Stream s = given.s;
  const array norms = mx::max(mx::sum(mx::abs(given.values, s), -2, false, s), -1, false, s);
  const array is_finite = mx::isfinite(norms, s);
  const Finite finite{mx::where(beside(is_finite, s), given.values, number(0, given.values), s), is_finite};
  const array ratio = mx::divide(mx::where(is_finite, norms, number(1, norms), s), number(kPadeNorm, norms), s);
  const array halvings = mx::where(mx::less_equal(ratio, number(1, ratio), s), number(0, ratio),
                                   mx::add(number(1, ratio), mx::floor(mx::log2(ratio, s), s), s), s);
  const array most = mx::astype(mx::max(halvings, s), mx::int32, s);
  const int squarings = frame.read(most, DType::i32).as<int32_t>()[0];
  spend(frame, op.x, 24 + squarings);

  const array scale = mx::power(number(2, ratio), mx::negative(halvings, s), s);
  array y = pade(given.with(mx::multiply(finite.values, beside(scale, s), s)));
  for (int i = 0; i < squarings; ++i) {
    const array again = beside(mx::greater(halvings, number(i, halvings), s), s);
    y = mx::where(again, mx::matmul(y, y, s), y, s);
  }
  return stored(given.with(finite.restore(y, 2, s)), frame.result_dtype());
}

#define INGOT_ON_HOST(O)                                           \
  std::string remark(const op::O&, const Graph&, bool cpu) {       \
    return cpu ? "" : "on the host: MLX has no such op elsewhere"; \
  }
INGOT_OPS_OF_linalg(INGOT_ON_HOST)

}  // namespace

INGOT_LOWERINGS(linalg)

}  // namespace ingot::mlx_engine
