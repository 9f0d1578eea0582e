// Inference of linear algebra on stacks of matrices, of reals or of complex numbers.
#include "program/infer.h"
#include "program/ops/matrices.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

Matrices square_of(const Scope& s, std::string_view subject, const TensorType& type) {
  Matrices matrices = matrices_of(s, subject, type);
  if (equal(matrices.rows, matrices.columns) != Proof::yes) s.refuse(subject, to_string(type), "square matrices");
  return matrices;
}

// The only operand.
Matrices operand(const Scope& s, const TensorType& x) {
  require_kind(s, "x", x.dtype, kinds::real | kinds::complex);
  return matrices_of(s, "x", x);
}

Matrices square_operand(const Scope& s, const TensorType& x) {
  require_kind(s, "x", x.dtype, kinds::real | kinds::complex);
  return square_of(s, "x", x);
}

// What magnitudes of such numbers have.
DType magnitude_dtype(DType dtype) { return dtype == DType::c64 ? DType::f32 : dtype; }

// y with a·y = b: [..., columns of a, columns of b]
template <class O>
Types solution(const O& op, const Scope& s, bool square) {
  const TensorType &a = s.type(op.a), &b = s.type(op.b);
  const DType dtype = promote_or_refuse(s, a.dtype, b.dtype);
  require_kind(s, "dtype of a and b", dtype, kinds::real | kinds::complex);
  const Matrices of_a = square ? square_of(s, "a", a) : matrices_of(s, "a", a), of_b = matrices_of(s, "b", b);
  require_equal(s, "number of rows of b", of_b.rows, of_a.rows, "rows of a");
  const Matrices y{broadcast_shapes(s, of_a.lead, of_b.lead), of_a.columns, of_b.columns};
  return {{dtype, y.with({y.rows, y.columns}), {}}};
}

}  // namespace

static Types rule(const op::Cholesky& op, const Scope& s) {
  square_operand(s, s.type(op.x));
  return {s.type(op.x)};
}

static Types rule(const op::Qr& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Matrices m = operand(s, x);
  const Dim inner = op.complete ? m.rows : min(m.rows, m.columns);
  return {{x.dtype, m.with({m.rows, inner}), {}}, {x.dtype, m.with({inner, m.columns}), {}}};
}

static Types rule(const op::Svd& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Matrices m = operand(s, x);
  const Dim least = min(m.rows, m.columns);
  return {{x.dtype, m.with({m.rows, op.full ? m.rows : least}), {}},
          {magnitude_dtype(x.dtype), m.with({least}), {}},
          {x.dtype, m.with({op.full ? m.columns : least, m.columns}), {}}};
}

static Types rule(const op::Eigh& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Matrices m = square_operand(s, x);
  return {{magnitude_dtype(x.dtype), m.with({m.rows}), {}}, x};
}

static Types rule(const op::Solve& op, const Scope& s) { return solution(op, s, true); }

static Types rule(const op::TriangularSolve& op, const Scope& s) { return solution(op, s, true); }

static Types rule(const op::Inverse& op, const Scope& s) {
  square_operand(s, s.type(op.x));
  return {s.type(op.x)};
}

static Types rule(const op::Det& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  return {{x.dtype, square_operand(s, x).lead, {}}};
}

static Types rule(const op::SlogDet& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Shape lead = square_operand(s, x).lead;
  return {{x.dtype, lead, {}}, {magnitude_dtype(x.dtype), lead, {}}};
}

static Types rule(const op::Lstsq& op, const Scope& s) {
  if (op.rcond) require_not_negative(s, "rcond", *op.rcond);
  return solution(op, s, false);
}

static Types rule(const op::Expm& op, const Scope& s) {
  square_operand(s, s.type(op.x));
  return {s.type(op.x)};
}

INGOT_RULES(linalg)

}  // namespace ingot
