// Rows that a reshape merges with what is behind them, and splits off again. Rows are axis 0 of inputs of 4.
#include <gtest/gtest.h>

#include "passes/rows.h"
#include "tests/passes/active_support.h"

namespace ingot::test {
namespace {

constexpr int64_t kUpper = 4;

// As exporters write it: products on [B·S, D], attention on [B, heads, S, D / heads].
std::string transformer_layer(int64_t sequence) {
  const std::string merged = fmt::format("{{shape=[{}, 8]}}", 4 * sequence);
  const std::string heads = fmt::format("{{shape=[4, {}, 2, 4]}}", sequence);
  std::string text = fmt::format("%m = reshape %x {}; ", merged);
  for (const char* name : {"q", "k", "v"}) {
    text += fmt::format("%{0}p = matmul %m, %w; %{0}b = add %{0}p, %{0}bias; %{0}h = reshape %{0}b {1}; ", name, heads);
  }
  text += "%q = transpose %qh {perm=[0, 2, 1, 3]}; %k = transpose %kh {perm=[0, 2, 3, 1]}; ";
  text += "%v = transpose %vh {perm=[0, 2, 1, 3]}; %s = matmul %q, %k; %p = softmax %s; %o = matmul %p, %v; ";
  text += fmt::format("%t = transpose %o {{perm=[0, 2, 1, 3]}}; %c = reshape %t {}; %d = matmul %c, %w; ", merged);
  text += fmt::format("%r = reshape %d {{shape=[4, {}, 8]}}; %a = add %x, %r; %y = layer_norm %a, %qbias; ", sequence);
  return text + "return %y, %d";
}

TEST(ActiveBlocks, ATransformerLayerAsItIsExported) {
  for (const int64_t sequence : {1, 3, 4}) {  // 4: as many as rows
    SCOPED_TRACE(sequence);
    const Program program = program_of(
        fmt::format("%x: f32[4, {}, 8], %w: f32[8, 8], %qbias: f32[8], %kbias: f32[8], %vbias: f32[8]", sequence),
        transformer_layer(sequence));
    const ActiveProgram active = with_active_extent(program, kUpper);
    ASSERT_EQ(active.methods[0].reason, "");
    EXPECT_EQ(active.methods[0].outputs,
              (std::vector<std::optional<ActiveAxis>>{ActiveAxis{0}, ActiveAxis{0, sequence}}));
    expect_first_rows(program, active, kUpper);
  }
}

constexpr ChangedCase kChanged[] = {
    {"rows are merged", "%x: f32[4, 3]", "%y = reshape %x {shape=[12]}; return %y"},
    {"merged with one axis of two", "%x: f32[4, 3, 2]", "%y = reshape %x {shape=[12, 2]}; return %y"},
    {"merged, and split in another way", "%x: f32[4, 3, 2]",
     "%m = reshape %x {shape=[24]}; %e = exp %m; %y = reshape %e {shape=[4, 2, 3]}; return %y"},
    {"a part is split off", "%x: f32[4, 3, 2]",
     "%m = reshape %x {shape=[24]}; %y = reshape %m {shape=[8, 3]}; %z = reshape %m {shape=[12, 2]}; return %y, %z"},
    {"blocks of other blocks", "%x: f32[4, 6, 2]",
     "%m = reshape %x {shape=[24, 2]}; %y = reshape %m {shape=[16, 3]}; return %y"},
    {"axes of size 1 in between", "%x: f32[4, 1, 3]",
     "%a = reshape %x {shape=[1, 12, 1]}; %b = neg %a; %y = reshape %b {shape=[1, 4, 1, 3]}; return %a, %y"},
    {"behind an axis that stays", "%x: f32[4, 3, 2]",
     "%t = transpose %x {perm=[2, 0, 1]}; %m = reshape %t {shape=[2, 12]}; %s = softmax %m {axis=0}; "
     "%y = reshape %s {shape=[2, 4, 3]}; return %m, %y"},
    {"as many behind as rows", "%x: f32[4, 4, 4]",
     "%m = reshape %x {shape=[16, 4]}; %s = softmax %m; %y = reshape %s {shape=[4, 4, 4]}; "
     "%n = reduce_sum %y {axes=[1]}; return %s, %n"},
    {"merged rows as columns", "%x: f32[4, 3, 2], %w: f32[5, 2]",
     "%m = reshape %x {shape=[12, 2]}; %y = matmul %w, %m {transpose_b=true}; return %y"},
    {"a table of as many slices", "%x: f32[4, 3]",
     "%i = iota {length=12, dtype=f32}; %m = reshape %x {shape=[12]}; %y = add %m, %i; return %y"},
    {"one table for rows and for merged rows", "%x: f32[4, 3]",
     "%i = iota {length=144, dtype=f32}; %t = reshape %i {shape=[12, 12]}; %m = reshape %x {shape=[12]}; "
     "%a = add %m, %t; %c = reshape %x {shape=[12, 1]}; %b = mul %c, %t; return %a, %b"},
    {"words of sentences", "%i: i64[4, 3], %t: f32[5, 2]",
     "%m = reshape %i {shape=[12]}; %e = take %t, %m; %y = reshape %e {shape=[4, 3, 2]}; return %y"},
    {"random numbers by place", "%x: f32[4, 3, 2], %k: u32[2]",
     "%m = reshape %x {shape=[12, 2]}; %d, %n = dropout %m, %k; %y = random_categorical %k, %m; return %d, %y"},
    {"losses of words, with other labels", "%x: f32[4, 3, 5]",
     "%m = reshape %x {shape=[12, 5]}; %i = full {shape=[12], value=2, dtype=i64}; "
     "%y = softmax_cross_entropy %m, %i {reduction=none}; return %y"},
    {"pictures of films", "%x: f32[4, 3, 2, 5], %w: f32[3, 2, 2]",
     "%m = reshape %x {shape=[12, 2, 5]}; %c = conv %m, %w; %y = reshape %c {shape=[4, 3, 3, 4]}; return %y"},
    {"slices and broadcasts of all", "%x: f32[4, 3, 2]",
     "%m = reshape %x {shape=[12, 2]}; %s = slice %m {axes=[0], starts=[0], stops=[12]}; "
     "%y = broadcast %s {shape=[3, 12, 2]}; %z = ensure_shape %m {shape=[12, 2]}; return %y, %z"},
    {"a size behind that is not known", "%x: f32[4, 3, S]", "%y = reshape %x {shape=[12, S]}; return %y"},
};

TEST(ActiveBlocks, ChangesWhatTheProofAllows) { expect_changed(kChanged, kUpper); }

constexpr RefusedCase kRefused[] = {
    {"softmax along merged rows", "%x: f32[4, 3, 2]", "%m = reshape %x {shape=[12, 2]}; %y = softmax %m {axis=0}",
     "%y: softmax is not computed row by row: reduce_max works across axis 0 of x, which holds the rows"},
    {"cumulation along merged rows", "%x: f32[4, 3, 2]", "%m = reshape %x {shape=[12, 2]}; %y = cumsum %m {axis=0}",
     "%y: cumsum works across axis 0 of x, which holds the rows"},
    {"a sum over merged rows", "%x: f32[4, 3, 2]", "%m = reshape %x {shape=[12, 2]}; %y = reduce_sum %m {axes=[0]}",
     "%y: reduce_sum works across axis 0 of x, which holds the rows"},
    {"merged rows that are indexed", "%x: f32[4, 3, 2], %i: i64[5]",
     "%m = reshape %x {shape=[12, 2]}; %y = take %m, %i", "%y: take works across axis 0 of x, which holds the rows"},
    {"concatenation along merged rows", "%x: f32[4, 3, 2]",
     "%m = reshape %x {shape=[12, 2]}; %y = concatenate [%m, %m]",
     "%y: concatenate works across axis 0 of operands, which holds the rows"},
    {"the first merged rows", "%x: f32[4, 3, 2]",
     "%m = reshape %x {shape=[12, 2]}; %y = slice %m {axes=[0], starts=[0], stops=[4]}",
     "%y: slice works across axis 0 of x, which holds the rows"},
    {"merged rows that are repeated", "%x: f32[4, 3]",
     "%m = reshape %x {shape=[12]}; %t = tile %m {repeats=[2]}; %y = reshape %t {shape=[2, 4, 3]}",
     "%t: tile works across axis 0 of x, which holds the rows"},
    {"a split that does not divide the rows", "%x: f32[4, 3, 4]",
     "%m = reshape %x {shape=[12, 4]}; %y = reshape %m {shape=[6, 8]}",
     "%y: reshape takes 2 slices of axis 0 of x together, and a row there has 3"},
    {"a split into as many parts as rows have slices", "%x: f32[4, 3, 4]",
     "%m = reshape %x {shape=[12, 4]}; %y = reshape %m {shape=[3, 4, 4]}",
     "%y: reshape takes 4 slices of axis 0 of x together, and a row there has 3"},
    {"a split into fewer parts, where rows have as many slices as there are rows", "%x: f32[4, 4, 2]",
     "%m = reshape %x {shape=[16, 2]}; %y = reshape %m {shape=[2, 8, 2]}",
     "%y: reshape takes 8 slices of axis 0 of x together, and a row there has 4"},
    {"rows with slices that are as many", "%x: f32[4, 4]",
     "%m = reshape %x {shape=[16]}; %a = reshape %m {shape=[4, 4]}; %t = transpose %a {perm=[1, 0]}; %y = add %t, %x",
     "%y: add brings every row of a together with every row of b"},
    {"an axis in front of the rows", "%x: f32[4, 2, 3]",
     "%t = transpose %x {perm=[1, 0, 2]}; %y = reshape %t {shape=[8, 3]}",
     "%y: reshape works across axis 1 of x, which holds the rows"},
    {"an axis in front that is as long", "%x: f32[4, 4]",
     "%t = transpose %x {perm=[1, 0]}; %y = reshape %t {shape=[16]}",
     "%y: reshape works across axis 1 of x, which holds the rows"},
    {"a size between that is not known", "%x: f32[4, S, 2]", "%y = reshape %x {shape=[4*S, 2]}",
     "%y: reshape works across axis 0 of x, which holds the rows"},
    {"rows with merged rows", "%x: f32[4, 3, 2], %z: f32[4, 2]",
     "%m = reshape %x {shape=[12, 2]}; %y = matmul %m, %z {transpose_b=true}",
     "%y: matmul brings every row of a together with every row of b"},
    {"rows that are summed, and were merged", "%x: f32[4, 3, 2], %w: f32[5, 12]",
     "%m = reshape %x {shape=[12, 2]}; %y = matmul %w, %m",
     "%y: matmul works across axis 0 of b, which holds the rows"},
    {"nothing behind", "%x: f32[4, 0]", "%y = reshape %x {shape=[0]}",
     "%y: reshape works across axis 0 of x, which holds the rows"},
};

TEST(ActiveBlocks, RefusesWhereRowsMeet) { expect_refused(kRefused, kUpper); }

TEST(ActiveBlocks, RewritesSizesAndCutsTables) {
  const Program program = program_of("%x: f32[4, 6]",
                                     "%t = iota {length=24, dtype=f32}; %m = reshape %x {shape=[24]}; "
                                     "%a = add %m, %t; %y = reshape %a {shape=[8, 3]}; return %y");
  EXPECT_EQ(text_of(with_active_extent(program, kUpper).program),
            R"(method f(%x: f32[active, 6]) -> (f32[2*active, 3] y) {
  %t = iota {length=24, dtype=f32} : f32[24]
  %m = reshape %x {shape=[6*active]} : f32[6*active]
  %2 = slice %t {axes=[0], starts=[0], stops=[6*active]} : f32[6*active] loc(name="a")
  %a = add %m, %2 : f32[6*active]
  %y = reshape %a {shape=[2*active, 3]} : f32[2*active, 3]
  return %y
}
)");
}

// What the types of a valid program rule out.
TEST(ActiveBlocks, RowsThatMeetHaveOneBlock) {
  const Op add = op::Binary{.fn = BinaryFn::add, .a = {0}, .b = {1}};
  const Lanes lanes{{{0}, {0}}, {{0}}, {}};
  const Rows rows[] = {Rows::on(0, 3), Rows::on(0, 2)};
  EXPECT_EQ(cut_of(add, lanes, rows).reason, "add brings rows of 3 slices of a together with rows of 2 slices of b");
}

}  // namespace
}  // namespace ingot::test
