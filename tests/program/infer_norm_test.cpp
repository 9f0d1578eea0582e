// Types of norms over the last axes.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferNorm, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.layer_norm(b.in(d, {2, 3})); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.rms_norm(b.in(d, {2, 3})); }), kReals);
  // The result has x's dtype, whatever the parameters have.
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.layer_norm(b.in(DType::f16, {2, 3}), {.weight = b.in(d, {3}), .bias = b.in(d, {3})});
            }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[2, 3]", [](Bench& b) { return b.g.rms_norm(b.f32({2, 3}), {.weight = b.f32({3}), .eps = 0}); }},
      {"f32[S, 4, T]",
       [](Bench& b) {
         return b.g.layer_norm(b.f32({b.s, 4, b.t}), {.weight = b.f32({4, b.t}), .axis = 1, .eps = 1e-3});
       }},
      {"f32[2, 3]", [](Bench& b) { return b.g.layer_norm(b.f32({2, 3}), {.bias = b.f32({2, 3}), .axis = -2}); }},
      {"f32[2, 0]", [](Bench& b) { return b.g.rms_norm(b.f32({2, 0}), {.weight = b.f32({0})}); }},
      {"f32[0, 3]", [](Bench& b) { return b.g.layer_norm(b.f32({0, 3})); }},
  });
}

TEST(InferNorm, Refuses) {
  expect_refusals({
      {"[rms_norm] x is i32, expected real", [](Bench& b) { return b.g.rms_norm(b.in(DType::i32, {3})); }},
      {"[layer_norm] x is c64, expected real", [](Bench& b) { return b.g.layer_norm(b.in(DType::c64, {3})); }},
      {"[rms_norm] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.rms_norm(b.f32({})); }},
      {"[layer_norm] axis is 2, expected -2..1", [](Bench& b) { return b.g.layer_norm(b.f32({2, 3}), {.axis = 2}); }},
      {"[rms_norm] eps is -1, expected finite and at least 0",
       [](Bench& b) { return b.g.rms_norm(b.f32({3}), {.eps = -1}); }},
      {"[layer_norm] eps is inf, expected finite and at least 0",
       [](Bench& b) { return b.g.layer_norm(b.f32({3}), {.eps = std::numeric_limits<double>::infinity()}); }},
      {"[layer_norm] eps is nan, expected finite and at least 0",
       [](Bench& b) { return b.g.layer_norm(b.f32({3}), {.eps = std::numeric_limits<double>::quiet_NaN()}); }},
      {"[rms_norm] weight is f32[2], expected f32[3] (the normalised axes of x)",
       [](Bench& b) { return b.g.rms_norm(b.f32({2, 3}), {.weight = b.f32({2})}); }},
      {"[rms_norm] weight is f32[1], expected f32[3] (the normalised axes of x)",
       [](Bench& b) { return b.g.rms_norm(b.f32({2, 3}), {.weight = b.f32({1})}); }},
      {"[layer_norm] weight is f32[3], expected f32[2, 3] (the normalised axes of x)",
       [](Bench& b) { return b.g.layer_norm(b.f32({2, 3}), {.weight = b.f32({3}), .axis = 0}); }},
      {"[layer_norm] bias is f32[T], expected f32[S] (the normalised axes of x) (not provable from the bounds)",
       [](Bench& b) { return b.g.layer_norm(b.f32({2, b.s}), {.bias = b.f32({b.t})}); }},
      {"[layer_norm] bias is i64, expected real",
       [](Bench& b) { return b.g.layer_norm(b.f32({3}), {.bias = b.i64({3})}); }},
      {"[rms_norm] weight is f8e4m3, expected real (storage needs a cast)",
       [](Bench& b) { return b.g.rms_norm(b.f32({3}), {.weight = b.in(DType::f8e4m3, {3})}); }},
  });
}

}  // namespace
}  // namespace ingot
