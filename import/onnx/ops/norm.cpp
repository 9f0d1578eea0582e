// Normalisation.
#include <fmt/format.h>

#include <algorithm>
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

// -------------------------------------------------------------------------------------------------------- batch norm

// [C] as it broadcasts against x [N, C, …].
Var along_channels(Var values, int64_t rank) {
  Shape shape(static_cast<size_t>(std::max<int64_t>(rank - 1, 1)), 1);
  shape[0] = values.dim(0);
  return reshape(values, shape);
}

// running·momentum + current·(1 - momentum)
Var moved_towards(Var running, Var current, double momentum) {
  const DType wide = widened(running.dtype());
  const Var sum = as_dtype(running, wide) * momentum + as_dtype(current, wide) * (1 - momentum);
  return as_dtype(sum, running.dtype());
}

// Statistics of the batch itself, over all axes but that of the channels.
struct Statistics {
  Var mean, variance;
};
Statistics statistics_of(Var x) {
  std::vector<int64_t> axes(static_cast<size_t>(x.type().rank()));
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.begin() + 1);
  const Var wide = as_dtype(x, widened(x.dtype()));
  return {x.graph().reduce_mean(wide, axes), x.graph().reduce_var(wide, axes)};
}

// Up to version 13 a file that names more outputs is in training, and before version 7 one that is no test.
bool is_training(Node& node) {
  if (node.version() >= 14) return node.flag("training_mode", false);
  if (node.version() < 7 && !node.flag("is_test", false)) return true;
  for (size_t i = 1; i < node.output_count(); ++i) {
    if (node.wants(i)) return true;
  }
  return false;
}

void batch_norm(Node& node, GraphBuilder& graph) {
  const double eps = node.real("epsilon", 1e-5F), momentum = node.real("momentum", 0.9F);
  if (!node.flag("spatial", true)) throw Unsupported("attribute spatial is 0: statistics for every place of a channel");
  node.ignore("consumed_inputs", "a hint about memory");
  const Var x = node.input(0);
  if (x.type().rank() < 2) node.malformed("x", to_string(x.type()), "[N, C, …]");
  const auto channels = [&](size_t i) { return ensure(node.input(i), {x.dim(1)}); };
  const Var weight = channels(1), bias = channels(2), mean = channels(3), variance = channels(4);
  if (!is_training(node)) {
    return node.set(0, graph.batch_norm(x, mean, variance, {.weight = weight, .bias = bias, .axis = 1, .eps = eps}));
  }
  const Statistics own = statistics_of(x);
  node.set(0, graph.batch_norm(x, as_dtype(own.mean, mean.dtype()), as_dtype(own.variance, variance.dtype()),
                               {.weight = weight, .bias = bias, .axis = 1, .eps = eps}));
  node.set(1, moved_towards(mean, own.mean, momentum));
  node.set(2, moved_towards(variance, own.variance, momentum));
  node.set(3, as_dtype(own.mean, mean.dtype()));
  node.set(4, as_dtype(own.variance, variance.dtype()));
}

// ------------------------------------------------------------------------------------------------------ other norms

// x [N, C, …] over the spatial axes: every channel is a group.
void instance_norm(Node& node, GraphBuilder& graph) {
  const double eps = node.real("epsilon", 1e-5F);
  node.ignore("consumed_inputs", "a hint about memory");
  const Var weight = node.input(1), bias = node.input(2);
  if (node.rank(0) < 2 || weight.type().rank() != 1) node.malformed("x", to_string(node.type(0)), "[N, C, …]");
  const Var x = ensure_size(node.input(0), 1, weight.dim(0));
  const Dim channels = x.dim(1);
  if (channels.is_literal()) {
    return node.set(0, graph.group_norm(x, channels.literal(), {.weight = weight, .bias = bias, .eps = eps}));
  }
  // One group of one channel in each of N·C rows.
  Shape rows(x.shape().begin() + 1, x.shape().end());
  rows[0] = 1;
  rows.insert(rows.begin(), x.dim(0) * channels);
  const Var y = reshape(graph.group_norm(reshape(x, rows), 1, {.eps = eps}), Shape(x.shape()));
  node.set(0, y * along_channels(weight, x.type().rank()) + along_channels(bias, x.type().rank()));
}

// Before version 21 scale and bias are those of groups.
void group_norm(Node& node, GraphBuilder& graph) {
  if (node.version() >= 21) check_stash(node);
  const int64_t groups = node.integer("num_groups");
  const double eps = node.real("epsilon", 1e-5F);
  const Var x = node.input(0);
  if (groups < 1) node.malformed("num_groups", fmt::format("{}", groups), "at least 1");
  if (x.type().rank() < 2) node.malformed("x", to_string(x.type()), "[N, C, …]");
  const auto channels = [&](size_t i) {
    if (node.version() >= 21) return ensure(node.input(i), {x.dim(1)});
    const Dim members = quotient_of(x.dim(1), groups);
    const Var rows = broadcast_to(unsqueeze(ensure(node.input(i), {groups}), {1}), {groups, members});
    return reshape(rows, {x.dim(1)});
  };
  node.set(0, graph.group_norm(x, groups, {.weight = channels(1), .bias = channels(2), .eps = eps}));
}

void lrn(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha", 1e-4F), beta = node.real("beta", 0.75), bias = node.real("bias", 1.0);
  node.set(
      0, graph.local_response_norm(node.input(0), node.integer("size"), {.alpha = alpha, .beta = beta, .bias = bias}));
}

void lp_norm(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -1), node.rank(0)), p = node.integer("p", 2);
  node.set(0, graph.lp_normalize(node.input(0), {axis}, {.p = static_cast<double>(p)}));
}

// (x - mean) / (deviation + 1e-9)
void mean_variance_norm(Node& node, GraphBuilder& graph) {
  const auto given = node.integers("axes").value_or(std::vector<int64_t>{0, 2, 3});
  const std::vector<int64_t> axes = axes_of(node, "axes", given, node.rank(0));
  const Var x = node.input(0), wide = as_dtype(x, widened(x.dtype()));
  const Var mean = graph.reduce_mean(wide, axes, {.keepdims = true});
  const Var deviation = graph.reduce_std(wide, axes, {.keepdims = true});
  node.set(0, as_dtype((wide - mean) / (deviation + 1e-9), x.dtype()));
}

constexpr Handler rows[] = {
    {"BatchNormalization", 6, batch_norm},
    {"GroupNormalization", 18, group_norm},
    {"InstanceNormalization", 6, instance_norm},
    {"LRN", 1, lrn},
    {"LpNormalization", 1, lp_norm},
    {"MeanVarianceNormalization", 9, mean_variance_norm},
    {"LayerNormalization", 17, layer_norm},
    {"RMSNormalization", 23, rms_norm},
};

}  // namespace

std::span<const Handler> norm_handlers() { return rows; }

}  // namespace ingot::onnx
