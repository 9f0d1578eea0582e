// Inference of ops that read and write at indices.
#include <array>

#include "program/infer.h"

namespace ingot {
namespace {

using namespace kinds;

Kinds takes(ScatterFn fn) {
  switch (fn) {
    case ScatterFn::set: return computable;
    case ScatterFn::add:
    case ScatterFn::mul: return number;
    case ScatterFn::max:
    case ScatterFn::min: return integer | real;
  }
  return 0;
}

// The axis of x that integers index. Clamping needs an element to clamp to.
int64_t indexed_axis(const Scope& s, const TensorType& x, const TensorType& indices, int64_t given, IndexMode mode) {
  require_kind(s, "x", x.dtype, computable);
  require_kind(s, "indices", indices.dtype, integer);
  const int64_t axis = normalize_axis(s, "axis", given, x.rank());
  if (mode == IndexMode::clamp) require_at_least(s, "size of the axis", x.shape[static_cast<size_t>(axis)], 1);
  return axis;
}

}  // namespace

// x[:axis] + indices + x[axis+1:]
static Types rule(const op::Take& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return {{x.dtype, std::move(shape), {}}};
}

static Types rule(const op::Gather& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  require_same_sizes(s, "indices", indices.shape, x.shape, std::array{axis}, "as x");
  return {{x.dtype, indices.shape, {}}};
}

static Types rule(const op::Scatter& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  require_kind(s, "x", x.dtype, takes(op.fn));
  require_same_sizes(s, "indices", indices.shape, x.shape, std::array{axis}, "as x");
  require_type(s, "updates", s.type(op.updates), {x.dtype, indices.shape, {}}, "dtype of x, shape of indices");
  return {x};
}

// i64[rank, count]
static Types rule(const op::Nonzero& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  const Symbol& count = s.symbol(op.count);
  if (count.min() != 0) {
    s.refuse(fmt::format("minimum of symbol {}", count.name()), fmt::format("{}", count.min()),
             "0 (there may be no such element)", Code::out_of_range);
  }
  return {{DType::i64, {x.rank(), count}, {}}};
}

INGOT_RULES(index)

}  // namespace ingot
