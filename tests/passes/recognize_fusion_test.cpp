// Products with packed weights, convolutions whose channels are scaled and shifted, updates of state.
#include "passes/hoist.h"
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
     "%0 = full {shape=[], value=0.00001}; %1 = add %v, %0; %2 = rsqrt %1; %3 = neg %m; %4 = mul %3, %2; "
     "%5 = reshape %2 {shape=[4, 1, 1]}; %6 = mul %w, %5; %y = conv %x, %6, %4 {strides=[2]}"},
    // The weights are those of the program, or made of them.
    {"conv_batch_norm", "%x: f32[N, 3, S, T]",
     "%w = reshape @w {shape=[2, 3, 1, 1]}; %m = full {shape=[2], value=0.5}; %v = slice @w {axes=[0, 1], starts=[0, "
     "0], "
     "stops=[2, 1]}; %u = reshape %v {shape=[2]}; %c = conv %x, %w, %m; %y = batch_norm %c, %m, %u, %u, %m",
     "%w = reshape @w {shape=[2, 3, 1, 1]}; %m = full {shape=[2], value=0.5}; %v = slice @w {axes=[0, 1], starts=[0, "
     "0], "
     "stops=[2, 1]}; %u = reshape %v {shape=[2]}; %0 = full {shape=[], value=0.00001}; %1 = add %u, %0; %2 = rsqrt %1; "
     "%3 = mul %2, %u; %4 = sub %m, %m; %5 = mul %4, %3; %6 = add %5, %m; %7 = reshape %3 {shape=[2, 1, 1, 1]}; "
     "%8 = mul %w, %7; %y = conv %x, %8, %6"},
    // Used elsewhere; statistics that are computed; another axis; f16; transposed; weights of the state.
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
    {"conv_batch_norm", "%x: f32[2, 3, 5]",
     "%w = full {shape=[3, 4, 2], value=0.3}; %m = full {shape=[4], value=0.5}; %v = full {shape=[4], value=2}; "
     "%c = conv_transpose %x, %w; %y = batch_norm %c, %m, %v",
     ""},
    {"conv_batch_norm", "%x: f32[2, 3, 5]",
     "%s = state_read {state=@s}; %w = reshape %s {shape=[1, 3, 1]}; %m = full {shape=[1], value=0.5}; "
     "%c = conv %x, %w; %y = batch_norm %c, %m, %m",
     ""},
    {"conv_scale", "%x: f32[N, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2, 1], value=2}; %c = conv %x, %w; %y = mul %c, %s",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2, 1], value=2}; %0 = reshape %s {shape=[2]}; "
     "%1 = reshape %0 {shape=[2, 1, 1]}; %2 = mul %w, %1; %y = conv %x, %2"},
    {"conv_scale", "%x: f32[N, 6, 5, 5]",
     "%w = reshape @w {shape=[6, 1, 1, 1]}; %s = reshape @w {shape=[1, 6, 1, 1]}; %b = reshape @w {shape=[6]}; "
     "%c = conv %x, %w, %b {groups=6, strides=[2, 1]}; %y = mul %s, %c",
     "%w = reshape @w {shape=[6, 1, 1, 1]}; %s = reshape @w {shape=[1, 6, 1, 1]}; %b = reshape @w {shape=[6]}; "
     "%0 = reshape %s {shape=[6]}; %1 = mul %b, %0; %2 = reshape %0 {shape=[6, 1, 1, 1]}; %3 = mul %w, %2; "
     "%y = conv %x, %3, %1 {groups=6, strides=[2, 1]}"},
    // For each row; for each channel and row; an input; of a conv that is used besides; other weights; larger than conv.
    {"conv_scale", "%x: f32[N, 3, 2]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2], value=2}; %c = conv %x, %w; %y = mul %c, %s", ""},
    {"conv_scale", "%x: f32[N, 3, 2]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2, 2], value=2}; %c = conv %x, %w; %y = mul %c, %s", ""},
    {"conv_scale", "%x: f32[N, 3, 5], %s: f32[2, 1]",
     "%w = reshape @w {shape=[2, 3, 1]}; %c = conv %x, %w; %y = mul %c, %s", ""},
    {"conv_scale", "%x: f32[N, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2, 1], value=2}; %c = conv %x, %w; %y = mul %c, %s; "
     "return %y, %c",
     ""},
    {"conv_scale", "%x: f32[N, 3, 5], %w: f32[2, 3, 1]",
     "%s = full {shape=[2, 1], value=2}; %c = conv %x, %w; %y = mul %c, %s", ""},
    {"conv_scale", "%x: f32[1, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[4, 1, 2, 1], value=2}; %c = conv %x, %w; %y = mul %c, %s",
     ""},
    {"conv_bias", "%x: f32[N, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[1, 2, 1], value=2}; %c = conv %x, %w; %y = add %s, %c",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[1, 2, 1], value=2}; %0 = reshape %s {shape=[2]}; "
     "%y = conv %x, %w, %0"},
    {"conv_bias", "%x: f32[N, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %b = full {shape=[2], value=3}; %s = full {shape=[2, 1], value=2}; "
     "%c = conv %x, %w, %b; %y = add %c, %s",
     "%w = reshape @w {shape=[2, 3, 1]}; %b = full {shape=[2], value=3}; %s = full {shape=[2, 1], value=2}; "
     "%0 = reshape %s {shape=[2]}; %1 = add %b, %0; %y = conv %x, %w, %1"},
    // For each row; of a conv that is used besides; two convs.
    {"conv_bias", "%x: f32[N, 3, 2]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[1, 2], value=2}; %c = conv %x, %w; %y = add %c, %s", ""},
    {"conv_bias", "%x: f32[N, 3, 5]",
     "%w = reshape @w {shape=[2, 3, 1]}; %s = full {shape=[2, 1], value=2}; %c = conv %x, %w; %y = add %c, %s; "
     "return %y, %c",
     ""},
    {"conv_bias", "%x: f32[N, 3, 5]", "%w = reshape @w {shape=[2, 3, 1]}; %c = conv %x, %w; %y = add %c, %c", ""},
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

// Weights that differ in every element, all parameters, groups.
constexpr std::string_view kConv = R"(ingot 1
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
})";

void expect_conv_alone(const Graph& f) {
  ASSERT_EQ(f.nodes.size(), 1U);
  EXPECT_TRUE(f.nodes[0].op.get_if<op::Conv>());
}

TEST(RecognizeFusion, ConvWithAllParameters) {
  const Program before = parse(kConv);
  const Program folded = optimize(before, {.evaluate = reference::evaluate, .is_constant = every_weight});
  expect_conv_alone(*folded.method("f"));
  expect_same_results(before, folded);
  const Program after = optimize(before, {.evaluate = reference::evaluate});
  expect_same_results(before, after);
  expect_conv_alone(*hoist_parameter_only(after).program.method("f"));
}

// As exporters write it: a bias, and what is left of a batch norm. Sizes [4, 1] are not those of weights.
TEST(RecognizeFusion, ConvWithScaleAndShift) {
  const Program before = parse(R"(ingot 1
weight @w : f32[4, 2, 2] = [0.5, -1, 2, 0.25, -0.75, 1.5, 3, -2, 1, 2, 3, 4, 5, 6, 7, 8]
weight @b : f32[4, 1] = [1, -1, 0.5, 2]
weight @scale : f32[1, 4, 1] = [2, -1, 0.5, 3]
weight @shift : f32[4, 1] = [0, 1, -2, 0.5]
method f(%x: f32[3, 2, 7]) -> (y) {
  %c = conv %x, @w
  %d = add %c, @b
  %e = mul %d, @scale
  %y = add @shift, %e
  return %y
})");
  const Program after = optimize(before, {.evaluate = reference::evaluate});
  expect_same_results(before, after);
  expect_conv_alone(*hoist_parameter_only(after).program.method("f"));
}

// Where nothing is hoisted, new weights would be computed with every call.
TEST(RecognizeFusion, ConvInAMethodThatIsCalled) {
  const Program before = parse(std::string(kConv) + R"(
method g(%x: f32[3, 2, 7]) -> (y) {
  %y = call [%x] {graph=@f}
  return %y
})");
  EXPECT_EQ(text_of(optimize(before, {.evaluate = reference::evaluate})), text_of(before));
}

// A weight of 4 bits, which is unpacked before calls where that takes at most a MiB.
TEST(RecognizeFusion, ConvWithAPackedWeight) {
  for (const int64_t channels : {512, 513}) {
    ProgramBuilder program;
    const QuantScheme scheme{.method = QuantMethod::symmetric, .bits = 4, .group = 32, .scale = DType::f16};
    const WeightId packed = program.weight(Weight::of("w", Tensor::allocate(DType::packed, {channels, 512}, scheme)));
    GraphBuilder& f = program.method("f");
    const Var w = f.reshape(f.dequantize(f.weight(packed)), {channels, 512, 1}), m = f.full({channels}, 0.5);
    f.output("y", f.batch_norm(f.conv(f.input("x", {DType::f32, {1, 512, 2}}), w), m, m));
    const Program after = optimize(program.build());
    EXPECT_EQ(after.method("f")->nodes.back().op.opcode(), channels == 512 ? Opcode::conv : Opcode::batch_norm);
  }
}

}  // namespace
}  // namespace ingot::test
