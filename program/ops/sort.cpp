// Inference of ops that order elements: bools, integers and reals.
#include <algorithm>
#include <array>

#include "program/infer.h"
#include "program/ops/reduced.h"

namespace ingot {
namespace {

using namespace kinds;

constexpr Kinds ordered = boolean | integer | real;

// The axis of x that is sorted, counted from the front.
int64_t sorted_axis(const Scope& s, const TensorType& x, int64_t axis) {
  require_kind(s, "x", x.dtype, ordered);
  return normalize_axis(s, "axis", axis, x.rank());
}

Shape with_size(Shape shape, int64_t axis, const Dim& size) {
  shape[static_cast<size_t>(axis)] = size;
  return shape;
}

bool has_elements(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Dim& size) { return less_equal(1, size) == Proof::yes; });
}

}  // namespace

static Types rule(const op::Sort& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  sorted_axis(s, x, op.axis);
  return {x, {DType::i64, x.shape, {}}};
}

static Types rule(const op::TopK& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const int64_t axis = sorted_axis(s, x, op.axis);
  require_at_least(s, "k", op.k, 0);
  require_at_most(s, "k", op.k, x.shape[static_cast<size_t>(axis)]);
  const Shape shape = with_size(x.shape, axis, op.k);
  return {{x.dtype, shape, {}}, {DType::i64, shape, {}}};
}

static Types rule(const op::Partition& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const int64_t axis = sorted_axis(s, x, op.axis);
  require_at_least(s, "kth", op.kth, 0);
  require_at_most(s, "kth", op.kth, x.shape[static_cast<size_t>(axis)] - 1);
  return {x, {DType::i64, x.shape, {}}};
}

static Types rule(const op::Median& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const int64_t axis = sorted_axis(s, x, op.axis);
  if (op.average) require_kind(s, "x (a mean is taken)", x.dtype, real);
  require_at_least(s, "size of the axis", x.shape[static_cast<size_t>(axis)], 1);
  return {{x.dtype, reduced(x.shape, std::array{axis}, op.keepdims), {}}};
}

static Types rule(const op::SearchSorted& op, const Scope& s) {
  const TensorType &sorted = s.type(op.sorted), &values = s.type(op.values);
  require_kind(s, "dtype of sorted and values", promote_or_refuse(s, sorted.dtype, values.dtype), ordered);
  require_count(s, "rank of sorted", sorted.shape.size(), 1, "");
  return {{DType::i64, values.shape, {}}};
}

static Types rule(const op::Unique& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, ordered);
  const Symbol& count = s.symbol(op.count);
  TensorType y{x.dtype, {count}, {}};
  Shape compared = x.shape;  // how many elements or slices there are
  if (op.axis) {
    const int64_t axis = normalize_axis(s, "axis", *op.axis, x.rank());
    compared = {x.shape[static_cast<size_t>(axis)]};
    y.shape = with_size(x.shape, axis, count);
  }
  require_counts_from(s, count, has_elements(compared) ? 1 : 0, "there may be no more");
  const TensorType one_each{DType::i64, {count}, {}};
  return {y, one_each, {DType::i64, compared, {}}, one_each};
}

INGOT_RULES(sort)

}  // namespace ingot
