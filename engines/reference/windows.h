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
#include "engines/window_axes.h"

namespace ingot::reference {

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
