// What the tests of recognition share: rules by themselves on programs in one line, and results before and after.
#pragma once

#include <random>

#include "passes/recognize.h"
#include "tests/passes/passes_support.h"

namespace ingot::test {

// Sizes for the symbols of kDeclared.
inline Bindings chosen_sizes(const Program& program) {
  std::vector<DimEquation> equations;
  int64_t size = 3;
  for (const Symbol& symbol : program.symbols) equations.push_back({Dim(symbol), size++, symbol.name()});
  return solve(equations);
}

// Numbers of a normal distribution; 0 and 1 of other dtypes.
inline Tensor random_tensor(const TensorType& type, const Bindings& sizes, std::mt19937& random) {
  Sizes shape;
  for (const Dim& dim : type.shape) shape.push_back(evaluate(dim, sizes));
  Tensor tensor = Tensor::allocate(type.dtype, shape, type.scheme);
  const auto bytes = tensor.mutable_bytes();
  const auto format = float_format(type.dtype);
  const size_t width = static_cast<size_t>(bits(type.dtype)) / 8;
  std::normal_distribution<double> normal(0, 1.5);
  for (size_t at = 0; at < bytes.size(); at += width) {
    const uint64_t element = format ? encode(*format, normal(random)).value() : random() % 2;
    std::memcpy(bytes.data() + at, &element, width);
  }
  return tensor;
}

inline std::vector<double> numbers_of(const Tensor& tensor) {
  const auto format = float_format(tensor.dtype());
  const size_t width = static_cast<size_t>(bits(tensor.dtype())) / 8;
  std::vector<double> numbers;
  for (size_t at = 0; at < tensor.bytes().size(); at += width) {
    uint64_t element = 0;
    std::memcpy(&element, tensor.bytes().data() + at, width);
    numbers.push_back(format ? decode(*format, element) : static_cast<double>(element));
  }
  return numbers;
}

// Equal to a few units in the last place of the largest number.
inline void expect_near(const Tensor& actual, const Tensor& expected, double ulps = 8) {
  ASSERT_EQ(actual.type(), expected.type());
  const auto a = numbers_of(actual), e = numbers_of(expected);
  double largest = 0;
  for (const double number : e) largest = std::max(largest, std::abs(number));
  const auto format = float_format(expected.dtype());
  const double tolerance = format ? std::ldexp(std::max(largest, 0x1p-10) * ulps, -format->mantissa_bits) : 0;
  for (size_t i = 0; i < e.size(); ++i) {
    ASSERT_TRUE(std::isfinite(e[i])) << i;
    ASSERT_NEAR(a[i], e[i], tolerance) << i;
  }
}

// Method f of both on the same random inputs, twice, so that what is written to state is read.
inline void expect_same_results(const Program& before, const Program& after, double ulps = 8) {
  std::mt19937 random(7);
  const Bindings sizes = chosen_sizes(before);
  Runner of_before(before), of_after(after);
  const Graph& f = *before.method("f");
  for (int run = 0; run < 2; ++run) {
    std::vector<Tensor> inputs;
    for (const Ref input : f.inputs) inputs.push_back(random_tensor(f.type(input), sizes, random));
    const auto expected = of_before.run("f", inputs), actual = of_after.run("f", inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) expect_near(actual[i], expected[i], ulps);
    for (size_t i = 0; i < of_before.states().size(); ++i)
      expect_near(of_after.states()[i], of_before.states()[i], ulps);
  }
}

inline bool every_weight(const Weight&) { return true; }

// Each case by its rule alone.
inline void expect_each(std::span<const RuleCase> cases, std::span<const Rule> rules) {
  for (const RuleCase& row : cases) {
    SCOPED_TRACE(fmt::format("{}: {}", row.rule, row.before));
    const auto rule = std::ranges::find(rules, row.rule, &Rule::name);
    ASSERT_NE(rule, rules.end());
    const Program before = program_of(row.inputs, row.before);
    const Program after = rewrite(before, std::span(&*rule, 1), {.is_constant = every_weight});
    EXPECT_EQ(plain_text_of(after), plain_text_of(row.after.empty() ? before : program_of(row.inputs, row.after)));
    if (!row.after.empty()) expect_same_results(before, after);
  }
}

// What all passes together make of a program, `after`, and that it computes the same.
inline void expect_optimized(std::string_view inputs, std::string_view before, std::string_view after,
                             double ulps = 8) {
  SCOPED_TRACE(before);
  const Program from = program_of(inputs, before);
  const Program to = optimize(from, {.evaluate = reference::evaluate});
  EXPECT_EQ(plain_text_of(to), plain_text_of(program_of(inputs, after)));
  expect_same_results(from, to, ulps);
}

}  // namespace ingot::test
