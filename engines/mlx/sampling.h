// Sampling: elements of x at places that are values, between its elements too.
//
// Places are computed in f64 where the device has it, so that they round as those of the other engines do. MLX checks no
// index: every element named here exists, and one that is not to be read has weight 0.
//
// Ownership  values. Threads  as Frame. Failure  none.
#pragma once

#include <vector>

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// What places are computed in.
inline mx::Dtype place_dtype(const Frame& frame) { return frame.on_cpu() ? mx::float64 : mx::float32; }

// An element of one axis, i32, and its weight.
struct AxisSample {
  array element, weight;
};

// The element at a place that is a whole number, or NaN; outside an axis of that size its weight is 0.
AxisSample sample_at(const array& place, const array& weight, int64_t size, mx::Stream s);
// The two elements around a place, weighted by how near they are.
std::vector<AxisSample> samples_around(const array& place, int64_t size, mx::Stream s);

// x [A, C, axes…] as rows of C elements.
array channel_rows(const array& x, mx::Stream s);

struct Sample {
  array row, weight;
};
// Every combination of a sample of each axis, in row-major order. `entry` is a's number, the sizes are those of the axes;
// all arrays broadcast to each other.
std::vector<Sample> combined(const array& entry, const std::vector<std::vector<AxisSample>>& axes, const Sizes& sizes,
                             mx::Stream s);

// Rows behind a new last axis, times their weight; those of weight 0 are 0, whatever they hold.
array weighted(const array& rows, const Sample& sample, mx::Stream s);
// The same without a product, for any dtype.
array unweighted(const array& rows, const Sample& sample, mx::Stream s);
array weighted_sum(const array& rows, const std::vector<Sample>& samples, mx::Stream s);

}  // namespace ingot::mlx_engine
