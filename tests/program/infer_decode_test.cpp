// Types of sampling and of the routing of experts.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

Var sample(Bench& b, Shape logits, const options::Sample& options = {}) {
  return b.g.sample(b.f32(std::move(logits)), b.in(DType::u32, {2}), options);
}

TEST(InferSample, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.sample(b.in(d, {3, 8}), b.in(DType::u32, {2})); }),
            "f16>i64 bf16>i64 f32>i64 f64>i64");
  expect_types({
      {"i64[3]", [](Bench& b) { return sample(b, {3, 8}); }},
      {"i64[]", [](Bench& b) { return sample(b, {8}, {.temperature = 0, .top_k = 8, .top_p = 0.5, .min_p = 1}); }},
      {"i64[T, N]", [](Bench& b) { return sample(b, {b.t, b.n, b.s}, {.top_k = 1}); }},
      {"i64[0]", [](Bench& b) { return sample(b, {0, 1}); }},
  });
}

TEST(InferSample, Refuses) {
  const auto with = [](const options::Sample& options) { return [=](Bench& b) { return sample(b, {3, 8}, options); }; };
  expect_refusals({
      {"[sample] logits is i32, expected real",
       [](Bench& b) { return b.g.sample(b.in(DType::i32, {8}), b.in(DType::u32, {2})); }},
      {"[sample] logits is f32[], expected rank 1 or more", [](Bench& b) { return sample(b, {}); }},
      {"[sample] last axis of logits is 0, expected at least 1", [](Bench& b) { return sample(b, {3, 0}); }},
      {"[sample] last axis of logits is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return sample(b, {3, b.t}); }},
      {"[sample] key is i64[2], expected u32[2]", [](Bench& b) { return b.g.sample(b.f32({8}), b.i64({2})); }},
      {"[sample] key is u32[3], expected u32[2]",
       [](Bench& b) { return b.g.sample(b.f32({8}), b.in(DType::u32, {3})); }},
      {"[sample] temperature is -1, expected finite and at least 0", with({.temperature = -1})},
      {"[sample] temperature is inf, expected finite and at least 0", with({.temperature = infinity})},
      {"[sample] top_k is 0, expected at least 1", with({.top_k = 0})},
      {"[sample] top_k is 9, expected at most 8", with({.top_k = 9})},
      {"[sample] top_k is 2, expected at most S (not provable from the bounds)",
       [](Bench& b) { return sample(b, {b.s}, {.top_k = 2}); }},
      {"[sample] top_p is 0, expected more than 0 and at most 1", with({.top_p = 0})},
      {"[sample] top_p is 1.5, expected more than 0 and at most 1", with({.top_p = 1.5})},
      {"[sample] top_p is nan, expected more than 0 and at most 1", with({.top_p = nan})},
      {"[sample] min_p is -0.5, expected 0..1", with({.min_p = -0.5})},
      {"[sample] min_p is 2, expected 0..1", with({.min_p = 2})},
      {"[sample] min_p is nan, expected 0..1", with({.min_p = nan})},
  });
}

// The weights; the experts are checked beside.
Var route(Bench& b, Shape logits, int64_t k, const options::MoeRoute& options = {}) {
  const auto [weights, experts] = b.g.moe_route_softmax(b.f32(std::move(logits)), k, options);
  EXPECT_EQ(experts.dtype(), DType::i64);
  EXPECT_EQ(experts.shape(), weights.shape());
  return weights;
}

TEST(InferMoeRoute, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.moe_route_sigmoid(b.in(d, {3, 8}), 2)[0]; }), kReals);
  expect_types({
      {"f32[3, 2]", [](Bench& b) { return route(b, {3, 8}, 2); }},
      {"f32[3, 8]", [](Bench& b) { return route(b, {3, 8}, 8, {.normalize = true, .scale = -2.5}); }},
      {"f32[T, 4]",
       [](Bench& b) { return route(b, {b.t, 8}, 4, {.bias = b.in(DType::f16, {8}), .groups = 4, .top_groups = 2}); }},
      {"f32[T, 1]", [](Bench& b) { return route(b, {b.t, b.s}, 1, {.bias = b.f32({b.s})}); }},
      {"f32[T, 2]", [](Bench& b) { return route(b, {b.t, Dim(b.s) * 4}, 2, {.groups = 2, .top_groups = 1}); }},
      {"f32[0, 1]", [](Bench& b) { return route(b, {0, 1}, 1); }},
  });
}

TEST(InferMoeRoute, Refuses) {
  const auto with = [](int64_t k, const options::MoeRoute& options) {
    return [=](Bench& b) { return route(b, {3, 8}, k, options); };
  };
  expect_refusals({
      {"[moe_route_sigmoid] logits is i32, expected real",
       [](Bench& b) { return b.g.moe_route_sigmoid(b.in(DType::i32, {3, 8}), 2)[0]; }},
      {"[moe_route_softmax] rank of logits is 1, expected 2 ([T, E])", [](Bench& b) { return route(b, {8}, 2); }},
      {"[moe_route_softmax] k is 0, expected at least 1", with(0, {})},
      {"[moe_route_softmax] k is 9, expected at most 8", with(9, {})},
      {"[moe_route_softmax] k is 5, expected at most 4", with(5, {.groups = 4, .top_groups = 2})},
      {"[moe_route_softmax] k is 2, expected at most S (not provable from the bounds)",
       [](Bench& b) { return route(b, {3, b.s}, 2); }},
      {"[moe_route_softmax] groups is 0, expected at least 1", with(1, {.groups = 0})},
      {"[moe_route_softmax] number of experts is 8, expected a multiple of 3, the groups", with(1, {.groups = 3})},
      {"[moe_route_softmax] number of experts is S, expected a multiple of 2, the groups",
       [](Bench& b) { return route(b, {3, b.s}, 1, {.groups = 2}); }},
      {"[moe_route_softmax] top_groups is 0, expected 1..4, the groups", with(1, {.groups = 4, .top_groups = 0})},
      {"[moe_route_softmax] top_groups is 5, expected 1..4, the groups", with(1, {.groups = 4, .top_groups = 5})},
      {"[moe_route_softmax] scale is nan, expected finite", with(1, {.scale = nan})},
      {"[moe_route_softmax] bias is f32[4], expected f32[8] (the experts)",
       [](Bench& b) { return route(b, {3, 8}, 1, {.bias = b.f32({4})}); }},
      {"[moe_route_softmax] bias is bool, expected real",
       [](Bench& b) { return route(b, {3, 8}, 1, {.bias = b.in(DType::bool_, {8})}); }},
  });
}

TEST(InferMoeCombine, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.moe_combine(b.in(d, {3, 2, 4}), b.f32({3, 2})); }),
            kReals);
  EXPECT_EQ(
      accepted_dtypes([](Bench& b, DType d) { return b.g.moe_combine(b.in(DType::bf16, {3, 2, 4}), b.in(d, {3, 2})); }),
      "f16>bf16 bf16 f32>bf16 f64>bf16");
  expect_types({
      {"f32[T, N]", [](Bench& b) { return b.g.moe_combine(b.f32({b.t, b.s, b.n}), b.f32({b.t, b.s})); }},
      {"f32[3, 4]", [](Bench& b) { return b.g.moe_combine(b.f32({3, 0, 4}), b.f32({3, 0})); }},
  });
}

TEST(InferMoeCombine, Refuses) {
  expect_refusals({
      {"[moe_combine] x is i64, expected real",
       [](Bench& b) { return b.g.moe_combine(b.i64({3, 2, 4}), b.f32({3, 2})); }},
      {"[moe_combine] weights is i64, expected real",
       [](Bench& b) { return b.g.moe_combine(b.f32({3, 2, 4}), b.i64({3, 2})); }},
      {"[moe_combine] rank of x is 2, expected 3 ([T, k, D])",
       [](Bench& b) { return b.g.moe_combine(b.f32({3, 2}), b.f32({3, 2})); }},
      {"[moe_combine] weights is f32[2, 3], expected f32[3, 2] (the first axes of x)",
       [](Bench& b) { return b.g.moe_combine(b.f32({3, 2, 4}), b.f32({2, 3})); }},
      {"[moe_combine] weights is f32[3, 2, 1], expected f32[3, 2] (the first axes of x)",
       [](Bench& b) { return b.g.moe_combine(b.f32({3, 2, 4}), b.f32({3, 2, 1})); }},
  });
}

}  // namespace
}  // namespace ingot
