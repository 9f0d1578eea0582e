// Types of rotary embeddings.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

// x f32[2, 3, 8] and positions i64[3].
Var embed(Bench& b, const options::Rope& options) { return b.g.rope(b.f32({2, 3, 8}), b.i64({3}), options); }

Var at(Bench& b, Shape positions, std::vector<int64_t> sections = {}) {
  return b.g.rope(b.f32({2, 3, 8}), b.i64(std::move(positions)), {.sections = std::move(sections)});
}

TEST(InferRope, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.rope(b.in(d, {3, 8}), b.i64({3})); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.cast(b.g.rope(b.f32({3, 8}), b.in(d, {3})), d); }),
            "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64");
  expect_types({
      {"f32[2, 3, 8]", [](Bench& b) { return embed(b, {.dims = 4, .base = 500, .scale = -0.5, .interleaved = true}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return embed(b, {.freqs = b.in(DType::f16, {4})}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return embed(b, {.dims = 0}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return at(b, {}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return at(b, {2, 1}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return at(b, {2, 3}, {1, 3}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return at(b, {3}, {2, 0, 2}); }},
      {"f32[S, T, 2*N]",
       [](Bench& b) { return b.g.rope(b.f32({b.s, b.t, Dim(b.n) * 2}), b.in(DType::f32, {b.t}), {.dims = 0}); }},
      {"f32[T, S + 3]", [](Bench& b) { return b.g.rope(b.f32({b.t, Dim(b.s) + 3}), b.i64({b.t}), {.dims = 4}); }},
      {"f32[0]", [](Bench& b) { return b.g.rope(b.f32({0}), b.i64({})); }},
  });
}

TEST(InferRope, Refuses) {
  const auto with = [](const options::Rope& options) { return [=](Bench& b) { return embed(b, options); }; };
  expect_refusals({
      {"[rope] x is i32, expected real", [](Bench& b) { return b.g.rope(b.in(DType::i32, {3, 8}), b.i64({3})); }},
      {"[rope] x is f32[], expected rank 1 or more", [](Bench& b) { return b.g.rope(b.f32({}), b.i64({})); }},
      {"[rope] positions is bool, expected integer or real",
       [](Bench& b) { return b.g.rope(b.f32({3, 8}), b.in(DType::bool_, {3})); }},
      {"[rope] positions is [2], expected a shape that stretches to [2, 3]", [](Bench& b) { return at(b, {2}); }},
      {"[rope] positions is [2, 3, 8], expected a shape that stretches to [2, 3]",
       [](Bench& b) { return at(b, {2, 3, 8}); }},
      {"[rope] dims is absent, expected a number (the last axis of x is T)",
       [](Bench& b) { return b.g.rope(b.f32({3, b.t}), b.i64({3})); }},
      {"[rope] dims is 7, expected even and at least 0", [](Bench& b) { return b.g.rope(b.f32({3, 7}), b.i64({3})); }},
      {"[rope] dims is 3, expected even and at least 0", with({.dims = 3})},
      {"[rope] dims is -2, expected even and at least 0", with({.dims = -2})},
      {"[rope] dims is 10, expected at most 8", with({.dims = 10})},
      {"[rope] dims is 4, expected at most T (not provable from the bounds)",
       [](Bench& b) { return b.g.rope(b.f32({3, b.t}), b.i64({3}), {.dims = 4}); }},
      {"[rope] base is 0, expected finite and more than 0", with({.base = 0})},
      {"[rope] base is inf, expected finite and more than 0", with({.base = infinity})},
      {"[rope] base is 500, expected none (freqs are given)",
       [](Bench& b) { return embed(b, {.freqs = b.f32({4}), .base = 500}); }},
      {"[rope] scale is inf, expected finite", with({.scale = infinity})},
      {"[rope] freqs is f32[8], expected f32[4] (the pairs of x)",
       [](Bench& b) { return embed(b, {.freqs = b.f32({8})}); }},
      {"[rope] freqs is i64, expected real", [](Bench& b) { return embed(b, {.freqs = b.i64({4})}); }},
      {"[rope] sections is [1, 2], expected sizes that sum to 4, the pairs of x",
       [](Bench& b) { return at(b, {2, 3}, {1, 2}); }},
      {"[rope] sections is [5, -1], expected sizes that sum to 4, the pairs of x",
       [](Bench& b) { return at(b, {2, 3}, {5, -1}); }},
      {"[rope] sections is [9223372036854775807, 9223372036854775807], expected sizes that sum to 4, the pairs of x",
       [](Bench& b) { return at(b, {2, 3}, {kUnbounded, kUnbounded}); }},
      {"[rope] axis 0 of positions is 3, expected 2 (the number of sections)",
       [](Bench& b) { return at(b, {3}, {2, 2}); }},
      {"[rope] positions is i64[], expected rank 1 or more (sections are given)",
       [](Bench& b) { return at(b, {}, {4}); }},
      {"[rope] shape of one entry of positions is [2], expected a shape that stretches to [2, 3]",
       [](Bench& b) { return at(b, {2, 2}, {2, 2}); }},
  });
}

Var tables(Bench& b, Shape cos, Shape sin) {
  return b.g.rope_table(b.f32({2, 3, 8}), b.f32(std::move(cos)), b.f32(std::move(sin)));
}

TEST(InferRopeTable, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.rope_table(b.in(d, {8}), b.f32({4}), b.f32({4})); }),
            kReals);
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.rope_table(b.in(DType::f16, {8}), b.in(d, {4}), b.in(d, {4})); }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[2, 3, 8]", [](Bench& b) { return tables(b, {4}, {2, 1, 4}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return tables(b, {3, 1}, {1}); }},
      {"f32[2, 3, 8]", [](Bench& b) { return tables(b, {0}, {0}); }},
      {"f32[S, 2*T + 1]",
       [](Bench& b) {
         return b.g.rope_table(b.f32({b.s, Dim(b.t) * 2 + 1}), b.f32({b.s, b.t}), b.f32({b.t}), {.interleaved = true});
       }},
  });
}

TEST(InferRopeTable, Refuses) {
  expect_refusals({
      {"[rope_table] x is i32, expected real",
       [](Bench& b) { return b.g.rope_table(b.in(DType::i32, {8}), b.f32({4}), b.f32({4})); }},
      {"[rope_table] x is f32[], expected rank 1 or more",
       [](Bench& b) { return b.g.rope_table(b.f32({}), b.f32({4}), b.f32({4})); }},
      {"[rope_table] cos is i64, expected real",
       [](Bench& b) { return b.g.rope_table(b.f32({8}), b.i64({4}), b.f32({4})); }},
      {"[rope_table] sin is c64, expected real",
       [](Bench& b) { return b.g.rope_table(b.f32({8}), b.f32({4}), b.in(DType::c64, {4})); }},
      {"[rope_table] cos is f32[], expected rank 1 or more", [](Bench& b) { return tables(b, {}, {4}); }},
      {"[rope_table] sin is f32[], expected rank 1 or more", [](Bench& b) { return tables(b, {4}, {}); }},
      {"[rope_table] last axis of sin is 1, expected 4 (as cos)", [](Bench& b) { return tables(b, {4}, {1}); }},
      {"[rope_table] twice the last axis of cos is 10, expected at most 8",
       [](Bench& b) { return tables(b, {5}, {5}); }},
      {"[rope_table] shape of cos without its last axis is [2], expected a shape that stretches to [2, 3]",
       [](Bench& b) { return tables(b, {2, 4}, {4}); }},
      {"[rope_table] shape of sin without its last axis is [1, 2, 3], expected a shape that stretches to [2, 3]",
       [](Bench& b) { return tables(b, {4}, {1, 2, 3, 4}); }},
  });
}

}  // namespace
}  // namespace ingot
