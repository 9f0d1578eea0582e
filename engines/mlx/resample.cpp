#include "engines/mlx/resample.h"

#include <algorithm>

#include "engines/mlx/cast.h"
#include "program/resample.h"

namespace ingot::mlx_engine {

// ------------------------------------------------------------------------------------------------------------ resize

ResizedAxis resized_axis(const op::Resize& op, size_t i, int axis, int64_t in, int64_t out) {
  const Resampling resampling(op, i, in, out);
  const auto taps = static_cast<size_t>(resampling.taps()), positions = static_cast<size_t>(out);
  ResizedAxis result{axis, {}, {}, std::vector<bool>(positions)};
  result.elements.assign(taps, std::vector<int32_t>(positions));
  result.weights.assign(taps, std::vector<double>(positions));
  for (size_t p = 0; p < positions; ++p) {
    std::vector<double> weights(taps);
    const std::optional<int64_t> first = resampling.at(static_cast<int64_t>(p), weights);
    result.cropped[p] = !first;
    for (size_t t = 0; t < taps; ++t) {
      const int64_t element = first.value_or(0) + static_cast<int64_t>(t);
      result.elements[t][p] = static_cast<int32_t>(std::clamp<int64_t>(element, 0, in - 1));
      result.weights[t][p] = weights[t];
    }
  }
  return result;
}

namespace {

// A list along one axis of a shape of that rank.
template <class T>
array along(const std::vector<T>& values, int axis, size_t rank, mx::Dtype dtype) {
  mx::Shape shape(rank, 1);
  shape[static_cast<size_t>(axis)] = static_cast<int>(values.size());
  return array(values.begin(), shape, dtype);
}

array taken(const array& x, const ResizedAxis& resized, size_t tap, mx::Stream s) {
  return mx::take(x, along(resized.elements[tap], 0, 1, mx::int32), resized.axis, s);
}

}  // namespace

array take_nearest(const array& x, const ResizedAxis& resized, mx::Stream s) { return taken(x, resized, 0, s); }

array interpolate(const array& x, const ResizedAxis& resized, mx::Stream s) {
  const array zero = number(0, x);
  array sum = zero;
  for (size_t t = 0; t < resized.weights.size(); ++t) {
    const std::vector<double>& weights = resized.weights[t];
    const auto zeros = std::ranges::count(weights, 0.0);
    if (zeros == std::ssize(weights)) continue;
    const array weight = along(weights, resized.axis, x.ndim(), x.dtype());
    array product = mx::multiply(taken(x, resized, t, s), weight, s);
    if (zeros > 0) product = mx::where(mx::equal(weight, zero, s), zero, product, s);  // what it reads may be NaN
    sum = mx::add(sum, product, s);
  }
  mx::Shape shape = x.shape();
  shape[static_cast<size_t>(resized.axis)] = static_cast<int>(resized.cropped.size());
  return mx::broadcast_to(sum, shape, s);
}

array extrapolate(const array& y, const ResizedAxis& resized, const array& outside, mx::Stream s) {
  if (std::ranges::find(resized.cropped, true) == resized.cropped.end()) return y;
  return mx::where(along(resized.cropped, resized.axis, y.ndim(), mx::bool_), outside, y, s);
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
