// The stream of random numbers of a key, by position: docs/semantics.md says which element takes which words.
//
// Ownership  a Words is a value. Threads  immutable. Failure  none.
#pragma once

#include <algorithm>
#include <cmath>

#include "engines/reference/elements.h"
#include "engines/reference/philox.h"

namespace ingot::reference {

// Word n is word n mod 4 of block ⌊n / 4⌋.
class Words {
 public:
  // Precondition: a u32[2].
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

// Numbers of f64 take two words, others one.
inline bool takes_two_words(DType dtype) { return bits(dtype) == 64; }

// In [0, 1), from word n on: the upper 24 bits of a word, or the upper 53 of two.
inline double uniform(const Words& words, uint64_t n, bool wide) {
  return wide ? std::ldexp(static_cast<double>(words.wide(n) >> 11), -53)
              : std::ldexp(static_cast<double>(words.narrow(n) >> 8), -24);
}

// Element i of `random_uniform` in the dtype that a composite of this one computes in: f32, or f64.
inline double uniform_element(const Words& words, int64_t i, DType dtype) {
  const bool wide = takes_two_words(dtype);
  return uniform(words, static_cast<uint64_t>(i) * (wide ? 2 : 1), wide);
}

// Gumbel noise for element i: -log(-log(u)), where a u of 0 counts as half of the next one, so that it is finite.
inline double gumbel_element(const Words& words, int64_t i, DType dtype) {
  const double least = takes_two_words(dtype) ? 0x1p-54 : 0x1p-25;
  return -std::log(-std::log(std::max(uniform_element(words, i, dtype), least)));
}

}  // namespace ingot::reference
