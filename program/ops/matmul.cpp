// Inference of matrix products.
#include "program/infer.h"

namespace ingot {
namespace {

struct Matrix {
  Shape lead;  // all axes but the last two
  Dim rows, columns;
};

Matrix as_matrix(const Scope& s, std::string_view subject, const TensorType& type, bool transposed) {
  if (type.rank() < 2) s.refuse(subject, to_string(type), "rank 2 or more");
  const Shape& shape = type.shape;
  Dim rows = shape.end()[-2], columns = shape.end()[-1];
  if (transposed) std::swap(rows, columns);
  return {{shape.begin(), shape.end() - 2}, std::move(rows), std::move(columns)};
}

}  // namespace

// [..., M, K] · [..., K, N] -> [..., M, N]
static Types rule(const op::Matmul& op, const Scope& s) {
  const DType dtype = promote_or_refuse(s, s.type(op.a).dtype, s.type(op.b).dtype);
  require_kind(s, "dtype of a and b", dtype, kinds::number);
  const Matrix a = as_matrix(s, "a", s.type(op.a), op.transpose_a);
  const Matrix b = as_matrix(s, "b", s.type(op.b), op.transpose_b);
  require_equal(s, "number of rows of b", b.rows, a.columns, "columns of a");
  Shape shape = broadcast_shapes(s, a.lead, b.lead);
  shape.push_back(a.rows);
  shape.push_back(b.columns);
  return {{dtype, std::move(shape), {}}};
}

INGOT_RULES(matmul)

}  // namespace ingot
