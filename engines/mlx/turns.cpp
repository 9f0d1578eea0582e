#include "engines/mlx/turns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace ingot::mlx_engine {
namespace {

// The bits of 2/π behind the point: as many as turns_of asks for.
constexpr std::array<uint32_t, 5> two_over_pi = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599};
// Of a double.
constexpr int mantissa_bits = 53;
// Frequencies are below 2^this.
constexpr int most_exponent = 32;

using Product = std::array<uint32_t, two_over_pi.size() + 2>;

// m·2/π in words of 32 bits, the first two of them in front of the point.
Product quarters_of(uint64_t m) {
  Product product{};
  for (const auto& [factor, shift] : {std::pair{m & 0xFFFFFFFF, size_t{2}}, std::pair{m >> 32, size_t{1}}}) {
    uint64_t carry = 0;
    for (size_t i = two_over_pi.size(); i-- > 0;) {
      carry += two_over_pi[i] * factor + product[i + shift];
      product[i + shift] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[shift - 1] = static_cast<uint32_t>(carry);
  }
  return product;
}

// What is left of 2^shift·radians of whole turns, in turns of 2^64.
uint64_t turns_of(double radians, int shift) {
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(radians), &exponent);
  const Product words = quarters_of(static_cast<uint64_t>(std::ldexp(mantissa, mantissa_bits)));
  // Counted from the front of the words, bit 64 is the first behind the point of m·2/π; that of the turns, which are four
  // quarters each, is moved.
  const int first = 64 + exponent - mantissa_bits + shift - 2;
  uint64_t turns = 0;
  for (int bit = first; bit < first + 64; ++bit) {
    const bool is_set = bit >= 0 && (words[static_cast<size_t>(bit) / 32] >> (31 - bit % 32) & 1) != 0;
    turns = turns << 1 | (is_set ? 1 : 0);
  }
  return radians < 0 ? -turns : turns;
}

array word(uint64_t value) { return array(value, mx::uint64); }

array constants(const std::vector<double>& frequencies, int shift) {
  std::vector<uint64_t> turns;
  for (double frequency : frequencies) turns.push_back(turns_of(frequency, shift));
  return array(turns.begin(), {static_cast<int>(turns.size())}, mx::uint64);
}

}  // namespace

bool are_countable(const std::vector<double>& frequencies) {
  // turns_of, with a shift of 32, comes to a bit that m·2/π still has right.
  static_assert(most_exponent + 32 - 2 + 64 < 32 * static_cast<int>(two_over_pi.size()));
  const double most = std::ldexp(1, most_exponent);
  return std::ranges::all_of(frequencies, [&](double frequency) { return std::abs(frequency) < most; });
}

// One chain of element-wise ops with one result, so that devices that fuse such make a kernel or two of it: the cosine is
// the sine a quarter of a turn later.
Rotation rotations(const array& positions, const std::vector<double>& frequencies, mx::Stream s) {
  constexpr uint64_t quarter = uint64_t{1} << 62;
  // Halves of the position, each with the turns of its own unit: a rounded constant times 2^63 would be off.
  const auto as_words = [&](const array& x) { return mx::astype(x, mx::uint64, s); };
  const array high = as_words(mx::right_shift(positions, array(32, positions.dtype()), s));
  const array low = mx::bitwise_and(as_words(positions), word(0xFFFFFFFF), s);
  const array turns =
      mx::add(mx::multiply(low, constants(frequencies, 0), s), mx::multiply(high, constants(frequencies, 32), s), s);
  // A quarter of a turn later the sine is the cosine turned over, which is even: what is left of that angle is a wave of
  // straight lines, at most a quarter of a turn high.
  mx::Shape rows(turns.ndim() + 1, 1);
  rows[0] = 2;
  const array later = mx::add(turns, array({2 * quarter, quarter}, rows, mx::uint64), s);
  const array wave = mx::subtract(mx::minimum(later, mx::subtract(word(0), later, s), s), word(quarter), s);
  const array angle = mx::multiply(mx::astype(mx::astype(wave, mx::int64, s), mx::float32, s),
                                   array(static_cast<float>(std::numbers::pi * 0x1p-63)), s);
  const array both = mx::sin(angle, s);
  const auto row = [&](int i) {  // mx::take refuses an empty one
    mx::Shape start(both.ndim(), 0), stop = both.shape();
    start[0] = i, stop[0] = i + 1;
    return mx::squeeze(mx::slice(both, start, stop, s), 0, s);
  };
  return {row(0), row(1)};
}

}  // namespace ingot::mlx_engine
