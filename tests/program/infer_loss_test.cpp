// Types of losses.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr LossReduction none = LossReduction::none, sum = LossReduction::sum;

// Logits f32[2, 5, 3] with the classes on axis 1.
Var entropy(Bench& b, TensorType labels, options::SoftmaxCrossEntropy options = {}) {
  options.axis = 1;
  return b.g.softmax_cross_entropy(b.f32({2, 5, 3}), b.in(labels.dtype, labels.shape), options);
}

TEST(InferSoftmaxCrossEntropy, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.softmax_cross_entropy(b.in(d, {2, 3}), b.i64({2})); }),
            kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              const Shape labels = kind(d) == Kind::real ? Shape{2, 3} : Shape{2};
              return b.g.cast(b.g.softmax_cross_entropy(b.f32({2, 3}), b.in(d, labels)), d);
            }),
            "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64");
  expect_types({
      {"f32[]", [](Bench& b) { return entropy(b, {DType::i32, {2, 3}, {}}); }},
      {"f32[]", [](Bench& b) { return entropy(b, {DType::i32, {2, 3}, {}}, {.ignore = -100, .reduction = sum}); }},
      {"f32[2, 3]",
       [](Bench& b) {
         return entropy(b, {DType::u8, {2, 3}, {}},
                        {.weight = b.in(DType::f64, {5}), .smoothing = 1, .reduction = none});
       }},
      {"f32[2, 3]", [](Bench& b) { return entropy(b, {DType::f16, {2, 5, 3}, {}}, {.reduction = none}); }},
      {"f32[]", [](Bench& b) { return b.g.softmax_cross_entropy(b.f32({3}), b.i64({}), {.reduction = none}); }},
      {"f32[T, N]",
       [](Bench& b) {
         return b.g.softmax_cross_entropy(b.f32({b.t, b.n, b.s}), b.i64({b.t, b.n}),
                                          {.weight = b.f32({b.s}), .reduction = none});
       }},
      {"f32[0]", [](Bench& b) { return b.g.softmax_cross_entropy(b.f32({0, 3}), b.i64({0}), {.reduction = none}); }},
  });
}

TEST(InferSoftmaxCrossEntropy, Refuses) {
  const TensorType classes{DType::i64, {2, 3}, {}}, shares{DType::f32, {2, 5, 3}, {}};
  const auto with = [](TensorType labels, const options::SoftmaxCrossEntropy& options) {
    return [=](Bench& b) { return entropy(b, labels, options); };
  };
  expect_refusals({
      {"[softmax_cross_entropy] logits is i64, expected real",
       [](Bench& b) { return b.g.softmax_cross_entropy(b.i64({2, 3}), b.i64({2})); }},
      {"[softmax_cross_entropy] labels is bool, expected integer or real", with({DType::bool_, {2, 3}, {}}, {})},
      {"[softmax_cross_entropy] axis is -1, expected none (rank 0)",
       [](Bench& b) { return b.g.softmax_cross_entropy(b.f32({}), b.i64({})); }},
      {"[softmax_cross_entropy] axis is 2, expected -2..1",
       [](Bench& b) { return b.g.softmax_cross_entropy(b.f32({2, 3}), b.i64({2}), {.axis = 2}); }},
      {"[softmax_cross_entropy] number of classes is 0, expected at least 1",
       [](Bench& b) { return b.g.softmax_cross_entropy(b.f32({2, 0}), b.i64({2})); }},
      {"[softmax_cross_entropy] labels is i64[2, 5], expected i64[2, 3] (logits without axis)",
       with({DType::i64, {2, 5}, {}}, {})},
      {"[softmax_cross_entropy] labels is i64[2, 5, 3], expected i64[2, 3] (logits without axis)",
       with({DType::i64, {2, 5, 3}, {}}, {})},
      {"[softmax_cross_entropy] labels is f32[2, 3], expected f32[2, 5, 3] (the shape of logits)",
       with({DType::f32, {2, 3}, {}}, {})},
      {"[softmax_cross_entropy] ignore is 0, expected none (labels are probabilities)", with(shares, {.ignore = 0})},
      {"[softmax_cross_entropy] weight is f32[3], expected f32[5] (the classes)",
       [=](Bench& b) { return entropy(b, classes, {.weight = b.f32({3})}); }},
      {"[softmax_cross_entropy] weight is i64, expected real",
       [=](Bench& b) { return entropy(b, classes, {.weight = b.i64({5})}); }},
      {"[softmax_cross_entropy] smoothing is -0.5, expected 0..1", with(classes, {.smoothing = -0.5})},
      {"[softmax_cross_entropy] smoothing is 1.5, expected 0..1", with(classes, {.smoothing = 1.5})},
      {"[softmax_cross_entropy] smoothing is nan, expected 0..1", with(shares, {.smoothing = nan})},
  });
}

TEST(InferLoss, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.mse_loss(b.in(d, {3}), b.in(d, {3})); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.mse_loss(b.in(DType::f16, {3}), b.in(DType::i8, {3}), {.weight = b.in(d, {})});
            }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[]", [](Bench& b) { return b.g.l1_loss(b.in(DType::f16, {3}), b.in(DType::bf16, {3})); }},
      {"f32[2, T]",
       [](Bench& b) {
         return b.g.huber_loss(b.f32({2, b.t}), b.f32({2, b.t}),
                               {.weight = b.f32({2, 1}), .delta = 0.5, .reduction = none});
       }},
      {"f32[]", [](Bench& b) { return b.g.smooth_l1_loss(b.f32({2}), b.f32({2}), {.delta = 2, .reduction = sum}); }},
      {"f32[]", [](Bench& b) { return b.g.bce_loss(b.f32({}), b.in(DType::bool_, {})); }},
      {"f32[0, 3]", [](Bench& b) { return b.g.bce_logits_loss(b.f32({0, 3}), b.f32({0, 3}), {.reduction = none}); }},
      {"f32[]", [](Bench& b) { return b.g.kl_div_loss(b.f32({2, 3}), b.f32({2, 3})); }},
      {"f64[]", [](Bench& b) { return b.g.hinge_loss(b.in(DType::i32, {2}), b.in(DType::f64, {2})); }},
  });
}

TEST(InferLoss, Refuses) {
  expect_refusals({
      {"[mse_loss] dtype of x and target is i64, expected real",
       [](Bench& b) { return b.g.mse_loss(b.i64({3}), b.i64({3})); }},
      {"[l1_loss] dtype of x and target is c64, expected real",
       [](Bench& b) { return b.g.l1_loss(b.in(DType::c64, {3}), b.f32({3})); }},
      {"[mse_loss] rank of target is 1, expected 2 (as x)",
       [](Bench& b) { return b.g.mse_loss(b.f32({3, 1}), b.f32({3})); }},
      {"[mse_loss] axis 0 of target is 1, expected 3 (as x)",
       [](Bench& b) { return b.g.mse_loss(b.f32({3}), b.f32({1})); }},
      {"[kl_div_loss] axis 0 of target is T, expected S (as x) (not provable from the bounds)",
       [](Bench& b) { return b.g.kl_div_loss(b.f32({b.s}), b.f32({b.t})); }},
      {"[bce_loss] weight is i64, expected real",
       [](Bench& b) { return b.g.bce_loss(b.f32({3}), b.f32({3}), {.weight = b.i64({3})}); }},
      {"[hinge_loss] weight is [2], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.hinge_loss(b.f32({3}), b.f32({3}), {.weight = b.f32({2})}); }},
      {"[hinge_loss] weight is [1, 3], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.hinge_loss(b.f32({3}), b.f32({3}), {.weight = b.f32({1, 3})}); }},
      {"[huber_loss] delta is 0, expected finite and more than 0",
       [](Bench& b) { return b.g.huber_loss(b.f32({3}), b.f32({3}), {.delta = 0}); }},
      {"[smooth_l1_loss] delta is inf, expected finite and more than 0",
       [](Bench& b) { return b.g.smooth_l1_loss(b.f32({3}), b.f32({3}), {.delta = infinity}); }},
      {"[mse_loss] delta is 2, expected none (only huber and smooth_l1 take one)",
       [](Bench& b) { return b.g.mse_loss(b.f32({3}), b.f32({3}), {.delta = 2}); }},
  });
}

}  // namespace
}  // namespace ingot
