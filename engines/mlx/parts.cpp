#include "engines/mlx/parts.h"

#include <algorithm>

#include "engines/mlx/device.h"

namespace ingot::mlx_engine {
namespace {

constexpr int64_t kAlignment = 16;

// Where every row may be asked to begin on kAlignment bytes.
bool is_strict(const array& x, mx::Stream s) {
  return is_cuda(s) && (x.dtype() == mx::float16 || x.dtype() == mx::bfloat16);
}

// Whether the rows of a part begin there, if x does and is dense.
bool is_aligned(const array& x, const mx::Shape& starts, const array& part) {
  auto bytes = static_cast<int64_t>(x.itemsize());  // from one element of an axis to the next
  for (size_t axis = x.ndim(); axis-- > 0;) {
    if (starts[axis] * bytes % kAlignment != 0) return false;
    const int size = x.shape(static_cast<int>(axis));
    bytes *= size;
    if (axis > 0 && part.shape(static_cast<int>(axis)) < size && bytes % kAlignment != 0) return false;
  }
  return true;
}

}  // namespace

array part_of(const array& x, const mx::Shape& starts, const mx::Shape& stops, const mx::Shape& steps, mx::Stream s) {
  const array part = mx::slice(x, starts, stops, steps, s);
  return is_strict(x, s) && !is_aligned(x, starts, part) ? copied(part, s) : part;
}

array strided_part_of(const array& x, const mx::Shape& shape, const mx::Strides& strides, size_t offset, mx::Stream s) {
  const array part = mx::as_strided(x, shape, strides, offset, s);
  const auto is_uneven = [&](int64_t elements) {
    return elements * static_cast<int64_t>(x.itemsize()) % kAlignment != 0;
  };
  const bool anywhere = is_uneven(static_cast<int64_t>(offset)) || std::ranges::any_of(strides, is_uneven);
  return is_strict(x, s) && anywhere ? copied(part, s) : part;
}

array copied(const array& view, mx::Stream s) {
  const auto longer = std::ranges::find_if(view.shape(), [](int size) { return size > 1; });
  if (longer == view.shape().end()) return view;  // one element, or none
  const auto axis = static_cast<size_t>(longer - view.shape().begin());
  mx::Shape start(view.ndim(), 0), first = view.shape();
  first[axis] = start[axis] = 1;
  const array head = mx::slice(view, mx::Shape(view.ndim(), 0), first, s);
  return mx::concatenate({head, mx::slice(view, start, view.shape(), s)}, static_cast<int>(axis), s);
}

}  // namespace ingot::mlx_engine
