// Types of ops on images.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST(InferImage, Resize) {
  const auto resize = [](ResizeMode mode) {
    return [=](Bench& b, DType d) { return b.g.resize(b.in(d, {3}), {0}, {5}, {.mode = mode}); };
  };
  EXPECT_EQ(accepted_dtypes(resize(ResizeMode::linear)), kReals);
  EXPECT_EQ(accepted_dtypes(resize(ResizeMode::cubic)), kReals);
  EXPECT_EQ(accepted_dtypes(resize(ResizeMode::nearest)), kComputable);
  expect_types({
      {"f32[2, 6, T]", [](Bench& b) { return b.g.resize(b.f32({2, 3, b.s}), {-1, 1}, {b.t, 6}); }},
      {"f32[2*S]", [](Bench& b) { return b.g.resize(b.f32({b.s}), {0}, {Dim(b.s) * 2}, {.scales = {2.0}}); }},
      {"f32[0]", [](Bench& b) { return b.g.resize(b.f32({0}), {0}, {0}); }},
      {"f32[]", [](Bench& b) { return b.g.resize(b.f32({}), {}, {}); }},
      {"i8[4]",
       [](Bench& b) {
         return b.g.resize(b.in(DType::i8, {3}), {0}, {4},
                           {.mode = ResizeMode::nearest,
                            .coordinates = ResizeCoordinates::tf_crop_and_resize,
                            .roi = {0, 1},
                            .extrapolation = -128});
       }},
      {"f32[T, 6]",
       [](Bench& b) { return b.g.resize(b.f32({b.s, 3}), {0, 1}, {b.t, 6}, {.factors = b.in(DType::f64, {2})}); }},
      {"f32[T, 6]",
       [](Bench& b) {
         return b.g.resize(b.f32({b.s, 3}), {0, 1}, {b.t, 6},
                           {.coordinates = ResizeCoordinates::tf_crop_and_resize,
                            .factors = b.in(DType::bf16, {2}),
                            .region = b.f32({4})});
       }},
  });
  const auto by_values = [](Bench& b, DType d) {
    return b.g.resize(
        b.f32({3}), {0}, {5},
        {.coordinates = ResizeCoordinates::tf_crop_and_resize, .factors = b.in(d, {1}), .region = b.in(d, {2})});
  };
  EXPECT_EQ(accepted_dtypes(by_values), "f16>f32 bf16>f32 f32 f64>f32");
}

TEST(InferImage, RefusesResize) {
  using Options = options::Resize;
  const auto with = [](const Options& options) {
    return [=](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, options); };
  };
  const auto crop = [](const std::vector<double>& roi, double outside = 0, DType dtype = DType::f32) {
    return [=](Bench& b) {
      return b.g.resize(b.in(dtype, {4}), {0}, {2},
                        {.mode = ResizeMode::nearest,
                         .coordinates = ResizeCoordinates::tf_crop_and_resize,
                         .roi = roi,
                         .extrapolation = outside});
    };
  };
  const auto cut = [](const std::vector<double>& roi, const Shape& region, DType dtype = DType::f32) {
    return [=](Bench& b) {
      return b.g.resize(
          b.f32({4}), {0}, {2},
          {.coordinates = ResizeCoordinates::tf_crop_and_resize, .roi = roi, .region = b.in(dtype, region)});
    };
  };
  expect_refusals({
      {"[resize] x is i32, expected real", [](Bench& b) { return b.g.resize(b.in(DType::i32, {3}), {0}, {2}); }},
      {"[resize] axes is 1, expected -1..0", [](Bench& b) { return b.g.resize(b.f32({3}), {1}, {2}); }},
      {"[resize] axes is [0, -1], expected every axis at most once",
       [](Bench& b) { return b.g.resize(b.f32({3}), {0, -1}, {2, 2}); }},
      {"[resize] length of sizes is 2, expected 1 (length of axes)",
       [](Bench& b) { return b.g.resize(b.f32({3}), {0}, {2, 2}); }},
      {"[resize] size in sizes is -1, expected at least 0", [](Bench& b) { return b.g.resize(b.f32({3}), {0}, {-1}); }},
      {"[resize] size in sizes is T - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.resize(b.f32({3}), {0}, {Dim(b.t) - 1}); }},
      {"[resize] length of scales is 2, expected 1 (length of axes)", with({.scales = {1, 1}})},
      {"[resize] a scale is 0, expected 2^-32 to 2^32", with({.scales = {0}})},
      {"[resize] a scale is -1, expected 2^-32 to 2^32", with({.scales = {-1}})},
      {"[resize] a scale is nan, expected 2^-32 to 2^32", with({.scales = {nan}})},
      {"[resize] a scale is 1e+300, expected 2^-32 to 2^32", with({.scales = {1e300}})},
      {"[resize] cubic_coefficient is inf, expected finite", with({.cubic_coefficient = infinity})},
      {"[resize] antialias is true, expected false (mode is nearest)",
       with({.mode = ResizeMode::nearest, .antialias = true})},
      {"[resize] exclude_outside is true, expected false (mode is nearest)",
       with({.mode = ResizeMode::nearest, .exclude_outside = true})},
      {"[resize] length of roi is 2, expected 0 (only tf_crop_and_resize reads it)", with({.roi = {0, 1}})},
      {"[resize] length of roi is 1, expected 2 (starts and ends of the axes)", crop({0})},
      {"[resize] a number of roi is nan, expected finite", crop({0, nan})},
      {"[resize] length of scales is 1, expected 0 (factors are given)",
       [](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, {.scales = {0.5}, .factors = b.f32({1})}); }},
      {"[resize] factors is i64, expected real",
       [](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, {.factors = b.i64({1})}); }},
      {"[resize] factors is f32[2], expected f32[1] (one for each of axes)",
       [](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, {.factors = b.f32({2})}); }},
      {"[resize] factors is f32[S], expected f32[1] (one for each of axes) (not provable from the bounds)",
       [](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, {.factors = b.f32({b.s})}); }},
      {"[resize] region is given, expected none (only tf_crop_and_resize reads it)",
       [](Bench& b) { return b.g.resize(b.f32({4}), {0}, {2}, {.region = b.f32({2})}); }},
      {"[resize] length of roi is 2, expected 0 (region is given)", cut({0, 1}, {2})},
      {"[resize] region is f32[1], expected f32[2] (starts and ends of the axes)", cut({}, {1})},
      {"[resize] region is f32[], expected f32[2] (starts and ends of the axes)", cut({}, {})},
      {"[resize] region is bool, expected real", cut({}, {2}, DType::bool_)},
      {"[resize] extrapolation is 0.5, expected an integer in -128..127 for i8", crop({0, 1}, 0.5, DType::i8)},
      {"[resize] extrapolation is 128, expected an integer in -128..127 for i8", crop({0, 1}, 128, DType::i8)},
  });
}

TEST(InferImage, GridSample) {
  const auto sample = [](GridMode mode) {
    return [=](Bench& b, DType d) { return b.g.grid_sample(b.in(d, {1, 2, 3}), b.f32({1, 4, 1}), {.mode = mode}); };
  };
  EXPECT_EQ(accepted_dtypes(sample(GridMode::linear)), kReals);
  EXPECT_EQ(accepted_dtypes(sample(GridMode::cubic)), kReals);
  EXPECT_EQ(accepted_dtypes(sample(GridMode::nearest)), kComputable);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.grid_sample(b.f32({1, 2, 3}), b.in(d, {1, 4, 1})); }),
            "f16>f32 bf16>f32 f32 f64>f32");
  expect_types({
      {"f32[S, 3, 7, T]", [](Bench& b) { return b.g.grid_sample(b.f32({b.s, 3, 4, 5}), b.f32({b.s, 7, b.t, 2})); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.grid_sample(b.f32({2, 3, 4, 5, 6}), b.f32({2, 3})); }},
  });
  expect_refusals({
      {"[grid_sample] x is i8, expected real",
       [](Bench& b) { return b.g.grid_sample(b.in(DType::i8, {1, 1, 3}), b.f32({1, 2, 1})); }},
      {"[grid_sample] grid is i64, expected real",
       [](Bench& b) { return b.g.grid_sample(b.f32({1, 1, 3}), b.i64({1, 2, 1})); }},
      {"[grid_sample] rank of x is 2, expected at least 3",
       [](Bench& b) { return b.g.grid_sample(b.f32({1, 1}), b.f32({1, 0})); }},
      {"[grid_sample] rank of grid is 1, expected at least 2",
       [](Bench& b) { return b.g.grid_sample(b.f32({1, 1, 3}), b.f32({1})); }},
      {"[grid_sample] axis 0 of grid is T, expected S (axis 0 of x) (not provable from the bounds)",
       [](Bench& b) { return b.g.grid_sample(b.f32({b.s, 1, 3}), b.f32({b.t, 1})); }},
      {"[grid_sample] last axis of grid is 1, expected 2 (spatial axes of x)",
       [](Bench& b) { return b.g.grid_sample(b.f32({1, 1, 3, 3}), b.f32({1, 1})); }},
  });
}

TEST(InferImage, Regions) {
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.roi_align_avg(b.in(d, {1, 2, 3, 3}), b.f32({5, 4}), b.i64({5})); }),
            kReals);
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.roi_align_max(b.f32({1, 2, 3, 3}), b.f32({5, 4}), b.in(d, {5})); }),
            "u8>f32 u16>f32 u32>f32 u64>f32 i8>f32 i16>f32 i32>f32 i64>f32");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.roi_pool(b.f32({1, 2, 3, 3}), b.in(d, {5, 5}), 1, 2); }),
            "f16>f32 bf16>f32 f32 f64>f32");
  expect_types({
      {"f32[T, 3, 7, 2]",
       [](Bench& b) {
         return b.g.roi_align_max(b.f32({b.s, 3, 4, 5}), b.f32({b.t, 4}), b.i64({b.t}), {.height = 7, .width = 2});
       }},
      {"f16[T, 3, 7, 2]",
       [](Bench& b) { return b.g.roi_pool(b.in(DType::f16, {b.s, 3, 4, 5}), b.f32({b.t, 5}), 7, 2); }},
  });
  const auto align = [](options::RoiAlign options) {
    return [=](Bench& b) { return b.g.roi_align_avg(b.f32({1, 2, 3, 3}), b.f32({5, 4}), b.i64({5}), options); };
  };
  expect_refusals({
      {"[roi_align_avg] x is i8, expected real",
       [](Bench& b) { return b.g.roi_align_avg(b.in(DType::i8, {1, 1, 2, 2}), b.f32({1, 4}), b.i64({1})); }},
      {"[roi_align_avg] rank of x is 3, expected 4 ([N, C, H, W])",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 2, 2}), b.f32({1, 4}), b.i64({1})); }},
      {"[roi_align_avg] rois is i64, expected real",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 1, 2, 2}), b.i64({1, 4}), b.i64({1})); }},
      {"[roi_align_avg] rank of rois is 1, expected 2 (a row for each region)",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 1, 2, 2}), b.f32({4}), b.i64({1})); }},
      {"[roi_align_avg] axis 1 of rois is 5, expected 4",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 1, 2, 2}), b.f32({1, 5}), b.i64({1})); }},
      {"[roi_align_avg] batch is f32, expected integer",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 1, 2, 2}), b.f32({1, 4}), b.f32({1})); }},
      {"[roi_align_avg] batch is i64[2], expected i64[1] (one for each region)",
       [](Bench& b) { return b.g.roi_align_avg(b.f32({1, 1, 2, 2}), b.f32({1, 4}), b.i64({2})); }},
      {"[roi_align_avg] height is 0, expected at least 1", align({.height = 0})},
      {"[roi_align_avg] width is -1, expected at least 1", align({.width = -1})},
      {"[roi_align_avg] sampling is -1, expected at least 0", align({.sampling = -1})},
      {"[roi_align_avg] scale is 0, expected finite and more than 0", align({.scale = 0})},
      {"[roi_align_avg] scale is inf, expected finite and more than 0", align({.scale = infinity})},
      {"[roi_pool] axis 1 of rois is 4, expected 5",
       [](Bench& b) { return b.g.roi_pool(b.f32({1, 1, 2, 2}), b.f32({1, 4}), 1, 1); }},
      {"[roi_pool] height is 0, expected at least 1",
       [](Bench& b) { return b.g.roi_pool(b.f32({1, 1, 2, 2}), b.f32({1, 5}), 0, 1); }},
      {"[roi_pool] scale is nan, expected finite and more than 0",
       [](Bench& b) { return b.g.roi_pool(b.f32({1, 1, 2, 2}), b.f32({1, 5}), 1, 1, {.scale = nan}); }},
  });
}

TEST(InferImage, Nms) {
  expect_types({
      {"i64[N, 3]",
       [](Bench& b) { return b.g.nms(b.f32({b.s, b.t, 4}), b.in(DType::f16, {b.s, 2, b.t}), b.p.symbol_id("N"), 5); }},
      {"i64[N, 3]",
       [](Bench& b) {
         return b.g.nms(b.f32({1, 3, 4}), b.f32({1, 2, 3}), b.p.symbol_id("N"), Dim(b.t) + 1,
                        {.iou_threshold = b.f32({}), .score_threshold = b.in(DType::bf16, {})});
       }},
  });
  const auto nms = [](const Shape& boxes, const Shape& scores, int64_t most) {
    return [=](Bench& b) { return b.g.nms(b.f32(boxes), b.f32(scores), b.p.symbol_id("N"), most); };
  };
  const auto above = [](DType dtype, const Shape& iou, const Shape& least) {
    return [=](Bench& b) {
      return b.g.nms(b.f32({1, 3, 4}), b.f32({1, 1, 3}), b.p.symbol_id("N"), 1,
                     {.iou_threshold = b.in(dtype, iou), .score_threshold = b.in(dtype, least)});
    };
  };
  expect_refusals({
      {"[nms] rank of boxes is 2, expected 3 ([N, B, 4])", nms({3, 4}, {1, 1, 3}, 1)},
      {"[nms] rank of scores is 2, expected 3 ([N, C, B])", nms({1, 3, 4}, {1, 3}, 1)},
      {"[nms] axis 2 of boxes is 5, expected 4", nms({1, 3, 5}, {1, 1, 3}, 1)},
      {"[nms] axis 0 of scores is 2, expected 1 (axis 0 of boxes)", nms({1, 3, 4}, {2, 1, 3}, 1)},
      {"[nms] axis 2 of scores is 2, expected 3 (axis 1 of boxes)", nms({1, 3, 4}, {1, 1, 2}, 1)},
      {"[nms] max_output is -1, expected at least 0", nms({1, 3, 4}, {1, 1, 3}, -1)},
      {"[nms] max_output is T - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.nms(b.f32({1, 3, 4}), b.f32({1, 1, 3}), b.p.symbol_id("N"), Dim(b.t) - 1); }},
      {"[nms] iou_threshold is i64, expected real", above(DType::i64, {}, {})},
      {"[nms] iou_threshold is f32[1], expected f32[] (a scalar)", above(DType::f32, {1}, {})},
      {"[nms] score_threshold is f16[2], expected f16[] (a scalar)", above(DType::f16, {}, {2})},
      {"[nms] minimum of symbol S is 1, expected at most 0 (there may be no such box)",
       [](Bench& b) { return b.g.nms(b.f32({1, 3, 4}), b.f32({1, 1, 3}), b.p.symbol_id("S"), 1); }},
      {"[nms] boxes is i64, expected real",
       [](Bench& b) { return b.g.nms(b.i64({1, 3, 4}), b.f32({1, 1, 3}), b.p.symbol_id("N"), 1); }},
      {"[nms] scores is bool, expected real",
       [](Bench& b) { return b.g.nms(b.f32({1, 3, 4}), b.in(DType::bool_, {1, 1, 3}), b.p.symbol_id("N"), 1); }},
  });
}

}  // namespace
}  // namespace ingot
