// Reading and writing at indices.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

ScatterFn reduction_of(Node& node) {
  return node.choice<ScatterFn>("reduction", "none",
                                {{"none", ScatterFn::set},
                                 {"add", ScatterFn::add},
                                 {"mul", ScatterFn::mul},
                                 {"max", ScatterFn::max},
                                 {"min", ScatterFn::min}});
}

// Where the indices are shorter than x along other axes, the beginning of x is written and put back.
void scatter_elements(Node& node, GraphBuilder& graph) {
  const int64_t rank = node.rank(0), axis = axis_of(node, "axis", node.integer("axis", 0), rank);
  const ScatterFn fn = reduction_of(node);
  const Var x = node.input(0), updates = node.input(2);
  Var indices = node.input(1);
  if (indices.type().rank() != rank) {
    node.malformed("rank of indices", fmt::format("{}", indices.type().rank()), fmt::format("{}", rank));
  }
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = indices.dim(axis);
  const bool shorter = equal(indices.shape(), shape) == Proof::no;
  if (!shorter) indices = ensure(indices, shape);
  const Var part = shorter ? cut_to(x, Shape(indices.shape()), axis) : x;
  const Var y = graph.add(op::Scatter{.fn = fn,
                                      .x = part.ref(),
                                      .indices = indices.ref(),
                                      .updates = ensure(updates, Shape(indices.shape())).ref(),
                                      .axis = axis,
                                      .mode = IndexMode::error})[0];
  if (!shorter) return node.set(0, y);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<Var> starts(axes.size(), graph.scalar(0, DType::i64));
  node.set(0, graph.dynamic_update(x, y, starts, axes));
}

// ------------------------------------------------------------------------------------------------------ coordinates

void gather_nd(Node& node, GraphBuilder& graph) {
  const int64_t batch_dims = node.integer("batch_dims", 0);
  const Var x = node.input(0);
  Var indices = node.input(1);
  for (int64_t axis = 0; axis < std::min({batch_dims, x.type().rank(), indices.type().rank()}); ++axis) {
    indices = ensure_size(indices, axis, x.dim(axis));
  }
  node.set(0, graph.gather_nd(x, indices, {.batch_dims = batch_dims}));
}

void scatter_nd(Node& node, GraphBuilder& graph) {
  const ScatterFn fn = reduction_of(node);
  const Var x = node.input(0), indices = node.input(1);
  if (indices.shape().empty()) node.malformed("indices", "a scalar", "rank 1 or more");
  // Updates have the leading axes of indices, then those of x that the coordinates leave.
  Shape shape(indices.shape().begin(), indices.shape().end() - 1);
  if (const Dim count = indices.dim(-1); count.is_literal() && count.literal() <= x.type().rank()) {
    shape.insert(shape.end(), x.shape().begin() + count.literal(), x.shape().end());
  }
  const Var updates = node.input(2);
  node.set(0, graph.add(op::ScatterNd{
                  .fn = fn,
                  .x = x.ref(),
                  .indices = indices.ref(),
                  .updates = (updates.shape().size() == shape.size() ? ensure(updates, shape) : updates).ref(),
                  .mode = IndexMode::error})[0]);
}

// Rows written one after the other from write_indices[b] on, with `circular` on from the front.
void tensor_scatter(Node& node, GraphBuilder& graph) {
  const bool circular = node.choice<bool>("mode", "linear", {{"linear", false}, {"circular", true}});
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -2), node.rank(0));
  const Var x = node.input(0);
  if (axis == 0) node.malformed("axis", "0, the batch", "another");
  if (node.rank(1) != node.rank(0)) node.malformed("update", to_string(node.type(1)), "as many axes as past_cache");
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = node.type(1).shape[static_cast<size_t>(axis)];
  const Var updates = ensure(node.input(1), shape);
  Shape along(shape.size(), 1), batches(shape.size(), 1);
  along[static_cast<size_t>(axis)] = updates.dim(axis);
  batches[0] = x.dim(0);
  Var places = reshape(graph.iota(updates.dim(axis)), along);
  if (node.has(2)) places = places + reshape(graph.cast(node.input(2), DType::i64), batches);
  if (circular) places = graph.rem(places, graph.size_of(x.dim(axis)));
  node.set(0, graph.scatter_set(x, broadcast_to(places, shape), updates, {.axis = axis}));
}

// ---------------------------------------------------------------------------------------------------------- choices

// Any number dtype.
Dim depth_of(Node& node, GraphBuilder& graph) {
  if (is_integer(node.type(1).dtype)) return node.dim(1);
  if (const auto known = node.find_constant(1); known && is_real(known->dtype()) && known->elements() == 1) {
    const double depth = reals_of(*known)[0];
    if (!(depth >= 0 && depth < 1e15)) node.malformed("depth", fmt::format("{}", depth), "a size");
    return static_cast<int64_t>(depth);
  }
  return node.bind_size(graph.cast(as_scalar(node.input(1)), DType::i64));
}

// values[1] at the index along the new axis, values[0] elsewhere
void one_hot(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -1), node.rank(0) + 1);
  const Dim depth = depth_of(node, graph);
  const Var indices = node.input(0), values = ensure(node.input(2), {2});
  const Var hot = graph.one_hot(is_integer(indices.dtype()) ? indices : graph.cast(indices, DType::i64), depth,
                                {.axis = axis, .dtype = DType::bool_});
  const Var off = as_scalar(graph.slice(values, {0}, {0}, {1})), on = as_scalar(graph.slice(values, {0}, {1}, {2}));
  node.set(0, graph.select(hot, on, off));
}

// The slices where a condition holds that may be shorter than the axis; without an axis the elements.
void compress(Node& node, GraphBuilder& graph) {
  const bool flat = !node.has("axis");
  const int64_t axis = flat ? 0 : axis_of(node, "axis", node.integer("axis"), node.rank(0));
  Var x = node.input(0);
  if (flat) x = reshape(x, {element_count(x.shape())});
  const Var places = graph.nonzero(node.input(1), node.add_symbol("count"));
  node.set(0, graph.take(x, squeeze(places, {0}), {.axis = axis}));
}

constexpr Handler rows[] = {
    {"Compress", 9, compress},
    {"Gather", 1, gather},
    {"GatherElements", 11, gather_elements},
    {"GatherND", 11, gather_nd},
    {"OneHot", 9, one_hot},
    {"Scatter", 9, scatter_elements},
    {"ScatterElements", 11, scatter_elements},
    {"ScatterND", 11, scatter_nd},
    {"TensorScatter", 24, tensor_scatter},
};

}  // namespace

std::span<const Handler> index_handlers() { return rows; }

}  // namespace ingot::onnx
