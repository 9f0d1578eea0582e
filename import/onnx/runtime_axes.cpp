#include "import/onnx/runtime_axes.h"

#include <fmt/format.h>

#include "program/decompose.h"

namespace ingot::onnx {
namespace {

Var number(GraphBuilder& graph, int64_t value) { return graph.scalar(value, DType::i64); }

// As i64. What is no integer is no axis, start or step.
Var integers(Var x) {
  if (!is_integer(x.dtype())) throw Unsupported(fmt::format("{} are no integers", to_string(x.type())));
  return as_dtype(x, DType::i64);
}

// The places that indices stand for: negatives count from the end, and what lies outside fails the call.
Var places_of(Var indices, int64_t count) {
  GraphBuilder& graph = indices.graph();
  return graph.take(graph.iota(count), indices);
}

// The places, which fail the call where two are alike.
Var distinct(Node& node, Var places, int64_t count) {
  GraphBuilder& graph = node.graph();
  const Var each = graph.full(Shape(places.shape()), 1, {.dtype = DType::i64});
  const Var uses = graph.scatter_add(graph.full({count}, 0, {.dtype = DType::i64}), places, each);
  return provided(node, graph.reduce_all(graph.le(uses, number(graph, 1)), {0}), "axes_differ", places);
}

// For the places along some axes, row-major: where in x they are. `sizes` has 1 for every other axis.
Var offsets(GraphBuilder& graph, const Shape& shape, const std::vector<Var>& sizes, const Dim& count) {
  Var rest = graph.iota(count), offset = rest * number(graph, 0);
  Dim stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    offset = offset + graph.rem(rest, sizes[axis]) * graph.size_of(stride);
    rest = graph.floor_div(rest, sizes[axis]);
    stride = stride * shape[axis];
  }
  return offset;
}

}  // namespace

Var provided(Node& node, Var condition, std::string_view what, Var x) {
  GraphBuilder& graph = node.graph();
  const Var holds = graph.item(graph.cast(condition, DType::i64), node.add_symbol(what, 1, 1));
  return x * as_dtype(holds, x.dtype());
}

Dim positive_dim(Node& node, size_t input) {
  return node.find_dims(input) ? node.dim(input) : node.bind_size(as_scalar(node.input(input)), 1);
}

bool is_data(Node& node, size_t input) { return node.has(input) && !node.find_constant(input); }

RuntimeAxes runtime_axes(Node& node, size_t input, int64_t rank) {
  GraphBuilder& graph = node.graph();
  const Var given = integers(node.input(input));
  const Var list = reshape(given, {element_count(given.shape())});
  const Var places = distinct(node, places_of(list, rank), rank);
  const Var yes = graph.full(Shape(places.shape()), 1, {.dtype = DType::bool_});
  return {places, graph.scatter_set(graph.full({rank}, 0, {.dtype = DType::bool_}), places, yes)};
}

Var spread(const RuntimeAxes& axes, Var values, Var standard) {
  values = ensure(integers(values), Shape(axes.places.shape()));
  return values.graph().scatter_set(standard, axes.places, values);
}

Shape replaced_sizes(Node& node, const Shape& shape, Var named, const Dim& size) {
  GraphBuilder& graph = node.graph();
  return bind_sizes(node, graph.select(named, graph.size_of(size), size_list(node, shape)));
}

Shape kept_sizes(Node& node, const Shape& shape, Var named, int64_t count) {
  GraphBuilder& graph = node.graph();
  const Var kept = graph.nonzero(graph.logical_not(named), node.add_symbol("kept"));
  return bind_sizes(node, graph.take(size_list(node, shape), reshape(kept, {count})));
}

Shape inserted_sizes(Node& node, const Shape& shape, Var named) {
  GraphBuilder& graph = node.graph();
  Shape own = shape;
  own.emplace_back(1);  // read by new axes behind all others
  const Var from = graph.cumsum(graph.cast(graph.logical_not(named), DType::i64), {.axis = 0, .exclusive = true});
  return bind_sizes(node, graph.select(named, number(graph, 1), graph.take(size_list(node, own), from)));
}

Var as_rows(Node& node, Var x, Var named) {
  GraphBuilder& graph = node.graph();
  const Shape shape = x.type().shape;
  const Var sizes = size_list(node, shape), one = number(graph, 1);
  const Var outside = graph.select(named, one, sizes), inside = graph.select(named, sizes, one);
  const Dim rows = node.bind_size(graph.reduce_prod(outside, {0}));
  const Dim columns = node.bind_size(graph.reduce_prod(inside, {0}));
  const Var row = reshape(offsets(graph, shape, elements_of(outside), rows), {rows, 1});
  const Var column = reshape(offsets(graph, shape, elements_of(inside), columns), {1, columns});
  return graph.take(reshape(x, {element_count(shape)}), row + column);
}

RuntimeAxis runtime_axis(Node& node, size_t input, const Shape& shape, int64_t rank) {
  if (shape.empty()) node.malformed("input 0", "without an axis", "one axis or more");
  GraphBuilder& graph = node.graph();
  const Var place = places_of(integers(as_scalar(node.input(input))), rank);
  const Var sizes = size_list(node, shape), axes = graph.iota(static_cast<int64_t>(shape.size()));
  const auto product = [&](Var chosen) {
    return node.bind_size(graph.reduce_prod(graph.select(chosen, sizes, number(graph, 1)), {0}));
  };
  const Dim size = node.bind_size(graph.take(sizes, place));
  return {graph.eq(axes, place), product(graph.lt(axes, place)), size, product(graph.gt(axes, place))};
}

}  // namespace ingot::onnx
