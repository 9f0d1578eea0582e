// Reading GGUF blocks. Each method gathers the fields of all elements of a block at once; codes are whole numbers, but for
// those of iq1: in eighths.
#include "engines/mlx/gguf.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engines/gguf_codebooks.h"
#include "engines/gguf_layout.h"
#include "engines/mlx/cast.h"

namespace ingot::mlx_engine {
namespace {

using namespace gguf;

// Numbers of a small host array.
template <class T>
array table(std::span<const T> values) {
  return array(values.begin(), {static_cast<int>(values.size())});
}

// Blocks in rows of bytes. Integers come out as u32, but for `signed8`, one column for each field.
class Blocks {
 public:
  Blocks(array rows, mx::Dtype dtype, mx::Stream s) : s_(s), rows_(std::move(rows)), dtype_(dtype) {}

  mx::Stream stream() const { return s_; }
  int count() const { return rows_.shape(0); }

  // Of `columns` columns the field that field(i) names.
  template <class F>
  array get(int columns, F field) const {
    std::vector<int32_t> at;
    std::vector<uint32_t> shifts, masks;
    for (int i = 0; i < columns; ++i) {
      const Field f = field(i);
      at.push_back(f.at);
      shifts.push_back(static_cast<uint32_t>(f.shift));
      masks.push_back((1U << f.bits) - 1);
    }
    const array bytes = mx::astype(mx::take(rows_, table<int32_t>(at), 1, s_), mx::uint32, s_);
    return mx::bitwise_and(mx::right_shift(bytes, table<uint32_t>(shifts), s_), table<uint32_t>(masks), s_);
  }
  template <class F>
  array get_split(int columns, F field) const {
    const array low = get(columns, [&](int i) { return field(i).low; });
    const array high = get(columns, [&](int i) { return field(i).high; });
    std::vector<uint32_t> shifts;
    for (int i = 0; i < columns; ++i) shifts.push_back(static_cast<uint32_t>(field(i).low.bits));
    return mx::bitwise_or(low, mx::left_shift(high, table<uint32_t>(shifts), s_), s_);
  }
  // low | high << bits
  array joined(const array& low, const array& high, int bits) const {
    return mx::bitwise_or(low, mx::left_shift(high, number(bits, high), s_), s_);
  }
  // Words of `size` bytes; the first begins at `at`, each of the others `step` bytes behind the one before.
  array words(int columns, int at, int step, int size) const {
    array result = get(columns, [&](int i) { return byte(at + i * step); });
    for (int k = 1; k < size; ++k) {
      result = joined(result, get(columns, [&](int i) { return byte(at + i * step + k); }), 8 * k);
    }
    return result;
  }
  array signed8(int at, int columns) const { return mx::view(slice(at, columns), mx::int8, s_); }

  // One number a block, [blocks, 1].
  array real(mx::Dtype dtype, int at) const {
    return mx::astype(mx::view(slice(at, dtype.size()), dtype, s_), dtype_, s_);
  }
  array half(int at) const { return real(mx::float16, at); }
  array numbers(const array& integers) const { return mx::astype(integers, dtype_, s_); }

 private:
  array slice(int at, int size) const { return mx::slice(rows_, {0, at}, {count(), at + size}, s_); }

  mx::Stream s_;
  array rows_;
  mx::Dtype dtype_;
};

// [blocks, elements], and scales and biases [blocks, groups]: still without the axis of a group's elements.
using Parts = Unpacked;

array times(const Blocks& b, const array& x, const array& y) { return mx::multiply(x, y, b.stream()); }
array times(const Blocks& b, const array& x, double y) { return mx::multiply(x, number(y, x), b.stream()); }
array plus(const Blocks& b, const array& x, double y) { return mx::add(x, number(y, x), b.stream()); }
array minus(const Blocks& b, const array& integers, double y) { return plus(b, b.numbers(integers), -y); }

// x[blocks, n] >> shifts, and `mask`, as [blocks, n·shifts]
array spread(const Blocks& b, const array& x, std::span<const uint32_t> shifts, uint32_t mask) {
  const array apart = mx::right_shift(mx::expand_dims(x, -1, b.stream()), table(shifts), b.stream());
  return mx::flatten(mx::bitwise_and(apart, number(mask, apart), b.stream()), 1, 2, b.stream());
}

// --------------------------------------------------------------------------------------------------- groups of 32

Parts q4_0(const Blocks& b) {
  return {minus(b, b.get(32, [](int i) { return nibble(2, i); }), 8), b.half(0), {}};
}
Parts q4_1(const Blocks& b) {
  return {b.numbers(b.get(32, [](int i) { return nibble(4, i); })), b.half(0), b.half(2)};
}
array five_bits(const Blocks& b, int fifth, int others) {
  return b.joined(b.get(32, [&](int i) { return nibble(others, i); }), b.get(32, [&](int i) { return bit(fifth, i); }),
                  4);
}
Parts q5_0(const Blocks& b) { return {minus(b, five_bits(b, 2, 6), 16), b.half(0), {}}; }
Parts q5_1(const Blocks& b) { return {b.numbers(five_bits(b, 4, 8)), b.half(0), b.half(2)}; }
Parts q8_0(const Blocks& b) { return {b.numbers(b.signed8(2, 32)), b.half(0), {}}; }
Parts q8_1(const Blocks& b) { return {b.numbers(b.signed8(4, 32)), b.half(0), {}}; }

array iq4_level(const Blocks& b, const array& codes) {
  return b.numbers(mx::take(table<int>(iq4_levels), codes, b.stream()));
}
Parts iq4_nl(const Blocks& b) {
  return {iq4_level(b, b.get(32, [](int i) { return nibble(2, i); })), b.half(0), {}};
}

// -------------------------------------------------------------------------------- groups within blocks of 256

// d·scale and -dmin·min of integers
Parts with_mins(const Blocks& b, int d_at, const array& codes, const array& scales, const array& mins) {
  return {b.numbers(codes), times(b, b.half(d_at), b.numbers(scales)),
          mx::negative(times(b, b.half(d_at + 2), b.numbers(mins)), b.stream())};
}

Parts q2_k(const Blocks& b) {
  return with_mins(b, 80, b.get(256, [](int i) { return crumb(16, i); }),
                   b.get(16, [](int j) { return Field{j, 0, 4}; }), b.get(16, [](int j) { return Field{j, 4, 4}; }));
}

Parts q3_k(const Blocks& b) {
  const array q =
      b.joined(b.get(256, [](int i) { return crumb(32, i); }), b.get(256, [](int i) { return plane(0, i); }), 2);
  return {minus(b, q, 4), times(b, b.half(108), minus(b, b.get_split(16, q3_k_scale), 32)), {}};
}

Parts q4_k(const Blocks& b) {
  return with_mins(b, 0, b.get(256, [](int i) { return nibble(16, i, 32); }), b.get_split(8, k_scale),
                   b.get_split(8, k_min));
}

Parts q5_k(const Blocks& b) {
  const array low = b.get(256, [](int i) { return nibble(48, i, 32); });
  const array q = b.joined(low, b.get(256, [](int i) { return plane(16, i); }), 4);
  return with_mins(b, 0, q, b.get_split(8, k_scale), b.get_split(8, k_min));
}

Parts q6_k(const Blocks& b) {
  const array low = b.get(256, [](int i) { return nibble(0, i, 64); });
  const array q = b.joined(low, b.get(256, [](int i) { return crumb(128, i); }), 4);
  return {minus(b, q, 32), times(b, b.half(208), b.numbers(b.signed8(192, 16))), {}};
}

Parts q8_k(const Blocks& b) { return {b.numbers(b.signed8(4, 256)), b.real(mx::float32, 0), {}}; }

Parts iq4_xs(const Blocks& b) {
  return {iq4_level(b, b.get(256, [](int i) { return nibble(8, i); })),
          times(b, b.half(0), minus(b, b.get_split(8, iq4_xs_scale), 32)),
          {}};
}

// byte · 3^k mod 256 · 3 / 256 is digit k from the front
Parts tq1_0(const Blocks& b) {
  constexpr uint32_t powers[] = {1, 3, 9, 27, 81};
  std::vector<uint32_t> factors;
  for (int i = 0; i < 256; ++i) factors.push_back(powers[tq1_0_digit(i).power]);
  const array bytes = b.get(256, [](int i) { return byte(tq1_0_digit(i).at); });
  const array low = mx::bitwise_and(times(b, bytes, table<uint32_t>(factors)), number(255, bytes), b.stream());
  const array digits = mx::right_shift(times(b, low, 3), number(8, bytes), b.stream());
  return {minus(b, digits, 1), b.half(52), {}};
}

Parts tq2_0(const Blocks& b) {
  return {minus(b, b.get(256, [](int i) { return crumb(0, i); }), 1), b.half(64), {}};
}

// ----------------------------------------------------------------------------------------------------- codebooks

constexpr std::array<uint32_t, 8> kEight = {0, 1, 2, 3, 4, 5, 6, 7}, kPairs = {0, 2, 4, 6, 8, 10, 12, 14};
constexpr std::array<uint32_t, 4> kNibbles = {0, 4, 8, 12}, kSevens = {0, 7, 14, 21}, kThrees = {0, 3, 6, 9};
constexpr std::array<uint32_t, 2> kHalves = {0, 4};

// The levels of the elements of words [blocks, n]: eight of 2 bits, or four of 4 bits.
array levels2(const Blocks& b, std::span<const uint16_t> words, const array& index) {
  return spread(b, mx::astype(mx::take(table(words), index, b.stream()), mx::uint32, b.stream()), kPairs, 3);
}
array levels4(const Blocks& b, std::span<const uint16_t> words, const array& index) {
  return spread(b, mx::astype(mx::take(table(words), index, b.stream()), mx::uint32, b.stream()), kNibbles, 7);
}

// 1 - 2·bit for each of 8 bits
array signs(const Blocks& b, const array& bytes) {
  return plus(b, times(b, b.numbers(spread(b, bytes, kEight, 1)), -2), 1);
}
// The same of 7 bits: an even number of them is negative.
array even_signs(const Blocks& b, const array& sevens) {
  std::vector<uint32_t> whole;
  for (uint32_t n = 0; n < 128; ++n) whole.push_back(n | static_cast<uint32_t>(std::popcount(n) % 2) << 7);
  return signs(b, mx::take(table<uint32_t>(whole), sevens, b.stream()));
}

// d · (scale + 1/2) · step
array half_scales(const Blocks& b, const array& scales, double step) {
  return times(b, b.half(0), times(b, plus(b, b.numbers(scales), 0.5), step));
}
array iq2_codes(const Blocks& b, const array& levels, const array& signs) {
  return times(b, b.numbers(mx::take(table<int>(iq2_levels), levels, b.stream())), signs);
}
array shifted(const Blocks& b, const array& x, int count) { return mx::right_shift(x, number(count, x), b.stream()); }

Parts iq2_xxs(const Blocks& b) {
  const array rest = b.words(8, 6, 8, 4);
  const array levels = levels2(b, iq2_xxs_words, b.get(32, [](int j) { return byte(2 + j / 4 * 8 + j % 4); }));
  const array negative = even_signs(b, spread(b, rest, kSevens, 127));
  return {iq2_codes(b, levels, negative), half_scales(b, shifted(b, rest, 28), 0.25), {}};
}

Parts iq2_xs(const Blocks& b) {
  const array q = b.words(32, 2, 2, 2);
  const array levels = levels2(b, iq2_xs_words, mx::bitwise_and(q, number(511, q), b.stream()));
  const array scales = b.get(16, [](int j) { return Field{66 + j / 2, j % 2 * 4, 4}; });
  return {iq2_codes(b, levels, even_signs(b, shifted(b, q, 9))), half_scales(b, scales, 0.25), {}};
}

Parts iq2_s(const Blocks& b) {
  const array low = b.get(32, [](int j) { return byte(2 + j); });
  const array high = b.get(32, [](int j) { return Field{66 + j / 4, j % 4 * 2, 2}; });
  const array levels = levels2(b, iq2_s_words, b.joined(low, high, 8));
  const array scales = b.get(16, [](int j) { return Field{74 + j / 2, j % 2 * 4, 4}; });
  return {iq2_codes(b, levels, signs(b, b.words(32, 34, 1, 1))), half_scales(b, scales, 0.25), {}};
}

Parts iq3_xxs(const Blocks& b) {
  const array rest = b.words(8, 66, 4, 4), levels = levels4(b, iq3_xxs_words, b.words(64, 2, 1, 1));
  const array magnitudes = b.numbers(mx::take(table<int>(iq3_xxs_levels), levels, b.stream()));
  const array negative = even_signs(b, spread(b, rest, kSevens, 127));
  return {times(b, magnitudes, negative), half_scales(b, shifted(b, rest, 28), 0.5), {}};
}

// d · (2·scale + 1)
array odd_scales(const Blocks& b, const array& d, const array& scales) {
  return times(b, d, plus(b, times(b, b.numbers(scales), 2), 1));
}

Parts iq3_s(const Blocks& b) {
  const array word = b.joined(b.words(64, 2, 1, 1), b.get(64, [](int j) { return bit(66, j); }), 8);
  const array levels = plus(b, times(b, b.numbers(levels4(b, iq3_s_words, word)), 2), 1);
  const array scales = b.get(8, [](int j) { return Field{106 + j / 2, j % 2 * 4, 4}; });
  return {times(b, levels, signs(b, b.words(32, 74, 1, 1))), odd_scales(b, b.half(0), scales), {}};
}

// level - 1 ± 1/8 in eighths, of words [blocks, 32] and as many bits that say minus; the scale is in eighths too
Parts in_eighths(const Blocks& b, const array& words, const array& minus_bits, const array& scales) {
  const mx::Stream s = b.stream();
  const array levels = mx::reshape(b.numbers(levels2(b, iq1_words, words)), {b.count(), 32, 8}, s);
  const array sign = mx::expand_dims(plus(b, times(b, b.numbers(minus_bits), -2), -7), -1, s);
  return {mx::flatten(mx::add(times(b, levels, 8), sign, s), 1, 2, s), times(b, scales, 0.125), {}};
}

Parts iq1_s(const Blocks& b) {
  const array rest = b.words(8, 34, 2, 2);
  const array word = b.joined(b.words(32, 2, 1, 1), spread(b, rest, kThrees, 7), 8);
  const array minus_bits = mx::repeat(shifted(b, rest, 15), 4, 1, b.stream());
  const array scales = mx::bitwise_and(shifted(b, rest, 12), number(7, rest), b.stream());
  return in_eighths(b, word, minus_bits, odd_scales(b, b.half(0), scales));
}

Parts iq1_m(const Blocks& b) {
  const array scale_words = b.words(4, 48, 2, 2);
  array d = b.get(1, [](int) { return Field{49, 4, 4}; });
  for (int n = 1; n < 4; ++n) d = b.joined(d, b.get(1, [&](int) { return Field{49 + 2 * n, 4, 4}; }), 4 * n);
  const array half = b.numbers(mx::view(mx::astype(d, mx::uint16, b.stream()), mx::float16, b.stream()));
  const array rest = spread(b, b.words(16, 32, 1, 1), kHalves, 15);
  const array word = b.joined(b.words(32, 0, 1, 1), mx::bitwise_and(rest, number(7, rest), b.stream()), 8);
  return in_eighths(b, word, shifted(b, rest, 3), odd_scales(b, half, spread(b, scale_words, kThrees, 7)));
}

// --------------------------------------------------------------------------------------------------------- table

struct Reader {
  QuantMethod method;
  Parts (*read)(const Blocks& blocks);
};

constexpr Reader readers[] = {INGOT_GGUF_METHODS(INGOT_GGUF_ENTRY)};

}  // namespace

Unpacked unpack_blocks(Frame& frame, const array& bytes, QuantMethod method, const Sizes& sizes, DType dtype) {
  const mx::Stream s = frame.stream();
  const auto size = static_cast<int>(facts(method).block_bytes);
  const int count = bytes.shape(0) / size,
            rows = static_cast<int>(element_count(std::span(sizes).first(sizes.size() - 1)));
  const Blocks blocks(mx::reshape(bytes, {count, size}, s), to_mlx(dtype), s);
  Parts parts = std::ranges::find(readers, method, &Reader::method)->read(blocks);
  const int groups = count / rows * parts.scales.shape(1);
  const auto apart = [&](const array& x) {
    return mx::reshape(
        x, {rows, groups, static_cast<int>(x.size() / static_cast<size_t>(rows) / static_cast<size_t>(groups))}, s);
  };
  parts.codes = apart(parts.codes);
  parts.scales = apart(parts.scales);
  if (parts.biases) parts.biases = apart(*parts.biases);
  return parts;
}

}  // namespace ingot::mlx_engine
