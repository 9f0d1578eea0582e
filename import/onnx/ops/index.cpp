// Reading and writing at indices.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

void gather(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  node.set(0, graph.take(node.input(0), node.input(1), {.axis = axis}));
}

// Along the other axes the indices may be shorter than x: then only the beginning of x is read.
Var cut_to(Var x, const Shape& shape, int64_t except) {
  std::vector<int64_t> axes;
  Shape starts, stops, own = x.shape();
  for (size_t i = 0; i < own.size(); ++i) {
    if (static_cast<int64_t>(i) == except || equal(own[i], shape[i]) == Proof::yes) continue;
    axes.push_back(static_cast<int64_t>(i));
    starts.emplace_back(0);
    stops.push_back(shape[i]);
    x = ensure_at_least(x, static_cast<int64_t>(i), shape[i]);
  }
  return axes.empty() ? x : x.graph().slice(x, axes, starts, stops);
}

void gather_elements(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  const Var indices = node.input(1);
  if (indices.type().rank() != node.rank(0)) {
    node.malformed("rank of indices", fmt::format("{}", indices.type().rank()), fmt::format("{}", node.rank(0)));
  }
  node.set(0, graph.gather(cut_to(node.input(0), Shape(indices.shape()), axis), indices, {.axis = axis}));
}

void scatter_elements(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  const auto fn = node.choice<ScatterFn>("reduction", "none",
                                         {{"none", ScatterFn::set},
                                          {"add", ScatterFn::add},
                                          {"mul", ScatterFn::mul},
                                          {"max", ScatterFn::max},
                                          {"min", ScatterFn::min}});
  const Var x = node.input(0), updates = node.input(2);
  Var indices = node.input(1);
  Shape shape = x.shape();
  if (indices.shape().size() == shape.size()) {
    shape[static_cast<size_t>(axis)] = indices.dim(axis);
    if (equal(indices.shape(), shape) == Proof::no)
      throw Unsupported("indices are shorter than data along another axis");
    indices = ensure(indices, shape);
  }
  node.set(0, graph.add(op::Scatter{.fn = fn,
                                    .x = x.ref(),
                                    .indices = indices.ref(),
                                    .updates = ensure(updates, Shape(indices.shape())).ref(),
                                    .axis = axis,
                                    .mode = IndexMode::error})[0]);
}

constexpr Handler rows[] = {
    {"Gather", 1, gather},
    {"GatherElements", 11, gather_elements},
    {"Scatter", 9, scatter_elements},
    {"ScatterElements", 11, scatter_elements},
};

}  // namespace

std::span<const Handler> index_handlers() { return rows; }

}  // namespace ingot::onnx
