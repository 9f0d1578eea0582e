// Types of reductions, softmax and cumulation.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

const std::string integers(kIntegers), reals(kReals);

TEST(InferReduce, Dtypes) {
  using F = ReduceFn;
  const std::vector<Accepting<F>> groups = {
      {{F::sum}, "bool>i64 " + kNumbers + " c64"},
      {{F::prod}, "bool>i64 " + kNumbers + " c64"},
      {{F::mean}, reals + " c64"},
      {{F::max}, "bool " + kNumbers},
      {{F::min}, "bool " + kNumbers},
      {{F::any}, "bool"},
      {{F::all}, "bool"},
      {{F::logsumexp}, reals},
      {{F::var}, reals},
      {{F::std}, reals},
  };
  expect_accepted(groups, [](Bench& b, DType d, F fn) { return b.g.add(op::Reduce{fn, b.in(d, {2}).ref(), {0}})[0]; });
  const auto arg = [](Bench& b, DType d) { return b.g.argmax(b.in(d, {2})); };
  std::string indexed;
  for (std::string_view name : {"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32"})
    indexed += fmt::format("{}>i64 ", name);
  EXPECT_EQ(accepted_dtypes(arg), indexed + "i64 f16>i64 bf16>i64 f32>i64 f64>i64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.softmax(b.in(d, {2})); }), reals);
}

TEST(InferReduce, CumulateDtypes) {
  using F = CumulateFn;
  const std::vector<Accepting<F>> groups = {
      {{F::sum}, "bool>i64 " + kNumbers + " c64"},
      {{F::prod}, "bool>i64 " + kNumbers + " c64"},
      {{F::max}, "bool " + kNumbers},
      {{F::min}, "bool " + kNumbers},
      {{F::logsumexp}, reals},
  };
  expect_accepted(groups, [](Bench& b, DType d, F fn) { return b.g.add(op::Cumulate{fn, b.in(d, {2}).ref()})[0]; });
}

TEST(InferReduce, ShapesAndAttributes) {
  expect_types({
      {"f32[3]", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3, 4}), {0, 2}); }},
      {"f32[1, 3, 1]", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3, 4}), {2, 0}, {.keepdims = true}); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.reduce_max(b.f32({2, 3, b.s}), {-1}); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {}); }},
      {"f32[]", [](Bench& b) { return b.g.reduce_sum(b.f32({b.s, b.t}), {0, 1}); }},
      {"f32[]", [](Bench& b) { return b.g.reduce_logsumexp(b.f32({}), {}); }},
      {"f32[T]", [](Bench& b) { return b.g.reduce_min(b.f32({0, b.t}), {0}); }},
      {"f64[2]", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {1}, {.dtype = DType::f64}); }},
      {"i32[2]", [](Bench& b) { return b.g.reduce_prod(b.in(DType::bool_, {2, 3}), {1}, {.dtype = DType::i32}); }},
      {"f32[2]", [](Bench& b) { return b.g.reduce_mean(b.i64({2, 3}), {1}, {.dtype = DType::f32}); }},
      {"c64[2]", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {1}, {.dtype = DType::c64}); }},
      {"c64[2]", [](Bench& b) { return b.g.reduce_mean(b.in(DType::c64, {2, 3}), {1}, {.dtype = DType::c64}); }},
      {"bool[3]", [](Bench& b) { return b.g.reduce_any(b.in(DType::bool_, {2, 3}), {0}); }},
      {"i64[2]", [](Bench& b) { return b.g.argmax(b.f32({2, b.s})); }},
      {"i32[1, S]",
       [](Bench& b) {
         return b.g.argmin(b.f32({2, b.s}), {.axis = 0, .keepdims = true, .dtype = DType::i32, .last = true});
       }},
      {"f32[2]", [](Bench& b) { return b.g.reduce_var(b.f32({2, b.t}), {1}, {.ddof = 1}); }},
      {"f16[2, 1]",
       [](Bench& b) { return b.g.reduce_std(b.in(DType::f16, {2, 3}), {1}, {.keepdims = true, .ddof = -0.5}); }},
      {"f32[S, 0]", [](Bench& b) { return b.g.cumsum(b.f32({b.s, 0}), {.axis = 0, .exclusive = true}); }},
      {"i64[2, T]", [](Bench& b) { return b.g.cumprod(b.in(DType::bool_, {2, b.t}), {.reverse = true}); }},
      {"u8[3]", [](Bench& b) { return b.g.cumsum(b.f32({3}), {.dtype = DType::u8}); }},
      {"bool[3]", [](Bench& b) { return b.g.cummax(b.in(DType::bool_, {3}), {.axis = -1}); }},
      {"f16[2, 0]", [](Bench& b) { return b.g.softmax(b.in(DType::f16, {2, 0}), {.axis = 0, .log = true}); }},
  });
}

TEST(InferReduce, Refuses) {
  expect_refusals({
      {"[reduce_sum] axes is 2, expected -2..1", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {2}); }},
      {"[reduce_sum] axes is -3, expected -2..1", [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {0, -3}); }},
      {"[reduce_sum] axes is [1, -1], expected every axis at most once",
       [](Bench& b) { return b.g.reduce_sum(b.f32({2, 3}), {1, -1}); }},
      {"[reduce_sum] axes is 0, expected none (rank 0)", [](Bench& b) { return b.g.reduce_sum(b.f32({}), {0}); }},
      {"[reduce_sum] x is i4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.reduce_sum(b.in(DType::i4, {2}), {0}, {.dtype = DType::i32}); }},
      {"[reduce_sum] dtype of accumulation is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.reduce_sum(b.f32({2}), {0}, {.dtype = DType::bool_}); }},
      {"[reduce_mean] dtype of accumulation is i32, expected real or complex",
       [](Bench& b) { return b.g.reduce_mean(b.in(DType::i32, {2}), {0}); }},
      {"[reduce_prod] dtype is f32, expected c64",
       [](Bench& b) { return b.g.reduce_prod(b.in(DType::c64, {2}), {0}, {.dtype = DType::f32}); }},
      {"[reduce_max] dtype is f64, expected none (only sum, mean and prod take one)",
       [](Bench& b) { return b.g.reduce_max(b.f32({2}), {0}, {.dtype = DType::f64}); }},
      {"[reduce_min] x is c64, expected bool, integer or real",
       [](Bench& b) { return b.g.reduce_min(b.in(DType::c64, {2}), {0}); }},
      {"[reduce_all] x is f32, expected bool", [](Bench& b) { return b.g.reduce_all(b.f32({2}), {0}); }},
      {"[reduce_logsumexp] x is i64, expected real", [](Bench& b) { return b.g.reduce_logsumexp(b.i64({2}), {0}); }},
      {"[argmax] x is c64, expected bool, integer or real", [](Bench& b) { return b.g.argmax(b.in(DType::c64, {2})); }},
      {"[argmax] dtype is u32, expected i32 or i64",
       [](Bench& b) { return b.g.argmax(b.f32({2}), {.dtype = DType::u32}); }},
      {"[argmax] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.argmax(b.f32({})); }},
      {"[argmin] size of the axis is 0, expected at least 1", [](Bench& b) { return b.g.argmin(b.f32({2, 0})); }},
      {"[argmin] size of the axis is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.argmin(b.f32({b.t})); }},
      {"[argmax] size of the axis (indices are i32) is 2147483649, expected at most 2147483648",
       [](Bench& b) { return b.g.argmax(b.in(DType::bool_, {2147483649}), {.dtype = DType::i32}); }},
      {"[reduce_var] x is c64, expected real", [](Bench& b) { return b.g.reduce_var(b.in(DType::c64, {2}), {0}); }},
      {"[reduce_std] x is i64, expected real", [](Bench& b) { return b.g.reduce_std(b.i64({2}), {0}); }},
      {"[reduce_var] dtype is f64, expected none (only sum, mean and prod take one)",
       [](Bench& b) { return b.g.reduce_var(b.f32({2}), {0}, {.dtype = DType::f64}); }},
      {"[reduce_var] ddof is inf, expected finite",
       [](Bench& b) { return b.g.reduce_var(b.f32({2}), {0}, {.ddof = std::numeric_limits<double>::infinity()}); }},
      {"[reduce_std] ddof is nan, expected finite",
       [](Bench& b) { return b.g.reduce_std(b.f32({2}), {0}, {.ddof = std::numeric_limits<double>::quiet_NaN()}); }},
      {"[reduce_mean] ddof is 1, expected 0 (only var and std take one)",
       [](Bench& b) { return b.g.reduce_mean(b.f32({2}), {0}, {.ddof = 1}); }},
      {"[reduce_any] ddof is -1, expected 0 (only var and std take one)",
       [](Bench& b) { return b.g.reduce_any(b.in(DType::bool_, {2}), {0}, {.ddof = -1}); }},
      {"[cumsum] axis is 1, expected -1..0", [](Bench& b) { return b.g.cumsum(b.f32({2}), {.axis = 1}); }},
      {"[cumsum] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.cumsum(b.f32({})); }},
      {"[cummax] x is c64, expected bool, integer or real", [](Bench& b) { return b.g.cummax(b.in(DType::c64, {2})); }},
      {"[cummin] dtype is f64, expected none (only sum and prod take one)",
       [](Bench& b) { return b.g.cummin(b.f32({2}), {.dtype = DType::f64}); }},
      {"[cumprod] dtype is f32, expected c64",
       [](Bench& b) { return b.g.cumprod(b.in(DType::c64, {2}), {.dtype = DType::f32}); }},
      {"[cumsum] dtype of accumulation is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.cumsum(b.f32({2}), {.dtype = DType::bool_}); }},
      {"[cumlogsumexp] x is i32, expected real", [](Bench& b) { return b.g.cumlogsumexp(b.in(DType::i32, {2})); }},
      {"[cumsum] x is u4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.cumsum(b.in(DType::u4, {2}), {.dtype = DType::i32}); }},
      {"[softmax] x is i32, expected real", [](Bench& b) { return b.g.softmax(b.in(DType::i32, {2})); }},
      {"[softmax] axis is 1, expected -1..0", [](Bench& b) { return b.g.softmax(b.f32({2}), {.axis = 1}); }},
      {"[softmax] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.softmax(b.f32({})); }},
  });
}

}  // namespace
}  // namespace ingot
