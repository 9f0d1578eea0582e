// Methods on fewer rows: which are changed, which are refused and why, and that the results are the first rows of the
// old ones. Rows are axis 0 of inputs of 4.
#include <gtest/gtest.h>

#include <map>

#include "program/error.h"
#include "tests/passes/active_support.h"

namespace ingot::test {
namespace {

constexpr int64_t kUpper = 4;

constexpr ChangedCase kChanged[] = {
    {"an MLP", "%x: f32[4, 3]",
     "%w = iota {length=15, dtype=f32}; %a = reshape %w {shape=[3, 5]}; %h = matmul %x, %a; %r = relu %h; %b = iota "
     "{length=5, dtype=f32}; %y = add %r, %b; return %y"},
    {"a softmax classifier", "%x: f32[4, 3]", "%y = softmax %x; %k = argmax %y; return %y, %k"},
    {"softmax along a negative axis", "%x: f32[4, 3, 2]", "%y = softmax %x {axis=-2}; return %y"},
    {"attention over a batch", "%q: f32[4, 2, 3, 2], %k: f32[4, 1, 5, 2], %v: f32[4, 1, 5, 3], %m: f32[3, 5]",
     "%y = attention %q, %k, %v, %m {causal=lower_right, softcap=2.0}; return %y"},
    {"attention with lengths that do not depend on rows", "%q: f32[4, 2, 4, 2], %k: f32[4, 2, 4, 2]",
     "%n = full {shape=[4], value=2, dtype=i64}; %y = attention %q, %k, %k, _, _, %n; return %y"},
    {"layer norm", "%x: f32[4, 3], %w: f32[3]", "%y = layer_norm %x, %w; return %y"},
    {"layer norm of as many columns", "%x: f32[4, 4]",
     "%w = iota {length=4, dtype=f32}; %y = layer_norm %x, %w; return %y"},
    {"a norm of groups of channels", "%x: f32[4, 6, 2], %w: f32[6]", "%y = group_norm %x, %w {groups=3}; return %y"},
    {"batch norm with given statistics", "%x: f32[4, 3, 2], %m: f32[3]", "%y = batch_norm %x, %m, %m; return %y"},
    {"a convolution of a batch", "%x: f32[4, 2, 5], %w: f32[3, 2, 2], %b: f32[3]",
     "%y = conv %x, %w, %b {before=[1], strides=[2]}; %p = pool_max %y {kernel=[2]}; return %p"},
    {"rows are transposed and back", "%x: f32[4, 3]",
     "%t = transpose %x {perm=[1, 0]}; %s = softmax %t {axis=0}; %y = transpose %s {perm=[1, 0]}; return %y"},
    {"rows on another axis of the output", "%x: f32[4, 3]", "%y = transpose %x {perm=[1, 0]}; return %y"},
    {"rows are split behind, and merged behind", "%x: f32[4, 6]",
     "%s = reshape %x {shape=[1, 4, 2, 3]}; %e = exp %s; %y = reshape %e {shape=[4, 6]}; return %y"},
    {"a table of as many rows", "%x: f32[4, 3]",
     "%i = iota {length=12, dtype=f32}; %t = reshape %i {shape=[4, 3]}; %y = add %x, %t; return %y"},
    {"the same table twice, on two axes", "%x: f32[4, 4]",
     "%i = iota {length=16, dtype=f32}; %t = reshape %i {shape=[4, 4]}; %a = add %x, %t; %b = transpose %x {perm=[1, "
     "0]}; %c = mul %t, %b; return %a, %c"},
    {"random numbers by place", "%x: f32[4, 3], %k: u32[2]",
     "%r = random_uniform %k {shape=[4, 3]}; %a = add %x, %r; %d, %m = dropout %a, %k; return %d"},
    {"a draw for each row", "%x: f32[4, 3], %k: u32[2]",
     "%a = random_categorical %k, %x; %b = sample %x, %k; return %a, %b"},
    {"the largest of each row, wherever it stands", "%x: f32[4, 2, 3], %k: u32[2]",
     "%t = transpose %x {perm=[1, 0, 2]}; %y = sample %t, %k {temperature=0.0}; return %y"},
    {"one row stretches", "%x: f32[4, 3], %b: f32[1, 3]", "%y = mul %x, %b; return %y"},
    {"a sum over the other axis", "%x: f32[4, 3]",
     "%s = reduce_sum %x {axes=[-1], keepdims=true}; %y = div %x, %s; return %y"},
    {"cumulation along the other axis", "%x: f32[4, 3]", "%y = cumsum %x {axis=1}; return %y"},
    {"rows from the right factor", "%x: f32[4, 3], %w: f32[2, 3]", "%y = matmul %w, %x {transpose_b=true}; return %y"},
    {"a batch of products", "%x: f32[4, 2, 3], %z: f32[4, 3, 2]", "%y = matmul %x, %z; return %y"},
    {"einsum keeps the letter", "%x: f32[4, 2, 3], %z: f32[4, 3]",
     "%y = einsum [%x, %z] {equation=\"bij,bj->ib\"}; return %y"},
    {"dot_general with two free axes", "%x: f32[4, 2, 3], %w: f32[3, 5]",
     "%y = dot_general %x, %w {contract_a=[2], contract_b=[0]}; return %y"},
    {"take by rows of indices", "%i: i64[4, 2], %t: f32[5, 3]", "%y = take %t, %i; return %y"},
    {"take from another axis", "%x: f32[4, 3]", "%i = iota {length=2}; %y = take %x, %i {axis=1}; return %y"},
    {"gather along the other axis", "%x: f32[4, 3], %i: i64[4, 2]", "%y = gather %x, %i {axis=-1}; return %y"},
    {"scatter along the other axis", "%x: f32[4, 3], %i: i64[4, 2], %u: f32[4, 2]",
     "%y = scatter_add %x, %i, %u {axis=1}; return %y"},
    {"gather_nd with rows as its batch", "%x: f32[4, 3], %i: i64[4, 1]",
     "%y = gather_nd %x, %i {batch_dims=1}; return %y"},
    {"one_hot of labels", "%i: i64[4]", "%y = one_hot %i {depth=4}; return %y"},
    {"sort and topk along the other axis", "%x: f32[4, 3]",
     "%s, %n = sort %x {axis=1}; %v, %k = topk %x {k=2}; return %s, %n, %v"},
    {"fft along the other axis", "%x: f32[4, 6]", "%y = rfft %x {axes=[-1]}; return %y"},
    {"concatenation along the other axis", "%x: f32[4, 3], %z: f32[4, 2]",
     "%y = concatenate [%x, %z] {axis=1}; return %y"},
    {"a pad of the other axis", "%x: f32[4, 3]", "%y = pad %x {before=[0, 1], after=[0, 0], mode=edge}; return %y"},
    {"a slice of the other axis", "%x: f32[4, 3]",
     "%y = slice %x {axes=[-1, 0], starts=[1, 0], stops=[3, 4]}; return %y"},
    {"a slice of all rows, and a broadcast", "%x: f32[4, 3]",
     "%s = slice %x {axes=[0], starts=[0], stops=[4]}; %y = broadcast %s {shape=[2, 4, 3]}; return %y"},
    {"repetition of the other axis", "%x: f32[4, 3]",
     "%t = tile %x {repeats=[1, 2]}; %r = repeat %t {count=2, axis=1}; %y = roll %r {shifts=[1], axes=[1]}; return %y"},
    {"the other axis backwards", "%x: f32[4, 3]", "%y = flip %x {axes=[-1]}; return %y"},
    {"an update of another axis", "%x: f32[4, 3], %u: f32[4, 1], %i: i64[]",
     "%y = dynamic_update %x, %u, [%i] {axes=[1]}; return %y"},
    {"the inverse transform along the other axis", "%x: c64[4, 3]", "%y = irfft %x {axes=[1], sizes=[4]}; return %y"},
    {"a step of an optimizer", "%p: f32[4, 3], %g: f32[4, 3], %r: f32[]",
     "%m = full {shape=[4, 3], value=0.5}; %y, %n = sgd_step %p, %g, %m, %r {momentum=0.5}; return %y, %n"},
    {"quantised weights", "%x: f32[4, 8]",
     "%w = iota {length=24, dtype=f32}; %m = reshape %w {shape=[3, 8]}; %p = quantize %m {scheme=packed<affine, "
     "bits=4, "
     "group=4, scale=f32>}; %y = quantized_matmul %x, %p; return %y"},
    {"a recurrent layer of rows", "%x: f32[4, 2, 3], %w: f32[1, 5, 3], %r: f32[1, 5, 5]",
     "%t = transpose %x {perm=[1, 0, 2]}; %h, %l = rnn %t, %w, %r; return %l"},
    {"rotary embedding by positions", "%x: f32[4, 2, 6], %p: i64[4, 2]", "%y = rope %x, %p; return %y"},
    {"losses of rows", "%x: f32[4, 3], %i: i64[4]", "%y = softmax_cross_entropy %x, %i {reduction=none}; return %y"},
    {"a promise about another axis", "%x: f32[4, S], %z: f32[T]", "%y = ensure_shape %x {shape=[4, T]}; return %y"},
    {"an output that does not depend on rows", "%x: f32[4, 3], %z: f32[2]",
     "%a = neg %x; %b = neg %z; %c = reduce_sum %x {axes=[0]}; return %a, %b"},
    {"state is read and written with other values", "%x: f32[4, 3], %z: f32[3]",
     "%s = state_read {state=@s}; %y = add %x, %s; %w = state_write %z {state=@s}; return %y"},
};

TEST(ActiveExtent, ChangesWhatTheProofAllows) { expect_changed(kChanged, kUpper); }

constexpr RefusedCase kRefused[] = {
    {"softmax along the rows", "%x: f32[4, 3]", "%y = softmax %x {axis=0}; return %y",
     "%y: softmax is not computed row by row: reduce_max works across axis 0 of x, which holds the rows"},
    {"softmax along the rows, counted from the end", "%x: f32[4, 3]", "%y = softmax %x {axis=-2}; return %y",
     "%y: softmax is not computed row by row: reduce_max works across axis 0 of x, which holds the rows"},
    {"a sum over the rows", "%x: f32[4, 3]", "%s = reduce_sum %x {axes=[-2]}; %y = neg %s; return %y",
     "%s: reduce_sum works across axis 0 of x, which holds the rows"},
    {"cumulation along the rows", "%x: f32[4, 3]", "%y = cumsum %x {axis=0}; return %y",
     "%y: cumsum works across axis 0 of x, which holds the rows"},
    {"fft along the rows, and what comes after it", "%x: f32[4, 3]",
     "%t = rfft %x {axes=[0]}; %a = abs %t; %y = relu %x; return %y, %a",
     "%t: rfft works across axis 0 of x, which holds the rows"},
    {"rows are summed by a product", "%x: f32[4, 3], %w: f32[2, 4]", "%y = matmul %w, %x; return %y",
     "%y: matmul works across axis 0 of b, which holds the rows"},
    {"rows with rows", "%x: f32[4, 3]", "%y = matmul %x, %x {transpose_b=true}; return %y",
     "%y: matmul brings every row of a together with every row of b"},
    {"a square matrix that looks like rows", "%x: f32[4, 4], %w: f32[4, 4]", "%y = matmul %x, %w; return %y",
     "%y: matmul works across axis 0 of b, which holds the rows"},
    {"rows on the diagonal", "%x: f32[4, 4]", "%y = diagonal %x; return %y",
     "%y: diagonal works across axis 0 of x, which holds the rows"},
    {"rows are split", "%x: f32[4, 3]", "%y = reshape %x {shape=[2, 2, 3]}; return %y",
     "%y: reshape takes 2 slices of axis 0 of x together, and a row there has 1"},
    {"rows of another order under the same size", "%x: f32[4, 4]",
     "%t = transpose %x {perm=[1, 0]}; %y = reshape %t {shape=[2, 2, 4]}; %z = reshape %x {shape=[2, 8]}; return %y, "
     "%z",
     "%z: reshape takes 2 slices of axis 0 of x together, and a row there has 1"},
    {"concatenation along the rows", "%x: f32[4, 3]", "%y = concatenate [%x, %x]; return %y",
     "%y: concatenate works across axis 0 of operands, which holds the rows"},
    {"a pad of the rows", "%x: f32[4, 3]", "%y = pad %x {before=[1, 0], after=[0, 0]}; return %y",
     "%y: pad works across axis 0 of x, which holds the rows"},
    {"the last rows", "%x: f32[4, 3]", "%y = slice %x {axes=[-2], starts=[1], stops=[4]}; return %y",
     "%y: slice works across axis 0 of x, which holds the rows"},
    {"rows backwards", "%x: f32[4, 3]", "%y = flip %x {axes=[0]}; return %y",
     "%y: flip works across axis 0 of x, which holds the rows"},
    {"rows that are indexed", "%x: f32[4, 3], %i: i64[2]", "%y = take %x, %i; return %y",
     "%y: take works across axis 0 of x, which holds the rows"},
    {"rows that are written to by index", "%x: f32[4, 3], %i: i64[4, 3]", "%y = scatter_set %x, %i, %x; return %y",
     "%y: scatter_set works across axis 0 of x, which holds the rows"},
    {"keys that every query sees", "%q: f32[1, 1, 4, 2], %k: f32[4, 2]",
     "%r = reshape %k {shape=[1, 1, 4, 2]}; %y = attention %q, %r, %r; return %y",
     "%y: attention is not computed row by row: reduce_max works across axis 3 of x, which holds the rows"},
    {"where the last query stands", "%q: f32[4, 2], %k: f32[1, 1, 4, 2]",
     "%r = reshape %q {shape=[1, 1, 4, 2]}; %y = attention %r, %k, %k {causal=lower_right}; return %y",
     "%y: attention is not computed row by row: size_of depends on the number of rows"},
    {"sorted rows", "%x: f32[4, 3]", "%s, %y = sort %x {axis=0}; return %y",
     "%s: sort works across axis 0 of x, which holds the rows"},
    {"channels of a group", "%x: f32[4, 2]",
     "%t = transpose %x {perm=[1, 0]}; %y = group_norm %t {groups=2}; return %y",
     "%y: with fewer rows its sizes do not fit: [group_norm] number of channels is active, expected a multiple of 2, "
     "the "
     "groups"},
    {"rows that a convolution slides over", "%x: f32[4, 2], %w: f32[3, 2, 2]",
     "%t = transpose %x {perm=[1, 0]}; %r = reshape %t {shape=[1, 2, 4]}; %y = conv %r, %w; return %y",
     "%y: conv works across axis 2 of x, which holds the rows"},
    {"rows in a mean of losses", "%x: f32[4, 3], %z: f32[4, 3]", "%y = mse_loss %x, %z; return %y",
     "%y: mse_loss is not computed row by row: reduce_mean works across axis 0 of x, which holds the rows"},
    {"random numbers whose place depends on the number of rows", "%x: f32[4, 3], %k: u32[2]",
     "%t = transpose %x {perm=[1, 0]}; %y, %m = dropout %t, %k; return %y",
     "%y: dropout is not computed row by row: random_uniform gives elements that depend on the number of rows"},
    {"draws whose place depends on the number of rows", "%x: f32[4, 2, 3], %k: u32[2]",
     "%t = transpose %x {perm=[1, 0, 2]}; %y = sample %t, %k; return %y",
     "%y: sample works across axis 1 of logits, which holds the rows"},
    {"state that would hold rows", "%x: f32[4, 3]",
     "%s = slice %x {axes=[0], starts=[0], stops=[1]}; %r = reshape %s {shape=[3]}; %w = state_write %r {state=@s}; "
     "return %x",
     "%s: slice works across axis 0 of x, which holds the rows"},
    {"state that is updated by rows", "%x: f32[4], %i: i64[]",
     "%n = reduce_sum %x {axes=[0], keepdims=true}; %y = neg %x; %w = state_update %n, [%i] {state=@s, axes=[0]}; "
     "return %y",
     "%n: reduce_sum works across axis 0 of x, which holds the rows"},
    {"a count of rows that are not 0", "%x: f32[4, 3]", "%n = nonzero %x {count=N}; return %x",
     "%n: nonzero has no rule for rows"},
    {"code of the host", "%x: f32[4, 3]", "%n = custom [%x] {name=\"log\", results=[f32[4, 3]]}; return %x",
     "%n: custom has no rule for rows"},
    {"one of two outputs", "%x: f32[4, 3]", "%a = neg %x; %b = reduce_max %x {axes=[0, 1]}; return %a, %b",
     "%b: reduce_max works across axis 0 of x, which holds the rows"},
    {"strides", "%x: f32[4, 3]", "%y = as_strided %x {shape=[4, 3], strides=[3, 1]}; return %y",
     "%y: as_strided has no rule for rows"},
    {"a mask that takes elements in order", "%x: f32[4, 3], %m: bool[4, 3]",
     "%y = masked_scatter %x, %m, %x; return %y", "%y: masked_scatter has no rule for rows"},
    {"no rows at all", "%x: f32[3, 4]", "%y = neg %x; return %y", "no input has 4 rows"},
};

TEST(ActiveExtent, RefusesWhereRowsMeet) { expect_refused(kRefused, kUpper); }

TEST(ActiveExtent, SaysWhatTakesAndGivesFewerRows) {
  const Program program = program_of("%x: f32[4, 3], %z: f32[3], %v: i64[4]",
                                     "%a = neg %z; %b = transpose %x {perm=[1, 0]}; %c = abs %v; return %a, %b, %c");
  const ActiveProgram active = with_active_extent(program, kUpper);
  ASSERT_EQ(active.methods.size(), 1U);
  EXPECT_EQ(active.methods[0].method, "f");
  EXPECT_EQ(active.methods[0].inputs, (std::vector{true, false, true}));
  EXPECT_EQ(active.methods[0].outputs,
            (std::vector<std::optional<ActiveAxis>>{std::nullopt, ActiveAxis{1}, ActiveAxis{0}}));
}

TEST(ActiveExtent, RewritesSizesAndCutsTables) {
  const Program program = program_of("%x: f32[4, 3, 2]",
                                     "%t = iota {length=4, dtype=f32}; %r = reshape %x {shape=[4, 6]}; "
                                     "%c = reshape %t {shape=[4, 1]}; %a = add %r, %c; %b = mul %c, %a; "
                                     "%s = slice %b {axes=[0, 1], starts=[0, 1], stops=[4, 3]}; "
                                     "%y = broadcast %s {shape=[5, 4, 2]}; return %y");
  EXPECT_EQ(text_of(with_active_extent(program, kUpper).program),
            R"(method f(%x: f32[active, 3, 2]) -> (f32[5, active, 2] y) {
  %t = iota {length=4, dtype=f32} : f32[4]
  %r = reshape %x {shape=[active, 6]} : f32[active, 6]
  %c = reshape %t {shape=[4, 1]} : f32[4, 1]
  %3 = slice %c {axes=[0], starts=[0], stops=[active]} : f32[active, 1] loc(name="a")
  %a = add %r, %3 : f32[active, 6]
  %b = mul %3, %a : f32[active, 6]
  %s = slice %b {axes=[0, 1], starts=[0, 1], stops=[active, 3]} : f32[active, 2]
  %y = broadcast %s {shape=[5, active, 2]} : f32[5, active, 2]
  return %y
}
)");
}

constexpr std::string_view kSeveral = R"(ingot 1
symbol active in 0..2
state @rows : f32[4, 2] = zeros
graph negated(%x: f32[4, 2]) -> (y) {
  %y = neg %x
  return %y
}
method plain(%x: f32[4, 2]) -> (y) {
  %y = exp %x
  return %y
}
method called(%x: f32[4, 2]) -> (y) {
  %y = exp %x
  return %y
}
method calls(%x: f32[4, 2]) -> (y) {
  %y = call [%x] {graph=@called}
  return %y
}
method calls_with_others(%x: f32[4, 2], %z: f32[1, 2]) -> (y, z) {
  %b = broadcast %z {shape=[4, 2]}
  %n = call [%b] {graph=@negated}
  %y = sub %x, %n
  return %y, %n
}
method writes(%x: f32[4, 2]) -> (y) {
  %w = state_write %x {state=@rows}
  %y = exp %x
  return %y
}
method reads(%x: f32[4, 2], %n: f32[active]) -> (y) {
  %s = state_read {state=@rows}
  %y = add %x, %s
  return %y
}
method whole(%x: i4[4, 2]) -> (y) {
  %y = cast %x {dtype=f32}
  return %y
}
method packs(%x: f32[4, 8], %w: packed<affine, bits=4, group=4, scale=f32>[4, 8]) -> (y) {
  %y = quantized_matmul %x, %w
  return %y
}
)";

TEST(ActiveExtent, EachMethodByItself) {
  const Program program = parse(std::string(kSeveral));
  const ActiveProgram active = with_active_extent(program, kUpper);
  std::map<std::string, std::string> reasons;
  for (const ActiveMethod& method : active.methods) reasons[method.method] = method.reason;
  const std::map<std::string, std::string> expected{
      {"plain", ""},
      {"called", "called: graph 'calls' calls it"},
      {"calls", "calls: %y: call has no rule for rows"},
      {"calls_with_others", ""},
      {"writes", "writes: %w: state_write writes what depends on rows to state"},
      {"reads", ""},
      {"whole", "whole: no input has 4 rows"},
      {"packs", ""},
  };
  EXPECT_EQ(reasons, expected);
  EXPECT_EQ(active.program.symbols.back(), Symbol("active_"));
  EXPECT_EQ(active.program.symbols.back().max(), kUpper);
  EXPECT_EQ(active.methods.back().inputs, (std::vector{true, false})) << "packed operands are no rows";
  for (const char* name : {"called", "calls", "writes"}) {
    EXPECT_EQ(active.program.method(name)->type({0}), program.method(name)->type({0})) << name;
  }
}

TEST(ActiveExtent, OneRowAtMost) {
  const Program program = program_of("%x: f32[1, 3], %w: f32[1, 3]",
                                     "%a = add %x, %w; %b = reshape %a {shape=[1, 1, 3]}; %y = softmax %b; return %y");
  const ActiveProgram active = with_active_extent(program, 1);
  ASSERT_EQ(active.methods[0].reason, "");
  const Tensor x = Tensor::of<float>({1, 3}, {1, 2, 3});
  for (const int64_t actual : {0, 1}) {
    EXPECT_TRUE(test::expect_first_rows(program, active, active.methods[0], {x, x}, actual));
  }
  const Program stretched = program_of("%x: f32[1, 3], %w: f32[2, 3]", "%y = add %x, %w; return %y");
  EXPECT_EQ(with_active_extent(stretched, 1).methods[0].reason,
            "f: %y: add works across axis 0 of a, which holds the rows");
}

TEST(ActiveExtent, RefusesAnUpperOfNothing) {
  try {
    with_active_extent(program_of("%x: f32[3]", "return %x"), 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "upper of an active extent is 0, expected at least 1");
  }
}

}  // namespace
}  // namespace ingot::test
