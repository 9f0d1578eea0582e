#include "engines/mlx/parts.h"

#include <algorithm>

#include "engines/mlx/device.h"

namespace ingot::mlx_engine {
namespace {

constexpr int64_t kAlignment = 16;

// Of what may be halves, now or as other bits are read.
bool is_strict(const array& x, mx::Stream s) { return is_cuda(s) && x.itemsize() == 2 && x.size() > 1; }

}  // namespace

array part_of(const array& x, const mx::Shape& starts, const mx::Shape& stops, const mx::Shape& steps, mx::Stream s) {
  const array part = mx::slice(x, starts, stops, steps, s);
  return is_strict(part, s) && !begins_aligned(x, starts, part.shape()) ? copied(part, s) : part;
}

array strided_part_of(const array& x, const mx::Shape& shape, const mx::Strides& strides, size_t offset, mx::Stream s) {
  const array part = mx::as_strided(x, shape, strides, offset, s);
  const auto is_uneven = [&](int64_t elements) { return elements * int64_t(x.itemsize()) % kAlignment != 0; };
  const bool anywhere = is_uneven(static_cast<int64_t>(offset)) ||
                        (!strides.empty() && std::any_of(strides.begin(), strides.end() - 1, is_uneven));
  return is_strict(part, s) && anywhere ? copied(part, s) : part;
}

array flipped(const array& x, const std::vector<int>& axes, mx::Stream s) {
  const array view = mx::flip(x, axes, s);
  return is_strict(view, s) ? copied(view, s) : view;
}

bool begins_aligned(const array& x, const mx::Shape& starts, const mx::Shape& shape) {
  auto bytes = static_cast<int64_t>(x.itemsize());  // from an element of an axis to the next; its remainder is enough
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (starts[axis] * bytes % kAlignment != 0) return false;
    const int size = x.shape(static_cast<int>(axis));
    bytes = bytes * size % kAlignment;
    if (axis > 0 && shape[axis] < size && bytes != 0) return false;
  }
  return true;
}

array copied(const array& view, mx::Stream s) {
  if (view.size() == 0) return view;
  if (view.size() == 1) {
    const array one = mx::reshape(view, {1}, s);
    return mx::reshape(mx::slice(mx::concatenate({one, one}, 0, s), {0}, {1}, s), view.shape(), s);
  }
  const auto longer = std::ranges::find_if(view.shape(), [](int size) { return size > 1; });
  const auto axis = static_cast<size_t>(longer - view.shape().begin());
  mx::Shape start(view.ndim(), 0), first = view.shape();
  first[axis] = start[axis] = 1;
  const array head = mx::slice(view, mx::Shape(view.ndim(), 0), first, s);
  return mx::concatenate({head, mx::slice(view, start, view.shape(), s)}, static_cast<int>(axis), s);
}

}  // namespace ingot::mlx_engine
