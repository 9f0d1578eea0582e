#include "program/index_layout.h"

#include <algorithm>

namespace ingot {

IndexLayout index_layout(std::span<const int64_t> axes, size_t rank) {
  std::vector<bool> indexed(rank);
  size_t first = rank, last = 0;
  for (int64_t given : axes) {
    const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(rank) : given);
    indexed[axis] = true;
    first = std::min(first, axis);
    last = std::max(last, axis);
  }
  IndexLayout layout;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!indexed[axis]) layout.kept.push_back(static_cast<int64_t>(axis));
  }
  const bool neighbours = !axes.empty() && last - first + 1 == axes.size();
  layout.front = neighbours ? first : 0;
  return layout;
}

}  // namespace ingot
