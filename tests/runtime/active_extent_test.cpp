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

// As exporters write a layer: products on [B·S, D], attention on [B, heads, S, D / heads].
constexpr const char* transformer = R"(
method layer(%x: f32[4, 3, 8], %w: f32[8, 24], %bias: f32[24], %out: f32[8, 8], %scale: f32[8]) -> (y, merged) {
  %rows = reshape %x {shape=[12, 8]}
  %product = matmul %rows, %w
  %biased = add %product, %bias
  %split = reshape %biased {shape=[4, 3, 3, 2, 4]}
  %heads = transpose %split {perm=[2, 0, 3, 1, 4]}
  %q0 = slice %heads {axes=[0], starts=[0], stops=[1]}
  %k0 = slice %heads {axes=[0], starts=[1], stops=[2]}
  %v0 = slice %heads {axes=[0], starts=[2], stops=[3]}
  %q = reshape %q0 {shape=[4, 2, 3, 4]}
  %k = reshape %k0 {shape=[4, 2, 3, 4]}
  %v = reshape %v0 {shape=[4, 2, 3, 4]}
  %scores = matmul %q, %k {transpose_b=true}
  %weights = softmax %scores
  %seen = matmul %weights, %v
  %back = transpose %seen {perm=[0, 2, 1, 3]}
  %joined = reshape %back {shape=[12, 8]}
  %merged = matmul %joined, %out
  %parted = reshape %merged {shape=[4, 3, 8]}
  %sum = add %x, %parted
  %y = layer_norm %sum, %scale
  return %y, %merged
}
)";

// Numbers from -1 to 1; NaN in those that nobody may look at.
Tensor numbers(Sizes sizes, int64_t counted) {
  Tensor tensor = Tensor::allocate(DType::f32, std::move(sizes));
  Floats elements;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    elements.push_back(i < counted ? static_cast<float>(i * 37 % 41) / 20 - 1 : nan);
  }
  return f32(tensor.sizes(), elements);
}

// The first ones of a call with all rows, but for rounding.
void expect_first(const Tensor& all, const Tensor& few, const Sizes& sizes) {
  EXPECT_EQ(few.sizes(), sizes);
  const Floats expected = values<float>(all), found = values<float>(few);
  ASSERT_LE(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST_P(ActiveExtentTest, RowsThatAreMergedWithWhatIsBehindThem) {
  const Executable executable = compiled(transformer);
  EXPECT_EQ(executable.whole_extent_reason("layer", 4), "");
  Session session(executable);
  const std::vector<Tensor> others = {numbers({8, 24}, 192), numbers({24}, 24), numbers({8, 8}, 64), numbers({8}, 8)};
  const auto inputs = [&](const Tensor& x) {
    return std::vector<NamedTensor>{
        {"x", x}, {"w", others[0]}, {"bias", others[1]}, {"out", others[2]}, {"scale", others[3]}};
  };
  const auto all = session.run(inputs(numbers({4, 3, 8}, 96)), "layer");
  for (int64_t actual = 0; actual <= 4; ++actual) {
    SCOPED_TRACE(actual);
    session.set_active_extent(actual, 4);
    const Tensor x = numbers({4, 3, 8}, actual * 24);
    const auto few = session.run(inputs(x), "layer");
    expect_first(all[0].tensor, few[0].tensor, {actual, 3, 8});
    expect_first(all[1].tensor, few[1].tensor, {actual * 3, 8});
    PreparedCall call = session.prepare("layer");
    call.bind_input(0, x);
    for (size_t i = 0; i < others.size(); ++i) call.bind_input(i + 1, others[i]);
    call();
    expect_first(all[1].tensor, call.output(1), {actual * 3, 8});
  }
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
  EXPECT_EQ(message_of([&] { session.warm({{3, 3}}, "layer"); }, Code::type_mismatch),
            "[layer] number of rows of input x is 3, expected 2 or 4");
  for (const std::vector<Sizes>& sizes : {std::vector<Sizes>{{2, 3}, {2, 3}}, {{2}}, {{}}}) {
    EXPECT_THROW(session.warm(sizes, "layer"), Error);
  }
  EXPECT_EQ(calls(session), 0);
}

TEST_P(ActiveExtentTest, IsWarmedWithEitherNumberOfRows) {
  for (const int64_t rows : {2, 4}) {
    Session session(compiled(program));
    session.set_active_extent(2, 4);
    session.warm({{rows, 3}}, "layer");
    const int64_t before = session.executable().counters().traced;
    EXPECT_EQ(values<float>(session.run({{"x", rows_of(4, 2)}}, "layer")[0].tensor), layer(2));
    EXPECT_EQ(session.executable().counters().traced, before);
  }
}

INGOT_ON_EVERY_TARGET(ActiveExtentTest);

}  // namespace
}  // namespace ingot::test
