// The text of programs that were built, not parsed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "program/builder.h"
#include "program/text.h"

namespace ingot {
namespace {

Program example() {
  ProgramBuilder p;
  const Symbol s = p.symbol("S", 1, 16), t = p.symbol("T");
  const WeightId w = p.weight("fc.w", Tensor::of<float>({2, 2}, {1, -0.5, 0, 1e20f}));
  const WeightId big = p.weight("big one", Tensor::of<uint8_t>({5}, {1, 2, 3, 4, 5}));
  const StateId seen = p.state("seen", {DType::i64, {}, {}});
  const StateId kept = p.state("kept", {DType::u8, {5}, {}}, big);

  GraphBuilder& body = p.graph("body");
  const Var total = body.input("total", DType::f32, {});
  const Var x = body.input("x", DType::f32, {2});
  body.output("total", body.add(total, body.reduce_sum(x, {0})));
  body.output("twice", x * 2.0);

  GraphBuilder& f = p.method("forward");
  const Var rows = f.input("rows", DType::f32, {s, 2}), ids = f.input("ids", DType::i32, {t});
  f.set_source({"aten::mm", "model.py"});
  const Var h = f.matmul(rows, f.weight(w), {.transpose_b = true}).named("h");
  f.set_source({});
  const auto results = f.scan(body.id(), s, {.carry = {f.scalar(0, DType::f32)}, .xs = {h}, .reverse = true});
  results[1].named("ys");
  f.state_write(seen, f.size_of(max(s, t)));
  f.output("all", results[0]);
  f.output("picked", f.take(results[1], ids, {.mode = IndexMode::clamp}));
  f.output("kept", f.state_read(kept));
  f.output("w", f.weight(w));
  return p.build();
}

constexpr const char* example_text = R"(ingot 1

symbol S in 1..16
symbol T

weight @fc.w : f32[2, 2] = [1.0, -0.5, 0.0, 1e+20]
weight @"big one" : u8[5] = [1, 2, 3, 4, 5]

state @seen : i64[] = zeros
state @kept : u8[5] = @"big one"

graph body(%total: f32[], %x: f32[2]) -> (f32[] total, f32[2] twice) {
  %0 = reduce_sum %x {axes=[0]} : f32[]
  %1 = add %total, %0 : f32[]
  %2 = full {shape=[], value=2.0} : f32[]
  %3 = mul %x, %2 : f32[2]
  return %1, %3
}

method forward(%rows: f32[S, 2], %ids: i32[T]) -> (f32[] all, f32[T, 2] picked, u8[5] kept, f32[2, 2] w) {
  %h = matmul %rows, @fc.w {transpose_b=true} : f32[S, 2] loc(op="aten::mm", file="model.py")
  %1 = full {shape=[], value=0.0} : f32[]
  %2.0, %ys = scan [%1], [%h], [] {body=@body, length=S, reverse=true} : f32[], f32[S, 2]
  %3 = size_of {size=max(S, T)} : i64[]
  %4 = state_write %3 {state=@seen} : i64[]
  %5 = take %ys, %ids {mode=clamp} : f32[T, 2]
  %6 = state_read {state=@kept} : u8[5]
  return %2.0, %5, %6, @fc.w
}
)";

TEST(Print, AProgram) {
  EXPECT_EQ(print(example()), example_text);
  EXPECT_EQ(print(parse(example_text)), example_text);
}

TEST(Print, WithoutTypes) {
  const std::string text = print(example(), {.types = false});
  EXPECT_NE(text.find("\n  %h = matmul %rows, @fc.w {transpose_b=true} loc(op=\"aten::mm\", file=\"model.py\")\n"),
            text.npos);
  EXPECT_NE(text.find("-> (all, picked, kept, w) {\n"), text.npos);
  EXPECT_EQ(print(parse(text)), example_text);
}

// Weights up to inline_bytes print with their contents.
TEST(Print, LargeWeightsByHash) {
  const Program program = example();
  const auto weight_lines = [&](int64_t inline_bytes, const std::string& file) {
    const std::string text = print(program, {.inline_bytes = inline_bytes, .weights_from = file});
    const size_t start = text.find("symbol T\n\n") + 10;
    return text.substr(start, text.find("\n\nstate") - start);
  };
  const std::string w_hash = to_string(program.weights[0].hash), big_hash = to_string(program.weights[1].hash);
  const std::string w = "weight @fc.w : f32[2, 2] = [1.0, -0.5, 0.0, 1e+20]",
                    w_ref = "weight @fc.w : f32[2, 2] = ref \"" + w_hash + "\"";
  const std::string big = "weight @\"big one\" : u8[5] = [1, 2, 3, 4, 5]",
                    big_ref = "weight @\"big one\" : u8[5] = ref \"" + big_hash + "\"";
  EXPECT_EQ(weight_lines(16, "m.ingot"), w + "\n" + big);
  EXPECT_EQ(weight_lines(15, ""), w_ref + "\n" + big);
  EXPECT_EQ(weight_lines(15, "m.ingot"), "weights_from \"m.ingot\"\n\n" + w_ref + "\n" + big);
  EXPECT_EQ(weight_lines(5, ""), w_ref + "\n" + big);
  EXPECT_EQ(weight_lines(4, ""), w_ref + "\n" + big_ref);
  EXPECT_EQ(weight_lines(0, ""), w_ref + "\n" + big_ref);
  EXPECT_EQ(weight_lines(-1, ""), w_ref + "\n" + big_ref);
}

TEST(Print, Nodes) {
  const Program program = example();
  const Graph& graph = program.graphs[1];
  EXPECT_EQ(print_node(program, graph, graph.nodes[2]),
            "%2.0, %ys = scan [%1], [%h], [] {body=@body, length=S, reverse=true} : f32[], f32[S, 2]");
  EXPECT_EQ(print_node(program, graph, graph.nodes[2], false),
            "%2.0, %ys = scan [%1], [%h], [] {body=@body, length=S, reverse=true}");
  EXPECT_EQ(print_node(program, graph, graph.nodes[4], false), "%4 = state_write %3 {state=@seen}");
}

TEST(Print, Values) {
  const Program program = example();
  const Graph& graph = program.graphs[1];
  std::vector<std::string> texts;
  for (uint32_t id = 0; id < graph.values.size(); ++id) texts.push_back(print_value(program, graph, {id}));
  EXPECT_EQ(fmt::format("{}", fmt::join(texts, " ")), "%rows %ids @fc.w %h %1 %2.0 %ys %3 %4 %5 %6");
}

TEST(Print, Attributes) {
  const Program program = example();
  const auto texts = [&](const Op& op) {
    std::string all;
    for (const AttributeText& attribute : print_attributes(program, op))
      all += fmt::format("{}={};", attribute.name, attribute.text);
    return all;
  };
  EXPECT_EQ(texts(op::Unary{.fn = UnaryFn::exp}), "");
  EXPECT_EQ(texts(op::Softmax{}), "");
  EXPECT_EQ(texts(op::Softmax{.axis = 0, .log = true}), "axis=0;log=true;");
  EXPECT_EQ(texts(op::Reduce{.dtype = DType::f64}), "axes=[];dtype=f64;");
  EXPECT_EQ(texts(op::Attention{.scale = 0.5, .causal = Causal::lower_right, .window = 3}),
            "scale=0.5;causal=lower_right;window=3;");
  EXPECT_EQ(texts(op::Pad{.before = {1}, .after = {Dim(2)}, .value = Scalar(-1)}), "before=[1];after=[2];value=-1;");
  EXPECT_EQ(texts(op::StateRead{.state = {1}}), "state=@kept;");
  EXPECT_EQ(texts(op::Nonzero{.count = {1}}), "count=T;");
  EXPECT_EQ(texts(op::If{.on_true = {0}, .on_false = {1}}), "on_true=@body;on_false=@forward;");
}

// The text depends on what a graph does, not on the order in which its values were made, nor on weights it does not use.
TEST(Print, IndependentOfTheOrderOfValues) {
  const auto build = [](bool early) {
    ProgramBuilder p;
    const WeightId a = p.weight("a", Tensor::of<float>({}, {1})), b = p.weight("b", Tensor::of<float>({}, {2}));
    GraphBuilder& f = p.method("f");
    if (early) f.weight(b), f.weight(a);
    const Var x = f.input("x", DType::f32, {});
    f.output("y", f.add(f.abs(x), f.weight(a)));
    return print(p.build());
  };
  EXPECT_EQ(build(true), build(false));
  EXPECT_EQ(print(parse(build(true))), build(true));
}

// Both names of a value that has one already: the node keeps what it is called.
TEST(Print, NamesOfNodes) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {});
  f.set_node_name("layer 1");
  f.abs(x);
  f.abs(x).named("b");
  f.set_node_name("");
  f.name_value(f.abs(x), "c");
  const std::string text = print(p.build(), {.types = false});
  EXPECT_EQ(text, R"(ingot 1

method f(%x: f32[]) -> () {
  %0 = abs %x loc(name="layer 1")
  %b = abs %x loc(name="layer 1")
  %c = abs %x loc(name="")
  return
}
)");
}

}  // namespace
}  // namespace ingot
