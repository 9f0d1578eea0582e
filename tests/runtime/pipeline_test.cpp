// run_pipelined: what a loop of `run` gives, whatever the depth and wherever it fails.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

using Batches = std::vector<std::vector<NamedTensor>>;

class PipelineTest : public OnTarget {};

Batches batches_of(size_t count) {
  Batches batches;
  for (size_t i = 0; i < count; ++i)
    batches.push_back(totals_inputs(static_cast<float>(i), 1, static_cast<int64_t>(i % 2)));
  return batches;
}

TEST_P(PipelineTest, GivesWhatALoopGives) {
  const Executable executable = compiled(totals);
  for (size_t depth : {1u, 2u, 5u, 100u}) {
    for (size_t count : {0u, 1u, 2u, 7u, 12u}) {
      const Batches batches = batches_of(count);
      Session one(executable), other(executable);
      const auto results = one.run_pipelined(batches, {.depth = depth, .method = "add"});
      ASSERT_EQ(results.size(), count);
      for (size_t i = 0; i < count; ++i) {
        const auto expected = other.run(batches[i], "add");
        ASSERT_EQ(results[i].size(), expected.size());
        for (size_t j = 0; j < expected.size(); ++j) {
          EXPECT_EQ(results[i][j].name, expected[j].name);
          EXPECT_EQ(values<float>(results[i][j].tensor), values<float>(expected[j].tensor));
        }
      }
      EXPECT_EQ(total(one), total(other));
      EXPECT_EQ(calls(one), static_cast<int64_t>(count));
    }
  }
}

TEST_P(PipelineTest, TakesBatchesAndGivesOutputsOneByOne) {
  Session session(compiled(totals));
  const std::thread::id here = std::this_thread::get_id();
  size_t made = 0, taken = 0, most = 0;
  const auto source = [&]() -> std::optional<std::vector<NamedTensor>> {
    EXPECT_EQ(std::this_thread::get_id(), here);
    if (made == 20) return std::nullopt;
    most = std::max(most, ++made - taken);
    return totals_inputs(1, 1);
  };
  const auto sink = [&](const std::vector<NamedTensor>& outputs) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    ++taken;
    EXPECT_EQ(values<float>(outputs[1].tensor),
              (Floats{10 + static_cast<float>(taken), 20 + static_cast<float>(taken)}));
  };
  session.run_pipelined(source, sink, {.depth = 3, .method = "add"});
  EXPECT_EQ(taken, 20u);
  EXPECT_EQ(most, 3u);

  const auto throwing = [&]() -> std::optional<std::vector<NamedTensor>> {
    if (made == 23) throw std::runtime_error("no more");
    ++made;
    return totals_inputs(1, 1);
  };
  EXPECT_THROW(session.run_pipelined(throwing, sink, {.method = "add"}), std::runtime_error);
  EXPECT_EQ(taken, 23u);
  EXPECT_EQ(calls(session), 23);
}

// Whether it is the call that fails or its inputs that are refused: what stands before it counts, and nothing behind it.
TEST_P(PipelineTest, StopsAtTheFirstFailure) {
  const Executable executable = compiled(totals);
  for (size_t depth : {1u, 2u, 5u}) {
    for (size_t at : {0u, 3u, 9u}) {
      Batches batches = batches_of(10);
      batches[at] = totals_inputs(0, 0, 2);
      Session session(executable);
      EXPECT_EQ(
          message_of([&] { session.run_pipelined(batches, {.depth = depth, .method = "add"}); }, Code::out_of_range),
          "[take] index 2 is outside an axis of 2 elements (at add: %picked)");
      EXPECT_EQ(calls(session), static_cast<int64_t>(at));

      batches[at] = {};
      session.reset();
      EXPECT_EQ(message_of([&] { session.run_pipelined(batches, {.depth = depth, .method = "add"}); },
                           Code::invalid_argument),
                "[add] input x is missing, expected f32[2]");
      EXPECT_EQ(calls(session), static_cast<int64_t>(at));
      add(session, 1, 1);
      EXPECT_EQ(calls(session), static_cast<int64_t>(at) + 1);
    }
  }
}

TEST_P(PipelineTest, ReportsTheFirstOfTwoFailures) {
  Batches batches = batches_of(3);
  batches[0] = totals_inputs(0, 0, 2);
  batches[1] = {};
  Session session(compiled(totals));
  EXPECT_EQ(message_of([&] { session.run_pipelined(batches, {.depth = 3, .method = "add"}); }, Code::out_of_range),
            "[take] index 2 is outside an axis of 2 elements (at add: %picked)");
  EXPECT_EQ(calls(session), 0);
}

TEST_P(PipelineTest, ComesBehindWhatWasSubmitted) {
  Session session(compiled(totals));
  const Future before = session.submit(totals_inputs(100, 100), "add");
  const Batches batches = batches_of(2);
  const auto results = session.run_pipelined(batches, {.method = "add"});
  EXPECT_EQ(values<float>(results[1][1].tensor), (Floats{111, 122}));
  EXPECT_TRUE(before.ready());
}

TEST_P(PipelineTest, FeedsFromBatchToBatch) {
  Session session(compiled(R"(
method step(%h: f32[2], %x: f32[2]) -> (h2) {
  %d = add %h, %h
  %h2 = add %d, %x
  return %h2
}
)"));
  session.bind("h", f32({1, 1}));
  session.feed("h", "h2");
  const Batches batches(4, {{"x", f32({0, 1})}});
  const auto results = session.run_pipelined(batches, {.depth = 3});
  EXPECT_EQ(values<float>(results[3][0].tensor), (Floats{16, 31}));
  EXPECT_EQ(values<float>(session.read("h")), (Floats{16, 31}));
}

TEST_P(PipelineTest, RefusesWhatCannotBeRun) {
  Session session(compiled(totals));
  const Batches batches = batches_of(1);
  EXPECT_EQ(message_of([&] { session.run_pipelined(batches, {.depth = 0, .method = "add"}); }, Code::invalid_argument),
            "depth is 0, expected 1 or more");
  EXPECT_NE(message_of([&] { session.run_pipelined(Batches{}, {.method = "ad"}); }, Code::not_found), "no error");
  EXPECT_EQ(message_of([&] { session.run_pipelined(nullptr, [](auto) {}, {.method = "add"}); }, Code::invalid_argument),
            "a pipeline needs a source and a sink");
}

INGOT_ON_EVERY_TARGET(PipelineTest);

}  // namespace
}  // namespace ingot::test
