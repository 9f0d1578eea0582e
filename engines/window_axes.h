// WindowAxis: what the windows of a convolution or a pool read along one axis.
//
// Ownership  values. Threads  pure functions.
// Failure    Code::limit where sizes leave i64.
#pragma once

#include <algorithm>
#include <vector>

#include "program/tensor.h"
#include "program/windows.h"

namespace ingot {

// The axes behind [N, C].
inline Sizes spatial(const Sizes& sizes) { return {sizes.begin() + 2, sizes.end()}; }

// One spatial axis: window o reads positions start(o) + k·dilation for k in 0 … kernel-1, of an axis of `in` elements.
// A negative `before` leaves the first elements out.
struct WindowAxis {
  int64_t in, kernel, stride, dilation, before, after, out;

  int64_t start(int64_t o) const { return o * stride - before; }
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // How many k of window o are in front of a position.
  int64_t taps_before(int64_t o, int64_t position) const {
    const int64_t distance = position - start(o);
    return distance <= 0 ? 0 : std::min(kernel, (distance - 1) / dilation + 1);
  }
};

// The axes of an op whose result has the spatial sizes `out`. The start and the extent of every window are then within
// i64.
template <class O, class Frame>
std::vector<WindowAxis> window_axes(const O& op, const Frame& frame, const Sizes& in, const Sizes& kernel,
                                    const Sizes& out) {
  const Windows windows = windows_of(op, {kernel.begin(), kernel.end()});
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t before = frame.size(windows.before[i]), after = frame.size(windows.after[i]);
    static_cast<void>(Dim(before) + in[i] + after + out[i]);  // throws where it leaves i64
    static_cast<void>(windows.extent(i));
    axes.push_back({in[i], kernel[i], windows.strides[i], windows.dilations[i], before, after, out[i]});
  }
  return axes;
}

}  // namespace ingot
