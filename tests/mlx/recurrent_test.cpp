// Recurrences of MLX against the reference engine over many steps, in rows of several lengths, on operands that are views.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Target;
using test::Tensors;

Tensor numbers(const Sizes& sizes, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  for (float& value : values) value = scale * (static_cast<float>(random() % 2001) / 1000 - 1);
  return Tensor::of(sizes, values);
}

void expect_near(const std::string& program, const Tensors& inputs) {
  const Tensors expected = test::Machine(program).call("main", inputs);
  for (const char* target : {"mlx:lazy", "mlx:eager", "mlx:compiled"}) {
    const Tensors actual = test::Machine(program, Target::parse(target)).call("main", inputs);
    for (const auto& [name, tensor] : expected) {
      const test::Closeness closeness{.ulps = 16, .atol = 4e-6, .rtol = 0, .signed_zero = false};
      EXPECT_EQ(test::difference(actual.at(name), tensor, closeness), "") << target << ", " << name;
    }
  }
}

TEST(MlxRecurrent, Layers) {
  const Tensors inputs{{"given", numbers({3, 60, 7}, 1, 1)},      {"w", numbers({2, 20, 7}, 0.4F, 2)},
                       {"r", numbers({2, 20, 5}, 0.4F, 3)},       {"wg", numbers({2, 15, 7}, 0.4F, 4)},
                       {"given_r", numbers({2, 5, 15}, 0.4F, 5)}, {"lengths", Tensor::of<int32_t>({3}, {60, 0, 41})}};
  expect_near(R"(ingot 1
method main(%given: f32[3, 60, 7], %w: f32[2, 20, 7], %r: f32[2, 20, 5], %wg: f32[2, 15, 7], %given_r: f32[2, 5, 15],
            %lengths: i32[3]) -> (y, h, c, yg, hg) {
  %x = transpose %given {perm=[1, 0, 2]}
  %rg = transpose %given_r {perm=[0, 2, 1]}
  %y, %h, %c = lstm %x, %w, %r, _, %lengths {direction=bidirectional}
  %yg, %hg = gru %x, %wg, %rg, _, %lengths {direction=bidirectional, linear_before_reset=true}
  return %y, %h, %c, %yg, %hg
}
)",
              inputs);
}

TEST(MlxRecurrent, SelectiveScan) {
  const Tensors inputs{{"given", numbers({2, 6, 50}, 1, 1)},
                       {"delta", numbers({2, 50, 6}, 0.3F, 2)},
                       {"a", numbers({6, 4}, 0.5F, 3)},
                       {"b", numbers({2, 50, 4}, 1, 4)},
                       {"c", numbers({2, 50, 4}, 1, 5)}};
  expect_near(R"(ingot 1
method main(%given: f32[2, 6, 50], %delta: f32[2, 50, 6], %a: f32[6, 4], %b: f32[2, 50, 4], %c: f32[2, 50, 4]) -> (y, h) {
  %x = transpose %given {perm=[0, 2, 1]}
  %y, %h = selective_scan %x, %delta, %a, %b, %c
  return %y, %h
}
)",
              inputs);
}

TEST(MlxRecurrent, GatedDelta) {
  const Tensors inputs{{"given", numbers({2, 50, 4, 6}, 0.4F, 1)},
                       {"k", numbers({2, 2, 50, 6}, 0.4F, 2)},
                       {"v", numbers({2, 2, 50, 3}, 1, 3)},
                       {"g", numbers({2, 2, 50}, 0.1F, 4)},
                       {"beta", numbers({2, 2, 50}, 1, 5)}};
  expect_near(R"(ingot 1
method main(%given: f32[2, 50, 4, 6], %k: f32[2, 2, 50, 6], %v: f32[2, 2, 50, 3], %g: f32[2, 2, 50],
            %beta: f32[2, 2, 50]) -> (o, s) {
  %q = transpose %given {perm=[0, 2, 1, 3]}
  %o, %s = gated_delta %q, %k, %v, %g, %beta
  return %o, %s
}
)",
              inputs);
}

}  // namespace
}  // namespace ingot
