#include "program/resample.h"

#include <algorithm>
#include <cmath>

namespace ingot {

double triangle(double t) { return std::max(0.0, 1 - std::abs(t)); }

double keys(double t, double a) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((t - 5) * t + 8) * t * a - 4 * a;
  return 0;
}

namespace {

// Position i of the output in elements of the input. s is the scale, `length` the length of the output that it implies.
double resized_coordinate(const op::Resize& op, size_t axis, double i, double in, double out) {
  const double s = op.scales.empty() ? out / in : op.scales[axis];
  const double length = op.scales.empty() ? out : s * in;
  switch (op.coordinates) {
    case ResizeCoordinates::half_pixel: return (i + 0.5) / s - 0.5;
    case ResizeCoordinates::half_pixel_symmetric: return in / 2 * (1 - out / length) + (i + 0.5) / s - 0.5;
    case ResizeCoordinates::pytorch_half_pixel: return length == 1 ? 0 : (i + 0.5) / s - 0.5;
    case ResizeCoordinates::align_corners: return length == 1 ? 0 : i * (in - 1) / (length - 1);
    case ResizeCoordinates::asymmetric: return i / s;
    case ResizeCoordinates::tf_crop_and_resize: break;
  }
  const double start = op.roi[axis], end = op.roi[axis + op.axes.size()];
  if (length == 1) return (start + end) * (in - 1) / 2;
  return start * (in - 1) + i * (end - start) * (in - 1) / (length - 1);
}

// 0 for the element at or below the coordinate, 1 for the one above.
int nearest_tap(ResizeRounding rounding, double fraction) {
  if (fraction == 0) return 0;
  switch (rounding) {
    case ResizeRounding::round_prefer_floor: return fraction > 0.5;
    case ResizeRounding::round_prefer_ceil: return fraction >= 0.5;
    case ResizeRounding::floor: return 0;
    case ResizeRounding::ceil: return 1;
  }
  return 0;
}

// Weights sum to 1; where all are 0 they stay so.
void normalise(std::span<double> weights) {
  double sum = 0;
  for (double w : weights) sum += w;
  if (sum == 0) return;
  for (double& w : weights) w /= sum;
}

// How far the kernel reaches on either side of a position.
double reach(const op::Resize& op, double shrink) { return (op.mode == ResizeMode::cubic ? 2 : 1) / shrink; }

}  // namespace

Resampling::Resampling(const op::Resize& op, size_t axis, int64_t in, int64_t out)
    : op_(op), axis_(axis), in_(in), out_(out) {
  const double scale = op.scales.empty() ? static_cast<double>(out) / static_cast<double>(in) : op.scales[axis];
  shrink_ = op.antialias ? std::min(scale, 1.0) : 1;
  start_ = static_cast<int64_t>(std::floor(-reach(op, shrink_))) + 1;
  taps_ = op.mode == ResizeMode::nearest ? 1 : 2 - 2 * start_;
}

// Samples base + start … base + 1 - start with base < coordinate <= base + 1, weighted kernel((k - fraction)·shrink).
std::optional<int64_t> Resampling::at(int64_t position, std::span<double> weights) const {
  const auto in = static_cast<double>(in_);
  double x = resized_coordinate(op_, axis_, static_cast<double>(position), in, static_cast<double>(out_));
  if (op_.coordinates == ResizeCoordinates::tf_crop_and_resize && !(x >= 0 && x <= in - 1)) return {};
  const double beyond = reach(op_, shrink_) + 2;
  x = std::clamp(x, -beyond, in + beyond);  // all samples are outside there
  if (op_.mode == ResizeMode::nearest) {
    const double below = std::floor(x);
    weights[0] = 1;
    return static_cast<int64_t>(below) + nearest_tap(op_.rounding, x - below);
  }
  const double base = std::ceil(x) - 1;
  const int64_t first = static_cast<int64_t>(base) + start_;
  for (int64_t k = 0; k < taps_; ++k) {
    const double t = (static_cast<double>(start_ + k) - (x - base)) * shrink_;
    const int64_t element = first + k;
    const bool counts = !op_.exclude_outside || (element >= 0 && element < in_);
    const double w = op_.mode == ResizeMode::cubic ? keys(t, op_.cubic_coefficient) : triangle(t);
    weights[static_cast<size_t>(k)] = counts ? w : 0;
  }
  if (op_.exclude_outside || op_.antialias) normalise(weights);
  return first;
}

}  // namespace ingot
