// Types of ops that repeat, turn and view elements: tile to fold.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

TEST(InferShapeViews, Dtypes) {
  const std::function<Var(Bench&, DType)> calls[] = {
      [](Bench& b, DType d) { return b.g.tile(b.in(d, {4}), {2}); },
      [](Bench& b, DType d) { return b.g.repeat(b.in(d, {4}), 2); },
      [](Bench& b, DType d) { return b.g.flip(b.in(d, {4}), {0}); },
      [](Bench& b, DType d) { return b.g.roll(b.in(d, {4}), {1}, {0}); },
      [](Bench& b, DType d) { return b.g.triangle_lower(b.in(d, {2, 2})); },
      [](Bench& b, DType d) { return b.g.triangle_upper(b.in(d, {2, 2})); },
      [](Bench& b, DType d) { return b.g.diagonal(b.in(d, {2, 2})); },
      [](Bench& b, DType d) { return b.g.as_strided(b.in(d, {4}), {2}, {1}); },
      [](Bench& b, DType d) { return b.g.unfold(b.in(d, {1, 1, 4}), {2}); },
  };
  for (const auto& call : calls) EXPECT_EQ(accepted_dtypes(call), kComputable);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.fold(b.in(d, {1, 2, 3}), {4}, {2}); }),
            kNumbers + " c64");
}

TEST(InferShapeViews, Tile) {
  expect_types({
      {"f32[4, 9]", [](Bench& b) { return b.g.tile(b.f32({2, 3}), {2, 3}); }},
      {"f32[0, S*T]", [](Bench& b) { return b.g.tile(b.f32({2, b.s}), {0, b.t}); }},
      {"f32[]", [](Bench& b) { return b.g.tile(b.f32({}), {}); }},
  });
  expect_refusals({
      {"[tile] length of repeats is 3, expected 2 (rank of x)",
       [](Bench& b) { return b.g.tile(b.f32({2, 3}), {1, 2, 3}); }},
      {"[tile] repeats is -1, expected at least 0", [](Bench& b) { return b.g.tile(b.f32({2}), {-1}); }},
      {"[tile] repeats is N - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.tile(b.f32({2}), {Dim(b.n) - 1}); }},
      {"[tile] a size leaves 64 bits: 2 * 4611686018427387904",
       [](Bench& b) { return b.g.tile(b.f32({2}), {int64_t{1} << 62}); }},
  });
}

TEST(InferShapeViews, Repeat) {
  expect_types({
      {"f32[6, 3]", [](Bench& b) { return b.g.repeat(b.f32({2, 3}), 3); }},
      {"f32[2, 3*S]", [](Bench& b) { return b.g.repeat(b.f32({2, 3}), b.s, {.axis = -1}); }},
      {"f32[0]", [](Bench& b) { return b.g.repeat(b.f32({5}), 0); }},
  });
  expect_refusals({
      {"[repeat] count is -2, expected at least 0", [](Bench& b) { return b.g.repeat(b.f32({2}), -2); }},
      {"[repeat] axis is 2, expected -2..1", [](Bench& b) { return b.g.repeat(b.f32({2, 3}), 2, {.axis = 2}); }},
      {"[repeat] axis is 0, expected none (rank 0)", [](Bench& b) { return b.g.repeat(b.f32({}), 2); }},
  });
}

TEST(InferShapeViews, FlipAndRoll) {
  expect_types({
      {"f32[2, S]", [](Bench& b) { return b.g.flip(b.f32({2, b.s}), {-1, 0}); }},
      {"f32[]", [](Bench& b) { return b.g.flip(b.f32({}), {}); }},
      {"f32[2, S]", [](Bench& b) { return b.g.roll(b.f32({2, b.s}), {lowest, highest}, {-1, 0}); }},
      {"f32[0]", [](Bench& b) { return b.g.roll(b.f32({0}), {3}, {0}); }},
  });
  expect_refusals({
      {"[flip] axes is [0, -2], expected every axis at most once",
       [](Bench& b) { return b.g.flip(b.f32({2, 3}), {0, -2}); }},
      {"[flip] axes is 1, expected -1..0", [](Bench& b) { return b.g.flip(b.f32({2}), {1}); }},
      {"[roll] axes is [0, 0], expected every axis at most once",
       [](Bench& b) { return b.g.roll(b.f32({2, 3}), {1, 1}, {0, 0}); }},
      {"[roll] axes is -3, expected -2..1", [](Bench& b) { return b.g.roll(b.f32({2, 3}), {1}, {-3}); }},
      {"[roll] length of shifts is 1, expected 2 (length of axes)",
       [](Bench& b) { return b.g.roll(b.f32({2, 3}), {1}, {0, 1}); }},
  });
}

TEST(InferShapeViews, Triangle) {
  expect_types({
      {"f32[T, 2, S]", [](Bench& b) { return b.g.triangle_lower(b.f32({b.t, 2, b.s})); }},
      {"f32[2, S]", [](Bench& b) { return b.g.triangle_upper(b.f32({2, b.s}), {.k = Dim(2) - b.s}); }},
      {"f32[0, 3]", [](Bench& b) { return b.g.triangle_upper(b.f32({0, 3}), {.k = lowest}); }},
  });
  expect_refusals({
      {"[triangle_lower] rank of x is 1, expected at least 2", [](Bench& b) { return b.g.triangle_lower(b.f32({3})); }},
      {"[triangle_upper] rank of x is 0, expected at least 2", [](Bench& b) { return b.g.triangle_upper(b.f32({})); }},
  });
}

TEST(InferShapeViews, Diagonal) {
  expect_types({
      {"f32[3]", [](Bench& b) { return b.g.diagonal(b.f32({3, 4})); }},
      {"f32[2, 3]", [](Bench& b) { return b.g.diagonal(b.f32({3, 2, 4}), {.axis1 = 0, .axis2 = -1}); }},
      {"f32[4, 1]", [](Bench& b) { return b.g.diagonal(b.f32({3, 2, 4}), {.offset = 1}); }},
      {"f32[4, 2]", [](Bench& b) { return b.g.diagonal(b.f32({3, 2, 4}), {.offset = -1}); }},
      {"f32[0]", [](Bench& b) { return b.g.diagonal(b.f32({3, 4}), {.offset = highest}); }},
      {"f32[0]", [](Bench& b) { return b.g.diagonal(b.f32({3, 4}), {.offset = lowest}); }},
      {"f32[min(S, T)]", [](Bench& b) { return b.g.diagonal(b.f32({b.s, b.t})); }},
      {"f32[S - 1]", [](Bench& b) { return b.g.diagonal(b.f32({b.s, b.s}), {.offset = -1}); }},
  });
  expect_refusals({
      {"[diagonal] axis1 is 0, expected none (rank 0)", [](Bench& b) { return b.g.diagonal(b.f32({})); }},
      {"[diagonal] axis2 is 1, expected -1..0", [](Bench& b) { return b.g.diagonal(b.f32({3})); }},
      {"[diagonal] axis2 is -2, expected another axis than axis1",
       [](Bench& b) { return b.g.diagonal(b.f32({3, 4}), {.axis2 = -2}); }},
  });
}

TEST(InferShapeViews, AsStrided) {
  expect_types({
      {"f32[3, 4]", [](Bench& b) { return b.g.as_strided(b.f32({12}), {3, 4}, {4, 1}); }},
      {"f32[6]", [](Bench& b) { return b.g.as_strided(b.f32({2, 3}), {6}, {-1}, {.offset = 5}); }},
      {"f32[1, 2]", [](Bench& b) { return b.g.as_strided(b.f32({2}), {1, 2}, {highest, 1}); }},
      {"f32[0, 2]", [](Bench& b) { return b.g.as_strided(b.f32({2}), {0, 2}, {highest, lowest}, {.offset = -1}); }},
      {"f32[2, S]", [](Bench& b) { return b.g.as_strided(b.f32({b.s}), {2, b.s}, {0, 1}); }},
      {"f32[S, 2]",
       [](Bench& b) { return b.g.as_strided(b.f32({b.s, 2}), {b.s, 2}, {-2, 1}, {.offset = Dim(b.s) * 2 - 2}); }},
      {"f32[S, 3]", [](Bench& b) { return b.g.as_strided(b.f32({Dim(b.s) + 2}), {b.s, 3}, {1, 1}); }},
      {"f32[]", [](Bench& b) { return b.g.as_strided(b.f32({3}), {}, {}, {.offset = 2}); }},
      {"f32[2]", [](Bench& b) { return b.g.as_strided(b.f32({Dim(b.n) + 1}), {2}, {b.n}); }},
  });
  expect_refusals({
      {"[as_strided] highest position is 12, expected at most 11",
       [](Bench& b) { return b.g.as_strided(b.f32({12}), {3, 4}, {4, 1}, {.offset = 1}); }},
      {"[as_strided] lowest position is -1, expected at least 0",
       [](Bench& b) { return b.g.as_strided(b.f32({5}), {2}, {-1}); }},
      {"[as_strided] lowest position is -1, expected at least 0",
       [](Bench& b) { return b.g.as_strided(b.f32({5}), {1}, {0}, {.offset = -1}); }},
      {"[as_strided] highest position is 0, expected at most -1",
       [](Bench& b) { return b.g.as_strided(b.f32({0}), {}, {}); }},
      {"[as_strided] highest position is T, expected at most S - 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.as_strided(b.f32({b.s}), {Dim(b.t) + 1}, {1}); }},
      {"[as_strided] length of strides is 1, expected 2 (length of shape)",
       [](Bench& b) { return b.g.as_strided(b.f32({4}), {2, 2}, {1}); }},
      {"[as_strided] size in shape is -1, expected at least 0",
       [](Bench& b) { return b.g.as_strided(b.f32({4}), {-1}, {1}); }},
      {"[as_strided] a size leaves 64 bits: 2 * 9223372036854775807",
       [](Bench& b) { return b.g.as_strided(b.f32({4}), {3}, {highest}); }},
  });
}

TEST(InferShapeViews, Unfold) {
  expect_types({
      {"f32[2, 27, 12]", [](Bench& b) { return b.g.unfold(b.f32({2, 3, 5, 6}), {3, 3}); }},
      {"f32[2, 3*S, T]", [](Bench& b) { return b.g.unfold(b.f32({2, b.s, b.t}), {3}, {.before = {1}, .after = {1}}); }},
      {"f32[1, 2, 2]",
       [](Bench& b) {
         return b.g.unfold(b.f32({1, 1, 5}), {2}, {.strides = {3}, .dilations = {2}, .before = {0}, .after = {1}});
       }},
      {"f32[1, 3, 0]", [](Bench& b) { return b.g.unfold(b.f32({1, 1, 2}), {3}); }},
      {"f32[1, 1, S]", [](Bench& b) { return b.g.unfold(b.f32({1, 1, b.s}), {1}); }},
  });
  expect_refusals({
      {"[unfold] rank of x is 3, expected 4 (2 and the length of kernel)",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2, 2}); }},
      {"[unfold] length of kernel is 0, expected at least 1", [](Bench& b) { return b.g.unfold(b.f32({1, 1}), {}); }},
      {"[unfold] kernel is 0, expected at least 1", [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {0}); }},
      {"[unfold] stride is 0, expected at least 1",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2}, {.strides = {0}}); }},
      {"[unfold] dilation is -1, expected at least 1",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2}, {.dilations = {-1}}); }},
      {"[unfold] before is -1, expected at least 0",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2}, {.before = {-1}}); }},
      {"[unfold] after is -3, expected at least 0",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2}, {.after = {-3}}); }},
      {"[unfold] length of strides is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {2}, {.strides = {1, 1}}); }},
      {"[unfold] number of windows along spatial axis 0 is -1, expected at least 0",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 1}), {3}); }},
      {"[unfold] number of windows along spatial axis 1 is T - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 3, b.t}), {3, 3}); }},
      {"[unfold] a size leaves 64 bits: 9223372036854775806 * 2",
       [](Bench& b) { return b.g.unfold(b.f32({1, 1, 5}), {highest}, {.dilations = {2}}); }},
  });
}

TEST(InferShapeViews, Fold) {
  expect_types({
      {"f32[2, 3, 5, 6]", [](Bench& b) { return b.g.fold(b.f32({2, 27, 12}), {5, 6}, {3, 3}); }},
      {"f32[S, T, 4]", [](Bench& b) { return b.g.fold(b.f32({b.s, Dim(b.t) * 2, 3}), {4}, {2}); }},
      {"f32[1, 1, S]", [](Bench& b) { return b.g.fold(b.f32({1, 3, b.s}), {b.s}, {3}, {.before = {2}}); }},
      {"f32[1, 0, 5]",
       [](Bench& b) {
         return b.g.fold(b.f32({1, 0, 2}), {5}, {2}, {.strides = {3}, .dilations = {2}, .before = {0}, .after = {1}});
       }},
  });
  expect_refusals({
      {"[fold] rank of x is 2, expected 3 ([N, C·∏kernel, windows])",
       [](Bench& b) { return b.g.fold(b.f32({2, 3}), {4}, {2}); }},
      {"[fold] length of shape is 1, expected 2 (length of kernel)",
       [](Bench& b) { return b.g.fold(b.f32({1, 4, 3}), {4}, {2, 2}); }},
      {"[fold] length of kernel is 0, expected at least 1",
       [](Bench& b) { return b.g.fold(b.f32({1, 4, 3}), {}, {}); }},
      {"[fold] axis 1 of x is 5, expected 4 (a multiple of ∏kernel)",
       [](Bench& b) { return b.g.fold(b.f32({1, 5, 3}), {4}, {2}); }},
      {"[fold] axis 2 of x is 4, expected 3 (the number of windows)",
       [](Bench& b) { return b.g.fold(b.f32({1, 2, 4}), {4}, {2}); }},
      {"[fold] size in shape is -4, expected at least 0",
       [](Bench& b) { return b.g.fold(b.f32({1, 2, 4}), {-4}, {2}); }},
      {"[fold] x is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.fold(b.in(DType::bool_, {1, 2, 3}), {4}, {2}); }},
  });
}

}  // namespace
}  // namespace ingot
