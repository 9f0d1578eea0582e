// Linear algebra of MLX against the reference engine: matrices larger than those of the cases, stacks of 1x1, which MLX's
// own factors are wrong about, matrices that are views, and what is left after a call that was refused.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Target;
using test::Tensors;

using Complex = std::complex<float>;

Tensor complex_tensor(const Sizes& sizes, const std::vector<Complex>& values) {
  return {DType::c64, sizes, Buffer::copy_of(std::as_bytes(std::span(values)))};
}

// Far from singular: what lies beside the diagonal is small.
std::vector<Complex> numbers(const Sizes& sizes) {
  std::mt19937 random(5);
  const auto count = static_cast<size_t>(element_count(sizes));
  const auto n = static_cast<size_t>(sizes.back());
  const auto number = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  std::vector<Complex> values(count);
  for (size_t i = 0; i < count; ++i) {
    const double more = i / n % n == i % n ? 3 * std::sqrt(static_cast<double>(n)) : 0;
    values[i] = {static_cast<float>(number() + more), static_cast<float>(number())};
  }
  return values;
}

// The real parts alone for a real dtype.
Tensor matrices(DType dtype, const Sizes& sizes) {
  const std::vector<Complex> values = numbers(sizes);
  if (dtype == DType::c64) return complex_tensor(sizes, values);
  std::vector<float> reals(values.size());
  std::vector<double> doubles(values.size());
  for (size_t i = 0; i < values.size(); ++i) doubles[i] = reals[i] = values[i].real();
  return dtype == DType::f32 ? Tensor::of(sizes, reals) : Tensor::of(sizes, doubles);
}

struct Stack {
  DType dtype;
  int64_t n;
  double tolerance;
};

class MlxMatrices : public testing::TestWithParam<Stack> {};

TEST_P(MlxMatrices, AreTheReferenceEngines) {
  const auto [dtype, n, tolerance] = GetParam();
  if (dtype == DType::f64 && !Target::parse("mlx").has_f64()) GTEST_SKIP();
  const std::string program = fmt::format(
      "ingot 1\nmethod main(%given: {0}[2, {1}, {1}]) -> (inverse, s, l, y, low, up, e, root, q, r, sv, w) {{\n"
      "  %x = transpose %given {{perm=[0, 2, 1]}}\n"
      "  %inverse = inverse %x\n"
      "  %s, %l = slogdet %x\n"
      "  %y = solve %x, %given\n"
      "  %low = triangular_solve %x, %given\n"
      "  %up = triangular_solve %x, %given {{transpose=true, unit=true}}\n"
      "  %e = expm %inverse\n"
      "  %root = cholesky %x {{upper=true}}\n"
      "  %q, %r = qr %x\n"
      "  %u, %sv, %vt = svd %x\n"
      "  %w, %v = eigh %x\n"
      "  return %inverse, %s, %l, %y, %low, %up, %e, %root, %q, %r, %sv, %w\n}}\n",
      to_string(dtype), n);
  const Tensors inputs{{"given", matrices(dtype, {2, n, n})}};
  const Tensors expected = test::Machine(program).call("main", inputs);
  for (const char* target : {"mlx:lazy", "mlx:eager", "mlx:compiled"}) {
    test::Machine machine(program, Target::parse(target));
    for (int repetition = 0; repetition < 8; ++repetition) {
      const Tensors actual = machine.call("main", inputs);
      for (const auto& [name, tensor] : expected) {
        const test::Closeness closeness{.ulps = 8, .atol = tolerance, .rtol = tolerance, .signed_zero = false};
        EXPECT_EQ(test::difference(actual.at(name), tensor, closeness), "") << target << ", " << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, MlxMatrices,
                         testing::Values(Stack{DType::f32, 1, 1e-6}, Stack{DType::f64, 1, 1e-13},
                                         Stack{DType::c64, 1, 1e-6}, Stack{DType::f32, 2, 1e-6},
                                         Stack{DType::f32, 40, 1e-6}, Stack{DType::f64, 33, 1e-12},
                                         Stack{DType::c64, 20, 1e-5}));

TEST(MlxComplexQr, OfLessThanFullRank) {
  const std::string program =
      "ingot 1\nmethod main(%x: c64[3, 4, 4]) -> (x, g) {\n"
      "  %q, %r = qr %x\n  %y = matmul %q, %r\n  %c = conj %q\n  %g = matmul %c, %q {transpose_a=true}\n"
      "  return %y, %g\n}\n";
  std::vector<Complex> values = numbers({3, 4, 4});
  for (size_t i = 0; i < 4; ++i) values[4 * i] = 0;                                            // a column of 0
  for (size_t i = 0; i < 4; ++i) values[16 + 4 * i + 2] = {0, 2 * values[16 + 4 * i].real()};  // near another
  for (size_t i = 32; i < 48; ++i) values[i] = 0;
  const Tensor x = complex_tensor({3, 4, 4}, values);
  std::vector<Complex> ones(values.size());
  for (size_t i = 0; i < ones.size(); ++i) ones[i] = i % 16 % 5 == 0 ? 1 : 0;
  const Tensors actual = test::Machine(program, Target::parse("mlx")).call("main", {{"x", x}});
  const test::Closeness closeness{.ulps = 8, .atol = 1e-5, .rtol = 0, .signed_zero = false};
  EXPECT_EQ(test::difference(actual.at("x"), x, closeness), "");
  EXPECT_EQ(test::difference(actual.at("g"), complex_tensor({3, 4, 4}, ones), closeness), "");
}

TEST(MlxLinearAlgebra, GoesOnAfterARefusal) {
  const std::string program =
      "ingot 1\nmethod main(%x: f32[2, 2]) -> (y, root) {\n"
      "  %y = inverse %x\n  %root = cholesky %x\n  return %y, %root\n}\n";
  test::Machine machine(program, Target::parse("mlx"));
  const auto message = [&](std::vector<float> values) -> std::string {
    try {
      machine.call("main", {{"x", Tensor::of({2, 2}, values)}});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  for (int repetition = 0; repetition < 3; ++repetition) {
    EXPECT_EQ(message({1, 2, 2, 4}), "[inverse] matrix 0 of x is singular (at main: %y)");
    EXPECT_EQ(message({1, 2, 2, 3}), "[cholesky] matrix 0 of x is not positive definite (at main: %root)");
    EXPECT_EQ(message({1, 0, 0, 1}), "");
  }
}

}  // namespace
}  // namespace ingot
