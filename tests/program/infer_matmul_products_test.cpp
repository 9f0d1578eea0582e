// Types of products over other axes than those of matmul.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferDotGeneral, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.dot_general(b.in(d, {2}), b.in(d, {2}), {0}, {0}); }),
            kNumbers + " c64");
  expect_types({
      {"f32[2, 4]", [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 4}), {1}, {0}); }},
      {"f32[S, 2, T]",
       [](Bench& b) {
         return b.g.dot_general(b.f32({2, b.s, b.n}), b.f32({b.t, b.n, b.s}), {2}, {1},
                                {.batch_a = {1}, .batch_b = {-1}});
       }},
      {"f32[4]", [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 4, 2}), {0, 1}, {2, 0}); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.dot_general(b.f32({2}), b.f32({3}), {}, {}); }},
      {"f32[]", [](Bench& b) { return b.g.dot_general(b.f32({}), b.f32({}), {}, {}); }},
      {"i32[]", [](Bench& b) { return b.g.dot_general(b.in(DType::bool_, {2}), b.in(DType::i32, {2}), {0}, {0}); }},
  });
}

TEST(InferDotGeneral, Refuses) {
  expect_refusals({
      {"[dot_general] dtype of a and b is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.dot_general(b.in(DType::bool_, {2}), b.in(DType::bool_, {2}), {0}, {0}); }},
      {"[dot_general] axes of a is 2, expected -2..1",
       [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 4}), {2}, {0}); }},
      {"[dot_general] axes of b is -3, expected -2..1",
       [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 4}), {1}, {-3}); }},
      {"[dot_general] axes of a is [1, -1], expected every axis at most once",
       [](Bench& b) {
         return b.g.dot_general(b.f32({2, 3}), b.f32({3, 3}), {-1}, {0}, {.batch_a = {1}, .batch_b = {1}});
       }},
      {"[dot_general] length of contract_b is 2, expected 1 (as contract_a)",
       [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 2}), {1}, {0, 1}); }},
      {"[dot_general] length of batch_b is 0, expected 1 (as batch_a)",
       [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({3, 2}), {1}, {0}, {.batch_a = {0}}); }},
      {"[dot_general] axis 0 of b is 4, expected 3 (axis 1 of a)",
       [](Bench& b) { return b.g.dot_general(b.f32({2, 3}), b.f32({4, 3}), {1}, {0}); }},
      {"[dot_general] axis 0 of b is 1, expected 2 (axis 0 of a)",
       [](Bench& b) {
         return b.g.dot_general(b.f32({2, 3}), b.f32({1, 3}), {1}, {1}, {.batch_a = {0}, .batch_b = {0}});
       }},
      {"[dot_general] axis 1 of b is T, expected S (axis 0 of a) (not provable from the bounds)",
       [](Bench& b) { return b.g.dot_general(b.f32({b.s}), b.f32({2, b.t}), {0}, {1}); }},
  });
}

TEST(InferEinsum, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.einsum({b.in(d, {2, 2})}, "ii->i"); }),
            kNumbers + " c64");
  expect_types({
      {"f32[S, T]", [](Bench& b) { return b.g.einsum({b.f32({b.s, b.n}), b.f32({b.n, b.t})}, "ij,jk->ik"); }},
      {"f32[T, S]", [](Bench& b) { return b.g.einsum({b.f32({b.s, b.n}), b.f32({b.n, b.t})}, " i j, jk -> ki "); }},
      {"f32[]", [](Bench& b) { return b.g.einsum({b.f32({b.s, b.s})}, "ii"); }},
      {"f32[3, 2]", [](Bench& b) { return b.g.einsum({b.f32({2, 3})}, "ba"); }},
      {"f32[3, 2]", [](Bench& b) { return b.g.einsum({b.f32({2, 3})}, "bA"); }},
      {"f32[]", [](Bench& b) { return b.g.einsum({b.f32({})}, ""); }},
      {"f32[]", [](Bench& b) { return b.g.einsum({b.f32({}), b.f32({})}, ",->"); }},
      {"f32[S, 4, 2]", [](Bench& b) { return b.g.einsum({b.f32({b.s, 1, 2, 3}), b.f32({4, 3})}, "...ij,...j->...i"); }},
      {"f32[4, S, 2]", [](Bench& b) { return b.g.einsum({b.f32({2, 4, 1}), b.f32({b.s})}, "i...,...->...i"); }},
      {"f32[5, 2]", [](Bench& b) { return b.g.einsum({b.f32({2, 3, 5})}, "i...j->ji"); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.einsum({b.f32({2, 3})}, "ij->...ij"); }},
      {"f32[0]", [](Bench& b) { return b.g.einsum({b.f32({0}), b.f32({1})}, "...,..."); }},
      {"f32[2]", [](Bench& b) { return b.g.einsum({b.in(DType::f16, {2}), b.in(DType::bf16, {2})}, "i,i->i"); }},
  });
}

TEST(InferEinsum, Refuses) {
  expect_refusals({
      {"[einsum] number of operands is 0, expected at least 1", [](Bench& b) { return b.g.einsum({}, ""); }},
      {"[einsum] number of operands is 1, expected 2 (as the equation has)",
       [](Bench& b) { return b.g.einsum({b.f32({2})}, "i,i"); }},
      {"[einsum] equation is 'i1->i', expected letters, ',', '...' and '->' (not '1')",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "i1->i"); }},
      {"[einsum] equation is 'i\tj', expected letters, ',', '...' and '->' (not '\\x09')",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "i\tj"); }},
      {"[einsum] equation is 'ij-i', expected letters, ',', '...' and '->' (not '-')",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "ij-i"); }},
      {"[einsum] equation is '..ij', expected letters, ',', '...' and '->' (not '.')",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "..ij"); }},
      {"[einsum] equation is 'i->i,j', expected letters, ',', '...' and '->' (not ',')",
       [](Bench& b) { return b.g.einsum({b.f32({2})}, "i->i,j"); }},
      {"[einsum] equation is 'i->->i', expected '->' at most once",
       [](Bench& b) { return b.g.einsum({b.f32({2})}, "i->->i"); }},
      {"[einsum] equation is '...i...', expected '...' at most once between commas",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "...i..."); }},
      {"[einsum] equation is 'ij->ii', expected 'i' once behind '->'",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "ij->ii"); }},
      {"[einsum] equation is 'ij->ik', expected 'k' in front of '->' too",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "ij->ik"); }},
      {"[einsum] number of letters for operand 0 is 3, expected 2 (its rank)",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "ijk"); }},
      {"[einsum] number of letters for operand 1 is 1, expected 2 (its rank)",
       [](Bench& b) { return b.g.einsum({b.f32({2}), b.f32({2, 2})}, "i,i"); }},
      {"[einsum] number of letters for operand 0 is 3, expected at most 2 (its rank)",
       [](Bench& b) { return b.g.einsum({b.f32({2, 2})}, "i...jk"); }},
      {"[einsum] size of 'j' in operand 1 is 4, expected 3 (as elsewhere)",
       [](Bench& b) { return b.g.einsum({b.f32({2, 3}), b.f32({4, 2})}, "ij,jk"); }},
      {"[einsum] size of 'j' in operand 0 is 1, expected 3 (as elsewhere)",
       [](Bench& b) { return b.g.einsum({b.f32({2, 1}), b.f32({3, 2})}, "ij,jk"); }},
      {"[einsum] size of 'i' in operand 0 is 3, expected 2 (as elsewhere)",
       [](Bench& b) { return b.g.einsum({b.f32({2, 3})}, "ii"); }},
      {"[einsum] size of 'i' in operand 1 is T, expected S (as elsewhere) (not provable from the bounds)",
       [](Bench& b) { return b.g.einsum({b.f32({b.s}), b.f32({b.t})}, "i,i"); }},
      {"[einsum] size of '...' in operand 1 is 3, expected 2 (as elsewhere)",
       [](Bench& b) { return b.g.einsum({b.f32({2}), b.f32({3})}, "...,..."); }},
      {"[einsum] dtype of the operands is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.einsum({b.in(DType::bool_, {2})}, "i"); }},
      {"[einsum] pair of dtypes is u64 and i8, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.einsum({b.in(DType::u64, {2}), b.in(DType::i8, {2})}, "i,i"); }},
  });
}

TEST(InferGroupedMatmul, Types) {
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.grouped_matmul(b.in(d, {5, 3}), b.in(d, {2, 3, 4}), b.i64({5})); }),
            kNumbers + " c64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.grouped_matmul(b.in(d, {5, 64}), b.packed({2, 4, 64}), b.i64({5}));
            }),
            kReals);
  expect_types({
      {"f32[S, 4]", [](Bench& b) { return b.g.grouped_matmul(b.f32({b.s, 3}), b.f32({2, 3, 4}), b.i64({b.s})); }},
      {"f32[5, T]",
       [](Bench& b) {
         return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, b.t, 3}), b.in(DType::u8, {5}), {.transpose_w = true});
       }},
      {"f16[5, 4]",
       [](Bench& b) {
         return b.g.grouped_matmul(b.in(DType::f16, {5, 64}), b.packed({2, 4, 64}), b.i64({5}), {.transpose_w = true});
       }},
      {"f64[5, 4]",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.in(DType::f64, {2, 3, 4}), b.i64({5})); }},
  });
}

TEST(InferGroupedMatmul, Refuses) {
  expect_refusals({
      {"[grouped_matmul] group is f32, expected integer",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, 3, 4}), b.f32({5})); }},
      {"[grouped_matmul] rank of x is 3, expected 2 ([M, K])",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({1, 5, 3}), b.f32({2, 3, 4}), b.i64({5})); }},
      {"[grouped_matmul] rank of w is 2, expected 3 ([G, K, N])",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({3, 4}), b.i64({5})); }},
      {"[grouped_matmul] rank of w is 2, expected 3 ([G, N, K])",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 64}), b.packed({4, 64}), b.i64({5})); }},
      {"[grouped_matmul] K of w is 4, expected 3 (columns of x)",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, 4, 3}), b.i64({5})); }},
      {"[grouped_matmul] K of w is 4, expected 3 (columns of x)",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, 3, 4}), b.i64({5}), {.transpose_w = true}); }},
      {"[grouped_matmul] rank of group is 0, expected 1 ([M])",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, 3, 4}), b.i64({})); }},
      {"[grouped_matmul] size of group is 4, expected 5 (rows of x)",
       [](Bench& b) { return b.g.grouped_matmul(b.f32({5, 3}), b.f32({2, 3, 4}), b.i64({4})); }},
      {"[grouped_matmul] x is i32, expected real",
       [](Bench& b) { return b.g.grouped_matmul(b.in(DType::i32, {5, 64}), b.packed({2, 4, 64}), b.i64({5})); }},
      {"[grouped_matmul] dtype of x and w is bool, expected integer, real or complex",
       [](Bench& b) {
         return b.g.grouped_matmul(b.in(DType::bool_, {5, 3}), b.in(DType::bool_, {2, 3, 4}), b.i64({5}));
       }},
  });
}

Var integer_matmul(Bench& b, const options::IntegerMatmul& options) {
  return b.g.integer_matmul(b.in(DType::u8, {2, 3, 4}), b.in(DType::i8, {4, 5}), options);
}

TEST(InferIntegerMatmul, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.integer_matmul(b.in(d, {2, 3}), b.in(d, {3, 4})); }),
            "u8>i32 i8>i32");
  expect_types({
      {"i32[2, 3, 5]", [](Bench& b) { return integer_matmul(b, {}); }},
      {"i32[2, 3, 5]",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::u8), .b_zero = b.in(DType::i8)}); }},
      {"i32[2, 3, 5]",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::u8, {3}), .b_zero = b.in(DType::i8, {5})}); }},
      {"i32[2, 3, 5]",
       [](Bench& b) {
         return integer_matmul(b, {.a_zero = b.in(DType::u8, {2, 3, 1}), .b_zero = b.in(DType::i8, {1, 5})});
       }},
      {"i32[2, 3, 5]",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::u8, {1}), .b_zero = b.in(DType::i8, {1})}); }},
  });
}

TEST(InferIntegerMatmul, Refuses) {
  expect_refusals({
      {"[integer_matmul] a is i32, expected u8 or i8",
       [](Bench& b) { return b.g.integer_matmul(b.in(DType::i32, {2, 3}), b.in(DType::i8, {3, 4})); }},
      {"[integer_matmul] b is f32, expected u8 or i8",
       [](Bench& b) { return b.g.integer_matmul(b.in(DType::i8, {2, 3}), b.f32({3, 4})); }},
      {"[integer_matmul] a is u8[3], expected rank 2 or more",
       [](Bench& b) { return b.g.integer_matmul(b.in(DType::u8, {3}), b.in(DType::i8, {3, 4})); }},
      {"[integer_matmul] number of rows of b is 4, expected 3 (columns of a)",
       [](Bench& b) { return b.g.integer_matmul(b.in(DType::u8, {2, 3}), b.in(DType::i8, {4, 3})); }},
      {"[integer_matmul] a_zero is i8, expected u8",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::i8)}); }},
      {"[integer_matmul] b_zero is u8, expected i8",
       [](Bench& b) { return integer_matmul(b, {.b_zero = b.in(DType::u8)}); }},
      {"[integer_matmul] a_zero is [4], expected a shape that stretches to [3]",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::u8, {4})}); }},
      {"[integer_matmul] a_zero is [1, 4], expected a shape that stretches to [2, 3, 1]",
       [](Bench& b) { return integer_matmul(b, {.a_zero = b.in(DType::u8, {1, 4})}); }},
      {"[integer_matmul] b_zero is [4, 5], expected a shape that stretches to [1, 5]",
       [](Bench& b) { return integer_matmul(b, {.b_zero = b.in(DType::i8, {4, 5})}); }},
      {"[integer_matmul] pair of shapes is [2] and [3], expected two that broadcast (2 and 3 are not provably equal)",
       [](Bench& b) { return b.g.integer_matmul(b.in(DType::u8, {2, 2, 2}), b.in(DType::i8, {3, 2, 2})); }},
  });
}

TEST(InferLoraLinear, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.lora_linear(b.in(d, {2, 3}), b.in(d, {3, 4}), b.in(d, {3, 1}), b.in(d, {1, 4}));
            }),
            kReals);
  // The adapter does not widen the result.
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.lora_linear(b.in(DType::f16, {2, 3}), b.in(DType::f16, {3, 4}), b.in(d, {3, 1}),
                                     b.in(d, {1, 4}));
            }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[S, T, 4]",
       [](Bench& b) {
         return b.g.lora_linear(b.f32({b.s, b.t, 3}), b.f32({3, 4}), b.f32({3, b.n}), b.f32({b.n, 4}), {.scale = -2});
       }},
      {"f32[4]", [](Bench& b) { return b.g.lora_linear(b.f32({3}), b.f32({3, 4}), b.f32({3, 1}), b.f32({1, 4})); }},
  });
}

TEST(InferLoraLinear, Refuses) {
  const auto lora = [](Bench& b, Shape x, Shape w, Shape a, Shape c, double scale = 1) {
    return b.g.lora_linear(b.f32(std::move(x)), b.f32(std::move(w)), b.f32(std::move(a)), b.f32(std::move(c)),
                           {.scale = scale});
  };
  expect_refusals({
      {"[lora_linear] rank of x is 0, expected at least 1",
       [&](Bench& b) { return lora(b, {}, {3, 4}, {3, 1}, {1, 4}); }},
      {"[lora_linear] rank of w is 3, expected 2 ([K, N])",
       [&](Bench& b) { return lora(b, {2, 3}, {1, 3, 4}, {3, 1}, {1, 4}); }},
      {"[lora_linear] rank of a is 1, expected 2 ([K, R])",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {3}, {1, 4}); }},
      {"[lora_linear] rank of b is 1, expected 2 ([R, N])",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {3, 1}, {4}); }},
      {"[lora_linear] number of rows of w is 4, expected 3 (last axis of x)",
       [&](Bench& b) { return lora(b, {2, 3}, {4, 4}, {3, 1}, {1, 4}); }},
      {"[lora_linear] number of rows of a is 4, expected 3 (last axis of x)",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {4, 1}, {1, 4}); }},
      {"[lora_linear] number of rows of b is 1, expected 2 (columns of a)",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {3, 2}, {1, 4}); }},
      {"[lora_linear] number of columns of b is 3, expected 4 (columns of w)",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {3, 1}, {1, 3}); }},
      {"[lora_linear] scale is nan, expected finite",
       [&](Bench& b) { return lora(b, {2, 3}, {3, 4}, {3, 1}, {1, 4}, std::numeric_limits<double>::quiet_NaN()); }},
      {"[lora_linear] dtype of x and w is i32, expected real",
       [](Bench& b) {
         return b.g.lora_linear(b.in(DType::i32, {2, 3}), b.in(DType::i32, {3, 4}), b.f32({3, 1}), b.f32({1, 4}));
       }},
      {"[lora_linear] a is i32, expected real",
       [](Bench& b) { return b.g.lora_linear(b.f32({2, 3}), b.f32({3, 4}), b.in(DType::i32, {3, 1}), b.f32({1, 4})); }},
      {"[lora_linear] b is c64, expected real",
       [](Bench& b) { return b.g.lora_linear(b.f32({2, 3}), b.f32({3, 4}), b.f32({3, 1}), b.in(DType::c64, {1, 4})); }},
  });
}

}  // namespace
}  // namespace ingot
