// Ops that make values from attributes. Reals in double, one rounding at the store; integers wrap around.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/random.h"
#include "engines/reference/walk.h"
#include "program/decompose.h"
#include "program/float_format.h"

namespace ingot::reference {
namespace {

// Box-Muller, from the two uniforms of the element.
double normal(const Words& words, uint64_t n, bool wide) {
  const double u1 = uniform(words, n, wide), u2 = uniform(words, n + (wide ? 2 : 1), wide);
  return std::sqrt(-2 * std::log(1 - u1)) * std::cos(2 * std::numbers::pi * u2);
}

// The largest number below 1, so that rounding to the dtype does not reach it.
double below_one(DType dtype) { return 1 - std::ldexp(1, -1 - float_format(dtype)->mantissa_bits); }

}  // namespace

// start + i·step
static void kernel(const op::Iota& op, Frame& frame) {
  with_domain(op.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const Out<T> y = frame.out<T>();
      const T start = scalar_as<T>(op.start.value_or(Scalar(0))), step = scalar_as<T>(op.step.value_or(Scalar(1)));
      for (int64_t i = 0, n = y.size(); i < n; ++i) y.store(i, add(start, multiply(static_cast<T>(i), step)));
    }
  });
}

static void kernel(const op::Full& op, Frame& frame) {
  with_domain(op.dtype, [&]<class T>() {
    const Out<T> y = frame.out<T>();
    for (int64_t i = 0, n = y.size(); i < n; ++i) y.store(i, scalar_as<T>(op.value));
  });
}

// offset + scale·sample, of the words i·w and on
static void kernel(const op::Random& op, Frame& frame) {
  const Words words(frame.in<uint64_t>(op.key));
  const bool wide = takes_two_words(op.dtype);
  const uint64_t w = (wide ? 2 : 1) * (op.fn == RandomFn::normal ? 2 : 1);
  if (op.fn == RandomFn::bits) {
    const Out<uint64_t> y = frame.out<uint64_t>();
    for (int64_t i = 0, n = y.size(); i < n; ++i) {
      const uint64_t first = static_cast<uint64_t>(i) * w;
      y.store(i, wide ? words.wide(first) : words.narrow(first));
    }
    return;
  }
  const Out<double> y = frame.out();
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    const uint64_t first = static_cast<uint64_t>(i) * w;
    const double sample = op.fn == RandomFn::normal ? normal(words, first, wide)
                                                    : std::min(uniform(words, first, wide), below_one(op.dtype));
    y.store(i, op.offset + op.scale * sample);
  }
}

static void kernel(const op::SizeOf& op, Frame& frame) { frame.out<int64_t>().store(0, frame.size(op.size)); }

// y[i, j] = 1 where j - i = k
static void kernel(const op::Eye& op, Frame& frame) {
  const int64_t k = op.k ? frame.size(*op.k) : 0;
  with_domain(op.dtype, [&]<class T>() {
    const Out<T> y = frame.out<T>();
    const int64_t columns = y.sizes()[1];
    for (int64_t at = 0, n = y.size(); at < n; ++at) y.store(at, static_cast<T>(at % columns - at / columns == k));
  });
}

// The first of the largest logits + noise, where NaN counts as the largest
static void kernel(const op::RandomCategorical& op, Frame& frame) {
  const Words words(frame.in<uint64_t>(op.key));
  const View<double> logits = frame.in(op.logits);
  const DType dtype = frame.dtype(op.logits);
  const Out<int64_t> y = frame.out<int64_t>();
  frame.spend(logits.size());
  const Lanes lanes(logits.sizes(), from_front(op.axis, logits.sizes().size()));
  lanes.each([&](int64_t o, int64_t i) {
    const auto noisy = [&](int64_t k) {
      const int64_t at = lanes.at(o, k, i);
      return logits[at] + gumbel_element(words, at, dtype);
    };
    int64_t best = 0;
    for (int64_t k = 1; k < lanes.size; ++k) {
      if (sorts_before(noisy(best), noisy(k))) best = k;
    }
    y.store(o * lanes.inner + i, best);
  });
}

// The order that sorts u64 words, of equal ones the first first
static void kernel(const op::RandomPermutation& op, Frame& frame) {
  const Words words(frame.in<uint64_t>(op.key));
  const Out<int64_t> y = frame.out<int64_t>();
  const auto n = static_cast<uint64_t>(y.size());
  auto order = frame.scratch<std::pair<uint64_t, int64_t>>(y.size());
  frame.spend(y.size(), std::bit_width(n));
  for (uint64_t i = 0; i < n; ++i) order[i] = {words.wide(2 * i), static_cast<int64_t>(i)};
  std::ranges::sort(order);
  for (uint64_t i = 0; i < n; ++i) y.store(static_cast<int64_t>(i), order[i].second);
}

// u >= ratio ? x / (1 - ratio) : 0. The ratio is a number of the dtype that engines compute in: all draw the same mask.
static void kernel(const op::Dropout& op, Frame& frame) {
  const Words words(frame.in<uint64_t>(op.key));
  const View<double> x = frame.in(op.x);
  const DType dtype = frame.dtype(op.x);
  const double ratio = round_to(widened(dtype), op.ratio);
  const Out<double> y = frame.out();
  const Out<bool> mask = frame.out<bool>(1);
  for (int64_t i = 0, n = x.size(); i < n; ++i) {
    const bool kept = uniform_element(words, i, dtype) >= ratio;
    y.store(i, kept ? x[i] / (1 - ratio) : 0);
    mask.store(i, kept);
  }
}

INGOT_KERNELS(create)

}  // namespace ingot::reference
