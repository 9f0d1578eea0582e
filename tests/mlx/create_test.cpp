// MLX makes random numbers out of Philox by its own integer ops: over many blocks they are the reference engine's, bit by
// bit, and so are the steps of a long iota.
#include <gtest/gtest.h>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

constexpr std::string_view kProgram = R"(ingot 1
method exact(%key: u32[2]) -> (narrow, wide, f16, bf16, f32, scaled, permutation, mask) {
  %narrow = random_bits %key {shape=[1031], dtype=u32}
  %wide = random_bits %key {shape=[7, 143], dtype=u64}
  %f16 = random_uniform %key {shape=[1031], dtype=f16}
  %bf16 = random_uniform %key {shape=[1031], dtype=bf16}
  %f32 = random_uniform %key {shape=[11, 1, 93], dtype=f32}
  %scaled = random_uniform %key {shape=[1031], dtype=bf16, offset=-0.3, scale=0.7}
  %permutation = random_permutation %key {length=515}
  %zeros = full {shape=[515], value=0.0}
  %y, %mask = dropout %zeros, %key {ratio=0.4}
  return %narrow, %wide, %f16, %bf16, %f32, %scaled, %permutation, %mask
}
method iota() -> (f16, bf16, f32) {
  %f16 = iota {length=5000, dtype=f16, start=-1.5, step=0.1}
  %bf16 = iota {length=5000, dtype=bf16, start=3.0, step=0.7}
  %f32 = iota {length=100000, dtype=f32, start=0.1, step=0.1}
  return %f16, %bf16, %f32
}
method normal(%key: u32[2]) -> (f16, f32) {
  %f16 = random_normal %key {shape=[1031], dtype=f16}
  %f32 = random_normal %key {shape=[1031], dtype=f32, offset=1.0, scale=2.0}
  return %f16, %f32
}
)";

constexpr std::string_view kProgramOfF64 = R"(ingot 1
method exact(%key: u32[2]) -> (y) {
  %y = random_uniform %key {shape=[1031], dtype=f64}
  return %y
}
method iota() -> (y) {
  %y = iota {length=5000, dtype=f64, start=0.1, step=0.1}
  return %y
}
method normal(%key: u32[2]) -> (y) {
  %y = random_normal %key {shape=[1031], dtype=f64}
  return %y
}
)";

// Without f64 in between a number is rounded more often. A normal one is up to six, times the scale, before the offset takes
// most of it away.
void compare(std::string_view method, const Tensors& inputs, int ulps, Closeness without_f64) {
  const bool has_f64 = Target::parse("mlx").has_f64();
  const Comparison comparison{.closeness = has_f64 ? Closeness{.ulps = ulps} : without_f64, .method = method};
  expect_as_reference(kProgram, inputs, comparison);
  if (has_f64) expect_as_reference(kProgramOfF64, inputs, comparison);
}

Tensors key(uint32_t low, uint32_t high) { return {{"key", Tensor::of<uint32_t>({2}, {low, high})}}; }

TEST(MlxCreate, DrawsTheSameNumbers) {
  compare("exact", key(0, 0), 0, {.ulps = 0});
  compare("exact", key(0xFFFFFFFF, 0x80000001), 0, {.ulps = 0});
}

TEST(MlxCreate, DrawsTheSameNormalNumbersToRounding) { compare("normal", key(77, 3), 1, {.ulps = 16, .atol = 1e-6}); }

TEST(MlxCreate, IotaRoundsOnce) { compare("iota", {}, 0, {.ulps = 1}); }

}  // namespace
}  // namespace ingot::test
