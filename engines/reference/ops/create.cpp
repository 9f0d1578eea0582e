// Ops that make values from attributes. Reals in double, one rounding at the store; integers wrap around.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/philox.h"
#include "program/float_format.h"

namespace ingot::reference {
namespace {

// The words of a stream: word n is word n mod 4 of block ⌊n / 4⌋.
class Words {
 public:
  explicit Words(const View<uint64_t>& key) : key_{static_cast<uint32_t>(key[0]), static_cast<uint32_t>(key[1])} {}

  uint64_t narrow(uint64_t n) const {
    const uint64_t block = n / 4;
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}, key_)[n % 4];
  }
  // Two words, the low one first.
  uint64_t wide(uint64_t n) const { return narrow(n) | narrow(n + 1) << 32; }

 private:
  PhiloxKey key_;
};

// In [0, 1): from the upper 24 bits of a word, or the upper 53 of two.
double uniform(const Words& words, uint64_t n, bool wide) {
  return wide ? std::ldexp(static_cast<double>(words.wide(n) >> 11), -53)
              : std::ldexp(static_cast<double>(words.narrow(n) >> 8), -24);
}

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
  const bool wide = bits(op.dtype) == 64;
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

INGOT_KERNELS(create)

}  // namespace ingot::reference
