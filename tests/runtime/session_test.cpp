// Session: inputs by name, symbols from their sizes, outputs in order, limits.
#include "runtime/session.h"

#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* affine = R"(
symbol S in 1..8
method forward(%x: f32[S, 4], %scale: f32[], %shift: f32[S, 4]) -> (y, "sum of all", x) {
  %p = mul %x, %scale
  %y = add %p, %shift
  %sum = reduce_sum %y {axes=[0, 1]}
  return %y, %sum, %x
}
)";

class SessionTest : public OnTarget {};

std::vector<float> repeated(size_t n, float value) { return std::vector<float>(n, value); }

Tensor rows(int64_t n, float value) { return f32({n, 4}, repeated(static_cast<size_t>(n) * 4, value)); }

TEST_P(SessionTest, TakesInputsInAnyOrderAndGivesOutputsInTheirs) {
  Session session(compiled(affine));
  const auto outputs = session.run({{"shift", rows(2, 0.5f)}, {"x", rows(2, 3)}, {"scale", f32({}, {2})}});
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].name, "y");
  EXPECT_EQ(outputs[1].name, "sum of all");
  EXPECT_EQ(outputs[2].name, "x");
  EXPECT_EQ(to_string(outputs[0].tensor.type()), "f32[2, 4]");
  EXPECT_EQ(values<float>(outputs[0].tensor), repeated(8, 6.5f));
  EXPECT_EQ(values<float>(outputs[1].tensor), std::vector<float>{52});
  EXPECT_EQ(values<float>(outputs[2].tensor), repeated(8, 3));
}

TEST_P(SessionTest, BindsSymbolsAnewInEveryCall) {
  Session session(compiled(affine));
  for (int64_t n : {1, 8, 3, 1}) {
    const auto outputs = session.run({{"x", rows(n, 1)}, {"scale", f32({}, {1})}, {"shift", rows(n, 1)}});
    EXPECT_EQ(values<float>(outputs[1].tensor), std::vector<float>{static_cast<float>(8 * n)});
  }
}

struct Refusal {
  std::vector<NamedTensor> inputs;
  Code code;
  const char* message;
};

TEST_P(SessionTest, RefusesInputsBeforeAnythingRuns) {
  const NamedTensor x{"x", rows(2, 1)}, scale{"scale", f32({}, {1})}, shift{"shift", rows(2, 1)};
  const Refusal refusals[] = {
      {{x, shift}, Code::invalid_argument, "[forward] input scale is missing, expected f32[]"},
      {{}, Code::invalid_argument, "[forward] input x is missing, expected f32[S, 4]"},
      {{x, scale, shift, x}, Code::invalid_argument, "[forward] input x is given twice"},
      {{x, scale, shift, {"shfit", rows(2, 1)}},
       Code::not_found,
       "[forward] there is no input shfit, did you mean 'shift'?"},
      {{x, scale, shift, {"unheard", rows(2, 1)}}, Code::not_found, "[forward] there is no input unheard"},
      {{x, scale, shift, {"", rows(2, 1)}}, Code::not_found, "[forward] there is no input "},
      {{{"x", f32({3, 5}, repeated(15, 0))}, scale, shift},
       Code::type_mismatch,
       "[forward] input x is f32[3, 5], expected f32[S, 4]"},
      {{{"x", Tensor::of<double>({1, 4}, {1, 2, 3, 4})}, scale, shift},
       Code::type_mismatch,
       "[forward] input x is f64[1, 4], expected f32[S, 4]"},
      {{{"x", f32({4}, repeated(4, 0))}, scale, shift},
       Code::type_mismatch,
       "[forward] input x is f32[4], expected f32[S, 4]"},
      {{{"x", f32({1, 1, 4}, repeated(4, 0))}, scale, shift},
       Code::type_mismatch,
       "[forward] input x is f32[1, 1, 4], expected f32[S, 4]"},
      {{x, {"scale", f32({1}, {1})}, shift}, Code::type_mismatch, "[forward] input scale is f32[1], expected f32[]"},
      {{x, scale, {"shift", rows(3, 1)}},
       Code::type_mismatch,
       "[forward] S is 3 by input shift, axis 0, expected 2 by input x, axis 0"},
      {{{"x", rows(9, 1)}, scale, {"shift", rows(9, 1)}},
       Code::out_of_range,
       "[forward] S is 9 by input x, axis 0, expected 1..8"},
      {{{"x", rows(0, 1)}, scale, {"shift", rows(0, 1)}},
       Code::out_of_range,
       "[forward] S is 0 by input x, axis 0, expected 1..8"},
  };
  Session session(compiled(affine));
  for (const Refusal& row : refusals) {
    try {
      session.run(row.inputs);
      ADD_FAILURE() << "no error, expected " << row.message;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), row.message);
      EXPECT_EQ(to_string(error.code()), to_string(row.code));
      EXPECT_EQ(error.node(), "");
    }
  }
  EXPECT_EQ(values<float>(session.run({x, scale, shift})[1].tensor), std::vector<float>{16});
}

TEST_P(SessionTest, RefusesAPackedInputOfAnotherScheme) {
  Session session(compiled(R"(
method forward(%x: packed<affine, bits=4, group=2, scale=f16>[2, 4]) -> (y) {
  %y = dequantize %x
  return %y
}
)"));
  const Tensor other = Tensor::allocate(DType::packed, {2, 4}, QuantScheme{QuantMethod::affine, 8, 2, DType::f16});
  EXPECT_EQ(message_of([&] { session.run({{"x", other}}); }, Code::type_mismatch),
            "[forward] input x is packed<affine, bits=8, group=2, scale=f16>[2, 4], "
            "expected packed<affine, bits=4, group=2, scale=f16>[2, 4]");
}

// Sizes that are expressions are solved for their symbols, and checked where those are known.
TEST_P(SessionTest, SolvesForSymbols) {
  Session session(compiled(R"(
symbol S
symbol T
method forward(%a: u8[S + T], %b: u8[2*S + 1]) -> (s, t) {
  %s = size_of {size=S}
  %t = size_of {size=T}
  return %s, %t
}
)"));
  const auto bytes = [](int64_t n) { return Tensor::of<uint8_t>({n}, std::vector<uint8_t>(static_cast<size_t>(n))); };
  const auto sizes = [&](int64_t a, int64_t b) {
    const auto outputs = session.run({{"a", bytes(a)}, {"b", bytes(b)}});
    return std::pair(values<int64_t>(outputs[0].tensor)[0], values<int64_t>(outputs[1].tensor)[0]);
  };
  EXPECT_EQ(sizes(5, 7), std::pair(int64_t{3}, int64_t{2}));
  EXPECT_EQ(sizes(0, 1), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(message_of([&] { sizes(5, 6); }, Code::type_mismatch),
            "[forward] input b, axis 0 is 6, expected 2*S + 1 for an integer S");
  EXPECT_EQ(message_of([&] { sizes(2, 7); }, Code::out_of_range),
            "[forward] T is -1 by input a, axis 0, expected at least 0");
}

TEST_P(SessionTest, ZeroSizesAndRankZero) {
  Session session(compiled(R"(
symbol N
method forward(%x: f32[N, 3], %y: i64[]) -> (sum, twice) {
  %sum = reduce_sum %x {axes=[0]}
  %twice = add %y, %y
  return %sum, %twice
}
)"));
  const auto outputs = session.run({{"x", f32({0, 3}, {})}, {"y", i64(21)}});
  EXPECT_EQ(values<float>(outputs[0].tensor), repeated(3, 0));
  EXPECT_EQ(values<int64_t>(outputs[1].tensor), std::vector<int64_t>{42});
}

TEST_P(SessionTest, MethodsWithoutInputsOrOutputs) {
  Session session(compiled(R"(
method seven() -> (y) {
  %y = full {shape=[2], value=7.0}
  return %y
}
method swallow(%x: f32[2]) -> () {
  return
}
)"));
  EXPECT_EQ(values<float>(session.run({}, "seven")[0].tensor), repeated(2, 7));
  EXPECT_TRUE(session.run({{"x", f32({2}, {1, 2})}}, "swallow").empty());
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({2}, {1, 2})}}, "seven"); }, Code::not_found),
            "[seven] there is no input x");
  EXPECT_EQ(message_of([&] { session.run({}, "eight"); }, Code::not_found),
            "there is no method 'eight', expected one of seven, swallow");
}

TEST_P(SessionTest, OutputsOutliveSessionAndExecutable) {
  Tensor y;
  {
    Session session(compiled(R"(
weight @w : f32[2] = [1.5, 2.5]
method forward() -> (w) {
  return @w
}
)"));
    y = session.run({})[0].tensor;
  }
  EXPECT_EQ(values<float>(y), (std::vector<float>{1.5, 2.5}));
}

TEST_P(SessionTest, KeepsWithinItsLimits) {
  constexpr const char* program = R"(
method forward(%x: f32[4]) -> (y) {
  %a = add %x, %x
  %y = add %a, %x
  return %y
}
)";
  const std::vector<NamedTensor> inputs{{"x", f32({4}, {1, 2, 3, 4})}};
  Session enough(compiled(program, {.limits = {.bytes = 32, .steps = 10}}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values<float>(enough.run(inputs)[0].tensor), (std::vector<float>{3, 6, 9, 12}));
  Session slow(compiled(program, {.limits = {.steps = 9}}));
  EXPECT_EQ(message_of([&] { slow.run(inputs); }, Code::limit),
            "[add] the call takes more than 9 steps (at forward: %y)");
  Session small(compiled(program, {.limits = {.bytes = 31}}));
  EXPECT_EQ(message_of([&] { small.run(inputs); }, Code::limit),
            "[add] 16 bytes more than the 16 alive go beyond the limit of 31 (at forward: %y)");
}

INGOT_ON_EVERY_TARGET(SessionTest);

}  // namespace
}  // namespace ingot::test
