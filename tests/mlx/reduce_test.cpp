// Reductions, cumulations, softmax and norms of MLX on views: rows that lie apart in memory, run backwards or are the
// same one stretched. The reference engine says what comes out.
#include <gtest/gtest.h>

#include "tests/mlx/views.h"

namespace ingot::test {
namespace {

// What is made of `%v`, a f32[6, 34].
constexpr std::string_view kOps = R"(
  %sum = reduce_sum %v {axes=[0]}
  %mean = reduce_mean %v {axes=[1]}
  %max = reduce_max %v {axes=[1], keepdims=true}
  %min = reduce_min %v {axes=[0, 1]}
  %logsumexp = reduce_logsumexp %v {axes=[0]}
  %std = reduce_std %v {axes=[1], ddof=1.0}
  %argmax = argmax %v {axis=0, last=true}
  %argmin = argmin %v {axis=1, dtype=i32}
  %softmax = softmax %v {axis=0}
  %log_softmax = softmax %v {axis=1, log=true}
  %cumsum = cumsum %v {axis=0, reverse=true}
  %cummax = cummax %v {axis=1, exclusive=true}
  %cumlogsumexp = cumlogsumexp %v {axis=0, exclusive=true, reverse=true}
  %layer = layer_norm %v {eps=0.1}
  %rms = rms_norm %v {axis=0}
  %v3 = reshape %v {shape=[2, 6, 17]}
  %group = group_norm %v3 {groups=3, eps=0.1}
  %local = local_response_norm %v3 {size=4}
)";
constexpr std::string_view kResults =
    "sum, mean, max, min, logsumexp, std, argmax, argmin, softmax, log_softmax, cumsum, cummax, cumlogsumexp, layer, "
    "rms, "
    "group, local";

class MlxReductionsOfViews : public testing::TestWithParam<View> {};

TEST_P(MlxReductionsOfViews, AreTheReferenceEngines) {
  const View& view = GetParam();
  expect_as_reference(program_on(view, kOps, kResults), {{"x", numbers(view.sizes, 3, 2, 2000)}},
                      {{.ulps = 16, .atol = 2e-6, .rtol = 0, .signed_zero = false}, {"mlx:lazy", "mlx:eager"}});
}

INSTANTIATE_TEST_SUITE_P(
    , MlxReductionsOfViews,
    testing::Values(View{"itself", {6, 34}, "%v = reshape %x {shape=[6, 34]}"},
                    View{"transposed", {34, 6}, "%v = transpose %x {perm=[1, 0]}"},
                    View{
                        "sliced", {12, 40}, "%v = slice %x {axes=[0, 1], starts=[1, 3], stops=[12, 37], steps=[2, 1]}"},
                    View{"reversed", {6, 34}, "%v = flip %x {axes=[0, 1]}"},
                    View{"stretched", {34}, "%v = broadcast %x {shape=[6, 34]}"},
                    View{"stretched_along", {6, 1}, "%v = broadcast %x {shape=[6, 34]}"}),
    view_name);

}  // namespace
}  // namespace ingot::test
