#include "import/onnx/ml.h"

#include <fmt/format.h>

#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {

Var constant_reals(Node& node, const std::vector<double>& numbers, Sizes sizes, DType dtype) {
  if (dtype == DType::f64) return node.as_var(Tensor::of<double>(std::move(sizes), numbers));
  return as_dtype(node.as_var(Tensor::of<float>(std::move(sizes), std::vector<float>(numbers.begin(), numbers.end()))),
                  dtype);
}

Var constant_integers(Node& node, const std::vector<int64_t>& numbers) {
  return node.as_var(Tensor::of<int64_t>({static_cast<int64_t>(numbers.size())}, numbers));
}

std::vector<double> required_reals(Node& node, std::string_view name) {
  auto numbers = node.reals(name);
  if (!numbers) node.malformed(fmt::format("attribute {}", name), "missing", "floats");
  return *std::move(numbers);
}

Var features(Node& node, size_t i) {
  Var x = node.input(i);
  if (x.type().rank() == 1) x = unsqueeze(x, {0});
  if (x.type().rank() != 2) node.malformed("X", to_string(x.shape()), "[N, F]");
  return as_dtype(x, x.dtype() == DType::f64 ? DType::f64 : DType::f32);
}

PostTransform post_transform(Node& node) {
  return node.choice<PostTransform>("post_transform", "NONE",
                                    {{"NONE", PostTransform::none},
                                     {"SOFTMAX", PostTransform::softmax},
                                     {"LOGISTIC", PostTransform::logistic},
                                     {"SOFTMAX_ZERO", PostTransform::softmax_zero}});
}

// softmax_zero: scores that are 0 stay so and do not take part.
Var transformed(Var scores, PostTransform transform) {
  GraphBuilder& graph = scores.graph();
  if (transform == PostTransform::none) return scores;
  if (transform == PostTransform::softmax) return graph.softmax(scores, {.axis = 1});
  if (transform == PostTransform::logistic) return graph.sigmoid(scores);
  const Var top = graph.reduce_max(scores, {1}, {.keepdims = true}), zero = graph.scalar(0.0, scores.dtype());
  const Var tiny = graph.le(graph.abs(scores), graph.scalar(1e-7, scores.dtype()));
  const Var powers = graph.exp(scores - top);
  const Var kept = graph.select(tiny, scores * graph.exp(-top), powers);
  const Var sum = graph.reduce_sum(graph.select(tiny, zero, powers), {1}, {.keepdims = true});
  return kept / graph.select(graph.eq(sum, zero), graph.scalar(1.0, scores.dtype()), sum);
}

Labels labels_of(Node& node, std::string_view integers, std::string_view texts) {
  if (const auto listed = node.integers(integers)) return {*listed, listed->size()};
  if (const auto listed = node.texts(texts)) return {{}, listed->size()};
  node.malformed(fmt::format("attribute {}", integers), "missing", "labels");
}

void set_labels(Node& node, Var classes, const Labels& labels) {
  if (labels.integers.empty()) return;
  node.set(0, node.graph().take(constant_integers(node, labels.integers), classes));
}

}  // namespace ingot::onnx
