// RunLimits::recorded: a lazy graph that grows beyond it is refused, before memory is short; loops give it to the device as
// they go.
#include <gtest/gtest.h>

#include <string>

#include "runtime/cost.h"
#include "tests/runtime/support.h"
#include "tests/support/narrow.h"

namespace ingot::test {
namespace {

// Each graph calls the one before it twice: 2^60 nodes run.
std::string doubled_calls() {
  std::string text = "graph g0(%x: f32[1]) -> (y) {\n  %y = neg %x\n  return %y\n}\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string callee = std::to_string(i - 1);
    text += "graph g" + std::to_string(i) + "(%x: f32[1]) -> (y) {\n  %h = call [%x] {graph=@g" + callee +
            "}\n  %y = call [%h] {graph=@g" + callee + "}\n  return %y\n}\n";
  }
  return text +
         "method f(%x: f32[1]) -> (y) {\n  %y = call [%x] {graph=@g60}\n  return %y\n}\n"
         "method one(%x: f32[1]) -> (y) {\n  %y = neg %x\n  return %y\n}\n";
}

// Loops of N trips, none of whose results the condition depends on.
constexpr const char* loops = R"(
symbol N in 1..
state @sum : f32[4] = zeros
graph more(%i: i64[], %x: f32[4], %n: i64[]) -> (c) {
  %c = lt %i, %n
  return %c
}
graph next(%i: i64[], %x: f32[4], %n: i64[]) -> (i, x) {
  %one = full {shape=[], value=1, dtype=i64}
  %j = add %i, %one
  %a = neg %x
  %b = neg %a
  %c = neg %b
  %d = neg %c
  %y = add %d, %x
  %z = sub %y, %x
  return %j, %z
}
graph body(%carry: f32[4], %i: i64[]) -> (carry, y) {
  %s = state_read {state=@sum}
  %a = take %carry, %i {axis=0}
  %b = neg %a
  %c = neg %b
  %t = add %s, %c
  %u = state_write %t {state=@sum}
  return %carry, %c
}
method while(%n: i64[], %x: f32[4]) -> (i, y) {
  %zero = full {shape=[], value=0, dtype=i64}
  %i, %y = while [%zero, %x], [%n] {condition=@more, body=@next}
  return %i, %y
}
method scan(%x: f32[4], %at: i64[N]) -> (carry, ys, sum) {
  %carry, %ys = scan [%x], [%at], [] {body=@body, length=N}
  %sum = state_read {state=@sum}
  return %carry, %ys, %sum
}
)";

class RecordedTest : public OnTarget {
 protected:
  // Whether operations wait for one another in a lazy graph.
  static bool records() { return !is_reference() && GetParam() != "mlx:eager"; }
  static CompileOptions within(RunLimits limits) { return {.limits = limits}; }
  static Tensor zeros(const Sizes& sizes) { return f32(sizes, Floats(static_cast<size_t>(element_count(sizes)), 0)); }
  static std::string refusal(Session& session, std::vector<NamedTensor> inputs, std::string_view method) {
    return message_of([&] { session.run(std::move(inputs), method); }, Code::limit);
  }
};

TEST_P(RecordedTest, GraphsThatGrowWithCallsAreRefused) {
  if (!records()) GTEST_SKIP() << "computes each node as it comes";
  const Tensor x = f32({1});
  Session few(compiled(doubled_calls(), within({.recorded = 100})));
  EXPECT_EQ(refusal(few, {{"x", x}}, "f"),
            "[neg] the call records 101 operations before the device computes them, expected at most 100 (at g0: %y)");
  Session small(compiled(doubled_calls(), within({.bytes = 1'000'000})));
  EXPECT_EQ(refusal(small, {{"x", x}}, "f"),
            "[neg] the call records 16385 operations before the device computes them, expected at most 16384 (at g0: "
            "%y)");
  EXPECT_EQ(values<float>(small.run({{"x", x}}, "one")[0].tensor), Floats{-1});
}

TEST_P(RecordedTest, MemoryEndsWithAnError) {
  if (!records()) GTEST_SKIP() << "computes each node as it comes";
  if (is_sanitized) GTEST_SKIP() << "sanitizers take address space as well";
  const Tensor x = f32({1});
  Session session(compiled(doubled_calls()));
  session.run({{"x", x}}, "one");
  {
    const Narrow narrow(int64_t{100} << 20);
    const std::string error = refusal(session, {{"x", x}}, "f");
    EXPECT_NE(error.find("the system does not have"), std::string::npos) << error;
    EXPECT_NE(error.find("(at g0: %y)"), std::string::npos) << error;
  }
  EXPECT_EQ(values<float>(session.run({{"x", x}}, "one")[0].tensor), Floats{-1});
}

TEST_P(RecordedTest, CostsOfCallsAreToldWithoutThem) {
  const Executable executable = compiled(doubled_calls(), within({.recorded = 100}));
  const GraphCost cost = executable.cost("f", {{1}});
  EXPECT_EQ(*cost.total.flops, 0x1p60);
  EXPECT_LT(*cost.peak_bytes, 10'000);
}

TEST_P(RecordedTest, LoopsOfManyTripsAreNotGraphsOfManyOperations) {
  constexpr int64_t trips = 1000;
  Session session(compiled(loops, within({.recorded = 500})));
  const auto after = session.run({{"n", i64(trips)}, {"x", f32({1, 2, 3, 4})}}, "while");
  EXPECT_EQ(after[0].tensor.as<int64_t>()[0], trips);
  EXPECT_EQ(values<float>(after[1].tensor), (Floats{1, 2, 3, 4}));

  Session scans(compiled(loops, within({.recorded = 10'000})));
  std::vector<int64_t> at(trips, 1);
  const auto scanned = scans.run({{"x", f32({1, 2, 3, 4})}, {"at", Tensor::of<int64_t>({trips}, at)}}, "scan");
  EXPECT_EQ(values<float>(scanned[2].tensor), Floats(4, 2 * trips));
  at.back() = 4;
  EXPECT_EQ(message_of([&] { scans.run({{"x", f32({1, 2, 3, 4})}, {"at", Tensor::of<int64_t>({trips}, at)}}, "scan"); },
                       Code::out_of_range),
            "[take] index 4 is outside an axis of 4 elements (at body: %a)");
}

TEST_P(RecordedTest, SlicesWithoutElementsCount) {
  if (is_reference()) GTEST_SKIP() << "writes slices where they belong";
  constexpr const char* empty = R"(
graph body(%c: f32[1]) -> (c, y) {
  %d = neg %c
  %y = full {shape=[0], value=1.0, dtype=f32}
  return %d, %y
}
method f(%x: f32[1]) -> (c, ys) {
  %c, %ys = scan [%x], [], [] {body=@body, length=1000000000000}
  return %c, %ys
}
)";
  const Narrow narrow(int64_t{512} << 20);
  Session session(compiled(empty, within({.bytes = 1'000'000})));
  EXPECT_EQ(refusal(session, {{"x", f32({1})}}, "f"),
            "[scan] 512000000000000 bytes of working space do not fit into memory (at f: %c)");
}

// What a loop has alive while it runs counts once, and slices from the start.
TEST_P(RecordedTest, ScansFitIntoWhatTheyNeed) {
  constexpr const char* scan = R"(
graph body(%c: f32[1], %x: f32[1]) -> (c, y) {
  %wide = broadcast %x {shape=[50000]}
  %s = sin %wide
  %d = reduce_sum %s {axes=[0], keepdims=true}
  return %d, %wide
}
method f(%x: f32[300, 1]) -> (c, y) {
  %zero = full {shape=[1], value=0.0, dtype=f32}
  %c, %ys = scan [%zero], [%x], [] {body=@body, length=300}
  %y = reduce_sum %ys {axes=[1]}
  return %c, %y
}
)";
  const int64_t needed = compiled(scan).memory_needed("f", {{300, 1}});
  Session enough(compiled(scan, within({.bytes = needed})));
  if (!is_reference()) {
    EXPECT_NO_THROW(enough.run({{"x", zeros({300, 1})}}, "f"));
  }
  Session small(compiled(scan, within({.bytes = 50'000'000})));  // the slices have 60 MB
  EXPECT_NE(refusal(small, {{"x", zeros({300, 1})}}, "f").find("[scan] "), std::string::npos);
}

TEST_P(RecordedTest, OpsThatUnrollAreRefusedBeforeTheyDo) {
  if (is_reference()) GTEST_SKIP() << "records nothing";
  struct Row {
    const char* method;
    std::vector<NamedTensor> inputs;
    const char* refusal;
  };
  const Row rows[] = {
      {"method f(%x: f32[400, 1, 1], %w: f32[1, 4, 1], %r: f32[1, 4, 1]) -> (y) {\n"
       "  %y, %h, %c = lstm %x, %w, %r\n  return %y\n}\n",
       {{"x", zeros({400, 1, 1})}, {"w", zeros({1, 4, 1})}, {"r", zeros({1, 4, 1})}},
       "[lstm] the call records 19200 operations before the device computes them, expected at most 16384 (at f: %y)"},
      {"method f(%x: f32[1, 1, 4, 4], %r: f32[1, 5]) -> (y) {\n  %y = roi_pool %x, %r {height=20000, width=2}\n"
       "  return %y\n}\n",
       {{"x", zeros({1, 1, 4, 4})}, {"r", zeros({1, 5})}},
       "[roi_pool] the call records 240000 operations before the device computes them, expected at most 16384 (at f: "
       "%y)"},
  };
  for (const Row& row : rows) {
    Session session(compiled(row.method, within({.bytes = 1'000'000})));
    EXPECT_EQ(refusal(session, row.inputs, "f"), row.refusal);
  }
}

INGOT_ON_EVERY_TARGET(RecordedTest);

}  // namespace
}  // namespace ingot::test
