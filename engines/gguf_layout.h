// GGUF blocks: which methods have them and where their bits lie. Facts of the file format, which every engine shares.
//
// A Field is up to 8 bits of one byte of a block. The functions that make one name a pattern of the format: `at` is the
// byte where the pattern begins, i the element or scale.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <array>

#include "gen/enums.h"

namespace ingot::gguf {

// X(method) for every method with blocks, in the order of the enum, and for those that `quantize` writes: it searches no
// codes. In a file with a function of the name of each, INGOT_GGUF_ENTRY as X makes a table of method and function.
#define INGOT_GGUF_STEPS(X) \
  X(q4_0) X(q4_1) X(q5_0) X(q5_1) X(q8_0) X(q8_1) X(q2_k) X(q3_k) X(q4_k) X(q5_k) X(q6_k) X(q8_k) X(iq4_nl) X(iq4_xs)
#define INGOT_GGUF_SEARCHED(X) X(iq2_xxs) X(iq2_xs) X(iq2_s) X(iq3_xxs) X(iq3_s) X(iq1_s) X(iq1_m)
#define INGOT_GGUF_TERNARY(X) X(tq1_0) X(tq2_0)
#define INGOT_GGUF_METHODS(X) INGOT_GGUF_STEPS(X) INGOT_GGUF_SEARCHED(X) INGOT_GGUF_TERNARY(X)
#define INGOT_GGUF_WRITTEN(X) INGOT_GGUF_STEPS(X) INGOT_GGUF_TERNARY(X)
#define INGOT_GGUF_ENTRY(method) {QuantMethod::method, method},

struct Field {
  int at, shift, bits;
};

constexpr Field byte(int at) { return {at, 0, 8}; }
// One bit each, eight to a byte in order.
constexpr Field bit(int at, int i) { return {at + i / 8, i % 8, 1}; }
// One bit each: bit i / 32 of byte i mod 32.
constexpr Field plane(int at, int i) { return {at + i % 32, i / 32, 1}; }
// Two bits each: of every 128 elements the first 32 in the low bits of 32 bytes, and so on up.
constexpr Field crumb(int at, int i) { return {at + i / 128 * 32 + i % 32, i % 128 / 32 * 2, 2}; }
// Four bits each: of every 2·`half` elements the first half in the low bits of so many bytes, the second in the high.
constexpr Field nibble(int at, int i, int half = 16) {
  return {at + i / (2 * half) * half + i % half, i / half % 2 * 4, 4};
}

// The value of each code of iq4_nl and iq4_xs.
inline constexpr std::array<int, 16> iq4_levels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                   1,    13,   25,  38,  53,  69,  89,  113};

// The levels of the codebooks of iq2 and of iq3_xxs.
inline constexpr int iq2_levels[] = {8, 25, 43, 0};  // no word has the last
inline constexpr int iq3_xxs_levels[] = {4, 12, 20, 28, 36, 44, 52, 62};

// A scale of six bits in two fields.
struct SplitField {
  Field low, high;  // high above the bits of low
};

// q4_k and q5_k: the scales and mins of 8 groups in 12 bytes.
constexpr SplitField k_scale(int j) {
  if (j < 4) return {{4 + j, 0, 6}, {4 + j, 0, 0}};
  return {{8 + j, 0, 4}, {j, 6, 2}};
}
constexpr SplitField k_min(int j) {
  if (j < 4) return {{8 + j, 0, 6}, {8 + j, 0, 0}};
  return {{8 + j, 4, 4}, {4 + j, 6, 2}};
}
// The scales of the 16 groups of q3_k.
constexpr SplitField q3_k_scale(int j) { return {{96 + j % 8, j / 8 * 4, 4}, {104 + j % 4, j / 4 * 2, 2}}; }
// The scales of the 8 groups of iq4_xs.
constexpr SplitField iq4_xs_scale(int j) { return {{4 + j / 2, j % 2 * 4, 4}, {2 + j / 4, j % 4 * 2, 2}}; }

// The ternary digits of tq1_0: digit `power` of a byte, highest first.
struct Digit {
  int at, power;
};
constexpr Digit tq1_0_digit(int i) {
  if (i < 160) return {i % 32, i / 32};
  if (i < 240) return {32 + i % 16, (i - 160) / 16};
  return {48 + i % 4, (i - 240) / 4};
}

}  // namespace ingot::gguf
