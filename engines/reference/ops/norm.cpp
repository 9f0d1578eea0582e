// Norms over the last axes. Sums in double, in index order; one rounding, at the store.
#include <cmath>

#include "engines/reference/kernel.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

// Calls f(first) with the position of the first element of each row: the axes from `axis` on are one row of n elements.
struct Rows {
  int64_t count, n;

  Rows(const Sizes& sizes, int64_t axis) {
    const auto leading = static_cast<size_t>(from_front(axis, sizes.size()));
    count = element_count(std::span(sizes).first(leading));
    n = element_count(std::span(sizes).subspan(leading));
  }

  template <class F>
  void each(F&& f) const {
    if (n == 0) return;
    for (int64_t row = 0; row < count; ++row) f(row * n);
  }
};

// mean((x - centre)²) of a row
double mean_square(const View<double>& x, int64_t first, int64_t n, double centre) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += (x[first + i] - centre) * (x[first + i] - centre);
  return sum / static_cast<double>(n);
}

double mean(const View<double>& x, int64_t first, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[first + i];
  return sum / static_cast<double>(n);
}

}  // namespace

// (x - mean) / sqrt(mean((x - mean)²) + eps) · weight + bias
static void kernel(const op::LayerNorm& op, Frame& frame) {
  const auto x = frame.in(op.x), weight = frame.in_or(op.weight, 1), bias = frame.in_or(op.bias, 0);
  const auto y = frame.out();
  frame.spend(x.size(), 2);
  const Rows rows(x.sizes(), op.axis);
  rows.each([&](int64_t first) {
    const double centre = mean(x, first, rows.n);
    const double root = std::sqrt(mean_square(x, first, rows.n, centre) + op.eps);
    for (int64_t i = 0; i < rows.n; ++i) y.store(first + i, (x[first + i] - centre) / root * weight[i] + bias[i]);
  });
}

// x / sqrt(mean(x²) + eps) · weight
static void kernel(const op::RmsNorm& op, Frame& frame) {
  const auto x = frame.in(op.x), weight = frame.in_or(op.weight, 1);
  const auto y = frame.out();
  frame.spend(x.size());
  const Rows rows(x.sizes(), op.axis);
  rows.each([&](int64_t first) {
    const double root = std::sqrt(mean_square(x, first, rows.n, 0) + op.eps);
    for (int64_t i = 0; i < rows.n; ++i) y.store(first + i, x[first + i] / root * weight[i]);
  });
}

INGOT_KERNELS(norm)

}  // namespace ingot::reference
