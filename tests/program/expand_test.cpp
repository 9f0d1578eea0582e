// expand_composites: nothing composite is left, and everything else is as it was. (Values: tests/reference.)
#include "passes/expand.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "program/builder.h"
#include "program/error.h"
#include "program/verify.h"
#include "tests/support/op_examples.h"

namespace ingot {
namespace {

bool composite(const Node& node) { return kOpFacts[node.op.index()].composite; }

size_t composites(const Program& program) {
  size_t count = 0;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) count += composite(node);
  }
  return count;
}

// The types of a graph's interface, and its names.
std::string interface_of(const Graph& graph) {
  std::string text = fmt::format("{} {}:", graph.exported ? "method" : "graph", graph.name);
  for (Ref ref : graph.inputs) text += fmt::format(" {} {}", graph.values[ref.id].name, to_string(graph.type(ref)));
  text += " ->";
  for (const Output& out : graph.outputs) text += fmt::format(" {} {}", out.name, to_string(graph.type(out.value)));
  return text;
}

// Expands, and checks what holds for every program.
Program expanded(const Program& program) {
  Program result = expand_composites(program);
  EXPECT_NO_THROW(verify(result));
  EXPECT_EQ(composites(result), 0U);
  EXPECT_EQ(result.graphs.size(), program.graphs.size());
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    EXPECT_EQ(interface_of(result.graphs[i]), interface_of(program.graphs[i]));
  }
  return result;
}

// One op on fresh inputs, in a method of its own.
Program only(const std::function<Var(ProgramBuilder&, GraphBuilder&)>& make) {
  ProgramBuilder p;
  p.symbol("S", 1, 512);
  p.symbol("T", 1, 64);
  GraphBuilder& f = p.method("f");
  f.output("y", make(p, f));
  return p.build();
}

const Symbol s("S", 1, 512), t("T", 1, 64);

TEST(Expand, PrimitivesThatAreNotKept) {
  const Program program = only([](ProgramBuilder&, GraphBuilder& f) {
    const Var x = f.input("x", DType::f32, {4});
    return f.softmax(x + x);
  });
  const auto keep_all_but = [](std::string_view primitive) {
    return [=](const Op& op, const Graph&) { return !kOpFacts[op.index()].composite && mnemonic(op) != primitive; };
  };
  EXPECT_EQ(composites(expand_composites(program, keep_all_but("none"))), 0U);
  try {
    expand_composites(program, keep_all_but("add"));
    FAIL() << "add has no decomposition";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_EQ(error.op(), "add");
    EXPECT_NE(error.node(), "");
  }
}

TEST(Expand, EveryComposite) {
  std::set<std::string_view> wanted, seen = {"softmax", "layer_norm", "rms_norm", "attention", "quantized_matmul"};
  for (const OpFacts& facts : kOpFacts) {
    if (facts.composite) wanted.insert(facts.mnemonic);
  }
  for (const Program& program : test::op_examples()) {
    expanded(program);
    for (const Graph& graph : program.graphs) {
      for (const Node& node : graph.nodes) {
        if (composite(node)) seen.insert(kOpFacts[node.op.index()].mnemonic);
      }
    }
  }
  EXPECT_EQ(seen, wanted) << "a new composite needs an example in tests/data/ops";
}

TEST(Expand, OfEveryDtypeAndAttribute) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const auto in = [=](GraphBuilder& f, const char* name, Shape shape) {
      return f.input(name, dtype, std::move(shape));
    };
    for (int64_t axis : {-1, 0, 1}) {
      for (bool log : {false, true}) {
        expanded(only([&](auto&, auto& f) { return f.softmax(in(f, "x", {s, 3}), {.axis = axis, .log = log}); }));
      }
      expanded(only([&](auto&, auto& f) { return f.layer_norm(in(f, "x", {s, t}), {.axis = axis}); }));
      expanded(only([&](auto&, auto& f) { return f.rms_norm(in(f, "x", {4, 0}), {.axis = axis, .eps = 0}); }));
    }
    // Parameters of a wider dtype than x.
    expanded(only([&](auto&, auto& f) {
      const Var w = f.input("w", DType::f64, {t}), b = f.input("b", DType::f32, {t});
      return f.layer_norm(in(f, "x", {s, t}), {.weight = w, .bias = b});
    }));
    expanded(
        only([&](auto&, auto& f) { return f.rms_norm(in(f, "x", {t}), {.weight = f.input("w", DType::f64, {t})}); }));
    for (Causal causal : {Causal::none, Causal::upper_left, Causal::lower_right}) {
      for (Shape mask : {Shape{}, Shape{s, t}, Shape{2, 1, s, t}}) {
        for (DType mask_dtype : {DType::bool_, DType::f16, DType::f64}) {
          expanded(only([&](auto&, auto& f) {
            const Var q = in(f, "q", {2, 8, s, 16}), k = in(f, "k", {2, 4, t, 16}), v = in(f, "v", {2, 4, t, 3});
            const auto window = causal == Causal::none ? std::optional<int64_t>() : 3;
            return f.attention(
                q, k, v, {.mask = f.input("m", mask_dtype, mask), .causal = causal, .window = window, .softcap = 20.0});
          }));
        }
      }
    }
    expanded(only([&](auto&, auto& f) {
      const Var q = in(f, "q", {0, s, t, t}), k = f.input("k", DType::bf16, {0, s, 0, t}),
                v = f.input("v", DType::bool_, {0, s, 0, 0});
      return f.attention(q, k, v, {.scale = 1.0});
    }));
    for (Shape x : {Shape{64}, Shape{0, 64}, Shape{2, s, 64}}) {
      expanded(only([&](auto&, auto& f) {
        const Var w = f.input("w", TensorType{DType::packed, {t, 64}, QuantScheme{}}),
                  scale = f.input("scale", DType::f32, {});
        return f.quantized_matmul(in(f, "x", x), w, {.scale = scale});
      }));
    }
  }
}

TEST(Expand, LeavesAProgramWithoutCompositesAsItIs) {
  const Program before = only([](auto& p, auto& f) {
    const Var x = f.input("x", DType::f32, {s, 2});
    const Var w = f.weight(p.weight("w", Tensor::of<float>({2}, {1, 2})));
    f.exp(x);  // dead, and kept
    return (x * w).named("scaled");
  });
  const Program after = expanded(before);
  ASSERT_EQ(after.graphs[0].nodes.size(), before.graphs[0].nodes.size());
  for (size_t i = 0; i < before.graphs[0].nodes.size(); ++i) {
    EXPECT_EQ(mnemonic(after.graphs[0].nodes[i].op), mnemonic(before.graphs[0].nodes[i].op));
    EXPECT_EQ(after.graphs[0].nodes[i].name, before.graphs[0].nodes[i].name);
  }
}

// A composite in each kind of place, with names and sources.
Program rich() {
  ProgramBuilder p;
  const Symbol size = p.symbol("S", 1, 512);
  p.symbol("N", 0, 100);
  const WeightId w =
      p.weight(Weight::of("w", Tensor::of<float>({3}, {1, 2, 3}), {7, 8}, ExternalTensor{"a.safetensors", "w"}));
  const StateId state = p.state("last", {DType::f32, {3}, {}}, w);

  GraphBuilder& body = p.graph("body");
  const Var carry = body.input("carry", DType::f32, {3}), row = body.input("row", DType::f32, {3});
  body.output("carry", body.softmax(carry + row).named("soft"));
  body.output("y", row);

  GraphBuilder& f = p.method("f");
  const Var x = f.input("x", DType::f32, {size, 3});
  f.set_source({"torch.rms_norm", "model.pt2"});
  f.set_node_name("norm.0");
  const Var y = f.rms_norm(x, {.weight = f.weight(w)});
  f.name_value(y, "normed");
  f.set_source({});
  f.set_node_name("");
  const std::vector<Var> swept = f.scan(body.id(), size, {.carry = {f.state_read(state)}, .xs = {y}});
  f.name_value(swept[0], "swept");
  f.state_write(state, swept[0]);
  f.output("ys", swept[1]);
  f.output("hits", f.nonzero(y, p.symbol_id("N")));
  return p.build();
}

TEST(Expand, SubGraphsTablesNamesAndSourcesSurvive) {
  const Program before = rich(), after = expanded(before);
  EXPECT_EQ(composites(before), 2U);

  ASSERT_EQ(after.symbols.size(), 2U);
  EXPECT_EQ(after.symbols[0].max(), 512);
  ASSERT_EQ(after.weights.size(), 1U);
  EXPECT_EQ(after.weights[0].hash, before.weights[0].hash);
  EXPECT_EQ(after.weights[0].external, before.weights[0].external);
  EXPECT_EQ(after.weights[0].tensor->bytes().data(), before.weights[0].tensor->bytes().data());
  ASSERT_EQ(after.states.size(), 1U);
  EXPECT_EQ(after.states[0].initial, before.states[0].initial);

  // Every name of a value is still there, with its type.
  for (size_t g = 0; g < before.graphs.size(); ++g) {
    for (const Value& value : before.graphs[g].values) {
      if (value.name.empty()) continue;
      const auto& values = after.graphs[g].values;
      const auto same =
          std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.name == value.name; });
      ASSERT_NE(same, values.end()) << value.name;
      EXPECT_EQ(same->type, value.type) << value.name;
    }
  }
  // Nodes of the expansion carry name and source of their composite; the others none.
  size_t from_norm = 0;
  for (const Node& node : after.graphs[1].nodes) {
    if (node.source == Source{"torch.rms_norm", "model.pt2"}) {
      EXPECT_EQ(node.name, "norm.0");
      ++from_norm;
    } else {
      EXPECT_TRUE(node.source == Source{} && node.name.empty()) << node.name;
    }
  }
  EXPECT_GT(from_norm, 1U);
  EXPECT_EQ(mnemonic(after.graphs[0].nodes[0].op), "add");
  for (size_t i = 1; i < after.graphs[0].nodes.size(); ++i) EXPECT_EQ(after.graphs[0].nodes[i].name, "soft");
}

TEST(Expand, IsIdempotent) {
  const Program once = expanded(rich()), twice = expanded(once);
  for (size_t g = 0; g < once.graphs.size(); ++g) EXPECT_EQ(twice.graphs[g].nodes.size(), once.graphs[g].nodes.size());
}

}  // namespace
}  // namespace ingot
