#include "import/onnx/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "program/dim_terms.h"

namespace ingot::onnx {
namespace {

bool is_one(const Dim& dim) { return dim.is_literal() && dim.literal() == 1; }

// The size that an axis of several values broadcasts to: a literal says most.
const Dim& stronger(const Dim& a, const Dim& b) {
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  return b.is_literal() ? b : a;
}

bool contains(const std::vector<int64_t>& axes, size_t axis) {
  return std::ranges::find(axes, static_cast<int64_t>(axis)) != axes.end();
}

// A size is not negative, also where its expression does not show it.
void clamp_sizes(Shape& shape) {
  for (Dim& size : shape) {
    if (less_equal(0, size) == Proof::unknown) size = max(size, 0);
  }
}

}  // namespace

int64_t axis_of(const Node& node, std::string_view subject, int64_t axis, int64_t rank, bool end) {
  const int64_t count = end ? rank + 1 : rank;
  // Places to insert count negatives from the rank of the input.
  const int64_t result = axis < 0 ? axis + rank : axis;
  if (result >= 0 && result < count) return result;
  node.malformed(subject, fmt::format("{}", axis), fmt::format("{}..{}", -rank, count - 1));
}

std::vector<int64_t> axes_of(const Node& node, std::string_view subject, std::vector<int64_t> axes, int64_t rank) {
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i] = axis_of(node, subject, axes[i], rank);
    const auto before = axes.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(axes.begin(), before, axes[i]) != before) {
      node.malformed(subject, fmt::format("{} twice", axes[i]), "every axis at most once");
    }
  }
  return axes;
}

Var ensure(Var x, Shape shape) {
  return equal(x.shape(), shape) == Proof::yes ? x : x.graph().ensure_shape(x, std::move(shape));
}

Var ensure_size(Var x, int64_t axis, const Dim& size) {
  if (equal(x.dim(axis), size) == Proof::yes) return x;
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = size;
  return ensure(x, shape);
}

Var ensure_at_least(Var x, int64_t axis, const Dim& minimum) {
  const Dim size = x.dim(axis);
  return less_equal(minimum, size) == Proof::yes ? x : ensure_size(x, axis, max(size, minimum));
}

Var not_negative(Var x) {
  Shape shape = x.shape();
  clamp_sizes(shape);
  return ensure(x, std::move(shape));
}

Shape broadcast_shape(const std::vector<Var>& values) {
  Shape result;
  for (const Var& value : values) {
    Shape shape = value.shape();
    if (shape.size() > result.size()) std::swap(shape, result);
    for (size_t back = 1; back <= shape.size(); ++back) {
      Dim& size = result.end()[-static_cast<std::ptrdiff_t>(back)];
      size = stronger(size, shape.end()[-static_cast<std::ptrdiff_t>(back)]);
    }
  }
  return result;
}

std::vector<Var> broadcastable(std::vector<Var> values) {
  const Shape target = broadcast_shape(values);
  for (Var& value : values) {
    Shape shape = value.shape();
    for (size_t back = 1; back <= shape.size(); ++back) {
      Dim& size = shape.end()[-static_cast<std::ptrdiff_t>(back)];
      if (!is_one(size)) size = target.end()[-static_cast<std::ptrdiff_t>(back)];
    }
    value = ensure(value, shape);
  }
  return values;
}

Var stretchable(Var x, const Shape& shape) {
  Shape own = x.shape();
  if (own.size() > shape.size()) return x;  // inference says so
  for (size_t i = 0; i < own.size(); ++i) {
    if (!is_one(own[i])) own[i] = shape[shape.size() - own.size() + i];
  }
  return ensure(x, own);
}

Var broadcast_to(Var x, Shape shape) {
  x = stretchable(x, shape);
  return equal(x.shape(), shape) == Proof::yes ? x : x.graph().broadcast(x, std::move(shape));
}

Var reshape(Var x, Shape shape) {
  if (x.shape() == shape) return x;
  clamp_sizes(shape);
  const Dim wanted = element_count(shape);
  if (equal(element_count(x.shape()), wanted) == Proof::unknown) {
    x = not_negative(x);
    x = ensure(x.graph().reshape(x, {element_count(x.shape())}), {wanted});
  }
  return x.graph().reshape(x, std::move(shape));
}

Dim quotient_of(const Dim& total, const Dim& divisor) {
  if (divisor == Dim(0)) return 0;
  const auto exact = within_limits([&] { return divide(total, divisor); });
  if (exact && exact->remainder == Dim(0)) return exact->quotient;
  return floor_div(total, max(divisor, 1));
}

Var as_scalar(Var x) { return x.shape().empty() ? x : reshape(x, {}); }

std::vector<Var> elements_of(Var list) {
  if (list.shape().empty()) return {list};
  GraphBuilder& graph = list.graph();
  std::vector<Var> elements;
  for (int64_t at = 0; at < list.dim(0).literal(); ++at) {
    elements.push_back(graph.reshape(graph.slice(list, {0}, {at}, {at + 1}), {}));
  }
  return elements;
}

Var size_list(Node& node, std::vector<Dim> sizes) {
  const auto count = static_cast<int64_t>(sizes.size());
  return node.as_var(Symbolic{DType::i64, {count}, std::move(sizes)});
}

std::vector<Dim> bind_sizes(Node& node, Var list, int64_t minimum) {
  std::vector<Dim> sizes;
  for (const Var& element : elements_of(list)) sizes.push_back(node.bind_size(element, minimum));
  return sizes;
}

Var squeeze(Var x, const std::vector<int64_t>& axes) {
  Shape before = x.shape(), after;
  for (size_t i = 0; i < before.size(); ++i) {
    if (contains(axes, i))
      before[i] = 1;
    else
      after.push_back(before[i]);
  }
  return reshape(ensure(x, before), after);
}

Var unsqueeze(Var x, const std::vector<int64_t>& axes) {
  Shape shape;
  auto next = x.shape().begin();
  for (size_t i = 0; i < x.shape().size() + axes.size(); ++i) shape.push_back(contains(axes, i) ? Dim(1) : *next++);
  return reshape(x, shape);
}

}  // namespace ingot::onnx
