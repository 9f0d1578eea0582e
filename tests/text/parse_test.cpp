// What can be written, and the program that it means.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/text/text_support.h"

namespace ingot {
namespace {

using test::expect_printed;

const Node& node(const Program& program, size_t index) { return program.graphs.back().nodes[index]; }
template <class O>
const O& op(const Program& program, size_t index = 0) {
  return *node(program, index).op.template get_if<O>();
}

// A method of one statement, %y, on %x of type f32[2, 3].
Program statement(const std::string& text, const std::string& declarations = "") {
  return parse("ingot 1\n" + declarations + "method f(%x: f32[2, 3]) -> (y) {\n  %y = " + text + "\n  return %y\n}\n");
}

// ------------------------------------------------------------------------------------------------------------- layout

TEST(Parse, TheSmallestPrograms) {
  expect_printed("ingot 1", "ingot 1\n");
  expect_printed("// nothing\n\n  ingot 1 // version\n// more", "ingot 1\n");
  expect_printed("ingot 1\nmethod f() -> () {\n  return\n}", "ingot 1\n\nmethod f() -> () {\n  return\n}\n");
  expect_printed("ingot 1\ngraph g(%x: f32[]) -> (x) { return %x }",
                 "ingot 1\n\ngraph g(%x: f32[]) -> (f32[] x) {\n  return %x\n}\n");
}

TEST(Parse, BlanksAndCommentsAndCommasAtTheEnd) {
  expect_printed(
      "ingot 1\r\n"
      "weight @w:f32[2,1,]=[1,\n  // inside a list\n  2,]\n"
      "method f(\n    %x : f32 [ 2 , ], // the input\n\t) -> ( y , ) { %y=add %x,@w { } : f32[2,2]\r\n"
      "  // return next\n\n  return %y }// end",
      "ingot 1\n\nweight @w : f32[2, 1] = [1.0, 2.0]\n\n"
      "method f(%x: f32[2]) -> (f32[2, 2] y) {\n  %y = add %x, @w : f32[2, 2]\n  return %y\n}\n");
}

TEST(Parse, TypesMayBeLeftOut) {
  const std::string bare =
      "ingot 1\n\nmethod f(%x: f32[2, 3]) -> (y) {\n  %y = transpose %x {perm=[1, 0]}\n  return %y\n}\n";
  const std::string typed =
      "ingot 1\n\nmethod f(%x: f32[2, 3]) -> (f32[3, 2] y) {\n  %y = transpose %x {perm=[1, 0]} : f32[3, 2]\n"
      "  return %y\n}\n";
  expect_printed(bare, typed);
  expect_printed(typed, bare, {.types = false});
}

// A type that is stated may be written otherwise, when it is provably the same.
TEST(Parse, StatedTypesAreProvenEqual) {
  expect_printed(
      "ingot 1\nsymbol S\nmethod f(%x: f32[S, 2]) -> (f32[S + S] y) {\n"
      "  %y = reshape %x {shape=[2 * S]} : f32[(S) * 2]\n  return %y\n}\n",
      "ingot 1\n\nsymbol S\n\nmethod f(%x: f32[S, 2]) -> (f32[2*S] y) {\n"
      "  %y = reshape %x {shape=[2*S]} : f32[2*S]\n  return %y\n}\n");
}

// -------------------------------------------------------------------------------------------------------------- names

TEST(Parse, NamesInQuotes) {
  constexpr std::string_view text = R"(ingot 1

weight @"a b" : f32[] = [1.0]

state @"\"\\" : f32[] = @"a b"

graph "é\n\t\x00\xff"(%"2": f32[]) -> (f32[] "//") {
  %"a b" = add %"2", @"a b" : f32[]
  %"3.1" = state_write %"a b" {state=@"\"\\"} : f32[]
  %-/$.x_ = abs %"3.1" : f32[]
  return %-/$.x_
}
)";
  const Program program = expect_printed(text, text);
  EXPECT_EQ(program.weights[0].name, "a b");
  EXPECT_EQ(program.states[0].name, "\"\\");
  EXPECT_EQ(program.graphs[0].name, std::string("é\n\t\0\xff", 6));
  EXPECT_EQ(program.graphs[0].outputs[0].name, "//");
  EXPECT_EQ(program.graphs[0].values[0].name, "2");
  EXPECT_EQ(node(program, 0).name, "a b");
}

// One name for things of different kinds; words of the grammar as names.
TEST(Parse, NamesOfOtherKinds) {
  const char* text = R"(ingot 1

symbol inf in 1..

weight @return : f32[] = [1.0]

state @return : f32[] = @return

method return(%return: f32[inf], %loc: f32[min(inf, 2)]) -> (f32[inf] return, f32[] f32) {
  %0 = add %return, @return : f32[inf]
  return %0, @return
}
)";
  const Program program = expect_printed(text, text);
  EXPECT_EQ(program.symbols[0].min(), 1);
  EXPECT_EQ(program.symbols[0].max(), kUnbounded);
}

// Numbers are no names; they may be any, and two results of one node have a point.
TEST(Parse, ValuesWithoutNames) {
  const Program program = expect_printed(
      R"(ingot 1
graph g(%a: f32[], %b: f32[]) -> (c, d) { return %b, %a }
method f(%x: f32[]) -> (y) {
  %7 = abs %x
  %100.0, %100.1 = call [%7, %x] {graph=@g}
  %2 = add %100.0, %100.1
  return %2
}
)",
      R"(ingot 1

graph g(%a: f32[], %b: f32[]) -> (f32[] c, f32[] d) {
  return %b, %a
}

method f(%x: f32[]) -> (f32[] y) {
  %0 = abs %x : f32[]
  %1.0, %1.1 = call [%0, %x] {graph=@g} : f32[], f32[]
  %2 = add %1.0, %1.1 : f32[]
  return %2
}
)");
  for (const Value& value : program.graphs[1].values) EXPECT_EQ(value.name.empty(), value.kind == ValueKind::result);
  EXPECT_EQ(op<op::Call>(program, 1).operands, (std::vector<Ref>{{1}, {0}}));
}

TEST(Parse, ResultsMayStayWithoutNames) {
  expect_printed(
      "ingot 1\nstate @s : f32[] = zeros\nmethod f(%x: f32[]) -> () {\n  state_write %x {state=@s}\n  return\n}\n",
      "ingot 1\n\nstate @s : f32[] = zeros\n\nmethod f(%x: f32[]) -> () {\n"
      "  %0 = state_write %x {state=@s} : f32[]\n  return\n}\n");
}

// ----------------------------------------------------------------------------------------------------------- location

TEST(Parse, Locations) {
  const char* text = R"(ingot 1

method f(%x: f32[]) -> () {
  %a = abs %x : f32[]
  %b = abs %x : f32[] loc(name="other")
  %c = abs %x : f32[] loc(name="")
  %3 = abs %x : f32[] loc(name="three", op="aten::abs", file="model \"7\".py")
  %4 = abs %x : f32[] loc(file="f")
  %5 = abs %x : f32[]
  return
}
)";
  const Program program = expect_printed(text, text);
  const char* names[] = {"a", "other", "", "three", "", ""};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(node(program, i).name, names[i]);
  EXPECT_EQ(node(program, 3).source, (Source{"aten::abs", "model \"7\".py"}));
  EXPECT_EQ(node(program, 4).source, (Source{"", "f"}));
  EXPECT_EQ(node(program, 5).source, Source{});
  EXPECT_EQ(print(parse("ingot 1\nmethod f(%x: f32[]) -> () {\n  abs %x loc()\n  return\n}")),
            "ingot 1\n\nmethod f(%x: f32[]) -> () {\n  %0 = abs %x : f32[]\n  return\n}\n");
}

// A node is called as the first of its results that has a name.
TEST(Parse, NodesAreCalledAsTheirResults) {
  const char* graph = "graph g() -> (a, b) {\n  %a = full {shape=[], value=1.0}\n  return %a, %a\n}\n";
  const Program program =
      parse(std::string("ingot 1\n") + graph + "graph h() -> () {\n  %0, %q = call [] {graph=@g}\n  return\n}\n");
  EXPECT_EQ(node(program, 0).name, "q");
}

// ----------------------------------------------------------------------------------------------------------- operands

TEST(Parse, AbsentOperands) {
  const std::string weight = "weight @w : f32[3] = [1, 2, 3]\n";
  const auto printed = [&](const std::string& text) {
    const Program program = statement(text, weight);
    return print_node(program, program.graphs[0], node(program, 0), false);
  };
  EXPECT_EQ(printed("layer_norm %x"), "%y = layer_norm %x");
  EXPECT_EQ(printed("layer_norm %x, _"), "%y = layer_norm %x");
  EXPECT_EQ(printed("layer_norm %x, _, _ {}"), "%y = layer_norm %x");
  EXPECT_EQ(printed("layer_norm %x, @w, _"), "%y = layer_norm %x, @w");
  EXPECT_EQ(printed("layer_norm %x, _, @w"), "%y = layer_norm %x, _, @w");
  const auto bias = op<op::LayerNorm>(statement("layer_norm %x, _, @w", weight));
  EXPECT_TRUE(!bias.weight && bias.bias);
}

// Lists at the end may be left out where they may be empty.
TEST(Parse, ListsOfOperands) {
  const std::string graph = "graph g() -> (y) {\n  %y = full {shape=[], value=1.0}\n  return %y\n}\n";
  for (const char* text : {"call {graph=@g}", "call [] {graph=@g}", "call [ ] {graph=@g,}"}) {
    const Program program = statement(text, graph);
    EXPECT_EQ(print_node(program, program.graphs[1], node(program, 0)), "%y = call [] {graph=@g} : f32[]");
  }
  const Program program = statement("concatenate [%x, %x,] {axis=1}");
  EXPECT_EQ(print_node(program, program.graphs[0], node(program, 0)), "%y = concatenate [%x, %x] {axis=1} : f32[2, 6]");
}

// --------------------------------------------------------------------------------------------------------- attributes

TEST(Parse, AttributesAtTheirDefaultAreNotPrinted) {
  const auto printed = [](const std::string& text) {
    const Program program = statement(text);
    return print_node(program, program.graphs[0], node(program, 0), false);
  };
  EXPECT_EQ(printed("softmax %x {axis=-1, log=false}"), "%y = softmax %x");
  EXPECT_EQ(printed("softmax %x {log=true}"), "%y = softmax %x {log=true}");
  EXPECT_EQ(printed("softmax %x {log=true, axis=1}"), "%y = softmax %x {axis=1, log=true}");
  EXPECT_EQ(printed("reduce_sum %x {axes=[]}"), "%y = reduce_sum %x {axes=[]}");
  EXPECT_EQ(printed("reduce_sum %x {axes=[0, -1], dtype=f64}"), "%y = reduce_sum %x {axes=[0, -1], dtype=f64}");
  EXPECT_EQ(printed("full {shape=[2], value=0, dtype=f32}"), "%y = full {shape=[2], value=0}");
  EXPECT_EQ(printed("rms_norm %x {eps=0.00001}"), "%y = rms_norm %x");
  EXPECT_EQ(printed("rms_norm %x {eps=0.000010001}"), "%y = rms_norm %x {eps=1.0001e-05}");
  EXPECT_EQ(printed("slice %x {axes=[1], starts=[0], stops=[2], steps=[]}"),
            "%y = slice %x {axes=[1], starts=[0], stops=[2]}");
}

// 0.0 is the default of offset; -0.0 is another number.
TEST(Parse, ANegativeZeroIsNotTheDefault) {
  const std::string key = "weight @k : u32[2] = [1, 2]\n";
  const Program program = statement("random_uniform @k {shape=[], offset=-0.0}", key);
  EXPECT_TRUE(std::signbit(op<op::Random>(program).offset));
  EXPECT_EQ(print_node(program, program.graphs[0], node(program, 0), false),
            "%y = random_uniform @k {shape=[], offset=-0.0}");
}

TEST(Parse, Scalars) {
  const auto value = [](const std::string& text, const std::string& dtype) {
    return op<op::Full>(statement("full {shape=[], value=" + text + ", dtype=" + dtype + "}")).value;
  };
  EXPECT_EQ(value("7", "i8"), Scalar(7));
  EXPECT_EQ(value("-128", "i8"), Scalar(-128));
  EXPECT_EQ(value("18446744073709551615", "u64"), Scalar(~uint64_t{0}));
  EXPECT_EQ(value("true", "bool"), Scalar(1));
  EXPECT_EQ(value("false", "bool"), Scalar(0));
  EXPECT_EQ(value("-0.0", "f64"), Scalar(-0.0));
  EXPECT_EQ(value("1.", "f64"), Scalar(1.0));
  EXPECT_EQ(value("2E+3", "f64"), Scalar(2000.0));
  EXPECT_EQ(value("4.9406564584124654e-324", "f64"), Scalar(5e-324));
  EXPECT_EQ(value("inf", "f32"), Scalar(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value("-inf", "f32"), Scalar(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value("nan", "f32").bits, 0x7ff8000000000000u);
  EXPECT_EQ(value("-nan", "f32").bits, 0xfff8000000000000u);
  EXPECT_EQ(value("complex(1, -0.0)", "c64"), Scalar(std::complex<float>(1, -0.0f)));
  EXPECT_EQ(value("complex(nan, 0.1)", "c64").bits, 0x3dcccccd7fc00000u);
}

TEST(Parse, Sizes) {
  const Symbol s("S", 1), t("T", 0, 9);
  const auto size = [](const std::string& text) {
    const Program program = parse(
        "ingot 1\nsymbol S in 1..\nsymbol T in 0..9\nmethod f(%s: f32[S], %t: f32[T]) -> (y) {\n  %y = size_of {size=" +
        text + "}\n  return %y\n}\n");
    return op<op::SizeOf>(program).size;
  };
  EXPECT_EQ(size("7"), Dim(7));
  EXPECT_EQ(size("2 * S + 1"), 2 * Dim(s) + 1);
  EXPECT_EQ(size("1+S*2"), 2 * Dim(s) + 1);
  EXPECT_EQ(size("S - 1"), Dim(s) - 1);
  EXPECT_EQ(size("S -1"), Dim(s) - 1);
  EXPECT_EQ(size("-(1 - S)"), Dim(s) - 1);
  EXPECT_EQ(size("--S"), Dim(s));
  EXPECT_EQ(size("9 - T - 0"), 9 - Dim(t));
  EXPECT_EQ(size("S / 2 / 3"), floor_div(Dim(s), 6));
  EXPECT_EQ(size("S / 2 * 3"), 3 * floor_div(s, 2));
  EXPECT_EQ(size("T % S"), mod(t, s));
  EXPECT_EQ(size("S % 4 + 1"), mod(s, 4) + 1);
  EXPECT_EQ(size("ceil(S, 4)"), ceil_div(s, 4));
  EXPECT_EQ(size("min(S, T)"), min(s, t));
  EXPECT_EQ(size("max((S), T)"), max(s, t));
}

TEST(Parse, Schemes) {
  const auto scheme = [](const std::string& text) {
    return op<op::Quantize>(statement("quantize %x {scheme=" + text + "}")).scheme;
  };
  EXPECT_EQ(scheme("packed<affine>"), QuantScheme{});
  EXPECT_EQ(scheme("packed<symmetric, scale=bf16, group=1, bits=8>"),
            (QuantScheme{QuantMethod::symmetric, 8, 1, DType::bf16}));
  EXPECT_EQ(scheme("packed<nvfp4, bits=4, group=16, scale=f8e4m3>"),
            (QuantScheme{QuantMethod::nvfp4, 4, 16, DType::f8e4m3}));
  const Program program = statement("quantize %x {scheme=packed<affine>}");
  EXPECT_EQ(print_node(program, program.graphs[0], node(program, 0)),
            "%y = quantize %x {scheme=packed<affine, bits=4, group=64, scale=f16>} : packed<affine, bits=4, group=64, "
            "scale=f16>[2, 3]");
}

TEST(Parse, AttributesOfCustomOps) {
  const char* text = R"(ingot 1

method f() -> () {
  %a, %b, %c = custom [] {name="my op", attributes=["a b"=[1, -2], r=[1.0, 0.5, -inf], t="\"q\"", e=[]], results=[f32[2], packed<mxfp8, bits=8, group=32, scale=f8e8m0>[4, 32], i2[]]}
  return
}
)";
  const Program program = expect_printed(text, text, {.types = false});
  const auto& custom = op<op::Custom>(program);
  EXPECT_EQ(custom.name, "my op");
  ASSERT_EQ(custom.attributes.size(), 4u);
  EXPECT_EQ(custom.attributes[0], (NamedAttribute{.name = "a b", .ints = {1, -2}}));
  EXPECT_EQ(custom.attributes[1],
            (NamedAttribute{.name = "r", .reals = {1, 0.5, -std::numeric_limits<double>::infinity()}}));
  EXPECT_EQ(custom.attributes[2], (NamedAttribute{.name = "t", .text = "\"q\""}));
  EXPECT_EQ(custom.attributes[3], (NamedAttribute{.name = "e"}));
  EXPECT_EQ(custom.results.size(), 3u);
}

}  // namespace
}  // namespace ingot
