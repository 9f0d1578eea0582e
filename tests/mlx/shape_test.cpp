// Views of views: operands of MLX that are transposed, sliced, reversed or stretched in place, where the memory is not in
// the order of the elements. Everything is compared with the reference engine, bit by bit.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/mlx/views.h"

namespace ingot::test {
namespace {

// What each op makes of `%v`, a f32[4, 6].
constexpr std::string_view kOps = R"(
  %reshape = reshape %v {shape=[3, 8]}
  %transpose = transpose %v {perm=[1, 0]}
  %slice = slice %v {axes=[0, 1], starts=[1, 0], stops=[4, 6], steps=[2, 3]}
  %concatenate = concatenate [%v, %v] {axis=1}
  %constant = pad %v {before=[1, 0], after=[0, 2], value=9.0}
  %reflect = pad %v {before=[2, 3], after=[3, 5], mode=reflect}
  %edge = pad %v {before=[2, 0], after=[0, 3], mode=edge}
  %wrap = pad %v {before=[4, 1], after=[1, 6], mode=wrap}
  %tile = tile %v {repeats=[2, 3]}
  %repeat = repeat %v {axis=0, count=3}
  %flip = flip %v {axes=[0, 1]}
  %roll = roll %v {axes=[0, 1], shifts=[-7, 4]}
  %lower = triangle_lower %v {k=1}
  %upper = triangle_upper %v {k=1}
  %diagonal = diagonal %v {offset=-1}
  %row = reshape %v {shape=[24]}
  %thirds = slice %row {axes=[0], starts=[1], stops=[24], steps=[3]}
  %strided = as_strided %v {shape=[5, 4], strides=[-2, 3], offset=8}
  %strided_row = as_strided %thirds {shape=[2, 3], strides=[1, 2], offset=1}
  %x4 = reshape %v {shape=[1, 2, 3, 4]}
  %x4t = transpose %x4 {perm=[1, 0, 3, 2]}
  %unfold = unfold %x4t {kernel=[2, 2], strides=[2, 1], before=[1, 0], after=[0, 1]}
  %unpadded = unfold %x4t {kernel=[2, 2]}
  %x3 = reshape %v {shape=[1, 12, 2]}
  %fold = fold %x3 {shape=[4, 2], kernel=[3, 2], strides=[1, 1]}
)";
constexpr std::string_view kResults =
    "reshape, transpose, slice, concatenate, constant, reflect, edge, wrap, tile, repeat, flip, roll, lower, upper, "
    "diagonal, strided, strided_row, unfold, unpadded, fold";

class ViewsOfViews : public testing::TestWithParam<View> {};

TEST_P(ViewsOfViews, AreTheReferenceEngines) {
  const View& view = GetParam();
  std::vector<float> values(static_cast<size_t>(element_count(view.sizes)));
  std::iota(values.begin(), values.end(), 1.0F);
  expect_as_reference(program_on(view, kOps, kResults), {{"x", Tensor::of(view.sizes, values)}}, {{.ulps = 0}});
}

INSTANTIATE_TEST_SUITE_P(
    Mlx, ViewsOfViews,
    testing::Values(View{"dense", {4, 6}, "%v = reshape %x {shape=[4, 6]}"},
                    View{"transposed", {6, 4}, "%v = transpose %x {perm=[1, 0]}"},
                    View{"sliced", {9, 20}, "%v = slice %x {axes=[0, 1], starts=[1, 2], stops=[9, 20], steps=[2, 3]}"},
                    View{"reversed", {4, 6}, "%v = flip %x {axes=[1]}"},
                    View{"stretched", {4, 1}, "%v = broadcast %x {shape=[4, 6]}"},
                    View{"scalar", {}, "%v = broadcast %x {shape=[4, 6]}"},
                    View{"diagonal", {6, 4, 6}, "%v = diagonal %x {axis1=0, axis2=2}"},
                    View{"strided", {9}, "%v = as_strided %x {shape=[4, 6], strides=[-1, 1], offset=3}"}),
    view_name);

}  // namespace
}  // namespace ingot::test
