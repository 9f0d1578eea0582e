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
};

TEST(RecognizeActivation, EachRule) { expect_each(kCases, activation_rules()); }
TEST(RecognizeActivation, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, activation_rules()); }

TEST(RecognizeActivation, InThePipeline) {
  expect_optimized("%x: f32[S]",
                   "%o = full {shape=[], value=1}; %n = neg %x; %e = exp %n; %a = add %o, %e; %g = div %o, %a; "
                   "%y = mul %g, %x",
                   "%y = silu %x");
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
