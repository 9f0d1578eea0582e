// Types of pooling.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(InferPool, Pool) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.pool_max(b.in(d, {1, 2, 5}), {2}); }), kNumbers);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.pool_avg(b.in(d, {1, 2, 5}), {2}); }),
            fmt::format("{} c64", kReals));
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.pool_lp(b.in(d, {1, 2, 5}), {2}); }), kReals);
  expect_types({
      {"f32[1, 2, 4]", [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}); }},
      {"f32[1, 2, 2, 2]",
       [](Bench& b) {
         return b.g.pool_avg(b.f32({1, 2, 5, 3}), {2, 3}, {.strides = {3, 1}, .dilations = {2, 1}, .after = {1, 1}});
       }},
      {"f32[1, 2, 3]",
       [](Bench& b) { return b.g.pool_lp(b.f32({1, 2, 5}), {2}, {.strides = {2}, .ceil_mode = true}); }},
      // A last window that begins in the padding behind x does not count in ceil_mode.
      {"f32[1, 2, 3]",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.strides = {2}, .after = {4}, .ceil_mode = true}); }},
      {"f32[1, 2, 4]", [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.strides = {2}, .after = {4}}); }},
      {"f32[N, S, T / 2]", [](Bench& b) { return b.g.pool_max(b.f32({b.n, b.s, b.t}), {2}, {.strides = {2}}); }},
      {"f32[1, 2, ceil(T, 2)]",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, b.t}), {2}, {.strides = {2}, .ceil_mode = true}); }},
      {"f32[1, 2, 0]", [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 0}), {1}); }},
      {"f32[0, 0, 2]", [](Bench& b) { return b.g.pool_avg(b.f32({0, 0, 3}), {2}); }},
  });
}

TEST(InferPool, PoolRefuses) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  expect_refusals({
      {"[pool_max] x is bool, expected integer or real",
       [](Bench& b) { return b.g.pool_max(b.in(DType::bool_, {1, 2, 5}), {2}); }},
      {"[pool_avg] x is i32, expected real or complex",
       [](Bench& b) { return b.g.pool_avg(b.in(DType::i32, {1, 2, 5}), {2}); }},
      {"[pool_lp] x is c64, expected real", [](Bench& b) { return b.g.pool_lp(b.in(DType::c64, {1, 2, 5}), {2}); }},
      {"[pool_max] x is f32[2, 5], expected rank 3 or more: [N, C, spatial…]",
       [](Bench& b) { return b.g.pool_max(b.f32({2, 5}), {}); }},
      {"[pool_max] length of kernel is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2, 2}); }},
      {"[pool_max] length of strides is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.strides = {1, 1}}); }},
      {"[pool_max] length of dilations is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.dilations = {1, 1}}); }},
      {"[pool_max] length of before is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.before = {1, 1}}); }},
      {"[pool_max] length of after is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.after = {1, 1}}); }},
      {"[pool_max] kernel is 0, expected at least 1", [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {0}); }},
      {"[pool_max] stride is 0, expected at least 1",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.strides = {0}}); }},
      {"[pool_max] dilation is 0, expected at least 1",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.dilations = {0}}); }},
      {"[pool_max] before is -1, expected at least 0",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.before = {-1}}); }},
      {"[pool_max] after is -1, expected at least 0",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.after = {-1}}); }},
      {"[pool_lp] p is 0, expected finite and more than 0",
       [](Bench& b) { return b.g.pool_lp(b.f32({1, 2, 5}), {2}, {.p = 0}); }},
      {"[pool_lp] p is inf, expected finite and more than 0",
       [](Bench& b) { return b.g.pool_lp(b.f32({1, 2, 5}), {2}, {.p = inf}); }},
      {"[pool_avg] p is 3, expected 2 (fn is avg)",
       [](Bench& b) { return b.g.pool_avg(b.f32({1, 2, 5}), {2}, {.p = 3}); }},
      {"[pool_max] count_include_pad is true, expected false (fn is max)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 5}), {2}, {.count_include_pad = true}); }},
      {"[pool_lp] count_include_pad is true, expected false (fn is lp)",
       [](Bench& b) { return b.g.pool_lp(b.f32({1, 2, 5}), {2}, {.count_include_pad = true}); }},
      {"[pool_max] axis 2 of the result is -1, expected at least 0",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, 1}), {3}); }},
      {"[pool_max] axis 2 of the result is T - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.pool_max(b.f32({1, 2, b.t}), {3}); }},
  });
  // As many elements in a window as i64 does not count.
  Bench b;
  try {
    b.g.pool_max(b.f32({1, 1, 5, 5}), {kMost / 2, 4}, {.before = {kMost / 2, 9}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::limit) << error.what();
  }
}

TEST(InferPool, Indices) {
  const auto indices = [](Bench& b, Var x, const options::MaxPoolIndices& options = {}) {
    return b.g.pool_max_indices(x, {2, 2}, options);
  };
  EXPECT_EQ(accepted_dtypes([&](Bench& b, DType d) { return indices(b, b.in(d, {1, 2, 5, 5}))[0]; }), kNumbers);
  expect_types({
      {"f32[1, S, 4, 2]", [&](Bench& b) { return indices(b, b.f32({1, b.s, 5, 5}), {.strides = {1, 2}})[0]; }},
      {"i64[1, S, 4, 3]",
       [&](Bench& b) {
         return indices(b, b.in(DType::f16, {1, b.s, 5, 5}),
                        {.strides = {1, 2}, .ceil_mode = true, .column_major = true, .per_channel = true})[1];
       }},
  });
  expect_refusals({
      {"[pool_max_indices] x is c64, expected integer or real",
       [&](Bench& b) { return indices(b, b.in(DType::c64, {1, 2, 5, 5}))[0]; }},
      {"[pool_max_indices] length of kernel is 2, expected 1 (one for each spatial axis)",
       [&](Bench& b) { return indices(b, b.f32({1, 2, 5}))[0]; }},
      {"[pool_max_indices] stride is -1, expected at least 1",
       [&](Bench& b) { return indices(b, b.f32({1, 2, 5, 5}), {.strides = {1, -1}})[0]; }},
      {"[pool_max_indices] axis 3 of the result is -1, expected at least 0",
       [&](Bench& b) { return indices(b, b.f32({1, 2, 5, 5}), {.dilations = {1, 6}})[0]; }},
  });
}

TEST(InferPool, Adaptive) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.adaptive_pool_max(b.in(d, {1, 2, 5}), {2}); }),
            kNumbers);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.adaptive_pool_avg(b.in(d, {1, 2, 5}), {2}); }),
            fmt::format("{} c64", kReals));
  expect_types({
      {"f32[1, 2, 1, 1]", [](Bench& b) { return b.g.adaptive_pool_avg(b.f32({1, 2, b.t, 5}), {1, 1}); }},
      {"f32[N, 2, S + 1]", [](Bench& b) { return b.g.adaptive_pool_lp(b.f32({b.n, 2, 3}), {b.s + Dim(1)}, {.p = 1}); }},
      {"f32[1, 2, 0]", [](Bench& b) { return b.g.adaptive_pool_max(b.f32({1, 2, 5}), {0}); }},
  });
  expect_refusals({
      {"[adaptive_pool_lp] x is i8, expected real",
       [](Bench& b) { return b.g.adaptive_pool_lp(b.in(DType::i8, {1, 2, 5}), {2}); }},
      {"[adaptive_pool_avg] x is f32[], expected rank 3 or more: [N, C, spatial…]",
       [](Bench& b) { return b.g.adaptive_pool_avg(b.f32({}), {}); }},
      {"[adaptive_pool_avg] length of shape is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.adaptive_pool_avg(b.f32({1, 2, 5}), {1, 1}); }},
      {"[adaptive_pool_avg] axis 2 of the result is -1, expected at least 0",
       [](Bench& b) { return b.g.adaptive_pool_avg(b.f32({1, 2, 5}), {-1}); }},
      {"[adaptive_pool_max] p is 1, expected 2 (fn is max)",
       [](Bench& b) { return b.g.adaptive_pool_max(b.f32({1, 2, 5}), {1}, {.p = 1}); }},
      {"[adaptive_pool_lp] p is -2, expected finite and more than 0",
       [](Bench& b) { return b.g.adaptive_pool_lp(b.f32({1, 2, 5}), {1}, {.p = -2}); }},
  });
}

TEST(InferPool, Unpool) {
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.max_unpool(b.in(d, {1, 2, 3}), b.i64({1, 2, 3}), {1, 2, 6}); }),
            kComputable);
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.max_unpool(b.f32({1, 2, 3}), b.in(d, {1, 2, 3}), {1, 2, 6}); }),
            "u8>f32 u16>f32 u32>f32 u64>f32 i8>f32 i16>f32 i32>f32 i64>f32");
  expect_types({
      {"f32[N, 2, 2*S, T]",
       [](Bench& b) {
         return b.g.max_unpool(b.f32({b.n, 2, b.s, 3}), b.i64({b.n, 2, b.s, 3}), {b.n, 2, b.s * Dim(2), b.t},
                               {.per_channel = true});
       }},
  });
  expect_refusals({
      {"[max_unpool] indices is f32, expected integer",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.f32({1, 2, 3}), {1, 2, 6}); }},
      {"[max_unpool] axis 2 of indices is 4, expected 3 (as x)",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.i64({1, 2, 4}), {1, 2, 6}); }},
      {"[max_unpool] rank of indices is 1, expected 3 (as x)",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.i64({3}), {1, 2, 6}); }},
      {"[max_unpool] length of shape is 1, expected 3 (rank of x)",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.i64({1, 2, 3}), {6}); }},
      {"[max_unpool] axis 1 of shape is 3, expected 2 (as x)",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.i64({1, 2, 3}), {1, 3, 6}); }},
      {"[max_unpool] axis 0 of shape is T, expected N (as x) (not provable from the bounds)",
       [](Bench& b) { return b.g.max_unpool(b.f32({b.n, 2, 3}), b.i64({b.n, 2, 3}), {b.t, 2, 6}); }},
      {"[max_unpool] size in shape is -6, expected at least 0",
       [](Bench& b) { return b.g.max_unpool(b.f32({1, 2, 3}), b.i64({1, 2, 3}), {1, 2, -6}); }},
      {"[max_unpool] x is f8e4m3, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.max_unpool(b.in(DType::f8e4m3, {1, 2, 3}), b.i64({1, 2, 3}), {1, 2, 6}); }},
      {"[max_unpool] x is f32[3], expected rank 3 or more: [N, C, spatial…]",
       [](Bench& b) { return b.g.max_unpool(b.f32({3}), b.i64({3}), {6}); }},
  });
}

}  // namespace
}  // namespace ingot
