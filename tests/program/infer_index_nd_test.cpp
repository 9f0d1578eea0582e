// Types of ops that read and write boxes, coordinates and several indices at once.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferIndexNd, Dtypes) {
  const std::function<Var(Bench&, DType)> calls[] = {
      [](Bench& b, DType d) { return b.g.dynamic_slice(b.in(d, {4}), {b.i64({})}, {0}, {2}); },
      [](Bench& b, DType d) { return b.g.dynamic_update(b.in(d, {4}), b.in(d, {2}), {b.i64({})}, {0}); },
      [](Bench& b, DType d) { return b.g.gather_nd(b.in(d, {4}), b.i64({2, 1})); },
      [](Bench& b, DType d) { return b.g.index_get(b.in(d, {4}), {b.i64({2})}, {0}); },
      [](Bench& b, DType d) { return b.g.masked_scatter(b.in(d, {4}), b.in(DType::bool_, {4}), b.in(d, {2})); },
  };
  for (const auto& call : calls) EXPECT_EQ(accepted_dtypes(call), kComputable);
  expect_accepted(kScatterDtypes, [](Bench& b, DType d, ScatterFn fn) {
    const Ref x = b.in(d, {4}).ref(), indices = b.i64({2, 1}).ref(), updates = b.in(d, {2}).ref();
    return b.g.add(op::ScatterNd{fn, x, indices, updates})[0];
  });
  expect_accepted(kScatterDtypes, [](Bench& b, DType d, ScatterFn fn) {
    const Ref x = b.in(d, {4}).ref(), indices = b.i64({2}).ref(), values = b.in(d, {2}).ref();
    return b.g.add(op::IndexPut{fn, x, {indices}, values, {0}})[0];
  });
  // Indices of every integer dtype, and of no other.
  std::string indexed;
  for (DType dtype : single_dtypes()) {
    if (is_integer(dtype)) indexed += fmt::format("{}{}>f32", indexed.empty() ? "" : " ", to_string(dtype));
  }
  const std::function<Var(Bench&, DType)> by[] = {
      [](Bench& b, DType d) { return b.g.dynamic_slice(b.f32({4}), {b.in(d)}, {0}, {2}); },
      [](Bench& b, DType d) { return b.g.dynamic_update(b.f32({4}), b.f32({2}), {b.in(d)}, {0}); },
      [](Bench& b, DType d) { return b.g.gather_nd(b.f32({4}), b.in(d, {2, 1})); },
      [](Bench& b, DType d) { return b.g.scatter_nd_add(b.f32({4}), b.in(d, {2, 1}), b.f32({2})); },
      [](Bench& b, DType d) { return b.g.index_get(b.f32({4}), {b.in(d, {2})}, {0}); },
      [](Bench& b, DType d) { return b.g.index_put_add(b.f32({4}), {b.in(d, {2})}, b.f32({2}), {0}); },
      [](Bench& b, DType d) { return b.g.one_hot(b.in(d, {2}), 3); },
  };
  for (const auto& call : by) EXPECT_EQ(accepted_dtypes(call), indexed);
}

TEST(InferIndexNd, DynamicSlice) {
  expect_types({
      {"f32[2, 3]", [](Bench& b) { return b.g.dynamic_slice(b.f32({5, 4}), {b.i64({}), b.i64({})}, {1, 0}, {3, 2}); }},
      {"f32[S, 2]",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({b.s, 4}), {b.i64({})}, {-1}, {2}, {.mode = IndexMode::clamp}); }},
      {"f32[min(S, T)]", [](Bench& b) { return b.g.dynamic_slice(b.f32({b.t}), {b.i64({})}, {0}, {min(b.s, b.t)}); }},
      {"f32[9]",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({})}, {0}, {9}, {.mode = IndexMode::drop}); }},
      {"f32[4]", [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {}, {}, {}); }},
  });
  expect_refusals({
      {"[dynamic_slice] size in sizes is 5, expected at most 4",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({})}, {0}, {5}); }},
      {"[dynamic_slice] size in sizes is 2, expected at most S (not provable from the bounds)",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({b.s}), {b.i64({})}, {0}, {2}, {.mode = IndexMode::clamp}); }},
      {"[dynamic_slice] size in sizes is -1, expected at least 0",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({})}, {0}, {-1}, {.mode = IndexMode::drop}); }},
      {"[dynamic_slice] number of starts is 1, expected 2 (length of axes)",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4, 4}), {b.i64({})}, {0, 1}, {1, 1}); }},
      {"[dynamic_slice] length of sizes is 0, expected 1 (length of axes)",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({})}, {0}, {}); }},
      {"[dynamic_slice] axes is [0, -1], expected every axis at most once",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({}), b.i64({})}, {0, -1}, {1, 1}); }},
      {"[dynamic_slice] start is f32, expected integer",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.f32({})}, {0}, {1}); }},
      {"[dynamic_slice] rank of a start is 1, expected 0 (a scalar)",
       [](Bench& b) { return b.g.dynamic_slice(b.f32({4}), {b.i64({1})}, {0}, {1}); }},
  });
}

TEST(InferIndexNd, DynamicUpdate) {
  expect_types({
      {"f32[5, S]", [](Bench& b) { return b.g.dynamic_update(b.f32({5, b.s}), b.f32({2, b.s}), {b.i64({})}, {0}); }},
      {"f32[4]",
       [](Bench& b) {
         return b.g.dynamic_update(b.f32({4}), b.f32({0}), {b.i64({})}, {-1}, {.mode = IndexMode::drop});
       }},
  });
  expect_refusals({
      {"[dynamic_update] size of update along axes is 5, expected at most 4",
       [](Bench& b) { return b.g.dynamic_update(b.f32({4}), b.f32({5}), {b.i64({})}, {0}); }},
      {"[dynamic_update] axis 1 of update is 2, expected 3 (as x)",
       [](Bench& b) { return b.g.dynamic_update(b.f32({4, 3}), b.f32({2, 2}), {b.i64({})}, {0}); }},
      {"[dynamic_update] dtype of update is f16, expected f32",
       [](Bench& b) { return b.g.dynamic_update(b.f32({4}), b.in(DType::f16, {2}), {b.i64({})}, {0}); }},
      {"[dynamic_update] rank of update is 0, expected 1 (as x)",
       [](Bench& b) { return b.g.dynamic_update(b.f32({4}), b.f32({}), {b.i64({})}, {0}); }},
      {"[dynamic_update] number of starts is 0, expected 1 (length of axes)",
       [](Bench& b) { return b.g.dynamic_update(b.f32({4}), b.f32({2}), {}, {0}); }},
      {"[dynamic_update] x is i4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.dynamic_update(b.in(DType::i4, {4}), b.in(DType::i4, {2}), {b.i64({})}, {0}); }},
  });
}

TEST(InferIndexNd, GatherNd) {
  expect_types({
      {"f32[7, 3]", [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({7, 1})); }},
      {"f32[S]", [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({b.s, 2})); }},
      {"f32[]", [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({2})); }},
      {"f32[S, 4, 2]",
       [](Bench& b) { return b.g.gather_nd(b.f32({b.s, 3, 2}), b.i64({b.s, 4, 1}), {.batch_dims = 1}); }},
      {"f32[4, 5]", [](Bench& b) { return b.g.gather_nd(b.f32({5}), b.i64({4, 0})); }},
      {"f32[5]", [](Bench& b) { return b.g.gather_nd(b.f32({5}), b.i64({5, 0}), {.batch_dims = 1}); }},
      {"f32[2]", [](Bench& b) { return b.g.gather_nd(b.f32({0}), b.i64({2, 1}), {.mode = IndexMode::drop}); }},
  });
  expect_refusals({
      {"[gather_nd] rank of indices is 0, expected at least 1",
       [](Bench& b) { return b.g.gather_nd(b.f32({5}), b.i64({})); }},
      {"[gather_nd] last axis of indices is 3, expected at most 2",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({2, 3})); }},
      {"[gather_nd] last axis of indices is 2, expected at most 1",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({5, 2}), {.batch_dims = 1}); }},
      {"[gather_nd] last axis of indices is S, expected a literal: the number of coordinates",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({2, b.s})); }},
      {"[gather_nd] batch_dims is 1, expected 0..0",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({1}), {.batch_dims = 1}); }},
      {"[gather_nd] batch_dims is -1, expected 0..1",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({5, 1}), {.batch_dims = -1}); }},
      {"[gather_nd] axis 0 of indices is 4, expected 5 (as x)",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 3}), b.i64({4, 1}), {.batch_dims = 1}); }},
      {"[gather_nd] size of the axis is 0, expected at least 1",
       [](Bench& b) { return b.g.gather_nd(b.f32({5, 0}), b.i64({2, 2}), {.mode = IndexMode::clamp}); }},
      {"[gather_nd] indices is f32, expected integer",
       [](Bench& b) { return b.g.gather_nd(b.f32({5}), b.f32({2, 1})); }},
  });
}

TEST(InferIndexNd, ScatterNd) {
  expect_types({
      {"f32[5, S]", [](Bench& b) { return b.g.scatter_nd_set(b.f32({5, b.s}), b.i64({7, 1}), b.f32({7, b.s})); }},
      {"i8[5]",
       [](Bench& b) {
         return b.g.scatter_nd_min(b.in(DType::i8, {5}), b.i64({1}), b.in(DType::i8), {.mode = IndexMode::clamp});
       }},
  });
  expect_refusals({
      {"[scatter_nd_mul] updates is f32[7], expected f32[7, 3] (what the indices name)",
       [](Bench& b) { return b.g.scatter_nd_mul(b.f32({5, 3}), b.i64({7, 1}), b.f32({7})); }},
      {"[scatter_nd_add] updates is f64[7], expected f32[7] (what the indices name)",
       [](Bench& b) { return b.g.scatter_nd_add(b.f32({5, 3}), b.i64({7, 2}), b.in(DType::f64, {7})); }},
      {"[scatter_nd_max] x is c64, expected integer or real",
       [](Bench& b) { return b.g.scatter_nd_max(b.in(DType::c64, {5}), b.i64({2, 1}), b.in(DType::c64, {2})); }},
      {"[scatter_nd_set] size of the axis is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) {
         return b.g.scatter_nd_set(b.f32({b.t}), b.i64({2, 1}), b.f32({2}), {.mode = IndexMode::clamp});
       }},
  });
}

TEST(InferIndexNd, IndexGet) {
  expect_types({
      {"f32[7, 3]", [](Bench& b) { return b.g.index_get(b.f32({5, 3}), {b.i64({7})}, {0}); }},
      {"f32[2, S, 6]", [](Bench& b) { return b.g.index_get(b.f32({2, 3, 4, 6}), {b.i64({b.s}), b.i64({})}, {2, -3}); }},
      {"f32[4, S, 3, 6]",
       [](Bench& b) { return b.g.index_get(b.f32({2, 3, 5, 6}), {b.i64({b.s}), b.i64({4, 1})}, {0, 2}); }},
      {"f32[3]", [](Bench& b) { return b.g.index_get(b.f32({2, 3, 5}), {b.i64({}), b.i64({})}, {2, 0}); }},
      {"f32[3]", [](Bench& b) { return b.g.index_get(b.f32({0}), {b.i64({3})}, {0}, {.mode = IndexMode::drop}); }},
  });
  expect_refusals({
      {"[index_get] length of axes is 0, expected at least 1",
       [](Bench& b) { return b.g.index_get(b.f32({5}), {}, {}); }},
      {"[index_get] number of indices is 1, expected 2 (length of axes)",
       [](Bench& b) { return b.g.index_get(b.f32({5, 3}), {b.i64({2})}, {0, 1}); }},
      {"[index_get] axes is [1, -1], expected every axis at most once",
       [](Bench& b) { return b.g.index_get(b.f32({5, 3}), {b.i64({2}), b.i64({2})}, {1, -1}); }},
      {"[index_get] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.index_get(b.f32({5, 3}), {b.i64({2}), b.i64({3})}, {0, 1}); }},
      {"[index_get] indices is bool, expected integer",
       [](Bench& b) { return b.g.index_get(b.f32({5}), {b.in(DType::bool_, {5})}, {0}); }},
      {"[index_get] size of the axis is 0, expected at least 1",
       [](Bench& b) { return b.g.index_get(b.f32({0}), {b.i64({3})}, {0}, {.mode = IndexMode::clamp}); }},
      {"[index_get] x is packed, expected bool, integer, real or complex (packed needs dequantize)",
       [](Bench& b) { return b.g.index_get(b.packed({5, 64}), {b.i64({3})}, {0}); }},
  });
}

TEST(InferIndexNd, IndexPut) {
  expect_types({
      {"f32[2, 3, S]",
       [](Bench& b) { return b.g.index_put_set(b.f32({2, 3, b.s}), {b.i64({4})}, b.f32({4, b.s}), {1}); }},
      {"i8[5, 3]",
       [](Bench& b) {
         return b.g.index_put_max(b.in(DType::i8, {5, 3}), {b.i64({2}), b.i64({})}, b.in(DType::i8), {0, 1},
                                  {.mode = IndexMode::clamp});
       }},
  });
  expect_refusals({
      {"[index_put_add] values is [3], expected a shape that stretches to [2, 4, 6]",
       [](Bench& b) { return b.g.index_put_add(b.f32({2, 5, 6}), {b.i64({4})}, b.f32({3}), {1}); }},
      {"[index_put_mul] dtype of values is f64, expected f32",
       [](Bench& b) { return b.g.index_put_mul(b.f32({5}), {b.i64({4})}, b.in(DType::f64), {0}); }},
      {"[index_put_min] x is c64, expected integer or real",
       [](Bench& b) { return b.g.index_put_min(b.in(DType::c64, {5}), {b.i64({4})}, b.in(DType::c64), {0}); }},
      {"[index_put_set] axes is 1, expected -1..0",
       [](Bench& b) { return b.g.index_put_set(b.f32({5}), {b.i64({4})}, b.f32({}), {1}); }},
  });
}

}  // namespace
}  // namespace ingot
