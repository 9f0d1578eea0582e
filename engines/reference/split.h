// The axes of a tensor in two parts: those that an op reduces or norms over, and those that it keeps.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/reference/walk.h"

namespace ingot::reference {

// Some of the axes of a tensor.
struct Box {
  Sizes sizes, strides;
};

// One for `walk`, the other for a walk from each of its offsets.
struct Split {
  Box kept, reduced;
};

inline Split split(const Sizes& sizes, const std::vector<int64_t>& axes) {
  const Sizes strides = strides_of(sizes);
  std::vector<bool> is_reduced(sizes.size());
  for (int64_t axis : axes) is_reduced[static_cast<size_t>(from_front(axis, sizes.size()))] = true;
  Split result;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    Box& box = is_reduced[axis] ? result.reduced : result.kept;
    box.sizes.push_back(sizes[axis]);
    box.strides.push_back(strides[axis]);
  }
  return result;
}

}  // namespace ingot::reference
