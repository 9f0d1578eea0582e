#include "import/onnx/symbolic_ops.h"

#include <algorithm>
#include <numeric>

namespace ingot::onnx {
namespace {

// The axis counted from the front; none outside.
std::optional<size_t> axis_of(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

// A tensor as [outer, size, inner] around an axis.
struct Around {
  Around(const Sizes& sizes, size_t axis) : size(sizes[axis]) {
    for (size_t i = 0; i < axis; ++i) outer *= sizes[i];
    for (size_t i = axis + 1; i < sizes.size(); ++i) inner *= sizes[i];
  }
  size_t at(int64_t o, int64_t k, int64_t i) const { return static_cast<size_t>((o * size + k) * inner + i); }

  int64_t outer = 1, size, inner = 1;
};

// The slices of x at `picks` along the axis; none where they are too many.
std::optional<Symbolic> pick(const Symbolic& x, size_t axis, const std::vector<int64_t>& picks) {
  const Around around(x.sizes, axis);
  Symbolic out{x.dtype, x.sizes, {}};
  out.sizes[axis] = static_cast<int64_t>(picks.size());
  if (element_count(out.sizes) > kMaxKnown) return std::nullopt;
  for (int64_t o = 0; o < around.outer; ++o) {
    for (const int64_t k : picks) {
      for (int64_t i = 0; i < around.inner; ++i) out.elements.push_back(x.elements[around.at(o, k, i)]);
    }
  }
  return out;
}

Folded reshaped(std::optional<Symbolic> x, Sizes sizes) {
  if (!x || element_count(sizes) != element_count(x->sizes)) return std::nullopt;
  x->sizes = std::move(sizes);
  return std::vector{*x};
}

// The axes of Squeeze, Unsqueeze and Reduce*: an attribute or an input that is known; none given: nothing.
struct Axes {
  bool known = true;
  std::optional<std::vector<int64_t>> list;
};
Axes axes_of(Node& node, size_t input) {
  if (auto listed = node.axes_attribute()) return {true, listed};
  if (!node.has(input)) return {true, {}};
  auto listed = known_integers(node, input);
  return {listed.has_value(), std::move(listed)};
}

using Reduction = Dim (*)(const Dim& a, const Dim& b);

Folded reduce(Node& node, const Dim& empty, Reduction f) {
  const auto x = known_input(node, 0);
  const bool keepdims = node.flag("keepdims", true), no_op = node.flag("noop_with_empty_axes", false);
  Axes axes = axes_of(node, 1);
  if (!x || !axes.known) return std::nullopt;
  if (!axes.list || axes.list->empty()) {
    if (no_op) return std::nullopt;
    axes.list.emplace(x->sizes.size());
    std::iota(axes.list->begin(), axes.list->end(), 0);
  }
  Symbolic out = *x;
  for (const int64_t given : *axes.list) {
    const auto axis = axis_of(given, out.sizes.size());
    if (!axis || (out.sizes[*axis] == 0 && empty == Dim(-1))) return std::nullopt;
    const Around around(out.sizes, *axis);
    std::vector<Dim> elements;
    for (int64_t o = 0; o < around.outer; ++o) {
      for (int64_t i = 0; i < around.inner; ++i) {
        Dim sum = around.size == 0 ? empty : out.elements[around.at(o, 0, i)];
        for (int64_t k = 1; k < around.size; ++k) sum = f(sum, out.elements[around.at(o, k, i)]);
        elements.push_back(sum);
      }
    }
    out.elements = std::move(elements);
    out.sizes[*axis] = 1;
  }
  if (keepdims) return std::vector{out};
  Sizes kept;
  for (size_t i = 0; i < x->sizes.size(); ++i) {
    const bool reduced = std::ranges::any_of(*axes.list, [&](int64_t a) { return axis_of(a, x->sizes.size()) == i; });
    if (!reduced) kept.push_back(out.sizes[i]);
  }
  out.sizes = kept;
  return std::vector{out};
}

}  // namespace

Folded fold_gather(Node& node) {
  const auto x = known_input(node, 0), indices = known_input(node, 1);
  const auto places = known_integers(node, 1);
  const int64_t given = node.integer("axis", 0);
  const auto axis = x ? axis_of(given, x->sizes.size()) : std::nullopt;
  if (!axis || !places) return std::nullopt;
  std::vector<int64_t> picks;
  for (const int64_t place : *places) {
    const auto at = axis_of(place, static_cast<size_t>(x->sizes[*axis]));
    if (!at) return std::nullopt;
    picks.push_back(static_cast<int64_t>(*at));
  }
  auto out = pick(*x, *axis, picks);
  if (!out) return std::nullopt;
  out->sizes.erase(out->sizes.begin() + static_cast<std::ptrdiff_t>(*axis));
  out->sizes.insert(out->sizes.begin() + static_cast<std::ptrdiff_t>(*axis), indices->sizes.begin(),
                    indices->sizes.end());
  return std::vector{*out};
}

Folded fold_concat(Node& node) {
  const int64_t given = node.integer("axis");
  auto all = known_input(node, 0);
  for (size_t i = 1; all && i < node.input_count(); ++i) {
    const auto next = known_input(node, i);
    const auto axis = axis_of(given, all->sizes.size());
    if (!next || !axis || next->sizes.size() != all->sizes.size()) return std::nullopt;
    const Around before(all->sizes, *axis), after(next->sizes, *axis);
    if (before.outer != after.outer || before.inner != after.inner) return std::nullopt;
    Symbolic both{all->dtype, all->sizes, {}};
    both.sizes[*axis] += after.size;
    if (element_count(both.sizes) > kMaxKnown) return std::nullopt;
    for (int64_t o = 0; o < before.outer; ++o) {
      const auto append = [&](const Symbolic& x, const Around& around) {
        const auto first = x.elements.begin() + static_cast<std::ptrdiff_t>(around.at(o, 0, 0));
        both.elements.insert(both.elements.end(), first, first + around.size * around.inner);
      };
      append(*all, before);
      append(*next, after);
    }
    all = std::move(both);
  }
  if (!all) return std::nullopt;
  return std::vector{*all};
}

Folded fold_slice(Node& node) {
  auto x = known_input(node, 0);
  const bool old = node.version() < 10;
  const auto list = [&](std::string_view name, size_t i) {
    return old ? node.integers(name) : node.has(i) ? known_integers(node, i) : std::nullopt;
  };
  const auto starts = list("starts", 1), ends = list("ends", 2), axes = list("axes", 3), steps = list("steps", 4);
  if (!x || !starts || !ends || (!old && ((node.has(3) && !axes) || (node.has(4) && !steps)))) return std::nullopt;
  const size_t count = starts->size();
  if (ends->size() != count || (axes && axes->size() != count) || (steps && steps->size() != count))
    return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    const auto axis = axis_of(axes ? (*axes)[i] : static_cast<int64_t>(i), x->sizes.size());
    const int64_t given = steps ? (*steps)[i] : 1;
    if (!axis || given == 0) return std::nullopt;
    const int64_t size = x->sizes[*axis], step = std::clamp(given, -size - 1, size + 1);
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto within = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
    std::vector<int64_t> picks;
    const int64_t stop = within((*ends)[i]);
    for (int64_t at = within((*starts)[i]); step > 0 ? at < stop : at > stop; at += step) picks.push_back(at);
    x = pick(*x, *axis, picks);
    if (!x) return std::nullopt;
  }
  return std::vector{*x};
}

Folded fold_split(Node& node) {
  const auto x = known_input(node, 0);
  const int64_t given = node.integer("axis", 0);
  const auto parts = static_cast<int64_t>(node.output_count());
  node.ignore("num_outputs", "the number of outputs says the same");
  const auto axis = x ? axis_of(given, x->sizes.size()) : std::nullopt;
  auto sizes = node.version() < 13 ? node.integers("split") : std::nullopt;
  if (node.has(1)) sizes = known_integers(node, 1);
  if (!axis || (node.has(1) && !sizes) || parts == 0) return std::nullopt;
  const int64_t size = x->sizes[*axis], chunk = (size + parts - 1) / parts;
  std::vector<Symbolic> outputs;
  int64_t start = 0;
  for (int64_t i = 0; i < parts; ++i) {
    if (sizes && sizes->size() != static_cast<size_t>(parts)) return std::nullopt;
    const int64_t length = sizes ? (*sizes)[static_cast<size_t>(i)] : std::min(chunk, size - start);
    if (length < 0 || start + length > size) return std::nullopt;
    std::vector<int64_t> picks(static_cast<size_t>(length));
    std::iota(picks.begin(), picks.end(), start);
    const auto part = pick(*x, *axis, picks);
    if (!part) return std::nullopt;
    outputs.push_back(*part);
    start += length;
  }
  return outputs;
}

Folded fold_squeeze(Node& node) {
  const auto x = known_input(node, 0);
  const Axes axes = axes_of(node, 1);
  if (!x || !axes.known) return std::nullopt;
  Sizes sizes;
  for (size_t i = 0; i < x->sizes.size(); ++i) {
    bool dropped = !axes.list && x->sizes[i] == 1;
    if (axes.list) {
      dropped = std::ranges::any_of(*axes.list, [&](int64_t axis) { return axis_of(axis, x->sizes.size()) == i; });
    }
    if (!dropped) sizes.push_back(x->sizes[i]);
  }
  return reshaped(x, std::move(sizes));
}

Folded fold_unsqueeze(Node& node) {
  const auto x = known_input(node, 0);
  const Axes axes = axes_of(node, 1);
  if (!x || !axes.list) return std::nullopt;
  const size_t rank = x->sizes.size() + axes.list->size();
  Sizes sizes;
  for (size_t i = 0, next = 0; i < rank; ++i) {
    const bool added = std::ranges::any_of(*axes.list, [&](int64_t axis) { return axis_of(axis, rank) == i; });
    if (!added && next == x->sizes.size()) return std::nullopt;
    sizes.push_back(added ? 1 : x->sizes[next++]);
  }
  return reshaped(x, std::move(sizes));
}

Folded fold_reshape(Node& node) {
  const auto x = known_input(node, 0);
  auto target = known_integers(node, 1);
  const bool zeros = node.flag("allowzero", false);
  if (!x || !target) return std::nullopt;
  Sizes given;
  for (size_t i = 0; i < target->size(); ++i) {
    if ((*target)[i] == 0 && !zeros && i < x->sizes.size()) (*target)[i] = x->sizes[i];
    if ((*target)[i] >= 0) given.push_back((*target)[i]);
  }
  const int64_t product = element_count(given);
  for (int64_t& size : *target) {
    if (size < 0 && product > 0) size = element_count(x->sizes) / product;
  }
  if (std::ranges::any_of(*target, [](int64_t size) { return size < 0; })) return std::nullopt;
  return reshaped(x, *target);
}

Folded fold_flatten(Node& node) {
  const auto x = known_input(node, 0);
  const int64_t given = node.integer("axis", 1);
  if (!x) return std::nullopt;
  const auto rank = static_cast<int64_t>(x->sizes.size()), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank) return std::nullopt;
  const std::span<const int64_t> sizes = x->sizes;
  return reshaped(x, {element_count(sizes.first(static_cast<size_t>(axis))),
                      element_count(sizes.subspan(static_cast<size_t>(axis)))});
}

Folded fold_transpose(Node& node) {
  const auto x = known_input(node, 0);
  const auto perm = node.integers("perm");
  if (!x) return std::nullopt;
  const size_t rank = x->sizes.size();
  if (rank < 2) return std::vector{*x};
  if (rank != 2 || (perm && *perm != std::vector<int64_t>{1, 0})) return std::nullopt;
  Symbolic out{x->dtype, {x->sizes[1], x->sizes[0]}, {}};
  for (int64_t column = 0; column < x->sizes[1]; ++column) {
    for (int64_t row = 0; row < x->sizes[0]; ++row) {
      out.elements.push_back(x->elements[static_cast<size_t>(row * x->sizes[1] + column)]);
    }
  }
  return std::vector{out};
}

// Of one element: the only case that sizes come in.
Folded fold_expand(Node& node) {
  const auto x = known_input(node, 0);
  const auto target = known_integers(node, 1);
  if (!x || !target || x->elements.size() != 1) return std::nullopt;
  Sizes sizes = *target;
  while (sizes.size() < x->sizes.size()) sizes.insert(sizes.begin(), 1);
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 0; }) || element_count(sizes) > kMaxKnown) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(element_count(sizes));
  return std::vector{Symbolic{x->dtype, std::move(sizes), std::vector<Dim>(count, x->elements.front())}};
}

Folded fold_range(Node& node) {
  const auto start = known_input(node, 0), limit = known_input(node, 1);
  const auto delta = known_integers(node, 2);
  const auto single = [](const auto& x) { return x && x->elements.size() == 1; };
  if (!single(start) || !single(limit) || !delta || delta->size() != 1 || delta->front() == 0) return std::nullopt;
  const Dim distance = limit->elements[0] - start->elements[0];
  if (!distance.is_literal()) return std::nullopt;
  const int64_t step = delta->front();
  Symbolic out{start->dtype, {0}, {}};
  Dim next = 0;
  while (step > 0 ? next.literal() < distance.literal() : next.literal() > distance.literal()) {
    if (static_cast<int64_t>(out.elements.size()) == kMaxKnown) return std::nullopt;
    out.elements.push_back(start->elements[0] + next);
    next = next + step;
  }
  out.sizes[0] = static_cast<int64_t>(out.elements.size());
  return std::vector{out};
}

Folded fold_reduce_prod(Node& node) {
  return reduce(node, 1, [](const Dim& a, const Dim& b) { return a * b; });
}
Folded fold_reduce_sum(Node& node) {
  return reduce(node, 0, [](const Dim& a, const Dim& b) { return a + b; });
}
// An empty maximum is no size: -1 stands for "leave it".
Folded fold_reduce_max(Node& node) {
  return reduce(node, -1, [](const Dim& a, const Dim& b) { return max(a, b); });
}
Folded fold_reduce_min(Node& node) {
  return reduce(node, -1, [](const Dim& a, const Dim& b) { return min(a, b); });
}

}  // namespace ingot::onnx
