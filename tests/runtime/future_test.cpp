// Future: the outcome of a submitted call, asked in every way and at every time.
#include "runtime/future.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

using namespace std::chrono_literals;

class FutureTest : public OnTarget {};

Floats sum_of(const Future& future) { return values<float>(future.result()[1].tensor); }

TEST_P(FutureTest, GivesItsResultAsOftenAsItIsAsked) {
  Session session(compiled(totals));
  const Future future = session.submit(totals_inputs(1, 2), "add");
  const Future copy = future;
  future.wait();
  EXPECT_TRUE(future.ready());
  EXPECT_TRUE(copy.wait_for(0ns));
  for (int i = 0; i < 3; ++i) {
    const std::vector<NamedTensor> outputs = copy.result();
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].name, "picked");
    EXPECT_EQ(outputs[1].name, "total");
    EXPECT_EQ(values<float>(outputs[1].tensor), (Floats{11, 22}));
  }
  EXPECT_FALSE(future.error().has_value());
}

TEST_P(FutureTest, CallsRunInTheirOrder) {
  Session session(compiled(totals));
  std::vector<Future> futures;
  for (int i = 0; i < 20; ++i) futures.push_back(session.submit(totals_inputs(1, 2), "add"));
  EXPECT_EQ(calls(session), 20);  // waits for all of them
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(futures[static_cast<size_t>(i)].ready());
    const auto n = static_cast<float>(i + 1);
    EXPECT_EQ(sum_of(futures[static_cast<size_t>(i)]), (Floats{10 + n, 20 + 2 * n}));
  }
  EXPECT_EQ(add(session, 1, 2), (Floats{31, 62}));
}

TEST_P(FutureTest, ErrorsAreValuesToo) {
  Session session(compiled(totals));
  const Future bad = session.submit(totals_inputs(5, 5, 2), "add");
  const Future good = session.submit(totals_inputs(1, 1), "add");
  constexpr const char* text = "[take] index 2 is outside an axis of 2 elements (at add: %picked)";
  for (int i = 0; i < 2; ++i) {
    const std::optional<Error> error = bad.error();
    ASSERT_TRUE(error.has_value());
    EXPECT_STREQ(error->what(), text);
    EXPECT_EQ(to_string(error->code()), to_string(Code::out_of_range));
    EXPECT_EQ(message_of([&] { bad.result(); }, Code::out_of_range), text);
  }
  EXPECT_EQ(sum_of(good), (Floats{11, 21}));
  EXPECT_EQ(calls(session), 1);
}

TEST_P(FutureTest, WhatIsWrongWithInputsIsSaidAtOnce) {
  Session session(compiled(totals));
  EXPECT_EQ(message_of([&] { session.submit({{"x", f32({1, 2})}}, "add"); }, Code::invalid_argument),
            "[add] input i is missing, expected i64[]");
  EXPECT_EQ(message_of([&] { session.submit({}, "ad"); }, Code::not_found),
            "there is no method 'ad', expected one of add, total, did you mean 'add'?");
  EXPECT_EQ(add(session, 1, 1), (Floats{11, 21}));
}

TEST_P(FutureTest, InputsAreTheCallersAgainAtOnce) {
  Session session(compiled(totals));
  Floats memory = {1, 2};
  const Tensor x(DType::f32, {2}, Buffer{nullptr, std::as_bytes(std::span(memory))});
  const Future future = session.submit({{"x", x}, {"i", i64(0)}}, "add");
  memory = {1000, 1000};
  EXPECT_EQ(sum_of(future), (Floats{11, 22}));
}

TEST_P(FutureTest, CanBeCancelledDuringWork) {
  Session session(compiled(forever));
  const Future future = session.submit({}, "forever");
  const Future behind = session.submit({}, "count");
  EXPECT_FALSE(future.wait_for(20ms));
  EXPECT_FALSE(future.ready());
  EXPECT_FALSE(behind.ready());
  future.cancel();
  const std::optional<Error> error = future.error();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(to_string(error->code()), to_string(Code::cancelled));
  EXPECT_NE(std::string(error->what()).find("the call was cancelled"), std::string::npos);
  EXPECT_EQ(values<int64_t>(behind.result()[0].tensor), Integers{1});  // from a state that is as it was
  EXPECT_EQ(values<int64_t>(session.state("n")), Integers{1});
}

TEST_P(FutureTest, CanBeCancelledBeforeWork) {
  Session session(compiled(forever));
  const Future first = session.submit({}, "forever");
  const Future second = session.submit({}, "count");
  second.cancel();
  first.cancel();
  EXPECT_EQ(message_of([&] { second.result(); }, Code::cancelled), "[count] the call was cancelled");
  EXPECT_EQ(values<int64_t>(session.state("n")), Integers{0});
  EXPECT_EQ(values<int64_t>(session.run({}, "count")[0].tensor), Integers{1});
}

TEST_P(FutureTest, CancellingWhatIsDoneChangesNothing) {
  Session session(compiled(totals));
  const Future future = session.submit(totals_inputs(1, 2), "add");
  future.wait();
  future.cancel();
  EXPECT_EQ(sum_of(future), (Floats{11, 22}));
  EXPECT_EQ(calls(session), 1);
}

TEST_P(FutureTest, DroppedOnesRunAllTheSame) {
  Session session(compiled(totals));
  for (int i = 0; i < 5; ++i) session.submit(totals_inputs(1, 2), "add");
  EXPECT_EQ(total(session), (Floats{15, 30}));
}

TEST_P(FutureTest, OutlivesSessionAndExecutable) {
  std::vector<Future> futures;
  {
    Session session(compiled(totals));
    for (int i = 0; i < 10; ++i) futures.push_back(session.submit(totals_inputs(1, 2), "add"));
  }
  for (size_t i = 0; i < futures.size(); ++i) {
    const auto n = static_cast<float>(i + 1);
    EXPECT_EQ(sum_of(futures[i]), (Floats{10 + n, 20 + 2 * n}));
  }
}

TEST_P(FutureTest, ASessionMayMoveWhileCallsAreOnTheirWay) {
  const Executable executable = compiled(totals);
  Session session(executable);
  const Future future = session.submit(totals_inputs(1, 2), "add");
  Session moved = std::move(session);
  EXPECT_EQ(add(moved, 1, 2), (Floats{12, 24}));
  EXPECT_EQ(sum_of(future), (Floats{11, 22}));
  session = Session(executable);
  const Future lost = session.submit(totals_inputs(5, 5), "add");
  session = std::move(moved);
  EXPECT_EQ(total(session), (Floats{12, 24}));
  EXPECT_EQ(sum_of(lost), (Floats{15, 25}));
}

TEST_P(FutureTest, EveryThreadMayWait) {
  Session session(compiled(totals));
  const Future future = session.submit(totals_inputs(1, 2), "add");
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { right += sum_of(future) == Floats{11, 22}; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

INGOT_ON_EVERY_TARGET(FutureTest);

}  // namespace
}  // namespace ingot::test
