// Types of optimizer steps.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// Dtypes and shapes of an optimizer's operands.
struct Given {
  DType p = DType::f32, g = DType::f32, m = DType::f32, v = DType::f32, step = DType::i64, lr = DType::f32;
  Shape shape = {2, 3}, of_g = shape, of_m = shape, of_v = shape, of_step, of_lr;
};

std::string types_of(std::initializer_list<Var> results) {
  std::string text;
  for (const Var& each : results) text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(each.type()));
  return text;
}

std::array<Var, 3> adamw(Bench& b, const Given& x = {}, const options::AdamwStep& options = {}) {
  return b.g.adamw_step(b.in(x.p, x.shape), b.in(x.g, x.of_g), b.in(x.m, x.of_m), b.in(x.v, x.of_v),
                        b.in(x.step, x.of_step), b.in(x.lr, x.of_lr), options);
}
std::array<Var, 2> lion(Bench& b, const Given& x = {}, const options::LionStep& options = {}) {
  return b.g.lion_step(b.in(x.p, x.shape), b.in(x.g, x.of_g), b.in(x.m, x.of_m), b.in(x.lr, x.of_lr), options);
}
std::array<Var, 2> sgd(Bench& b, const Given& x = {}, const options::SgdStep& options = {}) {
  return b.g.sgd_step(b.in(x.p, x.shape), b.in(x.g, x.of_g), b.in(x.m, x.of_m), b.in(x.lr, x.of_lr), options);
}

TEST(InferOptimizer, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return adamw(b, {.p = d, .g = d, .m = d, .v = d, .lr = d})[0]; }),
            kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return lion(b, {.p = d, .g = d, .m = d, .lr = d})[0]; }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return sgd(b, {.p = d, .g = d, .m = d, .lr = d})[0]; }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.cast(adamw(b, {.step = d})[0], d); }),
            "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64");
  Bench b;
  const Given mixed{.p = DType::bf16, .g = DType::f16, .m = DType::f32, .v = DType::f64, .shape = {b.t, 0, 3}};
  const auto [p, m, v] = adamw(b, mixed, {.beta1 = 0, .beta2 = 0, .eps = 0, .weight_decay = 0});
  EXPECT_EQ(types_of({p, m, v}), "bf16[T, 0, 3], f32[T, 0, 3], f64[T, 0, 3]");
  const auto [lion_p, lion_m] = lion(b, mixed, {.beta1 = 0.5, .beta2 = 0, .weight_decay = 1});
  EXPECT_EQ(types_of({lion_p, lion_m}), "bf16[T, 0, 3], f32[T, 0, 3]");
  const auto [sgd_p, sgd_m] = sgd(b, mixed, {.momentum = 0.9, .weight_decay = 1, .nesterov = true});
  EXPECT_EQ(types_of({sgd_p, sgd_m}), "bf16[T, 0, 3], f32[T, 0, 3]");
  const auto [scalar_p, scalar_m] = sgd(b, {.shape = {}}, {.momentum = 2, .dampening = -1});
  EXPECT_EQ(types_of({scalar_p, scalar_m}), "f32[], f32[]");
  EXPECT_NO_THROW(b.p.build());
}

TEST(InferOptimizer, RefusesOperands) {
  expect_refusals({
      {"[adamw_step] p is i64, expected real", [](Bench& b) { return adamw(b, {.p = DType::i64})[0]; }},
      {"[lion_step] g is c64, expected real", [](Bench& b) { return lion(b, {.g = DType::c64})[0]; }},
      {"[sgd_step] m is bool, expected real", [](Bench& b) { return sgd(b, {.m = DType::bool_})[0]; }},
      {"[adamw_step] v is u8, expected real", [](Bench& b) { return adamw(b, {.v = DType::u8})[0]; }},
      {"[adamw_step] g is f32[3], expected f32[2, 3] (the shape of p)",
       [](Bench& b) { return adamw(b, {.of_g = {3}})[0]; }},
      {"[lion_step] m is f32[1, 3], expected f32[2, 3] (the shape of p)",
       [](Bench& b) { return lion(b, {.of_m = {1, 3}})[0]; }},
      {"[adamw_step] v is f32[], expected f32[2, 3] (the shape of p)",
       [](Bench& b) { return adamw(b, {.of_v = {}})[0]; }},
      {"[adamw_step] step is bool, expected integer or real",
       [](Bench& b) { return adamw(b, {.step = DType::bool_})[0]; }},
      {"[adamw_step] rank of step is 1, expected 0 (a scalar)", [](Bench& b) { return adamw(b, {.of_step = {1}})[0]; }},
      {"[sgd_step] lr is i64, expected real", [](Bench& b) { return sgd(b, {.lr = DType::i64})[0]; }},
      {"[lion_step] rank of lr is 1, expected 0 (a scalar)", [](Bench& b) { return lion(b, {.of_lr = {1}})[0]; }},
  });
}

TEST(InferOptimizer, RefusesAttributes) {
  expect_refusals({
      {"[adamw_step] beta1 is 1, expected at least 0 and less than 1",
       [](Bench& b) { return adamw(b, {}, {.beta1 = 1})[0]; }},
      {"[adamw_step] beta2 is -0.5, expected at least 0 and less than 1",
       [](Bench& b) { return adamw(b, {}, {.beta2 = -0.5})[0]; }},
      {"[lion_step] beta1 is nan, expected at least 0 and less than 1",
       [](Bench& b) { return lion(b, {}, {.beta1 = nan})[0]; }},
      {"[lion_step] beta2 is 2, expected at least 0 and less than 1",
       [](Bench& b) { return lion(b, {}, {.beta2 = 2})[0]; }},
      {"[adamw_step] eps is -1, expected finite and at least 0", [](Bench& b) { return adamw(b, {}, {.eps = -1})[0]; }},
      {"[adamw_step] weight_decay is inf, expected finite and at least 0",
       [](Bench& b) { return adamw(b, {}, {.weight_decay = infinity})[0]; }},
      {"[lion_step] weight_decay is -1, expected finite and at least 0",
       [](Bench& b) { return lion(b, {}, {.weight_decay = -1})[0]; }},
      {"[sgd_step] weight_decay is nan, expected finite and at least 0",
       [](Bench& b) { return sgd(b, {}, {.weight_decay = nan})[0]; }},
      {"[sgd_step] momentum is -1, expected finite and at least 0",
       [](Bench& b) { return sgd(b, {}, {.momentum = -1})[0]; }},
      {"[sgd_step] dampening is inf, expected finite",
       [](Bench& b) { return sgd(b, {}, {.momentum = 0.5, .dampening = infinity})[0]; }},
      {"[sgd_step] dampening is 0.5, expected 0 (momentum is 0)",
       [](Bench& b) { return sgd(b, {}, {.dampening = 0.5})[0]; }},
      {"[sgd_step] nesterov is true, expected false (it needs a momentum and no dampening)",
       [](Bench& b) { return sgd(b, {}, {.nesterov = true})[0]; }},
      {"[sgd_step] nesterov is true, expected false (it needs a momentum and no dampening)",
       [](Bench& b) { return sgd(b, {}, {.momentum = 0.5, .dampening = 0.5, .nesterov = true})[0]; }},
  });
}

}  // namespace
}  // namespace ingot
