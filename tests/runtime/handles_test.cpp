// bind, unbind, feed and read: inputs that stay in a session.
#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

// A recurrence, and a second method that has one of its inputs.
constexpr const char* recurrence = R"(
method step(%h: f32[2], %x: f32[2], %i: i64[]) -> (h2, picked) {
  %d = add %h, %h
  %h2 = add %d, %x
  %picked = take %h2, %i
  return %h2, %picked
}
method look(%h: f32[2]) -> (twice) {
  %twice = add %h, %h
  return %twice
}
)";

class HandlesTest : public OnTarget {};

TEST_P(HandlesTest, WhatIsBoundStays) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values<float>(session.run({}, "look")[0].tensor), (Floats{2, 4}));
  EXPECT_EQ(values<float>(session.run({{"x", f32({1, 1})}, {"i", i64(0)}}, "step")[0].tensor), (Floats{3, 5}));
  EXPECT_EQ(values<float>(session.read("h")), (Floats{1, 2}));
  session.bind("h", f32({5, 5}));
  EXPECT_EQ(values<float>(session.run({}, "look")[0].tensor), (Floats{10, 10}));
}

TEST_P(HandlesTest, IsUploadedOnce) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  const int64_t before = session.executable().counters().uploaded_bytes;
  for (int i = 0; i < 5; ++i) session.run({}, "look");
  EXPECT_EQ(session.executable().counters().uploaded_bytes, before);
}

TEST_P(HandlesTest, AnInputOfTheCallWins) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  EXPECT_EQ(values<float>(session.run({{"h", f32({7, 7})}}, "look")[0].tensor), (Floats{14, 14}));
  EXPECT_EQ(values<float>(session.submit({{"h", f32({8, 8})}}, "look").result()[0].tensor), (Floats{16, 16}));
  EXPECT_EQ(values<float>(session.run({}, "look")[0].tensor), (Floats{2, 4}));
}

TEST_P(HandlesTest, CanBeTakenBack) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  session.unbind("h");
  EXPECT_EQ(message_of([&] { session.run({}, "look"); }, Code::invalid_argument),
            "[look] input h is missing, expected f32[2]");
  EXPECT_EQ(message_of([&] { session.unbind("h"); }, Code::not_found), "nothing is bound to input h");
}

TEST_P(HandlesTest, ReadingWhatWasNeverWrittenIsAnError) {
  Session session(compiled(recurrence));
  EXPECT_EQ(message_of([&] { session.read("h"); }, Code::not_found), "nothing is bound to input h");
  session.feed("h", "h2");
  EXPECT_EQ(message_of([&] { session.read("h"); }, Code::not_found), "nothing is bound to input h");
  EXPECT_EQ(message_of([&] { session.read("nothing"); }, Code::not_found), "no method has an input nothing");
}

TEST_P(HandlesTest, RefusesOtherTypesAndNames) {
  Session session(compiled(recurrence));
  EXPECT_EQ(message_of([&] { session.bind("h", f32({1, 2, 3})); }, Code::type_mismatch),
            "[look] input h is f32[3], expected f32[2]");
  EXPECT_EQ(message_of([&] { session.bind("g", f32({1, 2})); }, Code::not_found), "no method has an input g");
  EXPECT_EQ(message_of([&] { session.feed("g", "h2"); }, Code::not_found), "no method has an input g");
  EXPECT_EQ(message_of([&] { session.feed("h", "h3"); }, Code::not_found), "no method has an output h3");
  EXPECT_EQ(message_of([&] { session.feed("i", "h2"); }, Code::type_mismatch),
            "output h2 is f32[2], expected i64[] for input i");
  EXPECT_EQ(message_of([&] { session.feed("h", "picked"); }, Code::type_mismatch),
            "output picked is f32[], expected f32[2] for input h");
}

TEST_P(HandlesTest, AreInputsOfTheMethodsThatTheyFit) {
  Session session(compiled(R"(
method few(%x: f32[2]) -> (y) {
  %y = neg %x
  return %y
}
method many(%x: f32[3]) -> (y) {
  %y = neg %x
  return %y
}
)"));
  session.bind("x", f32({1, 2}));
  EXPECT_EQ(values<float>(session.run({}, "few")[0].tensor), (Floats{-1, -2}));
  EXPECT_EQ(message_of([&] { session.run({}, "many"); }, Code::type_mismatch),
            "[many] input x is f32[2], expected f32[3]");
  session.bind("x", f32({1, 2, 3}));
  EXPECT_EQ(values<float>(session.run({}, "many")[0].tensor), (Floats{-1, -2, -3}));
}

TEST_P(HandlesTest, FeedIsALoopByHand) {
  const Executable executable = compiled(recurrence);
  Session fed(executable), by_hand(executable);
  fed.bind("h", f32({1, 2}));
  fed.feed("h", "h2");
  Tensor h = f32({1, 2});
  for (int i = 0; i < 10; ++i) {
    const std::vector<NamedTensor> inputs{{"x", f32({static_cast<float>(i), 1})}, {"i", i64(i % 2)}};
    const auto outputs = i % 3 == 2 ? fed.submit(inputs, "step").result() : fed.run(inputs, "step");
    std::vector<NamedTensor> all = inputs;
    all.push_back({"h", h});
    h = by_hand.run(all, "step")[0].tensor;
    EXPECT_EQ(values<float>(outputs[0].tensor), values<float>(h));
    EXPECT_EQ(values<float>(fed.read("h")), values<float>(h));
  }
  // A method that does not make the output leaves what is there.
  EXPECT_EQ(values<float>(fed.run({{"h", f32({0, 0})}}, "look")[0].tensor), (Floats{0, 0}));
  EXPECT_EQ(values<float>(fed.read("h")), values<float>(h));
}

TEST_P(HandlesTest, SubmittedCallsFeedOneAnother) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 1}));
  session.feed("h", "h2");
  std::vector<Future> futures;
  for (int i = 0; i < 4; ++i) futures.push_back(session.submit({{"x", f32({0, 1})}, {"i", i64(0)}}, "step"));
  EXPECT_EQ(values<float>(session.read("h")), (Floats{16, 31}));
  EXPECT_EQ(values<float>(futures[1].result()[0].tensor), (Floats{4, 7}));
}

TEST_P(HandlesTest, AFailedCallFeedsNothing) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  session.feed("h", "h2");
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 1})}, {"i", i64(-3)}}, "step"); }, Code::out_of_range),
            "[take] index -3 is outside an axis of 2 elements (at step: %picked)");
  EXPECT_EQ(values<float>(session.read("h")), (Floats{1, 2}));
  session.run({{"x", f32({1, 1})}, {"i", i64(0)}}, "step");
  EXPECT_EQ(values<float>(session.read("h")), (Floats{3, 5}));
}

TEST_P(HandlesTest, AForkTakesThemAlongAndGoesItsOwnWay) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  session.feed("h", "h2");
  Session fork = session.fork();
  fork.run({{"x", f32({0, 0})}, {"i", i64(0)}}, "step");
  EXPECT_EQ(values<float>(fork.read("h")), (Floats{2, 4}));
  EXPECT_EQ(values<float>(session.read("h")), (Floats{1, 2}));
}

TEST_P(HandlesTest, SizesOfWhatIsBoundBindSymbols) {
  Session session(compiled(R"(
symbol S
method forward(%a: f32[S], %b: f32[S]) -> (y) {
  %y = add %a, %b
  return %y
}
)"));
  session.bind("a", f32({1, 2}));
  EXPECT_EQ(message_of([&] { session.run({{"b", f32({1, 2, 3})}}); }, Code::type_mismatch),
            "[forward] S is 3 by input b, axis 0, expected 2 by input a, axis 0");
  EXPECT_EQ(values<float>(session.run({{"b", f32({1, 2})}})[0].tensor), (Floats{2, 4}));
}

INGOT_ON_EVERY_TARGET(HandlesTest);

}  // namespace
}  // namespace ingot::test
