// Types of ops that read and write at indices.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferIndex, Dtypes) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.take(b.in(d, {4}), b.i64({2})); }), kComputable);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.gather(b.in(d, {4}), b.i64({2})); }), kComputable);
  expect_accepted(kScatterDtypes, [](Bench& b, DType d, ScatterFn fn) {
    const Ref x = b.in(d, {4}).ref(), indices = b.i64({2}).ref(), updates = b.in(d, {2}).ref();
    return b.g.add(op::Scatter{fn, x, indices, updates})[0];
  });
  // Indices of every integer dtype, and of no other.
  std::string indexed;
  for (DType dtype : single_dtypes()) {
    if (is_integer(dtype)) indexed += fmt::format("{}{}>f32", indexed.empty() ? "" : " ", to_string(dtype));
  }
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.take(b.f32({4}), b.in(d, {2})); }), indexed);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.gather(b.f32({4}), b.in(d, {2})); }), indexed);
}

TEST(InferIndex, Take) {
  expect_types({
      {"f32[7, 3]", [](Bench& b) { return b.g.take(b.f32({5, 3}), b.i64({7})); }},
      {"f32[5]", [](Bench& b) { return b.g.take(b.f32({5, 3}), b.i64({}), {.axis = -1}); }},
      {"f32[2, S, 0, 4]", [](Bench& b) { return b.g.take(b.f32({2, 3, 4}), b.i64({b.s, 0}), {.axis = 1}); }},
      {"f32[3]", [](Bench& b) { return b.g.take(b.f32({0}), b.i64({3}), {.mode = IndexMode::drop}); }},
      {"f32[3]", [](Bench& b) { return b.g.take(b.f32({b.s}), b.i64({3}), {.mode = IndexMode::clamp}); }},
  });
  expect_refusals({
      {"[take] indices is f32, expected integer", [](Bench& b) { return b.g.take(b.f32({5}), b.f32({2})); }},
      {"[take] indices is bool, expected integer",
       [](Bench& b) { return b.g.take(b.f32({5}), b.in(DType::bool_, {2})); }},
      {"[take] axis is 0, expected none (rank 0)", [](Bench& b) { return b.g.take(b.f32({}), b.i64({2})); }},
      {"[take] axis is 2, expected -2..1", [](Bench& b) { return b.g.take(b.f32({5, 3}), b.i64({}), {.axis = 2}); }},
      {"[take] size of the axis is 0, expected at least 1",
       [](Bench& b) { return b.g.take(b.f32({0}), b.i64({2}), {.mode = IndexMode::clamp}); }},
      {"[take] size of the axis is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.take(b.f32({b.t}), b.i64({2}), {.mode = IndexMode::clamp}); }},
      {"[take] x is packed, expected bool, integer, real or complex (packed needs dequantize)",
       [](Bench& b) { return b.g.take(b.packed({5, 64}), b.i64({2})); }},
  });
}

TEST(InferIndex, Gather) {
  expect_types({
      {"f32[7, 3]", [](Bench& b) { return b.g.gather(b.f32({5, 3}), b.i64({7, 3})); }},
      {"f32[5, S]", [](Bench& b) { return b.g.gather(b.f32({5, 3}), b.i64({5, b.s}), {.axis = -1}); }},
      {"f32[0]", [](Bench& b) { return b.g.gather(b.f32({5}), b.i64({0}), {.mode = IndexMode::clamp}); }},
  });
  expect_refusals({
      {"[gather] rank of indices is 1, expected 2 (as x)",
       [](Bench& b) { return b.g.gather(b.f32({5, 3}), b.i64({7})); }},
      {"[gather] axis 1 of indices is 2, expected 3 (as x)",
       [](Bench& b) { return b.g.gather(b.f32({5, 3}), b.i64({7, 2})); }},
      {"[gather] axis 1 of indices is 1, expected 3 (as x)",
       [](Bench& b) { return b.g.gather(b.f32({5, 3}), b.i64({7, 1})); }},
      {"[gather] axis is 0, expected none (rank 0)", [](Bench& b) { return b.g.gather(b.f32({}), b.i64({})); }},
      {"[gather] size of the axis is 0, expected at least 1",
       [](Bench& b) { return b.g.gather(b.f32({0}), b.i64({2}), {.mode = IndexMode::clamp}); }},
  });
}

TEST(InferIndex, Scatter) {
  expect_types({
      {"f32[5, 3]", [](Bench& b) { return b.g.scatter_set(b.f32({5, 3}), b.i64({7, 3}), b.f32({7, 3})); }},
      {"f32[T, S]",
       [](Bench& b) {
         return b.g.scatter_add(b.f32({b.t, b.s}), b.i64({b.t, 2}), b.f32({b.t, 2}),
                                {.axis = -1, .mode = IndexMode::clamp});
       }},
      {"i8[0]",
       [](Bench& b) {
         return b.g.scatter_max(b.in(DType::i8, {0}), b.i64({2}), b.in(DType::i8, {2}), {.mode = IndexMode::drop});
       }},
  });
  expect_refusals({
      {"[scatter_set] updates is f32[2], expected f32[7] (dtype of x, shape of indices)",
       [](Bench& b) { return b.g.scatter_set(b.f32({5}), b.i64({7}), b.f32({2})); }},
      {"[scatter_set] updates is f64[7], expected f32[7] (dtype of x, shape of indices)",
       [](Bench& b) { return b.g.scatter_set(b.f32({5}), b.i64({7}), b.in(DType::f64, {7})); }},
      {"[scatter_min] updates is f32[T], expected f32[S] (dtype of x, shape of indices) (not provable from the bounds)",
       [](Bench& b) { return b.g.scatter_min(b.f32({5}), b.i64({b.s}), b.f32({b.t})); }},
      {"[scatter_mul] axis 1 of indices is 2, expected 3 (as x)",
       [](Bench& b) { return b.g.scatter_mul(b.f32({5, 3}), b.i64({7, 2}), b.f32({7, 2})); }},
      {"[scatter_add] x is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.scatter_add(b.in(DType::bool_, {5}), b.i64({2}), b.in(DType::bool_, {2})); }},
      {"[scatter_max] x is c64, expected integer or real",
       [](Bench& b) { return b.g.scatter_max(b.in(DType::c64, {5}), b.i64({2}), b.in(DType::c64, {2})); }},
      {"[scatter_set] indices is f16, expected integer",
       [](Bench& b) { return b.g.scatter_set(b.f32({5}), b.in(DType::f16, {2}), b.f32({2})); }},
      {"[scatter_set] axis is -2, expected -1..0",
       [](Bench& b) { return b.g.scatter_set(b.f32({5}), b.i64({2}), b.f32({2}), {.axis = -2}); }},
      {"[scatter_set] size of the axis is 0, expected at least 1",
       [](Bench& b) { return b.g.scatter_set(b.f32({0}), b.i64({2}), b.f32({2}), {.mode = IndexMode::clamp}); }},
  });
}

TEST(InferIndex, Nonzero) {
  expect_types({
      {"i64[2, N]", [](Bench& b) { return b.g.nonzero(b.f32({5, b.s}), b.p.symbol_id("N")); }},
      {"i64[0, N]", [](Bench& b) { return b.g.nonzero(b.in(DType::bool_), b.p.symbol_id("N")); }},
      {"i64[1, T]", [](Bench& b) { return b.g.nonzero(b.in(DType::c64, {0}), b.p.symbol_id("T")); }},
  });
  expect_refusals({
      {"[nonzero] minimum of symbol S is 1, expected at most 0 (there may be no such element)",
       [](Bench& b) { return b.g.nonzero(b.f32({5}), b.p.symbol_id("S")); }},
      {"[nonzero] x is i4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.nonzero(b.in(DType::i4, {5}), b.p.symbol_id("N")); }},
      {"[nonzero] count is symbol 3, expected a symbol with an id below 3",
       [](Bench& b) { return b.g.nonzero(b.f32({5}), SymbolId{3}); }},
      {"symbol 'M' is not declared", [](Bench& b) { return b.g.nonzero(b.f32({5}), b.p.symbol_id("M")); }},
  });
}

TEST(InferIndex, Item) {
  expect_types({
      {"i32[]", [](Bench& b) { return b.g.item(b.in(DType::i32), b.p.symbol_id("S")); }},
      {"u64[]", [](Bench& b) { return b.g.item(b.in(DType::u64), b.p.symbol_id("N")); }},
  });
  expect_refusals({
      {"[item] x is bool, expected integer", [](Bench& b) { return b.g.item(b.in(DType::bool_), SymbolId{0}); }},
      {"[item] x is f32, expected integer", [](Bench& b) { return b.g.item(b.f32({}), SymbolId{0}); }},
      {"[item] rank of x is 1, expected 0 (a scalar)", [](Bench& b) { return b.g.item(b.i64({1}), SymbolId{0}); }},
      {"[item] symbol is symbol 3, expected a symbol with an id below 3",
       [](Bench& b) { return b.g.item(b.i64({}), SymbolId{3}); }},
  });
}

TEST(InferIndex, OneHot) {
  expect_types({
      {"f32[2, S, 5]", [](Bench& b) { return b.g.one_hot(b.i64({2, b.s}), 5); }},
      {"bool[N, 2]",
       [](Bench& b) { return b.g.one_hot(b.in(DType::u8, {2}), b.n, {.axis = 0, .dtype = DType::bool_}); }},
      {"f32[2, 0, 3]", [](Bench& b) { return b.g.one_hot(b.i64({2, 3}), 0, {.axis = -2}); }},
      {"c64[4]", [](Bench& b) { return b.g.one_hot(b.i64({}), 4, {.dtype = DType::c64}); }},
  });
  expect_refusals({
      {"[one_hot] indices is f32, expected integer", [](Bench& b) { return b.g.one_hot(b.f32({2}), 3); }},
      {"[one_hot] dtype is f8e4m3, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.one_hot(b.i64({2}), 3, {.dtype = DType::f8e4m3}); }},
      {"[one_hot] depth is -1, expected at least 0", [](Bench& b) { return b.g.one_hot(b.i64({2}), -1); }},
      {"[one_hot] axis is 2, expected -2..1", [](Bench& b) { return b.g.one_hot(b.i64({2}), 3, {.axis = 2}); }},
  });
}

TEST(InferIndex, MaskedScatter) {
  expect_types({
      {"f32[2, S]",
       [](Bench& b) { return b.g.masked_scatter(b.f32({2, b.s}), b.in(DType::bool_, {2, b.s}), b.f32({b.t, 7})); }},
      {"i8[2, 3]",
       [](Bench& b) { return b.g.masked_scatter(b.in(DType::i8, {2, 3}), b.in(DType::bool_, {1}), b.in(DType::i8)); }},
  });
  expect_refusals({
      {"[masked_scatter] mask is i8, expected bool",
       [](Bench& b) { return b.g.masked_scatter(b.f32({2}), b.in(DType::i8, {2}), b.f32({2})); }},
      {"[masked_scatter] mask is [2, 3], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.masked_scatter(b.f32({3}), b.in(DType::bool_, {2, 3}), b.f32({2})); }},
      {"[masked_scatter] dtype of source is f64, expected f32",
       [](Bench& b) { return b.g.masked_scatter(b.f32({3}), b.in(DType::bool_, {3}), b.in(DType::f64, {3})); }},
      {"[masked_scatter] x is u4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) {
         return b.g.masked_scatter(b.in(DType::u4, {3}), b.in(DType::bool_, {3}), b.in(DType::u4, {3}));
       }},
  });
}

}  // namespace
}  // namespace ingot
