// Windows: what every position of a convolution or a pool reads, as axes of their own.
//
// Ownership  values. Threads  as Frame.
// Failure    Code::limit where sizes leave i64, or the 32 bits of MLX.
#pragma once

#include <vector>

#include "engines/mlx/frame.h"
#include "program/windows.h"

namespace ingot::mlx_engine {

// The axes behind [N, C].
inline Sizes spatial(const Sizes& sizes) { return {sizes.begin() + 2, sizes.end()}; }

// One spatial axis: window o reads positions start(o) + k·dilation for k in 0 … kernel-1, of an axis of `in` elements.
// A negative `before` leaves the first elements out.
struct WindowAxis {
  int64_t in, kernel, stride, dilation, before, after, out;

  int64_t start(int64_t o) const { return o * stride - before; }
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // How many elements the last window lacks behind the axis; negative where it ends before.
  int64_t behind() const { return start(out - 1) + extent() - in; }
  // How many k of window o are in front of a position.
  int64_t taps_before(int64_t o, int64_t position) const;
  // Whether there is little padding: then it costs little to write it out.
  bool is_close() const;
};

// The axes of an op whose result has the spatial sizes `out`.
template <class O>
std::vector<WindowAxis> window_axes(const O& op, const Frame& frame, const Sizes& in, const Sizes& kernel,
                                    const Sizes& out) {
  const Windows windows = windows_of(op, {kernel.begin(), kernel.end()});
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t before = frame.size(windows.before[i]), after = frame.size(windows.after[i]);
    // Each throws where it leaves i64: then every position of a window is within.
    static_cast<void>(Dim(before) + in[i] + after + out[i]);
    static_cast<void>(windows.extent(i) + windows.padded(i, in[i]));
    axes.push_back({in[i], kernel[i], windows.strides[i], windows.dilations[i], before, after, out[i]});
  }
  return axes;
}

// The elements that the windows of one axis read.
struct Taps {
  int64_t out = 0, count = 0;     // of windows, and of taps in each
  std::vector<int32_t> elements;  // out × count; -1: padding
};

// Tap k of a window is position k of the kernel, or with `packed` the k-th that lies within the axis.
Taps taps_of(const WindowAxis& axis, bool packed);
// Window o reads the elements ⌊o·in/out⌋ … ⌈(o+1)·in/out⌉-1.
Taps adaptive_taps(int64_t in, int64_t out);

// x [N, C, in…] with the padding that windows read. Precondition: the axes are close.
array padded(const array& x, const std::vector<WindowAxis>& axes, const array& fill, mx::Stream s);
// What position k of the kernel reads in every window along axis `which` of what is padded.
array tap_of(const array& padded, size_t which, const WindowAxis& axis, int64_t k, mx::Stream s);

// x [N, C, in…] as [N, C, out…, taps…]; padding is `fill`, a scalar of x's dtype. Precondition: none of these is empty.
array windows(Frame& frame, const array& x, const std::vector<Taps>& taps, const array& fill);
array windows(Frame& frame, const array& x, const std::vector<WindowAxis>& axes, const array& fill);

}  // namespace ingot::mlx_engine
