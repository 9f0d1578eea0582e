// Types of ops on packed tensors.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr QuantScheme symmetric{QuantMethod::symmetric, 8, 32, DType::bf16},
    mxfp4{QuantMethod::mxfp4, 4, 32, DType::f8e8m0};

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

}  // namespace
}  // namespace ingot
