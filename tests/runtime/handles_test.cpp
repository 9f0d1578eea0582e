// bind, unbind, feed and read: inputs that stay in a session.
#include <gtest/gtest.h>

#include "runtime/prepared.h"
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

TEST_P(HandlesTest, SayWhetherTheyAreBound) {
  Session session(compiled(recurrence));
  EXPECT_FALSE(session.is_bound("h"));
  session.bind("h", f32({1, 2}));
  EXPECT_TRUE(session.is_bound("h"));
  session.unbind("h");
  EXPECT_FALSE(session.is_bound("h"));
  EXPECT_EQ(message_of([&] { session.is_bound("g"); }, Code::not_found), "no method has an input g");
}

TEST_P(HandlesTest, UnbindEndsAFeed) {
  Session session(compiled(recurrence));
  PreparedCall prepared = session.prepare("step");
  prepared.bind_input(1, f32({1, 1}));
  prepared.bind_input(2, i64(0));
  session.bind("h", f32({1, 2}));
  session.feed("h", "h2");
  prepared();
  EXPECT_EQ(values<float>(session.read("h")), (Floats{3, 5}));
  session.unbind("h");
  session.bind("h", f32({1, 2}));
  prepared();
  session.run({{"x", f32({1, 1})}, {"i", i64(0)}}, "step");
  EXPECT_EQ(values<float>(session.read("h")), (Floats{1, 2}));
  session.unbind("h");
  session.feed("h", "h2");
  session.unbind("h");  // a feed alone can be ended too
  EXPECT_EQ(message_of([&] { session.unbind("h"); }, Code::not_found), "nothing is bound to input h");
}

TEST_P(HandlesTest, AFeedMayNameAPosition) {
  Session session(compiled(recurrence));
  session.bind("h", f32({1, 2}));
  session.feed("h", 0, "step");
  session.run({{"x", f32({1, 1})}, {"i", i64(0)}}, "step");
  EXPECT_EQ(values<float>(session.read("h")), (Floats{3, 5}));
  EXPECT_EQ(message_of([&] { session.feed("h", 2, "step"); }, Code::out_of_range),
            "[step] position of an output is 2, expected less than 2");
  EXPECT_EQ(message_of([&] { session.feed("h", 1, "step"); }, Code::type_mismatch),
            "output picked is f32[], expected f32[2] for input h");
}

TEST_P(HandlesTest, OutputsOfTheLatestRunCanBeRead) {
  Session session(compiled(recurrence));
  EXPECT_EQ(message_of([&] { session.read("out0"); }, Code::not_found),
            "there is no out0: the latest run has left 0 outputs");
  session.bind("h", f32({1, 2}));
  session.run({{"x", f32({1, 1})}, {"i", i64(1)}}, "step");
  EXPECT_EQ(values<float>(session.read("out0")), (Floats{3, 5}));
  EXPECT_EQ(values<float>(session.read("out1")), Floats{5});
  EXPECT_EQ(message_of([&] { session.read("out2"); }, Code::not_found),
            "there is no out2: the latest run has left 2 outputs");
  EXPECT_EQ(message_of([&] { session.read("out"); }, Code::not_found), "no method has an input out");
  session.run({}, "look");
  EXPECT_EQ(values<float>(session.read("out0")), (Floats{2, 4}));
}

TEST_P(HandlesTest, BindBroadcasts) {
  Session session(compiled(R"(
symbol N in 2..8
method forward(%x: f32[3, 2], %even: f32[2 * N], %square: f32[N, N]) -> (y) {
  %y = neg %x
  return %y
}
)"));
  const Floats all = {7, 7, 7, 7, 7, 7};
  for (const Tensor& x : {f32({}, {7}), f32({7}), f32({7, 7}), f32({3, 1}, {7, 7, 7}), f32({1, 2}, {7, 7})}) {
    session.bind("x", x);
    EXPECT_EQ(session.read("x").sizes(), (Sizes{3, 2}));
    EXPECT_EQ(values<float>(session.read("x")), all);
  }
  session.bind("x", f32({3, 1}, {1, 2, 3}));
  EXPECT_EQ(values<float>(session.read("x")), (Floats{1, 1, 2, 2, 3, 3}));
  const auto refusal = [&](const char* input, const Tensor& tensor, Code code = Code::type_mismatch) {
    return message_of([&] { session.bind(input, tensor); }, code);
  };
  EXPECT_EQ(refusal("x", f32({1, 2, 3})), "[forward] input x is f32[3], expected f32[3, 2]");
  EXPECT_EQ(refusal("x", f32({1, 3, 2}, all)), "[forward] input x is f32[1, 3, 2], expected f32[3, 2]");
  EXPECT_EQ(refusal("x", i64(1)), "[forward] input x is i64[], expected f32[3, 2]");
  // No binding of N makes these fit.
  EXPECT_NE(refusal("even", ramp(5)), "");
  EXPECT_NE(refusal("even", ramp(18), Code::out_of_range), "");
  EXPECT_NE(refusal("square", f32({2, 3}, all)), "");
  EXPECT_NE(refusal("square", f32({1})), "");
  session.bind("even", ramp(4));
  session.bind("square", f32({2, 2}, {1, 2, 3, 4}));
}

// -------------------------------------------------------------------------------------------------- tensors on the device

TEST_P(HandlesTest, CallsOnTheDeviceTakeAndReturnHandles) {
  const Executable executable = compiled(recurrence);
  Session session(executable);
  const Signature signature = executable.signature("step");
  ASSERT_EQ(signature.inputs.size(), 3u);
  EXPECT_EQ(signature.inputs[1].name, "x");
  EXPECT_EQ(to_string(signature.inputs[2].type), "i64[]");
  EXPECT_EQ(signature.outputs[1].name, "picked");
  std::vector<Handle> inputs{session.upload(f32({1, 2})), session.upload(f32({1, 1})), session.upload(i64(1))};
  const int64_t uploaded = executable.counters().uploaded_bytes;
  for (int i = 0; i < 3; ++i) inputs[0] = session.run_on_device(inputs, "step")[0];
  EXPECT_EQ(executable.counters().uploaded_bytes, uploaded);
  EXPECT_EQ(values<float>(inputs[0]->to_host()), (Floats{15, 23}));
  EXPECT_EQ(values<float>(session.read("out1")), Floats{23});
}

TEST_P(HandlesTest, CallsOnTheDeviceRefuseWhatDoesNotFit) {
  Session session(compiled(recurrence));
  const Handle x = session.upload(f32({1, 1})), i = session.upload(i64(0));
  const auto refusal = [&](const std::vector<Handle>& inputs, Code code) {
    return message_of([&] { session.run_on_device(inputs, "step"); }, code);
  };
  EXPECT_EQ(refusal({x, x}, Code::invalid_argument), "[step] the number of inputs is 2, expected 3");
  EXPECT_EQ(refusal({x, x, i, i}, Code::invalid_argument), "[step] the number of inputs is 4, expected 3");
  EXPECT_EQ(refusal({x, nullptr, i}, Code::invalid_argument), "[step] input x is null, expected f32[2]");
  EXPECT_EQ(refusal({x, i, i}, Code::type_mismatch), "[step] input x is i64[], expected f32[2]");
  if (is_reference()) return;  // it reads the tensors of every engine
  Session elsewhere(test::compiled(recurrence, {.engine = "reference"}));
  EXPECT_EQ(refusal({elsewhere.upload(f32({1, 1})), x, i}, Code::invalid_argument),
            "[step] input 0 is not on device " + std::string(session.executable().device()) + " of mlx");
  EXPECT_EQ(values<float>(session.run_on_device({x, x, i}, "step")[0]->to_host()), (Floats{3, 3}));
}

TEST_P(HandlesTest, AnInvocationWithTooFewInputsIsRefused) {
  const Program program = parse("ingot 1\n" + std::string(totals));
  const Target target = Target::parse(GetParam());
  const auto compiled = find_engine(target.engine).compile(program, {.mode = target.mode});
  const auto refusal = [&](std::vector<Handle> inputs, std::vector<Handle> states) {
    const std::unique_ptr<Invocation> call = compiled->invocation({0});
    call->inputs = std::move(inputs);
    call->states = std::move(states);
    return message_of([&] { compiled->start(*call); }, Code::invalid_argument);
  };
  const Handle x = compiled->upload(f32({1, 1})), i = compiled->upload(i64(0));
  EXPECT_EQ(refusal({}, {}), "[add] the number of inputs is 0, expected 2");
  EXPECT_EQ(refusal({x, nullptr}, {x, i}), "[add] input i is missing, expected i64[]");
  EXPECT_EQ(refusal({x, i}, {x}), "[add] the number of states is 1, expected 2");
  EXPECT_EQ(refusal({x, i}, {}), "[add] the number of states is 0, expected 2");
}

INGOT_ON_EVERY_TARGET(HandlesTest);

}  // namespace
}  // namespace ingot::test
