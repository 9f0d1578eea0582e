// Norms and softmax as exporters spell them.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kCases[] = {
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=2}; "
     "%m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; %q = pow %c, %n; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d",
     "%y = layer_norm %x"},
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.001}; %m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; "
     "%q = mul %c, %c; %v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %e, %v; %d = rsqrt %a; "
     "%y = mul %d, %c",
     "%y = layer_norm %x {eps=0.001}"},
    {"layer_norm", "%x: f32[S, 4, 3]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[-1, 1], keepdims=true}; %c = sub %x, %m; "
     "%v = reduce_var %x {axes=[1, 2], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d",
     "%y = layer_norm %x {axis=-2}"},
    // Not the last axis; another axis for the variance; the unbiased variance; the mean of something else.
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[0], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[0], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d",
     ""},
    {"layer_norm", "%x: f32[8, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[0, 1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d",
     ""},
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%v = reduce_var %x {axes=[1], keepdims=true, ddof=1}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d",
     ""},
    {"layer_norm", "%x: f32[S, 8], %z: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %z {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d",
     ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x; %y = mul %w, %n", "%y = layer_norm %x, %w"},
    {"layer_norm_weight", "%x: f32[S, 2, 4], %w: f16[1, 2, 4]",
     "%n = layer_norm %x {axis=1, eps=0.01}; %y = mul %n, %w",
     "%0 = reshape %w {shape=[2, 4]}; %y = layer_norm %x, %0 {axis=1, eps=0.01}"},
    {"layer_norm_weight", "%x: f32[8, 8], %w: f32[8, 1]", "%n = layer_norm %x; %y = mul %n, %w", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f64[8]", "%n = layer_norm %x; %y = mul %n, %w", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x, %w; %y = mul %n, %w", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x; %y = mul %n, %w; return %y, %n", ""},
    {"layer_norm_bias", "%x: f32[S, 8], %w: f32[8], %b: f32[8]", "%n = layer_norm %x, %w {eps=0.01}; %y = add %b, %n",
     "%y = layer_norm %x, %w, %b {eps=0.01}"},
    {"layer_norm_bias", "%x: f32[S, 8], %b: f32[8]", "%n = layer_norm %x; %y = add %n, %b",
     "%y = layer_norm %x, _, %b"},
    {"layer_norm_bias", "%x: f32[S, 8], %b: f32[S, 8]", "%n = layer_norm %x; %y = add %n, %b", ""},
    {"layer_norm_of_casts", "%x: f16[S, 8], %w: f32[8]",
     "%u = cast %x {dtype=f32}; %n = layer_norm %u, %w; %y = cast %n {dtype=f16}", "%y = layer_norm %x, %w"},
    {"layer_norm_of_casts", "%x: bf16[S, 8], %w: f32[8]",
     "%u = cast %x {dtype=f32}; %n = layer_norm %u, %w; %y = cast %n {dtype=f16}", ""},
    // ----------------------------------------------------------------------------------------------------- rms_norm
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.000001}; %n = full {shape=[], value=2}; %q = pow %x, %n; "
     "%v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     "%y = rms_norm %x {eps=0.000001}"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = sqrt %a; %r = reciprocal %d; %y = mul %r, %x",
     "%y = rms_norm %x"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %o = full {shape=[], value=1}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %r = div %o, %d; "
     "%y = mul %x, %r",
     "%y = rms_norm %x"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %p = full {shape=[], value=-0.5}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = pow %a, %p; %y = mul %x, %r",
     "%y = rms_norm %x"},
    {"rms_norm", "%x: f16[S, 8]",
     "%e = full {shape=[], value=0.001, dtype=f16}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = rsqrt %a; %y = mul %x, %r",
     "%y = rms_norm %x {eps=0.001}"},
    // Of a product, with a number or without.
    {"rms_norm", "%h: f32[S, 8], %w: f32[8]",
     "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=2}; %x = mul %h, %w; %q = pow %x, %n; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = rsqrt %a; %y = mul %x, %r",
     "%x = mul %h, %w; %y = rms_norm %x"},
    {"rms_norm", "%h: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=8}; %x = mul %h, %n; %q = square %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = rsqrt %a; %y = mul %x, %r",
     "%n = full {shape=[], value=8}; %x = mul %h, %n; %y = rms_norm %x"},
    {"rms_norm", "%h: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=8}; %x = mul %h, %n; %q = mul %x, %h; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = rsqrt %a; %y = mul %x, %r",
     ""},
    // A sum is no mean; without keepdims it is another row's; of another value; eps that may be anything.
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_sum %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    {"rms_norm", "%x: f32[8, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1]}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    {"rms_norm", "%x: f32[S, 8], %z: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %z; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    {"rms_norm", "%x: f32[S, 8], %e: f32[]",
     "%q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=-0.5}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    // The mean of f16 in f32 makes the result f32.
    {"rms_norm", "%x: f16[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true, dtype=f32}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d",
     ""},
    {"rms_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = rms_norm %x {eps=0.01}; %y = mul %w, %n",
     "%y = rms_norm %x, %w {eps=0.01}"},
    {"rms_norm_weight", "%x: f16[S, 8], %w: f16[8]", "%n = rms_norm %x; %y = mul %w, %n", "%y = rms_norm %x, %w"},
    {"rms_norm_weight", "%x: f16[S, 8], %w: f32[8]", "%n = rms_norm %x; %y = mul %w, %n", ""},
    {"rms_norm_weight", "%x: f32[S, 8], %w: f32[]", "%n = rms_norm %x; %y = mul %w, %n", ""},
    {"rms_norm_of_casts", "%x: bf16[S, 8]", "%u = cast %x {dtype=f32}; %n = rms_norm %u; %y = cast %n {dtype=bf16}",
     "%y = rms_norm %x"},
    {"rms_norm_of_casts", "%x: bf16[S, 8]", "%u = cast %x {dtype=f64}; %n = rms_norm %u; %y = cast %n {dtype=bf16}",
     ""},
    {"rms_norm_of_casts", "%x: bf16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = rms_norm %u; %y = cast %n {dtype=bf16}; return %y, %n", ""},
    // ------------------------------------------------------------------------------------------------------ softmax
    {"softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s",
     "%y = softmax %x"},
    {"softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[0], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[0], keepdims=true}; %r = reciprocal %s; %y = mul %r, %e",
     "%y = softmax %x {axis=-2}"},
    // Overflows without the maximum; another axis; another value's maximum.
    {"softmax", "%x: f32[S, 8]", "%e = exp %x; %s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s", ""},
    {"softmax", "%x: f32[8, 8]",
     "%m = reduce_max %x {axes=[1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[0], keepdims=true}; %y = div %e, %s",
     ""},
    {"softmax", "%x: f32[S, 8], %z: f32[S, 8]",
     "%m = reduce_max %z {axes=[1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s",
     ""},
    {"log_softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[-1], keepdims=true}; %l = log %s; %y = sub %d, %l",
     "%y = softmax %x {log=true}"},
    {"log_softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[-1], keepdims=true}; %l = log %s; %y = sub %x, %l",
     ""},
    {"softmax_of_casts", "%x: f16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = softmax %u {axis=0}; %y = cast %n {dtype=f16}", "%y = softmax %x {axis=0}"},
    {"softmax_of_casts", "%x: f16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = softmax %u; %y = cast %n {dtype=f16, saturate=true}", ""},
};

TEST(RecognizeNorm, EachRule) { expect_each(kCases, norm_rules()); }
TEST(RecognizeNorm, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, norm_rules()); }

TEST(RecognizeNorm, InThePipeline) {
  // With two differences, as written before common ones are one.
  expect_optimized("%x: f32[S, 8], %w: f32[8], %b: f32[8]",
                   "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=2}; "
                   "%m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; %u = sub %x, %m; "
                   "%q = pow %u, %n; %v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
                   "%g = div %c, %d; %s = mul %g, %w; %y = add %s, %b",
                   "%y = layer_norm %x, %w, %b {eps=0.000009999999747378752}");
  // The axis of the variance put back.
  expect_optimized("%x: f32[S, T, 8]",
                   "%e = full {shape=[], value=0.5}; %m = reduce_mean %x {axes=[2], keepdims=true}; %c = sub %x, %m; "
                   "%q = mul %c, %c; %v = reduce_mean %q {axes=[2]}; %u = reshape %v {shape=[S, T, 1]}; "
                   "%a = add %u, %e; %d = sqrt %a; %y = div %c, %d",
                   "%y = layer_norm %x {eps=0.5}");
  // f32 inside, f16 outside, and the weight in f16.
  expect_optimized("%x: f16[S, 8], %w: f16[8]",
                   "%u = cast %x {dtype=f32}; %e = full {shape=[], value=0.5}; %n = full {shape=[], value=2}; "
                   "%q = pow %u, %n; %v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; "
                   "%d = rsqrt %a; %g = mul %u, %d; %h = cast %g {dtype=f16}; %y = mul %w, %h",
                   "%y = rms_norm %x, %w {eps=0.5}");
}

// Norms that others use stay for them.
TEST(RecognizeNorm, OutputsInBetween) {
  expect_optimized("%x: f32[S, 8], %w: f32[8]",
                   "%e = full {shape=[], value=0.5}; %q = mul %x, %x; "
                   "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = rsqrt %a; %g = mul %x, %d; "
                   "%y = mul %w, %g; return %y, %a",
                   "%e = full {shape=[], value=0.5}; %q = mul %x, %x; "
                   "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; "
                   "%y = rms_norm %x, %w {eps=0.5}; return %y, %a");
}

}  // namespace
}  // namespace ingot::test
