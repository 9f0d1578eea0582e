// Types of attention over pages: q [B,H,S,D], pages [P,page,G,D] and [P,page,G,E], table [B,pages], lengths [B].
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Given {
  Shape q = {2, 8, 5, 16}, k = {9, 4, 2, 16}, v = {9, 4, 2, 3}, table = {2, 7}, lengths = {2};
  DType dtype = DType::f32, index = DType::i32;
};

Var paged(Bench& b, const Given& given, const options::PagedAttention& options = {}) {
  return b.g.paged_attention(b.in(given.dtype, given.q), b.in(given.dtype, given.k), b.in(given.dtype, given.v),
                             b.in(given.index, given.table), b.in(given.index, given.lengths), options);
}

TEST(InferPagedAttention, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return paged(b, {.dtype = d}); }), kReals);
  expect_types({
      {"f32[2, 8, 5, 3]", [](Bench& b) { return paged(b, {}); }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return paged(b, {.index = DType::u64}); }},
      {"f32[2, 8, 5, 3]",
       [](Bench& b) {
         return paged(b, {}, {.scale = 0.5, .window = 3, .softcap = 30.0, .sinks = b.in(DType::bf16, {8})});
       }},
      {"f32[2, 8, 5, 3]", [](Bench& b) { return paged(b, {}, {.causal = false}); }},
      {"f32[S, 8, T, 3]",
       [](Bench& b) {
         return paged(b, {.q = {b.s, 8, b.t, 16},
                          .k = {b.n, b.t, 8, 16},
                          .v = {b.n, b.t, 8, 3},
                          .table = {b.s, b.n},
                          .lengths = {b.s}});
       }},
      {"f32[0, 8, 0, 0]",
       [](Bench& b) {
         return paged(b, {.q = {0, 8, 0, 16}, .k = {0, 0, 1, 16}, .v = {0, 0, 1, 0}, .table = {0, 0}, .lengths = {0}});
       }},
      {"f64[2, 8, 5, 3]",
       [](Bench& b) {
         return b.g.paged_attention(b.f32({2, 8, 5, 16}), b.in(DType::f16, {9, 4, 2, 16}),
                                    b.in(DType::f64, {9, 4, 2, 3}), b.i64({2, 7}), b.in(DType::u8, {2}));
       }},
  });
}

TEST(InferPagedAttention, Refuses) {
  const auto with = [](Given given) { return [=](Bench& b) { return paged(b, given); }; };
  const auto set = [](const options::PagedAttention& options) {
    return [=](Bench& b) { return paged(b, {}, options); };
  };
  expect_refusals({
      {"[paged_attention] dtype of q, k and v is i64, expected real", with({.dtype = DType::i64})},
      {"[paged_attention] rank of q is 3, expected 4 ([B, H, S, D])", with({.q = {8, 5, 16}})},
      {"[paged_attention] rank of k is 3, expected 4 ([P, page, G, D])", with({.k = {9, 4, 16}})},
      {"[paged_attention] axis 3 of k is 8, expected 16 (as q)", with({.k = {9, 4, 2, 8}})},
      {"[paged_attention] rank of v is 3, expected 4 (as k)", with({.v = {9, 4, 3}})},
      {"[paged_attention] axis 0 of v is 8, expected 9 (as k)", with({.v = {8, 4, 2, 3}})},
      {"[paged_attention] axis 1 of v is 3, expected 4 (as k)", with({.v = {9, 3, 2, 3}})},
      {"[paged_attention] axis 2 of v is 1, expected 2 (as k)", with({.v = {9, 4, 1, 3}})},
      {"[paged_attention] number of heads of q is 8, expected a multiple of 3, the heads of k",
       with({.k = {9, 4, 3, 16}, .v = {9, 4, 3, 3}})},
      {"[paged_attention] rank of table is 1, expected 2 ([B, pages])", with({.table = {7}})},
      {"[paged_attention] table is i32[3, 7], expected i32[2, 7] (the batches of q)", with({.table = {3, 7}})},
      {"[paged_attention] table is f32, expected integer", with({.index = DType::f32})},
      {"[paged_attention] lengths is i32[3], expected i32[2] (the batches of q)", with({.lengths = {3}})},
      {"[paged_attention] lengths is bool, expected integer",
       [](Bench& b) {
         return b.g.paged_attention(b.f32({2, 8, 5, 16}), b.f32({9, 4, 2, 16}), b.f32({9, 4, 2, 3}), b.i64({2, 7}),
                                    b.in(DType::bool_, {2}));
       }},
      {"[paged_attention] scale is absent, expected a number (1/sqrt(D) needs a literal D, and it is 0)",
       with({.q = {2, 8, 5, 0}, .k = {9, 4, 2, 0}})},
      {"[paged_attention] scale is inf, expected finite", set({.scale = infinity})},
      {"[paged_attention] window is 0, expected at least 1", set({.window = 0})},
      {"[paged_attention] causal is false, expected true (window is 4)", set({.causal = false, .window = 4})},
      {"[paged_attention] softcap is 0, expected finite and more than 0", set({.softcap = 0.0})},
      {"[paged_attention] sinks is f32[2], expected f32[8] (the heads of q)",
       [](Bench& b) { return paged(b, {}, {.sinks = b.f32({2})}); }},
      {"[paged_attention] sinks is i64, expected real", [](Bench& b) { return paged(b, {}, {.sinks = b.i64({8})}); }},
  });
}

}  // namespace
}  // namespace ingot
