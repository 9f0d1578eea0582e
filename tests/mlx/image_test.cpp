// Sampling of images of some size, which lie transposed in memory, and what no image or too many points refuse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

// The line of a program that makes %y of %x f32[2, 6, 20, 24], the places %grid, the %regions and their %images.
struct Variant {
  const char* name;
  const char* line;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class LargeImages : public testing::TestWithParam<Variant> {};

TEST_P(LargeImages, AgreeWithTheReference) {
  const std::string text = fmt::format(
      "ingot 1\nmethod main(%last: f32[2, 20, 24, 6], %grid: f32[2, 9, 11, 2], %regions: f32[5, 4], %images: u8[5],"
      " %rows: f32[5, 5], %w: f32[4, 3, 3, 3], %offset: f32[2, 36, 18, 22], %mask: f32[2, 18, 18, 22]) -> (y) {{\n"
      "  %x = transpose %last {{perm=[0, 3, 1, 2]}}\n  {}\n  return %y\n}}\n",
      GetParam().line);
  const Tensors inputs{{"last", numbers({2, 20, 24, 6}, 1)},
                       {"grid", numbers({2, 9, 11, 2}, 2)},
                       {"regions", numbers({5, 4}, 3, 18)},
                       {"images", Tensor::of<uint8_t>({5}, {1, 0, 1, 1, 0})},
                       {"rows", Tensor::of<float>({5, 5}, {0, 1, 2, 9, 17, 1,  -4, 0, 30, 6,  1,  20, 15,
                                                           3, 2, 0, 0, 0,  23, 19, 1, 40, 40, 50, 50})},
                       {"w", numbers({4, 3, 3, 3}, 4)},
                       {"offset", numbers({2, 36, 18, 22}, 5, 4.6f)},
                       {"mask", numbers({2, 18, 18, 22}, 6)}};
  const double atol = Target::parse("mlx").has_f64() ? 2e-5 : 1e-4;  // places are of f32 where there is no f64
  expect_as_reference(text, inputs, {{16, atol}, {"mlx:lazy", "mlx:eager"}});
}

constexpr Variant variants[] = {
    {"nearest", "%y = resize %x {axes=[2, 3], sizes=[13, 77], mode=nearest}"},
    {"linear", "%y = resize %x {axes=[3, 1], sizes=[48, 9]}"},
    {"cubic_antialias", "%y = resize %x {axes=[2, 3], sizes=[31, 3], mode=cubic, antialias=true}"},
    {"linear_antialias", "%y = resize %x {axes=[2, 3], sizes=[2, 40], antialias=true}"},
    {"grid_nearest", "%y = grid_sample %x, %grid {mode=nearest, padding=border}"},
    {"grid_linear", "%y = grid_sample %x, %grid {align_corners=true}"},
    {"grid_cubic", "%y = grid_sample %x, %grid {mode=cubic, padding=reflection}"},
    {"align_own_points", "%y = roi_align_avg %x, %regions, %images {height=3, width=4}"},
    {"align_largest", "%y = roi_align_max %x, %regions, %images {height=3, width=2, half_pixel=false}"},
    {"align_two_points", "%y = roi_align_avg %x, %regions, %images {height=7, width=7, sampling=2, scale=0.25}"},
    {"pool", "%y = roi_pool %x, %rows {height=3, width=4}"},
    {"deform", "%y = deform_conv %x, %w, %offset, _, %mask {groups=2, offset_groups=2}"},
};

INSTANTIATE_TEST_SUITE_P(Mlx, LargeImages, testing::ValuesIn(variants),
                         [](const auto& each) { return each.param.name; });

// What a call refuses; empty where it does not.
std::string refused(const std::string& text, const Tensors& inputs, const char* target) {
  try {
    Machine(text, Target::parse(target)).call("main", inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MlxImage, RegionsOfNoImageAreRefusedAlike) {
  const std::string align =
      "ingot 1\nmethod main(%x: f32[0, 1, 3, 3], %r: f32[1, 4], %b: i64[1]) -> (y) {\n  %y = roi_align_avg %x, %r, %b"
      " {sampling=1}\n  return %y\n}\n";
  const std::string pool =
      "ingot 1\nmethod main(%x: f32[0, 1, 3, 3], %r: f32[1, 5]) -> (y) {\n  %y = roi_pool %x, %r {height=1, width=1}\n"
      "  return %y\n}\n";
  const Tensors of_align{
      {"x", numbers({0, 1, 3, 3}, 1)}, {"r", numbers({1, 4}, 1)}, {"b", Tensor::of<int64_t>({1}, {0})}};
  const Tensors of_pool{{"x", numbers({0, 1, 3, 3}, 1)}, {"r", Tensor::of<float>({1, 5}, {0, 0, 0, 1, 1})}};
  for (const char* target : {"reference", "mlx"}) {
    EXPECT_EQ(refused(align, of_align, target),
              "[roi_align_avg] batch of region 0 is 0, expected 0 to -1 (at main: %y)");
    EXPECT_EQ(refused(pool, of_pool, target), "[roi_pool] batch of region 0 is 0, expected 0 to -1 (at main: %y)");
  }
}

TEST(MlxImage, RegionOfTooManyPointsIsRefused) {
  const std::string text =
      "ingot 1\nmethod main(%x: f32[1, 1, 3, 3], %r: f32[1, 4], %b: i64[1]) -> (y) {\n  %y = roi_align_avg %x, %r, %b\n"
      "  return %y\n}\n";
  const Tensors inputs{{"x", numbers({1, 1, 3, 3}, 1)},
                       {"r", Tensor::of<float>({1, 4}, {0, 0, 1e9f, 1e9f})},
                       {"b", Tensor::of<int64_t>({1}, {0})}};
  EXPECT_EQ(refused(text, inputs, "mlx"),
            "[roi_align_avg] the number of points of a bin is 1000000000 × 1000000000, expected at most 16384 in all"
            " (at main: %y)");
}

TEST(MlxImage, ScaleThatReadsTooMuchIsRefused) {
  for (const Tensor& factor : {Tensor::of<float>({1}, {0x1p-32F}), Tensor::of<double>({1}, {0x1p-32})}) {
    if (factor.dtype() == DType::f64 && !Target::parse("mlx").has_f64()) continue;
    const std::string text = fmt::format(
        "ingot 1\nmethod main(%x: f32[4], %f: {}[1]) -> (y) {{\n  %y = resize %x, %f {{axes=[0], sizes=[2],"
        " antialias=true}}\n  return %y\n}}\n",
        to_string(factor.dtype()));
    // 2 positions with 2^33 samples of 24 bytes
    const std::string refusal = refused(text, {{"x", numbers({4}, 1)}, {"f", factor}}, "mlx");
    EXPECT_TRUE(refusal.starts_with("[resize] 412316860416 bytes")) << refusal;
    EXPECT_TRUE(refusal.ends_with(" (at main: %y)")) << refusal;
  }
}

}  // namespace
}  // namespace ingot::test
