#include "engines/mlx/windows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ingot::mlx_engine {

bool is_close(const WindowAxis& axis) {
  const int64_t most = 4 * (axis.in + axis.out);
  return std::max<int64_t>(axis.before, 0) <= most && lacks_behind(axis) <= most;
}

// -------------------------------------------------------------------------------------------------------------- taps

namespace {

// All padding. Indices are copied twice on their way to MLX.
void fill_table(Frame& frame, Taps& taps) {
  const Sizes sizes{taps.out, taps.count};
  frame.hold_table(sizes, 3 * sizeof(int32_t));
  taps.elements.assign(static_cast<size_t>(element_count(sizes)), -1);
}

}  // namespace

Taps taps_of(Frame& frame, const WindowAxis& axis, bool packed) {
  Taps taps{axis.out, packed ? 0 : axis.kernel, {}};
  for (int64_t o = 0; packed && o < axis.out; ++o) {
    taps.count = std::max(taps.count, axis.taps_before(o, axis.in) - axis.taps_before(o, 0));
  }
  fill_table(frame, taps);
  for (int64_t o = 0; o < axis.out; ++o) {
    const int64_t first = axis.taps_before(o, 0), place = o * taps.count - (packed ? first : 0);
    for (int64_t k = first, end = axis.taps_before(o, axis.in); k < end; ++k) {
      taps.elements[static_cast<size_t>(place + k)] = static_cast<int32_t>(axis.start(o) + k * axis.dilation);
    }
  }
  return taps;
}

AdaptiveAxis adaptive_axis(int64_t in, int64_t out) {
  static_cast<void>(element_count(Sizes{in, out}));  // throws where o·in leaves i64
  return {in, out};
}

Taps taps_of(Frame& frame, const AdaptiveAxis& axis) {
  Taps taps{axis.out, 0, {}};
  for (int64_t o = 0; o < axis.out; ++o) taps.count = std::max(taps.count, axis.end(o) - axis.first(o));
  fill_table(frame, taps);
  for (int64_t o = 0; o < axis.out; ++o) {
    const auto window = taps.elements.begin() + o * taps.count;
    std::iota(window, window + axis.end(o) - axis.first(o), static_cast<int32_t>(axis.first(o)));
  }
  return taps;
}

// ----------------------------------------------------------------------------------------------------------- windows

array padded(const array& x, const std::vector<WindowAxis>& axes, const array& fill, mx::Stream s) {
  std::vector<int> which;
  Sizes low, high;
  for (size_t i = 0; i < axes.size(); ++i) {
    which.push_back(static_cast<int>(i) + 2);
    low.push_back(std::max<int64_t>(axes[i].before, 0));
    high.push_back(std::max<int64_t>(lacks_behind(axes[i]), 0));
  }
  const auto none = [](int64_t size) { return size == 0; };
  if (std::ranges::all_of(low, none) && std::ranges::all_of(high, none)) return x;
  return mx::pad(x, which, to_mlx(low), to_mlx(high), fill, "constant", s);
}

array tap_of(const array& padded, size_t which, const WindowAxis& axis, int64_t k, mx::Stream s) {
  const size_t at = which + 2;
  mx::Shape start(padded.ndim(), 0), stop = padded.shape(), steps(padded.ndim(), 1);
  const int64_t first = std::max<int64_t>(-axis.before, 0) + k * axis.dilation;
  start[at] = static_cast<int>(first);
  stop[at] = static_cast<int>(first + (axis.out - 1) * axis.stride + 1);
  steps[at] = axis.out == 1 ? 1 : static_cast<int>(axis.stride);
  return mx::slice(padded, start, stop, steps, s);
}

namespace {

// One axis of x as two: [out, taps].
array taken(const array& x, int axis, const Taps& taps, const array& fill, mx::Stream s) {
  const mx::Shape table = to_mlx(Sizes{taps.out, taps.count});
  std::vector<int32_t> inside = taps.elements;
  for (int32_t& element : inside) element = std::max(element, 0);
  array read = mx::take(x, array(inside.data(), table), axis, s);
  if (std::ranges::find(taps.elements, -1) == taps.elements.end()) return read;
  mx::Shape shape(read.ndim(), 1);
  std::ranges::copy(table, shape.begin() + axis);
  const array element(taps.elements.data(), shape);
  return mx::where(mx::greater_equal(element, array(0), s), read, fill, s);
}

// Overlapping windows are a view of what is padded.
array viewed(const array& x, const std::vector<WindowAxis>& axes, const array& fill, mx::Stream s) {
  const array source = padded(x, axes, fill, s);
  mx::Strides of_source(source.ndim(), 1);
  for (size_t i = source.ndim() - 1; i > 0; --i) of_source[i - 1] = of_source[i] * source.shape(static_cast<int>(i));
  Sizes shape{x.shape(0), x.shape(1)};
  mx::Strides strides{of_source[0], of_source[1]};
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    shape.push_back(axes[i].out);
    // Where there is one window, or one tap, this may be any number, and is not used.
    strides.push_back(axes[i].out == 1 ? 0 : of_source[i + 2] * axes[i].stride);
    offset += of_source[i + 2] * std::max<int64_t>(-axes[i].before, 0);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    shape.push_back(axes[i].kernel);
    strides.push_back(axes[i].kernel == 1 ? 0 : of_source[i + 2] * axes[i].dilation);
  }
  // MLX refuses what is not dense, such as a number that is stretched.
  return mx::as_strided(mx::contiguous(source, false, s), to_mlx(shape), std::move(strides),
                        static_cast<size_t>(offset), s);
}

}  // namespace

array windows(Frame& frame, const array& x, const std::vector<Taps>& taps, const array& fill) {
  const mx::Stream s = frame.stream();
  array result = x;
  for (size_t i = taps.size(); i-- > 0;) result = taken(result, static_cast<int>(i) + 2, taps[i], fill, s);
  std::vector<int> order{0, 1};
  for (size_t i = 0; i < taps.size(); ++i) order.push_back(static_cast<int>(2 + 2 * i));
  for (size_t i = 0; i < taps.size(); ++i) order.push_back(static_cast<int>(3 + 2 * i));
  return mx::transpose(result, order, s);
}

array windows(Frame& frame, const array& x, const std::vector<WindowAxis>& axes, const array& fill) {
  if (std::ranges::all_of(axes, is_close)) return viewed(x, axes, fill, frame.stream());
  std::vector<Taps> taps;
  for (const WindowAxis& axis : axes) taps.push_back(taps_of(frame, axis, false));
  return windows(frame, x, taps, fill);
}

}  // namespace ingot::mlx_engine
