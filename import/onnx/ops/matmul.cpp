// Matrix products.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// The batch axes broadcast, the contracted sizes are equal.
Var product(Var a, Var b) {
  const Shape batch_a(a.shape().begin(), a.shape().end() - 2), batch_b(b.shape().begin(), b.shape().end() - 2);
  Shape shape = b.shape();
  const size_t shared = std::min(batch_a.size(), batch_b.size());
  for (size_t back = 1; back <= shared; ++back) {
    const Dim& other = batch_a[batch_a.size() - back];
    Dim& size = shape[batch_b.size() - back];
    if (size != Dim(1) && other != Dim(1)) size = other;
  }
  shape[shape.size() - 2] = a.dim(-1);
  return a.graph().matmul(a, ensure(b, shape));
}

// As NumPy does: a vector on the left is a row, on the right a column, and its axis is gone from the result.
void matmul(Node& node, GraphBuilder&) {
  Var a = node.input(0), b = node.input(1);
  const int64_t rank_a = a.type().rank(), rank_b = b.type().rank();
  if (rank_a == 0 || rank_b == 0) node.malformed("an operand", "a scalar", "rank 1 or more");
  if (rank_a == 1) a = unsqueeze(a, {0});
  if (rank_b == 1) b = unsqueeze(b, {1});
  Var y = product(a, b);
  const int64_t rank = y.type().rank();
  std::vector<int64_t> dropped;
  if (rank_a == 1) dropped.push_back(rank - 2);
  if (rank_b == 1) dropped.push_back(rank - 1);
  node.set(0, dropped.empty() ? y : squeeze(y, dropped));
}

// alpha·a'·b' + beta·c
void gemm(Node& node, GraphBuilder& graph) {
  const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
  const double alpha = node.real("alpha", 1.0), beta = node.real("beta", 1.0);
  const Var a = node.input(0);
  Var b = node.input(1);
  if (a.type().rank() == 2 && b.type().rank() == 2) {
    b = ensure_size(b, transpose_b ? 1 : 0, a.dim(transpose_a ? 0 : 1));
  }
  Var y = graph.matmul(a, b, {.transpose_a = transpose_a, .transpose_b = transpose_b});
  if (alpha != 1) y = y * alpha;
  if (const auto c = node.optional_input(2)) y = y + broadcast_to(beta == 1 ? *c : *c * beta, Shape(y.shape()));
  node.set(0, y);
}

constexpr Handler rows[] = {
    {"Gemm", 7, gemm},
    {"MatMul", 1, matmul},
};

}  // namespace

std::span<const Handler> matmul_handlers() { return rows; }

}  // namespace ingot::onnx
