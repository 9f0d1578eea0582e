// Parameters that change, and what is kept for each combination of sizes.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* affine = R"(
weight @large : f32[4] = [1.0, 2.0, 3.0, 4.0]
weight @small : f32[] = [10.0]
state @s : f32[4] = @large
method forward(%x: f32[4]) -> (y) {
  %p = mul %x, @large
  %y = add %p, @small
  return %y
}
method large() -> (w) {
  return @large
}
)";

class ParamsTest : public OnTarget {};

TEST_P(ParamsTest, CallsThatBeginLaterSeeTheNewValue) {
  Executable executable = compiled(affine);
  Session a(executable), b(executable);
  const std::vector<NamedTensor> inputs{{"x", f32({1, 1, 1, 1})}};
  const auto run = [&](Session& session) { return values<float>(session.run(inputs, "forward")[0].tensor); };
  EXPECT_EQ(run(a), (Floats{11, 12, 13, 14}));
  executable.set_param("small", f32({}, {-1}));
  EXPECT_EQ(run(a), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(run(b), (Floats{0, 1, 2, 3}));
  executable.set_param("large", f32({0, 0, 0, 5}));
  EXPECT_EQ(run(b), (Floats{-1, -1, -1, 4}));
  EXPECT_EQ(values<float>(b.run({}, "large")[0].tensor), (Floats{0, 0, 0, 5}));
  EXPECT_EQ(values<float>(b.state("s")), (Floats{1, 2, 3, 4}));
}

TEST_P(ParamsTest, NoOtherWeightMoves) {
  Executable executable = compiled(affine);
  Session session(executable);
  session.bind("x", f32({1, 1, 1, 1}));
  session.run({}, "forward");
  const EngineCounters before = executable.counters();
  executable.set_param("small", f32({}, {-1}));
  session.run({}, "forward");
  const EngineCounters after = executable.counters();
  EXPECT_EQ(after.uploaded_bytes - before.uploaded_bytes, is_reference() ? 0 : 4);
  EXPECT_EQ(after.traced, before.traced);
}

TEST_P(ParamsTest, TheCallersMemoryIsItsOwn) {
  Executable executable = compiled(affine);
  Session session(executable);
  Floats memory = {1, 0, 0, 0};
  executable.set_param("large", Tensor(DType::f32, {4}, Buffer{nullptr, std::as_bytes(std::span(memory))}));
  memory = {9, 9, 9, 9};
  EXPECT_EQ(values<float>(session.run({}, "large")[0].tensor), (Floats{1, 0, 0, 0}));
}

TEST_P(ParamsTest, RefusesOtherTypesAndNames) {
  Executable executable = compiled(affine);
  EXPECT_EQ(message_of([&] { executable.set_param("larg", ramp(4)); }, Code::not_found),
            "there is no parameter larg, did you mean 'large'?");
  EXPECT_EQ(message_of([&] { executable.set_param("large", ramp(5)); }, Code::type_mismatch),
            "parameter large is f32[5], expected f32[4]");
  EXPECT_EQ(message_of([&] { executable.set_param("small", i64(5)); }, Code::type_mismatch),
            "parameter small is i64[], expected f32[]");
  Session session(executable);
  EXPECT_EQ(values<float>(session.run({}, "large")[0].tensor), (Floats{1, 2, 3, 4}));
}

TEST_P(ParamsTest, SeveralAreSetInOneStep) {
  Executable executable = compiled(R"(
weight @a : f32[1] = [0.0]
weight @b : f32[1] = [0.0]
method sum() -> (y) {
  %y = add @a, @b
  return %y
}
)");
  std::atomic<bool> done = false;
  std::thread setter([&] {
    for (int i = 0; i < 300; ++i) {
      const auto value = static_cast<float>(i);
      executable.set_params({{"a", f32({value})}, {"b", f32({-value})}});
    }
    done = true;
  });
  Session session(executable);
  while (!done) EXPECT_EQ(values<float>(session.run({})[0].tensor), Floats{0});
  setter.join();
}

// What a name or a graph refers to stays where it is when a weight changes.
TEST_P(ParamsTest, TheProgramStaysWhereItIs) {
  Executable executable = compiled(affine);
  const Graph& method = executable.method("forward");
  const Program* program = &executable.program();
  Session session(executable);
  const Future future = session.submit({{"x", f32({1, 1, 1, 1})}}, "forward");
  for (int i = 0; i < 10; ++i) executable.set_param("small", f32({}, {static_cast<float>(i)}));
  future.wait();
  EXPECT_EQ(&executable.program(), program);
  EXPECT_EQ(&executable.method("forward"), &method);
  EXPECT_EQ(method.name, "forward");
}

// -------------------------------------------------------------------------------------------------------- signatures

constexpr const char* of_any_size = R"(
symbol S
method forward(%x: f32[S]) -> (sum) {
  %y = add %x, %x
  %sum = reduce_sum %y {axes=[0]}
  return %sum
}
)";

float sum_of(Session& session, int64_t n) { return session.run({{"x", ramp(n)}})[0].tensor.as<float>()[0]; }

TEST_P(ParamsTest, SignaturesAreTracedOnceEach) {
  Session session(compiled(of_any_size));
  for (int i = 0; i < 100; ++i) {
    const int64_t n = i % 10;
    EXPECT_EQ(sum_of(session, n), static_cast<float>(n * (n + 1)));
  }
  const EngineCounters counters = session.executable().counters();
  EXPECT_EQ(counters.traced, is_traced() ? 10 : 0);
  EXPECT_EQ(counters.cached, is_traced() ? 10 : 0);
  EXPECT_EQ(counters.evicted, 0);
}

TEST_P(ParamsTest, TheLeastUsedSignaturesAreForgotten) {
  Session session(compiled(of_any_size, {.cached_signatures = 4}));
  for (int64_t n = 0; n < 10; ++n) sum_of(session, n);
  EngineCounters counters = session.executable().counters();
  EXPECT_EQ(counters.traced, is_traced() ? 10 : 0);
  EXPECT_EQ(counters.cached, is_traced() ? 4 : 0);
  EXPECT_EQ(counters.evicted, is_traced() ? 6 : 0);
  for (int64_t n : {6, 7, 8, 9, 6}) EXPECT_EQ(sum_of(session, n), static_cast<float>(n * (n + 1)));
  EXPECT_EQ(session.executable().counters().traced, counters.traced);
  sum_of(session, 1);  // in place of 7
  sum_of(session, 6);
  EXPECT_EQ(session.executable().counters().evicted, is_traced() ? 7 : 0);
  sum_of(session, 7);
  EXPECT_EQ(session.executable().counters().evicted, is_traced() ? 8 : 0);
}

TEST_P(ParamsTest, NothingNeedsToBeKept) {
  Session session(compiled(of_any_size, {.cached_signatures = 0}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sum_of(session, 3), 12);
  EXPECT_EQ(session.executable().counters().traced, is_traced() ? 3 : 0);
  EXPECT_EQ(session.executable().counters().cached, 0);
}

// A signature is one of the whole program, however many parts are traced for it.
TEST_P(ParamsTest, PartsOfAProgramDoNotPushOneAnotherOut) {
  std::string text = R"(
graph yes(%x: f32[2]) -> (y) {
  %y = add %x, %x
  return %y
}
graph no(%x: f32[2]) -> (x) {
  return %x
}
method forward(%x: f32[2], %c: bool[]) -> (y) {
)";
  std::string last = "x";
  for (int i = 0; i < 5; ++i) {
    text += fmt::format("  %a{} = neg %{}\n  %b{} = if %c, [%a{}] {{on_true=@yes, on_false=@no}}\n", i, last, i, i);
    last = fmt::format("b{}", i);
  }
  text += fmt::format("  return %{}\n}}\n", last);
  Session session(compiled(text, {.cached_signatures = 1}));
  const std::vector<NamedTensor> inputs{{"x", f32({1, 2})}, {"c", boolean(true)}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values<float>(session.run(inputs)[0].tensor), (Floats{-32, -64}));
  EXPECT_EQ(session.executable().counters().traced, is_traced() ? 6 : 0);
  EXPECT_EQ(session.executable().counters().evicted, 0);
}

INGOT_ON_EVERY_TARGET(ParamsTest);

}  // namespace
}  // namespace ingot::test
