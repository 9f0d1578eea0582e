// Windows over the spatial axes of x [N, C, spatial…]: the attributes and sizes that conv and pool share.
//
// Window o of an axis reads positions o·stride - before + k·dilation for k in 0 … kernel-1; what lies outside the axis
// is padding.
//
// Ownership  values. Threads  pure functions.
// Failure    arithmetic that leaves i64 throws Code::limit; checks as those of infer.h.
#pragma once

#include <vector>

#include "program/infer.h"

namespace ingot {

// One entry for each spatial axis.
struct Windows {
  Shape kernel;
  std::vector<int64_t> strides, dilations;
  Shape before, after;

  size_t axes() const { return kernel.size(); }
  // From the first position of a window to its last: dilation·(kernel - 1) + 1.
  Dim extent(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  // before + size + after
  Dim padded(size_t axis, const Dim& size) const { return before[axis] + size + after[axis]; }
  // How many lie within the padding: ⌊(padded - extent) / stride⌋ + 1.
  Dim count(size_t axis, const Dim& size) const {
    return floor_div(padded(axis, size) - extent(axis), strides[axis]) + 1;
  }
};

// The attributes of an op, lists that are empty filled in. Precondition: the others have an entry for each axis.
template <class O>
Windows windows_of(const O& op, Shape kernel) {
  const auto filled = [n = kernel.size()](auto list, int64_t value) {
    if (list.empty()) list.assign(n, value);
    return list;
  };
  return {std::move(kernel), filled(op.strides, 1), filled(op.dilations, 1), filled(op.before, 0), filled(op.after, 0)};
}

// Throws unless every entry is in range: kernels, strides and dilations from 1 on, padding from 0 on.
void check_windows(const Scope& scope, const Windows& windows);

// A list with an entry for each spatial axis, or empty.
template <class List>
void require_axes(const Scope& scope, std::string_view name, const List& list, size_t axes) {
  if (list.empty() || list.size() == axes) return;
  require_count(scope, fmt::format("length of {}", name), list.size(), axes, "one for each spatial axis");
}

template <class O>
Windows checked_windows(const Scope& scope, const O& op, Shape kernel) {
  require_axes(scope, "strides", op.strides, kernel.size());
  require_axes(scope, "dilations", op.dilations, kernel.size());
  require_axes(scope, "before", op.before, kernel.size());
  require_axes(scope, "after", op.after, kernel.size());
  Windows windows = windows_of(op, std::move(kernel));
  check_windows(scope, windows);
  return windows;
}

// The number of spatial axes of x, which has batch and channel in front of them.
size_t spatial_axes(const Scope& scope, const TensorType& x);
// [N, channels, spatial…] with the sizes that `size(axis)` gives, which may not be negative.
template <class F>
Shape with_spatial(const Scope& scope, const TensorType& x, Dim channels, F&& size) {
  Shape shape{x.shape[0], std::move(channels)};
  for (size_t axis = 0; axis + 2 < x.shape.size(); ++axis) {
    shape.push_back(size(axis));
    if (less_equal(0, shape.back()) == Proof::yes) continue;
    require_at_least(scope, fmt::format("axis {} of the result", axis + 2), shape.back(), 0);
  }
  return shape;
}

}  // namespace ingot
