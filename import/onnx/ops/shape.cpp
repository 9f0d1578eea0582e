// Ops that move elements.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

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

void reshape_handler(Node& node, GraphBuilder&) {
  const bool zeros = node.flag("allowzero", false);
  const Shape target = reshape_target(node, node.type(0).shape, node.dims(1), zeros);
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

// A start or an end, counted from the front and cut to 0 … size.
Dim within(const Dim& at, const Dim& size) {
  if (at.is_literal() && at.literal() >= std::numeric_limits<int32_t>::max()) return size;  // "to the end"
  if (less_equal(0, at) == Proof::yes) return min(at, size);
  if (less_equal(at, -1) == Proof::yes) return max(at + size, 0);
  throw Unsupported(fmt::format("whether {} counts from the end is open", to_string(at)));
}

struct Cut {
  std::vector<int64_t> axes, steps;
  Shape starts, ends;
};

Cut cut_of(Node& node) {
  Cut cut;
  if (node.version() < 10) {
    const auto starts = node.integers("starts"), ends = node.integers("ends");
    if (!starts || !ends) node.malformed("starts or ends", "missing", "there");
    cut.starts.assign(starts->begin(), starts->end());
    cut.ends.assign(ends->begin(), ends->end());
    cut.axes = node.integers("axes").value_or(std::vector<int64_t>{});
  } else {
    cut.starts = node.dims(1);
    cut.ends = node.dims(2);
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
  const Shape x = node.type(0).shape;
  for (size_t i = 0; i < cut.axes.size(); ++i) {
    const Dim& size = x[static_cast<size_t>(cut.axes[i])];
    if (cut.steps[i] < 1) throw Unsupported(fmt::format("a step is {}", cut.steps[i]));
    cut.starts[i] = within(cut.starts[i], size);
    cut.ends[i] = max(within(cut.ends[i], size), cut.starts[i]);
  }
  node.set(0, graph.slice(node.input(0), cut.axes, cut.starts, cut.ends, {.steps = cut.steps}));
}

// ---------------------------------------------------------------------------------------------------- growing shapes

// Both ways: an axis of size 1 in the target keeps that of x.
void expand(Node& node, GraphBuilder&) {
  const Shape target = node.dims(1);
  Shape x = node.type(0).shape, result = target;
  if (x.size() > result.size()) result.insert(result.begin(), x.size() - result.size(), 1);
  for (size_t i = 0; i < x.size(); ++i) {
    Dim& size = result[result.size() - x.size() + i];
    if (size == Dim(1)) size = x[i];
  }
  node.set(0, broadcast_to(node.input(0), result));
}

Var padded(Var x, const Shape& before, const Shape& after, PadMode mode, std::optional<Scalar> value) {
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
  if (cuts) x = x.graph().slice(x, axes, starts, stops);
  return x.graph().pad(x, added_before, added_after, {.mode = mode, .value = value});
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
  const DType dtype = node.type(0).dtype;
  std::optional<Scalar> value;
  if (old) value = Scalar(node.real("value", 0.0));
  if (!old && node.has(2)) value = node.constant_scalar(2);
  if (mode != PadMode::constant) value.reset();
  if (value && !is_real(dtype) && value->kind == ScalarKind::real)
    value = Scalar(static_cast<int64_t>(value->as_real()));

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
  node.set(0, padded(node.input(0), before, after, mode, value));
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
