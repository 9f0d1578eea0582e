#include "engines/mlx/resample.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/mlx/cast.h"
#include "program/error.h"
#include "program/resample.h"

namespace ingot::mlx_engine {

// ------------------------------------------------------------------------------------------------------------ resize

ResizedAxis resized_axis(const op::Resize& op, Frame& frame, size_t i, int axis, int64_t in, int64_t out) {
  const Resampling resampling(op, i, in, out);
  const int64_t taps = resampling.taps();
  const Sizes table{taps, out};
  frame.spend(static_cast<uint64_t>(element_count(table)));
  frame.hold_table(table, 2 * (sizeof(int32_t) + sizeof(double)));  // with MLX's copy
  const auto size = static_cast<size_t>(taps * out);
  ResizedAxis result{axis, taps, out, std::vector<int32_t>(size), std::vector<double>(size), {}};
  std::vector<double> weights(static_cast<size_t>(taps));
  for (int64_t p = 0; p < out; ++p) {
    std::ranges::fill(weights, 0);
    const std::optional<int64_t> first = resampling.at(p, weights);
    result.cropped.push_back(!first);
    for (int64_t t = 0; t < taps; ++t) {
      const auto at = static_cast<size_t>(t * out + p);
      result.elements[at] = static_cast<int32_t>(std::clamp<int64_t>(first.value_or(0) + t, 0, in - 1));
      result.weights[at] = weights[static_cast<size_t>(t)];
    }
  }
  return result;
}

namespace {

// x along the axis as [taps, out], those of `first` and `count` taps behind it.
array taken(const array& x, const ResizedAxis& resized, int64_t first, int64_t count, mx::Stream s) {
  const array elements(resized.elements.begin() + first * resized.out, to_mlx(Sizes{count, resized.out}));
  return mx::take(x, elements, resized.axis, s);
}

// Σ weight · x of some taps.
array weighted_taps(const array& x, const ResizedAxis& resized, int64_t first, int64_t count, mx::Stream s) {
  mx::Shape shape(x.ndim() + 1, 1);
  const auto axis = static_cast<size_t>(resized.axis);
  shape[axis] = static_cast<int>(count);
  shape[axis + 1] = static_cast<int>(resized.out);
  const auto weights = resized.weights.begin() + first * resized.out, end = weights + count * resized.out;
  const array weight(weights, shape, x.dtype()), zero = number(0, x);
  array product = mx::multiply(taken(x, resized, first, count, s), weight, s);
  // What has no weight may be NaN.
  if (std::find(weights, end, 0.0) != end) product = mx::where(mx::equal(weight, zero, s), zero, product, s);
  return count == 1 ? mx::squeeze(product, resized.axis, s) : mx::sum(product, resized.axis, false, s);
}

}  // namespace

array take_nearest(const array& x, const ResizedAxis& resized, mx::Stream s) {
  return mx::squeeze(taken(x, resized, 0, 1, s), resized.axis, s);
}

// Few taps are added one by one; many, of an axis that shrinks, are few elements in all.
array interpolate(const array& x, const ResizedAxis& resized, mx::Stream s) {
  if (resized.taps > 8) return weighted_taps(x, resized, 0, resized.taps, s);
  array sum = number(0, x);
  for (int64_t t = 0; t < resized.taps; ++t) sum = mx::add(sum, weighted_taps(x, resized, t, 1, s), s);
  return sum;
}

array extrapolate(const array& y, const ResizedAxis& resized, const array& outside, mx::Stream s) {
  if (std::ranges::find(resized.cropped, true) == resized.cropped.end()) return y;
  mx::Shape shape(y.ndim(), 1);
  shape[static_cast<size_t>(resized.axis)] = static_cast<int>(resized.out);
  return mx::where(array(resized.cropped.begin(), shape, mx::bool_), outside, y, s);
}

// -------------------------------------------------------------------------------------------------------------- grid

namespace {

// One axis, and the places on it.
class GridAxis {
 public:
  GridAxis(const op::GridSample& op, int64_t size, mx::Dtype dtype, mx::Stream s)
      : op_(op), size_(size), length_(static_cast<double>(size)), dtype_(dtype), s_(s) {}

  std::vector<AxisSample> samples(const array& coordinate) const {
    const array x = place(coordinate);
    if (op_.mode == GridMode::cubic) return cubic(x);
    if (op_.mode == GridMode::linear) return samples_around(padded(x), size_, s_);
    return {sample_at(mx::round(padded(x), s_), of(1), size_, s_)};
  }

 private:
  array of(double value) const { return array(value, dtype_); }
  array clipped(const array& x, double low, double high) const { return mx::clip(x, of(low), of(high), s_); }

  // NaN counts as -1; what cannot be reflected reads the first element.
  array place(const array& coordinate) const {
    const array known = mx::where(mx::isnan(coordinate, s_), of(-1), coordinate, s_);
    const array from_left = mx::add(known, of(1), s_);
    const array x = op_.align_corners
                        ? mx::multiply(mx::divide(from_left, of(2), s_), of(length_ - 1), s_)
                        : mx::divide(mx::subtract(mx::multiply(from_left, of(length_), s_), of(1), s_), of(2), s_);
    const bool reflects = op_.padding == GridPadding::reflection;
    const array lost = reflects ? mx::logical_not(mx::isfinite(x, s_), s_) : mx::isnan(x, s_);
    return mx::where(lost, of(0), x, s_);
  }

  // Mirrored at `low` and `high` until it lies between them.
  array reflected(const array& x, double low, double high) const {
    const double span = high - low;
    if (span <= 0) return mx::full(x.shape(), of(low), s_);
    const array away = mx::abs(mx::subtract(x, of(low), s_), s_), rest = mx::remainder(away, of(span), s_);
    const array turns = mx::remainder(mx::floor(mx::divide(away, of(span), s_), s_), of(2), s_);
    return mx::where(mx::equal(turns, of(0), s_), mx::add(of(low), rest, s_), mx::subtract(of(high), rest, s_), s_);
  }

  // A coordinate or a sample where the padding puts it; itself for zeros.
  array padded(const array& x) const {
    if (op_.padding == GridPadding::zeros) return x;
    if (op_.padding == GridPadding::border) return clipped(x, 0, length_ - 1);
    const double margin = op_.align_corners ? 0 : 0.5;
    return clipped(reflected(x, -margin, length_ - 1 + margin), 0, length_ - 1);
  }

  // Keys' cubic of slope -3/4 for |t| in 0 … 1, or in 1 … 2.
  array keys(const array& t, bool within_one) const {
    constexpr double a = -0.75;
    const auto step = [&](const array& sum, double next) { return mx::add(mx::multiply(sum, t, s_), of(next), s_); };
    if (within_one) return step(step(step(of(a + 2), -(a + 3)), 0), 1);
    return step(step(step(of(a), -5 * a), 8 * a), -4 * a);
  }

  // The samples are padded, not the coordinate.
  std::vector<AxisSample> cubic(array x) const {
    if (op_.padding != GridPadding::reflection) x = clipped(x, -4, length_ + 4);
    const array below = mx::floor(x, s_), fraction = mx::subtract(x, below, s_);
    std::vector<AxisSample> samples;
    for (int k = -1; k <= 2; ++k) {
      const array distance = mx::abs(mx::subtract(fraction, of(k), s_), s_);
      const array weight = keys(distance, k == 0 || k == 1);
      samples.push_back(sample_at(padded(mx::add(below, of(k), s_)), weight, size_, s_));
    }
    return samples;
  }

  const op::GridSample& op_;
  int64_t size_;
  double length_;
  mx::Dtype dtype_;
  mx::Stream s_;
};

}  // namespace

std::vector<AxisSample> grid_samples(const op::GridSample& op, const array& coordinate, int64_t size, mx::Stream s) {
  return GridAxis(op, size, coordinate.dtype(), s).samples(coordinate);
}

}  // namespace ingot::mlx_engine
