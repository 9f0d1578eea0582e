// Ops that move elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// 0 keeps the size of x, unless `zeros`; one -1 is what is left.
Shape reshape_target(const Node& node, const Shape& x, std::vector<Dim> wanted, bool zeros) {
  std::optional<size_t> open;
  Dim product = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == Dim(-1)) {
      if (open) node.malformed("shape", to_string(wanted), "at most one -1");
      open = i;
      continue;
    }
    if (wanted[i] == Dim(0) && !zeros) {
      if (i >= x.size()) node.malformed("shape", to_string(wanted), fmt::format("0 only for axes of {}", to_string(x)));
      wanted[i] = x[i];
    }
    product = product * wanted[i];
  }
  if (open) wanted[*open] = quotient_of(element_count(x), product);
  return wanted;
}

// Sizes as a list of i64, in the program.
Var list_of(Node& node, std::vector<Dim> sizes) {
  const auto count = static_cast<int64_t>(sizes.size());
  return node.as_var(Symbolic{DType::i64, {count}, std::move(sizes)});
}

std::vector<Dim> bind_sizes(Node& node, Var list) {
  std::vector<Dim> sizes;
  for (const Var& element : elements_of(list)) sizes.push_back(node.bind_size(element));
  return sizes;
}

// The same where the target is data: the program puts in what 0 and -1 stand for, and binds what comes out.
Shape reshape_target_from_data(Node& node, GraphBuilder& graph, const Shape& x, bool zeros) {
  const int64_t count = node.length(1);
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::i64); };
  Var wanted = as_dtype(reshape(node.input(1), {count}), DType::i64);
  if (!zeros) {
    std::vector<Dim> own = x;
    own.resize(static_cast<size_t>(count), 0);
    wanted = graph.select(graph.eq(wanted, number(0)), list_of(node, own), wanted);
  }
  const Var open = graph.lt(wanted, number(0));
  const Var product = graph.reduce_prod(graph.select(open, number(1), wanted), {0});
  const Var rest = graph.floor_div(graph.size_of(element_count(x)), product);
  return bind_sizes(node, graph.select(open, rest, wanted));
}

void reshape_handler(Node& node, GraphBuilder& graph) {
  const bool zeros = node.flag("allowzero", false);
  const Shape x = node.type(0).shape;
  const Shape target = node.find_dims(1) ? reshape_target(node, x, node.dims(1), zeros)
                                         : reshape_target_from_data(node, graph, x, zeros);
  node.set(0, reshape(node.input(0), target));
}

void flatten(Node& node, GraphBuilder&) {
  const Shape x = node.type(0).shape;
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 1), node.rank(0), true);
  const Dim rows = element_count(Shape(x.begin(), x.begin() + axis));
  node.set(0, reshape(node.input(0), {rows, element_count(Shape(x.begin() + axis, x.end()))}));
}

void transpose(Node& node, GraphBuilder& graph) {
  std::vector<int64_t> perm(static_cast<size_t>(node.rank(0)));
  std::iota(perm.rbegin(), perm.rend(), 0);
  node.set(0, graph.transpose(node.input(0), node.integers("perm").value_or(perm)));
}

// ----------------------------------------------------------------------------------------------------- axes of size 1

void squeeze_handler(Node& node, GraphBuilder&) {
  const Shape x = node.type(0).shape;
  std::vector<int64_t> dropped;
  if (const auto axes = node.axes("axes", 1)) {
    dropped = axes_of(node, "axes", *axes, node.rank(0));
  } else {
    for (size_t i = 0; i < x.size(); ++i) {
      if (!x[i].is_literal())
        throw Unsupported(fmt::format("whether axis {} of {} has size 1 is open", i, to_string(x)));
      if (x[i] == Dim(1)) dropped.push_back(static_cast<int64_t>(i));
    }
  }
  node.set(0, squeeze(node.input(0), dropped));
}

void unsqueeze_handler(Node& node, GraphBuilder&) {
  const auto axes = node.axes("axes", 1);
  if (!axes) node.malformed("axes", "missing", "a list of axes");
  const int64_t rank = node.rank(0) + static_cast<int64_t>(axes->size());
  node.set(0, unsqueeze(node.input(0), axes_of(node, "axes", *axes, rank)));
}

// ---------------------------------------------------------------------------------------------------- joining, cutting

void concat(Node& node, GraphBuilder& graph) {
  std::vector<Var> operands = node.inputs();
  const Shape first = operands.at(0).shape();
  const int64_t axis = axis_of(node, "axis", node.integer("axis"), node.rank(0));
  for (Var& operand : operands) {
    if (operand.shape().size() != first.size()) continue;  // inference says so
    Shape shape = first;
    shape[static_cast<size_t>(axis)] = operand.shape()[static_cast<size_t>(axis)];
    operand = ensure(operand, shape);
  }
  node.set(0, graph.concatenate(operands, {.axis = axis}));
}

// The parts of `split`, or equal ones of which the last may be shorter.
std::vector<Dim> split_sizes(Node& node, const Dim& size) {
  if (const auto listed = node.integers("split")) return {listed->begin(), listed->end()};
  if (node.has(1)) return node.dims(1);
  const auto parts = static_cast<int64_t>(node.output_count());
  if (node.integer("num_outputs", parts) != parts)
    node.malformed("num_outputs", "another number", "that of the outputs");
  const Dim chunk = ceil_div(size, parts);
  std::vector<Dim> sizes(static_cast<size_t>(parts), chunk);
  sizes.back() = size - chunk * (parts - 1);
  return sizes;
}

void split(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  Var x = node.input(0);
  const Dim size = x.dim(axis);
  const std::vector<Dim> sizes = split_sizes(node, size);
  if (sizes.size() != node.output_count()) {
    node.malformed("split", fmt::format("{} sizes", sizes.size()), fmt::format("{}", node.output_count()));
  }
  Dim total = 0;
  for (const Dim& part : sizes) total = total + part;
  x = ensure_size(x, axis, total);
  Dim start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    node.set(i, graph.slice(x, {axis}, {start}, {start + sizes[i]}));
    start = start + sizes[i];
  }
}

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
  return std::nullopt;
}

// The same by the program itself.
Dim bound_place(Node& node, Var at, const Dim& size, bool backwards) {
  GraphBuilder& graph = node.graph();
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::i64); };
  const Var all = graph.size_of(size), given = as_dtype(at, DType::i64);
  Var place = graph.select(graph.lt(given, number(0)), given + all, given);
  place = graph.max(graph.min(place, all), number(-1));
  place = graph.max(backwards ? all - 1 - place : place, number(0));
  return min(node.bind_size(place), size);
}

// A start or an end: an expression, or data.
struct Bound {
  std::optional<Dim> known;
  std::optional<Var> data;
};

Dim place_of(Node& node, const Bound& bound, const Dim& size, bool backwards) {
  if (!bound.known) return bound_place(node, *bound.data, size, backwards);
  if (const auto place = known_place(*bound.known, size, backwards)) return *place;
  return bound_place(node, node.as_var(Symbolic{DType::i64, {}, {*bound.known}}), size, backwards);
}

std::vector<Bound> bounds_of(const std::vector<int64_t>& list) {
  std::vector<Bound> bounds;
  for (const int64_t number : list) bounds.push_back({Dim(number), {}});
  return bounds;
}

std::vector<Bound> bounds_of(Node& node, size_t input) {
  std::vector<Bound> bounds;
  if (const auto known = node.find_dims(input)) {
    for (const Dim& dim : *known) bounds.push_back({dim, {}});
  } else {
    for (const Var& element : node.elements(input)) bounds.push_back({{}, element});
  }
  return bounds;
}

struct Cut {
  std::vector<int64_t> axes, steps;
  std::vector<Bound> starts, ends;
};

Cut cut_of(Node& node) {
  Cut cut;
  if (node.version() < 10) {
    const auto starts = node.integers("starts"), ends = node.integers("ends");
    if (!starts || !ends) node.malformed("starts or ends", "missing", "there");
    cut.starts = bounds_of(*starts);
    cut.ends = bounds_of(*ends);
    cut.axes = node.integers("axes").value_or(std::vector<int64_t>{});
  } else {
    cut.starts = bounds_of(node, 1);
    cut.ends = bounds_of(node, 2);
    if (node.has(3)) cut.axes = node.constant_integers(3);
    if (node.has(4)) cut.steps = node.constant_integers(4);
  }
  if (cut.axes.empty()) {
    cut.axes.resize(cut.starts.size());
    std::iota(cut.axes.begin(), cut.axes.end(), 0);
  }
  cut.axes = axes_of(node, "axes", cut.axes, node.rank(0));
  if (cut.steps.empty()) cut.steps.assign(cut.starts.size(), 1);
  const size_t count = cut.axes.size();
  if (cut.starts.size() != count || cut.ends.size() != count || cut.steps.size() != count) {
    node.malformed("starts, ends, axes and steps", "of different lengths", "of one length");
  }
  return cut;
}

void slice(Node& node, GraphBuilder& graph) {
  Cut cut = cut_of(node);
  Var x = node.input(0);
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

// ---------------------------------------------------------------------------------------------------- growing shapes

// Sizes to expand to that are data; a 1 keeps the size of x.
Shape expand_target_from_data(Node& node, GraphBuilder& graph, const Shape& x) {
  const std::vector<Var> wanted = node.elements(1);
  Shape target;
  for (size_t i = 0; i < wanted.size(); ++i) {
    Var size = as_dtype(wanted[i], DType::i64);
    const size_t back = wanted.size() - i;
    if (back <= x.size() && x[x.size() - back] != Dim(1)) {
      const Var own = graph.size_of(x[x.size() - back]);
      size = graph.select(graph.eq(size, graph.scalar(1, DType::i64)), own, size);
    }
    target.push_back(node.bind_size(size));
  }
  return target;
}

// Both ways: an axis of size 1 in the target keeps that of x.
void expand(Node& node, GraphBuilder& graph) {
  Shape x = node.type(0).shape;
  Shape result = node.find_dims(1) ? node.dims(1) : expand_target_from_data(node, graph, x);
  if (x.size() > result.size()) result.insert(result.begin(), x.size() - result.size(), 1);
  for (size_t i = 0; i < x.size(); ++i) {
    Dim& size = result[result.size() - x.size() + i];
    if (size == Dim(1)) size = x[i];
  }
  node.set(0, broadcast_to(node.input(0), result));
}

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

Var padded(Var x, const Shape& before, const Shape& after, PadMode mode, const Filling& filling) {
  GraphBuilder& graph = x.graph();
  Shape starts, stops, added_before, added_after;
  std::vector<int64_t> axes;
  bool cuts = false;
  for (size_t i = 0; i < before.size(); ++i) {
    const Dim cut_before = max(before[i] * -1, 0), cut_after = max(after[i] * -1, 0);
    cuts = cuts || cut_before != Dim(0) || cut_after != Dim(0);
    axes.push_back(static_cast<int64_t>(i));
    starts.push_back(cut_before);
    stops.push_back(x.shape()[i] - cut_after);
    added_before.push_back(max(before[i], 0));
    added_after.push_back(max(after[i], 0));
  }
  if (cuts) x = graph.slice(x, axes, starts, stops);
  for (size_t i = 0; i < before.size() && mode != PadMode::constant; ++i) {
    x = ensure_at_least(x, static_cast<int64_t>(i), needed_size(mode, added_before[i], added_after[i]));
  }
  const Var y = graph.pad(x, added_before, added_after, {.mode = mode, .value = filling.number});
  if (!filling.data) return y;
  const Var inside = graph.pad(graph.full(Shape(x.shape()), 1, {.dtype = DType::bool_}), added_before, added_after);
  return graph.select(inside, y, *filling.data);
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

void pad(Node& node, GraphBuilder&) {
  const auto mode = node.choice<PadMode>("mode", "constant",
                                         {{"constant", PadMode::constant},
                                          {"reflect", PadMode::reflect},
                                          {"edge", PadMode::edge},
                                          {"wrap", PadMode::wrap}});
  const bool old = node.version() < 11;
  const auto attribute = old ? node.integers("pads") : std::nullopt;
  if (old && !attribute) node.malformed("attribute pads", "missing", "ints");
  const std::vector<Dim> pads = old ? std::vector<Dim>(attribute->begin(), attribute->end()) : node.dims(1);
  const Filling filling = filling_of(node, mode);
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
    {"Concat", 4, concat},
    {"Expand", 8, expand},
    {"Flatten", 1, flatten},
    {"Pad", 2, pad},
    {"Reshape", 5, reshape_handler},
    {"Slice", 1, slice},
    {"Split", 2, split},
    {"Squeeze", 1, squeeze_handler},
    {"Transpose", 1, transpose},
    {"Unsqueeze", 1, unsqueeze_handler},
};

}  // namespace

std::span<const Handler> shape_handlers() { return rows; }

}  // namespace ingot::onnx
