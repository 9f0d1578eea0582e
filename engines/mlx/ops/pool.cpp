// Pooling: windows as axes of their own, which are reduced. f16 and bf16 accumulate in f32.
//
// Maxima are those of integers in the order of the reals: to MLX -0 and +0 are equal.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/ordering.h"
#include "engines/mlx/windows.h"
#include "program/decompose.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// The axes behind [N, C, out…].
std::vector<int> tap_axes(size_t spatial) {
  std::vector<int> axes(spatial);
  std::iota(axes.begin(), axes.end(), static_cast<int>(2 + spatial));
  return axes;
}

bool reads_nothing(const std::vector<Taps>& taps) {
  return std::ranges::any_of(taps, [](const Taps& axis) { return axis.count == 0; });
}

std::vector<Taps> packed_taps(Frame& frame, const std::vector<WindowAxis>& axes) {
  std::vector<Taps> taps;
  for (const WindowAxis& axis : axes) taps.push_back(taps_of(frame, axis, true));
  return taps;
}

// A reduction, of axes and of two arrays.
struct Reduction {
  array (*axes)(const array& x, const std::vector<int>& axes, bool keepdims, mx::StreamOrDevice s);
  array (*two)(const array& a, const array& b, mx::StreamOrDevice s);
};

constexpr Reduction kSum{mx::sum, mx::add}, kMax{mx::max, mx::maximum};

// Every window of x [N, C, …] reduced. Padding, and what a window without an element gives, is `fill`. Precondition: the
// result is not empty.
array reduced(Frame& frame, const array& x, const std::vector<Taps>& taps, const array& fill, const Reduction& fn) {
  if (x.size() == 0 || reads_nothing(taps)) return mx::full(frame.result_shape(), fill, frame.stream());
  return fn.axes(windows(frame, x, taps, fill), tap_axes(taps.size()), false, frame.stream());
}

// Axis by axis, tap by tap: few taps are views that MLX combines faster than it reduces small axes.
array reduced_by_taps(const array& x, const std::vector<WindowAxis>& axes, const array& fill, const Reduction& fn,
                      mx::Stream s) {
  array result = padded(x, axes, fill, s);
  for (size_t i = axes.size(); i-- > 0;) {
    const array whole = result;
    result = tap_of(whole, i, axes[i], 0, s);
    for (int64_t k = 1; k < axes[i].kernel; ++k) result = fn.two(result, tap_of(whole, i, axes[i], k, s), s);
  }
  return result;
}

array reduced(Frame& frame, const array& x, const std::vector<WindowAxis>& axes, const array& fill,
              const Reduction& fn) {
  if (x.size() == 0 || !std::ranges::all_of(axes, is_close)) {
    return reduced(frame, x, packed_taps(frame, axes), fill, fn);
  }
  const auto has_few = [](const WindowAxis& axis) { return axis.kernel <= 8; };
  if (std::ranges::all_of(axes, has_few)) return reduced_by_taps(x, axes, fill, fn, frame.stream());
  return fn.axes(windows(frame, x, axes, fill), tap_axes(axes.size()), false, frame.stream());
}

// `How` is a list of Taps or of WindowAxis.
template <class How>
array sum_pool(Frame& frame, const array& x, const How& how) {
  const array zero = number(0, x);
  return mx::add(reduced(frame, x, how, zero, kSum), zero, frame.stream());  // a sum begins at +0
}

template <class How>
array max_pool(Frame& frame, const array& x, const How& how) {
  if (!mx::issubdtype(x.dtype(), mx::floating)) {
    return reduced(frame, x, how, number(mx::iinfo(x.dtype()).min, x), kMax);
  }
  const array lowest = number(-std::numeric_limits<double>::infinity(), x);
  const array ordered =
      reduced(frame, to_ordered(frame, x, NanPlace::last), how, to_ordered(frame, lowest, NanPlace::last), kMax);
  return from_ordered(frame, ordered, x.dtype());
}

// (Σ |x|^p)^(1/p)
template <class How>
array lp_pool(Frame& frame, const array& x, const How& how, double p) {
  const mx::Stream s = frame.stream();
  if (p == 1) return sum_pool(frame, mx::abs(x, s), how);
  if (p == 2) return mx::sqrt(sum_pool(frame, mx::square(x, s), how), s);
  const array powers = mx::power(mx::abs(x, s), number(p, x), s);
  return mx::power(sum_pool(frame, powers, how), number(1 / p, x), s);
}

// `counts` is what avg divides by, [out…].
template <class How>
array mean_pool(Frame& frame, const array& x, const How& how, const array& counts) {
  const mx::Stream s = frame.stream();
  if (x.dtype() != mx::complex64) {
    return mx::divide(sum_pool(frame, x, how), mx::astype(counts, x.dtype(), s), s);
  }
  // Part by part: a complex divisor makes NaN of an infinity.
  return complex_of(mean_pool(frame, mx::real(x, s), how, counts), mean_pool(frame, mx::imag(x, s), how, counts), s);
}

// For each spatial axis the elements of x that its windows read.
using Counts = std::vector<std::vector<double>>;

// count(axis, o) for every window. The result, which is charged, has a window for each entry.
template <class Axis, class Count>
Counts counts_of(Frame& frame, const std::vector<Axis>& axes, Count&& count) {
  Counts counts;
  for (const Axis& axis : axes) {
    frame.hold_table({axis.out}, sizeof(double));
    counts.emplace_back();
    for (int64_t o = 0; o < axis.out; ++o) counts.back().push_back(static_cast<double>(count(axis, o)));
  }
  return counts;
}

Counts element_counts(Frame& frame, const std::vector<WindowAxis>& axes) {
  return counts_of(frame, axes, [](const WindowAxis& axis, int64_t o) {
    return axis.taps_before(o, axis.in) - axis.taps_before(o, 0);
  });
}

Counts element_counts(Frame& frame, const std::vector<AdaptiveAxis>& axes) {
  return counts_of(frame, axes, [](const AdaptiveAxis& axis, int64_t o) { return axis.end(o) - axis.first(o); });
}

// Positions in x or its padding.
Counts position_counts(Frame& frame, const std::vector<WindowAxis>& axes) {
  return counts_of(frame, axes,
                   [](const WindowAxis& axis, int64_t o) { return axis.taps_before(o, axis.in + axis.after); });
}

// The product over the axes for every window, [out…].
array all_counts(Frame& frame, const Counts& counts) {
  frame.hold_table(spatial(frame.result_sizes()), 3 * sizeof(double));  // with those of fewer axes, and MLX's copy
  std::vector<double> products{1};
  Sizes out;
  for (const std::vector<double>& axis : counts) {
    std::vector<double> next;
    for (double product : products) {
      for (double count : axis) next.push_back(product * count);
    }
    products = std::move(next);
    out.push_back(std::ssize(axis));
  }
  return array(products.data(), to_mlx(out), frame.on_cpu() ? mx::float64 : mx::float32);
}

// What windows list of each axis after the other, and what every plane reads of that.
void spend_windows(Frame& frame, const Counts& counts) {
  const Sizes sizes = frame.result_sizes();
  double listed = 1, all = 0, windows = static_cast<double>(element_count(spatial(sizes)));
  for (const std::vector<double>& axis : counts) {
    listed *= std::accumulate(axis.begin(), axis.end(), 0.0);
    windows /= static_cast<double>(axis.size());
    all += listed * windows;
  }
  all += listed * static_cast<double>(sizes[0] * sizes[1]);
  frame.spend(all < 0x1p64 ? static_cast<uint64_t>(all) : std::numeric_limits<uint64_t>::max());
}

template <class O, class How>
array pooled(const O& op, Frame& frame, const How& how, const Counts& divisors) {
  const mx::Stream s = frame.stream();
  if (op.fn == PoolFn::max) return max_pool(frame, frame.in(op.x), how);
  const array x = mx::astype(frame.in(op.x), to_mlx(widened(frame.dtype(op.x))), s);
  const array result =
      op.fn == PoolFn::avg ? mean_pool(frame, x, how, all_counts(frame, divisors)) : lp_pool(frame, x, how, op.p);
  return mx::astype(result, to_mlx(frame.result_dtype()), s);
}

array emit(const op::Pool& op, Frame& frame) {
  const auto axes = window_axes(op, frame, spatial(frame.sizes(op.x)), op.kernel, spatial(frame.result_sizes()));
  if (frame.result_is_empty()) return frame.result_zeros();
  const Counts elements = element_counts(frame, axes);
  spend_windows(frame, elements);
  return pooled(op, frame, axes, op.count_include_pad ? position_counts(frame, axes) : elements);
}

// The position among the spatial axes of x that each tap of each window reads, [out…, taps…]: `none` is padding.
array tap_positions(Frame& frame, const std::vector<Taps>& taps, const Sizes& in, int64_t none) {
  Sizes positions{0}, table;
  for (const Taps& axis : taps) table.insert(table.end(), {axis.out, axis.count});
  frame.hold_table(table, 3 * sizeof(int64_t));  // with those of fewer axes, and MLX's copy
  for (size_t axis = 0; axis < taps.size(); ++axis) {
    Sizes next;
    for (int64_t position : positions) {
      for (int32_t element : taps[axis].elements) {
        next.push_back(position == none || element < 0 ? none : position * in[axis] + element);
      }
    }
    positions = std::move(next);
  }
  return array(positions.data(), to_mlx(table), mx::int64);
}

// [out0, taps0, out1, taps1, …] as [out…, taps…]
array windows_in_front(const array& table, mx::Stream s) {
  std::vector<int> order;
  for (int first : {0, 1}) {
    for (int axis = first; axis < static_cast<int>(table.ndim()); axis += 2) order.push_back(axis);
  }
  return mx::transpose(table, order, s);
}

// For every position among axes of these sizes its number when they count in reverse order.
array column_major_numbers(Frame& frame, const Sizes& sizes) {
  frame.hold_table(sizes, 3 * sizeof(int64_t));  // with those of fewer axes, and MLX's copy
  Sizes numbers{0};
  int64_t stride = 1;
  for (int64_t size : sizes) {
    Sizes next;
    for (int64_t number : numbers) {
      for (int64_t i = 0; i < size; ++i) next.push_back(number + i * stride);
    }
    numbers = std::move(next);
    stride *= size;
  }
  return array(numbers.data(), to_mlx(Sizes{std::ssize(numbers)}), mx::int64);
}

// The first element of each plane of `size` elements, for what is laid out as x [N, C, …].
array plane_starts(const array& x, int64_t size, mx::Stream s) {
  mx::Shape shape(x.ndim(), 1);
  std::copy_n(x.shape().begin(), 2, shape.begin());
  const array numbers = mx::arange(x.shape(0) * x.shape(1), mx::int64, s);
  return mx::reshape(mx::multiply(numbers, array(size), s), shape, s);
}

// Where the maximum is: the first NaN, else the first of the largest, else -1.
array largest_positions(const op::MaxPoolIndices& op, Frame& frame, const std::vector<Taps>& taps) {
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  const mx::Stream s = frame.stream();
  const Sizes in = spatial(frame.sizes(op.x));
  const array minus_one(int64_t{-1});
  if (element_count(in) == 0 || reads_nothing(taps)) return mx::full(frame.result_shape(1), minus_one, s);
  const std::vector<int> axes = tap_axes(taps.size());
  const array key = sort_key(frame, frame.in(op.x), false);
  const array seen = windows(frame, key, taps, number(mx::iinfo(key.dtype()).min, key));
  const array is_largest = mx::equal(seen, mx::max(seen, axes, true, s), s);
  const array positions = windows_in_front(tap_positions(frame, taps, in, none), s), nowhere(none);
  const array first = mx::min(mx::where(is_largest, positions, nowhere, s), axes, false, s);
  const array exists = mx::not_equal(first, nowhere, s);
  array at = mx::where(exists, first, array(int64_t{0}), s);
  if (op.column_major) at = mx::take(column_major_numbers(frame, in), at, 0, s);
  if (!op.per_channel) at = mx::add(at, plane_starts(at, element_count(in), s), s);
  return mx::where(exists, at, minus_one, s);
}

std::vector<array> emit(const op::MaxPoolIndices& op, Frame& frame) {
  const auto axes = window_axes(op, frame, spatial(frame.sizes(op.x)), op.kernel, spatial(frame.result_sizes()));
  if (frame.result_is_empty()) return {frame.result_zeros(), frame.result_zeros(1)};
  spend_windows(frame, element_counts(frame, axes));
  return {max_pool(frame, frame.in(op.x), axes), largest_positions(op, frame, packed_taps(frame, axes))};
}

array emit(const op::AdaptivePool& op, Frame& frame) {
  const Sizes in = spatial(frame.sizes(op.x)), out = spatial(frame.result_sizes());
  if (frame.result_is_empty()) return frame.result_zeros();
  std::vector<AdaptiveAxis> axes;
  std::vector<WindowAxis> even;  // where each window has equally many elements
  for (size_t i = 0; i < in.size(); ++i) {
    axes.push_back(adaptive_axis(in[i], out[i]));
    if (in[i] % out[i] == 0) even.push_back({in[i], in[i] / out[i], in[i] / out[i], 1, 0, 0, out[i]});
  }
  const Counts counts = element_counts(frame, axes);
  spend_windows(frame, counts);
  if (even.size() == in.size() && element_count(in) > 0) return pooled(op, frame, even, counts);
  std::vector<Taps> taps;
  for (const AdaptiveAxis& axis : axes) taps.push_back(taps_of(frame, axis));
  return pooled(op, frame, taps, counts);
}

// y = 0, then y[indices[i]] = x[i] in row-major order
array emit(const op::MaxUnpool& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const Sizes sizes = frame.result_sizes();
  const int64_t each = element_count(spatial(sizes)), limit = op.per_channel ? each : element_count(sizes);
  const array &x = frame.in(op.x), &indices = frame.in(op.indices);
  const auto refusal = [limit](int64_t, int64_t index) {
    return Error(Code::out_of_range, fmt::format("index {} is outside {} elements", index, limit));
  };
  const array empty = mx::zeros(to_mlx(Sizes{element_count(sizes)}), x.dtype(), s);
  if (x.size() == 0) return mx::reshape(empty, to_mlx(sizes), s);
  if (limit == 0) {
    frame.guard(array(false), as_i64(frame, indices),
                [refusal](const Tensor& witness) { return refusal(0, witness.as<int64_t>()[0]); });
    return mx::reshape(empty, to_mlx(sizes), s);
  }
  array at = require_within(frame, indices, 0, limit - 1, refusal);
  if (op.per_channel) at = mx::add(mx::astype(at, mx::int64, s), plane_starts(at, each, s), s);
  frame.spend(x.size());
  const auto flat = [&](const array& a) { return mx::reshape(a, {-1}, s); };
  const array y = combine(frame, ScatterFn::set, empty, {flat(at), {}}, flat(x));
  return mx::reshape(y, to_mlx(sizes), s);
}

}  // namespace

INGOT_LOWERINGS(pool)

}  // namespace ingot::mlx_engine
