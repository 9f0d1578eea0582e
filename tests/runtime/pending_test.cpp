// Submitted calls: which weights they see, how many may be pending, and sync.
#include <gtest/gtest.h>

#include <thread>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

using namespace std::chrono_literals;

// %scaled depends on the weight alone, so engines that hoist compute it once for each value of @w.
constexpr const char* scaled = R"(
symbol N
weight @w : f32[2] = [1.0, 1.0]
method forward(%x: f32[2]) -> (y) {
  %s = add @w, @w
  %scaled = exp %s
  %l = log %scaled
  %y = mul %l, %x
  return %y
}
method plain(%x: f32[2]) -> (y) {
  %y = mul @w, %x
  return %y
}
)";

class PendingTest : public OnTarget {};

TEST_P(PendingTest, ASubmittedCallSeesTheWeightsOfItsSubmission) {
  for (const char* method : {"forward", "plain"}) {
    Executable executable = compiled(scaled);
    Session session(executable);
    const float factor = std::string_view(method) == "forward" ? 2 : 1;
    std::vector<Future> futures;
    for (int i = 0; i < 10; ++i) {
      const auto w = static_cast<float>(i + 1);
      executable.set_param("w", f32({w, -w}));
      futures.push_back(session.submit({{"x", f32({1, 1})}}, method));
    }
    for (int i = 0; i < 10; ++i) {
      const auto expected = factor * static_cast<float>(i + 1);
      const Floats y = values<float>(futures[static_cast<size_t>(i)].result()[0].tensor);
      EXPECT_NEAR(y[0], expected, 1e-4) << method << " " << i;
      EXPECT_NEAR(y[1], -expected, 1e-4) << method << " " << i;
    }
  }
}

TEST_P(PendingTest, ASubmittedCallDoesNotSeeAWeightThatIsFilledLater) {
  Executable executable = compiled(R"(
weight @w : f32[2]
method forward(%x: f32[2]) -> (y) {
  %y = mul @w, %x
  return %y
}
)");
  Session session(executable);
  const Future early = session.submit({{"x", f32({1, 1})}});
  executable.set_param("w", f32({5, 6}));
  const Future late = session.submit({{"x", f32({1, 1})}});
  EXPECT_NE(message_of([&] { early.result(); }, Code::invalid_argument).find("@w: f32[2]"), std::string::npos);
  EXPECT_EQ(values<float>(late.result()[0].tensor), (Floats{5, 6}));
}

TEST_P(PendingTest, BatchesOfAPipelineSeeTheWeightsOfTheirTime) {
  Executable executable = compiled(scaled);
  Session session(executable);
  int made = 0;
  Floats seen;
  const auto source = [&]() -> std::optional<std::vector<NamedTensor>> {
    if (made == 6) return std::nullopt;
    executable.set_param("w", f32({static_cast<float>(++made), 0}));
    return std::vector<NamedTensor>{{"x", f32({1, 1})}};
  };
  const auto sink = [&](const std::vector<NamedTensor>& outputs) { seen.push_back(outputs[0].tensor.as<float>()[0]); };
  session.run_pipelined(source, sink, {.depth = 3, .method = "plain"});
  EXPECT_EQ(seen, (Floats{1, 2, 3, 4, 5, 6}));
}

// -------------------------------------------------------------------------------------------------------------- bound

TEST_P(PendingTest, RefusesASubmitPastTheBoundWhereAsked) {
  Session session(compiled(forever, {.pending_calls = 3}));
  std::vector<Future> futures{session.submit({}, "forever")};
  for (int i = 0; i < 2; ++i) futures.push_back(session.submit({}, "count", WhenFull::refuse));
  EXPECT_EQ(message_of([&] { session.submit({}, "count", WhenFull::refuse); }, Code::limit),
            "the number of pending calls is 3, expected less than 3");
  futures[0].cancel();
  EXPECT_EQ(values<int64_t>(futures[2].result()[0].tensor), Integers{2});
  EXPECT_EQ(values<int64_t>(session.submit({}, "count", WhenFull::refuse).result()[0].tensor), Integers{3});
}

TEST_P(PendingTest, WaitsForRoom) {
  Session session(compiled(forever, {.pending_calls = 2}));
  const Future first = session.submit({}, "forever");
  session.submit({}, "count");
  std::atomic<bool> was_submitted = false;
  std::thread other([&] {
    session.submit({}, "count");
    was_submitted = true;
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(was_submitted);
  first.cancel();
  other.join();
  EXPECT_TRUE(was_submitted);
  EXPECT_EQ(values<int64_t>(session.state("n")), Integers{2});
}

TEST(Pending, ABoundOfZeroIsRefused) {
  EXPECT_EQ(message_of([] { compiled(forever, {.pending_calls = 0}); }, Code::invalid_argument),
            "pending_calls is 0, expected 1 or more");
}

// --------------------------------------------------------------------------------------------------------------- sync

TEST_P(PendingTest, SyncWaitsForAllAndReportsTheFirstFailure) {
  Session session(compiled(totals));
  const Future good = session.submit(totals_inputs(1, 2), "add");
  session.submit(totals_inputs(1, 2, 7), "add");
  session.submit(totals_inputs(1, 2, 9), "add");
  const Future last = session.submit(totals_inputs(1, 2), "add");
  constexpr const char* first = "[take] index 7 is outside an axis of 2 elements (at add: %picked)";
  EXPECT_EQ(message_of([&] { session.sync(); }, Code::out_of_range), first);
  EXPECT_TRUE(good.ready());
  EXPECT_TRUE(last.ready());
  session.sync();  // it was reported
  EXPECT_EQ(calls(session), 2);
}

TEST_P(PendingTest, SyncReportsFailuresThatOtherMethodsWaitedFor) {
  Session session(compiled(totals));
  session.submit(totals_inputs(1, 2, 5), "add");
  EXPECT_EQ(calls(session), 0);
  EXPECT_EQ(add(session, 1, 2), (Floats{11, 22}));
  EXPECT_EQ(message_of([&] { session.sync(); }, Code::out_of_range),
            "[take] index 5 is outside an axis of 2 elements (at add: %picked)");
  Session fork = session.fork();
  fork.sync();
}

TEST_P(PendingTest, CancelledCallsAndPipelinesAreNoFailuresOfSync) {
  Session session(compiled(forever));
  const Future future = session.submit({}, "forever");
  future.cancel();
  session.sync();
  Session sums(compiled(totals));
  const std::vector<std::vector<NamedTensor>> batches{totals_inputs(1, 1), totals_inputs(1, 1, 3)};
  EXPECT_NE(message_of([&] { sums.run_pipelined(batches, {.method = "add"}); }, Code::out_of_range), "");
  sums.sync();
}

INGOT_ON_EVERY_TARGET(PendingTest);

}  // namespace
}  // namespace ingot::test
