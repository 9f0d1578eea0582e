// Products of MLX against the reference engine where size matters: integers whose sums are beyond what f32 and f64 count
// to in one piece, halves whose sums are beyond what a half counts to, and operands that are views.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

// All bits of every integer; 1 or 2 for reals, so that sums grow.
Tensor growing(DType dtype, const Sizes& sizes) {
  std::mt19937_64 random(11);
  Tensor tensor = Tensor::allocate(dtype, sizes);
  const auto size = static_cast<size_t>(bits(dtype) / 8);
  const uint64_t one = dtype == DType::bf16 ? 0x3f80 : 0x3c00, two = 0x4000;
  for (size_t i = 0; i < tensor.bytes().size(); i += size) {
    const uint64_t drawn = random(), number = is_real(dtype) ? (drawn % 2 ? one : two) : drawn;
    std::memcpy(tensor.mutable_bytes().data() + i, &number, size);
  }
  return tensor;
}

void expect_same(const std::string& program, const Tensors& inputs) {
  expect_as_reference(program, inputs, {{.ulps = 0}, {"mlx:lazy", "mlx:eager"}});
}

struct Product {
  DType dtype;
  int64_t rows, terms, columns;
};

class MlxProducts : public testing::TestWithParam<Product> {};

TEST_P(MlxProducts, AreExact) {
  const auto [dtype, m, k, n] = GetParam();
  const std::string program = fmt::format(
      "ingot 1\nmethod main(%a: {0}[{1}, {2}], %b: {0}[{2}, {3}], %at: {0}[{2}, {1}], %bt: {0}[{3}, {2}]) -> "
      "(plain, a_over, b_over, views) {{\n"
      "  %plain = matmul %a, %b\n"
      "  %a_over = matmul %at, %b {{transpose_a=true}}\n"
      "  %b_over = matmul %a, %bt {{transpose_b=true}}\n"
      "  %av = flip %a {{axes=[0]}}\n"
      "  %bv = transpose %bt {{perm=[1, 0]}}\n"
      "  %views = matmul %av, %bv\n"
      "  return %plain, %a_over, %b_over, %views\n}}\n",
      to_string(dtype), m, k, n);
  expect_same(program, {{"a", growing(dtype, {m, k})},
                        {"b", growing(dtype, {k, n})},
                        {"at", growing(dtype, {k, m})},
                        {"bt", growing(dtype, {n, k})}});
}

INSTANTIATE_TEST_SUITE_P(, MlxProducts,
                         testing::Values(Product{DType::u8, 3, 256, 2}, Product{DType::u8, 3, 257, 2},
                                         Product{DType::i8, 2, 3000, 5}, Product{DType::u16, 3, 1, 4},
                                         Product{DType::i16, 3, 700, 4}, Product{DType::i32, 4, 1, 4},
                                         Product{DType::u32, 3, 300, 2}, Product{DType::i64, 5, 1, 5},
                                         Product{DType::i64, 2, 300, 3}, Product{DType::u64, 3, 300, 2},
                                         Product{DType::bf16, 1, 5000, 3}, Product{DType::bf16, 4, 5000, 3},
                                         Product{DType::f16, 1, 3000, 3}, Product{DType::f16, 4, 3000, 3}));

TEST(MlxIntegerMatmul, SumsBeyondF32) {
  const std::string program =
      "ingot 1\nmethod main(%a: u8[2, 3, 900], %b: i8[900, 4], %p: u8[3], %q: i8[4]) -> (y) {\n"
      "  %y = integer_matmul %a, %b, %p, %q\n  return %y\n}\n";
  Tensor a = growing(DType::u8, {2, 3, 900}), b = growing(DType::i8, {900, 4});
  expect_same(program, {{"a", a}, {"b", b}, {"p", growing(DType::u8, {3})}, {"q", growing(DType::i8, {4})}});
}

}  // namespace
}  // namespace ingot::test
