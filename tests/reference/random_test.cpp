// What is drawn is distributed as it should be, over the elements of a draw and over keys, and independent of what is
// drawn beside it and with the next key. Keys are fixed: a test gives the same answer every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "tests/reference/tally.h"
#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Tally;

constexpr std::string_view kProgram = R"(ingot 1
method categorical(%key: u32[2], %logits: f32[5]) -> (y) {
  %y = random_categorical %key, %logits
  return %y
}
method pair(%key: u32[2], %logits: f64[2, 3]) -> (y) {
  %y = random_categorical %key, %logits
  return %y
}
method permutation(%key: u32[2]) -> (y) {
  %y = random_permutation %key {length=4}
  return %y
}
method dropout(%key: u32[2], %x: f32[8]) -> (mask) {
  %y, %mask = dropout %x, %key {ratio=0.25}
  return %mask
}
method f32(%key: u32[2]) -> (uniform, normal) {
  %u = random_uniform %key {shape=[2000]}
  %n = random_normal %key {shape=[2000]}
  %uniform = cast %u {dtype=f64}
  %normal = cast %n {dtype=f64}
  return %uniform, %normal
}
method f64(%key: u32[2]) -> (uniform, normal) {
  %uniform = random_uniform %key {shape=[2000], dtype=f64}
  %normal = random_normal %key {shape=[2000], dtype=f64}
  return %uniform, %normal
}
)";

// Keys 0, 1, 2 …: near ones, as people choose them.
class Draws {
 public:
  test::Tensors of(std::string_view method, uint32_t key, test::Tensors inputs = {}) {
    inputs.insert_or_assign("key", Tensor::of<uint32_t>({2}, {key, 0}));
    return machine_.call(method, inputs);
  }

 private:
  test::Machine machine_{kProgram};
};

TEST(Random, CategoricalHasItsProbabilities) {
  const std::vector<double> probabilities = {0.5, 0.25, 0.15, 0.09, 0.01};
  std::vector<float> logits;
  for (double p : probabilities) logits.push_back(static_cast<float>(std::log(p) + 3));
  Draws draws;
  Tally tally(probabilities);
  for (uint32_t key = 0; key < 20000; ++key) {
    const Tensor y = draws.of("categorical", key, {{"logits", Tensor::of<float>({5}, logits)}}).at("y");
    tally.add(static_cast<size_t>(y.as<int64_t>()[0]));
  }
  tally.expect_likely();
}

TEST(Random, CategoricalDrawsAreIndependent) {
  Draws draws;
  Tally of_rows = Tally::of(9), of_keys = Tally::of(9);
  size_t previous = 0;
  for (uint32_t key = 0; key < 20000; ++key) {
    const Tensor y = draws.of("pair", key, {{"logits", Tensor::of<double>({2, 3}, std::vector<double>(6))}}).at("y");
    const auto first = static_cast<size_t>(y.as<int64_t>()[0]), second = static_cast<size_t>(y.as<int64_t>()[1]);
    of_rows.add(first * 3 + second);
    if (key % 2 == 1) of_keys.add(previous * 3 + first);
    previous = first;
  }
  of_rows.expect_likely();
  of_keys.expect_likely();
}

TEST(Random, PermutationsAreEquallyLikely) {
  Draws draws;
  Tally of_orders = Tally::of(24), of_keys = Tally::of(16);
  std::map<std::vector<int64_t>, size_t> orders;
  std::vector<int64_t> order = {0, 1, 2, 3};
  do {
    orders.emplace(order, orders.size());
  } while (std::ranges::next_permutation(order).found);
  ASSERT_EQ(orders.size(), 24u);
  int64_t previous = 0;
  for (uint32_t key = 0; key < 24000; ++key) {
    const Tensor drawn = draws.of("permutation", key).at("y");
    const auto y = drawn.as<int64_t>();
    of_orders.add(orders.at({y.begin(), y.end()}));
    if (key % 2 == 1) of_keys.add(static_cast<size_t>(previous * 4 + y[0]));
    previous = y[0];
  }
  of_orders.expect_likely();
  of_keys.expect_likely();
}

// Every two places of a mask, and the same place with the next key.
TEST(Random, DropoutIsIndependent) {
  constexpr size_t size = 8;
  const std::vector<double> kept_or_not = {0.0625, 0.1875, 0.1875, 0.5625};
  std::vector<Tally> of_places(size * size, Tally(kept_or_not)), of_keys(size, Tally(kept_or_not));
  Draws draws;
  std::vector<bool> previous(size);
  for (uint32_t key = 0; key < 10000; ++key) {
    const Tensor mask =
        draws.of("dropout", key, {{"x", Tensor::of<float>({size}, std::vector<float>(size))}}).at("mask");
    const auto kept = mask.as<bool>();
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < i; ++j) of_places[i * size + j].add(kept[i] * 2u + kept[j]);
      if (key % 2 == 1) of_keys[i].add(previous[i] * 2u + kept[i]);
      previous[i] = kept[i];
    }
  }
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < i; ++j) of_places[i * size + j].expect_likely();
    of_keys[i].expect_likely();
  }
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// In 16 equally likely intervals; elements beside each other, and the same element with the next key, in 8 × 8.
void expect_uniform(const std::function<std::vector<double>(uint32_t)>& draw) {
  Tally of_all = Tally::of(16), of_neighbours = Tally::of(64), of_keys = Tally::of(64);
  const auto interval = [](double u, double intervals) { return static_cast<size_t>(u * intervals); };
  std::vector<double> previous;
  for (uint32_t key = 0; key < 40; ++key) {
    const std::vector<double> u = draw(key);
    for (size_t i = 0; i < u.size(); ++i) {
      ASSERT_TRUE(u[i] >= 0 && u[i] < 1) << u[i];
      of_all.add(interval(u[i], 16));
      if (i % 2 == 1) of_neighbours.add(interval(u[i - 1], 8) * 8 + interval(u[i], 8));
      if (key % 2 == 1) of_keys.add(interval(previous[i], 8) * 8 + interval(u[i], 8));
    }
    previous = u;
  }
  of_all.expect_likely();
  of_neighbours.expect_likely();
  of_keys.expect_likely();
}

TEST(Random, UniformAndNormalHaveTheirDistributions) {
  Draws draws;
  for (const std::string_view dtype : {"f32", "f64"}) {
    SCOPED_TRACE(dtype);
    const auto drawn = [&](uint32_t key, std::string_view output) {
      const Tensor values = draws.of(dtype, key).find(output)->second;
      return std::vector<double>(values.as<double>().begin(), values.as<double>().end());
    };
    expect_uniform([&](uint32_t key) { return drawn(key, "uniform"); });
    expect_uniform([&](uint32_t key) {
      std::vector<double> u = drawn(key, "normal");
      for (double& x : u) x = normal_cdf(x);
      return u;
    });
  }
}

}  // namespace
}  // namespace ingot
