// Types of linear algebra on stacks of matrices.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferLinalg, Dtypes) {
  constexpr std::string_view fields = "f16 bf16 f32 f64 c64", magnitudes = "f16 bf16 f32 f64 c64>f32";
  const auto of = [](auto call) {
    return accepted_dtypes([call](Bench& b, DType d) { return call(b, b.in(d, {3, 3})); });
  };
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.cholesky(x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.qr(x)[1]; }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.svd(x)[0]; }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.svd(x)[1]; }), magnitudes);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.eigh(x)[0]; }), magnitudes);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.eigh(x)[1]; }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.solve(x, x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.triangular_solve(x, x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.inverse(x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.det(x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.slogdet(x)[0]; }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.slogdet(x)[1]; }), magnitudes);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.lstsq(x, x); }), fields);
  EXPECT_EQ(of([](Bench& b, Var x) { return b.g.expm(x); }), fields);
}

TEST(InferLinalg, Shapes) {
  expect_types({
      {"f32[S, 3, 3]", [](Bench& b) { return b.g.cholesky(b.f32({b.s, 3, 3}), {.upper = true}); }},
      {"f32[T, T]", [](Bench& b) { return b.g.inverse(b.f32({b.t, b.t})); }},
      {"f32[2, 0, 0]", [](Bench& b) { return b.g.expm(b.f32({2, 0, 0})); }},
      {"f32[]", [](Bench& b) { return b.g.det(b.f32({b.n, b.n})); }},
      {"f32[2, S]", [](Bench& b) { return b.g.slogdet(b.f32({2, b.s, 3, 3}))[1]; }},
      {"f32[5, 3]", [](Bench& b) { return b.g.qr(b.f32({5, 3}))[0]; }},
      {"f32[3, 3]", [](Bench& b) { return b.g.qr(b.f32({5, 3}))[1]; }},
      {"f32[5, 5]", [](Bench& b) { return b.g.qr(b.f32({5, 3}), {.complete = true})[0]; }},
      {"f32[5, 3]", [](Bench& b) { return b.g.qr(b.f32({5, 3}), {.complete = true})[1]; }},
      {"f32[2, S, min(S, T)]", [](Bench& b) { return b.g.svd(b.f32({2, b.s, b.t}))[0]; }},
      {"f32[2, min(S, T)]", [](Bench& b) { return b.g.svd(b.f32({2, b.s, b.t}))[1]; }},
      {"f32[2, min(S, T), T]", [](Bench& b) { return b.g.svd(b.f32({2, b.s, b.t}))[2]; }},
      {"f32[S, S]", [](Bench& b) { return b.g.svd(b.f32({b.s, b.t}), {.full = true})[0]; }},
      {"f32[T, T]", [](Bench& b) { return b.g.svd(b.f32({b.s, b.t}), {.full = true})[2]; }},
      {"f32[4, 3]", [](Bench& b) { return b.g.eigh(b.f32({4, 3, 3}), {.upper = true})[0]; }},
      {"f32[4, 3, 3]", [](Bench& b) { return b.g.eigh(b.f32({4, 3, 3}))[1]; }},
      {"f32[2, S, 3, T]", [](Bench& b) { return b.g.solve(b.f32({2, 1, 3, 3}), b.f32({b.s, 3, b.t})); }},
      {"f64[3, 2]", [](Bench& b) { return b.g.solve(b.in(DType::i32, {3, 3}), b.in(DType::f64, {3, 2})); }},
      {"f32[S, 3, 2]",
       [](Bench& b) {
         return b.g.triangular_solve(b.f32({3, 3}), b.f32({b.s, 3, 2}),
                                     {.upper = true, .transpose = true, .unit = true});
       }},
      {"f32[3, 2]", [](Bench& b) { return b.g.lstsq(b.f32({5, 3}), b.f32({5, 2}), {.rcond = 0}); }},
      {"f32[S, T, 2]", [](Bench& b) { return b.g.lstsq(b.f32({b.s, 5, b.t}), b.f32({5, 2})); }},
  });
}

TEST(InferLinalg, Refuses) {
  expect_refusals({
      {"[cholesky] x is i32, expected real or complex",
       [](Bench& b) { return b.g.cholesky(b.in(DType::i32, {3, 3})); }},
      {"[svd] x is f8e5m2, expected real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.svd(b.in(DType::f8e5m2, {3, 3}))[0]; }},
      {"[qr] x is f32[3], expected rank 2 or more", [](Bench& b) { return b.g.qr(b.f32({3}))[0]; }},
      {"[det] x is f32[], expected rank 2 or more", [](Bench& b) { return b.g.det(b.f32({})); }},
      {"[cholesky] x is f32[2, 3], expected square matrices", [](Bench& b) { return b.g.cholesky(b.f32({2, 3})); }},
      {"[eigh] x is f32[S, T], expected square matrices", [](Bench& b) { return b.g.eigh(b.f32({b.s, b.t}))[0]; }},
      {"[inverse] x is f32[2, 3], expected square matrices", [](Bench& b) { return b.g.inverse(b.f32({2, 3})); }},
      {"[det] x is f32[3, 2, 3], expected square matrices", [](Bench& b) { return b.g.det(b.f32({3, 2, 3})); }},
      {"[slogdet] x is f32[2, 3], expected square matrices", [](Bench& b) { return b.g.slogdet(b.f32({2, 3}))[0]; }},
      {"[expm] x is f32[2, 3], expected square matrices", [](Bench& b) { return b.g.expm(b.f32({2, 3})); }},
      {"[solve] a is f32[2, 3], expected square matrices",
       [](Bench& b) { return b.g.solve(b.f32({2, 3}), b.f32({2, 1})); }},
      {"[triangular_solve] a is f32[2, 3], expected square matrices",
       [](Bench& b) { return b.g.triangular_solve(b.f32({2, 3}), b.f32({2, 1})); }},
      {"[solve] dtype of a and b is i64, expected real or complex",
       [](Bench& b) { return b.g.solve(b.i64({3, 3}), b.i64({3, 1})); }},
      {"[solve] pair of dtypes is f64 and c64, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.solve(b.in(DType::f64, {3, 3}), b.in(DType::c64, {3, 1})); }},
      {"[solve] b is f32[3], expected rank 2 or more", [](Bench& b) { return b.g.solve(b.f32({3, 3}), b.f32({3})); }},
      {"[solve] number of rows of b is 2, expected 3 (rows of a)",
       [](Bench& b) { return b.g.solve(b.f32({3, 3}), b.f32({2, 1})); }},
      {"[lstsq] number of rows of b is T, expected S (rows of a) (not provable from the bounds)",
       [](Bench& b) { return b.g.lstsq(b.f32({b.s, 3}), b.f32({b.t, 1})); }},
      {"[triangular_solve] pair of shapes is [2] and [S], expected two that broadcast (2 and S are not provably equal)",
       [](Bench& b) { return b.g.triangular_solve(b.f32({2, 3, 3}), b.f32({b.s, 3, 1})); }},
      {"[lstsq] rcond is -0.5, expected finite and at least 0",
       [](Bench& b) { return b.g.lstsq(b.f32({3, 3}), b.f32({3, 1}), {.rcond = -0.5}); }},
      {"[lstsq] rcond is inf, expected finite and at least 0",
       [](Bench& b) {
         return b.g.lstsq(b.f32({3, 3}), b.f32({3, 1}), {.rcond = std::numeric_limits<double>::infinity()});
       }},
  });
}

}  // namespace
}  // namespace ingot
