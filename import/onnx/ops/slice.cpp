// Parts of a tensor, and tensors with something around them: Slice and Pad.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------------ slice

// A start or an end as a place 0 … size of the axis, or of the reversed axis where the step goes backwards; none where
// it is open whether it counts from the end.
std::optional<Dim> known_place(const Dim& at, const Dim& size, bool backwards) {
  if (at.is_literal()) {  // numbers that mean "to the end"
    if (at.literal() >= std::numeric_limits<int32_t>::max()) return backwards ? 0 : size;
    if (at.literal() <= std::numeric_limits<int32_t>::min()) return backwards ? size : 0;
  }
  if (less_equal(0, at) == Proof::yes) return backwards ? max(size - 1 - at, 0) : min(at, size);
  if (less_equal(at, -1) == Proof::yes) return backwards ? min(-1 - at, size) : max(at + size, 0);
  // `x[-n:]` of an open n: where n is 0 that is the front.
  if (!backwards && less_equal(at, 0) == Proof::yes) return min(max(at + size, 0) * min(at * -1, 1), size);
  return std::nullopt;
}

Var number(GraphBuilder& graph, int64_t value) { return graph.scalar(value, DType::i64); }

// A start or an end that is data, counted from the front: -1 … all.
Var from_front(Var at, Var all) {
  GraphBuilder& graph = at.graph();
  const Var place = graph.select(graph.lt(at, number(graph, 0)), at + all, at);
  return graph.max(graph.min(place, all), number(graph, -1));
}

// The same as known_place by the program itself.
Dim bound_place(Node& node, Var at, const Dim& size, bool backwards) {
  GraphBuilder& graph = node.graph();
  const Var all = graph.size_of(size), place = from_front(at, all);
  return min(node.bind_size(graph.max(backwards ? all - 1 - place : place, number(graph, 0))), size);
}

// A start or an end: an expression, or data.
struct Bound {
  std::optional<Dim> known;
  std::optional<Var> data;
};

Var var_of(Node& node, const Bound& bound) {
  return bound.data ? as_dtype(*bound.data, DType::i64) : node.as_var(Symbolic{DType::i64, {}, {*bound.known}});
}

Dim place_of(Node& node, const Bound& bound, const Dim& size, bool backwards) {
  const auto place = bound.known ? known_place(*bound.known, size, backwards) : std::nullopt;
  return place ? *place : bound_place(node, var_of(node, bound), size, backwards);
}

std::vector<Bound> bounds_of(const std::vector<int64_t>& list) {
  std::vector<Bound> bounds;
  for (const int64_t number : list) bounds.push_back({Dim(number), {}});
  return bounds;
}

std::vector<Bound> bounds_of(const std::vector<Var>& list) {
  std::vector<Bound> bounds;
  for (const Var& element : list) bounds.push_back({{}, element});
  return bounds;
}

std::vector<Bound> bounds_of(Node& node, size_t input) {
  const auto known = node.find_dims(input);
  if (!known) return bounds_of(node.elements(input));
  std::vector<Bound> bounds;
  for (const Dim& dim : *known) bounds.push_back({dim, {}});
  return bounds;
}

struct Cut {
  std::vector<int64_t> axes, steps;
  std::vector<Bound> starts, ends;
  std::vector<Var> open_steps = {};  // where they are data, instead of steps
};

bool all_ones(Node& node, size_t input) {
  const auto steps = node.find_constant(input);
  return steps && std::ranges::all_of(integers_of(*steps), [](int64_t step) { return step == 1; });
}

// Axes that are data may be any: all are cut, those that are not named from the front to the end.
Cut cut_along_data(Node& node) {
  GraphBuilder& graph = node.graph();
  const int64_t rank = node.rank(0);
  const RuntimeAxes named = runtime_axes(node, 3, rank);
  const auto spread_out = [&](size_t input, Var standard) {
    return elements_of(spread(named, reshape(node.input(input), Shape(named.places.shape())), standard));
  };
  const auto all = [&](int64_t value) { return graph.full({rank}, value, {.dtype = DType::i64}); };
  Cut cut;
  cut.axes.resize(static_cast<size_t>(rank));
  std::iota(cut.axes.begin(), cut.axes.end(), 0);
  cut.steps.assign(cut.axes.size(), 1);
  cut.starts = bounds_of(spread_out(1, all(0)));
  cut.ends = bounds_of(spread_out(2, size_list(node, node.type(0).shape)));
  if (node.has(4) && !all_ones(node, 4)) cut.open_steps = spread_out(4, all(1));
  return cut;
}

Cut cut_of(Node& node) {
  Cut cut;
  if (node.version() < 10) {
    const auto starts = node.integers("starts"), ends = node.integers("ends");
    if (!starts || !ends) node.malformed("starts or ends", "missing", "there");
    cut.starts = bounds_of(*starts);
    cut.ends = bounds_of(*ends);
    cut.axes = node.integers("axes").value_or(std::vector<int64_t>{});
  } else if (is_data(node, 3)) {
    return cut_along_data(node);
  } else {
    cut.starts = bounds_of(node, 1);
    cut.ends = bounds_of(node, 2);
    if (node.has(3)) cut.axes = node.constant_integers(3);
    if (is_data(node, 4))
      cut.open_steps = node.elements(4);
    else if (node.has(4))
      cut.steps = node.constant_integers(4);
  }
  if (cut.axes.empty()) {
    cut.axes.resize(cut.starts.size());
    std::iota(cut.axes.begin(), cut.axes.end(), 0);
  }
  cut.axes = axes_of(node, "axes", cut.axes, node.rank(0));
  if (cut.steps.empty()) cut.steps.assign(cut.starts.size(), 1);
  const size_t count = cut.axes.size(), steps = cut.open_steps.empty() ? cut.steps.size() : cut.open_steps.size();
  if (cut.starts.size() != count || cut.ends.size() != count || steps != count) {
    node.malformed("starts, ends, axes and steps", "of different lengths", "of one length");
  }
  return cut;
}

// One axis in steps that are data. Places count in the direction of the step, which must not be 0.
Var taken(Node& node, Var x, int64_t axis, Var start, Var end, Var step) {
  GraphBuilder& graph = node.graph();
  const Var all = graph.size_of(x.dim(axis)), zero = number(graph, 0), backwards = graph.lt(step, zero);
  const auto turned = [&](Var place) { return graph.select(backwards, all - 1 - place, place); };
  const Var first = graph.max(turned(from_front(start, all)), zero);
  const Var room = graph.max(graph.max(turned(from_front(end, all)), zero) - first, zero);
  const Var stride = graph.item(graph.abs(step), node.add_symbol("step", 1));
  const Dim count = node.bind_size(-graph.floor_div(-room, stride));
  return graph.take(x, turned(first + graph.iota(count) * stride), {.axis = axis});
}

void slice(Node& node, GraphBuilder& graph) {
  Cut cut = cut_of(node);
  Var x = node.input(0);
  if (!cut.open_steps.empty()) {
    for (size_t i = 0; i < cut.axes.size(); ++i) {
      x = taken(node, x, cut.axes[i], var_of(node, cut.starts[i]), var_of(node, cut.ends[i]),
                as_dtype(cut.open_steps[i], DType::i64));
    }
    return node.set(0, x);
  }
  x = not_negative(x);
  Shape starts, stops;
  for (size_t i = 0; i < cut.axes.size(); ++i) {
    const Dim size = x.dim(cut.axes[i]);
    const bool backwards = cut.steps[i] < 0;
    if (cut.steps[i] == 0 || cut.steps[i] == std::numeric_limits<int64_t>::min()) {
      node.malformed("a step", fmt::format("{}", cut.steps[i]), "another number");
    }
    starts.push_back(place_of(node, cut.starts[i], size, backwards));
    stops.push_back(max(place_of(node, cut.ends[i], size, backwards), starts.back()));
    if (!backwards) continue;
    x = graph.flip(x, {cut.axes[i]});
    cut.steps[i] = -cut.steps[i];
  }
  node.set(0, graph.slice(x, cut.axes, starts, stops, {.steps = cut.steps}));
}

// -------------------------------------------------------------------------------------------------------------- pad

// How long an axis must be to be padded with its own elements.
Dim needed_size(PadMode mode, const Dim& before, const Dim& after) {
  if (before == Dim(0) && after == Dim(0)) return 0;
  if (mode == PadMode::edge) return 1;
  return max(before, after) + (mode == PadMode::reflect ? 1 : 0);
}

// What fills constant padding: 0, a number, or data.
struct Filling {
  std::optional<Scalar> number;
  std::optional<Var> data;
};

// x without so many elements at its ends.
Var cut(Var x, const Shape& before, const Shape& after) {
  Shape stops;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < before.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    x = ensure_at_least(x, axes.back(), before[i] + after[i]);
    stops.push_back(x.shape()[i] - after[i]);
  }
  return x.graph().slice(x, axes, before, stops);
}

// A negative number of elements is cut off. Constant ones are added first: so x moved by one along an axis keeps its size.
Var padded(Var x, const Shape& before, const Shape& after, PadMode mode, const Filling& filling) {
  GraphBuilder& graph = x.graph();
  Shape cut_before, cut_after, added_before, added_after;
  bool cuts = false;
  for (size_t i = 0; i < before.size(); ++i) {
    cut_before.push_back(max(before[i] * -1, 0));
    cut_after.push_back(max(after[i] * -1, 0));
    added_before.push_back(max(before[i], 0));
    added_after.push_back(max(after[i], 0));
    cuts = cuts || cut_before[i] != Dim(0) || cut_after[i] != Dim(0);
  }
  if (mode != PadMode::constant) {
    if (cuts) x = cut(x, cut_before, cut_after);
    for (size_t i = 0; i < before.size(); ++i) {
      x = ensure_at_least(x, static_cast<int64_t>(i), needed_size(mode, added_before[i], added_after[i]));
    }
    return graph.pad(x, added_before, added_after, {.mode = mode});
  }
  Var y = graph.pad(x, added_before, added_after, {.value = filling.number});
  if (filling.data) {
    const Var inside = graph.pad(graph.full(Shape(x.shape()), 1, {.dtype = DType::bool_}), added_before, added_after);
    y = graph.select(inside, y, *filling.data);
  }
  return cuts ? cut(y, cut_before, cut_after) : y;
}

Filling filling_of(Node& node, PadMode mode) {
  const DType dtype = node.type(0).dtype;
  Filling filling;
  if (node.version() < 11) {
    filling.number = Scalar(node.real("value", 0.0));
  } else if (node.has(2)) {
    if (node.find_constant(2))
      filling.number = node.constant_scalar(2);
    else
      filling.data = as_scalar(node.input(2));
  }
  if (mode != PadMode::constant) return {};
  if (filling.number && !is_real(dtype) && filling.number->kind == ScalarKind::real) {
    const double number = filling.number->as_real();
    if (!(std::abs(number) < 1e15)) node.malformed("value", fmt::format("{}", number), std::string(to_string(dtype)));
    filling.number = Scalar(static_cast<int64_t>(number));
  }
  return filling;
}

// What is added before and after every axis where the axes are data; none is added to those that are not named.
std::pair<Shape, Shape> pads_along_data(Node& node) {
  GraphBuilder& graph = node.graph();
  const RuntimeAxes named = runtime_axes(node, 3, node.rank(0));
  const Dim count = named.places.dim(0);
  const Var pads = ensure(node.input(1), {count * 2});
  const Var none = graph.full({node.rank(0)}, 0, {.dtype = DType::i64});
  const Var before = graph.slice(pads, {0}, {0}, {count}), after = graph.slice(pads, {0}, {count}, {count * 2});
  return {bind_sizes(node, spread(named, before, none)), bind_sizes(node, spread(named, after, none))};
}

void pad(Node& node, GraphBuilder&) {
  const auto mode = node.choice<PadMode>("mode", "constant",
                                         {{"constant", PadMode::constant},
                                          {"reflect", PadMode::reflect},
                                          {"edge", PadMode::edge},
                                          {"wrap", PadMode::wrap}});
  const bool old = node.version() < 11;
  const auto attribute = old ? node.integers("pads") : std::nullopt;
  if (old && !attribute) node.malformed("attribute pads", "missing", "ints");
  const Filling filling = filling_of(node, mode);
  if (is_data(node, 3)) {
    const auto [before, after] = pads_along_data(node);
    return node.set(0, padded(node.input(0), before, after, mode, filling));
  }
  const std::vector<Dim> pads = old ? std::vector<Dim>(attribute->begin(), attribute->end()) : node.dims(1);
  std::vector<int64_t> axes(static_cast<size_t>(node.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(3)) axes = axes_of(node, "axes", node.constant_integers(3), node.rank(0));
  if (pads.size() != 2 * axes.size()) {
    node.malformed("pads", fmt::format("{} numbers", pads.size()), fmt::format("{}", 2 * axes.size()));
  }
  Shape before(static_cast<size_t>(node.rank(0)), 0), after = before;
  for (size_t i = 0; i < axes.size(); ++i) {
    before[static_cast<size_t>(axes[i])] = pads[i];
    after[static_cast<size_t>(axes[i])] = pads[axes.size() + i];
  }
  node.set(0, padded(node.input(0), before, after, mode, filling));
}

constexpr Handler rows[] = {
    {"Pad", 2, pad},
    {"Slice", 1, slice},
};

}  // namespace

std::span<const Handler> slice_handlers() { return rows; }

}  // namespace ingot::onnx
