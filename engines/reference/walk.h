// Walks over boxes of elements in row-major order: the index arithmetic that kernels share.
//
// A walk over an empty box does nothing, however large its other sizes are.
// Threads    pure functions. Failure  none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "program/tensor.h"

namespace ingot::reference {

inline int64_t from_front(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

// Elements from one position of an axis to the next.
inline Sizes strides_of(const Sizes& sizes) {
  Sizes strides(sizes.size());
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return strides;
}

// Strides over `from` for a walk over `to`: axes align at the end, and one of size 1 stays where it is.
inline Sizes broadcast_strides(const Sizes& from, const Sizes& to) {
  const Sizes dense = strides_of(from);
  Sizes strides(to.size());
  const size_t added = to.size() - from.size();
  for (size_t axis = 0; axis < from.size(); ++axis) strides[added + axis] = from[axis] == 1 ? 0 : dense[axis];
  return strides;
}

// Calls f(i, offset...) for the i-th element of the box, with its offset by each of `strides`.
template <class F, class... Strides>
void walk(const Sizes& sizes, F&& f, const Strides&... strides) {
  constexpr size_t n = sizeof...(strides);
  const std::array<const Sizes*, n> by{&strides...};
  std::array<int64_t, n> offsets{};
  Sizes at(sizes.size());
  const auto advance = [&] {
    for (size_t axis = sizes.size(); axis-- > 0;) {
      const bool wraps = ++at[axis] == sizes[axis];
      const int64_t steps = wraps ? 1 - sizes[axis] : 1;
      for (size_t k = 0; k < n; ++k) offsets[k] += steps * (*by[k])[axis];
      if (!wraps) return;
      at[axis] = 0;
    }
  };
  for (int64_t i = 0, count = element_count(sizes); i < count; ++i, advance()) {
    std::apply([&](auto... offset) { f(i, offset...); }, offsets);
  }
}

// A tensor seen along one axis: element k of lane (o, i) is at (o·size + k)·inner + i.
struct Lanes {
  int64_t outer, size, inner;

  Lanes(const Sizes& sizes, int64_t axis)
      : outer(element_count(std::span(sizes).first(static_cast<size_t>(axis)))),
        size(sizes[static_cast<size_t>(axis)]),
        inner(element_count(std::span(sizes).subspan(static_cast<size_t>(axis) + 1))) {}

  int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * size + k) * inner + i; }

  // Calls f(o, i) for every lane, unless there is no element in any.
  template <class F>
  void each(F&& f) const {
    if (size == 0 || inner == 0) return;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) f(o, i);
    }
  }
};

}  // namespace ingot::reference
