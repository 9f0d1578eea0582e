// The shape that is left of one when axes are reduced, for the rules of several families.
//
// Threads    a pure function. Failure  none.
#pragma once

#include <span>
#include <vector>

#include "program/type.h"

namespace ingot {

// x without `axes` (counted from the front), or with size 1 there.
inline Shape reduced(const Shape& x, std::span<const int64_t> axes, bool keepdims) {
  Shape shape = x;
  for (int64_t axis : axes) shape[static_cast<size_t>(axis)] = 1;
  if (keepdims) return shape;
  std::vector<bool> dropped(x.size());
  for (int64_t axis : axes) dropped[static_cast<size_t>(axis)] = true;
  Shape rest;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!dropped[i]) rest.push_back(x[i]);
  }
  return rest;
}

}  // namespace ingot
