// Operands of one shape and layout that begin anywhere in memory: on GPUs the libraries under MLX choose kernels by
// alignment, and keep what they chose.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

Comparison close_in(DType dtype) {
  const double step = dtype == DType::f16 ? 0x1p-9 : dtype == DType::bf16 ? 0x1p-6 : 0x1p-18;
  return {{.ulps = 0, .atol = step, .rtol = step, .signed_zero = false}};
}

// Of %given, which is %x in that dtype, `slice` makes %v{n} from element n on, and of that `lines` make %z{n}.
std::string for_each_start(DType dtype, std::string_view declared, std::string_view slice, std::string_view lines,
                           int starts) {
  std::string body = fmt::format("  %given = cast %x {{dtype={}}}\n", to_string(dtype)), names, results;
  for (int n = 0; n < starts; ++n) {
    body += fmt::format(fmt::runtime(slice), fmt::arg("n", n), fmt::arg("start", n), fmt::arg("stop", n + 64));
    body += fmt::format(fmt::runtime(lines), fmt::arg("n", n));
    body += fmt::format("  %y{0} = cast %z{0} {{dtype=f32}}\n", n);
    names += fmt::format("{}y{}", n ? ", " : "", n);
    results += fmt::format("{}%y{}", n ? ", " : "", n);
  }
  return fmt::format("ingot 1\nmethod main(%x: f32[{}]) -> ({}) {{\n{}  return {}\n}}\n", declared, names, body,
                     results);
}

struct Variant {
  const char* name;
  const char* lines;  // make %z{n} of %v{n}, a [64]
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class AnyStart : public testing::TestWithParam<Variant> {};

TEST_P(AnyStart, GivesTheReferenceEnginesResults) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    SCOPED_TRACE(to_string(dtype));
    const std::string text = for_each_start(
        dtype, "72", "  %v{n} = slice %given {{axes=[0], starts=[{start}], stops=[{stop}]}}\n", GetParam().lines, 8);
    expect_as_reference(text, {{"x", numbers({72}, 1)}}, close_in(dtype));
  }
}

constexpr Variant variants[] = {
    {"conv",
     "  %c{n} = reshape %v{n} {{shape=[1, 1, 64]}}\n  %w{n} = slice %c{n} {{axes=[2], starts=[0], stops=[7]}}\n"
     "  %z{n} = conv %c{n}, %w{n}\n"},
    {"matmul", "  %m{n} = reshape %v{n} {{shape=[8, 8]}}\n  %z{n} = matmul %m{n}, %m{n} {{transpose_b=true}}\n"},
    {"matvec",
     "  %m{n} = reshape %v{n} {{shape=[4, 16]}}\n  %r{n} = slice %m{n} {{axes=[0], starts=[1], stops=[2]}}\n"
     "  %z{n} = matmul %r{n}, %m{n} {{transpose_b=true}}\n"},
    {"rms_norm", "  %m{n} = reshape %v{n} {{shape=[2, 32]}}\n  %z{n} = rms_norm %m{n}\n"},
    {"layer_norm", "  %m{n} = reshape %v{n} {{shape=[2, 32]}}\n  %z{n} = layer_norm %m{n}\n"},
    {"softmax", "  %m{n} = reshape %v{n} {{shape=[2, 32]}}\n  %z{n} = softmax %m{n}\n"},
    {"sum", "  %m{n} = reshape %v{n} {{shape=[2, 32]}}\n  %z{n} = reduce_sum %m{n} {{axes=[1]}}\n"},
    {"gelu", "  %z{n} = gelu %v{n}\n"},
    {"strided",
     "  %m{n} = as_strided %v{n} {{shape=[5, 8], strides=[9, 1], offset=3}}\n"
     "  %z{n} = matmul %m{n}, %m{n} {{transpose_b=true}}\n"},
};

INSTANTIATE_TEST_SUITE_P(Mlx, AnyStart, testing::ValuesIn(variants), [](const auto& each) { return each.param.name; });

// One of them MLX copies and the other not, and they begin on the same number of bytes.
TEST(MlxConv, OfDenseAndOfSparseParts) {
  const char* text =
      "ingot 1\nmethod main(%x: f32[1, 1, 140], %w: f32[1, 1, 9]) -> (y, z) {\n"
      "  %sparse = slice %x {axes=[2], starts=[1], stops=[129], steps=[2]}\n  %y = conv %sparse, %w\n"
      "  %dense = slice %x {axes=[2], starts=[1], stops=[65]}\n  %z = conv %dense, %w\n  return %y, %z\n}\n";
  expect_as_reference(text, {{"x", numbers({1, 1, 140}, 1)}, {"w", numbers({1, 1, 9}, 2)}}, close_in(DType::f32));
}

TEST(MlxAttention, OfReversedRows) {
  const char* text =
      "ingot 1\nmethod main(%x: f32[2, 4, 9, 64]) -> (y) {\n  %half = cast %x {dtype=f16}\n"
      "  %back = flip %half {axes=[2]}\n  %z = attention %back, %half, %back\n  %y = cast %z {dtype=f32}\n"
      "  return %y\n}\n";
  expect_as_reference(text, {{"x", numbers({2, 4, 9, 64}, 1)}}, close_in(DType::f16));
}

TEST(MlxAttention, OfSlicesThatBeginAnywhere) {
  const std::string text = for_each_start(DType::f16, "2, 4, 9, 67",
                                          "  %v{n} = slice %given {{axes=[3], starts=[{start}], stops=[{stop}]}}\n",
                                          "  %z{n} = attention %v{n}, %v{n}, %v{n}\n", 4);
  expect_as_reference(text, {{"x", numbers({2, 4, 9, 67}, 1)}}, close_in(DType::f16));
}

}  // namespace
}  // namespace ingot::test
