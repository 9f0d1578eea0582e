#include "import/onnx/product.h"

#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// b with batch axes that broadcast against those of a, and the contracted size of a.
Var fitting(Var a, Var b) {
  const Shape batch_a(a.shape().begin(), a.shape().end() - 2), batch_b(b.shape().begin(), b.shape().end() - 2);
  Shape shape = b.shape();
  const size_t shared = std::min(batch_a.size(), batch_b.size());
  for (size_t back = 1; back <= shared; ++back) {
    const Dim& other = batch_a[batch_a.size() - back];
    Dim& size = shape[batch_b.size() - back];
    if (size != Dim(1) && other != Dim(1)) size = other;
  }
  shape[shape.size() - 2] = a.dim(-1);
  return ensure(b, shape);
}

// `product` multiplies two matrices.
template <class F>
Var multiplied(const Node& node, Var a, Var b, F product) {
  const int64_t rank_a = a.type().rank(), rank_b = b.type().rank();
  if (rank_a == 0 || rank_b == 0) node.malformed("an operand", "a scalar", "rank 1 or more");
  if (rank_a == 1) a = unsqueeze(a, {0});
  if (rank_b == 1) b = unsqueeze(b, {1});
  const Var y = product(a, fitting(a, b));
  const int64_t rank = y.type().rank();
  std::vector<int64_t> dropped;
  if (rank_a == 1) dropped.push_back(rank - 2);
  if (rank_b == 1) dropped.push_back(rank - 1);
  return dropped.empty() ? y : squeeze(y, dropped);
}

}  // namespace

Var product(const Node& node, Var a, Var b) {
  return multiplied(node, a, b, [](Var x, Var y) { return x.graph().matmul(x, y); });
}

Var gemm(Node& node) {
  GraphBuilder& graph = node.graph();
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
  return y;
}

Var of_rows(Var parameter) {
  if (element_count(parameter.shape()) == Dim(1)) return reshape(parameter, {});
  return parameter.type().rank() == 1 ? unsqueeze(parameter, {1}) : parameter;
}
Var of_columns(Var parameter) {
  return element_count(parameter.shape()) == Dim(1) ? reshape(parameter, {}) : parameter;
}

Var integer_product(const Node& node, Var a, Var b, std::optional<Var> a_zero, std::optional<Var> b_zero) {
  if (a_zero) a_zero = of_rows(*a_zero);
  if (b_zero) b_zero = of_columns(*b_zero);
  return multiplied(node, a, b,
                    [&](Var x, Var y) { return x.graph().integer_matmul(x, y, {.a_zero = a_zero, .b_zero = b_zero}); });
}

}  // namespace ingot::onnx
