// Order: the largest elements, the distinct ones, those that are not 0.
#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// k is an attribute before version 10.
void topk(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -1), node.rank(0));
  const bool largest = node.flag("largest", true), sorted = node.flag("sorted", true);
  const Dim k = node.version() < 10 ? Dim(node.integer("k")) : node.dim(1);
  const Var x = ensure_at_least(node.input(0), axis, k);
  const auto [values, indices] = graph.topk(x, k, {.axis = axis, .largest = largest, .sorted = sorted});
  node.set(0, values);
  node.set(1, indices);
}

void unique(Node& node, GraphBuilder& graph) {
  std::optional<int64_t> axis;
  if (node.has("axis")) axis = axis_of(node, "axis", node.integer("axis"), node.rank(0));
  const bool sorted = node.flag("sorted", true);
  const auto results = graph.unique(node.input(0), node.add_symbol("count"), {.axis = axis, .sorted = sorted});
  for (size_t i = 0; i < results.size(); ++i) node.set(i, results[i]);
}

void non_zero(Node& node, GraphBuilder& graph) { node.set(0, graph.nonzero(node.input(0), node.add_symbol("count"))); }

constexpr Handler rows[] = {
    {"NonZero", 9, non_zero},
    {"TopK", 1, topk},
    {"Unique", 11, unique},
};

}  // namespace

std::span<const Handler> sort_handlers() { return rows; }

}  // namespace ingot::onnx
