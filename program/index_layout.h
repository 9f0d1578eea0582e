// IndexLayout: where the axes of x go when index_get replaces some of them by the axes of its indices, as NumPy does.
//
// Threads    pure functions. Failure  none: inference has checked axes and shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ingot {

struct IndexLayout {
  std::vector<int64_t> kept;  // axes of x that no index names, in order
  size_t front = 0;           // those before the indexed axes where these are neighbours, else 0
};

// Axes may count from the end.
IndexLayout index_layout(std::span<const int64_t> axes, size_t rank);

// kept[0 … front-1], the axes of the indices, kept[front …], of whatever `of_kept` and `of_indices` are lists of.
template <class T>
std::vector<T> laid_out(const IndexLayout& layout, const std::vector<T>& of_kept, const std::vector<T>& of_indices) {
  std::vector<T> all(of_kept.begin(), of_kept.begin() + static_cast<std::ptrdiff_t>(layout.front));
  all.insert(all.end(), of_indices.begin(), of_indices.end());
  all.insert(all.end(), of_kept.begin() + static_cast<std::ptrdiff_t>(layout.front), of_kept.end());
  return all;
}

// Two shapes that broadcast, as one.
template <class T>
std::vector<T> stretched(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result = a.size() >= b.size() ? a : b;
  const std::vector<T>& shorter = a.size() >= b.size() ? b : a;
  for (size_t i = 0, lead = result.size() - shorter.size(); i < shorter.size(); ++i) {
    if (result[lead + i] == 1) result[lead + i] = shorter[i];
  }
  return result;
}

}  // namespace ingot
