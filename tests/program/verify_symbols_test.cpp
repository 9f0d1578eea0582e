// Where the verifier lets a symbol be used: after the input or the op that binds it, and in one meaning.
#include <gtest/gtest.h>

#include <functional>

#include "program/builder.h"
#include "program/verify.h"
#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using test::refusal;

// One method, by its inputs and what it does.
std::string scope_of(const std::function<void(ProgramBuilder&)>& make) {
  return refusal([&] {
    ProgramBuilder p;
    p.symbol("S");
    p.symbol("T");
    p.symbol("N");
    make(p);
    p.build();
  });
}

const Symbol s("S"), t("T"), n("N");

TEST(VerifySymbols, AreBoundByInputs) {
  const auto takes = [](Shape shape) {
    return scope_of([&](ProgramBuilder& p) { p.method("f").input("x", DType::f32, shape); });
  };
  EXPECT_EQ(takes({s, t}), "no error");
  EXPECT_EQ(takes({Dim(s) * 2 + 1}), "no error");
  EXPECT_EQ(takes({Dim(s) + t, t}), "no error");
  EXPECT_EQ(takes({s, floor_div(s, 2)}), "no error");
  const std::string never = "is never bound, expected bound by the sizes of an input or by an op (at f)";
  EXPECT_EQ(takes({floor_div(s, 2)}), "invalid argument: symbol S " + never);
  EXPECT_EQ(takes({Dim(s) * t}), "invalid argument: symbol S " + never);
  EXPECT_EQ(takes({Dim(s) * t, s}), "invalid argument: symbol T " + never);  // S may be 0
  EXPECT_EQ(takes({Dim(s) + t}), "invalid argument: symbol S " + never);
  EXPECT_EQ(scope_of([](ProgramBuilder& p) { p.method("f").full({t}, 0); }), "invalid argument: symbol T " + never);
  EXPECT_EQ(scope_of([](ProgramBuilder& p) { p.method("f").iota(t); }), "invalid argument: symbol T " + never);
  EXPECT_EQ(scope_of([](ProgramBuilder& p) { p.method("f").size_of(Dim(s) + 1); }),
            "invalid argument: symbol S " + never);
  EXPECT_EQ(scope_of([](ProgramBuilder& p) { p.method("f").custom("make", {TensorType{DType::f32, {s}, {}}}); }),
            "invalid argument: symbol S " + never);
  // A slice names its sizes in attributes alone.
  EXPECT_EQ(scope_of([](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              f.slice(f.input("x", DType::f32, {t}), {0}, {min(s, t)}, {min(s, t)});
            }),
            "invalid argument: symbol S " + never);
  // So does a size that may be absent.
  EXPECT_EQ(scope_of([](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              f.triangle_lower(f.input("x", DType::f32, {t, t}), {.k = s});
            }),
            "invalid argument: symbol S " + never);
}

TEST(VerifySymbols, AreBoundByOps) {
  const auto nonzero = [](ProgramBuilder& p, GraphBuilder& g, Var x) { return g.nonzero(x, p.symbol_id("N")); };
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              nonzero(p, f, f.input("x", DType::f32, {s}));
              f.full({n}, 0);
            }),
            "no error");
  EXPECT_EQ(
      scope_of([&](ProgramBuilder& p) {
        GraphBuilder& f = p.method("f");
        const Var x = f.input("x", DType::f32, {s});
        f.full({n}, 0);
        nonzero(p, f, x);
      }),
      "invalid argument: symbol N is used before the op that binds it, expected bound before its first use (at f)");
  EXPECT_EQ(
      scope_of([&](ProgramBuilder& p) {
        GraphBuilder& f = p.method("f");
        nonzero(p, f, f.input("x", DType::f32, {n}));
      }),
      "invalid argument: symbol N is used before the op that binds it, expected bound before its first use (at f)");
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              const Var x = f.input("x", DType::f32, {s});
              nonzero(p, f, x);
              nonzero(p, f, x);
            }),
            "invalid argument: [nonzero] symbol N is bound twice, expected bound by one op (at f)");
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              for (const char* name : {"f", "g"}) {
                GraphBuilder& f = p.method(name);
                nonzero(p, f, f.input("x", DType::f32, {3}));
              }
            }),
            "invalid argument: [nonzero] symbol N is bound twice, expected bound by one op (at g)");
  EXPECT_EQ(scope_of([](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              f.item(f.input("x", DType::i64, {}), p.symbol_id("N"));
              f.full({n}, 0);
            }),
            "no error");
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              GraphBuilder& f = p.method("f");
              nonzero(p, f, f.input("x", DType::f32, {3}));
              f.item(f.input("size", DType::i64, {}), p.symbol_id("N"));
            }),
            "invalid argument: [item] symbol N is bound twice, expected bound by one op (at f)");
}

// A sub-graph runs with the symbols of its caller, and keeps its own.
TEST(VerifySymbols, OfSubGraphs) {
  const auto uses_n = [](ProgramBuilder& p) -> GraphBuilder& {
    GraphBuilder& g = p.graph("uses");
    g.output("y", g.full({n}, 0));
    return g;
  };
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) { uses_n(p); }), "no error");  // nobody calls it
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              const GraphId g = uses_n(p).id();
              GraphBuilder& f = p.method("f");
              f.input("x", DType::f32, {n});
              f.call(g);
            }),
            "no error");
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {
              const GraphId g = uses_n(p).id();
              GraphBuilder& middle = p.graph("middle");
              middle.call(g);
              p.method("f").call(middle.id());
            }),
            "invalid argument: symbol N is never bound, expected bound by the sizes of an input or by an op (at f)");
  const auto binds_n = [](ProgramBuilder& p, bool returns) -> GraphBuilder& {
    GraphBuilder& g = p.graph("binds");
    const Var hits = g.nonzero(g.input("x", DType::f32, {3}), p.symbol_id("N"));
    g.output("y", returns ? hits : g.reduce_sum(hits, {0, 1}));
    return g;
  };
  const auto calls = [&](bool returns, Shape x) {
    return scope_of([&](ProgramBuilder& p) {
      const GraphId g = binds_n(p, returns).id();
      GraphBuilder& f = p.method("f");
      f.input("z", DType::f32, x);
      f.call(g, {.operands = {f.input("x", DType::f32, {3})}});
    });
  };
  EXPECT_EQ(calls(false, {}), "no error");
  const std::string kept =
      "invalid argument: symbol N is bound by an op of graph 'binds', expected in scope only after that op (at f)";
  EXPECT_EQ(calls(true, {}), kept);            // N leaves the graph that binds it
  EXPECT_EQ(calls(false, {n}), kept);          // N has two meanings
  EXPECT_EQ(scope_of([&](ProgramBuilder& p) {  // bound in the caller, used in what it calls after that
              const GraphId g = uses_n(p).id();
              GraphBuilder& f = p.method("f");
              f.nonzero(f.input("x", DType::f32, {3}), p.symbol_id("N"));
              f.call(g);
            }),
            "no error");
  EXPECT_EQ(
      scope_of([&](ProgramBuilder& p) {
        const GraphId g = uses_n(p).id();
        GraphBuilder& f = p.method("f");
        f.call(g);
        f.nonzero(f.input("x", DType::f32, {3}), p.symbol_id("N"));
      }),
      "invalid argument: symbol N is used before the op that binds it, expected bound before its first use (at f)");
}

}  // namespace
}  // namespace ingot
