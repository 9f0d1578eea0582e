// Fewer rows than a method declares: the same numbers in every mode, computed for those rows alone.
#include <gtest/gtest.h>

#include <limits>

#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* program = R"(
weight @w : f32[3, 2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
weight @place : f32[4, 2] = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
state @calls : i64[] = zeros
method layer(%x: f32[4, 3]) -> (y, calls) {
  %n = state_read {state=@calls}
  %one = size_of {size=1}
  %m = add %n, %one
  %calls = state_write %m {state=@calls}
  %product = matmul %x, @w
  %y = add %product, @place
  return %y, %calls
}
method mean(%x: f32[4, 3]) -> (y) {
  %y = reduce_mean %x {axes=[0]}
  return %y
}
)";

class ActiveExtentTest : public OnTarget {};

const float nan = std::numeric_limits<float>::quiet_NaN();

// Rows 1 2 3, 4 5 6, …; NaN in those that nobody may look at.
Tensor rows_of(int64_t rows, int64_t counted) {
  Floats elements;
  for (int64_t i = 0; i < rows * 3; ++i) elements.push_back(i < counted * 3 ? static_cast<float>(i + 1) : nan);
  return f32({rows, 3}, elements);
}

// By hand: x·w + place.
Floats layer(int64_t rows) {
  const Floats all = {22 + 10, 28 + 20, 49 + 30, 64 + 40, 76 + 50, 100 + 60, 103 + 70, 136 + 80};
  return {all.begin(), all.begin() + rows * 2};
}

TEST_P(ActiveExtentTest, ComputesTheFirstRows) {
  Session session(compiled(program));
  for (int64_t actual : {2, 0, 1, 3, 4, 2}) {
    session.set_active_extent(actual, 4);
    for (int64_t given : {actual, int64_t{4}}) {
      const auto outputs = session.run({{"x", rows_of(given, actual)}}, "layer");
      EXPECT_EQ(outputs[0].tensor.sizes(), (Sizes{actual, 2}));
      EXPECT_EQ(values<float>(outputs[0].tensor), layer(actual));
      EXPECT_EQ(values<float>(session.submit({{"x", rows_of(given, actual)}}, "layer").result()[0].tensor),
                layer(actual));
    }
  }
  EXPECT_EQ(calls(session), 24);
  EXPECT_EQ(session.fork().run({{"x", rows_of(4, 2)}}, "layer")[0].tensor.sizes(), (Sizes{2, 2}));
}

TEST_P(ActiveExtentTest, ComputesAllRowsWhereTheyMeet) {
  const Executable executable = compiled(program);
  EXPECT_EQ(executable.whole_extent_reason("layer", 4), "");
  EXPECT_NE(executable.whole_extent_reason("mean", 4).find("reduce_mean"), std::string::npos);
  Session session(executable);
  session.set_active_extent(2, 4);
  EXPECT_EQ(values<float>(session.run({{"x", rows_of(4, 4)}}, "mean")[0].tensor), (Floats{5.5, 6.5, 7.5}));
  EXPECT_NE(message_of([&] { session.run({{"x", rows_of(2, 2)}}, "mean"); }, Code::type_mismatch), "");
}

TEST_P(ActiveExtentTest, PreparedCallsAndParameters) {
  Executable executable = compiled(program);
  Session session(executable);
  session.set_active_extent(3, 4);
  PreparedCall call = session.prepare("layer");
  const Tensor x = rows_of(4, 3);
  call.bind_input(0, x);
  call();
  EXPECT_EQ(values<float>(call.output(0)), layer(3));
  const int64_t uploaded = executable.counters().uploaded_bytes;
  executable.set_param("place", f32({4, 2}, Floats(8, 0)));
  EXPECT_EQ(executable.counters().uploaded_bytes - uploaded, is_reference() ? 0 : 32);
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{22, 28, 49, 64, 76, 100}));
  session.set_active_extent(4, 4);
  EXPECT_EQ(values<float>(session.run({{"x", rows_of(4, 4)}}, "layer")[0].tensor),
            (Floats{22, 28, 49, 64, 76, 100, 103, 136}));
}

TEST_P(ActiveExtentTest, BoundInputsAreComputedWhole) {
  Session session(compiled(program));
  session.bind("x", rows_of(4, 4));
  session.set_active_extent(2, 4);
  EXPECT_EQ(values<float>(session.run({}, "layer")[0].tensor), layer(4));
  EXPECT_EQ(values<float>(session.run({{"x", rows_of(4, 2)}}, "layer")[0].tensor), layer(2));
}

TEST_P(ActiveExtentTest, RefusesExtentsThatDoNotExist) {
  Session session(compiled(program));
  EXPECT_EQ(message_of([&] { session.set_active_extent(1, 5); }, Code::invalid_argument), "no input has 5 rows");
  EXPECT_EQ(message_of([&] { session.set_active_extent(5, 4); }, Code::invalid_argument),
            "active extent is 5, expected 0 to 4");
  EXPECT_EQ(message_of([&] { session.set_active_extent(-1, 4); }, Code::invalid_argument),
            "active extent is -1, expected 0 to 4");
  session.set_active_extent(2, 4);
  EXPECT_EQ(message_of([&] { session.run({{"x", rows_of(3, 3)}}, "layer"); }, Code::type_mismatch),
            "[layer] number of rows of input x is 3, expected 2 or 4");
  EXPECT_EQ(calls(session), 0);
}

INGOT_ON_EVERY_TARGET(ActiveExtentTest);

}  // namespace
}  // namespace ingot::test
