// The verifier: a valid program is broken by hand, one promise at a time, and the refusal is read.
#include "program/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "program/builder.h"
#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using test::refusal;

TensorType f32(Shape shape) { return {DType::f32, std::move(shape), {}}; }

// Graph 0 `more`, 1 `body`: a loop. Graph 2, the method `f`:
//   values  0 %x f32[S, 3]   1 %n i64[]   2 @w f32[3]   3 %scaled = mul x, w   4, 5 = while n, w   6 = state_read
//           7 = nonzero scaled   8, 9 = full 2.0, mul
Program valid() {
  ProgramBuilder p;
  const Symbol s = p.symbol("S", 1, 512);
  p.symbol("N", 0, 100);
  const WeightId w = p.weight("w", Tensor::of<float>({3}, {1, 2, 3}));
  const StateId last = p.state("last", f32({3}), w);

  GraphBuilder& more = p.graph("more");
  const Var left = more.input("left", DType::i64, {});
  more.input("sum", DType::f32, {3});
  more.output("go", more.gt(left, more.scalar(0, DType::i64)));

  GraphBuilder& body = p.graph("body");
  const Var count = body.input("left", DType::i64, {}), sum = body.input("sum", DType::f32, {3});
  body.output("left", count - 1);
  body.output("sum", sum * 2);

  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {s, 3}), n = f.input("n", DType::i64, {}), weight = f.weight(w);
  const Var scaled = (x * weight).named("scaled");
  const std::vector<Var> loop = f.while_(more.id(), body.id(), {.carry = {n, weight}});
  f.state_read(last);
  f.output("hits", f.nonzero(scaled, p.symbol_id("N")));
  f.output("sum", loop[1] * 2.0);
  return p.build();
}

struct Break {
  std::string_view expected;
  std::function<void(Program&)> edit;
};

void expect_refused(std::initializer_list<Break> rows) {
  for (const Break& row : rows) {
    Program program = valid();
    row.edit(program);
    EXPECT_EQ(refusal([&] { verify(program); }), row.expected);
  }
}

template <class O>
O& op_of(Program& p, size_t graph, size_t node) {
  return *p.graphs[graph].nodes[node].op.get_if<O>();
}
Graph& method(Program& p) { return p.graphs[2]; }

TEST(Verify, TheUnbrokenProgramPasses) {
  EXPECT_EQ(refusal([] { verify(valid()); }), "no error");
  EXPECT_EQ(refusal([] { verify(Program{}); }), "no error");
}

// ----------------------------------------------------------------------------------------------------------------- ids

TEST(Verify, Choices) {
  expect_refused({
      {"out of range: [?] fn is 200, expected a BinaryFn below 21 (at f: scaled, nodes[0])",
       [](Program& p) { op_of<op::Binary>(p, 2, 0).fn = static_cast<BinaryFn>(200); }},
      {"out of range: [full] dtype is 23, expected a DType below 23 (at f: nodes[4])",
       [](Program& p) { op_of<op::Full>(p, 2, 4).dtype = static_cast<DType>(23); }},
  });
}

TEST(Verify, Ids) {
  expect_refused({
      {"out of range: [mul] b is value 99, expected a value with an id below 10 (at f: scaled, nodes[0])",
       [](Program& p) { op_of<op::Binary>(p, 2, 0).b = Ref{99}; }},
      {"out of range: [while] carry is value 10, expected a value with an id below 10 (at f: nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).carry[1] = Ref{10}; }},
      {"out of range: [state_read] state is state 1, expected a state with an id below 1 (at f: nodes[2])",
       [](Program& p) { op_of<op::StateRead>(p, 2, 2).state = StateId{1}; }},
      {"out of range: [nonzero] count is symbol 2, expected a symbol with an id below 2 (at f: nodes[3])",
       [](Program& p) { op_of<op::Nonzero>(p, 2, 3).count = SymbolId{2}; }},
      {"out of range: [while] body is graph 7, expected a graph with an id below 2 (at f: nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).body = GraphId{7}; }},
      {"out of range: values[2] index is 1, expected below 1 (at f)",
       [](Program& p) { method(p).values[2].index = 1; }},
      {"out of range: values[1] index is 1, expected below 1 (at f)", [](Program& p) { method(p).inputs.pop_back(); }},
      {"out of range: inputs[0] is 4000000000, expected an id below 10 (at f)",
       [](Program& p) { method(p).inputs[0] = Ref{4000000000}; }},
      {"out of range: output 'sum' is 10, expected an id below 10 (at f)",
       [](Program& p) { method(p).outputs[1].value = Ref{10}; }},
      {"out of range: state @last initial is 3, expected an id below 1",
       [](Program& p) { p.states[0].initial = WeightId{3}; }},
  });
}

// ---------------------------------------------------------------------------------------------- values and their order

TEST(Verify, DefinitionBeforeUse) {
  expect_refused({
      {"invalid argument: [mul] a is value 3, which is not defined yet, expected a value defined before its use "
       "(at f: scaled, nodes[0])",
       [](Program& p) { op_of<op::Binary>(p, 2, 0).a = Ref{3}; }},  // its own result
      {"invalid argument: [while] carry is value 9, which is not defined yet, expected a value defined before its use "
       "(at f: nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).carry[1] = Ref{9}; }},
      {"invalid argument: [nonzero] x is value 9, which is not defined yet, expected a value defined before its use "
       "(at f: nodes[3])",
       [](Program& p) { op_of<op::Nonzero>(p, 2, 3).x = Ref{9}; }},
      {"invalid argument: output 'sum' is value 9, which nothing defines, expected a defined value (at f)",
       [](Program& p) { method(p).nodes.pop_back(); }},
      {"invalid argument: values[9] is defined by nothing, expected an input, a weight or a result (at f)",
       [](Program& p) {
         method(p).nodes.pop_back();
         method(p).outputs.pop_back();
       }},
  });
}

TEST(Verify, OptionalAndListOperands) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {3});
  f.rms_norm(x, {.weight = x});
  f.concatenate({x, x});
  const Program program = p.build();
  Program broken = program;
  broken.graphs[0].nodes[0].op.get_if<op::RmsNorm>()->weight = Ref{2};
  EXPECT_EQ(
      refusal([&] { verify(broken); }),
      "invalid argument: [rms_norm] weight is value 2, which is not defined yet, expected a value defined before its "
      "use (at f: nodes[0])");
  broken.graphs[0].nodes[0].op.get_if<op::RmsNorm>()->weight = Ref{3};
  EXPECT_EQ(refusal([&] { verify(broken); }),
            "out of range: [rms_norm] weight is value 3, expected a value with an id below 3 (at f: nodes[0])");
  broken = program;
  broken.graphs[0].nodes[1].op.get_if<op::Concatenate>()->operands[1] = Ref{2};
  EXPECT_EQ(
      refusal([&] { verify(broken); }),
      "invalid argument: [concatenate] operands is value 2, which is not defined yet, expected a value defined before "
      "its use (at f: nodes[1])");
}

TEST(Verify, Results) {
  expect_refused({
      {"type mismatch: [while] the number of results is 1, expected 2 (at f: nodes[1])",
       [](Program& p) { method(p).nodes[1].result_count = 1; }},
      {"type mismatch: [mul] the number of results is 4000000000, expected 1 (at f: scaled, nodes[0])",
       [](Program& p) { method(p).nodes[0].result_count = 4000000000; }},
      {"type mismatch: [state_read] the number of results is 0, expected 1 (at f: nodes[2])",
       [](Program& p) { method(p).nodes[2].result_count = 0; }},
      {"out of range: [mul] first_result is 4294967295, expected an id below 10 (at f: scaled, nodes[0])",
       [](Program& p) { method(p).nodes[0].first_result = Ref{4294967295}; }},
      {"out of range: [while] first_result is 9, expected an id below 10 (at f: nodes[1])",
       [](Program& p) {  // the second result would lie behind the last value
         method(p).nodes[1].first_result = Ref{9};
         method(p).values[9] = method(p).values[4];
       }},
      {"invalid argument: [state_read] values[3] is another value, expected result 0 of this node (at f: scaled, "
       "nodes[2])",
       [](Program& p) { method(p).nodes[2].first_result = Ref{3}; }},
      {"invalid argument: [state_read] values[0] is another value, expected result 0 of this node (at f: x, nodes[2])",
       [](Program& p) { method(p).nodes[2].first_result = Ref{0}; }},
      {"invalid argument: [while] values[6] is another value, expected result 1 of this node (at f: nodes[1])",
       [](Program& p) {  // not consecutive: 5 and 6 change places
         method(p).nodes[1].first_result = Ref{5};
         std::swap(method(p).values[4], method(p).values[5]);
       }},
      {"type mismatch: [mul] the stored type of result 0 is f64[S, 3], expected f32[S, 3] (at f: scaled, nodes[0])",
       [](Program& p) { method(p).values[3].type.dtype = DType::f64; }},
      {"type mismatch: [mul] the stored type of result 0 is f32[3], expected f32[S, 3] (at f: scaled, nodes[0])",
       [](Program& p) { method(p).values[3].type = f32({3}); }},
      {"type mismatch: [while] the stored type of result 1 is f32[4], expected f32[3] (at f: nodes[1])",
       [](Program& p) { method(p).values[5].type = f32({4}); }},
      {"type mismatch: [nonzero] the stored type of result 0 is i64[2, S], expected i64[2, N] (at f: nodes[3])",
       [](Program& p) { method(p).values[7].type.shape[1] = p.symbols[0]; }},
  });
}

TEST(Verify, InputsAndWeights) {
  expect_refused({
      {"invalid argument: inputs[0] is value 1, expected the value that is input number 0 (at f)",
       [](Program& p) { std::swap(method(p).inputs[0], method(p).inputs[1]); }},
      {"invalid argument: inputs[1] is value 2, expected the value that is input number 1 (at f)",
       [](Program& p) { method(p).inputs[1] = Ref{2}; }},
      {"invalid argument: inputs[2] is value 0, expected the value that is input number 2 (at f)",
       [](Program& p) { method(p).inputs.push_back(Ref{0}); }},
      {"invalid argument: values[2] is an input, expected listed among the inputs (at f)",
       [](Program& p) {
         method(p).values[2].kind = ValueKind::input;
         method(p).values[2].index = 0;
       }},
      {"invalid argument: the name of inputs[0] is empty, expected a name (at f)",
       [](Program& p) { method(p).values[0].name.clear(); }},
      {"type mismatch: values[2] is f32[4], expected f32[3] as the weight (at f)",
       [](Program& p) { method(p).values[2].type = f32({4}); }},
      {"type mismatch: weight @w is 12 bytes, expected 4 bytes for f32[]",
       [](Program& p) {  // what is left of a tensor that was moved away: the bytes without the sizes
         const Tensor moved = *std::move(p.weights[0].tensor);
         EXPECT_EQ(moved.bytes().size(), 12U);
         p.weights[0].type = f32({});
         p.states.clear();
         p.graphs.clear();
       }},
      {"type mismatch: weight @w is f32[4], expected f32[3]",
       [](Program& p) { p.weights[0].tensor = Tensor::of<float>({4}, {1, 2, 3, 4}); }},
      {"type mismatch: weight @w is f32[S], expected literal sizes",
       [](Program& p) { p.weights[0].type = f32({p.symbols[0]}); }},
      {"invalid argument: weight @w is zeros with contents, expected either zeros or contents",
       [](Program& p) { p.weights[0].zeros = true; }},
      {"invalid argument: weight @w is without contents, expected contents, since it names a file",
       [](Program& p) {
         p.weights[0].tensor.reset();
         p.weights[0].external = ExternalTensor{"a.safetensors", "w"};
       }},
      {"limit: f32[64, 1099511627776] is 281474976710656 bytes, expected at most 70368744177664",
       [](Program& p) { p.weights.push_back({.name = "z", .type = f32({64, int64_t{1} << 40}), .zeros = true}); }},
  });
}

// --------------------------------------------------------------------------------------------------------------- types

TEST(Verify, TypesAreWellFormed) {
  expect_refused({
      {"out of range: a size of f32[-1, 3] is -1, expected provably at least 0 (at f)",
       [](Program& p) { method(p).values[0].type.shape[0] = -1; }},
      {"out of range: a size of f32[S - 2, 3] is S - 2, expected provably at least 0 (at f)",
       [](Program& p) { method(p).values[0].type.shape[0] = Dim(p.symbols[0]) - 2; }},
      {"type mismatch: the scheme is absent, expected present exactly for packed (at f)",
       [](Program& p) { method(p).values[0].type.dtype = DType::packed; }},
      {"type mismatch: the scheme is present, expected present exactly for packed (at f)",
       [](Program& p) { method(p).values[0].type.scheme = QuantScheme{}; }},
      {"out of range: bits of affine scheme is 9, expected 2 to 8 (at f)",
       [](Program& p) { method(p).values[0].type = {DType::packed, {3}, QuantScheme{QuantMethod::affine, 9}}; }},
      {"out of range: group of affine scheme is 0, expected at least 1 (at f)",
       [](Program& p) {
         method(p).values[0].type = {DType::packed, {p.symbols[0]}, QuantScheme{QuantMethod::affine, 4, 0}};
       }},
      {"type mismatch: rank of a packed tensor is 0, expected at least 1 (at f)",
       [](Program& p) { method(p).values[0].type = {DType::packed, {}, QuantScheme{}}; }},
      {"limit: the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements (at f)",
       [](Program& p) { method(p).values[0].type = f32({int64_t{1} << 40, int64_t{1} << 40}); }},
      {"limit: 4611686018427387904 elements of f32 have more than 2^63 - 1 bytes (at f)",
       [](Program& p) { method(p).values[0].type = f32({int64_t{1} << 62}); }},
      {"limit: f32[17592186044417] is 70368744177668 bytes, expected at most 70368744177664 (at f)",
       [](Program& p) { method(p).values[0].type = f32({(int64_t{1} << 44) + 1}); }},
  });
}

TEST(Verify, Attributes) {
  expect_refused({
      {"out of range: [while] max_trips is -5, expected at least 0 (at f: nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).max_trips = -5; }},
      {"out of range: [full] value is 1.5, expected an integer in -9223372036854775808..9223372036854775807 for i64 "
       "(at more: nodes[0])",
       [](Program& p) { op_of<op::Full>(p, 0, 0).value = 1.5; }},
      {"out of range: [full] size in shape is -1, expected at least 0 (at more: nodes[0])",
       [](Program& p) { op_of<op::Full>(p, 0, 0).shape = {-1}; }},
      {"type mismatch: [add] dtype of a and b is bool, expected integer, real or complex (at f: odd, nodes[0])",
       [](Program& p) {
         method(p) = Graph{
             "f",      true, {{ValueKind::input, 0, {DType::bool_, {}, {}}, "x"}, {ValueKind::result, 0, {}, "odd"}},
             {Ref{0}}, {},   {{op::Binary{BinaryFn::add, Ref{0}, Ref{0}}, Ref{1}}}};
       }},
  });
}

// ----------------------------------------------------------------------------------------------------- calls and loops

TEST(Verify, Calls) {
  expect_refused({
      {"out of range: [while] condition is graph 2, expected a graph with an id below 2 (at f: nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).condition = GraphId{2}; }},  // itself
      {"out of range: [while] condition is graph 1, expected a graph with an id below 1 (at f: nodes[1])",
       [](Program& p) {  // a graph behind it
         std::swap(p.graphs[1], p.graphs[2]);
         op_of<op::While>(p, 1, 1).condition = GraphId{1};
       }},
      {"type mismatch: [while] carry 0 after the body is i32[], expected i64[] (its type before) (at f: nodes[1])",
       [](Program& p) {
         Graph& body = p.graphs[1];
         const auto id = static_cast<uint32_t>(body.values.size());
         body.nodes.push_back({op::Cast{Ref{0}, DType::i32}, Ref{id}});
         body.values.push_back(
             {ValueKind::result, static_cast<uint32_t>(body.nodes.size() - 1), {DType::i32, {}, {}}, {}});
         body.outputs[0].value = Ref{id};
       }},
      {"type mismatch: [while] number of results of body is 1, expected 2 (the carry) (at f: nodes[1])",
       [](Program& p) { p.graphs[1].outputs.pop_back(); }},
      {"type mismatch: [while] number of inputs of condition 'more' is 2, expected 1 (what the op passes) (at f: "
       "nodes[1])",
       [](Program& p) { op_of<op::While>(p, 2, 1).carry.pop_back(); }},
  });
}

// --------------------------------------------------------------------------------------------------------------- names

TEST(Verify, Names) {
  expect_refused({
      {"invalid argument: the name of a graph is 'more', which is taken, expected a new name",
       [](Program& p) { p.graphs[1].name = "more"; }},
      {"invalid argument: the name of a graph is empty, expected a name", [](Program& p) { p.graphs[2].name.clear(); }},
      {"invalid argument: the name of a weight is 'w', which is taken, expected a new name",
       [](Program& p) { p.weights.push_back(p.weights[0]); }},
      {"invalid argument: the name of a weight is empty, expected a name",
       [](Program& p) { p.weights[0].name.clear(); }},
      {"invalid argument: the name of a state is 'last', which is taken, expected a new name",
       [](Program& p) { p.states.push_back(p.states[0]); }},
      {"invalid argument: symbol S is declared twice, expected declared once",
       [](Program& p) { p.symbols.push_back(p.symbols[0]); }},
      {"invalid argument: the name of a value is 'x', which is taken, expected a new name (at f)",
       [](Program& p) { method(p).values[3].name = "x"; }},
      {"invalid argument: the name of an output is 'hits', which is taken, expected a new name (at f)",
       [](Program& p) { method(p).outputs[1].name = "hits"; }},
      {"invalid argument: the name of an output is empty, expected a name (at f)",
       [](Program& p) { method(p).outputs[1].name.clear(); }},
  });
}

// -------------------------------------------------------------------------------------------------------------- states

TEST(Verify, States) {
  expect_refused({
      {"type mismatch: state @last is f32[S], expected literal sizes",
       [](Program& p) { p.states[0].type = f32({p.symbols[0]}); }},
      {"type mismatch: state @last initial is f32[3], expected f32[4]",
       [](Program& p) { p.states[0].type = f32({4}); }},
      {"invalid argument: state @last initial is weight @w without contents, expected zeros, or a weight with contents",
       [](Program& p) { p.weights[0].tensor.reset(); }},
      {"type mismatch: state @last initial is f32[3], expected f16[3]",
       [](Program& p) { p.states[0].type.dtype = DType::f16; }},
      {"out of range: a size of f32[-3] is -3, expected provably at least 0",
       [](Program& p) { p.states[0].type = f32({-3}); }},
      {"limit: f32[35184372088832] is 140737488355328 bytes, expected at most 70368744177664",
       [](Program& p) { p.states[0] = {"last", f32({int64_t{1} << 45}), {}}; }},
  });
}

// ------------------------------------------------------------------------------------------------------------- symbols

TEST(Verify, Symbols) {
  expect_refused({
      {"not found: symbol Q is not declared, expected declared by the program (at f)",
       [](Program& p) { method(p).values[0].type.shape[0] = Symbol("Q"); }},
      {"not found: [full] symbol Q is not declared, expected declared by the program (at more: nodes[0])",
       [](Program& p) { op_of<op::Full>(p, 0, 0).shape = {Symbol("Q")}; }},
      {"invalid argument: symbol S is 0..512, expected 1..512 as declared (at f)",
       [](Program& p) { method(p).values[0].type.shape[0] = Symbol("S", 0, 512); }},
      {"invalid argument: symbol S is 1..513, expected 1..512 as declared (at f)",
       [](Program& p) { method(p).values[0].type.shape[0] = Symbol("S", 1, 513); }},
  });
}

}  // namespace
}  // namespace ingot
