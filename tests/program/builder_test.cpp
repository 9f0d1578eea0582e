// The builder: what reads well, what it infers, and where a mistake is reported.
#include "program/builder.h"

#include <gtest/gtest.h>

#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using test::refusal;

Tensor floats(Sizes sizes) {
  return Tensor::of(sizes, std::vector<float>(static_cast<size_t>(element_count(std::span<const int64_t>(sizes)))));
}

const Node& node_of(const Graph& graph, Ref value) { return graph.nodes[graph.values[value.id].index]; }

// ------------------------------------------------------------------------------------------------------------ programs

// The example of builder.h, but for the sizes.
TEST(Builder, BuildsAProgram) {
  ProgramBuilder p;
  const Symbol s = p.symbol("S", 1, 512);
  GraphBuilder& f = p.method("forward");
  const Var x = f.input("x", DType::f32, {s, 4});
  const Var y = f.rms_norm(f.matmul(x, f.weight(p.weight("w", floats({4, 3})))), {.eps = 1e-6});
  f.output("y", y * 2.0);
  const Program program = p.build();

  ASSERT_EQ(program.method_names(), std::vector<std::string>{"forward"});
  const Graph& graph = *program.method("forward");
  EXPECT_EQ(graph.nodes.size(), 4U);  // matmul, rms_norm, the 2.0, mul
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.outputs[0].name, "y");
  EXPECT_EQ(to_string(graph.type(graph.outputs[0].value)), "f32[S, 3]");
  EXPECT_EQ(program.weights[0].hash, content_hash(*program.weights[0].tensor));
  EXPECT_EQ(program.method("nothing"), nullptr);
}

TEST(Builder, WeightsWithoutStoredContents) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var w = f.weight(p.declare_weight("w", {DType::f16, {2, 3}, {}}));
  const Var z = f.weight(p.zero_weight("z", {DType::i4, {3}, {}}));
  EXPECT_EQ(to_string(w.type()), "f16[2, 3]");
  EXPECT_EQ(to_string(z.type()), "i4[3]");
  EXPECT_EQ(refusal([&] { p.declare_weight("w", {DType::f32, {}, {}}); }),
            "invalid argument: the name of a weight is 'w', which is taken, expected a new name");
  const Program program = p.build();
  EXPECT_EQ(program.weights[0].contents(), WeightContents::none);
  EXPECT_EQ(contents_of(program.weights[0]), std::nullopt);
  EXPECT_EQ(program.weights[1].contents(), WeightContents::zeros);
  EXPECT_EQ(contents_of(program.weights[1])->bytes().size(), 2U);
}

TEST(Builder, IsEmptyAfterBuild) {
  ProgramBuilder p;
  p.symbol("S");
  p.weight("w", floats({2}));
  p.state("s", {DType::f32, {2}, {}});
  p.method("f");
  p.build();
  EXPECT_TRUE(p.program().graphs.empty() && p.program().symbols.empty() && p.program().weights.empty());
  // Every name is free again.
  p.symbol("S");
  p.weight("w", floats({2}));
  p.state("s", {DType::f32, {2}, {}});
  p.method("f");
  EXPECT_NO_THROW(p.build());
}

TEST(Builder, AFailedBuildLosesNothing) {
  ProgramBuilder p;
  p.symbol("S");
  GraphBuilder& f = p.method("f");
  f.input("x", DType::f32, {Symbol("S")});
  EXPECT_EQ(refusal([&] { p.build({.nodes = 0, .values = 0}); }),
            "limit: the number of values is 1, expected at most 0");
  EXPECT_EQ(p.build().graphs.size(), 1U);
}

TEST(Builder, VarsKnowTheirTypes) {
  ProgramBuilder p;
  const Symbol s = p.symbol("S");
  const Var x = p.method("f").input("x", DType::i8, {2, s});
  EXPECT_EQ(x.dtype(), DType::i8);
  EXPECT_EQ(to_string(x.shape()), "[2, S]");
  EXPECT_EQ(x.dim(-1), Dim(s));
  EXPECT_EQ(x.dim(0), Dim(2));
  EXPECT_EQ(refusal([&] { x.dim(2); }), "out of range: axis is 2, expected -2..1");
  EXPECT_EQ(refusal([&] { x.dim(-3); }), "out of range: axis is -3, expected -2..1");
}

// ----------------------------------------------------------------------------------------------------------- operators

TEST(Builder, NumbersTakeTheDtypeBesideThem) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f16, {2}), i = f.input("i", DType::u8, {2}), c = f.input("c", DType::c64, {2});
  for (const Var& y : {x + 1, x - 1.5, x * 2U, x / 2.0F, 1 + x, 1.5 - x, 2 * x, 1 / x, -x}) {
    EXPECT_EQ(to_string(y.type()), "f16[2]");
  }
  EXPECT_EQ(to_string((i * 255).type()), "u8[2]");
  EXPECT_EQ(to_string((c + 1).type()), "c64[2]");
  // 2 beside a real is 2.0, and the operands keep their sides.
  const Var y = 2 - x;
  const auto& sub = *node_of(f.graph(), y.ref()).op.get_if<op::Binary>();
  EXPECT_EQ(sub.fn, BinaryFn::sub);
  EXPECT_EQ(sub.b, x.ref());
  EXPECT_EQ(node_of(f.graph(), sub.a).op.get_if<op::Full>()->value, Scalar(2.0));
}

TEST(Builder, NumbersMustFit) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var i = f.input("i", DType::u8, {2}), flag = f.input("flag", DType::bool_, {2});
  EXPECT_EQ(refusal([&] { i + 256; }), "out of range: [full] value is 256, expected an integer in 0..255 for u8");
  EXPECT_EQ(refusal([&] { i * 0.5; }), "out of range: [full] value is 0.5, expected an integer in 0..255 for u8");
  EXPECT_EQ(refusal([&] { -1 + i; }), "out of range: [full] value is -1, expected an integer in 0..255 for u8");
  EXPECT_EQ(refusal([&] { flag + 2; }), "out of range: [full] value is 2, expected an integer in 0..1 for bool");
  EXPECT_TRUE(f.graph().nodes.empty());
}

// ------------------------------------------------------------------------------------------------------------ mistakes

TEST(Builder, AMistakeThrowsAtItsCallAndLeavesNoTrace) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {2, 3});
  EXPECT_EQ(refusal([&] { f.matmul(x, x); }),
            "type mismatch: [matmul] number of rows of b is 2, expected 3 (columns of a)");
  EXPECT_EQ(refusal([&] { f.input("x", DType::f32, {}); }),
            "invalid argument: the name of a value is 'x', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { f.input("", DType::f32, {}); }),
            "invalid argument: the name of a value is empty, expected a new name");
  EXPECT_EQ(refusal([&] { f.weight(WeightId{0}); }), "out of range: weight id is 0, expected an id below 0");
  EXPECT_EQ(refusal([&] { f.state_read(StateId{2}); }),
            "out of range: [state_read] state is state 2, expected a state with an id below 0");
  EXPECT_EQ(refusal([&] { f.add(op::Unary{UnaryFn::exp, Ref{7}}); }),
            "out of range: [exp] x is value 7, expected a value with an id below 1");
  EXPECT_EQ(refusal([&] { f.call(f.id()); }),
            "out of range: [call] graph is graph 0, expected a graph with an id below 0");
  EXPECT_EQ(f.graph().values.size(), 1U);
  EXPECT_TRUE(f.graph().nodes.empty());
  f.output("y", x);
  EXPECT_EQ(refusal([&] { f.output("y", x); }),
            "invalid argument: the name of an output is 'y', which is taken, expected a new name");
  EXPECT_EQ(f.graph().outputs.size(), 1U);
  EXPECT_NO_THROW(p.build());
}

TEST(Builder, NamesAreUniqueByKind) {
  ProgramBuilder p;
  p.symbol("n");
  p.weight("n", floats({2}));
  p.state("n", {DType::f32, {2}, {}});
  p.method("n");
  EXPECT_EQ(refusal([&] { p.symbol("n"); }),
            "invalid argument: the name of a symbol is 'n', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { p.weight("n", floats({2})); }),
            "invalid argument: the name of a weight is 'n', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { p.state("n", {}); }),
            "invalid argument: the name of a state is 'n', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { p.graph("n"); }),
            "invalid argument: the name of a graph is 'n', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { p.method(""); }), "invalid argument: the name of a graph is empty, expected a new name");
  EXPECT_EQ(refusal([&] { p.symbol_id("m"); }), "not found: symbol 'm' is not declared");
  EXPECT_EQ(p.symbol_id("n").id, 0U);
  EXPECT_NO_THROW(p.build());
}

TEST(Builder, ValuesOfAnotherGraphAreRefused) {
  ProgramBuilder p;
  GraphBuilder &f = p.graph("f"), &g = p.method("g");
  const Var x = f.input("x", DType::f32, {}), y = g.input("y", DType::f32, {});
  const std::string expected =
      "invalid argument: operand is a value of graph 'f', expected a value of graph 'g' (captures are passed "
      "explicitly)";
  EXPECT_EQ(refusal([&] { g.exp(x); }), expected);
  EXPECT_EQ(refusal([&] { y + x; }), expected);
  EXPECT_EQ(refusal([&] { g.concatenate({y, x}); }), expected);
  EXPECT_EQ(refusal([&] { g.rms_norm(y, {.weight = x}); }), expected);
  EXPECT_EQ(refusal([&] { g.output("x", x); }), expected);
}

TEST(Builder, AGraphThatWasCalledKeepsItsInterface) {
  ProgramBuilder p;
  GraphBuilder& body = p.graph("body");
  const Var x = body.input("x", DType::f32, {});
  body.output("y", x + 1);
  GraphBuilder& f = p.method("f");
  f.output("y", f.call(body.id(), {.operands = {f.input("x", DType::f32, {})}})[0]);
  const std::string expected = "invalid argument: graph 'body' has been called, so its inputs and outputs are fixed";
  EXPECT_EQ(refusal([&] { body.input("z", DType::f32, {}); }), expected);
  EXPECT_EQ(refusal([&] { body.output("z", x); }), expected);
  EXPECT_NO_THROW(p.build());
}

// What needs the whole program is found by build.
TEST(Builder, BuildVerifies) {
  ProgramBuilder p;
  p.method("f").input("x", DType::f32, {Symbol("S")});
  EXPECT_EQ(refusal([&] { p.build(); }),
            "not found: symbol S is not declared, expected declared by the program (at f)");
  p.symbol("S");
  EXPECT_NO_THROW(p.build());
}

// --------------------------------------------------------------------------------------------------- names and sources

TEST(Builder, NamesValuesAndNodes) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {});
  const Var y = f.exp(x).named("y");
  EXPECT_EQ(f.graph().values[y.ref().id].name, "y");
  EXPECT_EQ(node_of(f.graph(), y.ref()).name, "y");
  f.set_node_name("block.0");
  const Var z = f.exp(y).named("z");
  EXPECT_EQ(node_of(f.graph(), z.ref()).name, "block.0");
  f.name_value(z, "zz");
  EXPECT_EQ(f.graph().values[z.ref().id].name, "zz");
  EXPECT_EQ(refusal([&] { z.named("y"); }),
            "invalid argument: the name of a value is 'y', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { z.named("x"); }),
            "invalid argument: the name of a value is 'x', which is taken, expected a new name");
  EXPECT_EQ(refusal([&] { z.named(""); }), "invalid argument: the name of a value is empty, expected a new name");
  z.named("zz");
  y.named("z");  // free again
  EXPECT_NO_THROW(p.build());
}

TEST(Builder, NodesCarryTheirSource) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {});
  f.exp(x);
  f.set_source({"onnx.Exp", "model.onnx"});
  f.set_node_name("exp_1");
  f.exp(x + 1);
  f.set_source({});
  f.set_node_name("");
  f.exp(x);
  const Program program = p.build();
  const std::vector<Node>& nodes = program.graphs[0].nodes;
  ASSERT_EQ(nodes.size(), 5U);
  for (size_t i : {1, 2, 3}) {
    EXPECT_EQ(nodes[i].source, (Source{"onnx.Exp", "model.onnx"})) << i;
    EXPECT_EQ(nodes[i].name, "exp_1") << i;
  }
  for (size_t i : {0, 4}) EXPECT_TRUE(nodes[i].source == Source{} && nodes[i].name.empty()) << i;
}

// ------------------------------------------------------------------------------------------ weights, state, sub-graphs

TEST(Builder, AWeightIsOneValuePerGraph) {
  ProgramBuilder p;
  const WeightId w = p.weight("w", floats({2}));
  GraphBuilder &f = p.method("f"), &g = p.method("g");
  EXPECT_EQ(f.weight(w).ref(), f.weight(w).ref());
  EXPECT_EQ(f.graph().values.size(), 1U);
  EXPECT_EQ(to_string(g.weight(w).type()), "f32[2]");
  const Program program = p.build();
  EXPECT_EQ(program.graphs[1].values[0].kind, ValueKind::weight);
}

TEST(Builder, AWeightKeepsItsHashAndPlace) {
  ProgramBuilder p;
  const ExternalTensor place{"model.safetensors", "w.0"};
  p.weight(Weight::of("w", floats({2}), {1, 2}, place));
  const Program program = p.build();
  EXPECT_EQ(program.weights[0].hash, (ContentHash{1, 2}));
  EXPECT_EQ(program.weights[0].external, place);
}

TEST(Builder, StateHasAnInitialWeight) {
  ProgramBuilder p;
  const WeightId zero = p.weight("zero", floats({2}));
  const StateId counter = p.state("counter", {DType::f32, {2}, {}}, zero);
  GraphBuilder& f = p.method("step");
  f.output("now", f.state_write(counter, f.state_read(counter) + 1));
  const Program program = p.build();
  EXPECT_EQ(program.states[0].initial, zero);
  EXPECT_EQ(graph_effects(program), std::vector<Effects>{Effects::writes_state});
}

// A countdown with a capture, in a branch: three graphs, several results.
TEST(Builder, SubGraphsWithCaptures) {
  ProgramBuilder p;
  GraphBuilder& more = p.graph("more");
  const Var left = more.input("left", DType::i64, {});
  more.input("sum", DType::f32, {3});
  more.input("step", DType::f32, {3});
  more.output("go", more.gt(left, more.scalar(0, DType::i64)));

  GraphBuilder& body = p.graph("body");
  const Var count = body.input("left", DType::i64, {}), sum = body.input("sum", DType::f32, {3});
  const Var step = body.input("step", DType::f32, {3});
  body.output("left", count - 1);
  body.output("sum", sum + step);

  GraphBuilder& f = p.method("f");
  const Var n = f.input("n", DType::i64, {}), x = f.input("x", DType::f32, {3});
  const std::vector<Var> results = f.while_(more.id(), body.id(), {.carry = {n, x}, .captures = {x}, .max_trips = 10});
  ASSERT_EQ(results.size(), 2U);
  f.output("left", results[0]);
  f.output("sum", results[1].named("sum"));
  const Program program = p.build();
  const Node& loop = program.graphs[2].nodes[0];
  EXPECT_EQ(loop.result_count, 2U);
  EXPECT_EQ(results.size(), 2U);
  EXPECT_EQ(loop.name, "sum");
  EXPECT_EQ(mnemonic(loop.op), "while");
  EXPECT_EQ(program.graphs[0].exported, false);
  EXPECT_EQ(program.graphs[2].exported, true);
}

// A graph made in the middle of its caller comes before it in the program, and a refused program changes nothing.
TEST(Builder, InnerGraphsMoveBeforeTheirCaller) {
  ProgramBuilder p;
  const Symbol s = p.symbol("S");
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {3});
  GraphBuilder& twice = p.inner_graph("twice", f);
  const Var y = twice.input("x", DType::f32, {3});
  GraphBuilder& once = p.inner_graph("once", twice);
  once.output("y", once.input("x", DType::f32, {3}));
  twice.output("y", twice.call(once.id(), {.operands = {y + y}})[0]);
  const Var result = f.call(twice.id(), {.operands = {x}})[0];
  GraphBuilder& last = p.method("last");
  last.output("size", last.size_of(s));
  EXPECT_EQ(refusal([&] { p.build(); }),
            "invalid argument: symbol S is never bound, expected bound by the sizes of an input or by an op (at last)");
  f.output("y", result * 2.0);
  last.input("of S", DType::f32, {s});
  const Program program = p.build();
  std::vector<std::string> names;
  for (const Graph& graph : program.graphs) names.push_back(graph.name);
  EXPECT_EQ(names, (std::vector<std::string>{"once", "twice", "f", "last"}));
  EXPECT_EQ(program.graphs[2].nodes[0].op.get_if<op::Call>()->graph, GraphId{1});
  EXPECT_EQ(program.graphs[2].outputs.size(), 1U);
}

TEST(Builder, CountsTheNodesOfAllGraphs) {
  ProgramBuilder p;
  GraphBuilder& inner = p.graph("inner");
  inner.output("y", -inner.input("x", DType::f32, {2}));
  GraphBuilder& f = p.method("f");
  f.output("y", -(-f.input("x", DType::f32, {2})));
  EXPECT_EQ(p.node_count(), 3u);
  p.build();
  EXPECT_EQ(p.node_count(), 0u);
}

}  // namespace
}  // namespace ingot
