// The states of a session: begin, commit, rollback, reset, set, fork.
#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

class StateTest : public OnTarget {};

TEST_P(StateTest, BeginsAsDeclaredAndCommits) {
  Session session(compiled(totals));
  EXPECT_EQ(total(session), (Floats{10, 20}));
  EXPECT_EQ(calls(session), 0);
  EXPECT_EQ(add(session, 1, 2), (Floats{11, 22}));
  EXPECT_EQ(add(session, 1, 2), (Floats{12, 24}));
  const auto outputs = session.run({}, "total");
  EXPECT_EQ(values<float>(outputs[0].tensor), (Floats{12, 24}));
  EXPECT_EQ(values<int64_t>(outputs[1].tensor), std::vector<int64_t>{2});
  EXPECT_EQ(calls(session), 2);
}

TEST_P(StateTest, IsAsBeforeAfterAFailedCall) {
  Session session(compiled(totals));
  add(session, 1, 1);
  EXPECT_EQ(message_of([&] { add(session, 5, 5, 2); }, Code::out_of_range),
            "[take] index 2 is outside an axis of 2 elements (at add: %picked)");
  EXPECT_EQ(total(session), (Floats{11, 21}));
  EXPECT_EQ(calls(session), 1);
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({3}, {1, 2, 3})}, {"i", i64(0)}}, "add"); }, Code::type_mismatch),
            "[add] input x is f32[3], expected f32[2]");
  EXPECT_EQ(calls(session), 1);
  EXPECT_EQ(add(session, 1, 1), (Floats{12, 22}));
}

TEST_P(StateTest, IsAsBeforeWhenALimitEndsTheCall) {
  Session session(compiled(forever, {.limits = {.steps = 1000}}));
  EXPECT_NE(message_of([&] { session.run({}, "forever"); }, Code::limit).find("the call takes more than 1000 steps"),
            std::string::npos);
  EXPECT_EQ(session.state("n").as<int64_t>()[0], 0);
  EXPECT_EQ(values<int64_t>(session.run({}, "count")[0].tensor), Integers{1});
}

TEST_P(StateTest, ContentsThatWereReadStayAsTheyWere) {
  Session session(compiled(totals));
  const Tensor before = session.state("total");
  const Tensor output = session.run({}, "total")[0].tensor;
  add(session, 1, 1);
  EXPECT_EQ(values<float>(before), (Floats{10, 20}));
  EXPECT_EQ(values<float>(output), (Floats{10, 20}));
}

TEST_P(StateTest, ResetGoesBackToTheBeginning) {
  Session session(compiled(totals));
  add(session, 1, 2);
  session.reset();
  EXPECT_EQ(total(session), (Floats{10, 20}));
  EXPECT_EQ(calls(session), 0);
  EXPECT_EQ(add(session, 1, 2), (Floats{11, 22}));
}

TEST_P(StateTest, CanBeSet) {
  Session session(compiled(totals));
  session.set_state("total", f32({2}, {-1, -2}));
  session.set_state("calls", i64(40));
  EXPECT_EQ(add(session, 1, 1), (Floats{0, -1}));
  EXPECT_EQ(calls(session), 41);
  EXPECT_EQ(message_of([&] { session.set_state("total", f32({3}, {1, 2, 3})); }, Code::type_mismatch),
            "state total is f32[3], expected f32[2]");
  EXPECT_EQ(message_of([&] { session.set_state("calls", f32({}, {1})); }, Code::type_mismatch),
            "state calls is f32[], expected i64[]");
  EXPECT_EQ(message_of([&] { session.set_state("totals", i64(1)); }, Code::not_found),
            "there is no state totals, did you mean 'total'?");
  EXPECT_EQ(message_of([&] { session.state("cache"); }, Code::not_found), "there is no state cache");
  EXPECT_EQ(total(session), (Floats{0, -1}));
}

TEST_P(StateTest, AForkGoesOnByItself) {
  Session session(compiled(totals));
  add(session, 1, 1);
  Session fork = session.fork();
  EXPECT_EQ(total(fork), (Floats{11, 21}));
  EXPECT_EQ(add(fork, 100, 100), (Floats{111, 121}));
  EXPECT_EQ(total(session), (Floats{11, 21}));
  EXPECT_EQ(add(session, 1, 1), (Floats{12, 22}));
  EXPECT_EQ(total(fork), (Floats{111, 121}));
  fork.reset();
  EXPECT_EQ(total(fork), (Floats{10, 20}));
}

TEST_P(StateTest, SessionsOfOneExecutableAreApart) {
  const Executable executable = compiled(totals);
  Session a(executable), b(executable);
  add(a, 1, 1);
  EXPECT_EQ(total(b), (Floats{10, 20}));
  Session moved = std::move(a);
  EXPECT_EQ(total(moved), (Floats{11, 21}));
}

INGOT_ON_EVERY_TARGET(StateTest);

}  // namespace
}  // namespace ingot::test
