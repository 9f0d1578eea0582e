// What exporters write that is legal and awkward: branches whose results differ in size, loops that make a value longer,
// sizes computed by way of negative numbers. Each is imported once and runs on several sizes; the expected values are
// worked out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "import/onnx/value.h"
#include "runtime/session.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

Bytes integers(const std::string& name, const std::vector<int64_t>& values, bool scalar = false) {
  const Bytes raw(reinterpret_cast<const char*>(values.data()), values.size() * 8);
  const auto count = static_cast<int64_t>(values.size());
  return raw_tensor(name, kInt64, scalar ? std::vector<int64_t>{} : std::vector<int64_t>{count}, raw);
}

Bytes reals(const std::string& name, std::vector<int64_t> dims, const std::vector<float>& values) {
  return raw_tensor(name, kFloat, dims, Bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4));
}

// 1, 2, 3, …
Tensor counting(Sizes sizes) {
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  std::iota(values.begin(), values.end(), 1.0F);
  return Tensor::of<float>(std::move(sizes), values);
}

class Imported {
 public:
  explicit Imported(const ModelText& model) : session_(compile(program(model), {.engine = "reference"})) {}

  Tensor operator()(std::vector<NamedTensor> inputs) { return session_.run(std::move(inputs), "main").at(0).tensor; }
  std::string type() const {
    const Graph& method = session_.executable().method("main");
    return to_string(method.type(method.outputs[0].value));
  }

 private:
  static Program program(const ModelText& model) {
    onnx::ImportResult result = import_bytes(encode(model));
    if (!result.program) throw Error(Code::unsupported, onnx::to_text(result.report));
    return *std::move(result.program);
  }

  Session session_;
};

// --------------------------------------------------------------------------------------------------- branches and loops

// c ? the elements of x that are not 0 : two numbers
TEST(OnnxExporters, BranchesOfDifferentSizes) {
  const GraphText on_true = {.nodes = {{"NonZero", {"x"}, {"places"}},
                                       {"Reshape", {"places", "flat"}, {"list"}},
                                       {"Gather", {"x", "list"}, {"kept"}}},
                             .outputs = {value_info("kept", kFloat, {""})}};
  const GraphText on_false = {.outputs = {value_info("pair", kFloat, {2})},
                              .initializers = {reals("pair", {2}, {5, 6})}};
  Imported choose({.graph = {.nodes = {{"If",
                                        {"c"},
                                        {"y"},
                                        {graph_attribute("then_branch", encode(on_true)),
                                         graph_attribute("else_branch", encode(on_false))}}},
                             .inputs = {value_info("x", kFloat, {"N"}), value_info("c", kBool, {})},
                             .outputs = {value_info("y", kFloat, {""})},
                             .initializers = {integers("flat", {-1})}}});
  const auto of = [&](const std::vector<float>& x, bool c) {
    return onnx::reals_of(choose({{"x", Tensor::of<float>({static_cast<int64_t>(x.size())}, x)},
                                  {"c", onnx::tensor_of(DType::bool_, {}, {c ? 1 : 0})}}));
  };
  EXPECT_EQ(of({0, 3, 0, 4, 1}, true), (std::vector<double>{3, 4, 1}));
  EXPECT_EQ(of({0, 0}, true), std::vector<double>{});
  EXPECT_EQ(of({0, 3, 0}, false), (std::vector<double>{5, 6}));
}

// s = Concat(s, x · trip), or the other way round, along an axis; as long as `most` says and the sum is small.
ModelText growing(std::vector<std::string> order, int64_t axis, bool conditional) {
  GraphText body = {
      .nodes = {{"Cast", {"i"}, {"trip"}, {int_attribute("to", kFloat)}},
                {"Mul", {"x", "trip"}, {"piece"}},
                {"Concat", std::move(order), {"longer"}, {int_attribute("axis", axis)}}},
      .inputs = {value_info("i", kInt64, {}), value_info("on", kBool, {}), value_info("s", kFloat, {"", ""})},
      .outputs = {value_info("again", kBool, {}), value_info("longer", kFloat, {"", ""})}};
  if (conditional)
    body.nodes.push_back({"Less", {"trip", "limit"}, {"again"}});
  else
    body.nodes.push_back({"Identity", {"on"}, {"again"}});
  return {.graph = {.nodes = {{"Loop", {"most", "", "x"}, {"y"}, {graph_attribute("body", encode(body))}}},
                    .inputs = {value_info("x", kFloat, {"N", "M"}), value_info("most", kInt64, {})},
                    .outputs = {value_info("y", kFloat, {"", ""})},
                    .initializers = {reals("limit", {}, {1.5F})}}};
}

TEST(OnnxExporters, LoopsThatMakeAValueLonger) {
  const auto of = [](Imported& loop, int64_t rows, int64_t most) {
    return loop({{"x", counting({rows, 2})}, {"most", Tensor::of<int64_t>({}, {most})}});
  };
  Imported append(growing({"s", "piece"}, 0, false));
  EXPECT_EQ(onnx::reals_of(of(append, 1, 3)), (std::vector<double>{1, 2, 0, 0, 1, 2, 2, 4}));
  EXPECT_EQ(of(append, 2, 2).sizes(), (Sizes{6, 2}));
  EXPECT_EQ(onnx::reals_of(of(append, 2, 0)), (std::vector<double>{1, 2, 3, 4}));
  Imported prepend(growing({"piece", "s"}, 0, false));
  EXPECT_EQ(onnx::reals_of(of(prepend, 1, 3)), (std::vector<double>{2, 4, 1, 2, 0, 0, 1, 2}));
  Imported columns(growing({"s", "piece"}, -1, false));
  EXPECT_EQ(onnx::reals_of(of(columns, 2, 2)), (std::vector<double>{1, 2, 0, 0, 1, 2, 3, 4, 0, 0, 3, 4}));
  Imported until(growing({"s", "piece"}, 0, true));  // trip 2 is the last
  EXPECT_EQ(onnx::reals_of(of(until, 1, 9)), (std::vector<double>{1, 2, 0, 0, 1, 2, 2, 4}));
  EXPECT_EQ(of(until, 1, 2).sizes(), (Sizes{3, 2}));
}

// -------------------------------------------------------------------------------------------------------------- sizes

// Ones of the size that the nodes compute from n = Shape(x) as m.
ModelText ones_of(std::vector<NodeText> nodes) {
  nodes.insert(nodes.begin(), {"Shape", {"x"}, {"n"}});
  nodes.push_back({"Expand", {"one", "m"}, {"y"}});
  return {.graph = {.nodes = std::move(nodes),
                    .inputs = {value_info("x", kFloat, {"N"})},
                    .outputs = {value_info("y", kFloat, {""})},
                    .initializers = {reals("one", {1}, {1}), integers("1", {1}), integers("2", {2}), integers("3", {3}),
                                     integers("4", {4}), integers("9", {9})}}};
}

std::vector<int64_t> sizes_at(const ModelText& model, const std::vector<int64_t>& lengths) {
  Imported ones(model);
  std::vector<int64_t> sizes;
  for (const int64_t length : lengths) sizes.push_back(ones({{"x", counting({length})}}).sizes()[0]);
  return sizes;
}

// Division is towards zero: PyTorch writes the size of a convolution as (n - 1) / 4 + 1.
TEST(OnnxExporters, QuotientsOfNegativeNumbers) {
  const ModelText blocks =
      ones_of({{"Sub", {"n", "1"}, {"a"}}, {"Div", {"a", "4"}, {"b"}}, {"Add", {"b", "1"}, {"m"}}});
  EXPECT_EQ(sizes_at(blocks, {0, 1, 4, 5, 9}), (std::vector<int64_t>{1, 1, 1, 2, 3}));
  const ModelText far = ones_of({{"Sub", {"n", "9"}, {"a"}}, {"Div", {"a", "4"}, {"b"}}, {"Add", {"b", "3"}, {"m"}}});
  EXPECT_EQ(sizes_at(far, {0, 1, 2, 5, 6, 12, 13, 20}), (std::vector<int64_t>{1, 1, 2, 2, 3, 3, 4, 5}));
}

// Mod has the sign of the divisor: -n mod 4 is how much is missing to whole blocks.
TEST(OnnxExporters, RemaindersOfNegativeNumbers) {
  const ModelText missing = ones_of({{"Neg", {"n"}, {"a"}}, {"Mod", {"a", "4"}, {"m"}}});
  EXPECT_EQ(sizes_at(missing, {0, 1, 4, 5, 7}), (std::vector<int64_t>{0, 3, 0, 3, 1}));
  const ModelText rolled = ones_of({{"Mod", {"2", "n"}, {"m"}}});
  EXPECT_EQ(sizes_at(rolled, {1, 2, 3, 9}), (std::vector<int64_t>{0, 0, 2, 2}));
}

// A third of x, made even by a zero, in two halves: nothing proves that its size n/3 + n/3 mod 2 is not negative.
TEST(OnnxExporters, SizesThatDoNotShowTheyAreNotNegative) {
  const auto sum_of = [](std::vector<NodeText> last) {
    std::vector<NodeText> nodes = {{"Shape", {"x"}, {"n"}},
                                   {"Div", {"n", "3"}, {"third"}},
                                   {"Slice", {"x", "0", "third"}, {"part"}},
                                   {"Mod", {"third", "2"}, {"odd"}},
                                   {"Concat", {"0", "odd"}, {"pads"}, {int_attribute("axis", 0)}},
                                   {"Pad", {"part", "pads"}, {"even"}}};
    nodes.insert(nodes.end(), last.begin(), last.end());
    return Imported(
        {.graph = {.nodes = nodes,
                   .inputs = {value_info("x", kFloat, {"N"})},
                   .outputs = {value_info("y", kFloat, {""})},
                   .initializers = {integers("0", {0}), integers("1", {1}), integers("2", {2}), integers("3", {3}),
                                    integers("end", {1 << 30}), integers("halves", {2, -1})}}});
  };
  Imported seconds = sum_of({{"Slice", {"even", "1", "end", "0", "2"}, {"y"}}});
  EXPECT_EQ(onnx::reals_of(seconds({{"x", counting({13})}})), (std::vector<double>{2, 4}));
  EXPECT_EQ(onnx::reals_of(seconds({{"x", counting({9})}})), (std::vector<double>{2, 0}));
  EXPECT_EQ(onnx::reals_of(seconds({{"x", counting({2})}})), std::vector<double>{});
  Imported halves = sum_of(
      {{"Reshape", {"even", "halves"}, {"two"}}, {"ReduceSum", {"two", "0"}, {"y"}, {int_attribute("keepdims", 0)}}});
  EXPECT_EQ(onnx::reals_of(halves({{"x", counting({13})}})), (std::vector<double>{4, 6}));
  EXPECT_EQ(onnx::reals_of(halves({{"x", counting({9})}})), (std::vector<double>{4, 2}));
}

// Positions of known number, compared, are a mask: the program says so, and does not hold its elements as a weight.
TEST(OnnxExporters, MasksOfKnownSizes) {
  const ModelText model = {
      .graph = {.nodes = {{"Range", {"0", "3", "1"}, {"i"}},
                          {"Unsqueeze", {"i", "axis"}, {"rows"}},
                          {"LessOrEqual", {"i", "rows"}, {"seen"}},
                          {"Where", {"seen", "x", "hidden"}, {"y"}}},
                .inputs = {value_info("x", kFloat, {3, 3})},
                .outputs = {value_info("y", kFloat, {3, 3})},
                .initializers = {integers("0", {0}, true), integers("1", {1}, true), integers("3", {3}, true),
                                 integers("axis", {1}), reals("hidden", {}, {-1})}}};
  const Program program = import_bytes(encode(model)).program.value();
  const auto has = [&](Opcode opcode) {
    const auto is = [&](const Node& node) { return node.op.opcode() == opcode; };
    return std::ranges::any_of(program.graphs.back().nodes, is);
  };
  EXPECT_TRUE(has(Opcode::iota) && has(Opcode::compare));
  EXPECT_EQ(onnx::reals_of(Imported(model)({{"x", counting({3, 3})}})),
            (std::vector<double>{1, -1, -1, 4, 5, -1, 7, 8, 9}));
}

}  // namespace
}  // namespace ingot::test
