// Norms and softmax as exporters spell them.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RecognizeCase kCases[] = {
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=2}; "
     "%m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; %q = pow %c, %n; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d; return %y",
     "%y = layer_norm %x; return %y"},
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.001}; %m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; "
     "%q = mul %c, %c; %v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %e, %v; %d = rsqrt %a; "
     "%y = mul %d, %c; return %y",
     "%y = layer_norm %x {eps=0.001}; return %y"},
    {"layer_norm", "%x: f32[S, 4, 3]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[-1, 1], keepdims=true}; %c = sub %x, %m; "
     "%v = reduce_var %x {axes=[1, 2], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d; return %y",
     "%y = layer_norm %x {axis=-2}; return %y"},
    // Not the last axis; another axis for the variance; the unbiased variance; the mean of something else.
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[0], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[0], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d; return %y",
     ""},
    {"layer_norm", "%x: f32[8, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[0, 1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d; return %y",
     ""},
    {"layer_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %x {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%v = reduce_var %x {axes=[1], keepdims=true, ddof=1}; %a = add %v, %e; %d = sqrt %a; %y = div %c, %d; return %y",
     ""},
    {"layer_norm", "%x: f32[S, 8], %z: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %m = reduce_mean %z {axes=[1], keepdims=true}; %c = sub %x, %m; "
     "%q = square %c; %v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
     "%y = div %c, %d; return %y",
     ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x; %y = mul %w, %n; return %y",
     "%y = layer_norm %x, %w; return %y"},
    {"layer_norm_weight", "%x: f32[S, 2, 4], %w: f16[1, 2, 4]",
     "%n = layer_norm %x {axis=1, eps=0.01}; %y = mul %n, %w; return %y",
     "%0 = reshape %w {shape=[2, 4]}; %y = layer_norm %x, %0 {axis=1, eps=0.01}; return %y"},
    {"layer_norm_weight", "%x: f32[8, 8], %w: f32[8, 1]", "%n = layer_norm %x; %y = mul %n, %w; return %y", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f64[8]", "%n = layer_norm %x; %y = mul %n, %w; return %y", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x, %w; %y = mul %n, %w; return %y", ""},
    {"layer_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = layer_norm %x; %y = mul %n, %w; return %y, %n", ""},
    {"layer_norm_bias", "%x: f32[S, 8], %w: f32[8], %b: f32[8]",
     "%n = layer_norm %x, %w {eps=0.01}; %y = add %b, %n; return %y",
     "%y = layer_norm %x, %w, %b {eps=0.01}; return %y"},
    {"layer_norm_bias", "%x: f32[S, 8], %b: f32[8]", "%n = layer_norm %x; %y = add %n, %b; return %y",
     "%y = layer_norm %x, _, %b; return %y"},
    {"layer_norm_bias", "%x: f32[S, 8], %b: f32[S, 8]", "%n = layer_norm %x; %y = add %n, %b; return %y", ""},
    {"layer_norm_of_casts", "%x: f16[S, 8], %w: f32[8]",
     "%u = cast %x {dtype=f32}; %n = layer_norm %u, %w; %y = cast %n {dtype=f16}; return %y",
     "%y = layer_norm %x, %w; return %y"},
    {"layer_norm_of_casts", "%x: bf16[S, 8], %w: f32[8]",
     "%u = cast %x {dtype=f32}; %n = layer_norm %u, %w; %y = cast %n {dtype=f16}; return %y", ""},
    // ----------------------------------------------------------------------------------------------------- rms_norm
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.000001}; %n = full {shape=[], value=2}; %q = pow %x, %n; "
     "%v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     "%y = rms_norm %x {eps=0.000001}; return %y"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = sqrt %a; %r = reciprocal %d; %y = mul %r, %x; return %y",
     "%y = rms_norm %x; return %y"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %o = full {shape=[], value=1}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; %r = div %o, %d; "
     "%y = mul %x, %r; return %y",
     "%y = rms_norm %x; return %y"},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %p = full {shape=[], value=-0.5}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = pow %a, %p; %y = mul %x, %r; return %y",
     "%y = rms_norm %x; return %y"},
    {"rms_norm", "%x: f16[S, 8]",
     "%e = full {shape=[], value=0.001, dtype=f16}; %q = mul %x, %x; "
     "%v = reduce_mean %q {axes=[1], keepdims=true}; %a = add %v, %e; %r = rsqrt %a; %y = mul %x, %r; return %y",
     "%y = rms_norm %x {eps=0.001}; return %y"},
    // A sum is no mean; without keepdims it is another row's; of another value; eps that may be anything.
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_sum %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    {"rms_norm", "%x: f32[8, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1]}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    {"rms_norm", "%x: f32[S, 8], %z: f32[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %z; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    {"rms_norm", "%x: f32[S, 8], %e: f32[]",
     "%q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    {"rms_norm", "%x: f32[S, 8]",
     "%e = full {shape=[], value=-0.5}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    // The mean of f16 in f32 makes the result f32.
    {"rms_norm", "%x: f16[S, 8]",
     "%e = full {shape=[], value=0.00001}; %q = square %x; %v = reduce_mean %q {axes=[1], keepdims=true, dtype=f32}; "
     "%a = add %v, %e; %d = rsqrt %a; %y = mul %x, %d; return %y",
     ""},
    {"rms_norm_weight", "%x: f32[S, 8], %w: f32[8]", "%n = rms_norm %x {eps=0.01}; %y = mul %w, %n; return %y",
     "%y = rms_norm %x, %w {eps=0.01}; return %y"},
    {"rms_norm_weight", "%x: f16[S, 8], %w: f16[8]", "%n = rms_norm %x; %y = mul %w, %n; return %y",
     "%y = rms_norm %x, %w; return %y"},
    {"rms_norm_weight", "%x: f16[S, 8], %w: f32[8]", "%n = rms_norm %x; %y = mul %w, %n; return %y", ""},
    {"rms_norm_weight", "%x: f32[S, 8], %w: f32[]", "%n = rms_norm %x; %y = mul %w, %n; return %y", ""},
    {"rms_norm_of_casts", "%x: bf16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = rms_norm %u; %y = cast %n {dtype=bf16}; return %y", "%y = rms_norm %x; return %y"},
    {"rms_norm_of_casts", "%x: bf16[S, 8]",
     "%u = cast %x {dtype=f64}; %n = rms_norm %u; %y = cast %n {dtype=bf16}; return %y", ""},
    {"rms_norm_of_casts", "%x: bf16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = rms_norm %u; %y = cast %n {dtype=bf16}; return %y, %n", ""},
    // ------------------------------------------------------------------------------------------------------ softmax
    {"softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s; return %y",
     "%y = softmax %x; return %y"},
    {"softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[0], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[0], keepdims=true}; %r = reciprocal %s; %y = mul %r, %e; return %y",
     "%y = softmax %x {axis=-2}; return %y"},
    // Overflows without the maximum; another axis; another value's maximum.
    {"softmax", "%x: f32[S, 8]",
     "%e = exp %x; %s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s; return %y", ""},
    {"softmax", "%x: f32[8, 8]",
     "%m = reduce_max %x {axes=[1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[0], keepdims=true}; %y = div %e, %s; return %y",
     ""},
    {"softmax", "%x: f32[S, 8], %z: f32[S, 8]",
     "%m = reduce_max %z {axes=[1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[1], keepdims=true}; %y = div %e, %s; return %y",
     ""},
    {"log_softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[-1], keepdims=true}; %l = log %s; %y = sub %d, %l; return %y",
     "%y = softmax %x {log=true}; return %y"},
    {"log_softmax", "%x: f32[S, 8]",
     "%m = reduce_max %x {axes=[-1], keepdims=true}; %d = sub %x, %m; %e = exp %d; "
     "%s = reduce_sum %e {axes=[-1], keepdims=true}; %l = log %s; %y = sub %x, %l; return %y",
     ""},
    {"softmax_of_casts", "%x: f16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = softmax %u {axis=0}; %y = cast %n {dtype=f16}; return %y",
     "%y = softmax %x {axis=0}; return %y"},
    {"softmax_of_casts", "%x: f16[S, 8]",
     "%u = cast %x {dtype=f32}; %n = softmax %u; %y = cast %n {dtype=f16, saturate=true}; return %y", ""},
};

TEST(RecognizeNorm, EachRule) { expect_each(kCases, norm_rules()); }
TEST(RecognizeNorm, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, norm_rules()); }

TEST(RecognizeNorm, InThePipeline) {
  // With two differences, as written before common ones are one.
  expect_optimized("%x: f32[S, 8], %w: f32[8], %b: f32[8]",
                   "%e = full {shape=[], value=0.00001}; %n = full {shape=[], value=2}; "
                   "%m = reduce_mean %x {axes=[-1], keepdims=true}; %c = sub %x, %m; %u = sub %x, %m; "
                   "%q = pow %u, %n; %v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; %d = sqrt %a; "
                   "%g = div %c, %d; %s = mul %g, %w; %y = add %s, %b; return %y",
                   "%y = layer_norm %x, %w, %b {eps=0.000009999999747378752}; return %y");
  // f32 inside, f16 outside, and the weight in f16.
  expect_optimized("%x: f16[S, 8], %w: f16[8]",
                   "%u = cast %x {dtype=f32}; %e = full {shape=[], value=0.5}; %n = full {shape=[], value=2}; "
                   "%q = pow %u, %n; %v = reduce_mean %q {axes=[-1], keepdims=true}; %a = add %v, %e; "
                   "%d = rsqrt %a; %g = mul %u, %d; %h = cast %g {dtype=f16}; %y = mul %w, %h; return %y",
                   "%y = rms_norm %x, %w {eps=0.5}; return %y");
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
