// Taps: the elements that one position of a convolution or a pool reads.
//
// Ownership  a TapList owns its working space. Threads  as Frame.
// Failure    Code::limit where the working space goes beyond RunLimits, or sizes leave i64.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engines/reference/frame.h"
#include "program/windows.h"

namespace ingot::reference {

// The axes behind [N, C].
inline Sizes spatial(const Sizes& sizes) { return {sizes.begin() + 2, sizes.end()}; }

// One spatial axis: window o reads positions start(o) + k·dilation for k in 0 … kernel-1, of an axis of `in` elements.
struct WindowAxis {
  int64_t in, kernel, stride, dilation, before, after;

  int64_t start(int64_t o) const { return o * stride - before; }
  // How many k of window o are in front of a position.
  int64_t taps_before(int64_t o, int64_t position) const {
    const int64_t distance = position - start(o);
    return distance <= 0 ? 0 : std::min(kernel, (distance - 1) / dilation + 1);
  }
};

// The axes of an op whose result has the spatial sizes `out`. Every position of a window is then within i64.
template <class O>
std::vector<WindowAxis> window_axes(const O& op, const Frame& frame, const Sizes& in, const Sizes& kernel,
                                    const Sizes& out) {
  const Windows windows = windows_of(op, {kernel.begin(), kernel.end()});
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t before = frame.size(windows.before[i]), after = frame.size(windows.after[i]);
    static_cast<void>(Dim(before) + in[i] + after + out[i]);  // throws where it leaves i64
    static_cast<void>(windows.extent(i));
    axes.push_back({in[i], kernel[i], windows.strides[i], windows.dilations[i], before, after});
  }
  return axes;
}

// Positions, in row-major order: x among the spatial axes of x, w among those of the kernel.
struct Tap {
  int64_t x, w;
};

// All taps of a position, out of those of each axis.
class TapList {
 public:
  TapList(const Frame& frame, Sizes in, Sizes kernel) : in_(std::move(in)), kernel_(std::move(kernel)) {
    int64_t most = 1;  // a tap reads an element of x, and no two of them the same one
    for (size_t axis = 0; axis < in_.size(); ++axis) most *= std::min(in_[axis], kernel_[axis]);
    taps_ = frame.scratch<Tap>(most);
    next_ = frame.scratch<Tap>(most);
  }

  // For position p of `out`. Calls list(axis, o, each) where o is p's position along that axis, which calls each(x, w)
  // for every tap there.
  template <class List>
  std::span<const Tap> at(const Sizes& out, int64_t p, List&& list) {
    Sizes o(out.size());
    for (size_t axis = out.size(); axis-- > 0; p /= out[axis]) o[axis] = p % out[axis];
    taps_.assign(1, {0, 0});
    listed_ = 0;
    for (size_t axis = 0; axis < out.size(); ++axis) {
      next_.clear();
      for (const Tap& tap : taps_) {
        list(axis, o[axis],
             [&](int64_t x, int64_t w) { next_.push_back({tap.x * in_[axis] + x, tap.w * kernel_[axis] + w}); });
      }
      std::swap(taps_, next_);
      listed_ += std::ssize(taps_);
    }
    return taps_;
  }
  // The work of the last position: a later axis may leave nothing of what the first ones listed.
  int64_t listed() const { return listed_; }

 private:
  Sizes in_, kernel_;
  Scratch<Tap> taps_, next_;
  int64_t listed_ = 0;
};

// What window o of an axis reads, for TapList.
template <class F>
void list_window(const WindowAxis& axis, int64_t o, F&& each) {
  for (int64_t k = axis.taps_before(o, 0), end = axis.taps_before(o, axis.in); k < end; ++k) {
    each(axis.start(o) + k * axis.dilation, k);
  }
}

}  // namespace ingot::reference
