// Causal masks and repeated heads, as exporters spell them.
#include <array>

#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr std::string_view kHeads = "%q: f32[2, 4, S, 8], %k: f32[2, 4, T, 8], %v: f32[2, 4, T, 6]";
constexpr std::string_view kLonger = "%q: f32[2, 4, S, 8], %k: f32[2, 4, S + T, 8], %v: f32[2, 4, S + T, 6]";
constexpr std::string_view kUpperLeft = "%y = attention %q, %k, %v {causal=upper_left}";
constexpr std::string_view kLowerRight = "%y = attention %q, %k, %v {causal=lower_right}";

// Statements that make %z, the mask.
struct MaskCase {
  std::string_view inputs, mask, after;  // nothing in `after`: it stays
};

// Positions of rows %r and columns %j; a triangle %t of 1.
const std::string kPositions = "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; ";
const std::string kTriangle = "%o = full {shape=[S, T], value=1}; %t = triangle_lower %o; ";
const std::string kNumbers = "%n = full {shape=[], value=0}; %h = full {shape=[], value=-inf}; ";
const std::string kLowest = "%n = full {shape=[], value=0}; %h = full {shape=[], value=-3.4028234663852886e+38}; ";

void expect_each(const std::string& before, std::span<const MaskCase> cases) {
  for (const auto& [inputs, mask, after] : cases) {
    const std::string text = before + std::string(mask) + "; %y = attention %q, %k, %v, %z";
    test::expect_each(std::array{RuleCase{"causal_attention", inputs, text, after}}, attention_rules());
  }
}

TEST(RecognizeCausal, Positions) {
  constexpr MaskCase cases[] = {
      {kHeads, "%z = ge %r, %j", kUpperLeft},
      {kHeads, "%z = le %j, %r", kUpperLeft},
      {kHeads, "%a = gt %j, %r; %z = logical_not %a", kUpperLeft},
      {kHeads, "%a = lt %r, %j; %z = logical_not %a", kUpperLeft},
      {kHeads, "%c = full {shape=[], value=1, dtype=i64}; %a = add %c, %r; %z = lt %j, %a", kUpperLeft},
      {kHeads, "%c = full {shape=[], value=1, dtype=i64}; %a = sub %j, %c; %z = gt %r, %a", kUpperLeft},
      {kHeads, "%a = broadcast %r {shape=[S, T]}; %b = reshape %j {shape=[1, T]}; %z = ge %a, %b", kUpperLeft},
      {kHeads,
       "%a = iota {length=T, start=3}; %b = iota {length=S, start=3}; %c = reshape %b {shape=[S, 1]}; %z = le %a, %c",
       kUpperLeft},
      // Up to the last key, by a number that may be negative; by the start of a range.
      {kHeads,
       "%a = size_of {size=T}; %b = size_of {size=S}; %c = sub %a, %b; %d = reshape %c {shape=[1]}; %e = add %i, %d; "
       "%f = reshape %e {shape=[1, 1, S, 1]}; %z = ge %f, %j",
       kLowerRight},
      {"%q: f32[2, 4, 3, 8], %k: f32[2, 4, 5, 8], %v: f32[2, 4, 5, 6], %x: f32[S, T]",
       "%a = iota {length=3, start=2}; %b = reshape %a {shape=[3, 1]}; %c = iota {length=5}; %z = ge %b, %c",
       kLowerRight},
      // Those after; without the own; from 1; by 2; sizes that may differ; i32, which may wrap around.
      {kHeads, "%z = lt %r, %j", ""},
      {kHeads, "%z = gt %r, %j", ""},
      {kHeads, "%z = le %r, %j", ""},
      {kHeads, "%a = gt %r, %j; %z = logical_not %a", ""},
      {kHeads, "%a = iota {length=T, start=1}; %z = ge %r, %a", ""},
      {kHeads, "%a = iota {length=T, step=2}; %z = ge %r, %a", ""},
      {kHeads, "%a = size_of {size=T}; %b = add %r, %a; %z = ge %b, %j", ""},
      {kHeads, "%z = eq %r, %j", ""},
      {kHeads,
       "%a = iota {length=S, dtype=i32, start=1}; %b = reshape %a {shape=[S, 1]}; "
       "%c = iota {length=T, dtype=i32, start=1}; %z = ge %b, %c",
       ""},
  };
  expect_each(kPositions, cases);
}

TEST(RecognizeCausal, Triangles) {
  constexpr MaskCase cases[] = {
      {kHeads, "%z = cast %t {dtype=bool}", kUpperLeft},
      {kHeads, "%a = cast %t {dtype=u8}; %b = cast %a {dtype=bool}; %z = reshape %b {shape=[1, 1, S, T]}", kUpperLeft},
      {kHeads, "%a = cast %t {dtype=bool}; %z = broadcast %a {shape=[2, 1, S, T]}", kUpperLeft},
      {kHeads, "%a = triangle_upper %o {k=1}; %b = cast %a {dtype=bool}; %z = logical_not %b", kUpperLeft},
      {kHeads, "%a = cast %t {dtype=bool}; %z = select %a, %n, %h", kUpperLeft},
      {kHeads, "%a = triangle_upper %o {k=1}; %b = cast %a {dtype=bool}; %z = select %b, %h, %n", kUpperLeft},
      {kHeads, "%a = eq %t, %n; %z = select %a, %h, %n", kUpperLeft},
      {kHeads, "%a = ne %t, %n; %z = select %a, %n, %h", kUpperLeft},
      {kHeads,
       "%a = cast %t {dtype=f16}; %b = full {shape=[], value=1.0001, dtype=f16}; %c = eq %a, %b; %z = select %c, %n, "
       "%h",
       kUpperLeft},
      {kHeads, "%a = full {shape=[], value=1.0001}; %c = eq %t, %a; %z = select %c, %n, %h", ""},
      {kLonger, "%a = full {shape=[S, S + T], value=true, dtype=bool}; %z = triangle_lower %a {k=T}", kLowerRight},
      // The keys up to the own are hidden; the own is; NaN in place of 0; another number where keys are seen.
      {kHeads, "%a = cast %t {dtype=bool}; %z = logical_not %a", ""},
      {kHeads, "%a = cast %t {dtype=bool}; %z = select %a, %h, %n", ""},
      {kHeads, "%a = full {shape=[S, T], value=-inf}; %z = triangle_upper %a", ""},
      {kHeads, "%a = full {shape=[], value=1}; %b = sub %a, %t; %z = mul %b, %h", ""},
      {kHeads, "%a = full {shape=[], value=1}; %b = cast %t {dtype=bool}; %z = select %b, %a, %h", ""},
      {kHeads, "%z = triangle_lower %o", ""},
      {kHeads,
       "%a = full {shape=[T, S], value=true, dtype=bool}; %b = triangle_lower %a; %z = reshape %b {shape=[S, T]}", ""},
  };
  expect_each(kTriangle + kNumbers, cases);
}

// What a number hides that is not -inf, where each row sees a key.
TEST(RecognizeCausal, LowestNumbers) {
  constexpr MaskCase cases[] = {
      {kHeads, "%a = cast %t {dtype=bool}; %z = select %a, %n, %h", kUpperLeft},
      {kHeads, "%a = broadcast %h {shape=[S, T]}; %z = triangle_upper %a {k=1}", kUpperLeft},
      {kHeads, "%a = full {shape=[], value=1}; %b = sub %a, %t; %z = mul %b, %h", kUpperLeft},
      {kLonger,
       "%a = full {shape=[S, S + T], value=true, dtype=bool}; %b = triangle_lower %a {k=T}; %z = select %b, %n, %h",
       kLowerRight},
      {"%q: f16[2, 4, S, 8], %k: f16[2, 4, T, 8], %v: f16[2, 4, T, 6]",
       "%a = full {shape=[S, T], value=-65504, dtype=f16}; %z = triangle_upper %a {k=1}", kUpperLeft},
      // Rows that see no key; numbers that scores may reach; 0·-inf, which f32 makes of a number beyond it.
      {kHeads,
       "%d = size_of {size=T}; %e = size_of {size=S}; %f = sub %d, %e; %i = iota {length=S}; %g = add %i, %f; "
       "%r = reshape %g {shape=[S, 1]}; %j = iota {length=T}; %a = ge %r, %j; %z = select %a, %n, %h",
       ""},
      {kHeads, "%b = full {shape=[], value=-1e9}; %a = cast %t {dtype=bool}; %z = select %a, %n, %b", ""},
      {kHeads, "%a = full {shape=[S, T], value=-65504, dtype=f16}; %z = triangle_upper %a {k=1}", ""},
      {kHeads, "%a = full {shape=[], value=1}; %b = sub %a, %t; %c = full {shape=[], value=-1e39}; %z = mul %b, %c",
       ""},
  };
  expect_each(kTriangle + kLowest, cases);
}

// -------------------------------------------------------------------------------------------------- of the expression

constexpr RuleCase kSelected[] = {
    {"attention", kHeads,
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = ge %r, %j; "
     "%h = full {shape=[], value=-3.4028234663852886e+38}; %m = matmul %q, %k {transpose_b=true}; "
     "%a = select %z, %m, %h; %p = softmax %a; %y = matmul %p, %v",
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = ge %r, %j; "
     "%y = attention %q, %k, %v, %z {scale=1}"},
    {"attention", kHeads,
     "%o = full {shape=[S, T], value=true, dtype=bool}; %z = triangle_upper %o {k=1}; "
     "%h = full {shape=[], value=-3.4028234663852886e+38}; %m = matmul %q, %k {transpose_b=true}; "
     "%a = select %z, %h, %m; %p = softmax %a; %y = matmul %p, %v",
     "%o = full {shape=[S, T], value=true, dtype=bool}; %z = triangle_upper %o {k=1}; %0 = logical_not %z; "
     "%y = attention %q, %k, %v, %0 {scale=1}"},
    // The first row sees no key; the last ones; a number that scores may reach.
    {"attention", kHeads,
     "%i = iota {length=S}; %r = reshape %i {shape=[S, 1]}; %j = iota {length=T}; %z = gt %r, %j; "
     "%h = full {shape=[], value=-3.4028234663852886e+38}; %m = matmul %q, %k {transpose_b=true}; "
     "%a = select %z, %m, %h; %p = softmax %a; %y = matmul %p, %v",
     ""},
    {"attention", kHeads,
     "%o = full {shape=[S, T], value=true, dtype=bool}; %z = triangle_upper %o {k=1}; "
     "%h = full {shape=[], value=-3.4028234663852886e+38}; %m = matmul %q, %k {transpose_b=true}; "
     "%a = select %z, %m, %h; %p = softmax %a; %y = matmul %p, %v",
     ""},
    {"attention", kHeads,
     "%o = full {shape=[S, T], value=true, dtype=bool}; %z = triangle_upper %o {k=1}; "
     "%h = full {shape=[], value=-1e9}; %m = matmul %q, %k {transpose_b=true}; "
     "%a = select %z, %h, %m; %p = softmax %a; %y = matmul %p, %v",
     ""},
};
TEST(RecognizeCausal, SelectedScores) { test::expect_each(kSelected, attention_rules()); }

constexpr RuleCase kRepeated[] = {
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6]",
     "%a = reshape %k {shape=[2, 2, 1, T, 8]}; %b = tile %a {repeats=[1, 1, 2, 1, 1]}; "
     "%c = reshape %b {shape=[2, 4, T, 8]}; %d = reshape %v {shape=[2, 2, 1, T, 6]}; "
     "%e = concatenate [%d, %d] {axis=-3}; %f = reshape %e {shape=[2, 4, T, 6]}; "
     "%m = matmul %q, %c {transpose_b=true}; %p = softmax %m; %y = matmul %p, %f",
     "%y = attention %q, %k, %v {scale=1}"},
    // One head for all.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 1, T, 8], %v: f32[2, 1, T, 6]",
     "%c = broadcast %k {shape=[2, 4, T, 8]}; %f = tile %v {repeats=[1, 4, 1, 1]}; "
     "%m = matmul %q, %c {transpose_b=true}; %p = softmax %m; %y = matmul %p, %f",
     "%y = attention %q, %k, %v {scale=1}"},
    // Two heads in turn; two that differ.
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6]",
     "%c = tile %k {repeats=[1, 2, 1, 1]}; %f = tile %v {repeats=[1, 2, 1, 1]}; "
     "%m = matmul %q, %c {transpose_b=true}; %p = softmax %m; %y = matmul %p, %f",
     "%c = tile %k {repeats=[1, 2, 1, 1]}; %f = tile %v {repeats=[1, 2, 1, 1]}; %y = attention %q, %c, %f {scale=1}"},
    {"attention", "%q: f32[2, 4, S, 8], %k: f32[2, 2, T, 8], %v: f32[2, 2, T, 6], %w: f32[2, 2, T, 6]",
     "%c = repeat %k {count=2, axis=1}; %d = reshape %v {shape=[2, 2, 1, T, 6]}; "
     "%g = reshape %w {shape=[2, 2, 1, T, 6]}; %e = concatenate [%d, %g] {axis=2}; "
     "%f = reshape %e {shape=[2, 4, T, 6]}; %m = matmul %q, %c {transpose_b=true}; %p = softmax %m; %y = matmul %p, %f",
     "%c = repeat %k {count=2, axis=1}; %d = reshape %v {shape=[2, 2, 1, T, 6]}; "
     "%g = reshape %w {shape=[2, 2, 1, T, 6]}; %e = concatenate [%d, %g] {axis=2}; "
     "%f = reshape %e {shape=[2, 4, T, 6]}; %y = attention %q, %c, %f {scale=1}"},
};
TEST(RecognizeCausal, RepeatedHeads) { test::expect_each(kRepeated, attention_rules()); }

// With sizes that are known folding could compute the mask, of which a weight would not tell that it is causal.
TEST(RecognizeCausal, MasksOfKnownSizes) {
  constexpr std::string_view inputs = "%q: f32[2, 4, 3, 8], %k: f32[2, 4, 5, 8], %v: f32[2, 4, 5, 6]";
  const std::string scores =
      "%c = full {shape=[], value=4}; %d = sqrt %c; %m = matmul %q, %k {transpose_b=true}; %s = div %m, %d; ";
  expect_optimized(inputs,
                   scores + "%o = full {shape=[3, 5], value=1}; %t = triangle_lower %o; %b = cast %t {dtype=bool}; " +
                       kNumbers + "%z = select %b, %n, %h; %a = add %s, %z; %p = softmax %a; %y = matmul %p, %v",
                   "%y = attention %q, %k, %v {scale=0.5, causal=upper_left}");
  expect_optimized(inputs,
                   scores + kNumbers +
                       "%i = iota {length=3, start=2, step=1}; %r = reshape %i {shape=[3, 1]}; "
                       "%j = iota {length=5, start=0, step=1}; %l = reshape %j {shape=[1, 5]}; %b = gt %l, %r; "
                       "%a = select %b, %h, %s; %p = softmax %a; %y = matmul %p, %v",
                   "%y = attention %q, %k, %v {scale=0.5, causal=lower_right}");
}

}  // namespace
}  // namespace ingot::test
