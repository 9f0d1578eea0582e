// Normalisation.
#include <fmt/format.h>

#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ONNX computes the statistics in the dtype that stash_type names: f32, and Ingot never in a narrower one.
void check_stash(Node& node) {
  if (const DType stash = node.dtype("stash_type", DType::f32); stash != DType::f32) {
    throw Unsupported(fmt::format("attribute stash_type is {}", to_string(stash)));
  }
}

// Mean and 1 / sqrt(var + eps), which are outputs too.
void set_statistics(Node& node, GraphBuilder& graph, Var x, const std::vector<int64_t>& axes, double eps) {
  const Var wide = as_dtype(x, widened(x.dtype()));
  const Var mean = graph.reduce_mean(wide, axes, {.keepdims = true});
  node.set(1, as_dtype(mean, DType::f32));
  if (!node.wants(2)) return;
  const Var variance = graph.reduce_mean(graph.square(wide - mean), axes, {.keepdims = true});
  node.set(2, as_dtype(graph.rsqrt(variance + eps), DType::f32));
}

void layer_norm(Node& node, GraphBuilder& graph) {
  check_stash(node);
  const int64_t rank = node.rank(0), axis = axis_of(node, "axis", node.integer("axis", -1), rank);
  const double eps = node.real("epsilon", 1e-5F);
  const Var x = node.input(0);
  const Shape normalised(x.shape().begin() + axis, x.shape().end());
  const Var weight = broadcast_to(node.input(1), normalised);
  std::optional<Var> bias = node.optional_input(2);
  if (bias) bias = broadcast_to(*bias, normalised);
  node.set(0, graph.layer_norm(x, {.weight = weight, .bias = bias, .axis = axis, .eps = eps}));
  if (!node.wants(1) && !node.wants(2)) return;
  std::vector<int64_t> axes(static_cast<size_t>(rank - axis));
  std::iota(axes.begin(), axes.end(), axis);
  set_statistics(node, graph, x, axes, eps);
}

void rms_norm(Node& node, GraphBuilder& graph) {
  check_stash(node);
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -1), node.rank(0));
  const double eps = node.real("epsilon", 1e-5F);
  const Var x = node.input(0);
  const Var weight = broadcast_to(node.input(1), Shape(x.shape().begin() + axis, x.shape().end()));
  node.set(0, graph.rms_norm(x, {.weight = weight, .axis = axis, .eps = eps}));
}

constexpr Handler rows[] = {
    {"LayerNormalization", 17, layer_norm},
    {"RMSNormalization", 23, rms_norm},
};

}  // namespace

std::span<const Handler> norm_handlers() { return rows; }

}  // namespace ingot::onnx
