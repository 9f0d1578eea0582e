// Control flow through sessions: one branch runs, loops end when they should, scans of every length.
#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

class ControlTest : public OnTarget {};

// A branch that is not taken writes no state and refuses no index.
TEST_P(ControlTest, OneBranchRuns) {
  Session session(compiled(R"(
state @taken : i64[] = zeros
graph pick(%x: f32[2], %i: i64[]) -> (y) {
  %n = state_read {state=@taken}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@taken}
  %y = take %x, %i
  return %y
}
graph first(%x: f32[2], %i: i64[]) -> (y) {
  %zero = full {shape=[], value=0, dtype=i64}
  %y = take %x, %zero
  return %y
}
method main(%c: bool[], %x: f32[2], %i: i64[]) -> (y) {
  %y = if %c, [%x, %i] {on_true=@pick, on_false=@first}
  return %y
}
)"));
  const auto run = [&](bool c, int64_t i) {
    return values<float>(session.run({{"c", boolean(c)}, {"x", f32({5, 6})}, {"i", i64(i)}})[0].tensor);
  };
  EXPECT_EQ(run(false, 99), Floats{5});
  EXPECT_EQ(session.state("taken").as<int64_t>()[0], 0);
  EXPECT_EQ(run(true, 1), Floats{6});
  EXPECT_EQ(session.state("taken").as<int64_t>()[0], 1);
  EXPECT_EQ(message_of([&] { run(true, 99); }, Code::out_of_range),
            "[take] index 99 is outside an axis of 2 elements (at pick: %y)");
  EXPECT_EQ(session.state("taken").as<int64_t>()[0], 1);
}

constexpr const char* fibonacci = R"(
graph below(%n: i64[], %a: i64[], %b: i64[], %end: i64[]) -> (c) {
  %c = lt %n, %end
  return %c
}
graph step(%n: i64[], %a: i64[], %b: i64[], %end: i64[]) -> (m, b, s) {
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %s = add %a, %b
  return %m, %b, %s
}
method main(%end: i64[]) -> (n, a, b) {
  %zero = full {shape=[], value=0, dtype=i64}
  %one = full {shape=[], value=1, dtype=i64}
  %n, %a, %b = while [%zero, %zero, %one], [%end] {condition=@below, body=@step}
  return %n, %a, %b
}
)";

TEST_P(ControlTest, LoopsRunAsLongAsTheirConditionHolds) {
  Session session(compiled(fibonacci));
  const auto run = [&](int64_t end) {
    Integers results;
    for (const NamedTensor& output : session.run({{"end", i64(end)}})) {
      results.push_back(output.tensor.as<int64_t>()[0]);
    }
    return results;
  };
  EXPECT_EQ(run(0), (Integers{0, 0, 1}));
  EXPECT_EQ(run(-5), (Integers{0, 0, 1}));
  EXPECT_EQ(run(1), (Integers{1, 1, 1}));
  EXPECT_EQ(run(10), (Integers{10, 55, 89}));
  EXPECT_EQ(run(80), (Integers{80, 23416728348467685, 37889062373143906}));
}

// The bodies are traced once, whatever the number of trips.
TEST_P(ControlTest, BodiesAreTracedOnce) {
  Session session(compiled(fibonacci));
  session.run({{"end", i64(3)}});
  const int64_t traced = session.executable().counters().traced;
  EXPECT_EQ(traced > 0, is_traced());
  for (int64_t end : {50, 0, 7}) session.run({{"end", i64(end)}});
  EXPECT_EQ(session.executable().counters().traced, traced);
}

TEST_P(ControlTest, ScansOfEveryLength) {
  const auto program = [](bool reverse) {
    return std::string(R"(
symbol S
graph body(%c: f32[], %x: f32[], %k: f32[]) -> (d, y) {
  %p = mul %c, %k
  %d = add %p, %x
  %y = sub %d, %x
  return %d, %y
}
method main(%c: f32[], %xs: f32[S], %k: f32[]) -> (d, ys) {
  %d, %ys = scan [%c], [%xs], [%k] {body=@body, length=S)") +
           (reverse ? ", reverse=true" : "") + "}\n  return %d, %ys\n}\n";
  };
  for (bool reverse : {false, true}) {
    Session session(compiled(program(reverse)));
    for (int64_t length : {0, 1, 2, 100, 33, 0}) {
      const Tensor xs = ramp(length);
      const auto outputs = session.run({{"c", f32({}, {8})}, {"xs", xs}, {"k", f32({}, {0.5f})}});
      float carry = 8;
      Floats ys(static_cast<size_t>(length));
      for (int64_t trip = 0; trip < length; ++trip) {
        const auto i = static_cast<size_t>(reverse ? length - 1 - trip : trip);
        const float x = xs.as<float>()[i], next = carry * 0.5f + x;
        ys[i] = next - x;
        carry = next;
      }
      EXPECT_EQ(values<float>(outputs[0].tensor), Floats{carry}) << length;
      EXPECT_EQ(values<float>(outputs[1].tensor), ys) << length;
    }
  }
}

TEST_P(ControlTest, StateIsWrittenInEveryTrip) {
  Session session(compiled(R"(
state @log : i64[4] = zeros
graph body(%i: i64[]) -> (i) {
  %axis = reshape %i {shape=[1]}
  %all = state_update %axis, [%i] {state=@log, axes=[0]}
  return %i
}
method main(%is: i64[4]) -> (ys, log) {
  %ys = scan [], [%is] {body=@body, length=4}
  %log = state_read {state=@log}
  return %ys, %log
}
)"));
  const Tensor is = Tensor::of<int64_t>({4}, {3, 1, 2, 0});
  const auto outputs = session.run({{"is", is}});
  EXPECT_EQ(values<int64_t>(outputs[1].tensor), (Integers{0, 1, 2, 3}));
  EXPECT_EQ(values<int64_t>(session.state("log")), (Integers{0, 1, 2, 3}));
}

INGOT_ON_EVERY_TARGET(ControlTest);

}  // namespace
}  // namespace ingot::test
