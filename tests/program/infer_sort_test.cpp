// Types of ops that order elements.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

const std::string ordered = "bool " + kNumbers;

// The types of all results.
std::string types_of(std::span<const Var> results) {
  std::string text;
  for (const Var& result : results) text += fmt::format("{}{}", text.empty() ? "" : " ", to_string(result.type()));
  return text;
}

TEST(InferSort, Dtypes) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.sort(b.in(d, {2}))[0]; }), ordered);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.topk(b.in(d, {2}), 1)[0]; }), ordered);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.partition(b.in(d, {2}), 1)[0]; }), ordered);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.median(b.in(d, {2})); }), ordered);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.median(b.in(d, {2}), {.average = true}); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.unique(b.in(d, {2}), b.p.symbol_id("N"))[0]; }),
            ordered);
  std::string indexed;
  for (DType dtype : single_dtypes()) {
    if (ordered.find(to_string(dtype)) == std::string::npos) continue;
    indexed += fmt::format("{}{}{}", indexed.empty() ? "" : " ", to_string(dtype), dtype == DType::i64 ? "" : ">i64");
  }
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.search_sorted(b.in(d, {2}), b.in(d)); }), indexed);
}

TEST(InferSort, SortsAndTopK) {
  Bench b;
  EXPECT_EQ(types_of(b.g.sort(b.f32({b.s, 3}), {.axis = 0, .descending = true})), "f32[S, 3] i64[S, 3]");
  EXPECT_EQ(types_of(b.g.sort(b.in(DType::bool_, {0}))), "bool[0] i64[0]");
  EXPECT_EQ(types_of(b.g.topk(b.f32({2, 5}), 3)), "f32[2, 3] i64[2, 3]");
  EXPECT_EQ(types_of(b.g.topk(b.f32({2, 5}), 0, {.axis = 0, .largest = false, .sorted = false})),
            "f32[0, 5] i64[0, 5]");
  EXPECT_EQ(types_of(b.g.topk(b.f32({b.t}), min(b.t, 4))), "f32[min(T, 4)] i64[min(T, 4)]");
  EXPECT_EQ(types_of(b.g.topk(b.f32({b.s}), b.s)), "f32[S] i64[S]");
  EXPECT_EQ(types_of(b.g.partition(b.f32({2, b.s}), Dim(b.s) - 1)), "f32[2, S] i64[2, S]");
  EXPECT_EQ(types_of(b.g.partition(b.i64({4, 2}), 3, {.axis = -2})), "i64[4, 2] i64[4, 2]");
  b.p.build();
}

TEST(InferSort, RefusesSorts) {
  expect_refusals({
      {"[sort] x is c64, expected bool, integer or real", [](Bench& b) { return b.g.sort(b.in(DType::c64, {2}))[0]; }},
      {"[sort] x is packed, expected bool, integer or real (packed needs dequantize)",
       [](Bench& b) { return b.g.sort(b.packed({64}))[0]; }},
      {"[sort] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.sort(b.f32({}))[0]; }},
      {"[sort] axis is 2, expected -2..1", [](Bench& b) { return b.g.sort(b.f32({2, 3}), {.axis = 2})[0]; }},
      {"[topk] k is 6, expected at most 5", [](Bench& b) { return b.g.topk(b.f32({5}), 6)[0]; }},
      {"[topk] k is -1, expected at least 0", [](Bench& b) { return b.g.topk(b.f32({5}), -1)[0]; }},
      {"[topk] k is 2, expected at most S (not provable from the bounds)",
       [](Bench& b) { return b.g.topk(b.f32({b.s}), 2)[0]; }},
      {"[topk] k is S - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.topk(b.f32({b.s}), Dim(b.s) - 2)[0]; }},
      {"[topk] axis is 1, expected -1..0", [](Bench& b) { return b.g.topk(b.f32({5}), 1, {.axis = 1})[0]; }},
      {"[partition] kth is 5, expected at most 4", [](Bench& b) { return b.g.partition(b.f32({5}), 5)[0]; }},
      {"[partition] kth is -1, expected at least 0", [](Bench& b) { return b.g.partition(b.f32({5}), -1)[0]; }},
      {"[partition] kth is 0, expected at most T - 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.partition(b.f32({b.t}), 0)[0]; }},
      {"[partition] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.partition(b.f32({}), 0)[0]; }},
  });
}

TEST(InferSort, MedianAndSearchSorted) {
  expect_types({
      {"f32[2]", [](Bench& b) { return b.g.median(b.f32({2, b.s})); }},
      {"f32[1, S]",
       [](Bench& b) { return b.g.median(b.f32({2, b.s}), {.axis = 0, .keepdims = true, .average = true}); }},
      {"u8[]", [](Bench& b) { return b.g.median(b.in(DType::u8, {3})); }},
      {"i64[2, T]", [](Bench& b) { return b.g.search_sorted(b.f32({b.s}), b.f32({2, b.t}), {.right = true}); }},
      {"i64[]", [](Bench& b) { return b.g.search_sorted(b.in(DType::u8, {0}), b.in(DType::i8)); }},
  });
  expect_refusals({
      {"[median] size of the axis is 0, expected at least 1", [](Bench& b) { return b.g.median(b.f32({2, 0})); }},
      {"[median] size of the axis is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.median(b.f32({b.t})); }},
      {"[median] x (a mean is taken) is i32, expected real",
       [](Bench& b) { return b.g.median(b.in(DType::i32, {3}), {.average = true}); }},
      {"[median] x is c64, expected bool, integer or real", [](Bench& b) { return b.g.median(b.in(DType::c64, {3})); }},
      {"[median] axis is -1, expected none (rank 0)", [](Bench& b) { return b.g.median(b.f32({})); }},
      {"[search_sorted] rank of sorted is 2, expected 1",
       [](Bench& b) { return b.g.search_sorted(b.f32({2, 3}), b.f32({2})); }},
      {"[search_sorted] rank of sorted is 0, expected 1",
       [](Bench& b) { return b.g.search_sorted(b.f32({}), b.f32({2})); }},
      {"[search_sorted] dtype of sorted and values is c64, expected bool, integer or real",
       [](Bench& b) { return b.g.search_sorted(b.f32({2}), b.in(DType::c64)); }},
      {"[search_sorted] pair of dtypes is u64 and i64, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.search_sorted(b.in(DType::u64, {2}), b.i64({})); }},
  });
}

TEST(InferSort, Unique) {
  Bench b;
  const SymbolId n = b.p.symbol_id("N");
  EXPECT_EQ(types_of(b.g.unique(b.f32({b.s, 3}), n)), "f32[N] i64[N] i64[S, 3] i64[N]");
  EXPECT_EQ(types_of(b.g.unique(b.i64({b.t, 3}), n, {.axis = 0, .sorted = false})), "i64[N, 3] i64[N] i64[T] i64[N]");
  EXPECT_EQ(types_of(b.g.unique(b.f32({2, 3}), n, {.axis = -1})), "f32[2, N] i64[N] i64[3] i64[N]");
  EXPECT_EQ(types_of(b.g.unique(b.f32({}), n)), "f32[N] i64[N] i64[] i64[N]");
  // At least one is distinct where there is an element: S is 1 or more.
  const Symbol some = b.p.symbol("Some", 1);
  EXPECT_EQ(types_of(b.g.unique(b.f32({b.s}), b.p.symbol_id("Some"))), "f32[Some] i64[Some] i64[S] i64[Some]");
  const auto with = [](int64_t least, Shape shape, std::optional<int64_t> axis = {}) {
    return [=](Bench& bench) {
      bench.p.symbol("M", least);
      return bench.g.unique(bench.f32(shape), bench.p.symbol_id("M"), {.axis = axis})[0];
    };
  };
  expect_refusals({
      {"[unique] x is c64, expected bool, integer or real",
       [](Bench& bench) { return bench.g.unique(bench.in(DType::c64, {2}), bench.p.symbol_id("N"))[0]; }},
      {"[unique] axis is 1, expected -1..0", with(0, {2}, 1)},
      {"[unique] axis is 0, expected none (rank 0)", with(0, {}, 0)},
      {"[unique] minimum of symbol M is 2, expected at most 1 (there may be no more)", with(2, {5})},
      {"[unique] minimum of symbol M is 1, expected at most 0 (there may be no more)", with(1, {b.t})},
      {"[unique] minimum of symbol M is 1, expected at most 0 (there may be no more)", with(1, {2, 0})},
      {"[unique] minimum of symbol M is 1, expected at most 0 (there may be no more)", with(1, {2, b.n}, 1)},
  });
  expect_types({{"f32[M, 0]", with(1, {2, 0}, 0)}});
}

}  // namespace
}  // namespace ingot
