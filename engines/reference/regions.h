// Regions of an image: the points and elements that their bins read, along one axis.
//
// Threads    pure functions. Failure  none: corners are finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gen/ops.h"

namespace ingot::reference {

// One axis of a region of an image: `bins` equal parts from `start`, each with `samples` points in the middle of equal
// parts of it.
struct RegionAxis {
  double start, bin;
  int64_t samples;

  double point(int64_t b, int64_t s) const {
    return start + static_cast<double>(b) * bin + (static_cast<double>(s) + 0.5) * bin / static_cast<double>(samples);
  }
};

inline RegionAxis region_axis(const op::RoiAlign& op, double low, double high, int64_t bins) {
  const double start = low * op.scale - (op.half_pixel ? 0.5 : 0), size = (high - low) * op.scale;
  const double bin = (op.half_pixel ? size : std::max(size, 1.0)) / static_cast<double>(bins);
  if (op.sampling > 0) return {start, bin, op.sampling};
  return {start, bin, static_cast<int64_t>(std::clamp(std::ceil(bin), 0.0, 0x1p31))};
}

// The two elements of an axis that a point lies between, and the weight of each: none further than 1 outside.
struct Between {
  int64_t element[2] = {};
  double weight[2] = {};
};

inline Between between(double point, int64_t size) {
  if (size == 0 || !(point >= -1 && point <= static_cast<double>(size))) return {};
  point = std::clamp<double>(point, 0, static_cast<double>(size - 1));
  const double below = std::floor(point);
  const auto low = static_cast<int64_t>(below);
  return {{low, std::min(low + 1, size - 1)}, {1 - (point - below), point - below}};
}

// The elements of one axis that bin b of a region covers: corners rounded, halves away from 0, and both within.
struct Covered {
  int64_t first, end;
};

inline Covered covered(double low, double high, int64_t b, int64_t bins, int64_t size) {
  constexpr double far = 0x1p52;  // where a double has no fractions left, beyond every axis
  const double start = std::clamp(std::round(low), -far, far), end = std::clamp(std::round(high), -far, far);
  const double length = std::max(end - start + 1, 1.0);
  const double bin = length / static_cast<double>(bins);
  const auto within = [&](double at) {
    return static_cast<int64_t>(std::clamp<double>(at, 0, static_cast<double>(size)));
  };
  return {within(std::floor(static_cast<double>(b) * bin) + start),
          within(std::ceil(static_cast<double>(b + 1) * bin) + start)};
}

}  // namespace ingot::reference
