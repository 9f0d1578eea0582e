// Whole models: those of tests/data/onnx/make*.py, imported and run; their outputs are ONNX's own, ONNX Runtime's or
// NumPy's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "gen/test_paths.h"
#include "import/onnx/model.h"
#include "import/onnx/tensor.h"
#include "program/error.h"
#include "program/io/mapped_file.h"
#include "program/text.h"
#include "runtime/compare.h"
#include "runtime/session.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

fs::path fixture(std::string_view name) { return fs::path(source_dir) / "tests/data/onnx" / name; }

Program import_fixture(std::string_view name) {
  onnx::ImportResult result = onnx::import_model(fixture(name) / "model.onnx");
  if (!result.program) throw Error(Code::unsupported, onnx::to_text(result.report));
  return *std::move(result.program);
}

std::vector<Tensor> tensors(const fs::path& folder, const std::string& kind) {
  std::vector<Tensor> result;
  for (size_t i = 0; fs::exists(folder / (kind + "_" + std::to_string(i) + ".pb")); ++i) {
    const Buffer file = map_file(folder / (kind + "_" + std::to_string(i) + ".pb")).buffer;
    result.push_back(onnx::TensorReader(file, {}).read(onnx::read_tensor(file.bytes)));
  }
  return result;
}

std::vector<NamedTensor> run(Session& session, const std::vector<Tensor>& inputs) {
  const Graph& method = session.executable().method("main");
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < inputs.size(); ++i) named.push_back({method.values[method.inputs[i].id].name, inputs[i]});
  return session.run(std::move(named));
}

// How often each op stands in the graphs of a program, by mnemonic.
std::map<std::string, int> op_counts(const Program& program) {
  std::map<std::string, int> counts;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) ++counts[mnemonic(node.op)];
  }
  return counts;
}

class OnnxModels : public testing::TestWithParam<const char*> {};

TEST_P(OnnxModels, GivesTheExpectedOutputs) {
  Session session(compile(import_fixture(GetParam()), {.engine = "reference"}));
  size_t sets = 0;
  for (; fs::exists(fixture(GetParam()) / ("test_data_set_" + std::to_string(sets))); ++sets) {
    const fs::path data = fixture(GetParam()) / ("test_data_set_" + std::to_string(sets));
    const std::vector<Tensor> expected = tensors(data, "output");
    const std::vector<NamedTensor> outputs = run(session, tensors(data, "input"));
    ASSERT_EQ(outputs.size(), expected.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(compare(outputs[i].tensor, expected[i], {.rtol = 1e-5, .atol = 1e-6}).difference, "")
          << outputs[i].name << ", data set " << sets;
    }
  }
  EXPECT_GT(sets, 0u);
}

// The text form keeps everything, so an imported program can be printed and read back.
TEST_P(OnnxModels, PrintsAndParses) {
  const Program program = import_fixture(GetParam());
  const std::string text = print(program, {.inline_bytes = 1 << 20});
  EXPECT_EQ(print(parse(text), {.inline_bytes = 1 << 20}), text);
}

INSTANTIATE_TEST_SUITE_P(All, OnnxModels,
                         testing::Values("shape_arithmetic", "equal_symbols", "open_reshape", "branches",
                                         "known_branch", "counted_loop", "open_loop", "nested_loops",
                                         "constant_conditions", "sequences", "scans", "functions", "dtypes",
                                         "constants", "old_forms", "external_data", "windows", "data_sizes",
                                         "open_scan_loop", "opset_6", "opset_8_scan", "short_indices"),
                         [](const auto& test) { return std::string(test.param); });

// Nothing of the arithmetic of sizes stays: only what computes on data.
TEST(OnnxImport, SizesBecomeExpressions) {
  const std::map<std::string, int> expected = {{"reshape", 5}, {"matmul", 1},      {"transpose", 1}, {"slice", 1},
                                               {"add", 1},     {"broadcast", 1},   {"cast", 1},      {"mul", 1},
                                               {"size_of", 3}, {"concatenate", 1}, {"full", 1}};
  EXPECT_EQ(op_counts(import_fixture("shape_arithmetic")), expected);
}

TEST(OnnxImport, SymbolsHaveTheNamesOfTheFile) {
  const Program program = import_fixture("shape_arithmetic");
  ASSERT_EQ(program.symbols.size(), 2u);
  EXPECT_EQ(program.symbols[0].name(), "batch");
  EXPECT_EQ(program.symbols[1].name(), "time");
  const Graph& method = *program.method("main");
  EXPECT_EQ(to_string(method.type(method.outputs[0].value)), "f32[batch, 2, time, 3]");
}

TEST(OnnxImport, NodesSayWhereTheyComeFrom) {
  const Program program = import_fixture("functions");
  const Graph& method = *program.method("main");
  const auto soft = std::ranges::find_if(method.nodes, [](const Node& n) { return mnemonic(n.op) == "softmax"; });
  EXPECT_EQ(soft->name, "ShiftScale_h/b/a");
  EXPECT_EQ(soft->source.op, "ai.onnx::Softmax-17");
  EXPECT_EQ(soft->source.file, "model.onnx");
}

TEST(OnnxImport, OddNamesOfSizes) {
  ModelText model = one_node({"Relu", {"x"}, {"y"}}, {"batch size", "batch_size", "2*n", "", int64_t{-1}});
  model.graph.outputs = {value_info("y", kFloat, {"", "", "", "", ""})};
  const onnx::ImportResult result = import_bytes(encode(model));
  ASSERT_TRUE(result.program);
  const Graph& method = *result.program->method("main");
  EXPECT_EQ(to_string(method.type(method.inputs[0])), "f32[batch_size, batch_size_2, _2_n, x_3, x_4]");
}

TEST(OnnxImport, ShapesFromOptions) {
  ModelText model = one_node({"Relu", {"x"}, {"y"}}, {"n", ""});
  model.graph.outputs = {value_info("y", kFloat, {"", ""})};
  const onnx::ImportResult result = import_bytes(encode(model), {.shapes = {{"x", {"4", "T=1..512"}}}});
  ASSERT_TRUE(result.program);
  const Graph& method = *result.program->method("main");
  EXPECT_EQ(to_string(method.type(method.inputs[0])), "f32[4, T]");
  ASSERT_EQ(result.program->symbols.size(), 1u);
  EXPECT_EQ(result.program->symbols[0].min(), 1);
  EXPECT_EQ(result.program->symbols[0].max(), 512);
}

TEST(OnnxImport, InputsAsConstants) {
  ModelText model = {.graph = {.nodes = {{"Unsqueeze", {"x", "axes"}, {"y"}}},
                               .inputs = {value_info("x", kFloat, {2}), value_info("axes", kInt64, {1})},
                               .outputs = {value_info("y", kFloat, {2, 1})}}};
  const auto imported = [&](const onnx::ImportOptions& options) {
    const onnx::ImportResult result = import_bytes(encode(model), options);
    const Graph& method = *result.program.value().method("main");
    return fmt::format("{} inputs, {}", method.inputs.size(), to_string(method.type(method.outputs[0].value)));
  };
  EXPECT_EQ(imported({}), "2 inputs, f32[y_size, y_size_2]");
  EXPECT_EQ(imported({.constants = {{"axes", Tensor::of<int64_t>({1}, {-1})}}}), "1 inputs, f32[2, 1]");
}

// Two names for the same bytes are one weight, and what only says a shape is none.
TEST(OnnxImport, WeightsAreSharedByContents) {
  const Bytes w(24, '\1');
  ModelText model = one_node({"Add", {"x", "w1"}, {"h"}});
  model.graph.nodes.push_back({"Add", {"h", "w2"}, {"g"}});
  model.graph.nodes.push_back({"Reshape", {"g", "shape"}, {"y"}});
  model.graph.outputs = {value_info("y", kFloat, {6})};
  const int64_t six = 6;
  model.graph.initializers = {raw_tensor("w1", kFloat, {2, 3}, w), raw_tensor("w2", kFloat, {2, 3}, w),
                              raw_tensor("shape", kInt64, {1}, Bytes(reinterpret_cast<const char*>(&six), 8))};
  const onnx::ImportResult result = import_bytes(encode(model));
  ASSERT_TRUE(result.program);
  ASSERT_EQ(result.program->weights.size(), 1u);
  EXPECT_EQ(result.program->weights[0].name, "w1");
}

// A number is part of the computation, whatever the exporter calls it, unless it is said to be a parameter.
TEST(OnnxImport, InitializersOfOneElementAreNumbers) {
  const float half = 0.5F;
  ModelText model = one_node({"Mul", {"x", "scale"}, {"y"}});
  model.graph.outputs = {value_info("y", kFloat, {2, 3})};
  model.graph.initializers = {raw_tensor("scale", kFloat, {1}, Bytes(reinterpret_cast<const char*>(&half), 4))};
  const auto weights_with = [&](const onnx::ImportOptions& options) {
    const Program program = import_bytes(encode(model), options).program.value();
    std::vector<std::string> names;
    for (const Weight& weight : program.weights) names.push_back(weight.name);
    return names;
  };
  EXPECT_EQ(weights_with({}), std::vector<std::string>{});
  EXPECT_EQ(weights_with({.parameters = {"scale"}}), std::vector<std::string>{"scale"});
  EXPECT_THROW(weights_with({.parameters = {"scales"}}), Error);
}

// The bytes of an aligned weight are those of the mapped file, also after everything else is gone.
TEST(OnnxImport, WeightsAreViewsOfTheFile) {
  const Program program = import_fixture("external_data");
  const Buffer file = map_file(fixture("external_data") / "weights.bin").buffer;
  ASSERT_EQ(program.weights.size(), 2u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(program.weights[0].tensor->bytes().data()) % 4096, 4u);
  EXPECT_TRUE(std::ranges::equal(program.weights[0].tensor->bytes(), file.bytes.subspan(4, 24)));
}

// Sizes of different names are promised to be equal, and that is checked.
TEST(OnnxImport, PromisesAreCheckedWhenTheProgramRuns) {
  Session session(compile(import_fixture("equal_symbols"), {.engine = "reference"}));
  const Tensor a = Tensor::of<float>({1, 2}, {1, 2}), b = Tensor::of<float>({1, 3}, {1, 2, 3});
  const Tensor c = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  try {
    run(session, {a, b, c});
    FAIL() << "sizes 2 and 3 were taken for equal";
  } catch (const Error& error) {
    EXPECT_EQ(error.op(), "ensure_shape") << error.what();
  }
}

TEST(OnnxImport, ProgressCountsNodes) {
  std::vector<size_t> seen;
  onnx::import_model(fixture("branches") / "model.onnx", {.progress = [&](size_t done, size_t total) {
                       EXPECT_EQ(total, 6u);
                       seen.push_back(done);
                     }});
  EXPECT_EQ(seen, (std::vector<size_t>{1, 2, 3, 4, 5, 6}));
}

TEST(OnnxImport, ErrorsBeginWithTheFile) {
  try {
    onnx::import_model(fixture("none") / "model.onnx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::not_found);
  }
}

}  // namespace
}  // namespace ingot::test
