// Ops that move elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
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

// The same where the target is data: the program puts in what 0 and -1 stand for, and binds what comes out.
Shape reshape_target_from_data(Node& node, GraphBuilder& graph, const Shape& x, bool zeros) {
  const int64_t count = node.length(1);
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::i64); };
  Var wanted = as_dtype(reshape(node.input(1), {count}), DType::i64);
  if (!zeros) {
    std::vector<Dim> own = x;
    own.resize(static_cast<size_t>(count), 0);
    wanted = graph.select(graph.eq(wanted, number(0)), size_list(node, own), wanted);
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

// The number of axes must be known: it says the rank of the result.
void squeeze_by_data(Node& node) {
  const Shape shape = node.type(0).shape;
  const int64_t kept = node.rank(0) - node.length(1);
  if (kept < 0) {
    node.malformed("axes", fmt::format("{} numbers", node.length(1)), fmt::format("at most {}", node.rank(0)));
  }
  const Var named = runtime_axes(node, 1, node.rank(0)).named;
  const Var x = ensure(node.input(0), replaced_sizes(node, shape, named, 1));
  node.set(0, reshape(x, kept_sizes(node, shape, named, kept)));
}

void squeeze_handler(Node& node, GraphBuilder&) {
  if (is_data(node, 1)) return squeeze_by_data(node);
  const Shape x = node.type(0).shape;
  std::vector<int64_t> dropped;
  if (const auto axes = node.axes(1)) {
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
  if (is_data(node, 1)) {
    const Var named = runtime_axes(node, 1, node.rank(0) + node.length(1)).named;
    return node.set(0, reshape(node.input(0), inserted_sizes(node, node.type(0).shape, named)));
  }
  const auto axes = node.axes(1);
  if (!axes) node.malformed("axes", "missing", "a list of axes");
  const int64_t rank = node.rank(0) + static_cast<int64_t>(axes->size());
  node.set(0, unsqueeze(node.input(0), axes_of(node, "axes", *axes, rank)));
}

// ---------------------------------------------------------------------------------------------------- joining, cutting

void concat(Node& node, GraphBuilder& graph) {
  const Shape first = node.input(0).shape();
  std::vector<Var> operands = node.inputs();
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
  const auto listed = node.version() < 13 ? node.integers("split") : std::nullopt;
  if (listed) return {listed->begin(), listed->end()};
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

// ---------------------------------------------------------------------------------------------------------- expand

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

constexpr Handler rows[] = {
    {"Concat", 4, concat},       {"Expand", 8, expand},
    {"Flatten", 1, flatten},     {"Reshape", 5, reshape_handler},
    {"Split", 2, split},         {"Squeeze", 1, squeeze_handler},
    {"Transpose", 1, transpose}, {"Unsqueeze", 1, unsqueeze_handler},
};

}  // namespace

std::span<const Handler> shape_handlers() { return rows; }

}  // namespace ingot::onnx
