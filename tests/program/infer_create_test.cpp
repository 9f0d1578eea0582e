// Types of ops that make values from attributes.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t lowest = std::numeric_limits<int64_t>::min();

Var key(Bench& b) { return b.in(DType::u32, {2}); }

TEST(InferCreate, Dtypes) {
  const std::string numbers = kNumbers + " c64";
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.iota(3, {.dtype = d}); }), numbers);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.full({3}, 1, {.dtype = d}); }), "bool " + numbers);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.random_bits(key(b), {3}, {.dtype = d}); }), "u32 u64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.random_uniform(key(b), {3}, {.dtype = d}); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.random_normal(key(b), {3}, {.dtype = d}); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.size_of(3, {.dtype = d}); }), "i32 i64");
}

TEST(InferCreate, Iota) {
  expect_types({
      {"i64[5]", [](Bench& b) { return b.g.iota(5); }},
      {"i64[0]", [](Bench& b) { return b.g.iota(0); }},
      {"f16[S]", [](Bench& b) { return b.g.iota(b.s, {.dtype = DType::f16, .start = 0.5, .step = -2}); }},
      {"i8[T]", [](Bench& b) { return b.g.iota(b.t, {.dtype = DType::i8, .start = -128, .step = 127}); }},
      {"c64[2]", [](Bench& b) { return b.g.iota(2, {.dtype = DType::c64, .start = std::complex<float>(0, 1)}); }},
  });
  expect_refusals({
      {"[iota] length is -1, expected at least 0", [](Bench& b) { return b.g.iota(-1); }},
      {"[iota] length is N - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.iota(Dim(b.n) - 1); }},
      {"[iota] dtype is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.iota(2, {.dtype = DType::bool_}); }},
      {"[iota] dtype is packed, expected integer, real or complex (packed needs dequantize)",
       [](Bench& b) { return b.g.iota(2, {.dtype = DType::packed}); }},
      {"[iota] start is 0.5, expected an integer in -9223372036854775808..9223372036854775807 for i64",
       [](Bench& b) { return b.g.iota(2, {.start = 0.5}); }},
      {"[iota] step is -1, expected an integer in 0..65535 for u16",
       [](Bench& b) { return b.g.iota(2, {.dtype = DType::u16, .step = -1}); }},
  });
}

TEST(InferCreate, Full) {
  expect_types({
      {"f32[]", [](Bench& b) { return b.g.full({}, 1.5); }},
      {"f32[S, 0]", [](Bench& b) { return b.g.full({b.s, 0}, nan); }},
      {"f64[2]", [](Bench& b) { return b.g.full({2}, -infinity, {.dtype = DType::f64}); }},
      {"f16[2]", [](Bench& b) { return b.g.full({2}, 7, {.dtype = DType::f16}); }},
      {"bool[2]", [](Bench& b) { return b.g.full({2}, true, {.dtype = DType::bool_}); }},
      {"u64[2]", [](Bench& b) { return b.g.full({2}, ~uint64_t{0}, {.dtype = DType::u64}); }},
      {"i64[2]", [](Bench& b) { return b.g.full({2}, lowest, {.dtype = DType::i64}); }},
      {"c64[2]", [](Bench& b) { return b.g.full({2}, std::complex<float>(1, -1), {.dtype = DType::c64}); }},
      {"c64[2]", [](Bench& b) { return b.g.full({2}, 3, {.dtype = DType::c64}); }},
  });
  const auto full = [](Scalar value, DType dtype) {
    return [=](Bench& b) { return b.g.full({2}, value, {.dtype = dtype}); };
  };
  expect_refusals({
      {"[full] value is 2, expected an integer in 0..1 for bool", full(2, DType::bool_)},
      {"[full] value is -1, expected an integer in 0..1 for bool", full(-1, DType::bool_)},
      {"[full] value is 1.0, expected an integer in 0..1 for bool", full(1.0, DType::bool_)},
      {"[full] value is 256, expected an integer in 0..255 for u8", full(256, DType::u8)},
      {"[full] value is -129, expected an integer in -128..127 for i8", full(-129, DType::i8)},
      {"[full] value is 32768, expected an integer in -32768..32767 for i16", full(32768, DType::i16)},
      {"[full] value is 65536, expected an integer in 0..65535 for u16", full(65536, DType::u16)},
      {"[full] value is 2147483648, expected an integer in -2147483648..2147483647 for i32",
       full(2147483648, DType::i32)},
      {"[full] value is -1, expected an integer in 0..4294967295 for u32", full(-1, DType::u32)},
      {"[full] value is 9223372036854775808, expected an integer in -9223372036854775808..9223372036854775807 for i64",
       full(uint64_t{1} << 63, DType::i64)},
      {"[full] value is -1, expected an integer in 0..18446744073709551615 for u64", full(-1, DType::u64)},
      {"[full] value is nan, expected an integer in -128..127 for i8", full(nan, DType::i8)},
      {"[full] value is complex(1.0, 2.0), expected a number that f32 holds",
       full(std::complex<float>(1, 2), DType::f32)},
      {"[full] dtype is f8e4m3, expected bool, integer, real or complex (storage needs a cast)",
       full(1.0, DType::f8e4m3)},
      {"[full] size in shape is -1, expected at least 0", [](Bench& b) { return b.g.full({2, -1}, 0); }},
      {"[full] size in shape is S - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.full({Dim(b.s) - 2}, 0); }},
  });
}

TEST(InferCreate, Random) {
  expect_types({
      {"f32[2, S]", [](Bench& b) { return b.g.random_uniform(key(b), {2, b.s}); }},
      {"f64[]",
       [](Bench& b) { return b.g.random_normal(key(b), {}, {.dtype = DType::f64, .offset = -1, .scale = 0.5}); }},
      {"u64[0]", [](Bench& b) { return b.g.random_bits(key(b), {0}, {.dtype = DType::u64}); }},
  });
  expect_refusals({
      {"[random_uniform] key is u32[3], expected u32[2]",
       [](Bench& b) { return b.g.random_uniform(b.in(DType::u32, {3}), {}); }},
      {"[random_uniform] key is i64[2], expected u32[2]", [](Bench& b) { return b.g.random_uniform(b.i64({2}), {}); }},
      {"[random_uniform] key is u32[N], expected u32[2] (not provable from the bounds)",
       [](Bench& b) { return b.g.random_uniform(b.in(DType::u32, {b.n}), {}); }},
      {"[random_normal] size in shape is -4, expected at least 0",
       [](Bench& b) { return b.g.random_normal(key(b), {-4}); }},
      {"[random_bits] dtype is f32, expected u32 or u64", [](Bench& b) { return b.g.random_bits(key(b), {}); }},
      {"[random_bits] offset is 1, expected 0",
       [](Bench& b) { return b.g.random_bits(key(b), {}, {.dtype = DType::u32, .offset = 1}); }},
      {"[random_bits] scale is 2, expected 1",
       [](Bench& b) { return b.g.random_bits(key(b), {}, {.dtype = DType::u32, .scale = 2}); }},
      {"[random_normal] dtype is c64, expected real",
       [](Bench& b) { return b.g.random_normal(key(b), {}, {.dtype = DType::c64}); }},
      {"[random_normal] offset is inf, expected finite",
       [](Bench& b) { return b.g.random_normal(key(b), {}, {.offset = infinity}); }},
      {"[random_uniform] scale is nan, expected finite",
       [](Bench& b) { return b.g.random_uniform(key(b), {}, {.scale = nan}); }},
  });
}

TEST(InferCreate, SizeOf) {
  expect_types({
      {"i64[]", [](Bench& b) { return b.g.size_of(b.t); }},
      {"i32[]", [](Bench& b) { return b.g.size_of(Dim(b.s) * b.n, {.dtype = DType::i32}); }},
      {"i32[]", [](Bench& b) { return b.g.size_of(2147483647, {.dtype = DType::i32}); }},
  });
  expect_refusals({
      {"[size_of] dtype is u64, expected i32 or i64", [](Bench& b) { return b.g.size_of(3, {.dtype = DType::u64}); }},
      {"[size_of] size is -3, expected at least 0", [](Bench& b) { return b.g.size_of(-3); }},
      {"[size_of] size (as i32) is T, expected at most 2147483647 (not provable from the bounds)",
       [](Bench& b) { return b.g.size_of(b.t, {.dtype = DType::i32}); }},
      {"[size_of] size (as i32) is 2147483648, expected at most 2147483647",
       [](Bench& b) { return b.g.size_of(2147483648, {.dtype = DType::i32}); }},
  });
}

TEST(InferCreate, Eye) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.eye(2, 3, {.dtype = d}); }), kComputable);
  expect_types({
      {"f32[2, 3]", [](Bench& b) { return b.g.eye(2, 3); }},
      {"f32[S, T]", [](Bench& b) { return b.g.eye(b.s, b.t, {.k = Dim(b.t) - b.s}); }},
      {"bool[0, 3]", [](Bench& b) { return b.g.eye(0, 3, {.k = lowest, .dtype = DType::bool_}); }},
  });
  expect_refusals({
      {"[eye] rows is -1, expected at least 0", [](Bench& b) { return b.g.eye(-1, 3); }},
      {"[eye] columns is S - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.eye(3, Dim(b.s) - 2); }},
      {"[eye] dtype is u4, expected bool, integer, real or complex (storage needs a cast)",
       [](Bench& b) { return b.g.eye(3, 3, {.dtype = DType::u4}); }},
  });
}

TEST(InferCreate, Draws) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.random_categorical(key(b), b.in(d, {3})); }),
            "f16>i64 bf16>i64 f32>i64 f64>i64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.dropout(b.in(d), key(b))[0]; }), kReals);
  expect_types({
      {"i64[2]", [](Bench& b) { return b.g.random_categorical(key(b), b.f32({2, b.s})); }},
      {"i64[T, 4]", [](Bench& b) { return b.g.random_categorical(key(b), b.f32({b.t, 3, 4}), {.axis = 1}); }},
      {"i64[S + 1]", [](Bench& b) { return b.g.random_permutation(key(b), Dim(b.s) + 1); }},
      {"i64[0]", [](Bench& b) { return b.g.random_permutation(key(b), 0); }},
      {"f16[S, 2]", [](Bench& b) { return b.g.dropout(b.in(DType::f16, {b.s, 2}), key(b))[0]; }},
      {"bool[S, 2]", [](Bench& b) { return b.g.dropout(b.f32({b.s, 2}), key(b), {.ratio = 0})[1]; }},
      {"f32[]", [](Bench& b) { return b.g.dropout(b.f32({}), key(b), {.ratio = 1})[0]; }},
  });
  expect_refusals({
      {"[random_categorical] key is u32[3], expected u32[2]",
       [](Bench& b) { return b.g.random_categorical(b.in(DType::u32, {3}), b.f32({2})); }},
      {"[random_categorical] logits is i64, expected real",
       [](Bench& b) { return b.g.random_categorical(key(b), b.i64({2})); }},
      {"[random_categorical] size of the axis is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.random_categorical(key(b), b.f32({b.t})); }},
      {"[random_categorical] axis is -1, expected none (rank 0)",
       [](Bench& b) { return b.g.random_categorical(key(b), b.f32({})); }},
      {"[random_permutation] key is u64[2], expected u32[2]",
       [](Bench& b) { return b.g.random_permutation(b.in(DType::u64, {2}), 2); }},
      {"[random_permutation] length is -2, expected at least 0",
       [](Bench& b) { return b.g.random_permutation(key(b), -2); }},
      {"[dropout] key is i64[2], expected u32[2]", [](Bench& b) { return b.g.dropout(b.f32({}), b.i64({2}))[0]; }},
      {"[dropout] x is i32, expected real", [](Bench& b) { return b.g.dropout(b.in(DType::i32), key(b))[0]; }},
      {"[dropout] ratio is 1.5, expected 0..1",
       [](Bench& b) { return b.g.dropout(b.f32({}), key(b), {.ratio = 1.5})[0]; }},
      {"[dropout] ratio is -0.1, expected 0..1",
       [](Bench& b) { return b.g.dropout(b.f32({}), key(b), {.ratio = -0.1})[0]; }},
      {"[dropout] ratio is nan, expected 0..1",
       [](Bench& b) { return b.g.dropout(b.f32({}), key(b), {.ratio = nan})[0]; }},
  });
}

}  // namespace
}  // namespace ingot
