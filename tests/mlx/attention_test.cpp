// Attention of the sizes of models, on operands whose heads lie behind their rows in memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

struct Variant {
  const char* name;
  int64_t queries;
  const char* operands;  // behind q, k and v
  const char* attributes;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class ModelAttention : public testing::TestWithParam<Variant> {};

// [B, S, H, D] are 8 heads of q on 2 of k and v, as a projection leaves them.
std::string program_of(const Variant& variant, DType dtype) {
  std::string text = fmt::format(
      "ingot 1\nmethod main(%q0: f32[2, {0}, 8, 64], %k0: f32[2, 48, 2, 64], %v0: f32[2, 48, 2, 64],"
      " %mask: f32[{0}, 48], %sinks: f32[8], %lengths: i32[2], %positions: i32[48]) -> (y) {{\n",
      variant.queries);
  for (const char* name : {"q", "k", "v"}) {
    text += fmt::format("  %{0}1 = cast %{0}0 {{dtype={1}}}\n  %{0} = transpose %{0}1 {{perm=[0, 2, 1, 3]}}\n", name,
                        to_string(dtype));
  }
  return text + fmt::format(
                    "  %turned = rope %k, %positions\n  %y0 = attention %q, %turned, %v{}{}\n"
                    "  %y = cast %y0 {{dtype=f32}}\n  return %y\n}}\n",
                    variant.operands, variant.attributes);
}

TEST_P(ModelAttention, AgreesWithTheReference) {
  const Variant variant = GetParam();
  std::vector<int32_t> positions(48);
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int32_t>(i + 1000);
  const Tensors inputs{{"q0", numbers({2, variant.queries, 8, 64}, 1)},
                       {"k0", numbers({2, 48, 2, 64}, 2)},
                       {"v0", numbers({2, 48, 2, 64}, 3)},
                       {"mask", numbers({variant.queries, 48}, 4)},
                       {"sinks", numbers({8}, 5)},
                       {"lengths", Tensor::of<int32_t>({2}, {48, 31})},
                       {"positions", Tensor::of<int32_t>({48}, positions)}};
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    SCOPED_TRACE(to_string(dtype));
    const std::string text = program_of(variant, dtype);
    const double step = dtype == DType::f32 ? 0x1p-18 : dtype == DType::f16 ? 0x1p-9 : 0x1p-6;
    expect_as_reference(text, inputs, {{.ulps = 0, .atol = step, .rtol = step, .signed_zero = false}, {"mlx:lazy"}});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, ModelAttention,
    testing::Values(Variant{"prefill", 48, "", " {causal=lower_right}"},
                    Variant{"more_keys", 17, "", " {causal=lower_right}"},
                    Variant{"upper_left", 17, "", " {causal=upper_left, window=5}"},
                    Variant{"decode", 1, "", " {causal=lower_right}"},
                    Variant{"decode_lengths", 1, ", _, _, %lengths", " {causal=lower_right}"},
                    Variant{"decode_window", 1, ", _, %sinks, %lengths", " {causal=lower_right, window=7}"},
                    Variant{"mask", 17, ", %mask", ""}, Variant{"softcap", 17, ", _, _, %lengths", " {softcap=20.0}"},
                    Variant{"everything", 17, ", %mask, %sinks, %lengths",
                            " {causal=lower_right, window=9, softcap=30.0, scale=0.1}"}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace ingot::test
