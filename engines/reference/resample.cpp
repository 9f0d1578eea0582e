#include "engines/reference/resample.h"

#include <algorithm>
#include <cmath>

namespace ingot::reference {

double triangle(double t) { return std::max(0.0, 1 - std::abs(t)); }

double keys(double t, double a) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((t - 5) * t + 8) * t * a - 4 * a;
  return 0;
}

// ------------------------------------------------------------------------------------------------------------ resize

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

int64_t ResizedAxis::element(int64_t position, int64_t tap) const {
  return std::clamp<int64_t>(first[static_cast<size_t>(position)] + tap, 0, in - 1);
}

// Samples base + start … base + 1 - start with base < coordinate <= base + 1, weighted kernel((k - fraction)·shrink).
ResizedAxis resized_axis(const op::Resize& op, size_t i, int64_t in, int64_t out, Frame& frame) {
  ResizedAxis axis;
  axis.in = in;
  axis.out = out;
  const auto in_length = static_cast<double>(in), out_length = static_cast<double>(out);
  const bool nearest = op.mode == ResizeMode::nearest;
  const double scale = op.scales.empty() ? out_length / in_length : op.scales[i];
  const double shrink = op.antialias ? std::min(scale, 1.0) : 1;
  const auto start = static_cast<int64_t>(std::floor(-reach(op, shrink))) + 1;
  axis.taps = nearest ? 1 : 2 - 2 * start;
  frame.spend(out, axis.taps);
  axis.first = frame.scratch<int64_t>(out);
  axis.cropped = frame.scratch<char>(out);
  axis.weights = frame.scratch<double>(element_count(Sizes{out, axis.taps}));
  for (int64_t p = 0; p < out; ++p) {
    const auto at = static_cast<size_t>(p);
    double x = resized_coordinate(op, i, static_cast<double>(p), in_length, out_length);
    axis.cropped[at] = op.coordinates == ResizeCoordinates::tf_crop_and_resize && !(x >= 0 && x <= in_length - 1);
    if (axis.cropped[at]) continue;
    const double beyond = reach(op, shrink) + 2;
    x = std::clamp(x, -beyond, in_length + beyond);  // all samples are outside there
    if (nearest) {
      const double below = std::floor(x);
      axis.first[at] = static_cast<int64_t>(below) + nearest_tap(op.rounding, x - below);
      axis.weights[at] = 1;
      continue;
    }
    const double base = std::ceil(x) - 1;
    axis.first[at] = static_cast<int64_t>(base) + start;
    const auto weights =
        std::span(axis.weights).subspan(at * static_cast<size_t>(axis.taps), static_cast<size_t>(axis.taps));
    for (int64_t k = 0; k < axis.taps; ++k) {
      const double t = (static_cast<double>(start + k) - (x - base)) * shrink;
      const int64_t element = axis.first[at] + k;
      const bool counts = !op.exclude_outside || (element >= 0 && element < in);
      const double w = op.mode == ResizeMode::cubic ? keys(t, op.cubic_coefficient) : triangle(t);
      weights[static_cast<size_t>(k)] = counts ? w : 0;
    }
    if (op.exclude_outside || op.antialias) normalise(weights);
  }
  return axis;
}

// -------------------------------------------------------------------------------------------------------------- grid

namespace {

// Mirrored at `low` and `high` until it lies between them.
double reflected(double x, double low, double high) {
  const double span = high - low;
  if (span <= 0) return low;
  const double away = std::abs(x - low), rest = std::fmod(away, span);
  return std::fmod(std::floor(away / span), 2) == 0 ? low + rest : high - rest;
}

// A coordinate or a sample where the padding puts it; itself for zeros.
double padded(const op::GridSample& op, double x, double size) {
  if (op.padding == GridPadding::zeros) return x;
  if (op.padding == GridPadding::reflection) {
    x = op.align_corners ? reflected(x, 0, size - 1) : reflected(x, -0.5, size - 0.5);
  }
  return std::clamp<double>(x, 0, size - 1);
}

int64_t element_at(double sample, double size) {
  return sample >= 0 && sample <= size - 1 ? static_cast<int64_t>(sample) : -1;
}

constexpr double kGridCubic = -0.75;

}  // namespace

// -1 and 1 are the middles of the first and last element with align_corners, else their outer borders. NaN counts as -1;
// what cannot be reflected reads the first element.
GridTaps grid_taps(const op::GridSample& op, double coordinate, int64_t size) {
  const auto n = static_cast<double>(size);
  if (std::isnan(coordinate)) coordinate = -1;
  double x = op.align_corners ? (coordinate + 1) / 2 * (n - 1) : ((coordinate + 1) * n - 1) / 2;
  if (std::isnan(x) || (std::isinf(x) && op.padding == GridPadding::reflection)) x = 0;
  GridTaps taps;
  if (op.mode == GridMode::cubic) {  // the samples are padded, not the coordinate
    if (op.padding != GridPadding::reflection) x = std::clamp(x, -4.0, n + 4);
    const double below = std::floor(x);
    for (int k = -1; k <= 2; ++k, ++taps.count) {
      taps.element[taps.count] = element_at(padded(op, below + k, n), n);
      taps.weight[taps.count] = keys(x - below - k, kGridCubic);
    }
    return taps;
  }
  x = padded(op, x, n);
  if (op.mode == GridMode::nearest) {
    taps = {1, {element_at(std::nearbyint(x), n)}, {1}};
    return taps;
  }
  const double below = std::floor(x);
  for (int k = 0; k <= 1; ++k, ++taps.count) {
    taps.element[taps.count] = element_at(below + k, n);
    taps.weight[taps.count] = triangle(x - below - k);
  }
  return taps;
}

}  // namespace ingot::reference
