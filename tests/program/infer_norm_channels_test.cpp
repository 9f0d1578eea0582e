// Types of norms of channels, and of vectors by their length.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

Var batch_norm(Bench& b, const Shape& x, const Shape& parameters, int64_t axis = 1) {
  return b.g.batch_norm(b.f32(x), b.f32(parameters), b.f32(parameters), {.axis = axis});
}

TEST(InferGroupNorm, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.group_norm(b.in(d, {2, 4}), 2); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.group_norm(b.in(DType::f16, {2, 4}), 2, {.weight = b.in(d, {4}), .bias = b.in(d, {4})});
            }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[2, 4]", [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 1, {.eps = 0}); }},
      {"f32[S, 6, T, N]", [](Bench& b) { return b.g.group_norm(b.f32({b.s, 6, b.t, b.n}), 6); }},
      {"f32[2, 4*T]",
       [](Bench& b) { return b.g.group_norm(b.f32({2, Dim(b.t) * 4}), 2, {.weight = b.f32({Dim(b.t) * 4})}); }},
      {"f32[2, T]", [](Bench& b) { return b.g.group_norm(b.f32({2, b.t}), 1, {.bias = b.f32({b.t})}); }},
      {"f32[0, 0, 3]", [](Bench& b) { return b.g.group_norm(b.f32({0, 0, 3}), 7); }},
  });
}

TEST(InferGroupNorm, Refuses) {
  expect_refusals({
      {"[group_norm] x is i32, expected real", [](Bench& b) { return b.g.group_norm(b.in(DType::i32, {2, 4}), 2); }},
      {"[group_norm] x is f32[4], expected rank 2 or more", [](Bench& b) { return b.g.group_norm(b.f32({4}), 2); }},
      {"[group_norm] groups is 0, expected at least 1", [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 0); }},
      {"[group_norm] groups is -2, expected at least 1", [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), -2); }},
      {"[group_norm] number of channels is 4, expected a multiple of 3, the groups",
       [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 3); }},
      {"[group_norm] number of channels is 4, expected a multiple of 8, the groups",
       [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 8); }},
      {"[group_norm] number of channels is T, expected a multiple of 2, the groups",
       [](Bench& b) { return b.g.group_norm(b.f32({2, b.t}), 2); }},
      {"[group_norm] eps is -1, expected finite and at least 0",
       [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 2, {.eps = -1}); }},
      {"[group_norm] weight is f32[2], expected f32[4] (the channels of x)",
       [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 2, {.weight = b.f32({2})}); }},
      {"[group_norm] bias is bool, expected real",
       [](Bench& b) { return b.g.group_norm(b.f32({2, 4}), 2, {.bias = b.in(DType::bool_, {4})}); }},
  });
}

TEST(InferBatchNorm, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              const Var c = b.f32({4});
              return b.g.batch_norm(b.in(d, {2, 4}), c, c);
            }),
            kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              const Var c = b.in(d, {4});
              return b.g.batch_norm(b.in(DType::bf16, {2, 4}), c, c, {.weight = c, .bias = c});
            }),
            "f16>bf16 bf16 f32>bf16 f64>bf16");
  expect_types({
      {"f32[2, 4]", [](Bench& b) { return batch_norm(b, {2, 4}, {4}); }},
      {"f32[S, T, N]", [](Bench& b) { return batch_norm(b, {b.s, b.t, b.n}, {b.n}, -1); }},
      {"f32[5]", [](Bench& b) { return batch_norm(b, {5}, {5}, 0); }},
      {"f32[2, 0]", [](Bench& b) { return batch_norm(b, {2, 0}, {0}); }},
  });
}

TEST(InferBatchNorm, Refuses) {
  const auto with = [](const options::BatchNorm& options) {
    return [=](Bench& b) { return b.g.batch_norm(b.f32({2, 4}), b.f32({4}), b.f32({4}), options); };
  };
  expect_refusals({
      {"[batch_norm] x is u8, expected real",
       [](Bench& b) { return b.g.batch_norm(b.in(DType::u8, {2, 4}), b.f32({4}), b.f32({4})); }},
      {"[batch_norm] axis is 1, expected -1..0", [](Bench& b) { return batch_norm(b, {4}, {4}); }},
      {"[batch_norm] axis is 1, expected none (rank 0)", [](Bench& b) { return batch_norm(b, {}, {4}); }},
      {"[batch_norm] mean is f32[2], expected f32[4] (the size of x along axis)",
       [](Bench& b) { return batch_norm(b, {2, 4}, {2}); }},
      {"[batch_norm] mean is f32[1], expected f32[4] (the size of x along axis)",
       [](Bench& b) { return batch_norm(b, {2, 4}, {1}); }},
      {"[batch_norm] var is f32[4, 1], expected f32[4] (the size of x along axis)",
       [](Bench& b) { return b.g.batch_norm(b.f32({2, 4}), b.f32({4}), b.f32({4, 1})); }},
      {"[batch_norm] var is i64, expected real",
       [](Bench& b) { return b.g.batch_norm(b.f32({2, 4}), b.f32({4}), b.i64({4})); }},
      {"[batch_norm] weight is f32[T], expected f32[S] (the size of x along axis) (not provable from the bounds)",
       [](Bench& b) { return b.g.batch_norm(b.f32({2, b.s}), b.f32({b.s}), b.f32({b.s}), {.weight = b.f32({b.t})}); }},
      {"[batch_norm] bias is f32[3], expected f32[4] (the size of x along axis)",
       [](Bench& b) { return b.g.batch_norm(b.f32({2, 4}), b.f32({4}), b.f32({4}), {.bias = b.f32({3})}); }},
      {"[batch_norm] eps is nan, expected finite and at least 0", with({.eps = nan})},
      {"[batch_norm] eps is inf, expected finite and at least 0", with({.eps = infinity})},
  });
}

TEST(InferLocalResponseNorm, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.local_response_norm(b.in(d, {2, 4}), 3); }), kReals);
  expect_types({
      {"f32[S, T]", [](Bench& b) { return b.g.local_response_norm(b.f32({b.s, b.t}), 1); }},
      {"f32[2, 3, 4, 5]",
       [](Bench& b) {
         return b.g.local_response_norm(b.f32({2, 3, 4, 5}), 1000, {.alpha = -1, .beta = 0, .bias = -2});
       }},
  });
}

TEST(InferLocalResponseNorm, Refuses) {
  const auto with = [](int64_t size, const options::LocalResponseNorm& options) {
    return [=](Bench& b) { return b.g.local_response_norm(b.f32({2, 4}), size, options); };
  };
  expect_refusals({
      {"[local_response_norm] x is c64, expected real",
       [](Bench& b) { return b.g.local_response_norm(b.in(DType::c64, {2, 4}), 1); }},
      {"[local_response_norm] x is f32[4], expected rank 2 or more",
       [](Bench& b) { return b.g.local_response_norm(b.f32({4}), 1); }},
      {"[local_response_norm] size is 0, expected at least 1", with(0, {})},
      {"[local_response_norm] alpha is inf, expected finite", with(1, {.alpha = infinity})},
      {"[local_response_norm] beta is nan, expected finite", with(1, {.beta = nan})},
      {"[local_response_norm] bias is -inf, expected finite", with(1, {.bias = -infinity})},
  });
}

TEST(InferLpNormalize, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.lp_normalize(b.in(d, {2, 4}), {1}); }), kReals);
  expect_types({
      {"f32[S, T]", [](Bench& b) { return b.g.lp_normalize(b.f32({b.s, b.t}), {-1, 0}, {.p = infinity}); }},
      {"f32[]", [](Bench& b) { return b.g.lp_normalize(b.f32({}), {}, {.p = 0.5, .eps = 1}); }},
  });
}

TEST(InferLpNormalize, Refuses) {
  const auto with = [](std::vector<int64_t> axes, const options::LpNormalize& options) {
    return [=](Bench& b) { return b.g.lp_normalize(b.f32({2, 4}), axes, options); };
  };
  expect_refusals({
      {"[lp_normalize] x is bool, expected real",
       [](Bench& b) { return b.g.lp_normalize(b.in(DType::bool_, {2}), {0}); }},
      {"[lp_normalize] axes is 2, expected -2..1", with({2}, {})},
      {"[lp_normalize] axes is [1, -1], expected every axis at most once", with({1, -1}, {})},
      {"[lp_normalize] p is 0, expected more than 0", with({1}, {.p = 0})},
      {"[lp_normalize] p is -1, expected more than 0", with({1}, {.p = -1})},
      {"[lp_normalize] p is nan, expected more than 0", with({1}, {.p = nan})},
      {"[lp_normalize] eps is -0.5, expected finite and at least 0", with({1}, {.eps = -0.5})},
      {"[lp_normalize] eps is inf, expected finite and at least 0", with({1}, {.eps = infinity})},
  });
}

}  // namespace
}  // namespace ingot
