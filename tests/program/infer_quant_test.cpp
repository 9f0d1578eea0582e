// Types of ops on packed tensors.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr QuantScheme symmetric{QuantMethod::symmetric, 8, 32, DType::bf16},
    mxfp4{QuantMethod::mxfp4, 4, 32, DType::f8e8m0}, q6_k{QuantMethod::q6_k, 6, 256, DType::f16},
    iq3_s{QuantMethod::iq3_s, 3, 256, DType::f16};

TEST(InferQuant, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.quantize(b.in(d, {64}), {}); }),
            "f16>packed bf16>packed f32>packed f64>packed");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.dequantize(b.packed({64}), {.dtype = d}); }), kReals);
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.quantized_matmul(b.in(d, {64}), b.packed({2, 64})); }),
            kReals);
  expect_types({
      {"packed<affine, bits=4, group=64, scale=f16>[2, 100]",
       [](Bench& b) { return b.g.quantize(b.f32({2, 100}), {}); }},
      {"packed<symmetric, bits=8, group=32, scale=bf16>[S, T]",
       [](Bench& b) { return b.g.quantize(b.f32({b.s, b.t}), symmetric, {.scale = b.f32({})}); }},
      {"packed<mxfp4, bits=4, group=32, scale=f8e8m0>[0]", [](Bench& b) { return b.g.quantize(b.f32({0}), mxfp4); }},
      {"packed<nf4, bits=4, group=5, scale=f32>[S]",
       [](Bench& b) { return b.g.quantize(b.f32({b.s}), {QuantMethod::nf4, 4, 5, DType::f32}); }},
      {"packed<q6_k, bits=6, group=256, scale=f16>[3, 256*S]",
       [](Bench& b) { return b.g.quantize(b.f32({3, Dim(b.s) * 256}), q6_k); }},
      {"f32[2, 512]", [](Bench& b) { return b.g.dequantize(b.packed({2, 512}, iq3_s)); }},
      {"f32[7]", [](Bench& b) { return b.g.quantized_matmul(b.f32({512}), b.packed({7, 512}, iq3_s)); }},
      {"f32[S, 64]", [](Bench& b) { return b.g.dequantize(b.packed({b.s, 64})); }},
      {"bf16[64]",
       [](Bench& b) { return b.g.dequantize(b.packed({64}, mxfp4), {.scale = b.f32({}), .dtype = DType::bf16}); }},
      {"f32[2, S, 5]", [](Bench& b) { return b.g.quantized_matmul(b.f32({2, b.s, 64}), b.packed({5, 64})); }},
      {"f16[T]",
       [](Bench& b) {
         return b.g.quantized_matmul(b.in(DType::f16, {b.s}), b.packed({b.t, b.s}), {.scale = b.f32({})});
       }},
      {"f32[0, 5]", [](Bench& b) { return b.g.quantized_matmul(b.f32({0, 64}), b.packed({5, 64})); }},
  });
}

TEST(InferQuant, Refuses) {
  const auto quantize = [](QuantScheme scheme) { return [=](Bench& b) { return b.g.quantize(b.f32({64}), scheme); }; };
  expect_refusals({
      {"[quantize] x is i32, expected real", [](Bench& b) { return b.g.quantize(b.in(DType::i32, {64}), {}); }},
      {"[quantize] rank of x is 0, expected at least 1", [](Bench& b) { return b.g.quantize(b.f32({}), {}); }},
      {"[quantize] scale is f32[1], expected f32[]",
       [](Bench& b) { return b.g.quantize(b.f32({64}), {}, {.scale = b.f32({1})}); }},
      {"[quantize] scale is f64[], expected f32[]",
       [](Bench& b) { return b.g.quantize(b.f32({64}), {}, {.scale = b.in(DType::f64)}); }},
      {"[quantize] bits of affine scheme is 1, expected 2 to 8", quantize({QuantMethod::affine, 1})},
      {"[quantize] bits of symmetric scheme is 9, expected 2 to 8", quantize({QuantMethod::symmetric, 9})},
      {"[quantize] group of affine scheme is 0, expected at least 1", quantize({QuantMethod::affine, 4, 0})},
      {"[quantize] scale of affine scheme is f64, expected f16, bf16 or f32",
       quantize({QuantMethod::affine, 4, 64, DType::f64})},
      {"[quantize] bits of mxfp8 scheme is 4, expected 8", quantize({QuantMethod::mxfp8, 4, 32, DType::f8e8m0})},
      {"[quantize] group of mxfp4 scheme is 64, expected 32", quantize({QuantMethod::mxfp4, 4, 64, DType::f8e8m0})},
      {"[quantize] scale of nvfp4 scheme is f16, expected f8e4m3", quantize({QuantMethod::nvfp4, 4, 16, DType::f16})},
      {"[quantize] bits of nf4 scheme is 8, expected 4", quantize({QuantMethod::nf4, 8, 64, DType::f16})},
      {"[quantize] scale of fp8_e5m2 scheme is f8e8m0, expected f16, bf16 or f32",
       quantize({QuantMethod::fp8_e5m2, 8, 64, DType::f8e8m0})},
      {"[quantize] group of q4_0 scheme is 64, expected 32", quantize({QuantMethod::q4_0, 4, 64, DType::f16})},
      {"[quantize] last axis of q6_k scheme is 64, expected a multiple of 256", quantize(q6_k)},
      {"[quantize] last axis of q6_k scheme is S, expected a multiple of 256",
       [](Bench& b) { return b.g.quantize(b.f32({b.s}), q6_k); }},
      {"[quantize] method is iq3_s, expected one that rounds (its codes are found by a search)",
       [](Bench& b) { return b.g.quantize(b.f32({256}), iq3_s); }},
      {"[dequantize] x is f32, expected packed (quantize makes it)",
       [](Bench& b) { return b.g.dequantize(b.f32({64})); }},
      {"[dequantize] dtype is i8, expected real",
       [](Bench& b) { return b.g.dequantize(b.packed({64}), {.dtype = DType::i8}); }},
      {"[dequantize] scale is f32[S], expected f32[]",
       [](Bench& b) { return b.g.dequantize(b.packed({64}), {.scale = b.f32({b.s})}); }},
      {"[quantized_matmul] x is i8, expected real",
       [](Bench& b) { return b.g.quantized_matmul(b.in(DType::i8, {64}), b.packed({5, 64})); }},
      {"[quantized_matmul] rank of x is 0, expected at least 1",
       [](Bench& b) { return b.g.quantized_matmul(b.f32({}), b.packed({5, 64})); }},
      {"[quantized_matmul] w is f32, expected packed (quantize makes it)",
       [](Bench& b) { return b.g.quantized_matmul(b.f32({64}), b.f32({5, 64})); }},
      {"[quantized_matmul] rank of w is 3, expected 2 ([N, K])",
       [](Bench& b) { return b.g.quantized_matmul(b.f32({64}), b.packed({2, 5, 64})); }},
      {"[quantized_matmul] last axis of w is 32, expected 64 (last axis of x)",
       [](Bench& b) { return b.g.quantized_matmul(b.f32({64}), b.packed({5, 32})); }},
      {"[quantized_matmul] scale is f16[], expected f32[]",
       [](Bench& b) { return b.g.quantized_matmul(b.f32({64}), b.packed({5, 64}), {.scale = b.in(DType::f16)}); }},
  });
}

// Those whose codes are found by a search are refused, every other method is not.
TEST(InferQuant, QuantizesByEveryMethodThatRounds) {
  std::string refused;
  for (size_t i = 0; i < EnumNames<QuantMethod>::names.size(); ++i) {
    const MethodFacts& f = facts(static_cast<QuantMethod>(i));
    const QuantScheme scheme{f.method, f.bits.value_or(4), f.group.value_or(64), f.scale.value_or(DType::f16)};
    Bench b;
    EXPECT_EQ(to_string(b.g.dequantize(b.packed({256}, scheme)).type()), "f32[256]");
    try {
      b.g.quantize(b.f32({256}), scheme);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      refused += fmt::format(" {}", to_string(f.method));
    }
  }
  EXPECT_EQ(refused, " iq2_xxs iq2_xs iq2_s iq3_xxs iq3_s iq1_s iq1_m");
}

TEST(InferQuant, FakeQuantize) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.fake_quantize(b.in(d, {3}), b.f32({})); }), kReals);
  EXPECT_EQ(accepted_dtypes(
                [](Bench& b, DType d) { return b.g.fake_quantize(b.f32({3}), b.f32({}), {.zero = b.in(d, {3})}); }),
            "u8>f32 u16>f32 u32>f32 u64>f32 i8>f32 i16>f32 i32>f32 i64>f32 f16>f32 bf16>f32 f32 f64>f32");
  expect_types({
      {"f16[S, 3, 4]",
       [](Bench& b) {
         return b.g.fake_quantize(b.in(DType::f16, {b.s, 3, 4}), b.f32({3, 1}),
                                  {.zero = b.in(DType::i8), .low = 7, .high = 7});
       }},
  });
  expect_refusals({
      {"[fake_quantize] x is i8, expected real",
       [](Bench& b) { return b.g.fake_quantize(b.in(DType::i8, {3}), b.f32({})); }},
      {"[fake_quantize] scale is i64, expected real",
       [](Bench& b) { return b.g.fake_quantize(b.f32({3}), b.i64({})); }},
      {"[fake_quantize] scale is [2], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.fake_quantize(b.f32({3}), b.f32({2})); }},
      {"[fake_quantize] zero is bool, expected integer or real",
       [](Bench& b) { return b.g.fake_quantize(b.f32({3}), b.f32({}), {.zero = b.in(DType::bool_)}); }},
      {"[fake_quantize] zero is [1, 3], expected a shape that stretches to [3]",
       [](Bench& b) { return b.g.fake_quantize(b.f32({3}), b.f32({}), {.zero = b.f32({1, 3})}); }},
      {"[fake_quantize] low is 3, expected at most 2",
       [](Bench& b) { return b.g.fake_quantize(b.f32({3}), b.f32({}), {.low = 3, .high = 2}); }},
  });
}

}  // namespace
}  // namespace ingot
