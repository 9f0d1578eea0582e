// Inference of ops that move elements and compute nothing.
#include <array>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/windows.h"

namespace ingot {
namespace {

bool is_zero(const Dim& dim) { return dim.is_literal() && dim.literal() == 0; }

// What each padding mode needs of the axis that it reads from, where it adds anything at all.
void require_paddable(const Scope& s, PadMode mode, const Dim& before, const Dim& size, const Dim& after) {
  if (is_zero(before) && is_zero(after)) return;
  switch (mode) {
    case PadMode::constant: return;
    case PadMode::reflect:
      require_at_most(s, "before", before, size - 1);
      return require_at_most(s, "after", after, size - 1);
    case PadMode::edge: return require_at_least(s, "size of a padded axis", size, 1);
    case PadMode::wrap: require_at_most(s, "before", before, size); return require_at_most(s, "after", after, size);
  }
}

// 0 <= start <= stop <= size -> ceil((stop - start) / step)
Dim sliced(const Scope& s, const Dim& start, const Dim& stop, int64_t step, const Dim& size) {
  require_at_least(s, "start", start, 0);
  require_at_most(s, "start", start, stop);
  require_at_most(s, "stop", stop, size);
  if (step < 1) s.refuse("step", fmt::format("{}", step), "at least 1", Code::out_of_range);
  return ceil_div(stop - start, step);
}

// x, of sizes `shape`, as [leading, count, trailing]: `count` copies of what the axes from `axis` on hold.
Var repeated(GraphBuilder& graph, Var x, const Shape& shape, size_t axis, const Dim& count) {
  const auto split = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const Dim leading = element_count(Shape(shape.begin(), split)), trailing = element_count(Shape(split, shape.end()));
  return graph.broadcast(graph.reshape(x, {leading, 1, trailing}), {leading, count, trailing});
}

// Windows of unfold and fold over spatial sizes: how many elements one has, and how many there are.
struct WindowCounts {
  Dim elements = 1, windows = 1;
};

template <class O>
WindowCounts count_windows(const Scope& s, const O& op, std::span<const Dim> sizes) {
  if (sizes.empty()) s.refuse("length of kernel", "0", "at least 1");
  const Windows windows = checked_windows(s, op, Shape(op.kernel.begin(), op.kernel.end()));
  WindowCounts counts;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const Dim along = windows.count(axis, sizes[axis]);
    require_at_least(s, fmt::format("number of windows along spatial axis {}", axis), along, 0);
    counts.elements = counts.elements * op.kernel[axis];
    counts.windows = counts.windows * along;
  }
  return counts;
}

}  // namespace

static Types rule(const op::Reshape& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  if (x.dtype == DType::packed) s.refuse("x", "packed", "a dtype of single elements (packed needs dequantize)");
  require_sizes(s, "size in shape", op.shape);
  require_equal(s, "element count of shape", element_count(op.shape), element_count(x.shape), "that of x");
  return {{x.dtype, op.shape, {}}};
}

static Types rule(const op::Transpose& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_count(s, "length of perm", op.perm.size(), x.shape.size(), "rank of x");
  normalize_axes(s, "perm", op.perm, x.rank());
  TensorType result{x.dtype, {}, {}};
  for (int64_t axis : op.perm) {
    if (axis < 0) s.refuse("perm", fmt::format("[{}]", fmt::join(op.perm, ", ")), "axes from 0 on", Code::out_of_range);
    result.shape.push_back(x.shape[static_cast<size_t>(axis)]);
  }
  return {result};
}

static Types rule(const op::Broadcast& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_sizes(s, "size in shape", op.shape);
  require_broadcast(s, "x", x.shape, op.shape);
  return {{x.dtype, op.shape, {}}};
}

static Types rule(const op::Slice& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, x.rank());
  require_count(s, "length of starts", op.starts.size(), axes.size(), "length of axes");
  require_count(s, "length of stops", op.stops.size(), axes.size(), "length of axes");
  if (!op.steps.empty()) require_count(s, "length of steps", op.steps.size(), axes.size(), "length of axes");
  Shape shape = x.shape;
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& size = shape[static_cast<size_t>(axes[i])];
    size = sliced(s, op.starts[i], op.stops[i], op.steps.empty() ? 1 : op.steps[i], size);
  }
  return {{x.dtype, std::move(shape), {}}};
}

// Sizes add up along the axis, and are equal along the others.
static Types rule(const op::Concatenate& op, const Scope& s) {
  if (op.operands.empty()) s.refuse("number of operands", "0", "at least 1");
  TensorType result = s.type(op.operands.front());
  const int64_t axis = normalize_axis(s, "axis", op.axis, result.rank());
  for (Ref ref : std::span(op.operands).subspan(1)) {
    const TensorType& next = s.type(ref);
    result.dtype = promote_or_refuse(s, result.dtype, next.dtype);
    require_same_sizes(s, "an operand", next.shape, result.shape, std::array{axis}, "as the first");
    Dim& total = result.shape[static_cast<size_t>(axis)];
    total = total + next.shape[static_cast<size_t>(axis)];
  }
  require_kind(s, "dtype of the operands", result.dtype, kinds::computable);
  return {result};
}

// before + size + after
static Types rule(const op::Pad& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_count(s, "length of before", op.before.size(), x.shape.size(), "rank of x");
  require_count(s, "length of after", op.after.size(), x.shape.size(), "rank of x");
  require_sizes(s, "before", op.before);
  require_sizes(s, "after", op.after);
  if (op.value && op.mode != PadMode::constant) {
    s.refuse("value", to_string(*op.value), fmt::format("none (mode is {})", to_string(op.mode)));
  }
  if (op.value) check_fits(*op.value, x.dtype, s.op, "value");
  Shape shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    require_paddable(s, op.mode, op.before[i], shape[i], op.after[i]);
    shape[i] = op.before[i] + shape[i] + op.after[i];
  }
  return {{x.dtype, std::move(shape), {}}};
}

static Types rule(const op::EnsureShape& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_sizes(s, "size in shape", op.shape);
  if (equal(x.shape, op.shape) == Proof::no) s.refuse("x", to_string(x.shape), to_string(op.shape));
  return {{x.dtype, op.shape, {}}};
}

static Types rule(const op::Tile& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_count(s, "length of repeats", op.repeats.size(), x.shape.size(), "rank of x");
  require_sizes(s, "repeats", op.repeats);
  Shape shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = shape[i] * op.repeats[i];
  return {{x.dtype, std::move(shape), {}}};
}

static std::vector<Var> expand(const op::Tile& op, GraphBuilder& graph, const Operands& operands) {
  Var y = operands(op.x);
  Shape shape = y.shape();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    y = repeated(graph, y, shape, axis, op.repeats[axis]);
    shape[axis] = shape[axis] * op.repeats[axis];
  }
  return {graph.reshape(y, shape)};
}

static Types rule(const op::Repeat& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_at_least(s, "count", op.count, 0);
  Shape shape = x.shape;
  Dim& size = shape[static_cast<size_t>(normalize_axis(s, "axis", op.axis, x.rank()))];
  size = size * op.count;
  return {{x.dtype, std::move(shape), {}}};
}

static std::vector<Var> expand(const op::Repeat& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const auto axis = static_cast<size_t>(op.axis < 0 ? op.axis + x.type().rank() : op.axis);
  Shape shape = x.shape();
  const Var y = repeated(graph, x, shape, axis + 1, op.count);
  shape[axis] = shape[axis] * op.count;
  return {graph.reshape(y, shape)};
}

static Types rule(const op::Flip& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  normalize_axes(s, "axes", op.axes, x.rank());
  return {x};
}

static Types rule(const op::Roll& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  normalize_axes(s, "axes", op.axes, x.rank());
  require_count(s, "length of shifts", op.shifts.size(), op.axes.size(), "length of axes");
  return {x};
}

// Along an axis of n: y[i] = x[(i - shift) rem n]. The shift is reduced first, so that nothing overflows.
static std::vector<Var> expand(const op::Roll& op, GraphBuilder& graph, const Operands& operands) {
  Var y = operands(op.x);
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const Dim size = y.dim(op.axes[i]);
    const Var n = graph.size_of(size), shift = graph.rem(graph.scalar(op.shifts[i], DType::i64), n);
    y = graph.take(y, graph.rem(graph.iota(size) - shift, n), {.axis = op.axes[i]});
  }
  return {y};
}

static Types rule(const op::Triangle& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  if (x.rank() < 2) s.refuse("rank of x", fmt::format("{}", x.rank()), "at least 2");
  return {x};
}

// 0 but where column - row <= k (lower) or >= k (upper)
static std::vector<Var> expand(const op::Triangle& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const Dim rows = x.dim(-2);
  const Var above = graph.iota(x.dim(-1)) - graph.reshape(graph.iota(rows), {rows, 1});
  const Var k = value_of(graph, op.k.value_or(0));
  const Var kept = op.fn == TriangleFn::lower ? graph.le(above, k) : graph.ge(above, k);
  return {graph.select(kept, x, graph.scalar(0, x.dtype()))};
}

static Types rule(const op::Diagonal& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  const int64_t axis1 = normalize_axis(s, "axis1", op.axis1, x.rank());
  const int64_t axis2 = normalize_axis(s, "axis2", op.axis2, x.rank());
  if (axis1 == axis2) s.refuse("axis2", fmt::format("{}", op.axis2), "another axis than axis1", Code::out_of_range);
  Shape shape;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    if (axis != axis1 && axis != axis2) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  }
  const Dim &rows = x.shape[static_cast<size_t>(axis1)], &columns = x.shape[static_cast<size_t>(axis2)];
  shape.push_back(max(0, op.offset < 0 ? min(rows + op.offset, columns) : min(rows, columns - op.offset)));
  return {{x.dtype, std::move(shape), {}}};
}

static Types rule(const op::AsStrided& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_sizes(s, "size in shape", op.shape);
  require_count(s, "length of strides", op.strides.size(), op.shape.size(), "length of shape");
  if (equal(element_count(op.shape), 0) != Proof::yes) {
    Dim lowest = op.offset.value_or(0), highest = lowest;
    for (size_t i = 0; i < op.shape.size(); ++i) {
      const Dim last = max(op.shape[i] - 1, 0) * op.strides[i];
      lowest = lowest + min(last, 0);
      highest = highest + max(last, 0);
    }
    require_at_least(s, "lowest position", lowest, 0);
    require_at_most(s, "highest position", highest, element_count(x.shape) - 1);
  }
  return {{x.dtype, op.shape, {}}};
}

static Types rule(const op::Unfold& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_count(s, "rank of x", x.shape.size(), op.kernel.size() + 2, "2 and the length of kernel");
  const WindowCounts counts = count_windows(s, op, std::span(x.shape).subspan(2));
  return {{x.dtype, {x.shape[0], x.shape[1] * counts.elements, counts.windows}, {}}};
}

static Types rule(const op::Fold& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::number);
  require_count(s, "rank of x", x.shape.size(), 3, "[N, C·∏kernel, windows]");
  require_count(s, "length of shape", op.shape.size(), op.kernel.size(), "length of kernel");
  require_sizes(s, "size in shape", op.shape);
  const WindowCounts counts = count_windows(s, op, op.shape);
  const Dim channels = floor_div(x.shape[1], counts.elements);
  require_equal(s, "axis 1 of x", x.shape[1], channels * counts.elements, "a multiple of ∏kernel");
  require_equal(s, "axis 2 of x", x.shape[2], counts.windows, "the number of windows");
  Shape shape{x.shape[0], channels};
  shape.insert(shape.end(), op.shape.begin(), op.shape.end());
  return {{x.dtype, std::move(shape), {}}};
}

INGOT_RULES(shape)
INGOT_EXPANSIONS(shape)

}  // namespace ingot
