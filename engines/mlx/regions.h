// Regions of images, one in each row of a table: where their bins lie, and what is found in them.
//
// Ownership  values. Threads  as Frame. Failure  none.
#pragma once

#include <vector>

#include "engines/mlx/sampling.h"
#include "gen/ops.h"

namespace ingot::mlx_engine {

// Column i of a table [R, n] as [R, 1].
array column(const array& table, int i, mx::Stream s);

// ------------------------------------------------------------------------------------------------------------- align

// One axis of regions: equal bins from `start`, each with `samples` points in the middle of equal parts of it. `samples`
// is [R, 1], or one for all; the others are [R, 1].
struct RegionAxis {
  array start, bin, samples;
};

RegionAxis region_axis(const op::RoiAlign& op, const array& low, const array& high, int64_t bins, mx::Stream s);

// The elements around point number `sample` of each bin, [R, bins]: none further than 1 outside.
std::vector<AxisSample> region_samples(const RegionAxis& axis, int64_t bins, int64_t sample, int64_t size,
                                       mx::Stream s);
// The same with another axis of size 1.
std::vector<AxisSample> with_axis(std::vector<AxisSample> samples, int axis, mx::Stream s);

// The mean, or the largest, of what the points of a bin add. All values are [R, height, width, C].
class BinTotal {
 public:
  BinTotal(Frame& frame, RoiFn fn, mx::Dtype dtype);

  // Where `counts`, [R, 1, 1, 1], is false there is no such point.
  void add(const array& value, const array& counts);
  // `points` is [R, 1, 1, 1]: a bin without any is 0.
  array result(const array& points) const;

 private:
  array start() const;

  Frame& frame_;
  RoiFn fn_;
  mx::Dtype dtype_;
  mx::Stream s_;
  array none_, total_;
};

// -------------------------------------------------------------------------------------------------------------- pool

// The elements of one axis that each bin of a region covers, [R, bins, size]: corners rounded, and both within.
array covered(const array& low, const array& high, int64_t bins, int64_t size, mx::Stream s);

// The largest of values [R, …] along an axis in each bin of `bins` [R, bins, size], which take its place; `lowest` where
// it covers none.
array largest_in_bins(const array& values, const array& bins, int axis, const array& lowest, mx::Stream s);

}  // namespace ingot::mlx_engine
