// Types of ops that move elements.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

TEST(InferShape, Dtypes) {
  std::string all;
  for (DType dtype : single_dtypes()) all += fmt::format("{}{}", all.empty() ? "" : " ", to_string(dtype));
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.reshape(b.in(d, {4}), {2, 2}); }), all);
  const std::function<Var(Bench&, DType)> calls[] = {
      [](Bench& b, DType d) { return b.g.transpose(b.in(d, {4, 2}), {1, 0}); },
      [](Bench& b, DType d) { return b.g.broadcast(b.in(d, {4}), {2, 4}); },
      [](Bench& b, DType d) { return b.g.slice(b.in(d, {4}), {0}, {1}, {2}); },
      [](Bench& b, DType d) { return b.g.concatenate({b.in(d, {4}), b.in(d, {2})}); },
      [](Bench& b, DType d) { return b.g.pad(b.in(d, {4}), {1}, {1}); },
      [](Bench& b, DType d) { return b.g.ensure_shape(b.in(d, {b.t}), {4}); },
  };
  for (const auto& call : calls) EXPECT_EQ(accepted_dtypes(call), kComputable);
}

TEST(InferShape, Reshape) {
  expect_types({
      {"f32[6]", [](Bench& b) { return b.g.reshape(b.f32({2, 3}), {6}); }},
      {"f32[]", [](Bench& b) { return b.g.reshape(b.f32({1, 1}), {}); }},
      {"f32[1]", [](Bench& b) { return b.g.reshape(b.f32({}), {1}); }},
      {"f32[7, 0]", [](Bench& b) { return b.g.reshape(b.f32({0, 3}), {7, 0}); }},
      {"f32[2*S]", [](Bench& b) { return b.g.reshape(b.f32({b.s, 2}), {Dim(b.s) * 2}); }},
      {"f32[T, S]", [](Bench& b) { return b.g.reshape(b.f32({b.s, b.t}), {b.t, b.s}); }},
      {"f32[S, 2, 4]", [](Bench& b) { return b.g.reshape(b.f32({b.s, 8}), {b.s, 2, 4}); }},
  });
  expect_refusals({
      {"[reshape] element count of shape is 5, expected 6 (that of x)",
       [](Bench& b) { return b.g.reshape(b.f32({2, 3}), {5}); }},
      {"[reshape] element count of shape is T, expected S (that of x) (not provable from the bounds)",
       [](Bench& b) { return b.g.reshape(b.f32({b.s}), {b.t}); }},
      {"[reshape] element count of shape is S, expected 2*S (that of x)",
       [](Bench& b) { return b.g.reshape(b.f32({b.s, 2}), {b.s}); }},
      {"[reshape] size in shape is -2, expected at least 0",
       [](Bench& b) { return b.g.reshape(b.f32({6}), {-2, -3}); }},
      {"[reshape] a size leaves 64 bits: 4294967296 * 4294967296",
       [](Bench& b) { return b.g.reshape(b.f32({6}), {int64_t{1} << 32, int64_t{1} << 32}); }},
      {"[reshape] x is packed, expected a dtype of single elements (packed needs dequantize)",
       [](Bench& b) { return b.g.reshape(b.packed({2, 64}), {128}); }},
  });
}

TEST(InferShape, Transpose) {
  expect_types({
      {"f32[4, 2, S]", [](Bench& b) { return b.g.transpose(b.f32({2, b.s, 4}), {2, 0, 1}); }},
      {"f32[]", [](Bench& b) { return b.g.transpose(b.f32({}), {}); }},
  });
  expect_refusals({
      {"[transpose] length of perm is 1, expected 2 (rank of x)",
       [](Bench& b) { return b.g.transpose(b.f32({2, 3}), {0}); }},
      {"[transpose] perm is [0, 0], expected every axis at most once",
       [](Bench& b) { return b.g.transpose(b.f32({2, 3}), {0, 0}); }},
      {"[transpose] perm is 2, expected -2..1", [](Bench& b) { return b.g.transpose(b.f32({2, 3}), {0, 2}); }},
      {"[transpose] perm is [0, -1], expected axes from 0 on",
       [](Bench& b) { return b.g.transpose(b.f32({2, 3}), {0, -1}); }},
      {"[transpose] x is u4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.transpose(b.in(DType::u4, {2}), {0}); }},
  });
}

TEST(InferShape, Broadcast) {
  expect_types({
      {"f32[4, 2, 3]", [](Bench& b) { return b.g.broadcast(b.f32({2, 1}), {4, 2, 3}); }},
      {"f32[S]", [](Bench& b) { return b.g.broadcast(b.f32({}), {b.s}); }},
      {"f32[T, S]", [](Bench& b) { return b.g.broadcast(b.f32({1, b.s}), {b.t, b.s}); }},
      {"f32[0]", [](Bench& b) { return b.g.broadcast(b.f32({1}), {0}); }},
      {"f32[]", [](Bench& b) { return b.g.broadcast(b.f32({}), {}); }},
  });
  expect_refusals({
      {"[broadcast] x is [2, 3], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.broadcast(b.f32({2, 3}), {3}); }},
      {"[broadcast] x is [2], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.broadcast(b.f32({2}), {3}); }},
      {"[broadcast] x is [3], expected a shape that stretches to [1]",
       [](Bench& b) { return b.g.broadcast(b.f32({3}), {1}); }},
      {"[broadcast] x is [S], expected a shape that stretches to [T]",
       [](Bench& b) { return b.g.broadcast(b.f32({b.s}), {b.t}); }},
      {"[broadcast] size in shape is N - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.broadcast(b.f32({}), {Dim(b.n) - 1}); }},
  });
}

TEST(InferShape, Slice) {
  expect_types({
      {"f32[2, 3]", [](Bench& b) { return b.g.slice(b.f32({5, 3}), {0}, {1}, {3}); }},
      {"f32[3, 2]", [](Bench& b) { return b.g.slice(b.f32({5, 4}), {-1, 0}, {1, 0}, {3, 5}, {.steps = {1, 2}}); }},
      {"f32[1]", [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0}, {5}, {.steps = {kUnbounded}}); }},
      {"f32[0]", [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {5}, {5}); }},
      {"f32[0]", [](Bench& b) { return b.g.slice(b.f32({0}), {0}, {0}, {0}, {.steps = {3}}); }},
      {"f32[S - 1]", [](Bench& b) { return b.g.slice(b.f32({b.s}), {0}, {1}, {b.s}); }},
      {"f32[ceil(S, 2)]", [](Bench& b) { return b.g.slice(b.f32({b.s}), {0}, {0}, {b.s}, {.steps = {2}}); }},
      {"f32[min(T, 8)]", [](Bench& b) { return b.g.slice(b.f32({b.t}), {0}, {0}, {min(b.t, 8)}); }},
      {"f32[]", [](Bench& b) { return b.g.slice(b.f32({}), {}, {}, {}); }},
  });
  expect_refusals({
      {"[slice] stop is 6, expected at most 5", [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {1}, {6}); }},
      {"[slice] start is 3, expected at most 2", [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {3}, {2}); }},
      {"[slice] start is -1, expected at least 0", [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {-1}, {2}); }},
      {"[slice] start is 1, expected at most T (not provable from the bounds)",
       [](Bench& b) { return b.g.slice(b.f32({b.t}), {0}, {1}, {b.t}); }},
      {"[slice] stop is 4, expected at most S (not provable from the bounds)",
       [](Bench& b) { return b.g.slice(b.f32({b.s}), {0}, {0}, {4}); }},
      {"[slice] step is 0, expected at least 1",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0}, {5}, {.steps = {0}}); }},
      {"[slice] step is -1, expected at least 1",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0}, {5}, {.steps = {-1}}); }},
      {"[slice] axes is [0, -1], expected every axis at most once",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0, -1}, {0, 0}, {1, 1}); }},
      {"[slice] axes is 1, expected -1..0", [](Bench& b) { return b.g.slice(b.f32({5}), {1}, {0}, {1}); }},
      {"[slice] length of starts is 2, expected 1 (length of axes)",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0, 0}, {1}); }},
      {"[slice] length of stops is 0, expected 1 (length of axes)",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0}, {}); }},
      {"[slice] length of steps is 2, expected 1 (length of axes)",
       [](Bench& b) { return b.g.slice(b.f32({5}), {0}, {0}, {1}, {.steps = {1, 1}}); }},
  });
}

TEST(InferShape, Concatenate) {
  expect_types({
      {"f32[5, 3]", [](Bench& b) { return b.g.concatenate({b.f32({2, 3}), b.f32({3, 3})}); }},
      {"f32[2, S + 4]", [](Bench& b) { return b.g.concatenate({b.f32({2, b.s}), b.f32({2, 4})}, {.axis = -1}); }},
      {"f32[2]", [](Bench& b) { return b.g.concatenate({b.f32({2})}); }},
      {"f32[2]", [](Bench& b) { return b.g.concatenate({b.f32({0}), b.f32({2}), b.f32({0})}); }},
      {"f64[3]",
       [](Bench& b) { return b.g.concatenate({b.in(DType::bool_, {1}), b.f32({1}), b.in(DType::f64, {1})}); }},
      {"f32[S + T + 1]", [](Bench& b) { return b.g.concatenate({b.f32({b.t}), b.f32({1}), b.f32({b.s})}); }},
  });
  expect_refusals({
      {"[concatenate] number of operands is 0, expected at least 1", [](Bench& b) { return b.g.concatenate({}); }},
      {"[concatenate] axis is 0, expected none (rank 0)",
       [](Bench& b) { return b.g.concatenate({b.f32({}), b.f32({})}); }},
      {"[concatenate] axis is 2, expected -2..1",
       [](Bench& b) { return b.g.concatenate({b.f32({2, 3})}, {.axis = 2}); }},
      {"[concatenate] rank of an operand is 1, expected 2 (as the first)",
       [](Bench& b) { return b.g.concatenate({b.f32({2, 3}), b.f32({3})}); }},
      {"[concatenate] axis 1 of an operand is 4, expected 3 (as the first)",
       [](Bench& b) { return b.g.concatenate({b.f32({2, 3}), b.f32({2, 4})}); }},
      {"[concatenate] axis 1 of an operand is T, expected S (as the first) (not provable from the bounds)",
       [](Bench& b) { return b.g.concatenate({b.f32({2, b.s}), b.f32({2, b.t})}); }},
      {"[concatenate] pair of dtypes is u64 and i64, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.concatenate({b.in(DType::u64, {2}), b.i64({2})}); }},
      {"[concatenate] dtype of the operands is packed, expected bool, integer, real or complex (packed needs "
       "dequantize)",
       [](Bench& b) { return b.g.concatenate({b.packed({64}), b.packed({64})}); }},
      {"[concatenate] a size leaves 64 bits: 4611686018427387904 + 4611686018427387904",
       [](Bench& b) {
         const Dim half = int64_t{1} << 62;
         return b.g.concatenate({b.in(DType::u8, {half, 0}), b.in(DType::u8, {half, 0})});
       }},
  });
}

TEST(InferShape, Pad) {
  expect_types({
      {"f32[6, 3]", [](Bench& b) { return b.g.pad(b.f32({2, 3}), {1, 0}, {3, 0}); }},
      {"f32[N + S + 2]", [](Bench& b) { return b.g.pad(b.f32({b.s}), {b.n}, {2}, {.value = -1.5}); }},
      {"i8[3]", [](Bench& b) { return b.g.pad(b.in(DType::i8, {2}), {0}, {1}, {.value = -128}); }},
      {"f32[]", [](Bench& b) { return b.g.pad(b.f32({}), {}, {}); }},
      {"f32[2]", [](Bench& b) { return b.g.pad(b.f32({0}), {1}, {1}); }},
      {"f32[7]", [](Bench& b) { return b.g.pad(b.f32({3}), {2}, {2}, {.mode = PadMode::reflect}); }},
      {"f32[9]", [](Bench& b) { return b.g.pad(b.f32({3}), {3}, {3}, {.mode = PadMode::wrap}); }},
      {"f32[S + 9]", [](Bench& b) { return b.g.pad(b.f32({b.s}), {5}, {4}, {.mode = PadMode::edge}); }},
      {"f32[3*S]", [](Bench& b) { return b.g.pad(b.f32({b.s}), {b.s}, {b.s}, {.mode = PadMode::wrap}); }},
      {"f32[0, 4]", [](Bench& b) { return b.g.pad(b.f32({0, 3}), {0, 0}, {0, 1}, {.mode = PadMode::edge}); }},
      {"f32[0]", [](Bench& b) { return b.g.pad(b.f32({0}), {0}, {0}, {.mode = PadMode::reflect}); }},
  });
  expect_refusals({
      {"[pad] length of before is 1, expected 2 (rank of x)",
       [](Bench& b) { return b.g.pad(b.f32({2, 3}), {1}, {1, 1}); }},
      {"[pad] length of after is 0, expected 1 (rank of x)", [](Bench& b) { return b.g.pad(b.f32({2}), {1}, {}); }},
      {"[pad] before is -1, expected at least 0", [](Bench& b) { return b.g.pad(b.f32({2}), {-1}, {0}); }},
      {"[pad] after is N - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.pad(b.f32({2}), {0}, {Dim(b.n) - 1}); }},
      {"[pad] value is 1.0, expected none (mode is edge)",
       [](Bench& b) { return b.g.pad(b.f32({2}), {1}, {0}, {.mode = PadMode::edge, .value = 1.0}); }},
      {"[pad] value is 256, expected an integer in 0..255 for u8",
       [](Bench& b) { return b.g.pad(b.in(DType::u8, {2}), {1}, {0}, {.value = 256}); }},
      {"[pad] before is 3, expected at most 2",
       [](Bench& b) { return b.g.pad(b.f32({3}), {3}, {0}, {.mode = PadMode::reflect}); }},
      {"[pad] after is 1, expected at most S - 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.pad(b.f32({b.s}), {0}, {1}, {.mode = PadMode::reflect}); }},
      {"[pad] after is 4, expected at most 3",
       [](Bench& b) { return b.g.pad(b.f32({3}), {0}, {4}, {.mode = PadMode::wrap}); }},
      {"[pad] size of a padded axis is 0, expected at least 1",
       [](Bench& b) { return b.g.pad(b.f32({0}), {0}, {1}, {.mode = PadMode::edge}); }},
  });
}

TEST(InferShape, EnsureShape) {
  expect_types({
      {"f32[4, S]", [](Bench& b) { return b.g.ensure_shape(b.f32({b.t, b.s}), {4, b.s}); }},
      {"f32[S]", [](Bench& b) { return b.g.ensure_shape(b.f32({b.t}), {b.s}); }},
      {"f32[]", [](Bench& b) { return b.g.ensure_shape(b.f32({}), {}); }},
      {"f32[0]", [](Bench& b) { return b.g.ensure_shape(b.f32({b.n}), {0}); }},
  });
  expect_refusals({
      {"[ensure_shape] x is [3], expected [4]", [](Bench& b) { return b.g.ensure_shape(b.f32({3}), {4}); }},
      {"[ensure_shape] x is [3], expected [3, 1]", [](Bench& b) { return b.g.ensure_shape(b.f32({3}), {3, 1}); }},
      {"[ensure_shape] x is [S], expected [0]", [](Bench& b) { return b.g.ensure_shape(b.f32({b.s}), {0}); }},
      {"[ensure_shape] x is [S], expected [513]", [](Bench& b) { return b.g.ensure_shape(b.f32({b.s}), {513}); }},
      {"[ensure_shape] size in shape is -1, expected at least 0",
       [](Bench& b) { return b.g.ensure_shape(b.f32({b.t}), {-1}); }},
  });
}

}  // namespace
}  // namespace ingot
