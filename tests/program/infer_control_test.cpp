// Types of control flow: what is passed, what comes back, and the carries in between.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

using Graphs = std::function<void(Bench&)>;

TensorType type(DType dtype, Shape shape = {}) { return {dtype, std::move(shape), {}}; }

// Graph number `id` of the bench: it takes `inputs` and returns values of the types `outputs`, from nowhere.
void add_graph(Bench& b, std::string name, const Types& inputs, const Types& outputs) {
  GraphBuilder& graph = b.p.graph(std::move(name));
  for (size_t i = 0; i < inputs.size(); ++i) graph.input(fmt::format("x{}", i), inputs[i]);
  const std::vector<Var> made = graph.custom("make", outputs);
  for (size_t i = 0; i < made.size(); ++i) graph.output(fmt::format("y{}", i), made[i]);
}

struct Signature {
  Types inputs, outputs;
};

// Graphs a, b, … with these signatures, with ids 0, 1, …
Graphs graphs(std::vector<Signature> signatures) {
  return [=](Bench& b) {
    for (size_t i = 0; i < signatures.size(); ++i) {
      add_graph(b, std::string(1, static_cast<char>('a' + i)), signatures[i].inputs, signatures[i].outputs);
    }
  };
}

using Call = std::function<std::vector<Var>(Bench&)>;

// The types of all results, or the refusal.
std::string outcome(const Graphs& before, const Call& call) {
  Bench bench(before);
  try {
    Types types;
    for (const Var& var : call(bench)) types.push_back(var.type());
    std::string text;
    for (const TensorType& one : types) text += (text.empty() ? "" : " ") + to_string(one);
    bench.p.build();
    return text;
  } catch (const Error& error) {
    EXPECT_NO_THROW(bench.p.build()) << error.what();
    return error.what();
  }
}

constexpr GraphId a{0}, b_{1};
const TensorType flag = type(DType::bool_), number = type(DType::f32), count = type(DType::i64),
                 row = type(DType::f32, {3});

// ------------------------------------------------------------------------------------------------------------------ if

TEST(InferControl, If) {
  const Graphs same = graphs({{{row, count}, {row, number}}, {{row, count}, {row, number}}});
  const Call call = [](Bench& b) { return b.g.if_(b.in(DType::bool_), a, b_, {.captures = {b.f32({3}), b.i64({})}}); };
  EXPECT_EQ(outcome(same, call), "f32[3] f32[]");
  EXPECT_EQ(outcome(graphs({{{}, {}}, {{}, {}}}), [](Bench& b) { return b.g.if_(b.in(DType::bool_), a, b_); }), "");
  EXPECT_EQ(outcome(graphs({{{}, {row}}}), [](Bench& b) { return b.g.if_(b.in(DType::bool_), a, a); }), "f32[3]");
  // Storage and packed values pass through.
  const TensorType packed{DType::packed, {2, 64}, QuantScheme{}}, codes = type(DType::f4e2m1, {2});
  EXPECT_EQ(outcome(graphs({{{packed, codes}, {codes, packed}}}),
                    [](Bench& b) {
                      const Var w = b.packed({2, 64}), c = b.in(DType::f4e2m1, {2});
                      return b.g.if_(b.in(DType::bool_), a, a, {.captures = {w, c}});
                    }),
            "f4e2m1[2] packed<affine, bits=4, group=64, scale=f16>[2, 64]");
}

TEST(InferControl, IfRefuses) {
  const auto call = [](const Graphs& before, DType condition, Shape shape = {}) {
    return outcome(before,
                   [&](Bench& b) { return b.g.if_(b.in(condition, shape), a, b_, {.captures = {b.f32({3})}}); });
  };
  const Graphs fine = graphs({{{row}, {row}}, {{row}, {row}}});
  EXPECT_EQ(call(fine, DType::i32), "[if] condition is i32[], expected bool[]");
  EXPECT_EQ(call(fine, DType::bool_, {1}), "[if] condition is bool[1], expected bool[]");
  EXPECT_EQ(call(graphs({{{}, {row}}, {{row}, {row}}}), DType::bool_),
            "[if] number of inputs of on_true 'a' is 0, expected 1 (what the op passes)");
  EXPECT_EQ(call(graphs({{{row}, {row}}, {{count}, {row}}}), DType::bool_),
            "[if] value 0 passed to on_false 'b' is f32[3], expected i64[] (what the graph declares)");
  EXPECT_EQ(call(graphs({{{row}, {row, row}}, {{row}, {row}}}), DType::bool_),
            "[if] number of results of on_false is 1, expected 2 (as on_true)");
  EXPECT_EQ(call(graphs({{{row}, {row}}, {{row}, {number}}}), DType::bool_),
            "[if] result 0 of on_false is f32[], expected f32[3] (as on_true)");
}

// Sub-graphs share the symbols of their caller.
TEST(InferControl, SymbolsArePassedAsTheyAre) {
  const auto sized = [](Dim size) { return type(DType::f32, {std::move(size)}); };
  const Symbol s("S", 1, 512), t("T");
  const Graphs takes_s = graphs({{{sized(s)}, {sized(Dim(s) + 1)}}});
  EXPECT_EQ(outcome(takes_s, [](Bench& b) { return b.g.call(a, {.operands = {b.f32({b.s})}}); }), "f32[S + 1]");
  EXPECT_EQ(
      outcome(takes_s, [](Bench& b) { return b.g.call(a, {.operands = {b.f32({b.t})}}); }),
      "[call] value 0 passed to graph 'a' is f32[T], expected f32[S] (what the graph declares) (not provable from "
      "the bounds)");
  EXPECT_EQ(
      outcome(takes_s, [](Bench& b) { return b.g.call(a, {.operands = {b.f32({3})}}); }),
      "[call] value 0 passed to graph 'a' is f32[3], expected f32[S] (what the graph declares) (not provable from "
      "the bounds)");
}

// --------------------------------------------------------------------------------------------------------------- while

TEST(InferControl, While) {
  const Graphs loop = graphs({{{count, row, number}, {flag}}, {{count, row, number}, {count, row}}});
  const Call call = [](Bench& b) {
    return b.g.while_(a, b_, {.carry = {b.i64({}), b.f32({3})}, .captures = {b.f32({})}, .max_trips = 0});
  };
  EXPECT_EQ(outcome(loop, call), "i64[] f32[3]");
  EXPECT_EQ(outcome(graphs({{{}, {flag}}, {{}, {}}}), [](Bench& b) { return b.g.while_(a, b_); }), "");
}

TEST(InferControl, WhileRefuses) {
  const auto call = [](const Graphs& before, std::optional<int64_t> max_trips = {}) {
    return outcome(before, [&](Bench& b) {
      return b.g.while_(a, b_, {.carry = {b.i64({})}, .captures = {b.f32({3})}, .max_trips = max_trips});
    });
  };
  const Types passed{count, row};
  EXPECT_EQ(call(graphs({{{count}, {flag}}, {passed, {count}}})),
            "[while] number of inputs of condition 'a' is 1, expected 2 (what the op passes)");
  EXPECT_EQ(call(graphs({{passed, {}}, {passed, {count}}})),
            "[while] number of results of condition is 0, expected 1 (a bool[])");
  EXPECT_EQ(call(graphs({{passed, {flag, flag}}, {passed, {count}}})),
            "[while] number of results of condition is 2, expected 1 (a bool[])");
  EXPECT_EQ(call(graphs({{passed, {count}}, {passed, {count}}})),
            "[while] result of condition is i64[], expected bool[]");
  EXPECT_EQ(call(graphs({{passed, {flag}}, {{row, count}, {count}}})),
            "[while] value 0 passed to body 'b' is i64[], expected f32[3] (what the graph declares)");
  EXPECT_EQ(call(graphs({{passed, {flag}}, {passed, {count, row}}})),
            "[while] number of results of body is 2, expected 1 (the carry)");
  EXPECT_EQ(call(graphs({{passed, {flag}}, {passed, {number}}})),
            "[while] carry 0 after the body is f32[], expected i64[] (its type before)");
  EXPECT_EQ(call(graphs({{passed, {flag}}, {passed, {count}}}), -1), "[while] max_trips is -1, expected at least 0");
}

TEST(InferControl, CarriesKeepTheirSize) {
  const Symbol t("T");
  const TensorType before = type(DType::f32, {t}), after = type(DType::f32, {Dim(t) + 1});
  EXPECT_EQ(outcome(graphs({{{before}, {flag}}, {{before}, {after}}}),
                    [](Bench& b) { return b.g.while_(a, b_, {.carry = {b.f32({b.t})}}); }),
            "[while] carry 0 after the body is f32[T + 1], expected f32[T] (its type before)");
}

// ---------------------------------------------------------------------------------------------------------------- scan

TEST(InferControl, Scan) {
  const Graphs body = graphs({{{count, row, number}, {count, type(DType::f32, {2}), flag}}});
  const Call call = [](Bench& b) {
    return b.g.scan(a, b.t, {.carry = {b.i64({})}, .xs = {b.f32({b.t, 3})}, .captures = {b.f32({})}, .reverse = true});
  };
  EXPECT_EQ(outcome(body, call), "i64[] f32[T, 2] bool[T]");
  EXPECT_EQ(outcome(graphs({{{}, {number}}}), [](Bench& b) { return b.g.scan(a, 0); }), "f32[0]");
  EXPECT_EQ(outcome(graphs({{{number}, {}}}), [](Bench& b) { return b.g.scan(a, 4, {.xs = {b.f32({4})}}); }), "");
}

TEST(InferControl, ScanRefuses) {
  const Types passed{count, row};
  const auto scan = [](const Graphs& before, Dim length, Shape xs, DType dtype = DType::f32) {
    return outcome(before,
                   [&](Bench& b) { return b.g.scan(a, length, {.carry = {b.i64({})}, .xs = {b.in(dtype, xs)}}); });
  };
  const Graphs fine = graphs({{passed, {count}}});
  EXPECT_EQ(scan(fine, -1, {4, 3}), "[scan] length is -1, expected at least 0");
  EXPECT_EQ(scan(fine, 5, {4, 3}), "[scan] axis 0 of xs is 4, expected 5 (length)");
  EXPECT_EQ(scan(fine, Symbol("T"), {4, 3}),
            "[scan] axis 0 of xs is 4, expected T (length) (not provable from the bounds)");
  EXPECT_EQ(scan(fine, 4, {}), "[scan] rank of xs is 0, expected at least 1");
  EXPECT_EQ(scan(fine, 4, {4, 2}),
            "[scan] value 1 passed to body 'a' is f32[2], expected f32[3] (what the graph declares)");
  EXPECT_EQ(scan(fine, 4, {4, 3}, DType::u4),
            "[scan] dtype of xs is u4, expected bool, integer, real or complex (storage needs a cast)");
  EXPECT_EQ(scan(graphs({{{count}, {count}}}), 4, {4, 3}),
            "[scan] number of inputs of body 'a' is 1, expected 2 (what the op passes)");
  EXPECT_EQ(scan(graphs({{passed, {}}}), 4, {4, 3}),
            "[scan] number of results of body is 0, expected at least 1 (the carry)");
  EXPECT_EQ(scan(graphs({{passed, {number}}}), 4, {4, 3}),
            "[scan] carry 0 after the body is f32[], expected i64[] (its type before)");
  EXPECT_EQ(scan(graphs({{passed, {count, type(DType::i4)}}}), 4, {4, 3}),
            "[scan] dtype of ys is i4, expected bool, integer, real or complex (storage needs a cast)");
}

// ---------------------------------------------------------------------------------------------------------------- call

TEST(InferControl, Call) {
  const Graphs graph = graphs({{{row, row}, {number, count, row}}});
  EXPECT_EQ(outcome(graph,
                    [](Bench& b) {
                      const Var x = b.f32({3});
                      return b.g.call(a, {.operands = {x, x}});
                    }),
            "f32[] i64[] f32[3]");
  EXPECT_EQ(outcome(graph, [](Bench& b) { return b.g.call(a, {.operands = {b.f32({3})}}); }),
            "[call] number of inputs of graph 'a' is 2, expected 1 (what the op passes)");
  EXPECT_EQ(outcome(graph, [](Bench& b) { return b.g.call(a, {.operands = {b.f32({3}), b.f32({1})}}); }),
            "[call] value 1 passed to graph 'a' is f32[1], expected f32[3] (what the graph declares)");
  EXPECT_EQ(outcome(graph, [](Bench& b) { return b.g.call(GraphId{1}); }),
            "[call] graph is graph 1, expected a graph with an id below 1");
}

}  // namespace
}  // namespace ingot
