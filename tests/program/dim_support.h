// What the tests of sizes share: symbols, expressions written as text, and a seeded source of random ones.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/program/random_dim.h"

namespace ingot::test {

// A, B and T are any size, P and Q at least 1, S is 1..512, N is 0..100.
inline const std::vector<Symbol>& symbols() {
  static const std::vector<Symbol> all{Symbol("A"),    Symbol("B"),         Symbol("T"),        Symbol("P", 1),
                                       Symbol("Q", 1), Symbol("S", 1, 512), Symbol("N", 0, 100)};
  return all;
}

// By the operators of Dim, in the order of the text: `(A + 3) / 2`, `ceil(A, 4)`, `min(A, B)`.
inline Dim dim(std::string_view text) { return random_dim::Reader(text, symbols()).sum(); }

inline random_dim::Choose seeded(uint64_t seed) {
  return [generator = std::mt19937_64(seed)](uint64_t n) mutable { return n == 0 ? generator() : generator() % n; };
}

// The text of the Error that `f` throws, after its code.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const Error& error) {
    return fmt::format("{}: {}", to_string(error.code()), error.what());
  }
  return "no error";
}

}  // namespace ingot::test
