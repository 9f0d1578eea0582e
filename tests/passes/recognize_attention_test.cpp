// Attention and rotary embeddings as exporters spell them.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr std::string_view kHeads = "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6]";

constexpr RuleCase kCases[] = {
    {"attention", kHeads,
     "%c = full {shape=[], value=0.25}; %m = matmul %q, %k {transpose_b=true}; %s = mul %m, %c; %p = softmax %s; "
     "%y = matmul %p, %v",
     "%y = attention %q, %k, %v {scale=0.25}"},
    {"attention", kHeads, "%m = matmul %q, %k {transpose_b=true}; %p = softmax %m {axis=3}; %y = matmul %p, %v",
     "%y = attention %q, %k, %v {scale=1}"},
    // Scale by division; on q; split between q and kᵀ.
    {"attention", kHeads,
     "%c = full {shape=[], value=4}; %m = matmul %q, %k {transpose_b=true}; %s = div %m, %c; %p = softmax %s; "
     "%y = matmul %p, %v",
     "%y = attention %q, %k, %v {scale=0.25}"},
    {"attention", kHeads,
     "%c = full {shape=[], value=0.5}; %t = transpose %k {perm=[0, 1, 3, 2]}; %a = mul %q, %c; %b = mul %t, %c; "
     "%m = matmul %a, %b; %p = softmax %m; %y = matmul %p, %v",
     "%y = attention %q, %k, %v {scale=0.25}"},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, T, 4, 8], %v: f32[2, 4, T, 6]",
     "%t = transpose %k {perm=[0, 2, 3, 1]}; %m = matmul %q, %t; %p = softmax %m; %y = matmul %p, %v",
     "%0 = transpose %k {perm=[0, 2, 1, 3]}; %y = attention %q, %0, %v {scale=1}"},
    // Batch and heads split behind the transpose; something else that is.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[T, 8, 8], %v: f32[2, 4, T, 6]",
     "%t = transpose %k {perm=[1, 2, 0]}; %u = reshape %t {shape=[2, 4, 8, T]}; %m = matmul %q, %u; %p = softmax %m; "
     "%y = matmul %p, %v",
     "%0 = transpose %k {perm=[1, 0, 2]}; %1 = reshape %0 {shape=[2, 4, T, 8]}; "
     "%y = attention %q, %1, %v {scale=1}"},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, T, 32], %v: f32[2, 4, T, 6]",
     "%t = transpose %k {perm=[0, 2, 1]}; %u = reshape %t {shape=[2, 4, 8, T]}; %m = matmul %q, %u; %p = softmax %m; "
     "%y = matmul %p, %v",
     ""},
    // Masks.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6], %z: f32[2, 1, S, T]",
     "%c = full {shape=[], value=0.25}; %m = matmul %q, %k {transpose_b=true}; %s = mul %m, %c; %a = add %z, %s; "
     "%p = softmax %a; %y = matmul %p, %v",
     "%y = attention %q, %k, %v, %z {scale=0.25}"},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6]",
     "%i = full {shape=[], value=-inf}; %z = full {shape=[S, T], value=true, dtype=bool}; "
     "%m = matmul %q, %k {transpose_b=true}; %a = select %z, %m, %i; %p = softmax %a; %y = matmul %p, %v",
     "%z = full {shape=[S, T], value=true, dtype=bool}; %y = attention %q, %k, %v, %z {scale=1}"},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6]",
     "%i = full {shape=[], value=-inf}; %z = full {shape=[S, T], value=false, dtype=bool}; "
     "%m = matmul %q, %k {transpose_b=true}; %a = select %z, %i, %m; %p = softmax %a; %y = matmul %p, %v",
     "%z = full {shape=[S, T], value=false, dtype=bool}; %0 = logical_not %z; "
     "%y = attention %q, %k, %v, %0 {scale=1}"},
    // A finite number hides no key from a row that has no other.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6], %z: bool[S, T]",
     "%i = full {shape=[], value=-1e30}; %m = matmul %q, %k {transpose_b=true}; %a = select %z, %m, %i; "
     "%p = softmax %a; %y = matmul %p, %v",
     ""},
    // It may be added: then it stays a number.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6], %z: bool[S, T]",
     "%i = full {shape=[], value=-1e9}; %o = full {shape=[], value=0}; %b = select %z, %o, %i; "
     "%m = matmul %q, %k {transpose_b=true}; %a = add %m, %b; %p = softmax %a; %y = matmul %p, %v",
     "%i = full {shape=[], value=-1e9}; %o = full {shape=[], value=0}; %b = select %z, %o, %i; "
     "%y = attention %q, %k, %v, %b {scale=1}"},
    {"attention", kHeads,
     "%c = full {shape=[], value=0.25}; %g = full {shape=[], value=8}; %m = matmul %q, %k {transpose_b=true}; "
     "%s = mul %m, %c; %d = div %s, %g; %t = tanh %d; %u = mul %t, %g; %p = softmax %u; %y = matmul %p, %v",
     "%y = attention %q, %k, %v {scale=0.25, softcap=8}"},
    // Heads that are shared.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6]",
     "%a = reshape %k {shape=[2, 2, 1, T, 8]}; %b = broadcast %a {shape=[2, 2, 2, T, 8]}; "
     "%c = reshape %b {shape=[2, 4, T, 8]}; %d = repeat %v {count=2, axis=1}; %m = matmul %q, %c {transpose_b=true}; "
     "%p = softmax %m; %y = matmul %p, %d",
     "%y = attention %q, %k, %v {scale=1}"},
    // Tiled, not repeated: other heads share.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6]",
     "%a = reshape %k {shape=[2, 1, 2, T, 8]}; %b = broadcast %a {shape=[2, 2, 2, T, 8]}; "
     "%c = reshape %b {shape=[2, 4, T, 8]}; %d = repeat %v {count=2, axis=1}; %m = matmul %q, %c {transpose_b=true}; "
     "%p = softmax %m; %y = matmul %p, %d",
     "%a = reshape %k {shape=[2, 1, 2, T, 8]}; %b = broadcast %a {shape=[2, 2, 2, T, 8]}; "
     "%c = reshape %b {shape=[2, 4, T, 8]}; %d = repeat %v {count=2, axis=1}; "
     "%y = attention %q, %c, %d {scale=1}"},
    // Batch and heads as one axis.
    {"attention", "%q: f32[6, S, 8], %k: f32[6, T, 8], %v: f32[6, T, 4], %z: f32[1, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %a = add %m, %z; %p = softmax %a; %y = matmul %p, %v",
     "%0 = reshape %q {shape=[6, 1, S, 8]}; %1 = reshape %k {shape=[6, 1, T, 8]}; "
     "%2 = reshape %v {shape=[6, 1, T, 4]}; %3 = reshape %z {shape=[1, 1, S, T]}; "
     "%4 = attention %0, %1, %2, %3 {scale=1}; %y = reshape %4 {shape=[6, S, 4]}"},
    // The same, with both as two axes for a mask and the softmax; for a mask alone; for a selection.
    {"attention", "%q: f32[4*S, T, 8], %k: f32[4*S, N, 8], %v: f32[4*S, N, 6], %b: f32[4*S, 1, N], %z: f32[S, 1, T, N]",
     "%m = matmul %q, %k {transpose_b=true}; %a = add %m, %b; %c = reshape %a {shape=[S, 4, T, N]}; %d = add %c, %z; "
     "%p = softmax %d; %e = reshape %p {shape=[4*S, T, N]}; %y = matmul %e, %v",
     "%0 = reshape %q {shape=[S, 4, T, 8]}; %1 = reshape %k {shape=[S, 4, N, 8]}; "
     "%2 = reshape %v {shape=[S, 4, N, 6]}; %3 = reshape %b {shape=[S, 4, 1, N]}; %4 = add %3, %z; "
     "%5 = attention %0, %1, %2, %4 {scale=1}; %y = reshape %5 {shape=[4*S, T, 6]}"},
    {"attention", "%q: f32[6, S, 8], %k: f32[6, T, 8], %v: f32[6, T, 4], %z: f32[2, 1, S, T], %b: f32[1, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %c = reshape %m {shape=[2, 3, S, T]}; %d = add %c, %z; "
     "%e = reshape %d {shape=[6, S, T]}; %a = add %e, %b; %p = softmax %a; %y = matmul %p, %v",
     "%0 = reshape %q {shape=[2, 3, S, 8]}; %1 = reshape %k {shape=[2, 3, T, 8]}; "
     "%2 = reshape %v {shape=[2, 3, T, 4]}; %3 = reshape %b {shape=[1, 1, S, T]}; %4 = add %z, %3; "
     "%5 = attention %0, %1, %2, %4 {scale=1}; %y = reshape %5 {shape=[6, S, 4]}"},
    {"attention", "%q: f32[6, S, 8], %k: f32[6, T, 8], %v: f32[2, 3, T, 4]",
     "%i = full {shape=[], value=-inf}; %z = full {shape=[2, 1, S, T], value=true, dtype=bool}; "
     "%m = matmul %q, %k {transpose_b=true}; %c = reshape %m {shape=[2, 3, S, T]}; %d = select %z, %c, %i; "
     "%p = softmax %d; %y = matmul %p, %v",
     "%z = full {shape=[2, 1, S, T], value=true, dtype=bool}; %0 = reshape %q {shape=[2, 3, S, 8]}; "
     "%1 = reshape %k {shape=[2, 3, T, 8]}; %y = attention %0, %1, %v, %z {scale=1}"},
    // Split in two ways; other matrices; scores times something.
    {"attention", "%q: f32[6, S, 8], %k: f32[6, T, 8], %v: f32[6, T, 4], %z: f32[2, 1, S, T], %b: f32[3, 1, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %c = reshape %m {shape=[2, 3, S, T]}; %d = add %c, %z; "
     "%e = reshape %d {shape=[3, 2, S, T]}; %a = add %e, %b; %p = softmax %a; %g = reshape %p {shape=[6, S, T]}; "
     "%y = matmul %g, %v",
     ""},
    {"attention", "%q: f32[6, 4, 8], %k: f32[6, 4, 8], %v: f32[6, 4, 5], %z: f32[3, 1, 8, 4]",
     "%m = matmul %q, %k {transpose_b=true}; %c = reshape %m {shape=[3, 1, 8, 4]}; %d = add %c, %z; %p = softmax %d; "
     "%e = reshape %p {shape=[6, 4, 4]}; %y = matmul %e, %v",
     ""},
    {"attention", "%q: f32[6, S, 8], %k: f32[6, T, 8], %v: f32[6, T, 4], %z: f32[2, 1, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %c = reshape %m {shape=[2, 3, S, T]}; %d = mul %c, %z; %p = softmax %d; "
     "%e = reshape %p {shape=[6, S, T]}; %y = matmul %e, %v",
     ""},
    // Softmax in f32 between products in f16.
    {"attention", "%q: f16[2, 4, S, 8], %k: f16[2, 4, T, 8], %v: f16[2, 4, T, 6]",
     "%c = full {shape=[], value=0.25, dtype=f16}; %m = matmul %q, %k {transpose_b=true}; %s = mul %m, %c; "
     "%u = cast %s {dtype=f32}; %p = softmax %u; %h = cast %p {dtype=f16}; %y = matmul %h, %v",
     "%y = attention %q, %k, %v {scale=0.25}"},
    // Two masks, of which each is added.
    {"attention",
     "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6], %z: f32[2, 1, S, T], %b: f32[1, 4, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %a = add %m, %b; %c = add %z, %a; %p = softmax %c; "
     "%y = matmul %p, %v",
     "%0 = add %b, %z; %y = attention %q, %k, %v, %0 {scale=1}"},
    // Rows without a key as 0; the repeat under a transpose and a scale.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6], %z: f32[S, T]",
     "%o = full {shape=[1], value=0}; %c = full {shape=[1], value=0.5}; %r = repeat %k {count=2, axis=1}; "
     "%t = transpose %r {perm=[0, 1, 3, 2]}; %u = mul %t, %c; %m = matmul %q, %u; %a = add %m, %z; %p = softmax %a; "
     "%n = isnan %p; %g = select %n, %o, %p; %d = repeat %v {count=2, axis=1}; %y = matmul %g, %d",
     "%y = attention %q, %k, %v, %z {scale=0.5}"},
    {"attention", kHeads,
     "%o = full {shape=[1], value=1}; %m = matmul %q, %k {transpose_b=true}; %p = softmax %m; "
     "%n = isnan %p; %g = select %n, %o, %p; %y = matmul %g, %v",
     ""},
    // Another axis; its logarithm; scores times something; f32 weights that are rounded to the dtype of v.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, S, 8], %v: f32[2, 4, S, 6]",
     "%m = matmul %q, %k {transpose_b=true}; %p = softmax %m {axis=2}; %y = matmul %p, %v", ""},
    {"attention", kHeads, "%m = matmul %q, %k {transpose_b=true}; %p = softmax %m {log=true}; %y = matmul %p, %v", ""},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6], %z: f32[2, 1, S, T]",
     "%m = matmul %q, %k {transpose_b=true}; %a = mul %m, %z; %p = softmax %a; %y = matmul %p, %v", ""},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f16[2, 4, T, 6]",
     "%m = matmul %q, %k {transpose_b=true}; %p = softmax %m; %h = cast %p {dtype=f16}; %y = matmul %h, %v", ""},
    // Two batches of keys for one of queries: not what attention takes.
    {"attention", "%q: f32[1, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6]",
     "%m = matmul %q, %k {transpose_b=true}; %p = softmax %m; %y = matmul %p, %v", ""},
    // ------------------------------------------------------------------------------------------------------- causal
    {"causal_attention", kHeads,
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = ge %r, %j; "
     "%y = attention %q, %k, %v, %z",
     "%y = attention %q, %k, %v {causal=upper_left}"},
    {"causal_attention", "%q: f32[2, 4, S, 8], %k: f32[2, 4, S + T, 8], %v: f32[2, 4, S + T, 6]",
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %o = size_of {size=T}; %a = add %r, %o; "
     "%j = iota {length=S + T}; %z = le %j, %a; %y = attention %q, %k, %v, %z",
     "%y = attention %q, %k, %v {causal=lower_right}"},
    {"causal_attention", kHeads,
     "%i = full {shape=[S, T], value=-inf}; %z = triangle_upper %i {k=1}; %y = attention %q, %k, %v, %z",
     "%y = attention %q, %k, %v {causal=upper_left}"},
    {"causal_attention", kHeads,
     "%t = full {shape=[S, T], value=true, dtype=bool}; %l = triangle_lower %t; %o = full {shape=[], value=0}; "
     "%i = full {shape=[], value=-inf}; %z = select %l, %o, %i; %y = attention %q, %k, %v, %z",
     "%y = attention %q, %k, %v {causal=upper_left}"},
    // Without the query's own key; from the end, a finite number, the other way round, other positions.
    {"causal_attention", kHeads,
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = gt %r, %j; "
     "%y = attention %q, %k, %v, %z",
     ""},
    {"causal_attention", kHeads,
     "%i = full {shape=[S, T], value=-1e9}; %z = triangle_upper %i {k=1}; %y = attention %q, %k, %v, %z", ""},
    {"causal_attention", kHeads,
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = le %r, %j; "
     "%y = attention %q, %k, %v, %z",
     ""},
    {"causal_attention", kHeads,
     "%i = iota {length=S, start=1}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = ge %r, %j; "
     "%y = attention %q, %k, %v, %z",
     ""},
    {"attention_of_casts", "%q: f16[2, 4, S, 8], %k: f16[2, 4, T, 8], %v: f16[2, 4, T, 6]",
     "%a = cast %q {dtype=f32}; %b = cast %k {dtype=f32}; %c = cast %v {dtype=f32}; %d = attention %a, %b, %c; "
     "%y = cast %d {dtype=f16}",
     "%y = attention %q, %k, %v"},
    {"attention_of_casts", "%q: f16[2, 4, S, 8], %k: f16[2, 4, T, 8], %v: f32[2, 4, T, 6]",
     "%a = cast %q {dtype=f32}; %b = cast %k {dtype=f32}; %d = attention %a, %b, %v; "
     "%y = cast %d {dtype=f16}",
     ""},
};

TEST(RecognizeAttention, EachRule) { expect_each(kCases, attention_rules()); }
TEST(RecognizeAttention, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, attention_rules()); }

TEST(RecognizeAttention, InThePipeline) {
  // Softmax spelled out, a causal mask by comparison, heads that are repeated, k transposed.
  expect_optimized(
      "%q: f32[2, 4, S, 8], %k: f32[2, 2, S, 8], %v: f32[2, 2, S, 6]",
      "%a = reshape %k {shape=[2, 2, 1, S, 8]}; %b = broadcast %a {shape=[2, 2, 2, S, 8]}; "
      "%c = reshape %b {shape=[2, 4, S, 8]}; %d = reshape %v {shape=[2, 2, 1, S, 6]}; "
      "%e = broadcast %d {shape=[2, 2, 2, S, 6]}; %f = reshape %e {shape=[2, 4, S, 6]}; "
      "%t = transpose %c {perm=[0, 1, 3, 2]}; %g = matmul %q, %t; %h = full {shape=[], value=4}; %s = div %g, %h; "
      "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %z = ge %r, %i; %n = full {shape=[], value=-inf}; "
      "%l = select %z, %s, %n; %m = reduce_max %l {axes=[-1], keepdims=true}; %o = sub %l, %m; %x = exp %o; "
      "%u = reduce_sum %x {axes=[-1], keepdims=true}; %p = div %x, %u; %y = matmul %p, %f",
      "%y = attention %q, %k, %v {scale=0.25, causal=upper_left}");
}

// k transposed as one batch of matrices, with half of the scale; heads that are repeated.
TEST(RecognizeAttention, KeysAsMatrices) {
  expect_optimized("%q: f32[S, 4, T, 8], %k: f32[S, 2, N, 8], %v: f32[S, 2, N, 6]",
                   "%a = reshape %k {shape=[S, 2, 1, N, 8]}; %b = broadcast %a {shape=[S, 2, 2, N, 8]}; "
                   "%c = reshape %b {shape=[S, 4, N, 8]}; %d = repeat %v {count=2, axis=1}; "
                   "%e = reshape %c {shape=[4*S, N, 8]}; %t = transpose %e {perm=[0, 2, 1]}; "
                   "%f = reshape %t {shape=[S, 4, 8, N]}; %h = full {shape=[1], value=0.5}; %g = mul %q, %h; "
                   "%i = mul %f, %h; %m = matmul %g, %i; %p = softmax %m; %y = matmul %p, %d",
                   "%y = attention %q, %k, %v {scale=0.25}");
}

// Keys and values of as many positions by promise alone, which is still checked.
TEST(RecognizeAttention, HeadsOfAPromisedShape) {
  constexpr std::string_view inputs = "%q: f32[S, 4, T, 8], %k: f32[S, 2, N, 8], %v: f32[S, 2, 6, 8]",
                             before =
                                 "%a = reshape %k {shape=[S, 2, 1, N, 8]}; %b = broadcast %a {shape=[S, 2, 2, N, 8]}; "
                                 "%c = reshape %b {shape=[S, 4, N, 8]}; %d = reshape %v {shape=[S, 2, 1, 6, 8]}; "
                                 "%e = broadcast %d {shape=[S, 2, 2, 6, 8]}; %f = reshape %e {shape=[S, 4, 6, 8]}; "
                                 "%g = ensure_shape %f {shape=[S, 4, N, 8]}; %m = matmul %q, %c {transpose_b=true}; "
                                 "%p = softmax %m; %y = matmul %p, %g";
  expect_optimized(inputs, before, "%0 = ensure_shape %v {shape=[S, 2, N, 8]}; %y = attention %q, %k, %0 {scale=1}");
  const auto of = [](auto... sizes) { return Tensor::of<float>({sizes...}, std::vector<float>((sizes * ...))); };
  Runner optimized(optimize(program_of(inputs, before)));
  EXPECT_THROW(optimized.run("f", {of(1, 4, 3, 8), of(1, 2, 5, 8), of(1, 2, 6, 8)}), Error);
}

// The one difference: a row that sees no key.
TEST(RecognizeAttention, RowsWithoutKeys) {
  const Program before =
      program_of("%q: f32[1, 1, 2, 2], %k: f32[1, 1, 2, 2], %v: f32[1, 1, 2, 1], %b: u8[2, 2]",
                 "%z = cast %b {dtype=bool}; %i = full {shape=[], value=-inf}; "
                 "%m = matmul %q, %k {transpose_b=true}; %a = select %z, %m, %i; %p = softmax %a; %y = matmul %p, %v");
  const std::vector<Tensor> inputs = {
      Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4}), Tensor::of<float>({1, 1, 2, 2}, {1, 0, 0, 1}),
      Tensor::of<float>({1, 1, 2, 1}, {5, 7}), Tensor::of<uint8_t>({2, 2}, {0, 0, 1, 0})};
  EXPECT_TRUE(std::isnan(numbers_of(Runner(before).run("f", inputs)[0])[0]));
  EXPECT_EQ(print_contents(Runner(recognize(before)).run("f", inputs)[0]), "[0.0, 5.0]");
}

}  // namespace
}  // namespace ingot::test
