#include "engines/reference/resample.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "program/resample.h"

namespace ingot::reference {

// ------------------------------------------------------------------------------------------------------------ resize

int64_t ResizedAxis::element(int64_t position, int64_t tap) const {
  return std::clamp<int64_t>(first[static_cast<size_t>(position)] + tap, 0, in - 1);
}

ResizedAxis resized_axis(const op::Resize& op, size_t i, int64_t in, int64_t out, Frame& frame) {
  const Resampling resampling(op, i, in, out);
  ResizedAxis axis;
  axis.in = in;
  axis.out = out;
  axis.taps = resampling.taps();
  frame.spend(out, axis.taps);
  axis.first = frame.scratch<int64_t>(out);
  axis.cropped = frame.scratch<char>(out);
  axis.weights = frame.scratch<double>(element_count(Sizes{out, axis.taps}));
  const auto taps = static_cast<size_t>(axis.taps);
  for (size_t p = 0; p < axis.first.size(); ++p) {
    const auto weights = std::span(axis.weights).subspan(p * taps, taps);
    const std::optional<int64_t> first = resampling.at(static_cast<int64_t>(p), weights);
    axis.cropped[p] = !first;
    axis.first[p] = first.value_or(0);
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
