// sample draws every token as often as its probability says, over many keys and over the rows of one draw; so does every
// cut, whose probabilities are computed here from their definition. Keys are fixed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/reference/tally.h"
#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Tally;

constexpr int64_t kRows = 16;

struct Settings {
  double temperature = 1;
  std::optional<int64_t> top_k;
  double top_p = 1, min_p = 0;
};

std::string text_of(const Settings& settings) {
  std::string text =
      fmt::format("temperature={}, top_p={}, min_p={}", settings.temperature, settings.top_p, settings.min_p);
  if (settings.top_k) text += fmt::format(", top_k={}", *settings.top_k);
  return text;
}

// Distinct, so that no cut meets a tie.
const std::vector<double> kLogits = {0.5, 2.0, -1.0, 1.25, 0.0, -3.0, 1.75};

// 0 for a token that is cut.
std::vector<double> probabilities_of(const Settings& settings) {
  std::vector<double> p;
  for (double logit : kLogits) p.push_back(std::exp(logit / settings.temperature));
  const auto keep_from = [&](double least) {
    for (double& each : p) each = each < least ? 0 : each;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& each : p) each /= sum;
  };
  keep_from(0);
  std::vector<double> order = p;
  std::ranges::sort(order, std::greater());
  if (settings.top_k) keep_from(order[static_cast<size_t>(*settings.top_k - 1)]);
  order = p;
  std::ranges::sort(order, std::greater());
  size_t last = 0;
  for (double mass = order[0]; mass < settings.top_p && last + 1 < order.size();) mass += order[++last];
  keep_from(order[last]);
  keep_from(settings.min_p * *std::ranges::max_element(p));
  return p;
}

// One token for each of the rows, which all have the same logits.
std::vector<int64_t> draw(test::Machine& machine, uint32_t key) {
  std::vector<float> logits;
  for (int64_t row = 0; row < kRows; ++row) logits.insert(logits.end(), kLogits.begin(), kLogits.end());
  const auto width = static_cast<int64_t>(kLogits.size());
  const Tensor y = machine
                       .call("main", {{"x", Tensor::of<float>({kRows, width}, logits)},
                                      {"key", Tensor::of<uint32_t>({2}, {key, 5})}})
                       .at("y");
  const auto tokens = y.as<int64_t>();
  return {tokens.begin(), tokens.end()};
}

test::Machine machine_of(const Settings& settings) {
  return test::Machine(
      fmt::format("ingot 1\nmethod main(%x: f32[{}, {}], %key: u32[2]) -> (y) {{\n  %y = sample %x, %key {{{}}}\n  "
                  "return %y\n}}\n",
                  kRows, kLogits.size(), text_of(settings)));
}

TEST(Sample, DrawsByTheProbabilities) {
  const std::vector<Settings> rows = {
      {},
      {.temperature = 0.5},
      {.temperature = 4},
      {.top_k = 3},
      {.top_p = 0.7},
      {.min_p = 0.3},
      {.temperature = 2, .top_k = 5, .top_p = 0.9, .min_p = 0.25},
  };
  for (const Settings& settings : rows) {
    SCOPED_TRACE(text_of(settings));
    const std::vector<double> all = probabilities_of(settings);
    std::vector<double> kept;
    std::vector<size_t> outcome(all.size(), all.size());  // by token; those that are cut have none
    for (size_t token = 0; token < all.size(); ++token) {
      if (all[token] == 0) continue;
      outcome[token] = kept.size();
      kept.push_back(all[token]);
    }
    test::Machine machine = machine_of(settings);
    Tally tally(kept), of_first_row(kept);
    for (uint32_t key = 0; key < 3000; ++key) {
      const std::vector<int64_t> tokens = draw(machine, key);
      for (int64_t token : tokens) {
        const size_t own = outcome.at(static_cast<size_t>(token));
        ASSERT_LT(own, kept.size()) << "token " << token << " is cut";
        tally.add(own);
      }
      of_first_row.add(outcome[static_cast<size_t>(tokens[0])]);
    }
    tally.expect_likely();
    of_first_row.expect_likely();
  }
}

// The probability of a pair is the product of those of its tokens.
TEST(Sample, RowsAndKeysAreIndependent) {
  const std::vector<double> p = probabilities_of({.top_k = 3});
  std::vector<size_t> outcome(p.size());
  std::vector<double> kept, pairs;
  for (size_t token = 0; token < p.size(); ++token) {
    outcome[token] = kept.size();
    if (p[token] > 0) kept.push_back(p[token]);
  }
  for (double a : kept) {
    for (double b : kept) pairs.push_back(a * b);
  }
  test::Machine machine = machine_of({.top_k = 3});
  Tally of_rows(pairs), of_keys(pairs);
  for (uint32_t key = 0; key < 12000; key += 2) {
    const std::vector<int64_t> tokens = draw(machine, key), next = draw(machine, key + 1);
    const auto pair = [&](int64_t a, int64_t b) {
      return outcome[static_cast<size_t>(a)] * kept.size() + outcome[static_cast<size_t>(b)];
    };
    of_rows.add(pair(tokens[0], tokens[1]));
    of_keys.add(pair(tokens[0], next[0]));
  }
  of_rows.expect_likely();
  of_keys.expect_likely();
}

TEST(Sample, IsAFunctionOfItsKey) {
  test::Machine machine = machine_of({});
  EXPECT_EQ(draw(machine, 1), draw(machine, 1));
  EXPECT_NE(draw(machine, 1), draw(machine, 2));
}

// Without a cut it is random_categorical of the same key.
TEST(Sample, IsCategoricalWithoutACut) {
  test::Machine machine(
      "ingot 1\nmethod main(%x: f32[4, 7], %key: u32[2]) -> (y, z) {\n  %y = sample %x, %key\n"
      "  %z = random_categorical %key, %x\n  return %y, %z\n}\n");
  std::vector<float> logits;
  for (int row = 0; row < 4; ++row) logits.insert(logits.end(), kLogits.begin(), kLogits.end());
  for (uint32_t key = 0; key < 100; ++key) {
    const test::Tensors outputs =
        machine.call("main", {{"x", Tensor::of<float>({4, 7}, logits)}, {"key", Tensor::of<uint32_t>({2}, {key, 0})}});
    EXPECT_EQ(test::difference(outputs.at("y"), outputs.at("z")), "") << "key " << key;
  }
}

}  // namespace
}  // namespace ingot
