// Calls that fail by what values say, wherever the node stands: what is said is the same on every engine, the state is as
// before, and the session goes on.
#include <gtest/gtest.h>

#include <utility>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

// Each method counts its calls before it picks x[i]: plainly, in a branch, in a loop, in a scan, in a graph that it calls.
constexpr const char* program = R"(
state @calls : i64[] = zeros
graph count() -> (n) {
  %n = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@calls}
  return %w
}
graph pick(%x: f32[3], %i: i64[]) -> (y) {
  %y = take %x, %i
  return %y
}
graph first(%x: f32[3], %i: i64[]) -> (y) {
  %zero = full {shape=[], value=0, dtype=i64}
  %y = take %x, %zero
  return %y
}
graph below(%k: i64[], %sum: f32[], %x: f32[3], %end: i64[]) -> (c) {
  %c = lt %k, %end
  return %c
}
graph add_next(%k: i64[], %sum: f32[], %x: f32[3], %end: i64[]) -> (m, s) {
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %k, %one
  %y = take %x, %k
  %s = add %sum, %y
  return %m, %s
}
graph add_one(%sum: f32[], %k: i64[], %x: f32[3]) -> (s, y) {
  %y = take %x, %k
  %s = add %sum, %y
  return %s, %y
}
method plain(%x: f32[3], %i: i64[]) -> (y) {
  %n = call {graph=@count}
  %y = take %x, %i
  return %y
}
method called(%x: f32[3], %i: i64[]) -> (y) {
  %n = call {graph=@count}
  %y = call [%x, %i] {graph=@pick}
  return %y
}
method branch(%c: bool[], %x: f32[3], %i: i64[]) -> (y) {
  %n = call {graph=@count}
  %y = if %c, [%x, %i] {on_true=@pick, on_false=@first}
  return %y
}
method loop(%x: f32[3], %end: i64[]) -> (sum) {
  %n = call {graph=@count}
  %zero = full {shape=[], value=0, dtype=i64}
  %none = full {shape=[], value=0.0}
  %m, %sum = while [%zero, %none], [%x, %end] {condition=@below, body=@add_next}
  return %sum
}
method scanned(%x: f32[3], %at: i64[4]) -> (sum, picked) {
  %n = call {graph=@count}
  %none = full {shape=[], value=0.0}
  %sum, %picked = scan [%none], [%at], [%x] {body=@add_one, length=4}
  return %sum, %picked
}
method gathered(%x: f32[3], %at: i64[4]) -> (y) {
  %n = call {graph=@count}
  %y = gather %x, %at
  return %y
}
)";

struct Failure {
  const char* method;
  std::vector<NamedTensor> good, bad;
};

Tensor integers(const Integers& all) { return Tensor::of<int64_t>({static_cast<int64_t>(all.size())}, all); }

const std::vector<Failure>& failures() {
  static const NamedTensor x{"x", f32({1, 2, 3})}, yes{"c", boolean(true)};
  static const std::vector<Failure> all = {
      {"plain", {x, {"i", i64(2)}}, {x, {"i", i64(3)}}},
      {"plain", {x, {"i", i64(0)}}, {x, {"i", i64(INT64_MIN)}}},
      {"called", {x, {"i", i64(2)}}, {x, {"i", i64(1000000)}}},
      {"branch", {yes, x, {"i", i64(1)}}, {yes, x, {"i", i64(-4)}}},
      {"loop", {x, {"end", i64(3)}}, {x, {"end", i64(5)}}},
      {"scanned", {x, {"at", integers({0, 1, 2, 0})}}, {x, {"at", integers({0, 7, 9, 0})}}},
      {"gathered", {x, {"at", integers({0, 1, 2, 0})}}, {x, {"at", integers({0, 1, 3, -9})}}},
  };
  return all;
}

class FailureTest : public OnTarget {};

TEST_P(FailureTest, SaysWhatTheReferenceSaysAndChangesNothing) {
  Session session(compiled(program)), reference(compiled(program));
  int64_t calls = 0;
  for (const Failure& row : failures()) {
    std::string expected, actual;
    Code code = Code::internal;
    try {
      reference.run(row.bad, row.method);
      ADD_FAILURE() << row.method << " does not fail";
    } catch (const Error& error) {
      expected = error.what();
      code = error.code();
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(message_of([&] { session.run(row.bad, row.method); }, code), expected) << row.method;
      EXPECT_EQ(message_of([&] { session.submit(row.bad, row.method).result(); }, code), expected) << row.method;
      EXPECT_EQ(session.state("calls").as<int64_t>()[0], calls) << row.method;
      const auto outputs = session.run(row.good, row.method);
      const auto wanted = reference.run(row.good, row.method);
      for (size_t j = 0; j < wanted.size(); ++j) {
        EXPECT_TRUE(std::ranges::equal(outputs[j].tensor.bytes(), wanted[j].tensor.bytes())) << row.method;
      }
      EXPECT_EQ(session.state("calls").as<int64_t>()[0], ++calls) << row.method;
    }
  }
}

TEST_P(FailureTest, SaysWhatAnIndexOfU64MayBeAndAShapeOnce) {
  Session session(compiled(R"(
symbol N in 0..9
method pick(%x: f32[3], %i: u64[]) -> (y) {
  %y = take %x, %i
  return %y
}
method five(%x: f32[N]) -> (y) {
  %y = ensure_shape %x {shape=[5]}
  return %y
}
)"));
  const auto pick = [&](uint64_t i) {
    return message_of([&] { session.run({{"x", ramp(3)}, {"i", Tensor::of<uint64_t>({}, {i})}}, "pick"); },
                      Code::out_of_range);
  };
  EXPECT_EQ(pick(UINT64_MAX),
            "[take] index 9223372036854775807 or more is outside an axis of 3 elements (at pick: %y)");
  EXPECT_EQ(pick(7), "[take] index 7 is outside an axis of 3 elements (at pick: %y)");
  EXPECT_EQ(message_of([&] { session.run({{"x", ramp(4)}}, "five"); }, Code::type_mismatch),
            "[ensure_shape] x is [4], expected [5] (at five: %y)");
}

TEST_P(FailureTest, TheFirstOfTwoFailuresIsTheOneOfTheFirstNode) {
  constexpr const char* two = R"(
method f(%x: f32[2], %i: i64[], %j: i64[]) -> (a, b) {
  %a = take %x, %i
  %b = take %x, %j
  return %a, %b
}
)";
  Session session(compiled(two));
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 2})}, {"i", i64(5)}, {"j", i64(6)}}); }, Code::out_of_range),
            "[take] index 5 is outside an axis of 2 elements (at f: %a)");
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 2})}, {"i", i64(1)}, {"j", i64(6)}}); }, Code::out_of_range),
            "[take] index 6 is outside an axis of 2 elements (at f: %b)");
}

// Passes may drop what nobody reads, and its failure with it (passes/effects.h).
TEST_P(FailureTest, NobodyNeedsToReadWhatFails) {
  Session session(compiled(R"(
method f(%x: f32[2], %i: i64[]) -> (x) {
  %a = take %x, %i
  return %x
}
)",
                           {.optimize = false}));
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 2})}, {"i", i64(5)}}); }, Code::out_of_range),
            "[take] index 5 is outside an axis of 2 elements (at f: %a)");
}

TEST_P(FailureTest, LimitsOfBytesAndSteps) {
  constexpr const char* large = R"(
symbol S
state @calls : i64[] = zeros
method f(%x: f32[S]) -> (y) {
  %n = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@calls}
  %a = add %x, %x
  %y = add %a, %x
  return %y
}
)";
  Session session(compiled(large, {.limits = {.bytes = 10000}}));
  const auto run = [&](int64_t n) { return session.run({{"x", ramp(n)}})[0].tensor; };
  EXPECT_EQ(values<float>(run(2)), (Floats{3, 6}));
  EXPECT_NE(message_of([&] { run(2000); }, Code::limit).find("go beyond the limit of 10000"), std::string::npos);
  EXPECT_EQ(session.state("calls").as<int64_t>()[0], 1);
  EXPECT_EQ(values<float>(run(1)), Floats{3});
  Session slow(compiled(large, {.limits = {.steps = 500}}));
  EXPECT_NE(message_of([&] { slow.run({{"x", ramp(300)}}); }, Code::limit).find("the call takes more than 500 steps"),
            std::string::npos);
  slow.run({{"x", ramp(10)}});
  EXPECT_EQ(slow.state("calls").as<int64_t>()[0], 1);
}

TEST_P(FailureTest, DevicesAndModesThatDoNotExist) {
  CompileOptions options = on_target();
  options.device = "abacus";
  EXPECT_NE(message_of([&] { test::compiled(program, options); }, Code::not_found)
                .find("there is no device of " + options.engine + " 'abacus', expected "),
            std::string::npos);
  options = on_target();
  options.mode = "lasy";
  EXPECT_NE(message_of([&] { test::compiled(program, options); }, Code::not_found)
                .find("there is no mode of " + options.engine + " 'lasy', expected "),
            std::string::npos);
}

INGOT_ON_EVERY_TARGET(FailureTest);

}  // namespace
}  // namespace ingot::test
