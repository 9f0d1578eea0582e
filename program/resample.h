// Resampling along one axis: which elements a position between them reads, and with which weights.
//
// Ownership  a Resampling looks at its op, which must outlive it. Threads  pure functions.
// Failure    none: positions may be any numbers, and what is far outside reads the border or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gen/ops.h"

namespace ingot {

// 1 - |t| within 1, else 0.
double triangle(double t);
// Keys' cubic: 1 at 0, 0 at the other integers and beyond 2; `a` is its slope at 1.
double keys(double t, double a);

// Axis number `axis` of op.axes, of size `in` and `out`. Precondition: `factors` and `region` stand in scales and roi.
class Resampling {
 public:
  Resampling(const op::Resize& op, size_t axis, int64_t in, int64_t out);

  // Samples of each position of the result.
  int64_t taps() const { return taps_; }
  // The first element that a position reads, and the weights of that one and those behind it; elements outside the axis
  // stand for the last one. None: it lies outside x and is extrapolated. Precondition: there are `taps` weights.
  std::optional<int64_t> at(int64_t position, std::span<double> weights) const;

 private:
  const op::Resize& op_;
  size_t axis_;
  int64_t in_, out_, start_, taps_;
  double shrink_;
};

}  // namespace ingot
