// Boxes: rectangles, and how far two of them overlap.
//
// Ownership  values. Threads  pure functions. Failure  none.
#pragma once

#include <algorithm>
#include <array>

namespace ingot {

struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};

// Of two opposite corners (y, x, y, x), or with `center` of (x, y, width, height) about its centre.
inline Box box_of(const std::array<double, 4>& n, bool center) {
  if (center) return {n[1] - n[3] / 2, n[0] - n[2] / 2, n[1] + n[3] / 2, n[0] + n[2] / 2};
  return {std::min(n[0], n[2]), std::min(n[1], n[3]), std::max(n[0], n[2]), std::max(n[1], n[3])};
}

// Intersection over union; 0 where either has no area.
inline double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0 && width > 0 && a.area() > 0 && b.area() > 0)) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

}  // namespace ingot
