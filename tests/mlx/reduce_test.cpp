// Reductions, cumulations, softmax and norms of MLX on views: rows that lie apart in memory, run backwards or are the
// same one stretched. The reference engine says what comes out.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Target;
using test::Tensors;

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

std::string returned() {
  std::string text = "  return %";
  for (char c : kResults) text += c == ' ' ? " %" : std::string(1, c);
  return text + "\n}\n";
}

struct View {
  std::string_view name, sizes, text;  // of %x, to %v
};

class MlxReductionsOfViews : public testing::TestWithParam<View> {};

TEST_P(MlxReductionsOfViews, AreTheReferenceEngines) {
  const View& view = GetParam();
  const std::string program = fmt::format("ingot 1\nmethod main(%x: f32[{}]) -> ({}) {{\n  {}\n{}{}", view.sizes,
                                          kResults, view.text, kOps, returned());
  test::Machine reference(program);
  const Sizes sizes = *literal_sizes(reference.program().graphs[0].values[0].type.shape);
  std::mt19937 random(3);
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  for (float& value : values) value = static_cast<float>(random() % 4001) / 1000 - 2;
  const Tensors inputs{{"x", Tensor::of(sizes, values)}};
  const Tensors expected = reference.call("main", inputs);
  for (const char* target : {"mlx:lazy", "mlx:eager"}) {
    const Tensors actual = test::Machine(program, Target::parse(target)).call("main", inputs);
    for (const auto& [name, tensor] : expected) {
      const test::Closeness closeness{.ulps = 16, .atol = 2e-6, .rtol = 0, .signed_zero = false};
      EXPECT_EQ(test::difference(actual.at(name), tensor, closeness), "") << target << ", " << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MlxReductionsOfViews,
    testing::Values(View{"itself", "6, 34", "%v = reshape %x {shape=[6, 34]}"},
                    View{"transposed", "34, 6", "%v = transpose %x {perm=[1, 0]}"},
                    View{"sliced", "12, 40",
                         "%v = slice %x {axes=[0, 1], starts=[1, 3], stops=[12, 37], steps=[2, 1]}"},
                    View{"reversed", "6, 34", "%v = flip %x {axes=[0, 1]}"},
                    View{"stretched", "34", "%v = broadcast %x {shape=[6, 34]}"},
                    View{"stretched_along", "6, 1", "%v = broadcast %x {shape=[6, 34]}"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace ingot
