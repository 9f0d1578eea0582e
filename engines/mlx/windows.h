// Windows: what every position of a convolution or a pool reads, as axes of their own.
//
// Ownership  values. Threads  as Frame.
// Failure    Code::limit where sizes leave i64, or the 32 bits of MLX.
#pragma once

#include <vector>

#include "engines/mlx/frame.h"
#include "engines/window_axes.h"

namespace ingot::mlx_engine {

// How many elements the last window lacks behind the axis; negative where it ends before.
inline int64_t lacks_behind(const WindowAxis& axis) { return axis.start(axis.out - 1) + axis.extent() - axis.in; }
// Whether there is little padding: then it costs little to write it out.
bool is_close(const WindowAxis& axis);

// Those of every engine, and every position of a window is within i64.
template <class O>
std::vector<WindowAxis> window_axes(const O& op, const Frame& frame, const Sizes& in, const Sizes& kernel,
                                    const Sizes& out) {
  std::vector<WindowAxis> axes = ingot::window_axes(op, frame, in, kernel, out);
  // Throws where it leaves i64.
  for (const WindowAxis& axis : axes) {
    static_cast<void>(Dim(axis.extent()) + (Dim(axis.before) + axis.in + axis.after));
  }
  return axes;
}

// The elements that the windows of one axis read.
struct Taps {
  int64_t out = 0, count = 0;     // of windows, and of taps in each
  std::vector<int32_t> elements;  // out × count; -1: padding
};

// Tap k of a window is position k of the kernel, or with `packed` the k-th that lies within the axis. The table is charged
// to the frame.
Taps taps_of(Frame& frame, const WindowAxis& axis, bool packed);

// Window o of an adaptive pool reads the elements first(o) … end(o)-1 of an axis: ⌊o·in/out⌋ … ⌈(o+1)·in/out⌉-1.
struct AdaptiveAxis {
  int64_t in, out;

  int64_t first(int64_t o) const { return o * in / out; }
  int64_t end(int64_t o) const { return in == 0 ? 0 : ((o + 1) * in - 1) / out + 1; }
};
// Throws where a position leaves i64.
AdaptiveAxis adaptive_axis(int64_t in, int64_t out);
Taps taps_of(Frame& frame, const AdaptiveAxis& axis);

// x [N, C, in…] with the padding that windows read. Precondition: the axes are close.
array padded(const array& x, const std::vector<WindowAxis>& axes, const array& fill, mx::Stream s);
// What position k of the kernel reads in every window along axis `which` of what is padded.
array tap_of(const array& padded, size_t which, const WindowAxis& axis, int64_t k, mx::Stream s);

// x [N, C, in…] as [N, C, out…, taps…]; padding is `fill`, a scalar of x's dtype. Precondition: none of these is empty.
array windows(Frame& frame, const array& x, const std::vector<Taps>& taps, const array& fill);
array windows(Frame& frame, const array& x, const std::vector<WindowAxis>& axes, const array& fill);

}  // namespace ingot::mlx_engine
