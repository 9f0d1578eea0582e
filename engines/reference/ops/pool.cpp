// Pooling. Sums in double, in index order, one rounding at the store. Padding is not read: a window without an element
// of x is an empty reduction.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "engines/reference/windows.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// fn over x[first + tap]; avg divides by `count`.
double pooled(PoolFn fn, double p, const View<double>& x, int64_t first, std::span<const Tap> taps, double count,
              DType) {
  double result = fn == PoolFn::max ? -std::numeric_limits<double>::infinity() : 0;
  for (const Tap& tap : taps) {
    const double value = x[first + tap.x];
    result =
        fn == PoolFn::max ? larger(result, value) : result + (fn == PoolFn::lp ? std::pow(std::abs(value), p) : value);
  }
  if (fn == PoolFn::avg) return result / count;
  return fn == PoolFn::lp ? std::pow(result, 1 / p) : result;
}

Complex pooled(PoolFn, double, const View<Complex>& x, int64_t first, std::span<const Tap> taps, double count, DType) {
  Complex sum = 0;
  for (const Tap& tap : taps) sum += x[first + tap.x];
  return sum / count;
}

template <class T>
T pooled(PoolFn, double, const View<T>& x, int64_t first, std::span<const Tap> taps, double, DType dtype) {
  T largest = extremes<T>(dtype).lowest;
  for (const Tap& tap : taps) largest = larger(largest, x[first + tap.x]);
  return largest;
}

// Calls f(first, i, p, taps) for every element i of a result: p is its position among the spatial axes, its taps are
// positions behind element `first` of x. `list` as TapList has it.
template <class List, class F>
void each_window(Frame& frame, const Sizes& x, const Sizes& kernel, const Sizes& y, List&& list, F&& f) {
  if (element_count(y) == 0) return;
  const Sizes in = spatial(x), out = spatial(y);
  const bool reads = element_count(x) > 0;
  const int64_t positions = element_count(in), count = element_count(out), planes = y[0] * y[1];
  TapList taps_of(frame, reads ? in : Sizes(), reads ? kernel : Sizes());
  for (int64_t p = 0; p < count; ++p) {
    const auto taps = reads ? taps_of.at(out, p, list) : std::span<const Tap>();
    frame.spend(taps_of.listed());
    frame.spend(static_cast<int64_t>(taps.size()), planes);
    for (int64_t plane = 0; plane < planes; ++plane) f(plane * positions, plane * count + p, p, taps);
  }
}

// The same for windows of given sizes.
template <class O, class F>
void each_window(const O& op, Frame& frame, const Sizes& x, const Sizes& y, const std::vector<WindowAxis>& axes,
                 F&& f) {
  const auto list = [&](size_t axis, int64_t o, auto&& each) { list_window(axes[axis], o, each); };
  each_window(frame, x, op.kernel, y, list, f);
}

// How many positions of window p lie in x or its padding.
double positions_within(const std::vector<WindowAxis>& axes, const Sizes& out, int64_t p) {
  double count = 1;
  for (size_t i = axes.size(); i-- > 0; p /= out[i]) {
    count *= static_cast<double>(axes[i].taps_before(p % out[i], axes[i].in + axes[i].after));
  }
  return count;
}

// The number of a position when the spatial axes count in reverse order.
int64_t column_major(const Sizes& sizes, int64_t position) {
  int64_t stride = element_count(sizes), result = 0;
  for (size_t axis = sizes.size(); axis-- > 0; position /= sizes[axis]) {
    stride /= sizes[axis];
    result += position % sizes[axis] * stride;
  }
  return result;
}

}  // namespace

// y[n, c, o] = fn of x[n, c, o·stride - before + k·dilation] over k
static void kernel(const op::Pool& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> x = frame.in<T>(op.x);
      const Out<T> y = frame.out<T>();
      const Sizes out = spatial(y.sizes());
      const auto axes = window_axes(op, frame, spatial(x.sizes()), op.kernel, out);
      each_window(op, frame, x.sizes(), y.sizes(), axes, [&](int64_t first, int64_t i, int64_t p, auto taps) {
        const double count = op.count_include_pad ? positions_within(axes, out, p) : static_cast<double>(taps.size());
        y.store(i, pooled(op.fn, op.p, x, first, taps, count, dtype));
      });
    }
  });
}

// Where the maximum is: the first NaN, else the first of the largest, else -1.
static void kernel(const op::MaxPoolIndices& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Complex>) {
      const View<T> x = frame.in<T>(op.x);
      const Out<T> y = frame.out<T>();
      const Out<int64_t> indices = frame.out<int64_t>(1);
      const Sizes in = spatial(x.sizes());
      const auto axes = window_axes(op, frame, in, op.kernel, spatial(y.sizes()));
      each_window(op, frame, x.sizes(), y.sizes(), axes, [&](int64_t first, int64_t i, int64_t, auto taps) {
        const T largest = pooled(PoolFn::max, 0, x, first, taps, 0, dtype);
        y.store(i, largest);
        const auto found = std::find_if(taps.begin(), taps.end(), [&](const Tap& tap) {
          if constexpr (std::is_same_v<T, double>) {
            if (std::isnan(largest)) return std::isnan(x[first + tap.x]);
          }
          return x[first + tap.x] == largest;
        });
        if (found == taps.end()) return indices.store(i, -1);
        const int64_t position = op.column_major ? column_major(in, found->x) : found->x;
        indices.store(i, op.per_channel ? position : first + position);
      });
    }
  });
}

// y[n, c, i] = fn of x[n, c, ⌊i·in/out⌋ … ⌈(i+1)·in/out⌉-1]
static void kernel(const op::AdaptivePool& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> x = frame.in<T>(op.x);
      const Out<T> y = frame.out<T>();
      const Sizes in = spatial(x.sizes()), out = spatial(y.sizes());
      // Throws where i·in leaves i64.
      for (size_t axis = 0; axis < in.size(); ++axis) element_count(Sizes{in[axis], out[axis]});
      const auto list = [&](size_t axis, int64_t o, auto&& each) {
        const int64_t end = ((o + 1) * in[axis] - 1) / out[axis] + 1;
        for (int64_t i = o * in[axis] / out[axis]; i < end; ++i) each(i, 0);
      };
      each_window(frame, x.sizes(), in, y.sizes(), list, [&](int64_t first, int64_t i, int64_t, auto taps) {
        y.store(i, pooled(op.fn, op.p, x, first, taps, static_cast<double>(taps.size()), dtype));
      });
    }
  });
}

// y = 0, then y[indices[i]] = x[i] in row-major order
static void kernel(const op::MaxUnpool& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const View<int64_t> indices = frame.indices(op.indices);
  const Out<uint64_t> y = frame.zero_bits();
  frame.spend(x.size());
  const int64_t from = element_count(spatial(x.sizes())), to = element_count(spatial(y.sizes()));
  const int64_t limit = op.per_channel ? to : y.size();
  for (int64_t i = 0, n = x.size(); i < n; ++i) {
    const int64_t index = indices[i];
    if (index < 0 || index >= limit) {
      throw Error(Code::out_of_range, fmt::format("index {} is outside {} elements", index, limit));
    }
    y.store(op.per_channel ? i / from * to + index : index, x[i]);
  }
}

INGOT_KERNELS(pool)

}  // namespace ingot::reference
