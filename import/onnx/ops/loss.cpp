// Losses. Classes are axis 1.
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

LossReduction reduction_of(Node& node) {
  return node.choice<LossReduction>(
      "reduction", "mean", {{"none", LossReduction::none}, {"sum", LossReduction::sum}, {"mean", LossReduction::mean}});
}

std::optional<int64_t> ignored(Node& node) {
  return node.has("ignore_index") ? std::optional(node.integer("ignore_index")) : std::nullopt;
}

// Labels with the sizes of the scores, classes left out.
Var labels_of(Node& node, const Shape& scores) {
  Shape shape = scores;
  if (shape.size() < 2) node.malformed("shape of the scores", to_string(scores), "[N, C, …]");
  shape.erase(shape.begin() + 1);
  return ensure(node.input(1), shape);
}

Var sum_of(Var x) {
  std::vector<int64_t> axes(x.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  return x.graph().reduce_sum(x, axes);
}

// -weight[label]·x[label]; a label that is ignored weighs 0
void negative_log_likelihood(Node& node, GraphBuilder& graph) {
  const LossReduction reduction = reduction_of(node);
  const std::optional<int64_t> ignore = ignored(node);
  const DType dtype = node.type(0).dtype, wide = widened(dtype);
  const Var x = as_dtype(node.input(0), wide);
  Var labels = as_dtype(labels_of(node, Shape(x.shape())), DType::i64);
  std::optional<Var> counts;
  if (ignore) {
    counts = graph.ne(labels, graph.scalar(*ignore, DType::i64));
    labels = graph.select(*counts, labels, graph.scalar(0, DType::i64));
  }
  Var weight = graph.full(Shape(labels.shape()), 1.0, {.dtype = wide});
  if (node.has(2)) weight = graph.take(as_dtype(node.input(2), wide), labels);
  if (counts) weight = graph.select(*counts, weight, graph.scalar(0.0, wide));
  const Var picked = squeeze(graph.gather(x, unsqueeze(labels, {1}), {.axis = 1}), {1});
  Var loss = -(picked * weight);
  if (counts) loss = graph.select(*counts, loss, graph.scalar(0.0, wide));
  if (reduction != LossReduction::none) loss = sum_of(loss);
  if (reduction == LossReduction::mean) loss = loss / sum_of(weight);
  node.set(0, as_dtype(loss, dtype));
}

void softmax_cross_entropy(Node& node, GraphBuilder& graph) {
  const LossReduction reduction = reduction_of(node);
  const std::optional<int64_t> ignore = ignored(node);
  const Var scores = node.input(0), labels = labels_of(node, Shape(scores.shape()));
  node.set(
      0, graph.softmax_cross_entropy(
             scores, labels, {.weight = node.optional_input(2), .axis = 1, .ignore = ignore, .reduction = reduction}));
  if (node.wants(1)) node.set(1, graph.softmax(scores, {.axis = 1, .log = true}));
}

constexpr Handler rows[] = {
    {"NegativeLogLikelihoodLoss", 12, negative_log_likelihood},
    {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy},
};

}  // namespace

std::span<const Handler> loss_handlers() { return rows; }

}  // namespace ingot::onnx
