// Inference of ops that move elements and compute nothing.
#include <array>

#include "program/infer.h"

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

INGOT_RULES(shape)

}  // namespace ingot
