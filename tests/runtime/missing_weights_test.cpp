// Weights that a program declares without contents, and weights that begin as zeros.
#include <gtest/gtest.h>

#include "program/io/safetensors.h"
#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

// forward reads @a itself, and @b and @c in the graphs that it runs; `squares` has something to hoist.
constexpr const char* unfilled = R"(
weight @a : f32[2]
weight @b : f32[2]
weight @c : f32[2]
weight @d : i64[]
weight @z : f32[2] = zeros
state @calls : i64[] = zeros
graph yes(%x: f32[2]) -> (y) {
  %y = add %x, @b
  return %y
}
graph no(%x: f32[2]) -> (y) {
  %y = add %x, @c
  return %y
}
method forward(%x: f32[2], %which: bool[]) -> (y) {
  %before = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %now = add %before, %one
  %after = state_write %now {state=@calls}
  %p = mul %x, @a
  %y = if %which, [%p] {on_true=@yes, on_false=@no}
  return %y
}
method squares(%x: f32[2]) -> (y) {
  %s = mul @a, @a
  %y = add %x, %s
  return %y
}
method zeros(%x: f32[2]) -> (y) {
  %y = add %x, @z
  return %y
}
method number() -> (d) {
  return @d
}
)";

class MissingWeightsTest : public OnTarget {
 protected:
  // The Error of a call of `forward` that needs these.
  static std::string refusal(int count, const std::string& weights) {
    return fmt::format(
        "[forward] number of weights without contents is {} ({}), expected 0 (fill them with set_param, "
        "load_params or --params)",
        count, weights);
  }
  static std::vector<NamedTensor> inputs(bool which = true) { return {{"x", f32({1, 2})}, {"which", boolean(which)}}; }
  static Floats run(Session& session, bool which) {
    return values<float>(session.run(inputs(which), "forward")[0].tensor);
  }
};

TEST_P(MissingWeightsTest, EveryKindOfCallNamesThemAllBeforeAnythingRuns) {
  Session session(compiled(unfilled));
  const std::string expected = refusal(3, "@a: f32[2], @b: f32[2], @c: f32[2]");
  const auto refused = [](auto call) { return message_of(call, Code::invalid_argument); };
  EXPECT_EQ(refused([&] { session.run(inputs(), "forward"); }), expected);
  EXPECT_EQ(refused([&] { session.submit(inputs(), "forward").result(); }), expected);
  EXPECT_EQ(refused([&] { session.warm({{2}, {}}, "forward"); }), expected);
  const std::vector<std::vector<NamedTensor>> batches{inputs(), inputs()};
  EXPECT_EQ(refused([&] { session.run_pipelined(batches, {.method = "forward"}); }), expected);
  PreparedCall call = session.prepare("forward");
  call.bind_input(0, f32({1, 2}));
  call.bind_input(1, boolean(true));
  EXPECT_EQ(refused([&] { call(); }), expected);
  EXPECT_EQ(calls(session), 0);

  Executable executable = session.executable();
  executable.set_params({{"a", f32({2, 3})}, {"b", f32({10, 20})}, {"c", f32({0, 0})}});
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{12, 26}));
  EXPECT_EQ(calls(session), 1);
}

TEST_P(MissingWeightsTest, EachThatIsSetIsNoLongerNamed) {
  Executable executable = compiled(unfilled);
  Session session(executable);
  const auto refused = [&] { return message_of([&] { run(session, true); }, Code::invalid_argument); };
  executable.set_param("b", f32({10, 20}));
  EXPECT_EQ(refused(), refusal(2, "@a: f32[2], @c: f32[2]"));
  executable.set_param("a", f32({2, 3}));
  EXPECT_EQ(refused(), refusal(1, "@c: f32[2]"));
  executable.set_param("c", f32({-1, -2}));
  EXPECT_EQ(run(session, true), (Floats{12, 26}));
  EXPECT_EQ(run(session, false), (Floats{1, 4}));
}

TEST_P(MissingWeightsTest, MethodsThatDoNotReadThemRun) {
  Session session(compiled(unfilled));
  EXPECT_EQ(values<float>(session.run({{"x", f32({1, 2})}}, "zeros")[0].tensor), (Floats{1, 2}));
}

TEST_P(MissingWeightsTest, AMethodMayReturnOne) {
  Executable executable = compiled(unfilled);
  Session session(executable);
  EXPECT_NE(message_of([&] { session.run({}, "number"); }, Code::invalid_argument).find("1 (@d: i64[])"),
            std::string::npos);
  executable.set_param("d", i64(7));
  EXPECT_EQ(session.run({}, "number")[0].tensor.as<int64_t>()[0], 7);
}

// mul @a, @a is computed once @a is there, and again for another @a.
TEST_P(MissingWeightsTest, WhatDependsOnThemIsComputedWhenTheyAreSet) {
  Executable executable = compiled(unfilled);
  Session session(executable);
  const auto squares = [&] { return values<float>(session.run({{"x", f32({1, 2})}}, "squares")[0].tensor); };
  EXPECT_NE(message_of(squares, Code::invalid_argument).find("1 (@a: f32[2])"), std::string::npos);
  executable.set_param("a", f32({2, 3}));
  EXPECT_EQ(squares(), (Floats{5, 11}));
  executable.set_param("a", f32({1, 0}));
  EXPECT_EQ(squares(), (Floats{2, 2}));
}

TEST_P(MissingWeightsTest, WhatACallNeedsIsKnownBefore) {
  const Executable executable = compiled(unfilled);
  EXPECT_EQ(executable.output_shapes("squares", {{2}}), (std::vector<Shape>{{2}}));
  EXPECT_GE(executable.memory_needed("squares", {{2}}), 3 * 8 + 8 + 8);  // the weights, @d and the state
}

TEST_P(MissingWeightsTest, CallsOfFewerRowsNeedThemToo) {
  Executable executable = compiled(R"(
weight @w : f32[3, 2]
weight @place : f32[4, 2]
method layer(%x: f32[4, 3]) -> (y) {
  %product = matmul %x, @w
  %y = add %product, @place
  return %y
}
)");
  Session session(executable);
  session.set_active_extent(1, 4);
  const std::vector<NamedTensor> inputs{{"x", f32({1, 3}, {1, 2, 3})}};
  const auto refused = [&] { return message_of([&] { session.run(inputs); }, Code::invalid_argument); };
  EXPECT_NE(refused().find("2 (@w: f32[3, 2], @place: f32[4, 2])"), std::string::npos);
  executable.set_param("w", f32({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_NE(refused().find("1 (@place: f32[4, 2])"), std::string::npos);
  executable.set_param("place", f32({4, 2}, {10, 20, 30, 40, 50, 60, 70, 80}));
  EXPECT_EQ(values<float>(session.run(inputs)[0].tensor), (Floats{32, 48}));
}

// Set before the extent was: what is compiled then takes them over.
TEST_P(MissingWeightsTest, CallsOfFewerRowsTakeOverWhatIsSet) {
  Executable executable = compiled(R"(
weight @w : f32[2]
weight @unused : f32[2]
method layer(%x: f32[4, 2]) -> (y) {
  %y = add %x, @w
  return %y
}
)");
  executable.set_param("w", f32({1, 2}));
  Session session(executable);
  session.set_active_extent(1, 4);
  EXPECT_EQ(values<float>(session.run({{"x", f32({1, 2}, {10, 20})}})[0].tensor), (Floats{11, 22}));
}

// ------------------------------------------------------------------------------------------------------------ refusals

TEST_P(MissingWeightsTest, SetParamRefusesOtherTypesAndNames) {
  Executable executable = compiled(unfilled);
  EXPECT_EQ(message_of([&] { executable.set_param("a", ramp(3)); }, Code::type_mismatch),
            "parameter a is f32[3], expected f32[2]");
  EXPECT_EQ(message_of([&] { executable.set_param("d", ramp(1)); }, Code::type_mismatch),
            "parameter d is f32[1], expected i64[]");
  EXPECT_EQ(message_of([&] { executable.set_param("aa", ramp(2)); }, Code::not_found),
            "there is no parameter aa, did you mean 'a'?");
}

TEST_P(MissingWeightsTest, SetParamsNamesEverythingThatIsWrongAndSetsNothing) {
  Executable executable = compiled(unfilled);
  const std::vector<NamedTensor> tensors{
      {"a", f32({2, 3})}, {"b", ramp(3)}, {"other", ramp(2)}, {"a", f32({2, 3})}, {"d", ramp(2)}};
  EXPECT_EQ(
      message_of([&] { executable.set_params(tensors); }, Code::type_mismatch),
      "parameter b is f32[3], expected f32[2]; there is no parameter other; parameter a is given twice; parameter "
      "d is f32[2], expected i64[]");
  Session session(executable);
  EXPECT_EQ(message_of([&] { run(session, true); }, Code::invalid_argument),
            refusal(3, "@a: f32[2], @b: f32[2], @c: f32[2]"));
}

// --------------------------------------------------------------------------------------------------------------- files

TEST_P(MissingWeightsTest, FilesFillThem) {
  const TemporaryFolder folder;
  const std::string first = (folder / "1.safetensors").string(), second = (folder / "2.safetensors").string();
  write_safetensors(first, std::vector<NamedTensor>{{"a", f32({2, 3})}, {"d", i64(1)}});
  write_safetensors(second, std::vector<NamedTensor>{{"b", f32({10, 20})}, {"c", f32({0, 0})}, {"z", f32({5, 5})}});
  Executable executable = compiled(unfilled);
  Session session(executable);
  executable.load_params({first, second});
  EXPECT_EQ(run(session, true), (Floats{12, 26}));
  EXPECT_EQ(values<float>(session.run({{"x", f32({1, 2})}}, "zeros")[0].tensor), (Floats{6, 7}));
  executable.load_params({first});  // the others have contents by now
}

TEST_P(MissingWeightsTest, FilesThatDoNotFitAreRefusedWithAllThatIsWrong) {
  const TemporaryFolder folder;
  const std::string file = (folder / "w.safetensors").string();
  Executable executable = compiled(unfilled);
  write_safetensors(file, std::vector<NamedTensor>{{"a", f32({2, 3})}});
  EXPECT_EQ(message_of([&] { executable.load_params({file}); }, Code::not_found),
            "there is no tensor for the parameters b: f32[2], c: f32[2], d: i64[]");
  write_safetensors(file, std::vector<NamedTensor>{{"a", i64(2)}, {"more", ramp(3)}, {"b", ramp(2)}, {"c", ramp(2)}});
  EXPECT_EQ(
      message_of([&] { executable.load_params({file}); }, Code::type_mismatch),
      "parameter a is i64[], expected f32[2]; there is no parameter more; there is no tensor for the parameter d: "
      "i64[]");
  const std::string none = (folder / "none.safetensors").string();
  EXPECT_EQ(message_of([&] { executable.load_params({none}); }, Code::not_found),
            none + ": cannot open " + none + ": No such file or directory");
}

// --------------------------------------------------------------------------------------------------------------- zeros

TEST_P(MissingWeightsTest, ZerosAreContents) {
  Executable executable = compiled(R"(
weight @z : f32[3] = zeros
weight @i : i4[3] = zeros
weight @q : packed<symmetric, bits=4, group=2, scale=f16>[1, 4] = zeros
state @s : f32[3] = @z
method f() -> (z, i, q, s) {
  %i = cast @i {dtype=i32}
  %q = dequantize @q {dtype=f32}
  %s = state_read {state=@s}
  return @z, %i, %q, %s
}
)");
  Session session(executable);
  const auto outputs = session.run({});
  EXPECT_EQ(values<float>(outputs[0].tensor), Floats(3, 0));
  EXPECT_EQ(values<int32_t>(outputs[1].tensor), std::vector<int32_t>(3, 0));
  EXPECT_EQ(values<float>(outputs[2].tensor), Floats(4, 0));
  EXPECT_EQ(values<float>(outputs[3].tensor), Floats(3, 0));
  executable.set_param("z", f32({1, 2, 3}));
  EXPECT_EQ(values<float>(session.run({})[0].tensor), (Floats{1, 2, 3}));
}

TEST_P(MissingWeightsTest, ZerosAreBoundedBeforeTheyAreAllocated) {
  const std::string text = R"(
weight @small : f32[4] = zeros
weight @huge : f32[1024, 1024, 1024] = zeros
method f() -> (y) {
  return @huge
}
)";
  CompileOptions small;
  small.limits.bytes = 1 << 20;
  EXPECT_EQ(
      message_of([&] { compiled(text, small); }, Code::limit),
      "zero weight @huge has 4294967296 bytes, expected at most 1048560 (what the zero weights before it leave of "
      "the limit of 1048576)");
}

// One that is declared costs nothing until it is given.
TEST_P(MissingWeightsTest, MissingOnesTakeNoMemory) {
  CompileOptions small;
  small.limits.bytes = 1 << 20;
  Session session(compiled("weight @w : f32[1024, 1024, 1024, 1024]\nmethod f() -> (w) {\n  return @w\n}\n", small));
  EXPECT_NE(message_of([&] { session.run({}); }, Code::invalid_argument).find("1 (@w: f32[1024, 1024, 1024, 1024])"),
            std::string::npos);
}

INGOT_ON_EVERY_TARGET(MissingWeightsTest);

}  // namespace
}  // namespace ingot::test
