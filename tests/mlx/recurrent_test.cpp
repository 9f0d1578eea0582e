// Recurrences of MLX against the reference engine over many steps, in rows of several lengths, on operands that are views.
#include <gtest/gtest.h>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

Tensor thousandths(Sizes sizes, float largest, uint32_t seed) { return numbers(std::move(sizes), seed, largest, 1000); }

void expect_near(const std::string& program, const Tensors& inputs) {
  expect_as_reference(program, inputs, {{.ulps = 16, .atol = 4e-6, .rtol = 0, .signed_zero = false}});
}

TEST(MlxRecurrent, Layers) {
  const Tensors inputs{
      {"given", thousandths({3, 60, 7}, 1, 1)},      {"w", thousandths({2, 20, 7}, 0.4F, 2)},
      {"r", thousandths({2, 20, 5}, 0.4F, 3)},       {"wg", thousandths({2, 15, 7}, 0.4F, 4)},
      {"given_r", thousandths({2, 5, 15}, 0.4F, 5)}, {"lengths", Tensor::of<int32_t>({3}, {60, 0, 41})}};
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
  const Tensors inputs{{"given", thousandths({2, 6, 50}, 1, 1)},
                       {"delta", thousandths({2, 50, 6}, 0.3F, 2)},
                       {"a", thousandths({6, 4}, 0.5F, 3)},
                       {"b", thousandths({2, 50, 4}, 1, 4)},
                       {"c", thousandths({2, 50, 4}, 1, 5)}};
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
  const Tensors inputs{{"given", thousandths({2, 50, 4, 6}, 0.4F, 1)},
                       {"k", thousandths({2, 2, 50, 6}, 0.4F, 2)},
                       {"v", thousandths({2, 2, 50, 3}, 1, 3)},
                       {"g", thousandths({2, 2, 50}, 0.1F, 4)},
                       {"beta", thousandths({2, 2, 50}, 1, 5)}};
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
}  // namespace ingot::test
