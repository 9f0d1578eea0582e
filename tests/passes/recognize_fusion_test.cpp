// Products with packed weights, batch norms behind convolutions, updates of state.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kCases[] = {
    {"quantized_matmul", "%x: f32[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%y = matmul %x, %d {transpose_b=true}",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %y = quantized_matmul %x, %w"},
    {"quantized_matmul", "%x: f32[2, S, 64], %u: f32[5, 64], %s: f32[]",
     "%w = quantize %u, %s {scheme=packed<affine, bits=8, group=64, scale=f16>}; %d = dequantize %w, %s; "
     "%t = transpose %d {perm=[1, 0]}; %y = matmul %x, %t",
     "%w = quantize %u, %s {scheme=packed<affine, bits=8, group=64, scale=f16>}; "
     "%y = quantized_matmul %x, %w, %s"},
    {"quantized_matmul", "%x: f16[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%c = cast %d {dtype=f16}; %y = matmul %x, %c {transpose_b=true}",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %y = quantized_matmul %x, %w"},
    // w is [K,N]; the result is f32; the weight is f64; a batch of weights; cut to integers.
    {"quantized_matmul", "%x: f32[S, 64], %u: f32[64, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%y = matmul %x, %d",
     ""},
    {"quantized_matmul", "%x: f16[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%y = matmul %x, %d {transpose_b=true}",
     ""},
    {"quantized_matmul", "%x: f32[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w {dtype=f64}; "
     "%c = cast %d {dtype=f32}; %y = matmul %x, %c {transpose_b=true}",
     ""},
    {"quantized_matmul", "%x: f32[3, S, 64], %u: f32[3, 5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%y = matmul %x, %d {transpose_b=true}",
     ""},
    {"quantized_matmul", "%x: f32[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %d = dequantize %w; "
     "%i = cast %d {dtype=i32}; %y = matmul %x, %i {transpose_b=true}",
     ""},
    {"quantized_matmul_of_casts", "%x: f16[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %c = cast %x {dtype=f32}; "
     "%m = quantized_matmul %c, %w; %y = cast %m {dtype=f16}",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %y = quantized_matmul %x, %w"},
    {"quantized_matmul_of_casts", "%x: f16[S, 64], %u: f32[5, 64]",
     "%w = quantize %u {scheme=packed<affine, bits=4, group=32, scale=f16>}; %c = cast %x {dtype=f32}; "
     "%m = quantized_matmul %c, %w; %y = cast %m {dtype=bf16}",
     ""},
    // ------------------------------------------------------------------------------------------------- conv, state
    {"conv_batch_norm", "%x: f32[2, 3, 5]",
     "%w = full {shape=[4, 3, 2], value=0.3}; %m = full {shape=[4], value=0.5}; %v = full {shape=[4], value=2}; "
     "%c = conv %x, %w {strides=[2]}; %y = batch_norm %c, %m, %v",
     "%w = full {shape=[4, 3, 2], value=0.3}; %m = full {shape=[4], value=0.5}; %v = full {shape=[4], value=2}; "
     "%0 = full {shape=[], value=0.00001}; %1 = add %v, %0; %2 = rsqrt %1; %3 = reshape %2 {shape=[4, 1, 1]}; "
     "%4 = mul %w, %3; %5 = neg %m; %6 = mul %5, %2; %y = conv %x, %4, %6 {strides=[2]}"},
    {"conv_batch_norm", "%x: f32[2, 3, 5]",
     "%w = full {shape=[4, 3, 2], value=0.3}; %m = full {shape=[4], value=0.5}; %v = full {shape=[4], value=2}; "
     "%c = conv %x, %w; %y = batch_norm %c, %m, %v; return %y, %c",
     ""},
    {"conv_batch_norm", "%x: f32[2, 3, 5], %m: f32[4]",
     "%w = full {shape=[4, 3, 2], value=0.3}; %v = full {shape=[4], value=2}; "
     "%c = conv %x, %w; %y = batch_norm %c, %m, %v",
     ""},
    {"conv_batch_norm", "%x: f32[2, 3, 5]",
     "%w = full {shape=[4, 3, 2], value=0.3}; %m = full {shape=[4], value=0.5}; %v = full {shape=[4], value=2}; "
     "%c = conv %x, %w; %y = batch_norm %c, %m, %v {axis=-1}",
     ""},
    {"conv_batch_norm", "%x: f16[2, 3, 5]",
     "%w = full {shape=[4, 3, 2], value=0.3, dtype=f16}; %m = full {shape=[4], value=0.5, dtype=f16}; "
     "%v = full {shape=[4], value=2, dtype=f16}; %c = conv %x, %w; %y = batch_norm %c, %m, %v",
     ""},
    {"state_update", "%x: f32[1], %i: i64[]",
     "%r = state_read {state=@s}; %u = dynamic_update %r, %x, [%i] {axes=[0], mode=clamp}; "
     "%y = state_write %u {state=@s}",
     "%y = state_update %x, [%i] {state=@s, axes=[0], mode=clamp}"},
    // Another state; written in between; the contents are used besides.
    {"state_update", "%x: f32[1], %i: i64[]",
     "%r = state_read {state=@t}; %u = dynamic_update %r, %x, [%i] {axes=[0]}; %y = state_write %u {state=@s}", ""},
    {"state_update", "%x: f32[1], %i: i64[], %z: f32[3]",
     "%r = state_read {state=@s}; %u = dynamic_update %r, %x, [%i] {axes=[0]}; %w = call [%z] {graph=@writes}; "
     "%y = state_write %u {state=@s}",
     ""},
    {"state_update", "%x: f32[1], %i: i64[]",
     "%r = state_read {state=@s}; %u = dynamic_update %r, %x, [%i] {axes=[0]}; %y = state_write %u {state=@s}; "
     "return %y, %u",
     ""},
};

TEST(RecognizeFusion, EachRule) { expect_each(kCases, fusion_rules()); }
TEST(RecognizeFusion, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, fusion_rules()); }

// Weights that differ in every element, all parameters, groups; only constants are folded in.
TEST(RecognizeFusion, ConvWithAllParameters) {
  const Program before = parse(R"(ingot 1
weight @w : f32[4, 1, 2] = [0.5, -1, 2, 0.25, -0.75, 1.5, 3, -2]
weight @b : f32[4] = [1, -1, 0.5, 2]
weight @mean : f32[4] = [0.1, 0.2, -0.3, 0.4]
weight @var : f32[4] = [1, 2, 0.5, 4]
weight @scale : f32[4] = [2, -1, 0.5, 3]
weight @shift : f32[4] = [0, 1, -2, 0.5]
method f(%x: f32[3, 2, 7]) -> (y) {
  %c = conv %x, @w, @b {groups=2, before=[1], after=[0], dilations=[2]}
  %y = batch_norm %c, @mean, @var, @scale, @shift {eps=0.01}
  return %y
})");
  EXPECT_EQ(text_of(optimize(before, {.evaluate = reference::evaluate})), text_of(before)) << "weights may change";
  const Program after = optimize(before, {.evaluate = reference::evaluate, .is_constant = every_weight});
  EXPECT_EQ(after.method("f")->nodes.size(), 1U);
  EXPECT_TRUE(after.method("f")->nodes[0].op.get_if<op::Conv>());
  expect_same_results(before, after);
}

}  // namespace
}  // namespace ingot::test
