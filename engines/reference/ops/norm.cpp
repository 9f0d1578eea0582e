// Norms. Sums in double, in index order; one rounding, at the store.
#include <algorithm>
#include <cmath>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/split.h"
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

// The elements that one norm is made of.
struct Group {
  int64_t first;
  const Box& box;

  template <class F>
  void each(F&& f) const {
    walk(box.sizes, [&](int64_t, int64_t offset) { f(first + offset); }, box.strides);
  }
};

// (Σ |x|^p)^(1/p), of x / max |x| where that is a number, so that no power is out of range. p = inf: the largest.
double p_norm(const View<double>& x, const Group& group, double p) {
  double largest = 0, sum = 0;
  group.each([&](int64_t i) { largest = larger(largest, std::abs(x[i])); });
  if (std::isinf(p)) return largest;
  const double unit = largest > 0 && std::isfinite(largest) ? largest : 1;
  group.each([&](int64_t i) { sum += std::pow(std::abs(x[i]) / unit, p); });
  return unit * std::pow(sum, 1 / p);
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

// layer_norm of x [N,G,C/G,…] from axis 2 on, then weight and bias of the channels
static void kernel(const op::GroupNorm& op, Frame& frame) {
  const auto x = frame.in(op.x), weight = frame.in_or(op.weight, 1), bias = frame.in_or(op.bias, 0);
  const auto y = frame.out();
  frame.spend(x.size(), 2);
  if (x.size() == 0) return;
  const int64_t n = x.size() / x.sizes()[0] / op.groups, channel = x.size() / x.sizes()[0] / x.sizes()[1];
  for (int64_t first = 0; first < x.size(); first += n) {
    const double centre = mean(x, first, n), root = std::sqrt(mean_square(x, first, n, centre) + op.eps);
    for (int64_t i = first; i < first + n; ++i) {
      const int64_t c = i / channel % x.sizes()[1];
      y.store(i, (x[i] - centre) / root * weight[c] + bias[c]);
    }
  }
}

// (x - mean) / sqrt(var + eps) · weight + bias
static void kernel(const op::BatchNorm& op, Frame& frame) {
  const auto x = frame.in(op.x), mean = frame.in(op.mean), var = frame.in(op.var);
  const auto weight = frame.in_or(op.weight, 1), bias = frame.in_or(op.bias, 0);
  const auto y = frame.out();
  const Lanes lanes(x.sizes(), from_front(op.axis, x.sizes().size()));
  lanes.each([&](int64_t o, int64_t i) {
    for (int64_t c = 0; c < lanes.size; ++c) {
      const double centred = x[lanes.at(o, c, i)] - mean[c];
      y.store(lanes.at(o, c, i), centred / std::sqrt(var[c] + op.eps) * weight[c] + bias[c]);
    }
  });
}

// x / (bias + alpha/size·Σ x²)^beta, over channels c - ⌊(size-1)/2⌋ … c + ⌈(size-1)/2⌉ where there are such
static void kernel(const op::LocalResponseNorm& op, Frame& frame) {
  const auto x = frame.in(op.x);
  const auto y = frame.out();
  const Lanes lanes(x.sizes(), 1);
  frame.spend(x.size(), std::min(op.size, lanes.size));
  const int64_t before = (op.size - 1) / 2, after = op.size - 1 - before;
  lanes.each([&](int64_t o, int64_t i) {
    for (int64_t c = 0; c < lanes.size; ++c) {
      double sum = 0;
      const int64_t first = c - std::min(c, before), last = c + std::min(lanes.size - 1 - c, after);
      for (int64_t k = first; k <= last; ++k) sum += x[lanes.at(o, k, i)] * x[lanes.at(o, k, i)];
      const double base = op.bias + op.alpha / static_cast<double>(op.size) * sum;
      y.store(lanes.at(o, c, i), x[lanes.at(o, c, i)] / std::pow(base, op.beta));
    }
  });
}

// x / max(‖x‖_p, eps); 0 where that is 0
static void kernel(const op::LpNormalize& op, Frame& frame) {
  const auto x = frame.in(op.x);
  const auto y = frame.out();
  frame.spend(x.size(), 2);
  if (x.size() == 0) return;
  const Split axes = split(x.sizes(), op.axes);
  walk(
      axes.kept.sizes,
      [&](int64_t, int64_t first) {
        const Group group{first, axes.reduced};
        const double norm = larger(p_norm(x, group, op.p), op.eps);
        group.each([&](int64_t i) { y.store(i, norm == 0 ? 0 : x[i] / norm); });
      },
      axes.kept.strides);
}

INGOT_KERNELS(norm)

}  // namespace ingot::reference
