// Element-wise ops of MLX against the reference engine on more numbers than the cases have: casts and integer arithmetic
// to the bit, functions of reals closely, also where the operand's memory is not in the order of its elements.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/agreement.h"

namespace ingot::test {
namespace {

// ----------------------------------------------------------------------------------------------------------- numbers

// Bits of every kind: small and large integers, reals of all magnitudes, and numbers next to where a rounding turns over.
std::vector<uint64_t> patterns(int width, size_t count) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> result;
  if (width <= 16) {
    for (uint64_t bits = 0; bits < uint64_t{1} << width; ++bits) result.push_back(bits);
    return result;
  }
  while (result.size() < count) {
    uint64_t bits = random();
    if (random() % 2) bits >>= random() % 64;
    const uint64_t step = uint64_t{1} << random() % static_cast<uint64_t>(width);
    if (random() % 2) bits = (bits & ~(step - 1)) + random() % 3 - 1;  // next to a multiple
    if (random() % 4 == 0) bits = -bits;
    result.push_back(bits);
  }
  return result;
}

Tensor tensor_of_patterns(DType dtype, size_t count = 20000) {
  const int width = bits(dtype);
  // Where elements are narrower than bytes: every byte.
  const std::vector<uint64_t> all =
      dtype == DType::bool_ ? std::vector<uint64_t>{0, 1} : patterns(std::max(width, 8), count);
  const auto size = static_cast<size_t>(std::max(width, 8) / 8);
  Tensor tensor = Tensor::allocate(dtype, {static_cast<int64_t>(all.size()) * std::max(8 / width, 1)});
  for (size_t i = 0; i < all.size(); ++i) std::memcpy(tensor.mutable_bytes().data() + i * size, &all[i], size);
  return tensor;
}

void expect_same(const std::string& program, const Tensors& inputs, const Closeness& closeness) {
  expect_as_reference(program, inputs, {closeness, {"mlx:lazy", "mlx:eager"}});
}

// `  %y = op…` for each row (y, op…), and what returns them all.
std::string method(std::string_view inputs, const std::vector<std::pair<std::string, std::string>>& results) {
  std::string names, body, returned;
  for (const auto& [name, op] : results) {
    const char* comma = names.empty() ? "" : ", ";
    names += fmt::format("{}{}", comma, name);
    returned += fmt::format("{}%{}", comma, name);
    body += fmt::format("  %{} = {}\n", name, op);
  }
  return fmt::format("ingot 1\nmethod main({}) -> ({}) {{\n{}  return {}\n}}\n", inputs, names, body, returned);
}

// ------------------------------------------------------------------------------------------------------------- casts

class MlxCasts : public testing::TestWithParam<DType> {};

TEST_P(MlxCasts, AreTheReferenceEngines) {
  const DType from = GetParam();
  const bool has_f64 = Target::parse("mlx").has_f64();
  if (from == DType::f64 && !has_f64) GTEST_SKIP();
  Tensor x = tensor_of_patterns(from);
  if (from == DType::f16 && Target::parse("mlx").on_gpu()) {  // CUDA makes every NaN of f16 a positive one
    for (size_t i = 0xfc01; i <= 0xffff; ++i) x.mutable_bytes()[2 * i + 1] &= std::byte{0x7f};
  }
  std::vector<std::pair<std::string, std::string>> results;
  for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i) {
    const auto dtype = static_cast<DType>(i);
    // To itself a NaN keeps its bits. What is complex has no cast to storage.
    if (dtype == DType::packed || dtype == from || (from == DType::c64 && kind(dtype) == Kind::storage)) continue;
    if (dtype == DType::f64 && !has_f64) continue;
    const std::string_view to = to_string(dtype);
    results.emplace_back(fmt::format("to_{}", to), fmt::format("cast %x {{dtype={}}}", to));
    results.emplace_back(fmt::format("saturated_{}", to), fmt::format("cast %x {{dtype={}, saturate=true}}", to));
  }
  expect_same(method(fmt::format("%x: {}[{}]", to_string(from), x.elements()), results), {{"x", x}}, {.ulps = 0});
}

INSTANTIATE_TEST_SUITE_P(Each, MlxCasts,
                         testing::Values(DType::bool_, DType::u8, DType::u16, DType::u32, DType::u64, DType::i8,
                                         DType::i16, DType::i32, DType::i64, DType::f16, DType::bf16, DType::f32,
                                         DType::f64, DType::c64, DType::f8e4m3, DType::f8e5m2, DType::f8e8m0,
                                         DType::f4e2m1, DType::i4, DType::u4, DType::i2, DType::u2),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// ---------------------------------------------------------------------------------------------------------- integers

class MlxIntegers : public testing::TestWithParam<DType> {};

// Also by 0, of the lowest number by -1, and shifts by anything.
TEST_P(MlxIntegers, AreTheReferenceEngines) {
  const DType dtype = GetParam();
  Tensor all = tensor_of_patterns(dtype, 512);
  // Every number beside every small one and the extremes: [n, 1] and [m].
  const auto size = static_cast<size_t>(bits(dtype) / 8);
  const uint64_t lowest = uint64_t{1} << (bits(dtype) - 1);
  std::vector<uint64_t> others = {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, lowest - 1, lowest, lowest + 1};
  for (size_t i = 0, n = others.size(); i < n; ++i) others.push_back(-others[i]);
  Tensor b = Tensor::allocate(dtype, {static_cast<int64_t>(others.size())});
  for (size_t i = 0; i < others.size(); ++i) std::memcpy(b.mutable_bytes().data() + i * size, &others[i], size);
  std::vector<std::pair<std::string, std::string>> results;
  for (const char* fn : {"add", "sub", "mul", "floor_div", "trunc_div", "rem", "fmod", "pow", "max", "min",
                         "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "lt", "ge"}) {
    results.emplace_back(fn, fmt::format("{} %column, %b", fn));
    results.emplace_back(fmt::format("{}_turned", fn), fmt::format("{} %b, %column", fn));
  }
  for (const char* fn : {"abs", "neg", "sign", "square", "bitwise_not", "relu", "round"}) {
    results.emplace_back(fn, fmt::format("{} %a", fn));
  }
  std::string program =
      method(fmt::format("%a: {0}[{1}], %b: {0}[{2}]", to_string(dtype), all.elements(), b.elements()), results);
  program.insert(program.find("{\n") + 2, fmt::format("  %column = reshape %a {{shape=[{}, 1]}}\n", all.elements()));
  expect_same(program, {{"a", all}, {"b", b}}, {.ulps = 0});
}

INSTANTIATE_TEST_SUITE_P(Each, MlxIntegers,
                         testing::Values(DType::u8, DType::u16, DType::u32, DType::u64, DType::i8, DType::i16,
                                         DType::i32, DType::i64),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// ------------------------------------------------------------------------------------------------------------- reals

struct Reals {
  DType dtype;
  double step;  // at 1
};

class MlxReals : public testing::TestWithParam<Reals> {};

// Numbers of all magnitudes, more of them around 1.
Tensor reals(DType dtype, Sizes sizes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> near(0, 4);
  std::uniform_real_distribution<double> exponents(-130, 130);
  Tensor wide = Tensor::allocate(DType::f64, sizes);
  std::vector<double> values(static_cast<size_t>(wide.elements()));
  for (double& value : values) value = random() % 4 ? near(random) : std::ldexp(near(random), int(exponents(random)));
  Machine cast(
      fmt::format("ingot 1\nmethod main(%x: f64[{0}]) -> (y) {{\n  %y = cast %x {{dtype={1}}}\n  return "
                  "%y\n}}\n",
                  fmt::join(sizes, ", "), to_string(dtype)));
  return cast.call("main", {{"x", Tensor::of(sizes, values)}}).at("y");
}

TEST_P(MlxReals, AreCloseToTheReferenceEngines) {
  const auto [dtype, step] = GetParam();
  if (dtype == DType::f64 && !Target::parse("mlx").has_f64()) GTEST_SKIP();
  std::vector<std::pair<std::string, std::string>> results;
  for (const char* fn :
       {"abs",    "neg",   "sign",  "square",    "sqrt",     "rsqrt",  "reciprocal", "exp",      "expm1",
        "exp2",   "log",   "log1p", "sin",       "cos",      "tan",    "log2",       "log10",    "asin",
        "acos",   "atan",  "sinh",  "cosh",      "tanh",     "asinh",  "acosh",      "atanh",    "erf",
        "erfinv", "floor", "ceil",  "round",     "trunc",    "isnan",  "isinf",      "isfinite", "sigmoid",
        "relu",   "silu",  "gelu",  "gelu_tanh", "softplus", "signbit"}) {
    results.emplace_back(fn, fmt::format("{} %v", fn));
  }
  for (const char* fn : {"add", "sub", "mul", "div", "rem", "fmod", "floor_div", "trunc_div", "max", "min", "atan2",
                         "logaddexp", "lt", "eq"}) {
    results.emplace_back(fn, fmt::format("{} %v, %b", fn));
  }
  std::string program = method(fmt::format("%a: {0}[64, 100], %b: {0}[64]", to_string(dtype)), results);
  program.insert(program.find("{\n") + 2,
                 "  %t = transpose %a {perm=[1, 0]}\n  %v = slice %t {axes=[0], starts=[1], stops=[100], steps=[2]}\n");
  const Tensors inputs{{"a", reals(dtype, {64, 100}, 1)}, {"b", reals(dtype, {64}, 2)}};
  expect_same(program, inputs, {.ulps = 8, .atol = step, .rtol = 8 * step, .signed_zero = false});
}

INSTANTIATE_TEST_SUITE_P(Each, MlxReals,
                         testing::Values(Reals{DType::f16, 0x1p-10}, Reals{DType::bf16, 0x1p-7},
                                         Reals{DType::f32, 0x1p-23}, Reals{DType::f64, 0x1p-52}),
                         [](const auto& test) { return std::string(to_string(test.param.dtype)); });

}  // namespace
}  // namespace ingot::test
