// Matrices: stacks of matrices of reals or of complex numbers, in what MLX's linear algebra takes.
//
// That is LAPACK's, on the CPU alone, and hardly any of it for complex numbers. So matrices are f64 on a stream of the
// CPU, and a complex number is the block [[re, -im], [im, re]] there: sums, products, adjoints and inverses of such
// matrices are again such matrices, and so is a factor that is unique. f64 holds every product of two f32.
//
// Nothing reaches LAPACK that it may refuse: MLX would throw that on the stream's thread.
//
// Threads    as Frame.
// Failure    `refuse_where`: a guard with Code::invalid_argument. Else none.
#pragma once

#include <string_view>
#include <vector>

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

struct Matrices {
  array values;  // f64 [..., rows·block, columns·block]
  int block;     // 1, or 2 for complex numbers
  mx::Stream s;

  int rows() const { return values.shape(-2) / block; }
  int columns() const { return values.shape(-1) / block; }
  Matrices with(array others) const { return {std::move(others), block, s}; }
};

// An array on the stream of the CPU, of a real dtype or c64.
Matrices matrices_of(const array& x, mx::Stream s);
// The other way, in another dtype of the same kind. A zero goes without its sign: how a factor gets to it decides that.
array stored(const Matrices& x, DType dtype);
// Reals or c64 in another dtype of the same kind, zeros without sign.
array stored(const array& x, DType dtype, mx::Stream s);

// ------------------------------------------------------------------------------------------------------------- parts

// Rows [first, first + rows) and columns of the last two axes.
array part(const array& x, int row, int rows, int column, int columns, mx::Stream s);
array adjoint(const array& x, mx::Stream s);
array diagonal_of(const array& x, mx::Stream s);
array identity(int rows, int columns, mx::Dtype dtype, mx::Stream s);
// A number or a flag for each matrix, beside all its elements.
array beside(const array& of_matrices, mx::Stream s);
// x with the triangle that is read mirrored into the other; f64 or c64. Of the diagonal the real part.
array symmetric(const array& x, bool upper, mx::Stream s);

// Matrices of finite numbers alone, 0 in place of all others, and the way back for what is made of them.
struct Finite {
  array values;
  array is_finite;  // for each matrix

  // NaN for the matrices that were replaced; `y` has `axes` axes for each of them.
  array restore(const array& y, int axes, mx::Stream s) const;
};
Finite finite_of(const array& x, mx::Stream s);

// Fails the call where a flag, one for each matrix, is set: `matrix 3 of a is singular`.
void refuse_where(Frame& frame, const array& flags, std::string_view operand, std::string_view problem);

// ----------------------------------------------------------------------------------------------------------- solving

// a⁻¹ as a product. Where a is singular it is that of another matrix; where it has a NaN, it has nothing else.
struct Inverse {
  array upper, lower;  // a⁻¹ = upper·lower
  array is_singular;   // for each matrix: has a pivot of 0, and no NaN

  array times(const array& b, mx::Stream s) const { return mx::matmul(upper, mx::matmul(lower, b, s), s); }
  array whole(mx::Stream s) const { return mx::matmul(upper, lower, s); }
};
Inverse inverse_of(const Matrices& a);

// y with a·y = b for triangular a, of which the other triangle is not read. The leading axes of b are those of y.
array substitute(const Matrices& a, const array& b, bool upper, bool unit);

// By elimination. Where a pivot is 0 it is 0, where one is NaN it is NaN.
struct Determinant {
  array value, phase;  // phase is value / |value|; each [..., block, block]
  array logarithm;     // of |value|, for each matrix
};
Determinant determinant_of(const Matrices& a);

// ------------------------------------------------------------------------------------------------------- factorising

struct Orthogonal {
  array q, r;
};
// a = q·r with so many columns of q, at least the smaller size of a; the diagonal of r is real and not negative.
Orthogonal factor_qr(const Matrices& a, int q_columns);

// u, s, vt of finite reals in f64, with as many columns of u and rows of vt as there are singular values.
std::vector<array> thin_svd(const array& a, mx::Stream s);

// What turns each column so that its first component of at least 0.999 times the largest magnitude is real and positive:
// [..., 1, columns].
array turns_of(const array& columns, mx::Stream s);

}  // namespace ingot::mlx_engine
