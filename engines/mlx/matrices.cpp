#include "engines/mlx/matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engines/mlx/cast.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

mx::Shape lead_of(const array& x) { return {x.shape().begin(), x.shape().end() - 2}; }

mx::Shape behind(mx::Shape lead, std::initializer_list<int> sizes) {
  lead.insert(lead.end(), sizes.begin(), sizes.end());
  return lead;
}

array real_of(const array& x, mx::Stream s) { return x.dtype() == mx::complex64 ? mx::real(x, s) : x; }

array nan_like(const array& x) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  if (x.dtype() == mx::complex64) return array(mx::complex64_t{nan, nan});
  return number(nan, x);
}

}  // namespace

Matrices matrices_of(const array& x, mx::Stream s) {
  if (x.dtype() != mx::complex64) return {mx::astype(x, mx::float64, s), 1, s};
  const array re = mx::astype(mx::real(x, s), mx::float64, s), im = mx::astype(mx::imag(x, s), mx::float64, s);
  const array top = mx::stack({re, mx::negative(im, s)}, -1, s), bottom = mx::stack({im, re}, -1, s);
  const array blocks = mx::stack({top, bottom}, -3, s);
  return {mx::reshape(blocks, behind(lead_of(x), {2 * x.shape(-2), 2 * x.shape(-1)}), s), 2, s};
}

array stored(const Matrices& x, DType dtype) {
  if (x.block == 1) return stored(x.values, dtype, x.s);
  const mx::Shape lead = lead_of(x.values);
  const array columns = mx::reshape(x.values, behind(lead, {x.rows(), 2, x.columns(), 2}), x.s);
  const array parts = mx::astype(mx::take(columns, 0, -1, x.s), mx::float32, x.s);
  return stored(complex_of(mx::take(parts, 0, -2, x.s), mx::take(parts, 1, -2, x.s), x.s), dtype, x.s);
}

array stored(const array& x, DType dtype, mx::Stream s) {
  return mx::astype(mx::add(x, number(0, x), s), to_mlx(dtype), s);
}

// ------------------------------------------------------------------------------------------------------------- parts

array part(const array& x, int row, int rows, int column, int columns, mx::Stream s) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start.end()[-2] = row;
  start.end()[-1] = column;
  stop.end()[-2] = row + rows;
  stop.end()[-1] = column + columns;
  return mx::slice(x, start, stop, s);
}

array adjoint(const array& x, mx::Stream s) {
  const array y = mx::swapaxes(x, -1, -2, s);
  return y.dtype() == mx::complex64 ? mx::conjugate(y, s) : y;
}

array diagonal_of(const array& x, mx::Stream s) { return mx::diagonal(x, 0, -2, -1, s); }

array identity(int rows, int columns, mx::Dtype dtype, mx::Stream s) { return mx::eye(rows, columns, 0, dtype, s); }

array beside(const array& of_matrices, mx::Stream s) { return mx::expand_dims(of_matrices, {-2, -1}, s); }

array symmetric(const array& x, bool upper, mx::Stream s) {
  const int n = x.shape(-1);
  const array lower = mx::tri(n, n, upper ? -1 : 0, mx::bool_, s);
  const array read = upper ? mx::logical_not(lower, s) : lower;
  array y = mx::where(read, x, adjoint(x, s), s);
  if (x.dtype() != mx::complex64) return y;
  return mx::where(identity(n, n, mx::bool_, s), mx::astype(mx::real(x, s), mx::complex64, s), y, s);
}

array Finite::restore(const array& y, int axes, mx::Stream s) const {
  const array flags = axes == 1 ? mx::expand_dims(is_finite, -1, s) : beside(is_finite, s);
  return mx::where(flags, y, nan_like(y), s);
}

Finite finite_of(const array& x, mx::Stream s) {
  array finite = mx::isfinite(real_of(x, s), s);
  if (x.dtype() == mx::complex64) finite = mx::logical_and(finite, mx::isfinite(mx::imag(x, s), s), s);
  const array all = mx::all(finite, std::vector<int>{-2, -1}, false, s);
  return {mx::where(beside(all, s), x, number(0, x), s), all};
}

void refuse_where(Frame& frame, const array& flags, std::string_view operand, std::string_view problem) {
  const auto refusal = [operand = std::string(operand), problem = std::string(problem)](const Tensor& witness) {
    const std::span<const bool> of_matrices = witness.as<bool>();
    const auto first = std::ranges::find(of_matrices, true) - of_matrices.begin();
    return Error(Code::invalid_argument, fmt::format("matrix {} of {} is {}", first, operand, problem));
  };
  frame.guard(mx::logical_not(flags, frame.stream()), flags, refusal);
}

// ----------------------------------------------------------------------------------------------------------- solving

namespace {

// A NaN anywhere in a reaches the last pivot, and from there every element of a solution. LAPACK passes over NaN when it
// looks for a pivot.
array has_nan(const array& a, mx::Stream s) { return mx::any(mx::isnan(a, s), std::vector<int>{-2, -1}, false, s); }

array has_zero(const array& pivots, mx::Stream s) {
  return mx::any(mx::equal(pivots, number(0, pivots), s), -1, false, s);
}

}  // namespace

Inverse inverse_of(const Matrices& a) {
  const mx::Stream s = a.s;
  const int n = a.values.shape(-1);
  // The factors that MLX makes claim as many elements as they have bytes. Of a matrix of one element other ops believe
  // that, and write beyond its end: such a matrix never goes there.
  if (n == 1) {
    const array zero = mx::squeeze(mx::equal(a.values, number(0, a.values), s), std::vector<int>{-2, -1}, s);
    return {mx::reciprocal(a.values, s), mx::ones_like(a.values, s), zero};
  }
  const std::vector<array> factors = mx::linalg::lu(a.values, s);  // a = l[p]·u
  const array nan = has_nan(a.values, s), zero = has_zero(diagonal_of(factors[2], s), s);
  // MLX throws where it inverts a triangle with a 0 on the diagonal.
  const array unusable = beside(mx::logical_or(nan, zero, s), s);
  const array u = mx::where(unusable, identity(n, n, mx::float64, s), factors[2], s);
  const array inverse_u = mx::linalg::tri_inv(u, true, s), inverse_l = mx::linalg::tri_inv(factors[1], false, s);
  const array order = mx::broadcast_to(mx::expand_dims(factors[0], -2, s), a.values.shape(), s);
  return {mx::where(beside(nan, s), nan_like(u), inverse_u, s), mx::take_along_axis(inverse_l, order, -1, s),
          mx::logical_and(zero, mx::logical_not(nan, s), s)};
}

namespace {

// The squared magnitude of the number in each block of a column of blocks.
array squares_of(const array& column, const std::vector<int>& axes, mx::Stream s) {
  mx::Shape stop = column.shape();
  stop.back() = 1;
  return mx::sum(mx::square(mx::slice(column, mx::Shape(column.ndim(), 0), stop, s), s), axes, true, s);
}

}  // namespace

array substitute(const Matrices& a, const array& b, bool upper, bool unit) {
  const mx::Stream s = a.s;
  const int n = a.rows(), size = n * a.block, columns = b.shape(-1);
  if (n == 1 && unit) return b;
  if (n == 1 && a.block == 1) return mx::divide(b, a.values, s);
  if (n == 1) return mx::divide(mx::matmul(adjoint(a.values, s), b, s), squares_of(a.values, {-2, -1}, s), s);
  // The half with the fewest unknowns, then the other one without it.
  const int half = n / 2 * a.block, rest = size - half;
  const auto solved = [&](int at, int rows, const array& right) {
    return substitute(a.with(part(a.values, at, rows, at, rows, s)), right, upper, unit);
  };
  const auto rows_of_b = [&](int at, int rows) { return part(b, at, rows, 0, columns, s); };
  if (upper) {
    const array below = solved(half, rest, rows_of_b(half, rest));
    const array known = mx::matmul(part(a.values, 0, half, half, rest, s), below, s);
    return mx::concatenate({solved(0, half, mx::subtract(rows_of_b(0, half), known, s)), below}, -2, s);
  }
  const array above = solved(0, half, rows_of_b(0, half));
  const array known = mx::matmul(part(a.values, half, rest, 0, half, s), above, s);
  return mx::concatenate({above, solved(half, rest, mx::subtract(rows_of_b(half, rest), known, s))}, -2, s);
}

namespace {

// With a pivot of 0 nothing else counts.
Determinant settled(const Determinant& d, const array& zero, const array& nan, mx::Stream s) {
  const auto settle = [&](const array& x, double of_zero, const array& is_zero, const array& is_nan) {
    return mx::where(is_nan, nan_like(x), mx::where(is_zero, number(of_zero, x), x, s), s);
  };
  const array zeros = beside(zero, s), nans = beside(nan, s);
  return {settle(d.value, 0, zeros, nans), settle(d.phase, 0, zeros, nans),
          settle(d.logarithm, -std::numeric_limits<double>::infinity(), zero, nan)};
}

Determinant real_determinant(const array& a, mx::Stream s) {
  if (a.shape(-1) == 1) {  // as in inverse_of
    const array magnitude = mx::abs(a, s), flat = mx::squeeze(a, -1, s);
    const Determinant result{a, mx::divide(a, magnitude, s),
                             mx::squeeze(mx::log(magnitude, s), std::vector<int>{-2, -1}, s)};
    return settled(result, has_zero(flat, s), has_nan(a, s), s);
  }
  const auto [factors, swapped] = mx::linalg::lu_factor(a, s);
  const array pivots = diagonal_of(factors, s), magnitudes = mx::abs(pivots, s);
  const array stays = mx::equal(swapped, mx::arange(0, a.shape(-1), mx::uint32, s), s);
  const array sign = mx::prod(mx::where(stays, number(1, a), number(-1, a), s), -1, false, s);
  const auto times_sign = [&](const array& x) { return beside(mx::multiply(sign, mx::prod(x, -1, false, s), s), s); };
  const Determinant result{times_sign(pivots), times_sign(mx::divide(pivots, magnitudes, s)),
                           mx::sum(mx::log(magnitudes, s), -1, false, s)};
  return settled(result, has_zero(pivots, s), has_nan(a, s), s);
}

}  // namespace

Determinant determinant_of(const Matrices& a) {
  if (a.block == 1) return real_determinant(a.values, a.s);
  const mx::Stream s = a.s;
  const mx::Shape lead = lead_of(a.values);
  array m = a.values, zero = mx::zeros(lead, mx::bool_, s);
  const array unit = mx::broadcast_to(identity(2, 2, mx::float64, s), behind(lead, {2, 2}), s);
  Determinant result{unit, unit, mx::zeros(lead, mx::float64, s)};
  for (int left = a.rows(); left > 0; --left) {
    const array rows = mx::reshape(m, behind(lead, {left, 2, 2 * left}), s);
    // The row with the largest magnitude in front. A NaN is anyone's: it takes the whole determinant.
    const array squares = mx::reshape(squares_of(rows, {-2, -1}, s), behind(lead, {left}), s);
    const array at = mx::argmax(squares, -1, true, s);
    const auto taken = [&](const array& numbers) {
      const int count = numbers.shape(-1);
      const array whole = mx::broadcast_to(beside(numbers, s), behind(lead, {count, 2, 2 * left}), s);
      return mx::reshape(mx::take_along_axis(rows, whole, -3, s), behind(lead, {2 * count, 2 * left}), s);
    };
    const array row = taken(at), pivot = part(row, 0, 2, 0, 2, s);
    const array square = mx::squeeze(mx::take_along_axis(squares, at, -1, s), -1, s);
    const array is_zero = mx::equal(square, number(0, m), s);
    const array safe = mx::where(is_zero, number(1, m), square, s), magnitude = beside(mx::sqrt(safe, s), s);
    zero = mx::logical_or(zero, is_zero, s);
    const array moved = beside(mx::squeeze(mx::not_equal(at, array(0, mx::uint32), s), -1, s), s);
    const array factor = mx::where(moved, mx::negative(pivot, s), pivot, s);
    result.value = mx::matmul(result.value, factor, s);
    result.phase = mx::matmul(result.phase, mx::divide(factor, magnitude, s), s);
    result.logarithm = mx::add(result.logarithm, mx::multiply(number(0.5, m), mx::log(safe, s), s), s);
    if (left == 1) break;
    const array numbers = mx::arange(1, left, mx::uint32, s);
    const array others = taken(mx::where(mx::equal(numbers, at, s), array(0, mx::uint32), numbers, s));
    const array inverse = mx::divide(adjoint(pivot, s), beside(safe, s), s);
    const int below = 2 * (left - 1);
    const array factors = mx::matmul(part(others, 0, below, 0, 2, s), inverse, s);
    const array known = mx::matmul(factors, part(row, 0, 2, 2, below, s), s);
    m = mx::subtract(part(others, 0, below, 2, below, s), known, s);
  }
  return settled(result, zero, has_nan(a.values, s), s);
}

// ------------------------------------------------------------------------------------------------------- factorising

namespace {

// LAPACK's, with signs of ours.
Orthogonal real_qr(const array& a, int q_columns, mx::Stream s) {
  const int rows = a.shape(-2), columns = a.shape(-1);
  array padded = a;
  if (q_columns > columns) {  // columns of 0 leave room for a whole basis
    const array zeros = mx::zeros(behind(lead_of(a), {rows, q_columns - columns}), a.dtype(), s);
    padded = mx::concatenate({a, zeros}, -1, s);
  }
  const auto [q, r] = mx::linalg::qr(padded, s);
  const array diagonal = diagonal_of(r, s);
  const array turns = mx::where(mx::less(diagonal, number(0, a), s), number(-1, a), number(1, a), s);
  return {mx::multiply(q, mx::expand_dims(turns, -2, s), s),
          part(mx::multiply(r, mx::expand_dims(turns, -1, s), s), 0, q_columns, 0, columns, s)};
}

// x - 2·v·(vᵀ·x)
array reflected(const array& v, const array& x, mx::Stream s) {
  const array twice = mx::multiply(v, number(2, v), s);
  return mx::subtract(x, mx::matmul(twice, mx::matmul(adjoint(v, s), x, s), s), s);
}

// What takes a column of blocks to -phase·norm in its first block and 0 below, and that to norm.
struct Reflection {
  array vector;  // of length 1, or 0
  array turn;    // -phase, or 1 for a column of 0
  array norm;
};

Reflection reflection_of(const array& column, mx::Stream s) {
  const array zero = number(0, column), one = number(1, column), unit = identity(2, 2, mx::float64, s);
  const auto length = [&](const array& x) { return mx::sqrt(squares_of(x, {-2, -1}, s), s); };
  const auto safe = [&](const array& x) { return mx::where(mx::equal(x, zero, s), one, x, s); };
  const array head = part(column, 0, 2, 0, 2, s), norm = length(column), magnitude = length(head);
  const array phase = mx::where(mx::equal(magnitude, zero, s), unit, mx::divide(head, safe(magnitude), s), s);
  array vector = mx::add(head, mx::multiply(phase, norm, s), s);
  if (const int rest = column.shape(-2) - 2; rest > 0) {
    vector = mx::concatenate({vector, part(column, 2, rest, 0, 2, s)}, -2, s);
  }
  return {mx::divide(vector, safe(length(vector)), s),
          mx::where(mx::equal(norm, zero, s), unit, mx::negative(phase, s), s), norm};
}

// 0 around x, so that it lies at a row and a column of a matrix of that size.
array placed(const array& x, int row, int rows, int column, int columns, mx::Stream s) {
  const mx::Shape before{row, column}, after{rows - row - x.shape(-2), columns - column - x.shape(-1)};
  return mx::pad(x, std::vector<int>{-2, -1}, before, after, number(0, x), "constant", s);
}

}  // namespace

// Reflections of blocks, one column after the other: LAPACK's of the reals would not keep blocks where a has less than
// full rank.
Orthogonal factor_qr(const Matrices& a, int q_columns) {
  const mx::Stream s = a.s;
  if (a.block == 1) return real_qr(a.values, q_columns, s);
  const int rows = 2 * a.rows(), columns = 2 * a.columns(), count = std::min(rows, columns),
            more = 2 * q_columns - count;
  const array unit = identity(2, 2, mx::float64, s);
  std::vector<array> vectors, of_q, of_r;
  array m = a.values;  // what is left of a, without the rows and columns that are done
  for (int at = 0; at < count; at += 2) {
    const int width = columns - at;
    const Reflection reflection = reflection_of(part(m, 0, rows - at, 0, 2, s), s);
    m = reflected(reflection.vector, m, s);
    array row = mx::multiply(reflection.norm, unit, s);
    if (width > 2) {
      const array rest = mx::matmul(adjoint(reflection.turn, s), part(m, 0, 2, 2, width - 2, s), s);
      row = mx::concatenate({row, rest}, -1, s);
    }
    vectors.push_back(placed(reflection.vector, at, rows, 0, 2, s));
    of_q.push_back(placed(reflection.turn, at, rows, 0, 2, s));
    of_r.push_back(placed(row, 0, 2, at, columns, s));
    if (at + 2 < count) m = part(m, 2, rows - at - 2, 2, width - 2, s);
  }
  if (more > 0) {
    const mx::Shape lead = lead_of(a.values);
    const array rest = part(identity(rows, 2 * q_columns, mx::float64, s), 0, rows, count, more, s);
    of_q.push_back(mx::broadcast_to(rest, behind(lead, {rows, more}), s));
    of_r.push_back(mx::zeros(behind(lead, {more, columns}), mx::float64, s));
  }
  array q = mx::concatenate(of_q, -1, s);
  for (size_t j = vectors.size(); j-- > 0;) q = reflected(vectors[j], q, s);
  return {q, mx::concatenate(of_r, -2, s)};
}

std::vector<array> thin_svd(const array& a, mx::Stream s) {
  const int rows = a.shape(-2), columns = a.shape(-1);
  if (rows == columns) return mx::linalg::svd(a, true, s);
  // MLX makes whole bases: of the triangle they are no larger than what is asked for.
  const bool tall = rows > columns;
  const auto [q, r] = mx::linalg::qr(tall ? a : adjoint(a, s), s);
  std::vector<array> factors = mx::linalg::svd(tall ? r : adjoint(r, s), true, s);
  if (tall) {
    factors[0] = mx::matmul(q, factors[0], s);
  } else {
    factors[2] = mx::matmul(factors[2], adjoint(q, s), s);
  }
  return factors;
}

array turns_of(const array& columns, mx::Stream s) {
  const array magnitudes = mx::abs(columns, s);
  const array least = mx::multiply(mx::max(magnitudes, -2, true, s), number(0.999, magnitudes), s);
  const array large = mx::astype(mx::greater_equal(magnitudes, least, s), mx::int32, s);
  const array first = mx::take_along_axis(columns, mx::argmax(large, -2, true, s), -2, s);
  if (columns.dtype() != mx::complex64) {
    return mx::where(mx::less(first, number(0, first), s), number(-1, first), number(1, first), s);
  }
  const array magnitude = mx::abs(first, s), is_zero = mx::equal(magnitude, number(0, magnitude), s);
  const array safe = mx::where(is_zero, number(1, magnitude), magnitude, s);
  const array phase = mx::divide(mx::conjugate(first, s), mx::astype(safe, mx::complex64, s), s);
  return mx::where(is_zero, number(1, first), phase, s);
}

}  // namespace ingot::mlx_engine
