// The limits of the verifier, one by one, and what it costs to verify programs that are large in one respect.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "program/builder.h"
#include "program/verify.h"
#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using test::refusal;

TensorType f32(Shape shape) { return {DType::f32, std::move(shape), {}}; }

// Three symbols, two weights, two states; `inner` with 1 node and 2 values, `f` with 2 nodes and 4 values.
Program sample() {
  ProgramBuilder p;
  for (const char* name : {"A", "B", "C"}) p.symbol(name);
  for (const char* name : {"w", "v"}) p.weight(name, Tensor::of<float>({2}, {1, 2}));
  for (const char* name : {"s", "t"}) p.state(name, f32({2}));
  GraphBuilder& inner = p.graph("inner");
  inner.output("y", inner.exp(inner.input("x", DType::f32, {2, 1, 1})));
  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {2, 1, 1});
  f.weight(WeightId{0});
  f.exp(f.call(inner.id(), {.operands = {x}})[0]);
  return p.build();
}

std::string verified(const Program& program, const Limits& limits) {
  return refusal([&] { verify(program, limits); });
}

TEST(VerifyLimits, CountsAreChecked) {
  const Program p = sample();
  const Limits exact{.nodes = 3,
                     .values = 6,
                     .graphs = 2,
                     .weights = 2,
                     .states = 2,
                     .symbols = 3,
                     .rank = 3,
                     .nesting = 2,
                     .name_bytes = 5,
                     .tensor_bytes = 8};
  EXPECT_EQ(verified(p, exact), "no error");
  const auto lower = [&](auto Limits::* field) {
    Limits limits = exact;
    limits.*field -= 1;
    return verified(p, limits);
  };
  EXPECT_EQ(lower(&Limits::nodes), "limit: the number of nodes is 3, expected at most 2");
  EXPECT_EQ(lower(&Limits::values), "limit: the number of values is 6, expected at most 5");
  EXPECT_EQ(lower(&Limits::graphs), "limit: the number of graphs is 2, expected at most 1");
  EXPECT_EQ(lower(&Limits::weights), "limit: the number of weights is 2, expected at most 1");
  EXPECT_EQ(lower(&Limits::states), "limit: the number of states is 2, expected at most 1");
  EXPECT_EQ(lower(&Limits::symbols), "limit: the number of symbols is 3, expected at most 2");
  EXPECT_EQ(lower(&Limits::rank), "limit: the number of axes is 3, expected at most 2 (at inner)");
  EXPECT_EQ(lower(&Limits::nesting), "limit: the number of nested calls of graph f is 2, expected at most 1");
  EXPECT_EQ(lower(&Limits::name_bytes), "limit: the name of a graph is 5 bytes long, expected at most 4");
  EXPECT_EQ(lower(&Limits::tensor_bytes), "limit: f32[2] is 8 bytes, expected at most 7");
}

TEST(VerifyLimits, EveryNameIsBounded) {
  const std::string name(5000, 'n');
  const auto with = [&](const std::function<void(Program&)>& edit) {
    Program p = sample();
    edit(p);
    return verified(p, {});
  };
  const std::string long_name = " is 5000 bytes long, expected at most 4096";
  EXPECT_EQ(with([&](Program& p) { p.symbols[0] = Symbol(name); }), "limit: the name of a symbol" + long_name);
  EXPECT_EQ(with([&](Program& p) { p.weights[0].name = name; }), "limit: the name of a weight" + long_name);
  EXPECT_EQ(with([&](Program& p) { p.states[0].name = name; }), "limit: the name of a state" + long_name);
  EXPECT_EQ(with([&](Program& p) { p.graphs[0].name = name; }), "limit: the name of a graph" + long_name);
  EXPECT_EQ(with([&](Program& p) { p.graphs[1].values[0].name = name; }),
            "limit: the name of a value" + long_name + " (at f)");
  EXPECT_EQ(with([&](Program& p) { p.graphs[0].outputs[0].name = name; }),
            "limit: the name of an output" + long_name + " (at inner)");
  EXPECT_EQ(with([&](Program& p) { p.graphs[0].nodes[0].name = name; }),
            fmt::format("limit: [exp] the name of a node{} (at inner: {}, nodes[0])", long_name, name));
  EXPECT_EQ(with([&](Program& p) { p.graphs[0].nodes[0].op = op::Custom{name, {}, {}, {f32({2, 1, 1})}}; }),
            fmt::format("limit: [custom] the name of a custom op{} (at inner: nodes[0])", long_name));
}

TEST(VerifyLimits, RankOfAttributesAndResults) {
  const std::string sixty_five = "limit: [{}] the number of axes is 65, expected at most 64 (at f: nodes[0])";
  const auto with = [](Op op, TensorType result) {
    const Graph graph{"f", true, {{ValueKind::result, 0, std::move(result), {}}}, {}, {}, {{std::move(op), Ref{0}}}};
    return verified(Program{.graphs = {graph}}, {});
  };
  const Shape ones(65, 1);
  EXPECT_EQ(with(op::Full{ones, 1.0}, f32(ones)), fmt::format(fmt::runtime(sixty_five), "full"));
  EXPECT_EQ(with(op::Custom{"c", {}, {}, {f32(ones)}}, f32(ones)), fmt::format(fmt::runtime(sixty_five), "custom"));
}

TEST(VerifyLimits, WhatAnOpMakesIsBoundedToo) {
  const auto made = [](const std::function<void(GraphBuilder&)>& make) {
    ProgramBuilder p;
    make(p.method("f"));
    return refusal([&] { p.build(); });
  };
  EXPECT_EQ(
      made([](GraphBuilder& f) { f.full({int64_t{1} << 45}, 0); }),
      "limit: [full] f32[35184372088832] is 140737488355328 bytes, expected at most 70368744177664 (at f: nodes[0])");
  EXPECT_EQ(made([](GraphBuilder& f) {
              f.take(f.input("x", DType::f32, Shape(40, 1)), f.input("i", DType::i64, Shape(40, 1)));
            }),
            "limit: [take] the number of axes is 79, expected at most 64 (at f: nodes[0])");
}

TEST(VerifyLimits, NestingIsOfTheDeepestCall) {
  const auto chain = [](int depth) {
    ProgramBuilder p;
    for (int i = 0; i < depth; ++i) {
      GraphBuilder& g = i + 1 == depth ? p.method("top") : p.graph(fmt::format("g{}", i));
      if (i > 0) g.call(GraphId{static_cast<uint32_t>(i - 1)});
    }
    return refusal([&] { p.build(); });
  };
  EXPECT_EQ(chain(256), "no error");
  EXPECT_EQ(chain(257), "limit: the number of nested calls of graph top is 257, expected at most 256");
}

// ---------------------------------------------------------------------------------------------------------------- cost

// Well under a second each; the bound is generous for slow machines and sanitizers, and quadratic cost is far beyond it.
template <class F>
void expect_quick(const char* what, F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 20) << what;
}

constexpr uint32_t kGraphs = 10'000, kSymbols = 1'000;

// Every graph calls a hundred before it, each of which needs every symbol.
TEST(VerifyCost, ManyGraphsCallEachOtherAndNeedEverySymbol) {
  Program p;
  Shape all;
  for (uint32_t i = 0; i < kSymbols; ++i) all.push_back(p.symbols.emplace_back(fmt::format("s{}", i)));
  for (uint32_t i = 0; i < kGraphs; ++i) {
    Graph& graph = p.graphs.emplace_back(Graph{fmt::format("g{}", i), false, {}, {}, {}, {}});
    for (uint32_t k = 0; i == 0 && k < kSymbols; ++k) {
      graph.nodes.push_back({op::SizeOf{all[k]}, Ref{k}});
      graph.values.push_back({ValueKind::result, k, {DType::i64, {}, {}}, {}});
    }
    // Callees lie within a window, so that the nesting stays small.
    for (uint32_t k = 0; i > 0 && k < 100; ++k) {
      graph.nodes.push_back({op::Call{{}, GraphId{i / 100 > 0 ? i / 100 * 100 - 100 + k : 0}}, Ref{0}, 0});
    }
  }
  expect_quick("graphs", [&] { verify(p); });
  p.graphs.back().exported = true;
  EXPECT_EQ(
      verified(p, {}),
      "invalid argument: symbol s0 is never bound, expected bound by the sizes of an input or by an op (at g9999)");
}

// Each input waits for the next one.
TEST(VerifyCost, ManySymbolsInTheWorstOrder) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  std::vector<Symbol> symbols;
  for (uint32_t i = 0; i < kSymbols; ++i) symbols.push_back(p.symbol(fmt::format("s{}", i)));
  for (uint32_t i = kSymbols; i-- > 1;) f.input(fmt::format("x{}", i), DType::f32, {Dim(symbols[i]) + symbols[i - 1]});
  f.input("first", DType::f32, {symbols[0]});
  expect_quick("symbols", [&] { EXPECT_EQ(refusal([&] { p.build(); }), "no error"); });
}

// One large expression in every axis of every value.
TEST(VerifyCost, ManyValuesOfOneCostlyType) {
  ProgramBuilder p;
  Dim size = 0;
  std::vector<Dim> symbols;
  for (int i = 0; i < 16; ++i) symbols.push_back(p.symbol(fmt::format("s{}", i)));
  for (size_t i = 0; i + 2 < symbols.size(); ++i)
    size = size + floor_div(symbols[i] * symbols[i + 1] + 1, symbols[i + 2] + 2);
  GraphBuilder& f = p.method("f");
  f.input("sizes", DType::f32, {symbols.begin(), symbols.end()});
  Var x = f.input("x", DType::f32, Shape(64, size));
  for (int i = 0; i < 20'000; ++i) x = f.neg(x);
  expect_quick("values", [&] { EXPECT_EQ(refusal([&] { p.build(); }), "no error"); });
}

}  // namespace
}  // namespace ingot
