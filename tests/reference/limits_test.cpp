// RunLimits: a call that would use more than it may is refused before it does, and leaves nothing behind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/error.h"
#include "tests/support/case.h"

namespace ingot {
namespace {

using test::Machine;
using test::tensor_of;
using test::Tensors;

// What the call says when it is refused for its limits; "" when it is not refused.
std::string refusal(Machine& machine, const Tensors& inputs, const RunLimits& limits = {}) {
  try {
    machine.call("main", inputs, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::limit);
    return error.what();
  }
  return {};
}

// One op: what it is given, and what comes out.
struct OneOp {
  std::string inputs, line;

  Machine machine(std::string_view declared = "") const {
    return Machine(
        fmt::format("ingot 1\n{}method main({}) -> (y) {{\n  %y = {}\n  return %y\n}}\n", declared, inputs, line));
  }
};

constexpr int64_t huge = int64_t{1} << 40;

// ------------------------------------------------------------------------------------------------------------- bytes

TEST(RunLimitsOfBytes, RefuseHugeResultsInsteadOfAllocating) {
  struct Row {
    OneOp op;
    Tensors inputs;
    std::string bytes;
  };
  const std::string n = std::to_string(huge), four_tib = std::to_string(4 * huge), eight_tib = std::to_string(8 * huge);
  const Tensor one = tensor_of("f32[1] = [1.0]"), key = tensor_of("u32[2] = [1, 2]"),
               flag = tensor_of("bool[1] = [true]");
  const Tensor column = tensor_of("f32[3, 1] = [1.0, 2.0, 3.0]"), none = tensor_of("f32[0] = []");
  const Row rows[] = {
      {{"", "full {shape=[" + n + "], value=1}"}, {}, four_tib},
      {{"", "iota {length=" + n + "}"}, {}, eight_tib},
      {{"%k: u32[2]", "random_uniform %k {shape=[1048576, 1048576]}"}, {{"k", key}}, four_tib},
      {{"%x: f32[1]", "broadcast %x {shape=[1048576, 1048576]}"}, {{"x", one}}, four_tib},
      {{"%x: f32[1]", "pad %x {before=[" + n + "], after=[0], mode=edge}"}, {{"x", one}}, std::to_string(4 * huge + 4)},
      {{"%x: f32[0]", "pad %x {before=[0], after=[" + n + "]}"}, {{"x", none}}, four_tib},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.op.line);
    Machine machine = row.op.machine();
    EXPECT_EQ(refusal(machine, row.inputs),
              fmt::format("[{}] {} bytes more than the 0 alive go beyond the limit of 68719476736 (at main: %y)",
                          row.op.line.substr(0, row.op.line.find(' ')), row.bytes));
  }
}

TEST(RunLimitsOfBytes, RefuseWhatTheSizesOfACallMakeHuge) {
  // Inputs without elements may have any size; what is made of them may have elements.
  const Tensor x(DType::f32, {0, huge}, Buffer{});
  for (const char* line : {"reduce_sum %x {axes=[0]}", "reduce_max %x {axes=[0], keepdims=true}",
                           "matmul %x, %x {transpose_a=true}", "pad %x {before=[1, 0], after=[0, 0]}"}) {
    Machine machine = OneOp{"%x: f32[S, T]", line}.machine("symbol S\nsymbol T\n");
    EXPECT_NE(refusal(machine, {{"x", x}}), "") << line;
  }
}

// The least number of bytes with which a call succeeds, by what is alive at one time.
TEST(RunLimitsOfBytes, CountWhatIsAlive) {
  struct Row {
    const char *inputs, *body;
    int64_t bytes;
  };
  const Row rows[] = {
      {"%x: f32[100]", "%y = neg %x", 400},
      {"%x: f32[100]", "%a = neg %x\n  %y = neg %a", 800},
      {"%x: f32[100]", "%a = neg %x\n  %b = neg %a\n  %c = neg %b\n  %y = neg %c", 800},  // each goes at its last use
      {"%x: f32[100]", "%a = neg %x\n  %b = neg %a\n  %y = add %a, %b", 1200},
      {"%x: f32[100]", "%y = reshape %x {shape=[10, 10]}", 0},  // the same bytes
      {"%x: f32[100]", "%a = neg %x\n  %b = reshape %a {shape=[4, 25]}\n  %y = neg %b", 800},
      {"%x: f32[100]", "%k = full {shape=[100], value=2, dtype=i8}\n  %y = add %x, %k", 100 + 400 + 400},  // converted
      {"%x: f32[100]", "%a = neg %x\n  %y = reduce_sum %a {axes=[0]}", 404},
      {"%x: f32[100]", "%i = iota {length=100}\n  %y = scatter_add %x, %i, %x", 800 + 400 + 800},  // sums in double
      {"%x: f32[100]", "%y, %i = sort %x", 400 + 800 + 800},
      // Two lists of positions, at 16 bytes each.
      {"%x: f32[100]", "%a = reshape %x {shape=[1, 1, 100]}\n  %y = pool_max %a {kernel=[100]}", 4 + 1600 + 1600},
  };
  const Tensor x = Tensor::of<float>({100}, std::vector<float>(100, 1.5F));
  for (const Row& row : rows) {
    SCOPED_TRACE(row.body);
    Machine machine(fmt::format("ingot 1\nmethod main({}) -> (y) {{\n  {}\n  return %y\n}}\n", row.inputs, row.body));
    EXPECT_EQ(refusal(machine, {{"x", x}}, {.bytes = row.bytes}), "");
    if (row.bytes == 0) continue;
    EXPECT_NE(refusal(machine, {{"x", x}}, {.bytes = row.bytes - 1}), "");
  }
}

// ------------------------------------------------------------------------------------------------------------- steps

// One for the node, one for each element of the result, and what the kernel adds up.
TEST(RunLimitsOfSteps, CountTheWork) {
  struct Row {
    OneOp op;
    uint64_t steps;
  };
  const Row rows[] = {
      {{"%x: f32[3, 4]", "exp %x"}, 1 + 12},
      {{"%x: f32[3, 4]", "reduce_sum %x {axes=[0, 1]}"}, 1 + 1 + 12},
      {{"%x: f32[3, 4]", "reduce_sum %x {axes=[0, 1], dtype=f64}"}, 1 + 12 + 1 + 12},  // converted first
      {{"%x: f32[3, 4]", "argmax %x"}, 1 + 3 + 12},
      {{"%x: f32[3, 4]", "softmax %x"}, 1 + 12 + 12},
      {{"%x: f32[3, 4]", "matmul %x, %x {transpose_b=true}"}, 1 + 9 + 9 * 4},
      {{"%x: f32[3, 4]", "broadcast %x {shape=[5, 3, 4]}"}, 1 + 60},
      {{"%x: f32[3, 4]", "nonzero %x {count=N}"}, 1 + 2 * 12 + 2 * 12},
      {{"%x: f32[3, 4]", "reshape %x {shape=[12]}"}, 1},
      {{"%x: f32[3, 4]", "concatenate [%x, %x, %x]"}, 1 + 3 + 36},
      {{"%x: f32[3, 4]", "tile %x {repeats=[2, 1]}"}, 1 + 24},
      {{"%x: f32[3, 4]", "triangle_lower %x"}, 1 + 12},
  };
  const Tensor x = Tensor::of<float>({3, 4}, std::vector<float>(12, 0.5F));
  for (const Row& row : rows) {
    SCOPED_TRACE(row.op.line);
    Machine machine = row.op.machine("symbol N\n");
    EXPECT_EQ(refusal(machine, {{"x", x}}, {.steps = row.steps}), "");
    EXPECT_EQ(refusal(machine, {{"x", x}}, {.steps = row.steps - 1}),
              fmt::format("[{}] the call takes more than {} steps (at main: %y)",
                          row.op.line.substr(0, row.op.line.find(' ')), row.steps - 1));
  }
}

TEST(RunLimitsOfSteps, StopAProductOfTensorsThatAreSmallThemselves) {
  const Tensor x = Tensor::allocate(DType::u8, {4096, 4096});
  Machine machine = OneOp{"%x: u8[4096, 4096]", "matmul %x, %x"}.machine();
  EXPECT_EQ(refusal(machine, {{"x", x}}, {.steps = 1'000'000'000}),
            "[matmul] the call takes more than 1000000000 steps (at main: %y)");
}

// Windows that lie in the padding of one axis still find elements along another.
TEST(RunLimitsOfSteps, StopASearchThatFindsNothing) {
  Machine machine = OneOp{"%x: u8[1, 1, 4096, 1]", "pool_max %x {kernel=[4096, 1], before=[0, 1000000]}"}.machine();
  EXPECT_EQ(refusal(machine, {{"x", Tensor::allocate(DType::u8, {1, 1, 4096, 1})}}, {.steps = 10'000'000}),
            "[pool_max] the call takes more than 10000000 steps (at main: %y)");
}

// What is not read is not looked for: each of these ends within the steps of its result.
TEST(RunLimitsOfSteps, AreFewWhereLittleIsRead) {
  struct Row {
    OneOp op;
    Tensors inputs;
  };
  const auto zeros = [](Sizes sizes) {
    Tensor x = Tensor::allocate(DType::f32, std::move(sizes));
    std::ranges::fill(x.mutable_bytes(), std::byte{});
    return x;
  };
  const Row rows[] = {
      {{"%x: f32[1, 1, 1000000], %w: f32[1, 1, 2]", "conv_transpose %x, %w {dilations=[500000]}"},
       {{"x", zeros({1, 1, 1000000})}, {"w", zeros({1, 1, 2})}}},
      {{"%x: f32[1, 1, 1, 1], %r: f32[1, 4], %b: i64[1]", "roi_align_avg %x, %r, %b"},
       {{"x", zeros({1, 1, 1, 1})},
        {"r", tensor_of("f32[1, 4] = [1e30, 0.0, 0.0, 1e30]")},
        {"b", tensor_of("i64[1] = [0]")}}},
      {{"%x: f32[1, 1, 100000, 1], %r: f32[1, 5]", "roi_pool %x, %r {height=1, width=100000}"},
       {{"x", zeros({1, 1, 100000, 1})}, {"r", tensor_of("f32[1, 5] = [0.0, 10.0, 0.0, 20.0, 99999.0]")}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.op.line);
    Machine machine = row.op.machine();
    EXPECT_EQ(refusal(machine, row.inputs, {.steps = 10'000'000}), "");
  }
}

// ---------------------------------------------------------------------------------------------------------- and after

TEST(RunLimitsOfBoth, LeaveStateAndInputsAsTheyWere) {
  Machine machine(R"(ingot 1
state @total : f32[2] = zeros
method main(%x: f32[2]) -> (y) {
  %old = state_read {state=@total}
  %new = add %old, %x
  %kept = state_write %new {state=@total}
  %y = broadcast %kept {shape=[1000, 2]}
  return %y
}
)");
  const Tensor x = tensor_of("f32[2] = [1.0, 2.0]");
  ASSERT_EQ(refusal(machine, {{"x", x}}), "");
  EXPECT_EQ(test::difference(machine.state("total"), x), "");
  for (const RunLimits& limits : {RunLimits{.bytes = 1000}, RunLimits{.steps = 100}}) {
    EXPECT_NE(refusal(machine, {{"x", x}}, limits), "");
    EXPECT_EQ(test::difference(machine.state("total"), x), "");
    EXPECT_EQ(test::difference(x, tensor_of("f32[2] = [1.0, 2.0]")), "");
  }
  ASSERT_EQ(refusal(machine, {{"x", x}}), "");
  EXPECT_EQ(test::difference(machine.state("total"), tensor_of("f32[2] = [2.0, 4.0]")), "");
}

// Nothing to compute is no work, however large the other sizes are.
TEST(RunLimitsOfBoth, TensorsWithoutElementsTakeNoTime) {
  const Tensor x(DType::f32, {huge, 0, 3}, Buffer{}), i(DType::i64, {huge, 0, 3}, Buffer{});
  const Tensor first = tensor_of("i64[2] = [0, 1]"), none(DType::i64, {huge, 0}, Buffer{});
  const Tensor mask = tensor_of("bool[3] = [true, false, true]"), at = tensor_of("i64[] = [0]");
  const Tensor one = tensor_of("f32[] = [1.0]");
  for (const char* line : {"exp %x",
                           "add %x, %x",
                           "lt %x, %x",
                           "cast %x {dtype=i8}",
                           "reduce_sum %x {axes=[0]}",
                           "softmax %x {axis=0}",
                           "softmax %x {axis=1}",
                           "argmax %x {axis=2}",
                           "matmul %x, %x {transpose_b=true}",
                           "reshape %x {shape=[0]}",
                           "transpose %x {perm=[2, 1, 0]}",
                           "broadcast %x {shape=[2, A, 0, 3]}",
                           "slice %x {axes=[2], starts=[1], stops=[2]}",
                           "concatenate [%x, %x]",
                           "concatenate [%x, %x] {axis=2}",
                           "pad %x {before=[0, 0, 1], after=[0, 0, 0]}",
                           "take %x, %first {axis=2}",
                           "gather %x, %i {axis=2}",
                           "scatter_add %x, %i, %x {axis=0}",
                           "nonzero %x {count=N}",
                           "tile %x {repeats=[2, A, 3]}",
                           "repeat %x {count=A, axis=1}",
                           "flip %x {axes=[0, 2]}",
                           "roll %x {shifts=[3, 1], axes=[0, 1]}",
                           "triangle_lower %x {k=A}",
                           "diagonal %x",
                           "diagonal %x {axis1=2, axis2=0}",
                           "as_strided %x {shape=[0, A], strides=[A, A]}",
                           "unfold %x {kernel=[3], before=[4], after=[5]}",
                           "fold %x {shape=[5], kernel=[3]}",
                           "dynamic_slice %x, [%at] {axes=[2], sizes=[1]}",
                           "dynamic_update %x, %x, [%at] {axes=[0], mode=drop}",
                           "gather_nd %x, %i {mode=drop}",
                           "gather_nd %x, %none {batch_dims=1}",
                           "index_get %x, [%first] {axes=[2]}",
                           "index_put_add %x, [%first], %one {axes=[2]}",
                           "one_hot %i {depth=5}",
                           "masked_scatter %x, %mask, %x",
                           "full {shape=[A, 0], value=1}"}) {
    SCOPED_TRACE(line);
    const char* inputs =
        "%x: f32[A, 0, 3], %i: i64[A, 0, 3], %first: i64[2], %none: i64[A, 0], %mask: bool[3], %at: i64[], %one: f32[]";
    Machine machine = OneOp{inputs, line}.machine("symbol A in 1..2000000000000\nsymbol N\n");
    const Tensors given = {{"x", x},       {"i", i},   {"first", first}, {"none", none},
                           {"mask", mask}, {"at", at}, {"one", one}};
    EXPECT_EQ(refusal(machine, given, {.bytes = 1000, .steps = 1000}), "");
  }
  Machine machine = OneOp{"%x: f32[A, 0, 4], %scores: f32[A, 3, 0]", "nms %x, %scores {max_output=2, count=N}"}.machine(
      "symbol A\nsymbol N\n");
  const Tensors given = {{"x", Tensor(DType::f32, {huge, 0, 4}, Buffer{})},
                         {"scores", Tensor(DType::f32, {huge, 3, 0}, Buffer{})}};
  EXPECT_EQ(refusal(machine, given, {.bytes = 1000, .steps = 1000}), "");
}

TEST(RunLimitsOfBoth, IndicesThatStretchBeyondEverySize) {
  Machine machine = OneOp{"%x: f32[2, 2], %i: i64[0, A, 1], %j: i64[0, 1, A], %v: f32[]",
                          "index_put_set %x, [%i, %j], %v {axes=[0, 1]}"}
                        .machine("symbol A\n");
  const Tensors given = {{"x", tensor_of("f32[2, 2] = [1.0, 2.0, 3.0, 4.0]")},
                         {"i", Tensor(DType::i64, {0, huge, 1}, Buffer{})},
                         {"j", Tensor(DType::i64, {0, 1, huge}, Buffer{})},
                         {"v", tensor_of("f32[] = [1.0]")}};
  EXPECT_NE(refusal(machine, given), "");
}

}  // namespace
}  // namespace ingot
