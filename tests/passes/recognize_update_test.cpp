// Writes at indices that follow one another.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kCases[] = {
    {"update_of_scatter", "%x: f32[2, 6, 4], %u: f32[2, 1, 4], %i: i64[1]",
     "%r = reshape %i {shape=[1, 1, 1]}; %b = broadcast %r {shape=[2, 1, 4]}; %y = scatter_set %x, %b, %u {axis=1}",
     "%r = reshape %i {shape=[1, 1, 1]}; %0 = reshape %r {shape=[]}; %1 = cast %0 {dtype=i64}; "
     "%2 = full {shape=[], value=0, dtype=i64}; %3 = lt %1, %2; %4 = size_of {size=6}; %5 = add %1, %4; "
     "%6 = select %3, %5, %1; %y = dynamic_update %x, %u, [%6] {axes=[1]}"},
    {"update_of_scatter", "%x: f32[S, 12, 4], %u: f32[S, T, 4], %z: f32[K, 2]",
     "%k = iota {length=T, step=1}; %s = size_of {size=K}; %p = add %k, %s; %r = reshape %p {shape=[1, T, 1]}; "
     "%b = broadcast %r {shape=[S, T, 4]}; %y = scatter_set %x, %b, %u {axis=-2}",
     "%s = size_of {size=K}; %y = dynamic_update %x, %u, [%s] {axes=[1]}"},
    {"update_of_scatter", "%x: i32[12, 4], %u: i32[T, 4]",
     "%k = iota {length=T, start=2}; %r = reshape %k {shape=[T, 1]}; %b = broadcast %r {shape=[T, 4]}; "
     "%y = scatter_set %x, %b, %u",
     "%0 = full {shape=[], value=2, dtype=i64}; %y = dynamic_update %x, %u, [%0] {axes=[0]}"},
    {"update_of_scatter", "%x: f32[12], %u: f32[T], %i: i64[]",
     "%n = full {shape=[], value=0, dtype=i64}; %m = max %i, %n; %k = iota {length=T}; %p = add %m, %k; "
     "%y = scatter_set %x, %p, %u",
     "%n = full {shape=[], value=0, dtype=i64}; %m = max %i, %n; %y = dynamic_update %x, %u, [%m] {axes=[0]}"},
    // An axis that may be empty: then there are no indices.
    {"update_of_scatter", "%x: f32[K, 6], %u: f32[K, 1]",
     "%i = full {shape=[1, 1], value=2, dtype=i64}; %b = broadcast %i {shape=[K, 1]}; "
     "%y = scatter_set %x, %b, %u {axis=1}",
     "%i = full {shape=[1, 1], value=2, dtype=i64}; %0 = reshape %i {shape=[]}; %1 = size_of {size=min(K, 1)}; "
     "%2 = mul %0, %1; %y = dynamic_update %x, %u, [%2] {axes=[1]}"},
    // A start of which some indices may count from the end and some not; before the front.
    {"update_of_scatter", "%x: f32[12], %u: f32[3], %i: i64[]",
     "%k = iota {length=3}; %p = add %i, %k; %y = scatter_set %x, %p, %u", ""},
    {"update_of_scatter", "%x: f32[12], %u: f32[3]", "%k = iota {length=3, start=-1}; %y = scatter_set %x, %k, %u", ""},
    // Every second; along another axis; places that differ along others.
    {"update_of_scatter", "%x: f32[12], %u: f32[3]", "%k = iota {length=3, step=2}; %y = scatter_set %x, %k, %u", ""},
    {"update_of_scatter", "%x: f32[3, 3], %u: f32[3, 3]",
     "%k = iota {length=3}; %b = broadcast %k {shape=[3, 3]}; %y = scatter_set %x, %b, %u", ""},
    {"update_of_scatter", "%x: f32[2, 6], %u: f32[2, 1], %i: i64[2, 1]", "%y = scatter_set %x, %i, %u {axis=1}", ""},
    // Sums of i32, which come round; of two counts; of a start each.
    {"update_of_scatter", "%x: f32[12], %u: f32[3]",
     "%s = full {shape=[], value=1, dtype=i32}; %k = iota {length=3, dtype=i32}; %p = add %k, %s; "
     "%y = scatter_set %x, %p, %u",
     ""},
    {"update_of_scatter", "%x: f32[12], %u: f32[3]",
     "%k = iota {length=3}; %p = add %k, %k; %y = scatter_set %x, %p, %u", ""},
    {"update_of_scatter", "%x: f32[12], %u: f32[3]",
     "%k = iota {length=3}; %s = full {shape=[3], value=1, dtype=i64}; %p = add %k, %s; %y = scatter_set %x, %p, %u",
     ""},
    // Added to what is there; outside does not fail; perhaps nothing; more than there is room for; of no sign.
    {"update_of_scatter", "%x: f32[6], %u: f32[1], %i: i64[1]", "%y = scatter_add %x, %i, %u", ""},
    {"update_of_scatter", "%x: f32[6], %u: f32[1], %i: i64[1]", "%y = scatter_set %x, %i, %u {mode=clamp}", ""},
    {"update_of_scatter", "%x: f32[12], %u: f32[3]", "%k = iota {length=3}; %y = scatter_set %x, %k, %u {mode=drop}",
     ""},
    {"update_of_scatter", "%x: f32[12], %u: f32[K]", "%k = iota {length=K}; %y = scatter_set %x, %k, %u", ""},
    {"update_of_scatter", "%x: f32[4], %u: f32[T]", "%k = iota {length=T}; %y = scatter_set %x, %k, %u", ""},
    {"update_of_scatter", "%x: f32[6], %u: f32[1], %i: u64[1]", "%y = scatter_set %x, %i, %u", ""},
    // ------------------------------------------------------------------------------------------------- coordinates
    {"update_of_scatter_nd", "%x: f32[6, 2, K], %u: f32[1, 2, K], %i: i32[1, 1]", "%y = scatter_nd_set %x, %i, %u",
     "%0 = reshape %i {shape=[]}; %1 = cast %0 {dtype=i64}; %2 = full {shape=[], value=0, dtype=i64}; "
     "%3 = lt %1, %2; %4 = size_of {size=6}; %5 = add %1, %4; %6 = select %3, %5, %1; "
     "%y = dynamic_update %x, %u, [%6] {axes=[0]}"},
    {"update_of_scatter_nd", "%x: f32[20, 2], %u: f32[T, 2], %z: f32[K]",
     "%k = iota {length=T}; %s = size_of {size=K}; %p = add %s, %k; %r = reshape %p {shape=[T, 1]}; "
     "%y = scatter_nd_set %x, %r, %u",
     "%s = size_of {size=K}; %y = dynamic_update %x, %u, [%s] {axes=[0]}"},
    // Two coordinates; rows of rows; the sum.
    {"update_of_scatter_nd", "%x: f32[6, 2], %u: f32[1], %i: i64[1, 2]", "%y = scatter_nd_set %x, %i, %u", ""},
    {"update_of_scatter_nd", "%x: f32[6, 2], %u: f32[1, 1, 2], %i: i64[1, 1, 1]", "%y = scatter_nd_set %x, %i, %u", ""},
    {"update_of_scatter_nd", "%x: f32[6, 2], %u: f32[1, 2], %i: i64[1, 1]", "%y = scatter_nd_add %x, %i, %u", ""},
    {"update_between_transposes", "%x: f32[2, 3, 6, 4], %u: f32[1, 2, 3, 4], %i: i64[]",
     "%t = transpose %x {perm=[2, 0, 1, 3]}; %d = dynamic_update %t, %u, [%i] {axes=[0], mode=clamp}; "
     "%y = transpose %d {perm=[1, 2, 0, 3]}",
     "%0 = transpose %u {perm=[1, 2, 0, 3]}; %y = dynamic_update %x, %0, [%i] {axes=[2], mode=clamp}"},
    {"update_between_transposes", "%x: f32[2, 3, 6], %u: f32[2, 3, 1], %i: i64[], %j: i64[]",
     "%t = transpose %x {perm=[2, 0, 1]}; %v = transpose %u {perm=[2, 0, 1]}; "
     "%d = dynamic_update %t, %v, [%i, %j] {axes=[-1, 0], mode=drop}; %y = transpose %d {perm=[1, 2, 0]}",
     "%v = transpose %u {perm=[2, 0, 1]}; %0 = transpose %v {perm=[1, 2, 0]}; "
     "%y = dynamic_update %x, %0, [%i, %j] {axes=[1, 2], mode=drop}"},
    // Not back; used besides.
    {"update_between_transposes", "%x: f32[3, 3, 3], %u: f32[1, 3, 3], %i: i64[]",
     "%t = transpose %x {perm=[2, 0, 1]}; %d = dynamic_update %t, %u, [%i] {axes=[0], mode=clamp}; "
     "%y = transpose %d {perm=[2, 0, 1]}",
     ""},
    {"update_between_transposes", "%x: f32[2, 3], %u: f32[1, 2], %i: i64[]",
     "%t = transpose %x {perm=[1, 0]}; %d = dynamic_update %t, %u, [%i] {axes=[0], mode=clamp}; "
     "%y = transpose %d {perm=[1, 0]}; return %y, %d",
     ""},
};

TEST(RecognizeUpdate, EachRule) { expect_each(kCases, update_rules()); }
TEST(RecognizeUpdate, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, update_rules()); }

// Each valid index, those that count from the end among them, and the first on either side.
TEST(RecognizeUpdate, EveryIndex) {
  const Program before =
      program_of("%x: f32[3, 2], %u: f32[1, 2], %i: i64[]",
                 "%b = broadcast %i {shape=[1, 2]}; %t = scatter_set %x, %b, %u; %r = reshape %i {shape=[1, 1]}; "
                 "%y = scatter_nd_set %x, %r, %u; return %y, %t");
  const Program after = recognize(before);
  for (const Node& node : after.method("f")->nodes) {
    EXPECT_FALSE(node.op.get_if<op::Scatter>() || node.op.get_if<op::ScatterNd>());
  }
  for (int64_t index = -4; index <= 3; ++index) {
    const std::vector<Tensor> inputs{Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), Tensor::of<float>({1, 2}, {7, 8}),
                                     Tensor::of<int64_t>({}, {index})};
    if (index < -3 || index > 2) {
      EXPECT_THROW(Runner(before).run("f", inputs), Error) << index;
      EXPECT_THROW(Runner(after).run("f", inputs), Error) << index;
      continue;
    }
    const auto expected = Runner(before).run("f", inputs), actual = Runner(after).run("f", inputs);
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(actual[i], expected[i])) << index;
  }
}

// Without indices none is out of range.
TEST(RecognizeUpdate, OfNothing) {
  const Program before = program_of("%x: f32[K, 2], %u: f32[K, 1], %i: i64[1, 1]",
                                    "%b = broadcast %i {shape=[K, 1]}; %y = scatter_set %x, %b, %u {axis=1}");
  const Program after = recognize(before);
  EXPECT_TRUE(after.method("f")->nodes.back().op.get_if<op::DynamicUpdate>());
  for (const int64_t index : {-9, -1, 0, 9}) {
    const std::vector<Tensor> inputs{Tensor::of<float>({0, 2}, {}), Tensor::of<float>({0, 1}, {}),
                                     Tensor::of<int64_t>({1, 1}, {index})};
    for (const Program* program : {&before, &after}) EXPECT_EQ(Runner(*program).run("f", inputs)[0].elements(), 0);
  }
}

// A cache that is read, written at a position and stored again.
TEST(RecognizeUpdate, OfStateInThePipeline) {
  expect_optimized("%x: f32[1], %i: i64[1]",
                   "%r = state_read {state=@s}; %u = scatter_set %r, %i, %x; %y = state_write %u {state=@s}",
                   "%0 = reshape %i {shape=[]}; %1 = full {shape=[], value=0, dtype=i64}; %2 = lt %0, %1; "
                   "%3 = full {shape=[], value=3, dtype=i64}; %4 = add %0, %3; %5 = select %2, %4, %0; "
                   "%y = state_update %x, [%5] {state=@s, axes=[0]}");
}

}  // namespace
}  // namespace ingot::test
