// Where the bits of GGUF blocks lie: what reading and writing them share.
//
// A Field is up to 8 bits of one byte of a block. The functions that make one name a pattern of the format: `at` is the
// byte where the pattern begins, i the element or scale.
//
// Threads    pure functions. Failure  none: a block has the bytes of its method, and every i is within it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/reference/elements.h"

namespace ingot::reference::gguf {

using Block = std::span<const std::byte>;
using MutableBlock = std::span<std::byte>;

struct Field {
  int at, shift, bits;
};

inline int get(Block block, Field f) {
  return std::to_integer<int>(block[static_cast<size_t>(f.at)]) >> f.shift & ((1 << f.bits) - 1);
}

// Precondition: the field is 0.
inline void put(MutableBlock block, Field f, int value) {
  block[static_cast<size_t>(f.at)] |= static_cast<std::byte>((value & ((1 << f.bits) - 1)) << f.shift);
}

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

inline int unsigned16(Block block, int at) { return get(block, byte(at)) | get(block, byte(at + 1)) << 8; }
inline uint32_t unsigned32(Block block, int at) {
  return static_cast<uint32_t>(unsigned16(block, at)) | static_cast<uint32_t>(unsigned16(block, at + 2)) << 16;
}
inline int signed8(Block block, int at) { return static_cast<int8_t>(get(block, byte(at))); }
inline double real(DType dtype, Block block, int at) { return loader<double>(dtype)(block.data() + at, 0); }
inline double half(Block block, int at) { return real(DType::f16, block, at); }

// The value of each code of iq4_nl and iq4_xs.
inline constexpr std::array<int, 16> iq4_levels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                   1,    13,   25,  38,  53,  69,  89,  113};

// A scale of six bits in two fields.
struct SplitField {
  Field low, high;  // high above the bits of low
};
inline int get(Block block, SplitField f) { return get(block, f.low) | get(block, f.high) << f.low.bits; }
inline void put(MutableBlock block, SplitField f, int value) {
  put(block, f.low, value);
  put(block, f.high, value >> f.low.bits);
}

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

}  // namespace ingot::reference::gguf
