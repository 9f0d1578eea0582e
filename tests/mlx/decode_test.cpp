// A vocabulary and experts of the sizes that models have: MLX sorts, adds up and draws in f32 what the reference engine does
// in f64, and the tokens and experts are the same all the same.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

constexpr std::string_view kProgram = R"(ingot 1
method sample(%given: f32[5000, 24], %key: u32[2]) -> (all, cold, k, p, m, every) {
  %x = transpose %given {perm=[1, 0]}
  %all = sample %x, %key
  %cold = sample %x, %key {temperature=0.25}
  %k = sample %x, %key {top_k=40}
  %p = sample %x, %key {top_p=0.9}
  %m = sample %x, %key {min_p=0.05, temperature=1.5}
  %every = sample %x, %key {top_k=100, top_p=0.8, min_p=0.02, temperature=0.8}
  return %all, %cold, %k, %p, %m, %every
}
method route(%given: f32[256, 24], %bias: f32[256]) -> (w, e, groups_w, groups_e) {
  %x = transpose %given {perm=[1, 0]}
  %w, %e = moe_route_softmax %x {k=8, normalize=true}
  %groups_w, %groups_e = moe_route_sigmoid %x, %bias {k=8, groups=8, top_groups=4, normalize=true, scale=2.5}
  return %w, %e, %groups_w, %groups_e
}
)";

Tensor normal(Sizes sizes, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  // Twelve uniforms: the same numbers with every C++ library.
  for (float& value : values) {
    float sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<float>(random() >> 8) * 0x1p-24F;
    value = sum * scale;
  }
  return Tensor::of(std::move(sizes), values);
}

void compare(std::string_view method, const Tensors& inputs) {
  expect_as_reference(kProgram, inputs, {.closeness = {.ulps = 8}, .method = method});
}

TEST(MlxDecode, DrawsTheSameTokens) {
  for (uint32_t key = 1; key < 4; ++key) {
    compare("sample", {{"given", normal({5000, 24}, 2, key)}, {"key", Tensor::of<uint32_t>({2}, {key, 7})}});
  }
}

TEST(MlxDecode, ChoosesTheSameExperts) {
  compare("route", {{"given", normal({256, 24}, 1, 5)}, {"bias", normal({256}, 0.1F, 6)}});
}

}  // namespace
}  // namespace ingot::test
