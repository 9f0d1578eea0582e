// Rules about ops that move elements.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "passes/rules/rules.h"

namespace ingot {
namespace {

int64_t from_front(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

// Ops whose result has x's type only where they move nothing: each either leaves x alone or changes a size, and where a
// size is 0 there is nothing to move.
template <class O>
std::optional<Var> leaves_alone(const O& op, const Site& site) {
  return unless_changed(site, op.x);
}

// An op that repeats or reorders elements that are all alike.
template <class O>
std::optional<Var> of_full(const O& op, const Site& site) {
  const auto* full = site.made_by<op::Full>(op.x);
  if (!full) return {};
  return site.to().full(site.result_type().shape, full->value, {.dtype = full->dtype});
}

std::optional<Var> reshape_of_reshape(const op::Reshape& op, const Site& site) {
  const auto* inner = site.made_by<op::Reshape>(op.x);
  return inner ? std::optional(site.to().reshape(site(inner->x), op.shape)) : std::nullopt;
}

// Both leave each matrix of the last two axes whole, so that either may come first; the transpose goes last, where what
// multiplies matrices finds it.
std::optional<Var> reshape_of_swapped(const op::Reshape& op, const Site& site) {
  const auto* transpose = site.made_by<op::Transpose>(op.x);
  if (!transpose || !swaps_last_two(*transpose)) return {};
  Shape shape = site.result_type().shape;
  if (shape.size() < 2 || !std::equal(shape.end() - 2, shape.end(), site.shape(op.x).end() - 2)) return {};
  std::swap(shape.end()[-1], shape.end()[-2]);
  std::vector<int64_t> perm(shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm.end()[-1], perm.end()[-2]);
  return site.to().transpose(site.to().reshape(site(transpose->x), shape), perm);
}

std::optional<Var> reshape_of_reduce(const op::Reshape& op, const Site& site) {
  const auto* reduce = site.made_by<op::Reduce>(op.x);
  if (!reduce || reduce->keepdims || !site.used_once(op.x)) return {};
  Shape kept = site.shape(reduce->x);
  for (const int64_t axis : reduce->axes) kept[static_cast<size_t>(from_front(axis, kept.size()))] = 1;
  if (kept != site.result_type().shape) return {};
  op::Reduce keeping = *reduce;
  keeping.keepdims = true;
  return site.to().add(site.moved(keeping)).front();
}

std::optional<Var> transpose_identity(const op::Transpose& op, const Site& site) {
  if (!std::ranges::is_sorted(op.perm)) return {};
  return unless_changed(site, op.x);
}

std::optional<Var> transpose_of_transpose(const op::Transpose& op, const Site& site) {
  const auto* inner = site.made_by<op::Transpose>(op.x);
  if (!inner) return {};
  std::vector<int64_t> perm;
  for (const int64_t axis : op.perm) perm.push_back(inner->perm[static_cast<size_t>(axis)]);
  return site.to().transpose(site(inner->x), perm);
}

std::optional<Var> broadcast_of_broadcast(const op::Broadcast& op, const Site& site) {
  const auto* inner = site.made_by<op::Broadcast>(op.x);
  return inner ? std::optional(site.to().broadcast(site(inner->x), op.shape)) : std::nullopt;
}

// From 0 on, and as many as there are.
std::optional<Var> slice_of_everything(const op::Slice& op, const Site& site) {
  if (!std::ranges::all_of(op.starts, [](const Dim& start) { return start == Dim(0); })) return {};
  return unless_changed(site, op.x);
}

bool has_steps(const op::Slice& op) {
  return std::ranges::any_of(op.steps, [](int64_t step) { return step != 1; });
}

// Axes from the front and in order, none that is left whole, no steps where all are 1.
std::optional<Var> slice_by_default(const op::Slice& op, const Site& site) {
  const Shape& shape = site.shape(op.x);
  std::map<size_t, size_t> places;  // of axes, in order
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(op.axes[i], shape.size()));
    const bool whole = op.starts[i] == Dim(0) && op.stops[i] == shape[axis] && (op.steps.empty() || op.steps[i] == 1);
    if (!whole) places.emplace(axis, i);
  }
  op::Slice shorter{.x = op.x};
  for (const auto& [axis, i] : places) {
    shorter.axes.push_back(static_cast<int64_t>(axis));
    shorter.starts.push_back(op.starts[i]);
    shorter.stops.push_back(op.stops[i]);
    if (has_steps(op)) shorter.steps.push_back(op.steps[i]);
  }
  return shorter == op ? std::nullopt : std::optional(site.to().add(site.moved(shorter)).front());
}

std::optional<Var> slice_of_slice(const op::Slice& op, const Site& site) {
  const auto* inner = site.made_by<op::Slice>(op.x);
  if (!inner || has_steps(op) || has_steps(*inner)) return {};
  const size_t rank = site.shape(op.x).size();
  std::vector<int64_t> axes;
  for (const int64_t axis : inner->axes) axes.push_back(from_front(axis, rank));
  Shape starts = inner->starts, stops = inner->stops;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const int64_t axis = from_front(op.axes[i], rank);
    const auto place = static_cast<size_t>(std::ranges::find(axes, axis) - axes.begin());
    if (place == axes.size()) {
      axes.push_back(axis);
      starts.push_back(op.starts[i]);
      stops.push_back(op.stops[i]);
    } else {
      stops[place] = starts[place] + op.stops[i];
      starts[place] = starts[place] + op.starts[i];
    }
  }
  return site.to().slice(site(inner->x), axes, starts, stops);
}

std::optional<Var> concatenate_of_one(const op::Concatenate& op, const Site& site) {
  return op.operands.size() == 1 ? unless_changed(site, op.operands.front()) : std::nullopt;
}

// The inner one may not convert: i64 to f16 and then to f32 is another number than i64 to f32.
const op::Concatenate* inner_concatenate(Ref ref, int64_t axis, const Site& site) {
  const auto* inner = site.made_by<op::Concatenate>(ref);
  const size_t rank = site.shape(ref).size();
  if (!inner || !site.used_once(ref) || from_front(inner->axis, rank) != from_front(axis, rank)) return nullptr;
  const bool converts =
      std::ranges::any_of(inner->operands, [&](Ref part) { return site.dtype(part) != site.dtype(ref); });
  return converts ? nullptr : inner;
}

std::optional<Var> concatenate_of_concatenate(const op::Concatenate& op, const Site& site) {
  std::vector<Var> parts;
  for (const Ref ref : op.operands) {
    if (const auto* inner = inner_concatenate(ref, op.axis, site)) {
      for (const Var part : site(inner->operands)) parts.push_back(part);
    } else {
      parts.push_back(site(ref));
    }
  }
  if (parts.size() == op.operands.size()) return {};
  return site.to().concatenate(parts, {.axis = op.axis});
}

bool at_most_one(const Shape& shape, int64_t axis) {
  const Dim& size = shape[static_cast<size_t>(from_front(axis, shape.size()))];
  return less_equal(size, 1) == Proof::yes;
}

std::optional<Var> flip_of_nothing(const op::Flip& op, const Site& site) {
  const Shape& shape = site.shape(op.x);
  if (!std::ranges::all_of(op.axes, [&](int64_t axis) { return at_most_one(shape, axis); })) return {};
  return site(op.x);
}

std::optional<Var> flip_of_flip(const op::Flip& op, const Site& site) {
  const auto* inner = site.made_by<op::Flip>(op.x);
  if (!inner) return {};
  const size_t rank = site.shape(op.x).size();
  std::set<int64_t> axes;
  for (const int64_t axis : op.axes) axes.insert(from_front(axis, rank));
  for (const int64_t axis : inner->axes) {
    if (!axes.insert(from_front(axis, rank)).second) axes.erase(from_front(axis, rank));
  }
  return site.to().flip(site(inner->x), {axes.begin(), axes.end()});
}

std::optional<Var> roll_of_nothing(const op::Roll& op, const Site& site) {
  const Shape& shape = site.shape(op.x);
  for (size_t i = 0; i < op.axes.size(); ++i) {
    if (op.shifts[i] != 0 && !at_most_one(shape, op.axes[i])) return {};
  }
  return site(op.x);
}

// The shape of x under the promise of the root, made before x is moved: each size that it changes is one axis of x too.
std::optional<Shape> promised_of(Ref x, const op::EnsureShape& op, const Site& site) {
  const Shape &from = site.shape(op.x), &to = site.result_type().shape;
  Shape promised = site.shape(x);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) continue;
    if (std::ranges::count(from, from[i]) != 1 || std::ranges::count(site.shape(x), from[i]) != 1) return {};
    promised[static_cast<size_t>(std::ranges::find(site.shape(x), from[i]) - site.shape(x).begin())] = to[i];
  }
  return promised;
}

std::optional<Var> ensure_shape_of_moved(const op::EnsureShape& op, const Site& site) {
  const auto* reshape = site.made_by<op::Reshape>(op.x);
  const auto* broadcast = site.made_by<op::Broadcast>(op.x);
  if ((!reshape && !broadcast) || !site.used_once(op.x)) return {};
  const Ref x = reshape ? reshape->x : broadcast->x;
  const std::optional<Shape> promised = promised_of(x, op, site);
  if (!promised) return {};
  const Var ensured = site.to().ensure_shape(site(x), *promised);
  return reshape ? site.to().reshape(ensured, op.shape) : site.to().broadcast(ensured, op.shape);
}

// An operand that was stretched to what the other one stretches it to anyway.
template <class O>
std::optional<Var> stretches_anyway(const O& op, const Site& site) {
  const auto stretched = [&](Ref ref, Ref other) -> const op::Broadcast* {
    return site.shape(other) == site.result_type().shape ? site.made_by<op::Broadcast>(ref) : nullptr;
  };
  O narrow = op;
  if (const auto* a = stretched(op.a, op.b)) {
    narrow.a = a->x;
  } else if (const auto* b = stretched(op.b, op.a)) {
    narrow.b = b->x;
  } else {
    return {};
  }
  return site.to().add(site.moved(narrow)).front();
}

const Rule rules[] = {
    rule<reshape_of_reshape>("reshape_of_reshape", "reshape(reshape(x)) → reshape(x)"),
    rule<reshape_of_swapped>("reshape_of_swapped",
                             "reshape(transpose(x)) that leaves matrices whole → transpose(reshape(x))"),
    rule<reshape_of_reduce>("reshape_of_reduce", "reshape(reduce(x)) that puts the axes back as 1 → with keepdims"),
    rule<leaves_alone<op::Reshape>>("reshape_same", "reshape(x) to its own shape → x"),
    rule<of_full<op::Reshape>>("reshape_of_full", "reshape(full) → full"),
    rule<transpose_identity>("transpose_identity", "transpose(x) that moves no axis → x"),
    rule<transpose_of_transpose>("transpose_of_transpose", "transpose(transpose(x)) → transpose(x)"),
    rule<of_full<op::Transpose>>("transpose_of_full", "transpose(full) → full"),
    rule<leaves_alone<op::Broadcast>>("broadcast_same", "broadcast(x) to its own shape → x"),
    rule<broadcast_of_broadcast>("broadcast_of_broadcast", "broadcast(broadcast(x)) → broadcast(x)"),
    rule<of_full<op::Broadcast>>("broadcast_of_full", "broadcast(full) → full"),
    rule<slice_of_everything>("slice_of_everything", "slice(x) of all there is → x"),
    rule<slice_by_default>("slice_by_default", "slice(x), its axes from the front, only those that it cuts"),
    rule<slice_of_slice>("slice_of_slice", "slice(slice(x)), both of step 1 → slice(x)"),
    rule<concatenate_of_one>("concatenate_of_one", "concatenate([x]) → x"),
    rule<concatenate_of_concatenate>("concatenate_of_concatenate",
                                     "concatenate([concatenate([a, b]), c]) along one axis → concatenate([a, b, c])"),
    rule<leaves_alone<op::Pad>>("pad_by_nothing", "pad(x) by 0 everywhere → x"),
    rule<leaves_alone<op::EnsureShape>>("ensure_shape_proven", "ensure_shape(x) that inference proves → x"),
    rule<ensure_shape_of_moved>("ensure_shape_of_moved",
                                "ensure_shape(reshape(x)), also of broadcast → reshape(ensure_shape(x))"),
    rule<leaves_alone<op::Tile>>("tile_once", "tile(x) once along every axis → x"),
    rule<leaves_alone<op::Repeat>>("repeat_once", "repeat(x) once → x"),
    rule<flip_of_nothing>("flip_of_nothing", "flip(x) along axes of one element → x"),
    rule<flip_of_flip>("flip_of_flip", "flip(flip(x)) → flip(x) along the axes that one of them has"),
    rule<roll_of_nothing>("roll_of_nothing", "roll(x) by 0 → x"),
    rule<stretches_anyway<op::Binary>>("binary_of_broadcast",
                                       "f(broadcast(a), b), where b stretches a anyway → f(a, b)"),
    rule<stretches_anyway<op::Compare>>("compare_of_broadcast",
                                        "f(broadcast(a), b), where b stretches a anyway → f(a, b)"),
};

}  // namespace

std::span<const Rule> shape_rules() { return rules; }

}  // namespace ingot
