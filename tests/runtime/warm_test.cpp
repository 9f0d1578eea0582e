// What Session::warm makes ahead, and what it leaves alone.
#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

class WarmTest : public OnTarget {};

TEST_P(WarmTest, MakesAheadWhatCallsNeed) {
  Session session(compiled(R"(
symbol N in 1..100
state @sum : f32[] = zeros
method f(%x: f32[N], %i: i64[]) -> (y) {
  %before = state_read {state=@sum}
  %more = reduce_sum %x {axes=[0]}
  %after = add %before, %more
  %sum = state_write %after {state=@sum}
  %y = take %x, %i
  return %y
}
)"));
  session.warm({{7}, {}});
  const int64_t traced = session.executable().counters().traced;
  EXPECT_EQ(traced > 0, is_traced());
  session.run({{"x", ramp(7)}, {"i", i64(2)}});
  EXPECT_EQ(session.executable().counters().traced, traced);
  EXPECT_EQ(session.state("sum").as<float>()[0], 28.0F);
  EXPECT_NE(message_of([&] { session.warm({{7}}); }, Code::invalid_argument), "");
  EXPECT_THROW(session.warm({{101}, {}}), Error);
  CompileOptions small;
  small.limits.bytes = 64;
  EXPECT_NE(
      message_of(
          [&] {
            Session(compiled("method g(%x: f32[100]) -> (y) {\n  %y = exp %x\n  return %y\n}\n", small)).warm({{100}});
          },
          Code::limit),
      "");
}

// Zeros run one branch, and no trip of the loops.
constexpr const char* branches_and_bodies = R"(
symbol N in 0..100
graph a(%x: f32[N]) -> (y) {
  %y = exp %x
  return %y
}
graph b(%x: f32[N]) -> (y) {
  %y = neg %x
  return %y
}
graph more(%x: f32[N], %limit: f32[]) -> (c) {
  %s = reduce_sum %x {axes=[0]}
  %c = lt %s, %limit
  return %c
}
graph twice(%x: f32[N], %limit: f32[]) -> (y) {
  %y = add %x, %x
  return %y
}
method f(%x: f32[N], %p: bool[], %limit: f32[]) -> (y) {
  %h = if %p, [%x] {on_true=@a, on_false=@b}
  %y = while [%h], [%limit] {condition=@more, body=@twice}
  return %y
}
)";

TEST_P(WarmTest, MakesAheadBothBranchesAndBodies) {
  Session session(compiled(branches_and_bodies));
  session.warm({{3}, {}, {}});
  const int64_t traced = session.executable().counters().traced;
  EXPECT_EQ(traced, is_traced() ? 4 : 0);
  for (const bool p : {false, true}) {
    session.run({{"x", ramp(3, -0.1F)}, {"p", boolean(p)}, {"limit", f32({}, {20})}});
    EXPECT_EQ(session.executable().counters().traced, traced) << p;
  }
}

// A branch that zeros do not reach may refuse them, and writes no state.
TEST_P(WarmTest, LeavesStateAndForgivesWhatZerosFail) {
  Session session(compiled(R"(
state @n : i64[] = zeros
graph pick(%x: f32[2], %i: i64[]) -> (y) {
  %one = full {shape=[], value=1, dtype=i64}
  %w = state_write %one {state=@n}
  %two = full {shape=[], value=2, dtype=i64}
  %j = add %i, %two
  %y = take %x, %j
  return %y
}
graph zero(%x: f32[2], %i: i64[]) -> (y) {
  %y = full {shape=[], value=0, dtype=f32}
  return %y
}
method f(%x: f32[2], %i: i64[], %p: bool[]) -> (y) {
  %y = if %p, [%x, %i] {on_true=@pick, on_false=@zero}
  return %y
}
)"));
  session.warm({{2}, {}, {}});
  EXPECT_EQ(session.state("n").as<int64_t>()[0], 0);
}

// Of a loop that zeros do not end.
const std::string kUpToTen = R"(
graph below(%x: f32[]) -> (c) {
  %ten = full {shape=[], value=10, dtype=f32}
  %c = lt %x, %ten
  return %c
}
graph twice(%x: f32[]) -> (y) {
  %y = add %x, %x
  return %y
}
)";

TEST_P(WarmTest, EndsWhereALoopOfTheMethodWouldNot) {
  Session session(compiled(kUpToTen + R"(
method f(%x: f32[]) -> (y) {
  %y = while [%x] {condition=@below, body=@twice}
  return %y
}
)"));
  session.warm({{}});
  EXPECT_EQ(values<float>(session.run({{"x", f32({}, {3})}})[0].tensor), Floats{12});
}

// Such a graph is not called with zeros, which would never end it.
TEST_P(WarmTest, EndsWhereALoopOfZerosWouldNot) {
  Session session(compiled(kUpToTen + R"(
graph grow(%x: f32[]) -> (y) {
  %y = while [%x] {condition=@below, body=@twice}
  return %y
}
graph same(%x: f32[]) -> (y) {
  return %x
}
method f(%x: f32[], %p: bool[]) -> (y) {
  %y = if %p, [%x] {on_true=@grow, on_false=@same}
  return %y
}
)"));
  session.warm({{}, {}});
  const int64_t traced = session.executable().counters().traced;
  EXPECT_EQ(values<float>(session.run({{"x", f32({}, {3})}, {"p", boolean(true)}})[0].tensor), Floats{12});
  EXPECT_EQ(session.executable().counters().traced, traced);
}

INGOT_ON_EVERY_TARGET(WarmTest);

}  // namespace
}  // namespace ingot::test
