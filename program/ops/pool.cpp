// Inference of pooling: windows over the spatial axes of x [N, C, spatial…].
#include "program/infer.h"
#include "program/ops/ranges.h"
#include "program/windows.h"

namespace ingot {
namespace {

Kinds kinds_of(PoolFn fn) {
  switch (fn) {
    case PoolFn::max: return kinds::integer | kinds::real;
    case PoolFn::avg: return kinds::real | kinds::complex;
    case PoolFn::lp: return kinds::real;
  }
  return 0;
}

// Only lp has p; elsewhere it keeps its default.
void check_p(const Scope& s, PoolFn fn, double p) {
  require_positive(s, "p", p);
  if (fn != PoolFn::lp && p != op::Pool{}.p) {
    s.refuse("p", fmt::format("{}", p), fmt::format("{} (fn is {})", op::Pool{}.p, to_string(fn)), Code::out_of_range);
  }
}

// In ceil_mode a last window may reach beyond the padding, if it begins within x or the padding in front of it.
Dim window_count(const Windows& windows, size_t axis, const Dim& size, bool ceil_mode) {
  if (!ceil_mode) return windows.count(axis, size);
  const Dim reaching = ceil_div(windows.padded(axis, size) - windows.extent(axis), windows.strides[axis]) + 1;
  return min(reaching, ceil_div(windows.before[axis] + size, windows.strides[axis]));
}

template <class O>
Shape pooled(const O& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_count(s, "length of kernel", op.kernel.size(), spatial_axes(s, x), "one for each spatial axis");
  const Windows windows = checked_windows(s, op, {op.kernel.begin(), op.kernel.end()});
  element_count(windows.kernel);  // within i64, for who counts positions
  return with_spatial(s, x, x.shape[1],
                      [&](size_t axis) { return window_count(windows, axis, x.shape[axis + 2], op.ceil_mode); });
}

}  // namespace

static Types rule(const op::Pool& op, const Scope& s) {
  const DType dtype = s.type(op.x).dtype;
  require_kind(s, "x", dtype, kinds_of(op.fn));
  check_p(s, op.fn, op.p);
  if (op.count_include_pad && op.fn != PoolFn::avg) {
    s.refuse("count_include_pad", "true", fmt::format("false (fn is {})", to_string(op.fn)), Code::out_of_range);
  }
  return {{dtype, pooled(op, s), {}}};
}

static Types rule(const op::MaxPoolIndices& op, const Scope& s) {
  const DType dtype = s.type(op.x).dtype;
  require_kind(s, "x", dtype, kinds_of(PoolFn::max));
  const Shape shape = pooled(op, s);
  return {{dtype, shape, {}}, {DType::i64, shape, {}}};
}

static Types rule(const op::AdaptivePool& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds_of(op.fn));
  check_p(s, op.fn, op.p);
  require_count(s, "length of shape", op.shape.size(), spatial_axes(s, x), "one for each spatial axis");
  return {{x.dtype, with_spatial(s, x, x.shape[1], [&](size_t axis) { return op.shape[axis]; }), {}}};
}

static Types rule(const op::MaxUnpool& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  require_kind(s, "x", x.dtype, kinds::computable);
  require_kind(s, "indices", indices.dtype, kinds::integer);
  spatial_axes(s, x);
  require_same_sizes(s, "indices", indices.shape, x.shape, {}, "as x");
  require_count(s, "length of shape", op.shape.size(), x.shape.size(), "rank of x");
  require_equal(s, "axis 0 of shape", op.shape[0], x.shape[0], "as x");
  require_equal(s, "axis 1 of shape", op.shape[1], x.shape[1], "as x");
  require_sizes(s, "size in shape", op.shape);
  return {{x.dtype, op.shape, {}}};
}

INGOT_RULES(pool)

}  // namespace ingot
