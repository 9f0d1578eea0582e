#include "tests/support/agreement.h"

#include <gtest/gtest.h>

#include <random>

namespace ingot::test {

Tensor numbers(Sizes sizes, uint32_t seed, float largest, int steps) {
  std::mt19937 random(seed);
  const auto count = static_cast<uint32_t>(2 * steps + 1);
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  for (float& value : values) {
    value = static_cast<float>(static_cast<int>(random() % count) - steps) * largest / static_cast<float>(steps);
  }
  return Tensor::of(std::move(sizes), values);
}

std::string values_named(std::string_view results) {
  std::string text = "%";
  for (const char c : results) text += c == ' ' ? " %" : std::string(1, c);
  return text;
}

void expect_as_reference(std::string_view program, const Tensors& inputs, const Comparison& comparison) {
  const Tensors expected = Machine(program).call(comparison.method, inputs);
  for (const char* target : comparison.targets) {
    const Tensors actual = Machine(program, Target::parse(target)).call(comparison.method, inputs);
    for (const auto& [name, tensor] : expected) {
      EXPECT_EQ(difference(actual.at(name), tensor, comparison.closeness), "") << target << ", " << name;
    }
  }
}

}  // namespace ingot::test
