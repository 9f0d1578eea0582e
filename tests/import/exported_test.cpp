// What exporters and optimisers write that a careful hand would not: nodes out of order, outputs that nobody reads, sizes
// that fit without a proof.
#include <gtest/gtest.h>

#include <algorithm>

#include "program/text.h"
#include "runtime/session.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

Bytes int64s(const std::string& name, const std::vector<int64_t>& values) {
  const Bytes raw(reinterpret_cast<const char*>(values.data()), values.size() * 8);
  return raw_tensor(name, kInt64, {static_cast<int64_t>(values.size())}, raw);
}

Bytes text_attribute(const std::string& name, const std::string& value) {
  return attribute(name, 3, [&](auto& w) { w.add_bytes(4, value); });
}

// y, of one axis for each name, from x: f32[N, S].
ModelText model_of(std::vector<NodeText> nodes, std::vector<Bytes> constants = {}, size_t rank = 2) {
  ModelText model = one_node({}, {"N", "S"});
  model.graph.nodes = std::move(nodes);
  model.graph.initializers = std::move(constants);
  model.graph.outputs = {value_info("y", kFloat, std::vector<DimText>(rank, ""))};
  model.opsets = {opset("", 17), opset("com.microsoft", 1)};
  return model;
}

Program program_of(const ModelText& model) {
  onnx::ImportResult result = import_bytes(encode(model));
  if (!result.program) throw Error(Code::unsupported, onnx::to_text(result.report));
  return *std::move(result.program);
}

std::string type_of_y(const Program& program) {
  const Graph& method = *program.method("main");
  return to_string(method.type(method.outputs[0].value));
}

std::vector<float> run(const Program& program, Sizes sizes, const std::vector<float>& x) {
  Session session(compile(program, {.engine = "reference"}));
  const Tensor y = session.run({{"x", Tensor::of<float>(std::move(sizes), x)}}, "main").at(0).tensor;
  const std::span<const float> elements = y.as<float>();
  return {elements.begin(), elements.end()};
}

// --------------------------------------------------------------------------------------------------------------- order

TEST(Exported, NodesOutOfOrder) {
  const Program program =
      program_of(model_of({{"Sub", {"b", "a"}, {"y"}}, {"Mul", {"a", "a"}, {"b"}}, {"Neg", {"x"}, {"a"}}}));
  EXPECT_EQ(run(program, {1, 2}, {2, 3}), (std::vector<float>{6, 12}));
}

// A branch reads what its If does not name.
TEST(Exported, BranchesThatReadWhatComesLater) {
  const auto branch = [](const std::string& op) {
    return encode(GraphText{.nodes = {{op, {"a"}, {"r"}}}, .outputs = {value_info("r", kFloat, {"", ""})}});
  };
  const std::vector<Bytes> branches = {graph_attribute("then_branch", branch("Neg")),
                                       graph_attribute("else_branch", branch("Abs"))};
  const Program program = program_of(model_of({{"If", {"c"}, {"y"}, branches},
                                               {"Mul", {"x", "x"}, {"a"}},
                                               {"Cast", {"s"}, {"c"}, {int_attribute("to", kBool)}},
                                               {"ReduceMax", {"x"}, {"s"}, {int_attribute("keepdims", 0)}}}));
  EXPECT_EQ(run(program, {1, 2}, {2, -3}), (std::vector<float>{-4, -9}));
  EXPECT_EQ(run(program, {1, 2}, {0, -3}), (std::vector<float>{0, 9}));
}

// Nodes that are in order keep it.
TEST(Exported, OrderIsKept) {
  const Program program = program_of(
      model_of({{"Neg", {"x"}, {"a"}}, {"Abs", {"x"}, {"b"}}, {"Exp", {"x"}, {"c"}}, {"Sum", {"c", "a", "b"}, {"y"}}}));
  std::vector<std::string> ops;
  for (const Node& node : program.method("main")->nodes) ops.push_back(mnemonic(node.op));
  ops.resize(3);
  EXPECT_EQ(ops, (std::vector<std::string>{"neg", "abs", "exp"}));
}

// ------------------------------------------------------------------------------------------------------------- outputs

TEST(Exported, OutputsThatNobodyReads) {
  const auto norm = [](std::vector<NodeText> more) {
    std::vector<NodeText> nodes = {
        {"SkipLayerNormalization", {"x", "x", "w"}, {"y", "mean", "deviation", "sum"}, {}, "norm", "com.microsoft"}};
    nodes.insert(nodes.end(), more.begin(), more.end());
    const std::vector<float> ones = {1, 1};
    return model_of(nodes, {raw_tensor("w", kFloat, {2}, Bytes(reinterpret_cast<const char*>(ones.data()), 8))});
  };
  EXPECT_EQ(run(program_of(norm({})), {1, 2}, {-3, 3}), (std::vector<float>{-1, 1}));
  EXPECT_EQ(report(encode(norm({{"Neg", {"mean"}, {"z"}}}))),
            "com.microsoft::SkipLayerNormalization-1 (1x): output 1 (mean) is not computed\n  at norm\n");
}

// --------------------------------------------------------------------------------------------------------- open sizes

// One more in front, one less at the end.
TEST(Exported, APadThatMovesKeepsTheSize) {
  const auto moved = [](const std::vector<int64_t>& pads) {
    return program_of(model_of({{"Pad", {"x", "p"}, {"y"}}}, {int64s("p", pads)}));
  };
  EXPECT_EQ(type_of_y(moved({0, 1, 0, -1})), "f32[N, S]");
  EXPECT_EQ(run(moved({0, 1, 0, -1}), {2, 3}, {1, 2, 3, 4, 5, 6}), (std::vector<float>{0, 1, 2, 0, 4, 5}));
  EXPECT_EQ(run(moved({0, 1, 0, -1}), {1, 1}, {7}), (std::vector<float>{0}));
  EXPECT_EQ(run(moved({-1, 0, 1, 0}), {2, 2}, {1, 2, 3, 4}), (std::vector<float>{3, 4, 0, 0}));
  EXPECT_EQ(type_of_y(moved({-1, 0, 0, -2})), "f32[max(N, 1) - 1, max(S, 2) - 2]");
  EXPECT_EQ(run(moved({-1, 0, 0, -2}), {2, 3}, {1, 2, 3, 4, 5, 6}), (std::vector<float>{4}));
}

TEST(Exported, ReflectedPadsCutFirst) {
  const Program program = program_of(
      model_of({{"Pad", {"x", "p"}, {"y"}, {text_attribute("mode", "reflect")}}}, {int64s("p", {0, 1, 0, -1})}));
  EXPECT_EQ(run(program, {1, 4}, {1, 2, 3, 4}), (std::vector<float>{2, 1, 2, 3}));
}

// With a cache of results or without: the branches know their sizes from what is around them, so they run once.
TEST(Exported, BranchesOfDifferentSizes) {
  const auto outputs = [] {
    return std::vector<Bytes>{value_info("p", kFloat, {"", ""}), value_info("q", kFloat, {"", ""})};
  };
  const Bytes joined =
      encode(GraphText{.nodes = {{"Concat", {"x", "x"}, {"p"}, {int_attribute("axis", 1)}}, {"Neg", {"p"}, {"q"}}},
                       .outputs = outputs()});
  const Bytes plain = encode(GraphText{.nodes = {{"Neg", {"x"}, {"p"}}, {"Abs", {"x"}, {"q"}}}, .outputs = outputs()});
  const Program program = program_of(model_of(
      {{"ReduceMax", {"x"}, {"s"}, {int_attribute("keepdims", 0)}},
       {"Cast", {"s"}, {"c"}, {int_attribute("to", kBool)}},
       {"If", {"c"}, {"p", "q"}, {graph_attribute("then_branch", joined), graph_attribute("else_branch", plain)}, "if"},
       {"Add", {"p", "q"}, {"y"}}}));
  EXPECT_EQ(type_of_y(program), "f32[N, if_size]");
  std::vector<std::string> ops;
  for (const Node& node : program.method("main")->nodes) ops.push_back(mnemonic(node.op));
  EXPECT_EQ(std::ranges::count(ops, "if"), 1);
  EXPECT_EQ(std::ranges::count(ops, "item"), 1);
  EXPECT_EQ(run(program, {1, 2}, {1, 2}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(run(program, {1, 2}, {0, -2}), (std::vector<float>{0, 4}));
}

// x[:, -S:], which is x, and z[:, -S:] of what may be longer.
TEST(Exported, TheLastSoMany) {
  const auto last = [](const std::string& of) {
    ModelText model = model_of({{"Shape", {"x"}, {"sizes"}},
                                {"Slice", {"sizes", "one", "two"}, {"s"}},
                                {"Neg", {"s"}, {"start"}},
                                {"Slice", {of, "start", "most", "one"}, {"y"}}},
                               {int64s("one", {1}), int64s("two", {2}), int64s("most", {INT64_MAX})});
    model.graph.inputs.push_back(value_info("z", kFloat, {"N", "T"}));
    return program_of(model);
  };
  EXPECT_EQ(type_of_y(last("x")), "f32[N, S]");
  Session session(compile(last("z"), {.engine = "reference"}));
  const auto run_last = [&](int64_t s, const std::vector<float>& z) {
    const std::vector<NamedTensor> inputs = {{"x", Tensor::allocate(DType::f32, {1, s})},
                                             {"z", Tensor::of<float>({1, static_cast<int64_t>(z.size())}, z)}};
    const Tensor y = session.run(inputs, "main").at(0).tensor;
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_EQ(run_last(2, {1, 2, 3}), (std::vector<float>{2, 3}));
  EXPECT_EQ(run_last(5, {1, 2, 3}), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(run_last(0, {1, 2, 3}), (std::vector<float>{1, 2, 3}));
}

// j is S in one operand and T in the other.
TEST(Exported, EinsumOverSizesThatFitWithoutAProof) {
  ModelText model = model_of({{"Einsum", {"x", "z"}, {"y"}, {text_attribute("equation", "ij,jk->ik")}}});
  model.graph.inputs.push_back(value_info("z", kFloat, {"T", "K"}));
  const Program program = program_of(model);
  EXPECT_EQ(type_of_y(program), "f32[N, K]");
  Session session(compile(program, {.engine = "reference"}));
  const auto product = [&](int64_t t) {
    const std::vector<float> z(static_cast<size_t>(t), 2);
    const std::vector<NamedTensor> inputs = {{"x", Tensor::of<float>({1, 2}, {1, 2})},
                                             {"z", Tensor::of<float>({t, 1}, z)}};
    return session.run(inputs, "main").at(0).tensor.as<float>()[0];
  };
  EXPECT_EQ(product(2), 6.0F);
  EXPECT_THROW(product(3), Error);
}

}  // namespace
}  // namespace ingot::test
