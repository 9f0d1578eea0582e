// How `quantize` fills GGUF blocks. The methods of groups of 32 and the ternary ones compute in f32, step by step, as
// GGUF's own tools do; the others in double.
#include <algorithm>
#include <array>
#include <cmath>

#include "engines/reference/gguf_blocks.h"
#include "engines/reference/gguf_fields.h"
#include "engines/reference/packing.h"

namespace ingot::reference {
namespace {

using namespace gguf;
using Values = std::span<const double>;

double f32(double x) { return round_to(DType::f32, x); }

// Stores d and gives it as it reads back.
double put_scale(MutableBlock b, int at, double d, DType dtype = DType::f16) {
  const double stored = held_by(dtype, "scale", d);
  storer<double>(dtype)(b.data() + at, 0, stored);
  return stored;
}

// The first of the largest magnitude.
double extreme(Values x) {
  return *std::ranges::max_element(x, {}, [](double v) { return std::abs(v); });
}

double magnitude(Values x) { return std::abs(extreme(x)); }

// one / d in f32; 0 where that is not finite.
double reciprocal(double d, double one = 1) {
  const double inverse = f32(one / d);
  return std::isfinite(inverse) ? inverse : 0;
}

double ratio(double x, double step) { return step == 0 ? 0 : x / step; }
int nearest(double x, int low, int high) { return static_cast<int>(std::clamp<double>(std::nearbyint(x), low, high)); }

// -------------------------------------------------------------------------------------------- groups of 32, in f32

// d = extreme / -zero, code = ⌊x·(1/d) + zero + 1/2⌋ up to 2·zero - 1
template <class Put>
void put_centred(Values x, MutableBlock b, int zero, Put put_code) {
  const double d = f32(extreme(x) / -zero), inverse = reciprocal(d);
  put_scale(b, 0, d);
  for (int i = 0; i < 32; ++i) {
    const double code = f32(f32(x[static_cast<size_t>(i)] * inverse) + zero + 0.5);
    put_code(i, std::min(static_cast<int>(code), 2 * zero - 1));
  }
}

// m = min, d = (max - min) / top, code = ⌊(x - m)·(1/d) + 1/2⌋ up to top
template <class Put>
void put_above_min(Values x, MutableBlock b, int top, Put put_code) {
  const auto [min, max] = std::ranges::minmax(x);
  const double d = f32(f32(max - min) / top), inverse = reciprocal(d);
  put_scale(b, 0, d);
  storer<double>(DType::f16)(b.data() + 2, 0, held_by(DType::f16, "bias", min));
  for (int i = 0; i < 32; ++i) {
    const double code = f32(f32(f32(x[static_cast<size_t>(i)] - min) * inverse) + 0.5);
    put_code(i, std::min(static_cast<int>(code), top));
  }
}

void q4_0(Values x, MutableBlock b) {
  put_centred(x, b, 8, [&](int i, int q) { put(b, nibble(2, i), q); });
}

void q4_1(Values x, MutableBlock b) {
  put_above_min(x, b, 15, [&](int i, int q) { put(b, nibble(4, i), q); });
}

void q5_0(Values x, MutableBlock b) {
  put_centred(x, b, 16, [&](int i, int q) { put(b, nibble(6, i), q), put(b, bit(2, i), q >> 4); });
}

void q5_1(Values x, MutableBlock b) {
  put_above_min(x, b, 31, [&](int i, int q) { put(b, nibble(8, i), q), put(b, bit(4, i), q >> 4); });
}

// d = largest magnitude / top, code = x·(1/d), halves away from 0; gives d
template <class Put>
double put_rounded(Values x, MutableBlock b, int d_at, int top, Put put_code) {
  const double d = f32(magnitude(x) / top), inverse = reciprocal(d);
  put_scale(b, d_at, d);
  for (size_t i = 0; i < x.size(); ++i) {
    put_code(static_cast<int>(i), static_cast<int>(std::round(f32(x[i] * inverse))));
  }
  return d;
}

void q8_0(Values x, MutableBlock b) {
  put_rounded(x, b, 0, 127, [&](int i, int q) { put(b, byte(2 + i), q); });
}

void q8_1(Values x, MutableBlock b) {
  int sum = 0;
  const double d = put_rounded(x, b, 0, 127, [&](int i, int q) { put(b, byte(4 + i), q), sum += q; });
  put_scale(b, 2, f32(sum * d));
}

void tq1_0(Values x, MutableBlock b) {
  constexpr int weights[] = {81, 27, 9, 3, 1};
  std::array<int, 52> numbers{};
  put_rounded(x, b, 52, 1, [&](int i, int q) {
    const Digit digit = tq1_0_digit(i);
    numbers[static_cast<size_t>(digit.at)] += (q + 1) * weights[digit.power];
  });
  for (size_t i = 0; i < numbers.size(); ++i) b[i] = static_cast<std::byte>((numbers[i] * 256 + 242) / 243);
}

void tq2_0(Values x, MutableBlock b) {
  put_rounded(x, b, 64, 1, [&](int i, int q) { put(b, crumb(0, i), q + 1); });
}

// The inverse -127 / extreme, d its reciprocal, code = x·inverse to even, up to 127; sums of 16 codes
void q8_k(Values x, MutableBlock b) {
  const double inverse = reciprocal(extreme(x), -127);
  put_scale(b, 0, inverse == 0 ? 0 : f32(1 / inverse), DType::f32);
  std::array<int64_t, 16> sums{};
  for (size_t i = 0; i < x.size(); ++i) {
    const int q = nearest(f32(x[i] * inverse), -127, 127);
    put(b, byte(4 + static_cast<int>(i)), q);
    sums[i / 16] += q;
  }
  for (int j = 0; j < 16; ++j) storer<int64_t>(DType::i16)(b.data() + 260, j, sums[static_cast<size_t>(j)]);
}

// ------------------------------------------------------------------------------------ groups within blocks of 256

// A group's m = -min, at least 0, and s = (max + m) / top. d = largest s / steps, dmin = largest m / steps; scale and
// min nearest s / d and m / dmin; code nearest (x + dmin·min) / (d·scale)
template <class PutScale, class PutMin, class Put>
void put_with_mins(Values x, MutableBlock b, int d_at, size_t group, int steps, int top, PutScale put_group_scale,
                   PutMin put_group_min, Put put_code) {
  std::array<double, 16> s{}, m{};
  for (size_t j = 0; j < x.size() / group; ++j) {
    const auto [min, max] = std::ranges::minmax(x.subspan(j * group, group));
    m[j] = std::max(0.0, -min);
    s[j] = (max + m[j]) / top;
  }
  const double d = put_scale(b, d_at, std::ranges::max(s) / steps);
  const double dmin = put_scale(b, d_at + 2, std::ranges::max(m) / steps);
  for (size_t j = 0; j < x.size() / group; ++j) {
    const int scale = nearest(ratio(s[j], d), 0, steps), min = nearest(ratio(m[j], dmin), 0, steps);
    put_group_scale(static_cast<int>(j), scale);
    put_group_min(static_cast<int>(j), min);
    for (size_t i = j * group; i < (j + 1) * group; ++i) {
      put_code(static_cast<int>(i), nearest(ratio(x[i] + dmin * min, d * scale), 0, top));
    }
  }
}

// A group's s = extreme / lowest code. d = the extreme of s / lowest scale; scale nearest s / d; put_code(i, x / (d·scale))
template <class PutScale, class Put>
void put_with_scales(Values x, MutableBlock b, int d_at, size_t group, int lowest_scale, int lowest_code,
                     PutScale put_group_scale, Put put_code) {
  std::array<double, 16> s{};
  for (size_t j = 0; j < x.size() / group; ++j) s[j] = extreme(x.subspan(j * group, group)) / lowest_code;
  const double d = put_scale(b, d_at, extreme(s) / lowest_scale);
  for (size_t j = 0; j < x.size() / group; ++j) {
    const int scale = nearest(ratio(s[j], d), lowest_scale, -lowest_scale - 1);
    put_group_scale(static_cast<int>(j), scale);
    for (size_t i = j * group; i < (j + 1) * group; ++i) put_code(static_cast<int>(i), ratio(x[i], d * scale));
  }
}

void q2_k(Values x, MutableBlock b) {
  put_with_mins(
      x, b, 80, 16, 15, 3, [&](int j, int scale) { put(b, Field{j, 0, 4}, scale); },
      [&](int j, int min) { put(b, Field{j, 4, 4}, min); }, [&](int i, int q) { put(b, crumb(16, i), q); });
}

void q3_k(Values x, MutableBlock b) {
  put_with_scales(
      x, b, 108, 16, -32, -4, [&](int j, int scale) { put(b, q3_k_scale(j), scale + 32); },
      [&](int i, double y) {
        const int q = nearest(y, -4, 3) + 4;
        put(b, crumb(32, i), q), put(b, plane(0, i), q >> 2);
      });
}

void q4_k(Values x, MutableBlock b) {
  put_with_mins(
      x, b, 0, 32, 63, 15, [&](int j, int scale) { put(b, k_scale(j), scale); },
      [&](int j, int min) { put(b, k_min(j), min); }, [&](int i, int q) { put(b, nibble(16, i, 32), q); });
}

void q5_k(Values x, MutableBlock b) {
  put_with_mins(
      x, b, 0, 32, 63, 31, [&](int j, int scale) { put(b, k_scale(j), scale); },
      [&](int j, int min) { put(b, k_min(j), min); },
      [&](int i, int q) { put(b, nibble(48, i, 32), q), put(b, plane(16, i), q >> 4); });
}

void q6_k(Values x, MutableBlock b) {
  put_with_scales(
      x, b, 208, 16, -128, -32, [&](int j, int scale) { put(b, byte(192 + j), scale); },
      [&](int i, double y) {
        const int q = nearest(y, -32, 31) + 32;
        put(b, nibble(0, i, 64), q), put(b, crumb(128, i), q >> 4);
      });
}

// The code of the nearest level, of two the lower.
int iq4_code(double y) {
  const auto distance = [&](int level) { return std::abs(level - y); };
  return static_cast<int>(std::ranges::min_element(iq4_levels, {}, distance) - iq4_levels.begin());
}

void iq4_xs(Values x, MutableBlock b) {
  put_with_scales(
      x, b, 0, 32, -32, -127, [&](int j, int scale) { put(b, iq4_xs_scale(j), scale + 32); },
      [&](int i, double y) { put(b, nibble(8, i), iq4_code(y)); });
}

void iq4_nl(Values x, MutableBlock b) {
  const double d = put_scale(b, 0, extreme(x) / -127);
  for (int i = 0; i < 32; ++i) put(b, nibble(2, i), iq4_code(ratio(x[static_cast<size_t>(i)], d)));
}

struct Writer {
  QuantMethod method;
  void (*store)(Values x, MutableBlock block);
};

constexpr Writer writers[] = {INGOT_GGUF_WRITTEN(INGOT_GGUF_ENTRY)};

}  // namespace

void store_block(QuantMethod method, Values values, MutableBlock block) {
  std::array<double, 256> rounded{};
  std::ranges::transform(values, rounded.begin(), [](double x) { return held_by(DType::f32, "an element", x); });
  const auto writer = std::ranges::find(writers, method, &Writer::method);
  writer->store(std::span(rounded).first(values.size()), block);
}

}  // namespace ingot::reference
