// Activations as exporters spell them.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kCases[] = {
    {"sigmoid_as_reciprocal", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %n = neg %x; %e = exp %n; %a = add %e, %o; %y = reciprocal %a", "%y = sigmoid %x"},
    {"sigmoid_as_reciprocal", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %e = exp %x; %a = add %e, %o; %y = reciprocal %a", ""},
    {"sigmoid_as_quotient", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %m = full {shape=[], value=-1}; %n = mul %x, %m; %e = exp %n; %a = add %o, %e; "
     "%y = div %o, %a",
     "%y = sigmoid %x"},
    {"sigmoid_as_quotient", "%h: f32[S], %w: f32[S]",
     "%o = full {shape=[], value=1}; %x = mul %h, %w; %n = neg %x; %e = exp %n; %a = add %o, %e; %y = div %o, %a",
     "%x = mul %h, %w; %y = sigmoid %x"},
    {"sigmoid_as_quotient", "%h: f32[S], %w: f32[S]",
     "%o = full {shape=[], value=1}; %n = neg %h; %x = mul %n, %w; %e = exp %x; %a = add %o, %e; %y = div %o, %a", ""},
    {"sigmoid_as_quotient", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %t = full {shape=[], value=2}; %n = neg %x; %e = exp %n; %a = add %t, %e; "
     "%y = div %o, %a",
     ""},
    {"silu_as_product", "%x: f32[S, 2]", "%s = sigmoid %x; %y = mul %s, %x", "%y = silu %x"},
    {"silu_as_product", "%x: bf16[S]", "%s = sigmoid %x; %y = mul %x, %s; return %y, %s",
     "%s = sigmoid %x; %y = silu %x; return %y, %s"},
    {"silu_as_product", "%x: f32[S], %z: f32[S]", "%s = sigmoid %z; %y = mul %s, %x", ""},
    {"silu_as_product", "%x: f32[S]",
     "%h = full {shape=[], value=2}; %s = sigmoid %x; %a = mul %s, %x; %y = mul %a, %h; return %a, %y",
     "%h = full {shape=[], value=2}; %a = silu %x; %y = mul %a, %h; return %a, %y"},
    // x may be a product itself, with a number or without; the gate of a factor is another.
    {"silu_as_product", "%h: f32[S, 2], %w: f32[2]", "%x = mul %h, %w; %s = sigmoid %x; %y = mul %x, %s",
     "%x = mul %h, %w; %y = silu %x"},
    {"silu_as_product", "%h: f32[S]",
     "%c = full {shape=[], value=3}; %x = mul %h, %c; %s = sigmoid %x; %y = mul %s, %x",
     "%c = full {shape=[], value=3}; %x = mul %h, %c; %y = silu %x"},
    {"silu_as_product", "%h: f32[S], %w: f32[S]", "%x = mul %h, %w; %s = sigmoid %h; %y = mul %x, %s", ""},
    {"silu_as_product", "%h: f32[S]",
     "%c = full {shape=[], value=3}; %x = mul %h, %c; %s = sigmoid %h; %y = mul %s, %x", ""},
    // The result would have another dtype.
    {"silu_as_product", "%x: f16[S]", "%s = sigmoid %x; %c = cast %s {dtype=f32}; %y = mul %c, %x", ""},
    {"silu_as_quotient", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %n = neg %x; %e = exp %n; %a = add %e, %o; %y = div %x, %a", "%y = silu %x"},
    {"silu_as_quotient", "%x: f32[S], %z: f32[S]",
     "%o = full {shape=[], value=1}; %n = neg %x; %e = exp %n; %a = add %e, %o; %y = div %z, %a", ""},
    {"quick_gelu", "%x: f32[S]", "%c = full {shape=[], value=1.702}; %a = mul %x, %c; %s = sigmoid %a; %y = mul %x, %s",
     "%y = quick_gelu %x"},
    {"quick_gelu", "%x: f32[S]", "%c = full {shape=[], value=1.7}; %a = mul %x, %c; %s = sigmoid %a; %y = mul %x, %s",
     ""},
    {"mish", "%x: f32[S]", "%p = softplus %x; %t = tanh %p; %y = mul %x, %t", "%y = mish %x"},
    {"mish", "%x: f32[S]", "%p = softplus %x; %t = sigmoid %p; %y = mul %x, %t", ""},
    {"hard_swish", "%x: f32[S]", "%g = hard_sigmoid %x {alpha=0.1666666716337204, beta=0.5}; %y = mul %g, %x",
     "%y = hard_swish %x"},
    {"hard_swish", "%x: f16[S]", "%g = hard_sigmoid %x {alpha=0.16666666666666666}; %y = mul %x, %g",
     "%y = hard_swish %x"},
    // Another slope, another offset, a slope that f64 rounds otherwise, another value.
    {"hard_swish", "%x: f32[S]", "%g = hard_sigmoid %x; %y = mul %x, %g", ""},
    {"hard_swish", "%x: f32[S]", "%g = hard_sigmoid %x {alpha=0.1666666716337204, beta=0.25}; %y = mul %x, %g", ""},
    {"hard_swish", "%x: f64[S]", "%g = hard_sigmoid %x {alpha=0.1666666716337204}; %y = mul %x, %g", ""},
    {"hard_swish", "%x: f32[S], %z: f32[S]", "%g = hard_sigmoid %z {alpha=0.1666666716337204}; %y = mul %x, %g", ""},
    // --------------------------------------------------------------------------------------------------------- gelu
    {"gelu", "%x: f32[S, 3]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %r = full {shape=[], value=1.4142135623730951}; "
     "%d = div %x, %r; %e = erf %d; %p = add %o, %e; %a = mul %x, %h; %y = mul %a, %p",
     "%y = gelu %x"},
    {"gelu", "%x: f32[S, 3]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %r = full {shape=[], value=0.70710678}; "
     "%d = mul %r, %x; %e = erf %d; %p = add %e, %o; %a = mul %x, %p; %y = mul %h, %a",
     "%y = gelu %x"},
    {"gelu", "%x: f32[S, 3]",
     "%t = full {shape=[], value=2}; %o = full {shape=[], value=1}; %r = full {shape=[], value=0.70710678}; "
     "%d = mul %r, %x; %e = erf %d; %p = add %e, %o; %a = div %p, %t; %y = mul %a, %x",
     "%y = gelu %x"},
    {"gelu", "%u: f32[S, 3], %w: f32[3]",
     "%x = mul %u, %w; %h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; "
     "%r = full {shape=[], value=0.70710678}; %d = mul %r, %x; %e = erf %d; %p = add %e, %o; %a = mul %x, %h; "
     "%y = mul %a, %p",
     "%x = mul %u, %w; %y = gelu %x"},
    {"gelu", "%u: f32[S, 3], %w: f32[S, 3]",
     "%x = mul %u, %w; %h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; "
     "%r = full {shape=[], value=0.70710678}; %d = mul %r, %u; %e = erf %d; %p = add %e, %o; %a = mul %x, %h; "
     "%y = mul %a, %p",
     ""},
    // f16 rounds the number, and the composite less.
    {"gelu", "%x: f16[S]",
     "%h = full {shape=[], value=0.5, dtype=f16}; %o = full {shape=[], value=1, dtype=f16}; "
     "%r = full {shape=[], value=1.4140625, dtype=f16}; %d = div %x, %r; %e = erf %d; %p = add %o, %e; "
     "%a = mul %x, %h; %y = mul %a, %p",
     "%y = gelu %x"},
    {"gelu", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %r = full {shape=[], value=0.7071}; "
     "%d = mul %x, %r; %e = erf %d; %p = add %o, %e; %a = mul %x, %h; %y = mul %a, %p",
     ""},
    {"gelu", "%x: f32[S]",
     "%o = full {shape=[], value=1}; %r = full {shape=[], value=0.70710678}; "
     "%d = mul %x, %r; %e = erf %d; %p = add %o, %e; %y = mul %x, %p",
     ""},
    {"gelu", "%x: f32[S], %z: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %r = full {shape=[], value=0.70710678}; "
     "%d = mul %z, %r; %e = erf %d; %p = add %o, %e; %a = mul %x, %h; %y = mul %a, %p",
     ""},
    // Computed in f64, so the result is not that of gelu in f32.
    {"gelu", "%x: f32[S]",
     "%h = full {shape=[], value=0.5, dtype=f64}; %o = full {shape=[], value=1}; "
     "%r = full {shape=[], value=0.70710678}; %d = mul %x, %r; %e = erf %d; %p = add %o, %e; %a = mul %x, %h; "
     "%y = mul %a, %p",
     ""},
    {"gelu_tanh", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %k = full {shape=[], value=0.044715}; "
     "%r = full {shape=[], value=0.7978845608}; %n = full {shape=[], value=3}; %c = pow %x, %n; %d = mul %c, %k; "
     "%i = add %x, %d; %j = mul %i, %r; %t = tanh %j; %p = add %t, %o; %a = mul %x, %h; %y = mul %a, %p",
     "%y = gelu_tanh %x"},
    {"gelu_tanh", "%u: f32[S], %w: f32[S]",
     "%x = mul %u, %w; %h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; "
     "%k = full {shape=[], value=0.044715}; %r = full {shape=[], value=0.7978845608}; %n = full {shape=[], value=3}; "
     "%c = pow %x, %n; %d = mul %c, %k; %i = add %x, %d; %j = mul %i, %r; %t = tanh %j; %p = add %t, %o; "
     "%a = mul %x, %h; %y = mul %a, %p",
     "%x = mul %u, %w; %y = gelu_tanh %x"},
    {"gelu_tanh", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %k = full {shape=[], value=0.044715}; "
     "%r = full {shape=[], value=0.7978845608}; %q = square %x; %d = mul %q, %k; %i = add %d, %o; %v = mul %x, %r; "
     "%j = mul %v, %i; %t = tanh %j; %p = add %o, %t; %a = mul %x, %p; %y = mul %a, %h",
     "%y = gelu_tanh %x"},
    {"gelu_tanh", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %k = full {shape=[], value=0.044715}; "
     "%r = full {shape=[], value=0.7978845608}; %q = mul %x, %x; %u = mul %x, %q; %d = mul %u, %k; "
     "%i = add %d, %x; %j = mul %i, %r; %t = tanh %j; %p = add %t, %o; %a = mul %x, %h; %y = mul %a, %p",
     "%y = gelu_tanh %x"},
    {"gelu_tanh", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %k = full {shape=[], value=0.044715}; "
     "%r = full {shape=[], value=0.7978845608}; %q = mul %x, %x; %d = mul %q, %k; "
     "%i = add %d, %x; %j = mul %i, %r; %t = tanh %j; %p = add %t, %o; %a = mul %x, %h; %y = mul %a, %p",
     ""},
    {"gelu_tanh", "%x: f32[S]",
     "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; %k = full {shape=[], value=0.0447}; "
     "%r = full {shape=[], value=0.7978845608}; %n = full {shape=[], value=3}; %c = pow %x, %n; %d = mul %c, %k; "
     "%i = add %x, %d; %j = mul %i, %r; %t = tanh %j; %p = add %t, %o; %a = mul %x, %h; %y = mul %a, %p",
     ""},
    // ----------------------------------------------------------------------------------------------------------- glu
    {"glu", "%v: f32[S, 2], %g: f32[S, 2]", "%s = sigmoid %g; %y = mul %v, %s", "%y = glu %v, %g"},
    {"glu", "%v: f64[S], %g: f64[S]", "%s = sigmoid %g; %y = mul %s, %v", "%y = glu %v, %g"},
    {"glu", "%v: bf16[S], %g: bf16[S]", "%s = silu %g; %y = mul %s, %v", "%y = swiglu %v, %g"},
    {"glu", "%v: f16[S], %g: f16[S]", "%s = gelu %g; %y = mul %v, %s", "%y = geglu %v, %g"},
    {"glu", "%v: f32[S], %g: f32[S]", "%s = gelu_tanh %g; %y = mul %v, %s", "%y = geglu_tanh %v, %g"},
    {"glu", "%v: f32[S], %g: f32[S]", "%s = relu %g; %y = mul %v, %s", "%y = reglu %v, %g"},
    // Halves of one value, either of which may be the gate.
    {"glu", "%x: f32[S, 6]",
     "%v = slice %x {axes=[1], starts=[0], stops=[3]}; %g = slice %x {axes=[1], starts=[3], stops=[6]}; "
     "%s = sigmoid %g; %y = mul %v, %s",
     "%v = slice %x {axes=[1], starts=[0], stops=[3]}; %g = slice %x {axes=[1], starts=[3], stops=[6]}; "
     "%y = glu %v, %g"},
    {"glu", "%x: f32[S, 6]",
     "%g = slice %x {axes=[1], starts=[0], stops=[3]}; %v = slice %x {axes=[1], starts=[3], stops=[6]}; "
     "%s = silu %g; %y = mul %s, %v",
     "%g = slice %x {axes=[1], starts=[0], stops=[3]}; %v = slice %x {axes=[1], starts=[3], stops=[6]}; "
     "%y = swiglu %v, %g"},
    // As in the cell of an LSTM; of two gates the second.
    {"glu", "%i: f32[S], %c: f32[S]", "%s = sigmoid %i; %t = tanh %c; %y = mul %s, %t",
     "%t = tanh %c; %y = glu %t, %i"},
    {"glu", "%i: f32[S], %c: f32[S]", "%s = sigmoid %i; %t = sigmoid %c; %y = mul %s, %t",
     "%s = sigmoid %i; %y = glu %s, %c"},
    // Gates of themselves.
    {"glu", "%x: f32[S]", "%s = sigmoid %x; %y = mul %x, %s", ""},
    {"glu", "%x: f32[S]", "%s = gelu %x; %y = mul %s, %x", ""},
    {"glu", "%x: f32[S]", "%c = full {shape=[], value=1.7}; %g = mul %c, %x; %s = sigmoid %g; %y = mul %x, %s", ""},
    {"glu", "%u: f32[S], %w: f32[S]",
     "%c = full {shape=[], value=1.7}; %x = mul %u, %w; %g = mul %c, %x; %s = sigmoid %g; %y = mul %x, %s", ""},
    {"glu", "%x: f32[S], %c: f32[]", "%g = mul %c, %x; %s = sigmoid %g; %y = mul %x, %s", ""},
    {"glu", "%x: f32[S]", "%s = relu %x; %y = mul %s, %s", ""},
    // The gate would be computed twice.
    {"glu", "%v: f32[S], %g: f32[S]", "%s = sigmoid %g; %y = mul %v, %s; return %y, %s", ""},
    {"glu", "%v: f32[S], %g: f32[S]",
     "%o = full {shape=[], value=1}; %z = sigmoid %g; %r = sub %o, %z; %a = mul %v, %z; %y = add %a, %r", ""},
    // Operands of other shapes, dtypes and kinds.
    {"glu", "%v: f32[S, 3], %g: f32[S, 1]", "%s = sigmoid %g; %y = mul %v, %s", ""},
    {"glu", "%v: f32[3], %g: f32[S, 3]", "%s = sigmoid %g; %y = mul %v, %s", ""},
    {"glu", "%v: f32[S], %g: f16[S]", "%s = sigmoid %g; %y = mul %v, %s", ""},
    {"glu", "%v: i32[S], %g: i32[S]", "%s = relu %g; %y = mul %v, %s", ""},
    {"glu", "%g: f32[]", "%h = full {shape=[], value=0.5}; %s = sigmoid %g; %y = mul %h, %s", ""},
    // Other functions.
    {"glu", "%v: f32[S], %g: f32[S]", "%s = tanh %g; %y = mul %v, %s", ""},
    {"glu", "%v: f32[S], %g: f32[S]", "%s = sigmoid %g; %y = add %v, %s", ""},
    {"glu", "%v: f32[S], %g: f32[S]", "%s = sigmoid %g; %y = div %v, %s", ""},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = glu %v, %g; %y = mul %g, %a", "%y = swiglu %v, %g"},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = glu %v, %g; %y = mul %a, %g", "%y = swiglu %v, %g"},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = glu %v, %g; %y = mul %a, %v", ""},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = swiglu %v, %g; %y = mul %a, %g", ""},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = glu %v, %g; %y = mul %a, %g; return %y, %a", ""},
    {"swiglu_of_glu", "%v: f32[S], %g: f32[S]", "%a = glu %v, %g; %y = add %a, %g", ""},
};

TEST(RecognizeActivation, EachRule) { expect_each(kCases, activation_rules()); }
TEST(RecognizeActivation, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, activation_rules()); }

TEST(RecognizeActivation, InThePipeline) {
  expect_optimized("%x: f32[S]",
                   "%o = full {shape=[], value=1}; %n = neg %x; %e = exp %n; %a = add %o, %e; %g = div %o, %a; "
                   "%y = mul %g, %x",
                   "%y = silu %x");
}

// Gates are recognised first, and what gates itself stays what it is.
TEST(RecognizeActivation, GatedInThePipeline) {
  expect_optimized("%v: f32[S], %g: f32[S]", "%s = sigmoid %g; %a = mul %g, %s; %y = mul %a, %v", "%y = swiglu %v, %g");
  expect_optimized("%v: f32[S], %g: f32[S]", "%s = sigmoid %g; %a = mul %v, %s; %y = mul %g, %a", "%y = swiglu %v, %g");
  expect_optimized("%v: f32[S], %g: f32[S]",
                   "%o = full {shape=[], value=1}; %n = neg %g; %e = exp %n; %a = add %o, %e; %s = div %o, %a; "
                   "%y = mul %s, %v",
                   "%y = glu %v, %g");
  expect_optimized("%v: f32[S], %g: f32[S]",
                   "%h = full {shape=[], value=0.5}; %o = full {shape=[], value=1}; "
                   "%r = full {shape=[], value=1.4142135623730951}; %d = div %g, %r; %e = erf %d; %p = add %o, %e; "
                   "%a = mul %g, %h; %b = mul %a, %p; %y = mul %v, %b",
                   "%y = geglu %v, %g");
  expect_optimized("%x: f32[S]", "%c = full {shape=[], value=1.702}; %a = mul %x, %c; %s = sigmoid %a; %y = mul %x, %s",
                   "%y = quick_gelu %x");
}

// A chain of products has as many factors as a product of products twice as long; both are looked at briefly.
TEST(RecognizeActivation, LongChains) {
  std::string body = "%v0 = mul %x, %x; ";
  for (int i = 1; i < 60; ++i) body += fmt::format("%v{} = mul %v{}, %v{}; ", i, i - 1, i - 1);
  const Program program = program_of("%x: f32[S]", body + "return %v59");
  EXPECT_EQ(text_of(recognize(program)), text_of(program));
}

}  // namespace
}  // namespace ingot::test
