// Pools over the spatial axes of x [N, C, spatial…].
#include <fmt/format.h>

#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "import/onnx/window.h"

namespace ingot::onnx {
namespace {

void average_pool(Node& node, GraphBuilder&) { node.set(0, average_pooled(node, node.input(0))); }

// p is a float in version 1.
double exponent_of(Node& node) {
  return node.version() < 2 ? node.real("p", 2.0) : static_cast<double>(node.integer("p", 2));
}

void lp_pool(Node& node, GraphBuilder& graph) {
  const Window window = window_of(node, node.type(0).shape);
  options::Pool options = pool_options(node, window);
  options.p = exponent_of(node);
  node.set(0, with_same_sizes(graph.pool_lp(fitted(node.input(0), window), window.kernel, options), window));
}

void max_pool(Node& node, GraphBuilder& graph) {
  const Window window = window_of(node, node.type(0).shape);
  const Var x = fitted(node.input(0), window);
  const bool column_major = node.flag("storage_order", false);  // which says something about indices alone
  const options::Pool options = pool_options(node, window);
  if (!node.wants(1)) {
    return node.set(0, with_same_sizes(graph.pool_max(x, window.kernel, options), window));
  }
  const auto [y, indices] = graph.pool_max_indices(x, window.kernel,
                                                   {.strides = options.strides,
                                                    .dilations = options.dilations,
                                                    .before = options.before,
                                                    .after = options.after,
                                                    .ceil_mode = options.ceil_mode,
                                                    .column_major = column_major});
  node.set(0, with_same_sizes(y, window));
  node.set(1, with_same_sizes(indices, window));
}

// ------------------------------------------------------------------------------------------------- the whole of axes

std::vector<int64_t> spatial_axes(Node& node) {
  const int64_t rank = node.rank(0);
  if (rank < 2) node.malformed("the rank of x", fmt::format("{}", rank), "2 or more");
  std::vector<int64_t> axes(static_cast<size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

void global_average_pool(Node& node, GraphBuilder& graph) {
  node.set(0, graph.reduce_mean(node.input(0), spatial_axes(node), {.keepdims = true}));
}

void global_max_pool(Node& node, GraphBuilder& graph) {
  node.set(0, graph.reduce_max(node.input(0), spatial_axes(node), {.keepdims = true}));
}

void global_lp_pool(Node& node, GraphBuilder& graph) {
  Var x = node.input(0);
  const std::vector<int64_t> axes = spatial_axes(node);
  for (const int64_t axis : axes) x = ensure_at_least(x, axis, 1);
  node.set(0, graph.adaptive_pool_lp(x, Shape(axes.size(), 1), {.p = exponent_of(node)}));
}

// ---------------------------------------------------------------------------------------------------------- the way back

// Indices count in the sizes that the window gives; a larger output_shape leaves the rest 0.
void max_unpool(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0);
  const Window window = window_of(node, Shape(x.shape()));
  Shape shape = x.shape();
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    shape[i + 2] = (shape[i + 2] - 1) * window.strides[i] + window.kernel[i] - window.before[i] - window.after[i];
  }
  const Var indices = ensure(node.input(1), Shape(x.shape()));
  const Var y = graph.max_unpool(x, indices, shape);
  if (!node.has(2)) return node.set(0, y);
  const Shape wanted = node.dims(2);
  if (wanted.size() != shape.size()) {
    node.malformed("output_shape", fmt::format("{} sizes", wanted.size()), fmt::format("{}", shape.size()));
  }
  Shape more;
  for (size_t i = 0; i < shape.size(); ++i) more.push_back(max(wanted[i] - y.shape()[i], 0));
  node.set(0, ensure(graph.pad(y, Shape(more.size(), 0), more), wanted));
}

constexpr Handler rows[] = {
    {"AveragePool", 1, average_pool},
    {"GlobalAveragePool", 1, global_average_pool},
    {"GlobalLpPool", 1, global_lp_pool},
    {"GlobalMaxPool", 1, global_max_pool},
    {"LpPool", 1, lp_pool},
    {"MaxPool", 1, max_pool},
    {"MaxUnpool", 9, max_unpool},
};

}  // namespace

std::span<const Handler> pool_handlers() { return rows; }

}  // namespace ingot::onnx
