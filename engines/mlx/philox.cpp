#include "engines/mlx/philox.h"

#include "engines/mlx/convert.h"

namespace ingot::mlx_engine {
namespace {

// Philox 4x32, as engines/reference/philox.h has it.
constexpr int rounds = 10;
constexpr uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t increments[] = {0x9E3779B9, 0xBB67AE85};

array word(uint64_t value) { return array(value, mx::uint64); }

// The two words of the key of every round: u64[2·rounds].
array round_keys(const array& key, mx::Stream s) {
  std::vector<uint32_t> added;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t increment : increments) added.push_back(round * increment);
  }
  const array keys = mx::add(key, array(added.begin(), {rounds, 2}, mx::uint32), s);
  return mx::astype(mx::reshape(keys, {2 * rounds}, s), mx::uint64, s);
}

// The four words of blocks 0 … count-1, whose counters need the lowest word alone. Each product has 64 bits: words are
// kept in u64.
std::vector<array> random_blocks(const array& key, int count, mx::Stream s) {
  const array keys = round_keys(key, s);
  const auto high = [&](const array& product) { return mx::right_shift(product, word(32), s); };
  const auto low = [&](const array& product) { return mx::bitwise_and(product, word(0xFFFFFFFF), s); };
  const auto mixed = [&](const array& product, const array& with, int of_key) {
    const array part = mx::slice(keys, {of_key}, {of_key + 1}, s);
    return mx::bitwise_xor(mx::bitwise_xor(high(product), with, s), part, s);
  };
  std::vector<array> c{mx::arange(count, mx::uint64, s), word(0), word(0), word(0)};
  for (int round = 0; round < rounds; ++round) {
    const array a = mx::multiply(c[0], word(multipliers[0]), s), b = mx::multiply(c[2], word(multipliers[1]), s);
    c = {mixed(b, c[1], 2 * round), low(b), mixed(a, c[3], 2 * round + 1), low(a)};
  }
  return c;
}

}  // namespace

std::vector<array> random_words(const array& key, int64_t n, size_t w, mx::Stream s) {
  const auto of_block = static_cast<int64_t>(4 / w);  // elements
  const int64_t count = (n - 1) / of_block + 1;
  to_mlx(Sizes{count * of_block});  // fits
  const std::vector<array> blocks = random_blocks(key, static_cast<int>(count), s);
  std::vector<array> words;
  for (size_t i = 0; i < w; ++i) {
    std::vector<array> parts;
    for (size_t j = i; j < blocks.size(); j += w) parts.push_back(blocks[j]);
    words.push_back(mx::slice(mx::flatten(mx::stack(parts, 1, s), s), {0}, {static_cast<int>(n)}, s));
  }
  return words;
}

array joined_words(const array& low, const array& high, mx::Stream s) {
  return mx::bitwise_or(low, mx::left_shift(high, word(32), s), s);
}

array uniform_of(const array& narrow, mx::Stream s) {
  const array upper = mx::right_shift(narrow, word(8), s);
  return mx::multiply(mx::astype(upper, mx::float32, s), array(0x1p-24F), s);
}

array uniform_of(const array& low, const array& high, mx::Stream s) {
  const array upper = mx::right_shift(joined_words(low, high, s), word(11), s);
  return mx::multiply(mx::astype(upper, mx::float64, s), array(0x1p-53, mx::float64), s);
}

}  // namespace ingot::mlx_engine
