// Resampling along one axis: which elements a position between them reads, and with which weights.
//
// Ownership  values. Threads  pure functions.
// Failure    none: positions may be any numbers, and what is far outside reads the border or nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/reference/frame.h"
#include "gen/ops.h"

namespace ingot::reference {

// What every position of a resized axis reads.
struct ResizedAxis {
  int64_t in = 0, out = 0;
  int64_t taps = 0;         // samples of a position
  Scratch<int64_t> first;   // of each position, may lie outside
  Scratch<double> weights;  // out × taps
  Scratch<char> cropped;    // of each position: it lies outside x and is extrapolated

  // The element that a sample reads: beyond the border the last one.
  int64_t element(int64_t position, int64_t tap) const;
  double weight(int64_t position, int64_t tap) const { return weights[static_cast<size_t>(position * taps + tap)]; }
};

// Axis number i of op.axes, of size `in` and `out`. Memory and steps are the frame's.
ResizedAxis resized_axis(const op::Resize& op, size_t i, int64_t in, int64_t out, Frame& frame);

// What one coordinate of a grid reads along an axis of `size` elements: up to four samples, -1 where there is none.
struct GridTaps {
  int count = 0;
  int64_t element[4] = {};
  double weight[4] = {};
};
// Precondition: size >= 1.
GridTaps grid_taps(const op::GridSample& op, double coordinate, int64_t size);

}  // namespace ingot::reference
