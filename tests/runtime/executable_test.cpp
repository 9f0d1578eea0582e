// compile and Executable: engines, methods, and what is refused before a session exists.
#include "runtime/executable.h"

#include <gtest/gtest.h>

#include "program/builder.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* identity = R"(
method forward(%x: f32[2]) -> (x) {
  return %x
}
)";

constexpr const char* two_methods = R"(
method prefill(%x: f32[2]) -> (x) {
  return %x
}
method decode(%x: f32[2]) -> (x) {
  return %x
}
)";

TEST(Executable, KeepsProgramEngineAndLimits) {
  const Executable executable = compiled(identity, {.engine = "reference", .limits = {.bytes = 1000, .steps = 77}});
  EXPECT_EQ(executable.engine(), "reference");
  EXPECT_EQ(executable.limits().bytes, 1000);
  EXPECT_EQ(executable.limits().steps, 77u);
  EXPECT_EQ(executable.program().method_names(), std::vector<std::string>{"forward"});
  const Executable copy = executable;
  EXPECT_EQ(&copy.program(), &executable.program());
}

TEST(Executable, FindsMethods) {
  const Executable one = compiled(identity), two = compiled(two_methods);
  EXPECT_EQ(one.method("").name, "forward");
  EXPECT_EQ(one.method("forward").name, "forward");
  EXPECT_EQ(two.method("decode").name, "decode");
  EXPECT_EQ(message_of([&] { two.method(""); }, Code::invalid_argument),
            "the method is not named, expected one of prefill, decode");
  EXPECT_EQ(message_of([&] { two.method("decod"); }, Code::not_found),
            "there is no method 'decod', expected one of prefill, decode, did you mean 'decode'?");
  EXPECT_EQ(message_of([&] { one.method("encode"); }, Code::not_found),
            "there is no method 'encode', expected one of forward");
}

TEST(Executable, GraphsThatAreNotExportedAreNoMethods) {
  const Executable executable = compiled(R"(
graph helper(%x: f32[2]) -> (x) {
  return %x
}
)");
  EXPECT_EQ(message_of([&] { executable.method(""); }, Code::not_found), "the program has no method");
  EXPECT_EQ(message_of([&] { executable.method("helper"); }, Code::not_found), "the program has no method");
}

TEST(Compile, RefusesEnginesThatDoNotExist) {
  const std::string expected = engines().size() == 1 ? "expected reference" : "expected mlx or reference";
  EXPECT_EQ(message_of([] { compiled(identity, {.engine = "referense"}); }, Code::not_found),
            "there is no engine 'referense', " + expected + ", did you mean 'reference'?");
  EXPECT_EQ(message_of([] { compiled(identity, {.engine = "cuda"}); }, Code::not_found),
            "there is no engine 'cuda', " + expected);
}

TEST(Compile, VerifiesAProgramThatWasChangedByHand) {
  Program program = compiled(identity).program();
  program.graphs[0].outputs[0].value = Ref{9};
  EXPECT_EQ(message_of([&] { compile(program); }, Code::out_of_range),
            "output 'x' is 9, expected an id below 1 (at forward)");
}

TEST(Compile, RefusesCustomOpsByNameAndPlace) {
  ProgramBuilder builder;
  GraphBuilder& graph = builder.method("forward");
  const Var x = graph.input("x", DType::f32, {4});
  const Var y = graph.custom("acme.blur", {x.type()}, {.operands = {x}})[0].named("y");
  graph.output("y", y);
  const Program program = builder.build();
  EXPECT_EQ(message_of([&] { compile(program); }, Code::unsupported),
            "[custom] the host has registered no op 'acme.blur' (at forward: %y)");
}

TEST(Compile, BoundsTheStateOfASession) {
  constexpr const char* program = R"(
weight @w : f32[4] = [1.0, 2.0, 3.0, 4.0]
state @a : f32[4] = @w
state @b : u8[10] = zeros
method forward() -> (b) {
  %b = state_read {state=@b}
  return %b
}
)";
  compiled(program, {.limits = {.bytes = 26}});
  EXPECT_EQ(message_of([&] { compiled(program, {.limits = {.bytes = 25}}); }, Code::limit),
            "state @b has 10 bytes, expected at most 9 (what the states before it leave of the limit of 25)");
  EXPECT_EQ(message_of([&] { compiled(program, {.limits = {.bytes = 0}}); }, Code::limit),
            "state @a has 16 bytes, expected at most 0 (what the states before it leave of the limit of 0)");
}

}  // namespace
}  // namespace ingot::test
