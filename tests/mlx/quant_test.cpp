// Packed weights that MLX multiplies and unpacks itself: the cases have weights too small for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

constexpr int64_t kRows = 5, kColumns = 512;

Tensor random_matrix(int64_t rows, uint32_t seed) { return numbers({rows, kColumns}, seed); }

// Random codes and scales; d, the first two bytes of a block, is 2^-6.
Tensor random_blocks(const QuantScheme& scheme) {
  std::mt19937 random(7);
  Tensor w = Tensor::allocate(DType::packed, {kRows, kColumns}, scheme);
  const auto bytes = w.mutable_bytes();
  const auto size = static_cast<size_t>(facts(scheme.method).block_bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = i % size == 0 ? std::byte{0} : i % size == 1 ? std::byte{0x24} : static_cast<std::byte>(random());
  }
  return w;
}

// A method that fixes all of its scheme.
QuantScheme scheme_of(QuantMethod method) {
  const MethodFacts& known = facts(method);
  return {method, *known.bits, *known.group, *known.scale};
}

Tensor random_weight(const QuantScheme& scheme) {
  if (facts(scheme.method).searched) return random_blocks(scheme);
  Machine machine(
      fmt::format("ingot 1\nmethod main(%x: f32[5, 512]) -> (w) {{\n"
                  "  %w = quantize %x {{scheme=packed<{}>}}\n  return %w\n}}\n",
                  to_string(scheme)));
  return machine.call("main", {{"x", random_matrix(kRows, 1)}}).at("w");
}

std::string product(const QuantScheme& scheme, DType dtype, int64_t rows) {
  return fmt::format(
      "ingot 1\nmethod main(%x: f32[{}, 512], %w: packed<{}>[5, 512], %s: f32[]) -> (y) {{\n"
      "  %c = cast %x {{dtype={}}}\n  %p = quantized_matmul %c, %w, %s\n  %y = cast %p {{dtype=f32}}\n  return "
      "%y\n}}\n",
      rows, to_string(scheme), to_string(dtype));
}

// Up to the rounding of the result, and of sums in f32 whose terms are below 4·|w|. On GPUs MLX rounds each weight to
// the dtype that it multiplies in.
Closeness closeness(DType dtype) {
  const double step = dtype == DType::f32 ? 0x1p-20 : dtype == DType::f16 ? 0x1p-10 : 0x1p-7;
  const bool rounds_weights = dtype != DType::f32 && Target::parse("mlx").on_gpu();
  return {.ulps = 0, .atol = rounds_weights ? 16 * step : 2e-3, .rtol = step, .signed_zero = false};
}

class PackedWeight : public testing::TestWithParam<QuantScheme> {};

TEST_P(PackedWeight, HasTheProductsOfTheReference) {
  const QuantScheme scheme = GetParam();
  const Tensor w = random_weight(scheme);
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (int64_t rows : {1, 3, 17}) {
      const Tensors inputs{{"x", random_matrix(rows, 2)}, {"w", w}, {"s", Tensor::of<float>({}, {0.5F})}};
      SCOPED_TRACE(fmt::format("{}, {} rows", to_string(dtype), rows));
      expect_as_reference(product(scheme, dtype, rows), inputs, {closeness(dtype), {"mlx:lazy"}});
    }
  }
}

TEST_P(PackedWeight, HasTheValuesOfTheReference) {
  const Tensors inputs{{"w", random_weight(GetParam())}};
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    const std::string text = fmt::format(
        "ingot 1\nmethod main(%w: packed<{}>[5, 512]) -> (y) {{\n  %y = dequantize %w {{dtype={}}}\n"
        "  return %y\n}}\n",
        to_string(GetParam()), dtype);
    if (std::string_view(dtype) == "f64" && !Target::parse("mlx").has_f64()) continue;
    SCOPED_TRACE(dtype);
    expect_as_reference(text, inputs, {{.ulps = 1, .atol = 0x1p-22, .signed_zero = false}, {"mlx:lazy"}});
  }
}

using enum QuantMethod;

constexpr QuantScheme schemes[] = {
    {affine, 2, 32, DType::f32},     {affine, 3, 64, DType::f16},     {affine, 4, 64, DType::bf16},
    {affine, 4, 128, DType::f16},    {affine, 5, 32, DType::f16},     {affine, 6, 64, DType::f16},
    {affine, 7, 64, DType::f16},     {affine, 8, 256, DType::f32},    {affine, 4, 16, DType::f16},
    {affine, 4, 96, DType::f16},     {symmetric, 2, 32, DType::f16},  {symmetric, 3, 64, DType::f16},
    {symmetric, 4, 32, DType::bf16}, {symmetric, 7, 128, DType::f32}, {symmetric, 8, 64, DType::f16},
    {nf4, 4, 64, DType::f16},        {fp8_e4m3, 8, 128, DType::f32},  {fp8_e5m2, 8, 64, DType::bf16},
};

constexpr QuantMethod fixed_methods[] = {mxfp4,   mxfp8,   nvfp4, q4_0,  q4_1,  q5_0, q5_1,   q8_0,
                                         q8_1,    q2_k,    q4_k,  q5_k,  q6_k,  q8_k, iq4_nl, iq4_xs,
                                         iq2_xxs, iq3_xxs, iq3_s, iq1_s, tq1_0, tq2_0};

std::vector<QuantScheme> all_schemes() {
  std::vector<QuantScheme> result(std::begin(schemes), std::end(schemes));
  for (QuantMethod method : fixed_methods) result.push_back(scheme_of(method));
  return result;
}

INSTANTIATE_TEST_SUITE_P(Schemes, PackedWeight, testing::ValuesIn(all_schemes()), [](const auto& each) {
  const QuantScheme& scheme = each.param;
  return fmt::format("{}_{}_{}", to_string(scheme.method), scheme.bits, scheme.group);
});

// MLX reads the NaN of f8e4m3 as 480.
TEST(NaNsOfWeights, Show) {
  for (QuantMethod method : {mxfp4, mxfp8, nvfp4}) {
    const QuantScheme scheme = scheme_of(method);
    const Tensor finite = random_weight(scheme);
    Tensor w = Tensor::allocate(DType::packed, finite.sizes(), finite.scheme());
    std::ranges::copy(finite.bytes(), w.mutable_bytes().begin());
    w.mutable_bytes().back() = std::byte{0xff};  // the last scale of the last row
    const Tensors inputs{{"x", random_matrix(1, 2)}, {"w", w}, {"s", Tensor::of<float>({}, {1.0F})}};
    const Tensor y = Machine(product(scheme, DType::f32, 1), Target::parse("mlx:lazy")).call("main", inputs).at("y");
    const auto values = y.as<float>();
    EXPECT_FALSE(std::isnan(values[3])) << to_string(method);
    EXPECT_TRUE(std::isnan(values[4])) << to_string(method);
  }
}

}  // namespace
}  // namespace ingot::test
