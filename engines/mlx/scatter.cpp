#include "engines/mlx/scatter.h"

#include <stdexcept>

namespace ingot::mlx_engine {
namespace {

array combined(ScatterFn fn, const array& a, const array& b, mx::Stream s) {
  switch (fn) {
    case ScatterFn::add: return mx::add(a, b, s);
    case ScatterFn::mul: return mx::multiply(a, b, s);
    case ScatterFn::max: return mx::maximum(a, b, s);
    case ScatterFn::min: return mx::minimum(a, b, s);
    case ScatterFn::set: break;
  }
  throw std::logic_error("a write that depends on the order");
}

// Rows [from, to).
array rows_of(const array& x, int from, int to, mx::Stream s) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start[0] = from;
  stop[0] = to;
  return mx::slice(x, std::move(start), std::move(stop), s);
}

// Of values in the order of their rows: each combined with all before it that are of the same row.
array combined_runs(ScatterFn fn, const array& rows, array values, mx::Stream s) {
  const int count = rows.shape(0);
  // After a step with this distance each value stands for twice as many, itself the last of them.
  for (int64_t distance = 1; distance < count; distance *= 2) {
    const int d = static_cast<int>(distance);
    const array later = rows_of(values, d, count, s), earlier = rows_of(values, 0, count - d, s);
    const array same = mx::equal(rows_of(rows, d, count, s), rows_of(rows, 0, count - d, s), s);
    const array joined = mx::where(beside_rows(same, values, s), combined(fn, earlier, later, s), later, s);
    values = mx::concatenate({rows_of(values, 0, d, s), joined}, 0, s);
  }
  return values;
}

}  // namespace

array beside_rows(const array& of_rows, const array& rows, mx::Stream s) {
  mx::Shape shape(rows.ndim(), 1);
  shape[0] = of_rows.shape(0);
  return mx::reshape(of_rows, shape, s);
}

array last_writes(int n, const array& at, const array& number, mx::Stream s) {
  return mx::scatter_max(mx::full({n}, -1, mx::int32, s), at, mx::expand_dims(number, 1, s), 0, s);
}

array scatter_by_sorting(ScatterFn fn, const array& x, const array& at, const array& updates, mx::Stream s) {
  const array zero(0, at.dtype()), end(x.shape(0), at.dtype());
  const array row = mx::where(mx::less(at, zero, s), mx::add(at, end, s), at, s), order = mx::argsort(row, 0, s);
  const array rows = mx::take(row, order, 0, s);
  const array values = combined_runs(fn, rows, mx::take(updates, order, 0, s), s);
  const array last = last_writes(x.shape(0), rows, mx::arange(0, at.shape(0), mx::int32, s), s);
  const array written = mx::take(values, mx::maximum(last, array(0, mx::int32), s), 0, s);
  const array is_written = mx::greater_equal(last, array(0, mx::int32), s);
  return mx::where(beside_rows(is_written, x, s), combined(fn, x, written, s), x, s);
}

array scatter(ScatterFn fn, const array& x, const array& at, const array& updates, mx::Stream s) {
  if (x.itemsize() == 8 && s.device != mx::Device::cpu) return scatter_by_sorting(fn, x, at, updates, s);
  const array rows = mx::expand_dims(updates, 1, s);
  switch (fn) {
    case ScatterFn::add: return mx::scatter_add(x, at, rows, 0, s);
    case ScatterFn::mul: return mx::scatter_prod(x, at, rows, 0, s);
    case ScatterFn::max: return mx::scatter_max(x, at, rows, 0, s);
    case ScatterFn::min: return mx::scatter_min(x, at, rows, 0, s);
    case ScatterFn::set: break;
  }
  throw std::logic_error("a write that depends on the order");
}

}  // namespace ingot::mlx_engine
