// Types of element-wise ops: which dtypes each fn takes, promotion, broadcasting. By docs/semantics.md.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

// ---------------------------------------------------------------------------------------------------------- dtypes

const std::string integers(kIntegers), reals(kReals);

TEST(InferElementwise, UnaryDtypes) {
  using F = UnaryFn;
  const std::vector<Accepting<F>> groups = {
      {{F::abs}, kNumbers + " c64>f32"},
      {{F::neg, F::square}, kNumbers + " c64"},
      {{F::sign, F::floor, F::ceil, F::round, F::trunc, F::relu}, kNumbers},
      {{F::sqrt, F::reciprocal, F::exp, F::log}, reals + " c64"},
      {{F::isnan, F::isinf, F::isfinite}, "f16>bool bf16>bool f32>bool f64>bool c64>bool"},
      {{F::logical_not}, "bool"},
      {{F::bitwise_not}, integers},
      {{F::rsqrt, F::expm1,  F::exp2,    F::log1p, F::log2, F::log10,     F::sin,      F::cos,   F::tan,
        F::asin,  F::acos,   F::atan,    F::sinh,  F::cosh, F::tanh,      F::asinh,    F::acosh, F::atanh,
        F::erf,   F::erfinv, F::sigmoid, F::silu,  F::gelu, F::gelu_tanh, F::softplus, F::lgamma},
       reals},
      {{F::real, F::imag, F::angle}, "c64>f32"},
      {{F::conj}, "c64"},
      {{F::signbit}, "f16>bool bf16>bool f32>bool f64>bool"},
  };
  expect_accepted(groups, [](Bench& b, DType d, F fn) { return b.g.add(op::Unary{fn, b.in(d, {2}).ref()})[0]; });
}

TEST(InferElementwise, BinaryDtypes) {
  using F = BinaryFn;
  const std::vector<Accepting<F>> groups = {
      {{F::add, F::sub, F::mul}, kNumbers + " c64"},
      {{F::div}, reals + " c64"},
      {{F::floor_div, F::trunc_div, F::rem, F::fmod, F::pow, F::max, F::min}, kNumbers},
      {{F::atan2, F::logaddexp}, reals},
      {{F::logical_and, F::logical_or, F::logical_xor}, "bool"},
      {{F::bitwise_and, F::bitwise_or, F::bitwise_xor}, "bool " + integers},
      {{F::shift_left, F::shift_right}, integers},
  };
  expect_accepted(groups, [](Bench& b, DType d, F fn) {
    const Var x = b.in(d, {2});
    return b.g.add(op::Binary{fn, x.ref(), x.ref()})[0];
  });
}

TEST(InferElementwise, CompareDtypes) {
  std::string ordered = "bool";
  for (DType dtype : single_dtypes()) {
    if (is_number(dtype) && dtype != DType::c64) ordered += fmt::format(" {}>bool", to_string(dtype));
  }
  for (CompareFn fn : {CompareFn::eq, CompareFn::ne, CompareFn::lt, CompareFn::le, CompareFn::gt, CompareFn::ge}) {
    const bool equality = fn == CompareFn::eq || fn == CompareFn::ne;
    const auto call = [&](Bench& b, DType d) {
      const Var x = b.in(d, {2});
      return b.g.add(op::Compare{fn, x.ref(), x.ref()})[0];
    };
    EXPECT_EQ(accepted_dtypes(call), equality ? ordered + " c64>bool" : ordered) << to_string(fn);
  }
}

TEST(InferElementwise, SelectDtypes) {
  const auto call = [](Bench& b, DType d) { return b.g.select(b.in(DType::bool_), b.in(d, {2}), b.in(d)); };
  EXPECT_EQ(accepted_dtypes(call), "bool " + kNumbers + " c64");
}

// Anything to anything, but for packed and from complex to storage.
TEST(InferElementwise, CastDtypes) {
  for (DType from : single_dtypes()) {
    for (DType to : single_dtypes()) {
      if (from == DType::c64 && kind(to) == Kind::storage) continue;
      Bench b;
      const Var y = b.g.cast(b.in(from, {b.s, 0}), to, {.saturate = true});
      EXPECT_EQ(to_string(y.type()), fmt::format("{}[S, 0]", to_string(to)));
    }
  }
}

// ------------------------------------------------------------------------------------------ promotion, broadcasting

TEST(InferElementwise, Promotes) {
  expect_types({
      {"i32[]", [](Bench& b) { return b.in(DType::bool_) + b.in(DType::i32); }},
      {"u32[]", [](Bench& b) { return b.in(DType::u8)*b.in(DType::u32); }},
      {"i16[]", [](Bench& b) { return b.in(DType::u8) + b.in(DType::i8); }},
      {"i64[]", [](Bench& b) { return b.in(DType::i16) + b.in(DType::u32); }},
      {"f16[]", [](Bench& b) { return b.in(DType::i64) / b.in(DType::f16); }},
      {"f32[]", [](Bench& b) { return b.in(DType::bf16)-b.in(DType::f16); }},
      {"f64[]", [](Bench& b) { return b.in(DType::f64)-b.in(DType::f32); }},
      {"c64[]", [](Bench& b) { return b.in(DType::c64)*b.in(DType::u64); }},
      {"bool[]", [](Bench& b) { return b.g.lt(b.in(DType::u8), b.in(DType::f64)); }},
      {"bool[]", [](Bench& b) { return b.g.eq(b.in(DType::c64), b.in(DType::bool_)); }},
      {"f32[]", [](Bench& b) { return b.g.select(b.in(DType::bool_), b.in(DType::i8), b.in(DType::f32)); }},
      {"i64[]", [](Bench& b) { return b.g.bitwise_and(b.in(DType::bool_), b.in(DType::i64)); }},
  });
  const char* refused = "two that promote to one dtype (cast one of them)";
  expect_refusals({
      {fmt::format("[add] pair of dtypes is u64 and i8, expected {}", refused),
       [](Bench& b) { return b.in(DType::u64) + b.in(DType::i8); }},
      {fmt::format("[mul] pair of dtypes is c64 and f64, expected {}", refused),
       [](Bench& b) { return b.in(DType::c64)*b.in(DType::f64); }},
      {fmt::format("[eq] pair of dtypes is f8e4m3 and f32, expected {}", refused),
       [](Bench& b) { return b.g.eq(b.in(DType::f8e4m3), b.in(DType::f32)); }},
      {fmt::format("[select] pair of dtypes is i4 and i8, expected {}", refused),
       [](Bench& b) { return b.g.select(b.in(DType::bool_), b.in(DType::i4), b.in(DType::i8)); }},
  });
}

TEST(InferElementwise, Broadcasts) {
  expect_types({
      {"f32[2, 3]", [](Bench& b) { return b.f32({2, 3}) + b.f32({}); }},
      {"f32[2, 3]", [](Bench& b) { return b.f32({3}) + b.f32({2, 1}); }},
      {"f32[4, 2, 3]", [](Bench& b) { return b.f32({2, 3}) + b.f32({4, 1, 1}); }},
      {"f32[0]", [](Bench& b) { return b.f32({1}) + b.f32({0}); }},
      {"f32[0, 3]", [](Bench& b) { return b.f32({0, 1}) + b.f32({3}); }},
      {"f32[S, T]", [](Bench& b) { return b.f32({b.s, 1}) + b.f32({b.t}); }},
      {"f32[S + 1]", [](Bench& b) { return b.f32({Dim(b.s) + 1}) + b.f32({Dim(1) + b.s}); }},
      {"f32[T]", [](Bench& b) { return b.f32({b.t}) + b.f32({floor_div(b.t, 2) + ceil_div(b.t, 2)}); }},
      // A size that is known is given as a number.
      {"f32[3]", [](Bench& b) { return b.f32({b.p.symbol("K", 3, 3)}) + b.f32({3}); }},
      {"f32[3]", [](Bench& b) { return b.f32({3}) + b.f32({b.p.symbol("K", 3, 3)}); }},
      {"bool[2, S]", [](Bench& b) { return b.g.ge(b.f32({2, 1}), b.f32({1, b.s})); }},
      {"f32[5, 2, 3]", [](Bench& b) { return b.g.select(b.in(DType::bool_, {5, 1, 1}), b.f32({3}), b.f32({2, 1})); }},
  });
  expect_refusals({
      {"[add] pair of shapes is [2, 3] and [4], expected two that broadcast (3 and 4 are not provably equal)",
       [](Bench& b) { return b.f32({2, 3}) + b.f32({4}); }},
      {"[add] pair of shapes is [0] and [2], expected two that broadcast (0 and 2 are not provably equal)",
       [](Bench& b) { return b.f32({0}) + b.f32({2}); }},
      {"[sub] pair of shapes is [S] and [T], expected two that broadcast (S and T are not provably equal)",
       [](Bench& b) { return b.f32({b.s}) - b.f32({b.t}); }},
      {"[mul] pair of shapes is [N] and [S], expected two that broadcast (N and S are not provably equal)",
       [](Bench& b) { return b.f32({b.n}) * b.f32({b.s}); }},
      {"[lt] pair of shapes is [3] and [2, T], expected two that broadcast (T and 3 are not provably equal)",
       [](Bench& b) { return b.g.lt(b.f32({3}), b.f32({2, b.t})); }},
      {"[select] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.select(b.in(DType::bool_, {2}), b.f32({3}), b.f32({})); }},
  });
}

TEST(InferElementwise, KeepsShapes) {
  expect_types({
      {"f32[]", [](Bench& b) { return b.g.exp(b.f32({})); }},
      {"f32[S, 0, 3]", [](Bench& b) { return b.g.exp(b.f32({b.s, 0, 3})); }},
      {"f32[2]", [](Bench& b) { return b.g.abs(b.in(DType::c64, {2})); }},
      {"u4[T]", [](Bench& b) { return b.g.cast(b.f32({b.t}), DType::u4); }},
  });
}

// -------------------------------------------------------------------------------------------------------- refusals

TEST(InferElementwise, Refuses) {
  expect_refusals({
      {"[exp] x is i32, expected real or complex", [](Bench& b) { return b.g.exp(b.in(DType::i32)); }},
      {"[neg] x is bool, expected integer, real or complex", [](Bench& b) { return b.g.neg(b.in(DType::bool_)); }},
      {"[sin] x is c64, expected real", [](Bench& b) { return b.g.sin(b.in(DType::c64)); }},
      {"[logical_not] x is u8, expected bool", [](Bench& b) { return b.g.logical_not(b.in(DType::u8)); }},
      {"[relu] x is f8e5m2, expected integer or real (storage needs a cast)",
       [](Bench& b) { return b.g.relu(b.in(DType::f8e5m2)); }},
      {"[relu] x is packed, expected integer or real (packed needs dequantize)",
       [](Bench& b) { return b.g.relu(b.packed({64})); }},
      {"[div] dtype of a and b is i64, expected real or complex",
       [](Bench& b) { return b.in(DType::i64) / b.in(DType::i32); }},
      {"[add] dtype of a and b is bool, expected integer, real or complex",
       [](Bench& b) { return b.in(DType::bool_) + b.in(DType::bool_); }},
      {"[add] dtype of a and b is i4, expected integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.in(DType::i4) + b.in(DType::i4); }},
      {"[shift_left] dtype of a and b is f32, expected integer",
       [](Bench& b) { return b.g.shift_left(b.in(DType::i32), b.in(DType::f32)); }},
      {"[bitwise_or] dtype of a and b is f16, expected bool or integer",
       [](Bench& b) { return b.g.bitwise_or(b.in(DType::f16), b.in(DType::f16)); }},
      {"[lt] dtype of a and b is c64, expected bool, integer or real",
       [](Bench& b) { return b.g.lt(b.in(DType::c64), b.f32({})); }},
      {"[select] condition is i32, expected bool",
       [](Bench& b) { return b.g.select(b.in(DType::i32), b.f32({}), b.f32({})); }},
      {"[select] dtype of a and b is u2, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.select(b.in(DType::bool_), b.in(DType::u2), b.in(DType::u2)); }},
      {"[cast] x is packed, expected a dtype of single elements (dequantize it)",
       [](Bench& b) { return b.g.cast(b.packed({64}), DType::f32); }},
      {"[cast] dtype is packed, expected a dtype of single elements (quantize makes packed ones)",
       [](Bench& b) { return b.g.cast(b.f32({64}), DType::packed); }},
      {"[cast] dtype is f8e4m3, expected bool, integer, real or complex (x is c64)",
       [](Bench& b) { return b.g.cast(b.in(DType::c64), DType::f8e4m3); }},
  });
}

}  // namespace
}  // namespace ingot
