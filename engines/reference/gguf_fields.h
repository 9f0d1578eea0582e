// One GGUF block: its fields read and written.
//
// Ownership  the bytes are the caller's.
// Threads    pure functions. Failure  none: a block has the bytes of its method, and every i is within it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/gguf_layout.h"
#include "engines/reference/elements.h"

namespace ingot::gguf {

using Block = std::span<const std::byte>;
using MutableBlock = std::span<std::byte>;

inline int get(Block block, Field f) {
  return std::to_integer<int>(block[static_cast<size_t>(f.at)]) >> f.shift & ((1 << f.bits) - 1);
}

// Precondition: the field is 0.
inline void put(MutableBlock block, Field f, int value) {
  block[static_cast<size_t>(f.at)] |= static_cast<std::byte>((value & ((1 << f.bits) - 1)) << f.shift);
}

inline int get(Block block, SplitField f) { return get(block, f.low) | get(block, f.high) << f.low.bits; }
inline void put(MutableBlock block, SplitField f, int value) {
  put(block, f.low, value);
  put(block, f.high, value >> f.low.bits);
}

inline int unsigned16(Block block, int at) { return get(block, byte(at)) | get(block, byte(at + 1)) << 8; }
inline uint32_t unsigned32(Block block, int at) {
  return static_cast<uint32_t>(unsigned16(block, at)) | static_cast<uint32_t>(unsigned16(block, at + 2)) << 16;
}
inline int signed8(Block block, int at) { return static_cast<int8_t>(get(block, byte(at))); }
inline double real(DType dtype, Block block, int at) { return reference::loader<double>(dtype)(block.data() + at, 0); }
inline double half(Block block, int at) { return real(DType::f16, block, at); }

}  // namespace ingot::gguf
