// The values of GGUF blocks: each function gives element i, in the order of the bytes of its block.
#include "engines/reference/gguf_blocks.h"

#include <bit>
#include <iterator>

#include "engines/gguf_codebooks.h"
#include "engines/reference/gguf_fields.h"

namespace ingot::reference {
namespace {

using namespace gguf;

// --------------------------------------------------------------------------------------------------- groups of 32

// d · (q - 8): d, 4 bits each
double q4_0(Block b, int i) { return half(b, 0) * (get(b, nibble(2, i)) - 8); }
// d · q + m: d, m, 4 bits each
double q4_1(Block b, int i) { return half(b, 0) * get(b, nibble(4, i)) + half(b, 2); }
// d · (q - 16): d, the fifth bits, 4 bits each
double q5_0(Block b, int i) { return half(b, 0) * ((get(b, nibble(6, i)) | get(b, bit(2, i)) << 4) - 16); }
// d · q + m: d, m, the fifth bits, 4 bits each
double q5_1(Block b, int i) { return half(b, 0) * (get(b, nibble(8, i)) | get(b, bit(4, i)) << 4) + half(b, 2); }
// d · q: d, bytes
double q8_0(Block b, int i) { return half(b, 0) * signed8(b, 2 + i); }
// d · q: d, d · Σ q, bytes
double q8_1(Block b, int i) { return half(b, 0) * signed8(b, 4 + i); }
// d · level: d, 4 bits each
double iq4_nl(Block b, int i) { return half(b, 0) * iq4_levels[static_cast<size_t>(get(b, nibble(2, i)))]; }

// -------------------------------------------------------------------------------- groups within blocks of 256

// d · scale · q - dmin · min: scale and min of 16 groups, 4 bits each; 2 bits each; d, dmin
double q2_k(Block b, int i) {
  const Field scale{i / 16, 0, 4}, min{i / 16, 4, 4};
  return half(b, 80) * get(b, scale) * get(b, crumb(16, i)) - half(b, 82) * get(b, min);
}

// d · (scale - 32) · q, q from -4: the third bits, 2 bits each, 16 scales of 6 bits, d
double q3_k(Block b, int i) {
  const int q = (get(b, crumb(32, i)) | get(b, plane(0, i)) << 2) - 4;
  return half(b, 108) * (get(b, q3_k_scale(i / 16)) - 32) * q;
}

// d · scale · q - dmin · min: d, dmin, 8 scales and mins of 6 bits, 4 bits each
double q4_k(Block b, int i) {
  const int q = get(b, nibble(16, i, 32));
  return half(b, 0) * get(b, k_scale(i / 32)) * q - half(b, 2) * get(b, k_min(i / 32));
}

// The same with the fifth bits before the others.
double q5_k(Block b, int i) {
  const int q = get(b, nibble(48, i, 32)) | get(b, plane(16, i)) << 4;
  return half(b, 0) * get(b, k_scale(i / 32)) * q - half(b, 2) * get(b, k_min(i / 32));
}

// d · scale · (q - 32): low 4 bits each, high 2 bits each, 16 scales, d
double q6_k(Block b, int i) {
  const int q = (get(b, nibble(0, i, 64)) | get(b, crumb(128, i)) << 4) - 32;
  return half(b, 208) * signed8(b, 192 + i / 16) * q;
}

// d · q: d in f32, bytes, 16 sums of q
double q8_k(Block b, int i) { return real(DType::f32, b, 0) * signed8(b, 4 + i); }

// d · (scale - 32) · level: d, 8 scales of 6 bits, 4 bits each
double iq4_xs(Block b, int i) {
  const int level = iq4_levels[static_cast<size_t>(get(b, nibble(8, i)))];
  return half(b, 0) * (get(b, iq4_xs_scale(i / 32)) - 32) * level;
}

// d · (digit - 1): five ternary digits a byte (four in the last 4), d. A byte is ⌈256·n / 243⌉ of the number n of five
// digits, so that byte · 3^k mod 256 · 3 / 256 is digit k from the front.
double tq1_0(Block b, int i) {
  constexpr int powers[] = {1, 3, 9, 27, 81};
  const Digit digit = tq1_0_digit(i);
  return half(b, 52) * ((get(b, byte(digit.at)) * powers[digit.power] % 256 * 3 >> 8) - 1);
}

// d · (q - 1): 2 bits each, d
double tq2_0(Block b, int i) { return half(b, 64) * (get(b, crumb(0, i)) - 1); }

// ----------------------------------------------------------------------------------------------- codebooks

// Element k of word `index`, as levels of 2 bits (8 a word) or of 4 bits (4 a word).
int level2(std::span<const uint16_t> words, int index, int k) { return words[static_cast<size_t>(index)] >> 2 * k & 3; }
int level4(std::span<const uint16_t> words, int index, int k) { return words[static_cast<size_t>(index)] >> 4 * k & 7; }

// Signs of eight elements in 7 bits: an even number of them is negative.
int even_sign(uint32_t seven, int k) {
  const uint32_t signs = seven | static_cast<uint32_t>(std::popcount(seven) % 2) << 7;
  return signs >> k & 1 ? -1 : 1;
}

int sign(Block b, Field f) { return get(b, f) ? -1 : 1; }

// d · (scale + 1/2) / 4 · level: d; of every 32 elements 4 words, 4 signs of 7 bits, the scale
double iq2_xxs(Block b, int i) {
  const int at = 2 + i / 32 * 8, k = i % 32 / 8;
  const uint32_t rest = unsigned32(b, at + 4);
  const int level = iq2_levels[level2(iq2_xxs_words, get(b, byte(at + k)), i % 8)];
  return half(b, 0) * (0.5 + (rest >> 28)) * 0.25 * level * even_sign(rest >> 7 * k & 127, i % 8);
}

// The same: d; of every 8 elements a word of 9 bits and 7 bits of signs; 16 scales of 4 bits
double iq2_xs(Block b, int i) {
  const int q = unsigned16(b, 2 + i / 8 * 2);
  const int level = iq2_levels[level2(iq2_xs_words, q & 511, i % 8)];
  const int scale = get(b, Field{66 + i / 32, i / 16 % 2 * 4, 4});
  return half(b, 0) * (0.5 + scale) * 0.25 * level * even_sign(static_cast<uint32_t>(q >> 9), i % 8);
}

// The same: d; 8 bits of each word; signs; 2 bits of each word; 16 scales of 4 bits
double iq2_s(Block b, int i) {
  const int word = get(b, byte(2 + i / 8)) | get(b, Field{66 + i / 32, i / 8 % 4 * 2, 2}) << 8;
  const int scale = get(b, Field{74 + i / 32, i / 16 % 2 * 4, 4});
  return half(b, 0) * (0.5 + scale) * 0.25 * iq2_levels[level2(iq2_s_words, word, i % 8)] * sign(b, bit(34, i));
}

// d · (scale + 1/2) / 2 · level: d; a word for every 4 elements; of every 32 four signs of 7 bits and the scale
double iq3_xxs(Block b, int i) {
  const uint32_t rest = unsigned32(b, 66 + i / 32 * 4);
  const int level = iq3_xxs_levels[level4(iq3_xxs_words, get(b, byte(2 + i / 4)), i % 4)];
  return half(b, 0) * (0.5 + (rest >> 28)) * 0.5 * level * even_sign(rest >> 7 * (i % 32 / 8) & 127, i % 8);
}

// d · (2·scale + 1) · level: d; 8 bits of each word; the ninth; signs; 8 scales of 4 bits
double iq3_s(Block b, int i) {
  const int word = get(b, byte(2 + i / 4)) | get(b, bit(66, i / 4)) << 8;
  const int level = 2 * level4(iq3_s_words, word, i % 4) + 1, scale = get(b, Field{106 + i / 64, i / 32 % 2 * 4, 4});
  return half(b, 0) * (2 * scale + 1) * level * sign(b, bit(74, i));
}

// d · (2·scale + 1) · (level ± 1/8): d; 8 bits of each word; of every 32 four times 3 bits more, the scale, the sign of
// 1/8
double iq1_s(Block b, int i) {
  const int rest = unsigned16(b, 34 + i / 32 * 2);
  const int word = get(b, byte(2 + i / 8)) | (rest >> 3 * (i / 8 % 4) & 7) << 8;
  const double level = level2(iq1_words, word, i % 8) - 1 + (rest & 0x8000 ? -0.125 : 0.125);
  return half(b, 0) * (2 * (rest >> 12 & 7) + 1) * level;
}

// The same: 8 bits of each word; 3 bits more and the sign of 1/8; 16 scales of 3 bits, four in 16 bits, whose highest 4
// bits make up d
double iq1_m(Block b, int i) {
  std::array<std::byte, 2> d{};
  for (int n = 0; n < 4; ++n)
    d[static_cast<size_t>(n / 2)] |= static_cast<std::byte>(get(b, Field{49 + 2 * n, 4, 4}) << n % 2 * 4);
  const int scale = unsigned16(b, 48 + i / 64 * 2) >> 3 * (i / 16 % 4) & 7;
  const int rest = get(b, Field{32 + i / 16, i / 8 % 2 * 4, 4}), word = get(b, byte(i / 8)) | (rest & 7) << 8;
  return half(d, 0) * (2 * scale + 1) * (level2(iq1_words, word, i % 8) - 1 + (rest & 8 ? -0.125 : 0.125));
}

// --------------------------------------------------------------------------------------------------------- table

struct Format {
  QuantMethod method;
  double (*value)(Block block, int i);
};

constexpr Format formats[] = {INGOT_GGUF_METHODS(INGOT_GGUF_ENTRY)};

constexpr auto first_format = static_cast<size_t>(QuantMethod::q4_0);

constexpr bool in_enum_order() {
  for (size_t i = 0; i < std::size(formats); ++i) {
    if (static_cast<size_t>(formats[i].method) != first_format + i) return false;
  }
  return true;
}
static_assert(in_enum_order() && first_format + std::size(formats) == EnumNames<QuantMethod>::names.size());

}  // namespace

double block_value(QuantMethod method, Block block, int i) {
  return formats[static_cast<size_t>(method) - first_format].value(block, i);
}

}  // namespace ingot::reference
