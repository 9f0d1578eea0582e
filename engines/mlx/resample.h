// Resampling along one axis: by tables that sizes decide, and at the coordinates of a grid.
//
// Ownership  values. Threads  as Frame.
// Failure    Code::limit where a scale makes positions read more than limits allow a table to hold. Positions may be any
//            numbers: what is far outside reads the border or nothing.
#pragma once

#include <vector>

#include "engines/mlx/sampling.h"
#include "gen/ops.h"

namespace ingot::mlx_engine {

// What every position of a resized axis reads.
struct ResizedAxis {
  int axis;
  int64_t taps, out;
  std::vector<int32_t> elements;  // taps × out; beyond the border the last one
  std::vector<double> weights;    // taps × out
  std::vector<bool> cropped;      // of each position: it lies outside x and is extrapolated
};

// Axis number i of op.axes, of size `in` and `out`, charged to the frame before it is built. Precondition: `factors` and
// `region` stand in scales and roi.
ResizedAxis resized_axis(const op::Resize& op, Frame& frame, size_t i, int axis, int64_t in, int64_t out);

// y[..., p, ...] = x[..., element(p, 0), ...] along the axis.
array take_nearest(const array& x, const ResizedAxis& resized, mx::Stream s);
// y[..., p, ...] = Σ weight(p, t) · x[..., element(p, t), ...] along the axis.
array interpolate(const array& x, const ResizedAxis& resized, mx::Stream s);
// y, but for what is extrapolated.
array extrapolate(const array& y, const ResizedAxis& resized, const array& outside, mx::Stream s);

// What one coordinate of a grid reads along an axis of `size` elements. Precondition: size >= 1.
std::vector<AxisSample> grid_samples(const op::GridSample& op, const array& coordinate, int64_t size, mx::Stream s);

}  // namespace ingot::mlx_engine
