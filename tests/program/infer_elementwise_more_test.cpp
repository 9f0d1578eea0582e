// Types of activation, clip, bitcast, complex and glu.
#include <limits>

#include "program/activation.h"
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
const std::string integers(kIntegers), reals(kReals);

// ------------------------------------------------------------------------------------------------------- activation

TEST(InferActivation, Dtypes) {
  for (const ActivationFacts& facts : activation_facts) {
    const auto call = [&](Bench& b, DType d) {
      return b.g.add(op::Activation{facts.fn, b.in(d, {2}).ref(), {}, {}})[0];
    };
    EXPECT_EQ(accepted_dtypes(call), reals) << to_string(facts.fn);
  }
  EXPECT_EQ(std::size(activation_facts), EnumNames<ActivationFn>::names.size());
}

// Each parameter is taken by those that have it, and by nobody else.
TEST(InferActivation, Parameters) {
  for (const ActivationFacts& facts : activation_facts) {
    for (const bool is_alpha : {true, false}) {
      Bench b;
      op::Activation op{facts.fn, b.f32({2}).ref(), {}, {}};
      (is_alpha ? op.alpha : op.beta) = 0.25;
      const bool has = (is_alpha ? facts.alpha : facts.beta).has_value();
      try {
        b.g.add(op);
        EXPECT_TRUE(has) << to_string(facts.fn);
      } catch (const Error& error) {
        EXPECT_FALSE(has) << to_string(facts.fn);
        EXPECT_EQ(error.code(), Code::out_of_range);
      }
    }
  }
}

TEST(InferActivation, ShapesAndRefusals) {
  expect_types({
      {"f32[S, 0, 3]", [](Bench& b) { return b.g.elu(b.f32({b.s, 0, 3}), {.alpha = 2}); }},
      {"f16[]", [](Bench& b) { return b.g.hard_sigmoid(b.in(DType::f16), {.alpha = -1, .beta = 1e9}); }},
      {"f32[T]", [](Bench& b) { return b.g.celu(b.f32({b.t}), {.alpha = -0.5}); }},
      {"f32[2]", [](Bench& b) { return b.g.leaky_relu(b.f32({2}), {.alpha = 0}); }},
  });
  expect_refusals({
      {"[mish] x is i32, expected real", [](Bench& b) { return b.g.mish(b.in(DType::i32)); }},
      {"[elu] x is f8e4m3, expected real (storage needs a cast)",
       [](Bench& b) { return b.g.elu(b.in(DType::f8e4m3)); }},
      {"[mish] alpha is 1, expected none", [](Bench& b) { return b.g.mish(b.f32({2}), {.alpha = 1}); }},
      {"[elu] beta is 0, expected none", [](Bench& b) { return b.g.elu(b.f32({2}), {.beta = 0}); }},
      {"[selu] alpha is nan, expected finite", [](Bench& b) { return b.g.selu(b.f32({2}), {.alpha = nan}); }},
      {"[selu] beta is -inf, expected finite", [](Bench& b) { return b.g.selu(b.f32({2}), {.beta = -infinity}); }},
      {"[celu] alpha is 0, expected of a magnitude that f32 has",
       [](Bench& b) { return b.g.celu(b.f32({2}), {.alpha = 0}); }},
      {"[celu] alpha is 1e-60, expected of a magnitude that f32 has",
       [](Bench& b) { return b.g.celu(b.f32({2}), {.alpha = 1e-60}); }},
  });
}

// ------------------------------------------------------------------------------------------------------------- clip

TEST(InferClip, TypesAndRefusals) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.clip(b.in(d, {2}), {.low = b.in(d)}); }), kNumbers);
  expect_types({
      {"f32[2]", [](Bench& b) { return b.g.clip(b.f32({2}), {.low = b.f32({}), .high = b.f32({1})}); }},
      {"f32[S, 3]", [](Bench& b) { return b.g.clip(b.f32({3}), {.low = b.f32({b.s, 1})}); }},
      {"f32[4, 2, 3]", [](Bench& b) { return b.g.clip(b.f32({3}), {.low = b.f32({2, 1}), .high = b.f32({4, 1, 1})}); }},
      {"f32[0]", [](Bench& b) { return b.g.clip(b.f32({0}), {.high = b.f32({})}); }},
      {"i16[]", [](Bench& b) { return b.g.clip(b.in(DType::u8), {.low = b.in(DType::i8)}); }},
      {"i32[]", [](Bench& b) { return b.g.clip(b.in(DType::bool_), {.high = b.in(DType::i32)}); }},
      {"f64[]", [](Bench& b) { return b.g.clip(b.i64({}), {.low = b.in(DType::f16), .high = b.in(DType::f64)}); }},
  });
  expect_refusals({
      {"[clip] pair of low and high is absent, expected one of them at least",
       [](Bench& b) { return b.g.clip(b.f32({2})); }},
      {"[clip] dtype of x and its bounds is c64, expected integer or real",
       [](Bench& b) { return b.g.clip(b.f32({}), {.low = b.in(DType::c64)}); }},
      {"[clip] dtype of x and its bounds is bool, expected integer or real",
       [](Bench& b) { return b.g.clip(b.in(DType::bool_), {.low = b.in(DType::bool_)}); }},
      {"[clip] pair of dtypes is u64 and i8, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.clip(b.in(DType::u64), {.high = b.in(DType::i8)}); }},
      {"[clip] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.clip(b.f32({2}), {.low = b.f32({}), .high = b.f32({3})}); }},
      {"[clip] pair of shapes is [S] and [T], expected two that broadcast (S and T are not provably equal)",
       [](Bench& b) { return b.g.clip(b.f32({b.s}), {.low = b.f32({b.t})}); }},
  });
}

// ---------------------------------------------------------------------------------------------------------- bitcast

// Between all of one width, but to bool from itself alone.
TEST(InferBitcast, Dtypes) {
  for (DType from : single_dtypes()) {
    for (DType to : single_dtypes()) {
      Bench b;
      const bool allowed = bits(from) == bits(to) && (to != DType::bool_ || from == DType::bool_);
      try {
        const Var y = b.g.bitcast(b.in(from, {b.s, 0}), to);
        EXPECT_EQ(to_string(y.type()), fmt::format("{}[S, 0]", to_string(to)));
        EXPECT_TRUE(allowed) << to_string(from);
      } catch (const Error& error) {
        EXPECT_FALSE(allowed) << error.what();
      }
    }
  }
}

TEST(InferBitcast, Refuses) {
  expect_refusals({
      {"[bitcast] dtype is u64 of 64 bits, expected one of 32 bits as f32",
       [](Bench& b) { return b.g.bitcast(b.f32({2}), DType::u64); }},
      {"[bitcast] dtype is i4 of 4 bits, expected one of 2 bits as u2",
       [](Bench& b) { return b.g.bitcast(b.in(DType::u2, {4}), DType::i4); }},
      {"[bitcast] dtype is bool, expected another of 8 bits (compare with 0)",
       [](Bench& b) { return b.g.bitcast(b.in(DType::u8, {2}), DType::bool_); }},
      {"[bitcast] x is packed, expected a dtype of single elements (dequantize it)",
       [](Bench& b) { return b.g.bitcast(b.packed({64}), DType::u8); }},
      {"[bitcast] dtype is packed of 0 bits, expected one of 32 bits as f32",
       [](Bench& b) { return b.g.bitcast(b.f32({64}), DType::packed); }},
  });
}

// ---------------------------------------------------------------------------------------------------------- complex

TEST(InferComplex, TypesAndRefusals) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.complex(b.in(d), b.f32({})); }),
            "f16>c64 bf16>c64 f32>c64");
  expect_types({
      {"c64[2, S]", [](Bench& b) { return b.g.complex(b.f32({2, 1}), b.in(DType::f16, {b.s})); }},
      {"c64[]", [](Bench& b) { return b.g.complex(b.f32({}), b.f32({})); }},
  });
  expect_refusals({
      {"[complex] re is f64, expected f16, bf16 or f32",
       [](Bench& b) { return b.g.complex(b.in(DType::f64), b.f32({})); }},
      {"[complex] im is i32, expected f16, bf16 or f32",
       [](Bench& b) { return b.g.complex(b.f32({}), b.in(DType::i32)); }},
      {"[complex] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.complex(b.f32({2}), b.f32({3})); }},
  });
}

// -------------------------------------------------------------------------------------------------------------- glu

TEST(InferGlu, TypesAndRefusals) {
  for (const GluFacts& facts : glu_facts) {
    const auto call = [&](Bench& b, DType d) {
      return b.g.add(op::Glu{facts.fn, b.in(d, {2}).ref(), b.in(d, {2}).ref()})[0];
    };
    EXPECT_EQ(accepted_dtypes(call), reals) << to_string(facts.fn);
  }
  expect_types({
      {"f32[S, 0, 3]", [](Bench& b) { return b.g.glu(b.f32({b.s, 0, 3}), b.f32({b.s, 0, 3})); }},
      {"f16[]", [](Bench& b) { return b.g.swiglu(b.in(DType::f16), b.in(DType::f16)); }},
  });
  expect_refusals({
      {"[reglu] value is i32, expected real", [](Bench& b) { return b.g.reglu(b.in(DType::i32), b.in(DType::i32)); }},
      {"[glu] gate is f16[2], expected f32[2] (as value)",
       [](Bench& b) { return b.g.glu(b.f32({2}), b.in(DType::f16, {2})); }},
      {"[geglu] gate is f32[1], expected f32[2] (as value)",
       [](Bench& b) { return b.g.geglu(b.f32({2}), b.f32({1})); }},
      {"[swiglu] gate is f32[T], expected f32[S] (as value) (not provable from the bounds)",
       [](Bench& b) { return b.g.swiglu(b.f32({b.s}), b.f32({b.t})); }},
  });
}

}  // namespace
}  // namespace ingot
