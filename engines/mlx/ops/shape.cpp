// Ops that move elements. Most are views; none computes but where operands are promoted or elements add up.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "engines/mlx/cast.h"
#include "engines/mlx/constant.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/parts.h"
#include "engines/mlx/windows.h"
#include "engines/refusals.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

std::vector<int> as_ints(const std::vector<int64_t>& values) { return {values.begin(), values.end()}; }

// x[…, start … stop-1, …] along an axis
array part(const array& x, int axis, int start, int stop, mx::Stream s) {
  mx::Shape starts(x.ndim(), 0), stops = x.shape();
  starts[static_cast<size_t>(axis)] = start;
  stops[static_cast<size_t>(axis)] = stop;
  return mx::slice(x, std::move(starts), std::move(stops), s);
}

// Without what has no elements.
array joined(std::vector<array> parts, int axis, mx::Stream s) {
  std::erase_if(parts, [](const array& each) { return each.size() == 0; });
  return mx::concatenate(std::move(parts), axis, s);
}

// -------------------------------------------------------------------------------------------------------------- moves

// Elements of less than a byte have one shape for MLX.
array emit(const op::Reshape& op, Frame& frame) {
  if (is_flat(frame.result_dtype())) return frame.in(op.x);
  return mx::reshape(frame.in(op.x), frame.result_shape(), frame.stream());
}

array emit(const op::Transpose& op, Frame& frame) {
  return mx::transpose(frame.in(op.x), as_ints(op.perm), frame.stream());
}

array emit(const op::Broadcast& op, Frame& frame) {
  return mx::broadcast_to(frame.in(op.x), frame.result_shape(), frame.stream());
}

array emit(const op::Slice& op, Frame& frame) {
  const array& x = frame.in(op.x);
  mx::Shape starts(x.ndim(), 0), stops = x.shape(), steps(x.ndim(), 1);
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(op.axes[i], x.ndim()));
    const int64_t start = frame.size(op.starts[i]), stop = frame.size(op.stops[i]);
    const int64_t step = op.steps.empty() ? 1 : op.steps[i];
    // A step beyond the part takes its first element however large it is, and must fit into 32 bits.
    const bool takes_one = step >= stop - start;
    starts[axis] = static_cast<int>(start);
    stops[axis] = static_cast<int>(takes_one ? std::min(start + 1, stop) : stop);
    steps[axis] = takes_one ? 1 : static_cast<int>(step);
  }
  return part_of(x, starts, stops, steps, frame.stream());
}

array emit(const op::Concatenate& op, Frame& frame) {
  frame.spend(op.operands.size());
  if (frame.result_is_empty()) return frame.result_zeros();
  std::vector<array> operands;
  for (Ref operand : op.operands) operands.push_back(cast(frame, operand, frame.result_dtype()));
  return joined(std::move(operands), static_cast<int>(op.axis), frame.stream());
}

// x with `before` and `after` elements more along an axis of n, which padding takes from x.
array padded(PadMode mode, const array& x, int axis, int before, int after, mx::Stream s) {
  const int n = x.shape(axis);
  const auto edge = [&](int at, int count) {
    mx::Shape shape = x.shape();
    shape[static_cast<size_t>(axis)] = count;
    return mx::broadcast_to(part(x, axis, at, at + 1, s), shape, s);
  };
  const auto mirrored = [&](int start, int stop) { return mx::flip(part(x, axis, start, stop, s), axis, s); };
  switch (mode) {
    case PadMode::constant: break;
    case PadMode::reflect: return joined({mirrored(1, before + 1), x, mirrored(n - 1 - after, n - 1)}, axis, s);
    case PadMode::edge: return joined({edge(0, before), x, edge(n - 1, after)}, axis, s);
    case PadMode::wrap: return joined({part(x, axis, n - before, n, s), x, part(x, axis, 0, after, s)}, axis, s);
  }
  return x;
}

array emit(const op::Pad& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Shape shape = frame.result_shape();
  const mx::Shape before = to_mlx(frame.sizes(op.before)), after = to_mlx(frame.sizes(op.after));
  array x = frame.in(op.x);
  if (frame.result_is_empty() || x.shape() == shape) return mx::reshape(x, shape, s);
  if (op.mode == PadMode::constant) {
    const array value = constant(op.value.value_or(Scalar(0)), frame.result_dtype());
    if (x.size() == 0) return mx::full(shape, value, s);
    std::vector<int> axes(x.ndim());
    std::iota(axes.begin(), axes.end(), 0);
    return mx::pad(x, axes, before, after, value, "constant", s);
  }
  for (size_t axis = 0; axis < before.size(); ++axis) {
    if (before[axis] == 0 && after[axis] == 0) continue;
    x = padded(op.mode, x, static_cast<int>(axis), before[axis], after[axis], s);
  }
  return x;
}

array emit(const op::EnsureShape& op, Frame& frame) {
  const Sizes sizes = frame.sizes(op.x), wanted = frame.sizes(op.shape);
  if (sizes != wanted) throw not_the_shape(sizes, wanted, op.shape);
  return frame.in(op.x);
}

array emit(const op::Tile& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  frame.result_shape();  // fits, and so does every number of repeats
  return mx::tile(frame.in(op.x), as_ints(frame.sizes(op.repeats)), frame.stream());
}

array emit(const op::Repeat& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  frame.result_shape();
  const auto count = static_cast<int>(frame.size(op.count));
  return mx::repeat(frame.in(op.x), count, static_cast<int>(op.axis), frame.stream());
}

array emit(const op::Flip& op, Frame& frame) {
  const array& x = frame.in(op.x);
  if (op.axes.empty() || x.size() == 0) return x;
  return flipped(x, as_ints(op.axes), frame.stream());
}

// The last `shift` elements in front, of a shift that is less than the size.
array emit(const op::Roll& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  array y = frame.in(op.x);
  if (y.size() == 0) return y;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const int axis = from_front(op.axes[i], y.ndim()), n = y.shape(axis);
    const auto rest = static_cast<int>(op.shifts[i] % n), split = rest > 0 ? n - rest : -rest;
    if (split == 0) continue;
    y = joined({part(y, axis, split, n, s), part(y, axis, 0, split, s)}, axis, s);
  }
  return y;
}

// Diagonals outside the matrix are all alike, on either side of it.
array emit(const op::Triangle& op, Frame& frame) {
  const array& x = frame.in(op.x);
  if (x.size() == 0) return x;
  const int64_t rows = x.shape(-2), columns = x.shape(-1);
  const auto k = static_cast<int>(std::clamp(frame.size(op.k.value_or(0)), -rows, columns));
  return op.fn == TriangleFn::lower ? mx::tril(x, k, frame.stream()) : mx::triu(x, k, frame.stream());
}

array emit(const op::Diagonal& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();  // the offset may be any number
  return mx::diagonal(frame.in(op.x), static_cast<int>(op.offset), static_cast<int>(op.axis1),
                      static_cast<int>(op.axis2), frame.stream());
}

// MLX reads the strides of what it takes for dense: it must be.
array emit(const op::AsStrided& op, Frame& frame) {
  if (frame.result_is_empty()) return frame.result_zeros();
  const mx::Stream s = frame.stream();
  const mx::Shape shape = frame.result_shape();
  mx::Strides strides;
  for (size_t i = 0; i < shape.size(); ++i) strides.push_back(shape[i] == 1 ? 0 : frame.size(op.strides[i]));
  const auto offset = static_cast<size_t>(frame.size(op.offset.value_or(0)));
  return strided_part_of(mx::contiguous(frame.in(op.x), false, s), shape, strides, offset, s);
}

// ------------------------------------------------------------------------------------------------------------ windows

// Over the spatial axes of those sizes.
template <class O>
std::vector<WindowAxis> axes_of(const O& op, const Frame& frame, const Sizes& sizes) {
  const Windows windows = windows_of(op, Shape(op.kernel.begin(), op.kernel.end()));
  Sizes positions;
  for (size_t i = 0; i < sizes.size(); ++i) positions.push_back(frame.size(windows.count(i, sizes[i])));
  return window_axes(op, frame, sizes, op.kernel, positions);
}

// y[n, (c, k…), p…] = x[n, c, p·stride + k·dilation - before…], 0 outside
array emit(const op::Unfold& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  if (frame.result_is_empty() || x.size() == 0) return frame.result_zeros();
  const array seen = windows(frame, x, axes_of(op, frame, spatial(frame.sizes(op.x))), number(0, x));
  // [N, C, p…, k…] to [N, C, k…, p…]
  std::vector<int> order(seen.ndim());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 2, order.begin() + 2 + std::ssize(op.kernel), order.end());
  return mx::reshape(mx::transpose(seen, order, s), frame.result_shape(), s);
}

// Where in the spatial axes, in row-major order, the elements [k…, p…] of all windows lie: i32 and bool, one row of each.
struct Places {
  array at;  // 0 or more, also of what is outside
  array inside;
};

Places places_of(Frame& frame, const std::vector<WindowAxis>& axes) {
  const mx::Stream s = frame.stream();
  Places places{array(0), array(true)};
  for (size_t i = 0; i < axes.size(); ++i) {
    const Taps taps = taps_of(frame, axes[i], false);
    const array by_window(taps.elements.data(), to_mlx(Sizes{taps.out, taps.count}));
    mx::Shape shape(2 * axes.size(), 1);
    shape[i] = by_window.shape(1);
    shape[axes.size() + i] = by_window.shape(0);
    const array at = mx::reshape(mx::transpose(by_window, {1, 0}, s), shape, s);
    const array from_outer = mx::multiply(places.at, array(static_cast<int>(axes[i].in)), s);
    places.at = mx::add(from_outer, mx::maximum(at, array(0), s), s);
    places.inside = mx::logical_and(places.inside, mx::greater_equal(at, array(0), s), s);
  }
  return {mx::reshape(places.at, {1, -1}, s), mx::reshape(places.inside, {1, -1}, s)};
}

// y[n, c, p·stride + k·dilation - before…] = Σ x[n, (c, k…), p…]
array emit(const op::Fold& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const Sizes sizes = frame.result_sizes();
  const DType dtype = widened(frame.result_dtype());
  const array x = frame.in(op.x, dtype);
  frame.spend(x.size());
  if (frame.result_is_empty() || x.size() == 0) return frame.result_zeros();
  const int64_t rows = sizes[0] * sizes[1];
  const array none = mx::zeros(to_mlx(Sizes{rows, element_count(sizes) / rows}), x.dtype(), s);
  const Places places = places_of(frame, axes_of(op, frame, spatial(sizes)));
  const array elements = mx::reshape(x, {none.shape(0), -1}, s);
  const array counted = mx::where(places.inside, elements, number(0, x), s);
  const array sums = mx::scatter_add_axis(none, mx::broadcast_to(places.at, counted.shape(), s), counted, 1, s);
  return mx::reshape(cast(frame, sums, dtype, frame.result_dtype()), frame.result_shape(), s);
}

}  // namespace

INGOT_LOWERINGS(shape)

}  // namespace ingot::mlx_engine
