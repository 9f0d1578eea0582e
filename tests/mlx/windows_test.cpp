// Convolutions and pools of operands that lie transposed in memory, by more taps and further apart than the cases have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/program/io_support.h"
#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

// The lines of a program that make %y of %x f32[2, 8, 20, 24], %w f32[8, 2, 3, 3] or %deep f32[1, 8, 6, 7, 8].
struct Variant {
  const char* name;
  const char* lines;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class LargeWindows : public testing::TestWithParam<Variant> {};

TEST_P(LargeWindows, AgreeWithTheReference) {
  if (std::string_view(GetParam().lines).find("f64") != std::string_view::npos && !Target::parse("mlx").has_f64()) {
    GTEST_SKIP();
  }
  const std::string text = fmt::format(
      "ingot 1\nmethod main(%last: f32[20, 24, 2, 8], %w: f32[8, 2, 3, 3], %deep: f32[1, 8, 6, 7, 8],"
      " %w3: f32[8, 2, 3, 3, 3]) -> (y) {{\n  %x = transpose %last {{perm=[2, 3, 0, 1]}}\n  {}\n  return %y\n}}\n",
      GetParam().lines);
  const Tensors inputs{{"last", numbers({20, 24, 2, 8}, 1)},
                       {"w", numbers({8, 2, 3, 3}, 2)},
                       {"deep", numbers({1, 8, 6, 7, 8}, 3)},
                       {"w3", numbers({8, 2, 3, 3, 3}, 4)}};
  expect_as_reference(text, inputs, {{8, 1e-5}, {"mlx:lazy", "mlx:eager"}});
}

constexpr Variant variants[] = {
    {"conv", "%y = conv %x, %w {groups=4, before=[1, 1], after=[1, 1]}"},
    {"dilated", "%y = conv %x, %w {groups=4, before=[4, 2], after=[4, 2], dilations=[4, 2], strides=[1, 3]}"},
    // Nearly all of it padding, which is not written out.
    {"far", "%y = conv %x, %w {groups=4, before=[3000, 0], after=[5000, 0], strides=[1500, 1]}"},
    {"in_f64",
     "%xd = cast %x {dtype=f64}\n  %yd = conv %xd, %w {groups=4, strides=[2, 1]}\n"
     "  %y = cast %yd {dtype=f32}"},
    {"transposed", "%y = conv_transpose %x, %w {groups=4, strides=[2, 3], before=[1, 4], output_padding=[1, 2]}"},
    {"cut_beyond_the_kernel", "%y = conv_transpose %x, %w {groups=4, before=[7, 3], after=[3, 9]}"},
    {"three_axes_in_groups", "%y = conv %deep, %w3 {groups=4, before=[1, 1, 1], after=[1, 1, 1]}"},
    {"max", "%y = pool_max %x {kernel=[3, 3], strides=[2, 2], before=[1, 1], after=[1, 1]}"},
    {"max_of_many_taps", "%y = pool_max %x {kernel=[11, 9], strides=[3, 2], before=[5, 0], after=[5, 4]}"},
    {"max_of_far_windows", "%y = pool_max %x {kernel=[2000, 2], before=[1999, 0], after=[1999, 0], strides=[500, 1]}"},
    {"avg", "%y = pool_avg %x {kernel=[3, 2], strides=[2, 3], before=[1, 1], after=[1, 0], ceil_mode=true}"},
    {"avg_of_many_taps", "%y = pool_avg %x {kernel=[12, 3], dilations=[1, 5], before=[3, 3], count_include_pad=true}"},
    {"lp", "%y = pool_lp %x {kernel=[4, 4], strides=[4, 4], p=3.0}"},
    {"global", "%y = adaptive_pool_avg %x {shape=[1, 1]}"},
    {"adaptive", "%y = adaptive_pool_avg %x {shape=[7, 6]}"},
    {"there_and_back",
     "%m, %i = pool_max_indices %x {kernel=[3, 3], strides=[2, 1], dilations=[2, 1], before=[1, 1]}\n"
     "  %y = max_unpool %m, %i {shape=[2, 8, 20, 24]}"},
};

INSTANTIATE_TEST_SUITE_P(Mlx, LargeWindows, testing::ValuesIn(variants),
                         [](const auto& each) { return each.param.name; });

// What MLX keeps for one of them must not serve another.
TEST(MlxConv, TransposesOfOneShapeByManyStrides) {
  std::string body;
  for (int stride = 1; stride <= 4; ++stride) {
    body += fmt::format("  %y{0} = conv_transpose %x, %w {{strides=[{0}, {1}]}}\n", stride, 5 - stride);
  }
  const std::string text = fmt::format(
      "ingot 1\nmethod main(%x: f32[1, 3, 5, 6], %w: f32[3, 2, 3, 2]) -> (y1, y2, y3, y4) {{\n{}"
      "  return %y1, %y2, %y3, %y4\n}}\n",
      body);
  expect_as_reference(text, {{"x", numbers({1, 3, 5, 6}, 1)}, {"w", numbers({3, 2, 3, 2}, 2)}}, {{8, 1e-5}});
}

// Arrays so small that they lie anywhere in memory.
TEST(MlxConv, OfAFewBytes) {
  std::string inputs, body, names, results;
  Tensors given;
  for (uint32_t i = 0; i < 9; ++i) {
    const char* comma = i ? ", " : "";
    inputs += fmt::format("{0}%x{1}: f32[1, 1, {2}], %w{1}: f32[1, 1, 2]", comma, i, i % 3 + 1);
    body += fmt::format("  %y{0} = conv_transpose %x{0}, %w{0} {{output_padding=[1]}}\n", i);
    body += fmt::format("  %z{0} = conv %x{0}, %w{0} {{before=[1]}}\n", i);
    names += fmt::format("{0}y{1}, z{1}", comma, i);
    results += fmt::format("{0}%y{1}, %z{1}", comma, i);
    given[fmt::format("x{}", i)] = numbers({1, 1, i % 3 + 1}, i);
    given[fmt::format("w{}", i)] = numbers({1, 1, 2}, 100 + i);
  }
  const std::string text =
      fmt::format("ingot 1\nmethod main({}) -> ({}) {{\n{}  return {}\n}}\n", inputs, names, body, results);
  for (int repetition = 0; repetition < 4; ++repetition) expect_as_reference(text, given, {{8, 1e-5}});
}

TEST(MlxPool, SumOfNegativeZerosIsPositive) {
  const char* text =
      "ingot 1\nmethod main(%x: f32[1, 1, 3]) -> (y) {\n  %y = pool_avg %x {kernel=[2]}\n  return %y\n}\n";
  const Tensors inputs{{"x", Tensor::of<float>({1, 1, 3}, {-0.0f, -0.0f, -0.0f})}};
  expect_as_reference(text, inputs, {{}, {"mlx"}});
}

TEST(MlxPool, RefusesIndicesIntoNothing) {
  const char* text =
      "ingot 1\nmethod main(%x: f32[1, 1, 2], %i: i32[1, 1, 2]) -> (y) {\n  %y = max_unpool %x, %i {shape=[1, 1, 0]}\n"
      "  return %y\n}\n";
  const Tensors inputs{{"x", numbers({1, 1, 2}, 1)}, {"i", Tensor::of<int32_t>({1, 1, 2}, {0, 1})}};
  for (const char* target : {"reference", "mlx"}) {
    EXPECT_EQ(message_of([&] { Machine(text, Target::parse(target)).call("main", inputs); }, Code::out_of_range),
              "[max_unpool] index 0 is outside 0 elements (at main: %y)")
        << target;
  }
}

}  // namespace
}  // namespace ingot::test
