// MLX makes random numbers out of Philox by its own integer ops: over many blocks they are the reference engine's, bit by
// bit, and so are the steps of a long iota.
#include <gtest/gtest.h>

#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Target;
using test::Tensors;

constexpr std::string_view kProgram = R"(ingot 1
method exact(%key: u32[2]) -> (narrow, wide, f16, bf16, f32, f64, scaled, permutation, mask) {
  %narrow = random_bits %key {shape=[1031], dtype=u32}
  %wide = random_bits %key {shape=[7, 143], dtype=u64}
  %f16 = random_uniform %key {shape=[1031], dtype=f16}
  %bf16 = random_uniform %key {shape=[1031], dtype=bf16}
  %f32 = random_uniform %key {shape=[11, 1, 93], dtype=f32}
  %f64 = random_uniform %key {shape=[1031], dtype=f64}
  %scaled = random_uniform %key {shape=[1031], dtype=bf16, offset=-0.3, scale=0.7}
  %permutation = random_permutation %key {length=515}
  %zeros = full {shape=[515], value=0.0}
  %y, %mask = dropout %zeros, %key {ratio=0.4}
  return %narrow, %wide, %f16, %bf16, %f32, %f64, %scaled, %permutation, %mask
}
method iota() -> (f16, bf16, f32, f64) {
  %f16 = iota {length=5000, dtype=f16, start=-1.5, step=0.1}
  %bf16 = iota {length=5000, dtype=bf16, start=3.0, step=0.7}
  %f32 = iota {length=100000, dtype=f32, start=0.1, step=0.1}
  %f64 = iota {length=5000, dtype=f64, start=0.1, step=0.1}
  return %f16, %bf16, %f32, %f64
}
method normal(%key: u32[2]) -> (f16, f32, f64) {
  %f16 = random_normal %key {shape=[1031], dtype=f16}
  %f32 = random_normal %key {shape=[1031], dtype=f32, offset=1.0, scale=2.0}
  %f64 = random_normal %key {shape=[1031], dtype=f64}
  return %f16, %f32, %f64
}
)";

void compare(std::string_view method, const Tensors& inputs, int ulps) {
  const Tensors expected = test::Machine(kProgram).call(method, inputs);
  for (const char* target : {"mlx:eager", "mlx:lazy", "mlx:compiled"}) {
    const Tensors actual = test::Machine(kProgram, Target::parse(target)).call(method, inputs);
    for (const auto& [name, tensor] : expected) {
      EXPECT_EQ(test::difference(actual.at(name), tensor, {.ulps = ulps}), "") << target << ", " << name;
    }
  }
}

Tensors key(uint32_t low, uint32_t high) { return {{"key", Tensor::of<uint32_t>({2}, {low, high})}}; }

TEST(MlxCreate, DrawsTheSameNumbers) {
  compare("exact", key(0, 0), 0);
  compare("exact", key(0xFFFFFFFF, 0x80000001), 0);
}

TEST(MlxCreate, DrawsTheSameNormalNumbersToRounding) { compare("normal", key(77, 3), 1); }

TEST(MlxCreate, IotaRoundsOnce) { compare("iota", {}, 0); }

}  // namespace
}  // namespace ingot
