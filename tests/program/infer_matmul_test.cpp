// Types of matrix products.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferMatmul, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.matmul(b.in(d, {2, 3}), b.in(d, {3, 4})); }),
            kNumbers + " c64");
  expect_types({
      {"f32[2, 4]", [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({3, 4})); }},
      {"f32[2, 4]", [](Bench& b) { return b.g.matmul(b.f32({3, 2}), b.f32({3, 4}), {.transpose_a = true}); }},
      {"f32[2, 4]", [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({4, 3}), {.transpose_b = true}); }},
      {"f32[2, 4]",
       [](Bench& b) { return b.g.matmul(b.f32({3, 2}), b.f32({4, 3}), {.transpose_a = true, .transpose_b = true}); }},
      {"f32[5, 2, 4]", [](Bench& b) { return b.g.matmul(b.f32({5, 2, 3}), b.f32({3, 4})); }},
      {"f32[6, 5, 2, 4]", [](Bench& b) { return b.g.matmul(b.f32({6, 1, 2, 3}), b.f32({5, 3, 4})); }},
      {"f32[S, T]", [](Bench& b) { return b.g.matmul(b.f32({b.s, b.n}), b.f32({b.n, b.t})); }},
      {"f32[T, S, 4]", [](Bench& b) { return b.g.matmul(b.f32({b.t, b.s, 3}), b.f32({1, 3, 4})); }},
      {"f32[0, 4]", [](Bench& b) { return b.g.matmul(b.f32({0, 3}), b.f32({3, 4})); }},
      {"f32[2, 4]", [](Bench& b) { return b.g.matmul(b.f32({2, 0}), b.f32({0, 4})); }},
      {"f32[2, 4]", [](Bench& b) { return b.g.matmul(b.in(DType::bf16, {2, 3}), b.in(DType::f16, {3, 4})); }},
      {"i32[2, 4]", [](Bench& b) { return b.g.matmul(b.in(DType::bool_, {2, 3}), b.in(DType::i32, {3, 4})); }},
  });
}

TEST(InferMatmul, Refuses) {
  expect_refusals({
      {"[matmul] number of rows of b is 4, expected 3 (columns of a)",
       [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({4, 3})); }},
      {"[matmul] number of rows of b is 4, expected 2 (columns of a)",
       [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({4, 3}), {.transpose_a = true}); }},
      {"[matmul] number of rows of b is 1, expected 3 (columns of a)",
       [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({1, 4})); }},
      {"[matmul] number of rows of b is T, expected S (columns of a) (not provable from the bounds)",
       [](Bench& b) { return b.g.matmul(b.f32({2, b.s}), b.f32({b.t, 4})); }},
      {"[matmul] a is f32[3], expected rank 2 or more", [](Bench& b) { return b.g.matmul(b.f32({3}), b.f32({3, 4})); }},
      {"[matmul] b is f32[], expected rank 2 or more", [](Bench& b) { return b.g.matmul(b.f32({2, 3}), b.f32({})); }},
      {"[matmul] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.matmul(b.f32({2, 5, 5}), b.f32({3, 5, 5})); }},
      {"[matmul] dtype of a and b is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.matmul(b.in(DType::bool_, {2, 2}), b.in(DType::bool_, {2, 2})); }},
      {"[matmul] pair of dtypes is packed and f32, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.matmul(b.packed({2, 64}), b.f32({64, 2})); }},
      {"[matmul] dtype of a and b is packed, expected integer, real or complex (packed needs dequantize)",
       [](Bench& b) { return b.g.matmul(b.packed({2, 64}), b.packed({64, 2})); }},
  });
}

}  // namespace
}  // namespace ingot
