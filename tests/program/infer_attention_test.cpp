// Types of attention. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E].
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Qkv {
  Var q, k, v;
};

// B 2, H 8, G 4, S 5, T 7, D 16, E 3.
Qkv usual(Bench& b, DType dtype = DType::f32) {
  return {b.in(dtype, {2, 8, 5, 16}), b.in(dtype, {2, 4, 7, 16}), b.in(dtype, {2, 4, 7, 3})};
}

Var attend(Bench& b, const options::Attention& options) {
  const auto [q, k, v] = usual(b);
  return b.g.attention(q, k, v, options);
}

Var masked(Bench& b, DType dtype, Shape shape) { return attend(b, {.mask = b.in(dtype, std::move(shape))}); }

TEST(InferAttention, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              const auto [q, k, v] = usual(b, d);
              return b.g.attention(q, k, v);
            }),
            kReals);
  expect_types({
      {"f32[2, 8, 5, 3]", [](Bench& b) { return attend(b, {}); }},
      {"f32[2, 8, 5, 3]",
       [](Bench& b) {
         return attend(b, {.scale = 0.25, .causal = Causal::lower_right, .window = 1, .softcap = 30.0});
       }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return attend(b, {.causal = Causal::upper_left}); }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return masked(b, DType::bool_, {5, 7}); }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return masked(b, DType::f64, {2, 1, 1, 7}); }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return masked(b, DType::bf16, {}); }},
      {"f64[2, 8, 5, 3]",
       [](Bench& b) {
         return b.g.attention(b.in(DType::f16, {2, 8, 5, 16}), b.f32({2, 8, 7, 16}), b.in(DType::f64, {2, 8, 7, 3}));
       }},
      {"f32[T, 8, S, 3]",
       [](Bench& b) {
         return b.g.attention(b.f32({b.t, 8, b.s, 16}), b.f32({b.t, 1, b.n, 16}), b.f32({b.t, 1, b.n, 3}));
       }},
      {"f32[2, S, 5, 3]",
       [](Bench& b) {
         return b.g.attention(b.f32({2, b.s, 5, b.t}), b.f32({2, b.s, 7, b.t}), b.f32({2, b.s, 7, 3}), {.scale = 1.0});
       }},
      {"f32[2, 8, 5, 3]",
       [](Bench& b) { return attend(b, {.sinks = b.in(DType::f64, {8}), .lengths = b.in(DType::u8, {2})}); }},
      {"f32[T, S, 5, 3]",
       [](Bench& b) {
         const Var k = b.f32({b.t, b.s, b.n, 16}), v = b.f32({b.t, b.s, b.n, 3});
         const Var sinks = b.in(DType::bf16, {b.s}), lengths = b.i64({b.t});
         return b.g.attention(b.f32({b.t, b.s, 5, 16}), k, v, {.sinks = sinks, .lengths = lengths});
       }},
      {"f32[2, 8, 5, 0]",
       [](Bench& b) {
         return b.g.attention(b.f32({2, 8, 5, 0}), b.f32({2, 8, 0, 0}), b.f32({2, 8, 0, 0}), {.scale = -1.0});
       }},
  });
}

TEST(InferAttention, Refuses) {
  const auto shapes = [](Shape q, Shape k, Shape v) {
    return [=](Bench& b) { return b.g.attention(b.f32(q), b.f32(k), b.f32(v)); };
  };
  expect_refusals({
      {"[attention] rank of q is 3, expected 4 ([B, H, S, D])", shapes({8, 5, 16}, {8, 5, 16}, {8, 5, 16})},
      {"[attention] rank of k is 3, expected 4 (as q)", shapes({2, 8, 5, 16}, {8, 5, 16}, {8, 5, 16})},
      {"[attention] rank of v is 3, expected 4 (as k)", shapes({2, 8, 5, 16}, {2, 8, 7, 16}, {8, 5, 16})},
      {"[attention] axis 0 of k is 3, expected 2 (as q)", shapes({2, 8, 5, 16}, {3, 8, 7, 16}, {3, 8, 7, 16})},
      {"[attention] axis 3 of k is 8, expected 16 (as q)", shapes({2, 8, 5, 16}, {2, 8, 7, 8}, {2, 8, 7, 8})},
      {"[attention] axis 2 of v is 6, expected 7 (as k)", shapes({2, 8, 5, 16}, {2, 8, 7, 16}, {2, 8, 6, 16})},
      {"[attention] axis 1 of v is 8, expected 4 (as k)", shapes({2, 8, 5, 16}, {2, 4, 7, 16}, {2, 8, 7, 16})},
      {"[attention] number of heads of q is 8, expected a multiple of 3, the heads of k",
       shapes({2, 8, 5, 16}, {2, 3, 7, 16}, {2, 3, 7, 16})},
      {"[attention] number of heads of q is 8, expected a multiple of 0, the heads of k",
       shapes({2, 8, 5, 16}, {2, 0, 7, 16}, {2, 0, 7, 16})},
      {"[attention] number of heads of q is 8, expected a multiple of S, the heads of k",
       [](Bench& b) { return b.g.attention(b.f32({2, 8, 5, 4}), b.f32({2, b.s, 7, 4}), b.f32({2, b.s, 7, 4})); }},
      {"[attention] scale is absent, expected a number (1/sqrt(D) needs a literal D, and it is T)",
       [](Bench& b) { return b.g.attention(b.f32({2, 8, 5, b.t}), b.f32({2, 8, 7, b.t}), b.f32({2, 8, 7, 4})); }},
      {"[attention] scale is absent, expected a number (1/sqrt(D) needs a literal D, and it is 0)",
       shapes({2, 8, 5, 0}, {2, 8, 7, 0}, {2, 8, 7, 4})},
      {"[attention] scale is inf, expected finite", [](Bench& b) { return attend(b, {.scale = infinity}); }},
      {"[attention] window is 0, expected at least 1",
       [](Bench& b) { return attend(b, {.causal = Causal::upper_left, .window = 0}); }},
      {"[attention] causal is none, expected upper_left or lower_right (window is 4)",
       [](Bench& b) { return attend(b, {.window = 4}); }},
      {"[attention] softcap is 0, expected finite and more than 0",
       [](Bench& b) { return attend(b, {.softcap = 0.0}); }},
      {"[attention] softcap is -inf, expected finite and more than 0",
       [](Bench& b) { return attend(b, {.softcap = -infinity}); }},
      {"[attention] mask is i32, expected bool or real", [](Bench& b) { return masked(b, DType::i32, {5, 7}); }},
      {"[attention] mask is [7, 5], expected a shape that stretches to [2, 8, 5, 7]",
       [](Bench& b) { return masked(b, DType::bool_, {7, 5}); }},
      {"[attention] mask is [1, 2, 8, 5, 7], expected a shape that stretches to [2, 8, 5, 7]",
       [](Bench& b) { return masked(b, DType::f32, {1, 2, 8, 5, 7}); }},
      {"[attention] mask is [4, 5, 7], expected a shape that stretches to [2, 8, 5, 7]",
       [](Bench& b) { return masked(b, DType::f32, {4, 5, 7}); }},
      {"[attention] sinks is i32, expected real", [](Bench& b) { return attend(b, {.sinks = b.in(DType::i32, {8})}); }},
      {"[attention] sinks is f32[4], expected f32[8] (the heads of q)",
       [](Bench& b) { return attend(b, {.sinks = b.f32({4})}); }},
      {"[attention] sinks is f32[], expected f32[8] (the heads of q)",
       [](Bench& b) { return attend(b, {.sinks = b.f32({})}); }},
      {"[attention] lengths is f32, expected integer", [](Bench& b) { return attend(b, {.lengths = b.f32({2})}); }},
      {"[attention] lengths is bool, expected integer",
       [](Bench& b) { return attend(b, {.lengths = b.in(DType::bool_, {2})}); }},
      {"[attention] lengths is i64[1], expected i64[2] (the batches of q)",
       [](Bench& b) { return attend(b, {.lengths = b.i64({1})}); }},
      {"[attention] lengths is i64[2, 1], expected i64[2] (the batches of q)",
       [](Bench& b) { return attend(b, {.lengths = b.i64({2, 1})}); }},
      {"[attention] dtype of q, k and v is i64, expected real",
       [](Bench& b) { return b.g.attention(b.i64({2, 8, 5, 4}), b.i64({2, 8, 7, 4}), b.i64({2, 8, 7, 4})); }},
      {"[attention] pair of dtypes is f32 and f8e4m3, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) {
         return b.g.attention(b.f32({2, 8, 5, 4}), b.f32({2, 8, 7, 4}), b.in(DType::f8e4m3, {2, 8, 7, 4}));
       }},
  });
}

}  // namespace
}  // namespace ingot
