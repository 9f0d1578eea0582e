// What depends on weights alone: computed once, and again when one of them changes.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* program = R"(
weight @a : f32[3] = [1.0, 2.0, 3.0]
weight @b : f32[3] = [4.0, 5.0, 6.0]
weight @c : f32[] = [10.0]
method f(%x: f32[3]) -> (y) {
  %square = mul @a, @a
  %both = add %square, @b
  %sum = add %both, %x
  %y = mul %sum, @c
  return %y
}
method g(%x: f32[3]) -> (y) {
  %twice = add @b, @b
  %y = mul %twice, %x
  return %y
}
)";

class HoistingTest : public OnTarget {
 protected:
  // Counts how often each op has run.
  CompileOptions counting() {
    CompileOptions options;
    options.observer = [this](const NodeRun& run) { ++runs_[mnemonic(run.node.op)]; };
    return options;
  }
  int runs(const char* op) { return std::exchange(runs_[op], 0); }

 private:
  std::map<std::string, int> runs_;
};

Floats f(Session& session, const char* method = "f") {
  return values<float>(session.run({{"x", f32({1, 1, 1})}}, method)[0].tensor);
}

TEST_P(HoistingTest, RunsWhenAParameterChanges) {
  Executable executable = compiled(program, counting());
  Session session(executable);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(session), (Floats{60, 100, 160}));
  // Of two products and two sums a call needs one each.
  EXPECT_EQ(runs("mul"), is_reference() ? 6 : 4);
  EXPECT_EQ(runs("add"), is_reference() ? 6 : 3 + 2);
  executable.set_param("c", Tensor::of<float>({}, {1}));
  EXPECT_EQ(f(session), (Floats{6, 10, 16}));
  EXPECT_EQ(runs("mul"), is_reference() ? 2 : 1);
  executable.set_param("a", f32({0, 0, 2}));
  EXPECT_EQ(runs("mul"), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(session), (Floats{5, 6, 11}));
  EXPECT_EQ(runs("mul"), is_reference() ? 4 : 1 + 2);
  executable.set_param("b", f32({0, 0, 0}));
  EXPECT_EQ(f(session), (Floats{1, 1, 5}));
  EXPECT_EQ(f(session, "g"), (Floats{0, 0, 0}));
}

TEST_P(HoistingTest, ChangesNothingThatCallersSee) {
  const Executable executable = compiled(program);
  EXPECT_EQ(executable.method("f").inputs.size(), 1u);
  EXPECT_EQ(executable.program().method_names(), (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(executable.lowered().method("f")->inputs.size(), is_reference() ? 1u : 2u);
  EXPECT_EQ(executable.explain("f").size(), executable.lowered().method("f")->nodes.size());
  EXPECT_EQ(executable.cost("f", {{3}}).nodes.size(), executable.explain("f").size());
  Session session(executable);
  EXPECT_NE(message_of([&] { session.run({{"prepared 0", f32({1, 1, 1})}}, "f"); }, Code::not_found), "");
  EXPECT_EQ(f(session), (Floats{60, 100, 160}));
  Session fork = session.fork();
  EXPECT_EQ(f(fork, "g"), (Floats{8, 10, 12}));
}

TEST_P(HoistingTest, WeightsThatFailAMethodFailItsCallsAlone) {
  Executable executable = compiled(R"(
weight @table : f32[3] = [1.0, 2.0, 3.0]
weight @at : i64[] = [3]
method bad(%x: f32[3]) -> (y) {
  %picked = take @table, @at
  %y = mul %x, %picked
  return %y
}
method good(%x: f32[3]) -> (y) {
  %y = mul %x, @table
  return %y
}
)");
  Session session(executable);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(f(session, "good"), (Floats{1, 2, 3}));
    EXPECT_NE(message_of([&] { f(session, "bad"); }, Code::out_of_range)
                  .find("[take] index 3 is outside an axis of 3 elements"),
              std::string::npos);
  }
  executable.set_param("at", i64(1));
  EXPECT_EQ(f(session, "bad"), (Floats{2, 2, 2}));
  executable.set_param("at", i64(-4));
  EXPECT_NE(message_of([&] { f(session, "bad"); }, Code::out_of_range), "");
  executable.set_param("at", i64(-1));
  EXPECT_EQ(f(session, "bad"), (Floats{3, 3, 3}));
}

// What passes make of weights: those of a convolution, times the factors of the batch norm behind it.
TEST_P(HoistingTest, WeightsThatPassesMultiply) {
  constexpr const char* source = R"(
weight @w : f32[2, 1, 2, 1] = [1.0, 2.0, 3.0, 4.0]
weight @mean : f32[2] = [1.0, -2.0]
weight @var : f32[2] = [4.0, 0.25]
weight @scale : f32[2] = [1.0, 0.5]
weight @shift : f32[2] = [0.0, 1.0]
method f(%x: f32[1, 1, 3, 1]) -> (y) {
  %c = conv %x, @w
  %y = batch_norm %c, @mean, @var, @scale, @shift {eps=0}
  return %y
}
)";
  Executable executable = compiled(source, counting());
  Session session(executable);
  const auto f = [&] {
    return values<float>(session.run({{"x", Tensor::of<float>({1, 1, 3, 1}, {1, 2, 3})}}, "f")[0].tensor);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(), (Floats{2, 3.5, 14, 21}));
  EXPECT_EQ(runs("conv"), 3);
  EXPECT_EQ(runs("batch_norm"), is_reference() ? 3 : 0);
  EXPECT_EQ(runs("rsqrt"), is_reference() ? 0 : 1);
  executable.set_param("scale", f32({2, -1}));
  EXPECT_EQ(f(), (Floats{4, 7, -25, -39}));
  executable.set_param("var", f32({1, 1}));
  EXPECT_EQ(f(), (Floats{8, 14, -12, -19}));
  executable.set_param("w", Tensor::of<float>({2, 1, 2, 1}, {0, 0, 1, 0}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(f(), (Floats{-2, -2, -2, -3}));
  EXPECT_EQ(runs("rsqrt"), is_reference() ? 0 : 3);
}

INGOT_ON_EVERY_TARGET(HoistingTest);

}  // namespace
}  // namespace ingot::test
