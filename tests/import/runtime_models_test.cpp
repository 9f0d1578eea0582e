// Ops of com.microsoft and ai.onnx.ml: models of make_microsoft.py and make_ml.py, with the outputs of ONNX Runtime
// beside them. That computes in f32, hence the tolerance.
#include <gtest/gtest.h>

#include <algorithm>

#include "gen/test_paths.h"
#include "import/onnx/import.h"
#include "program/io/mapped_file.h"
#include "program/io/npz.h"
#include "runtime/compare.h"
#include "runtime/session.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

class RuntimeModels : public testing::TestWithParam<const char*> {};

TEST_P(RuntimeModels, GivesTheExpectedOutputs) {
  const fs::path base = fs::path(source_dir) / "tests/data/onnx_runtime";
  onnx::ImportResult imported = onnx::import_model(base / (std::string(GetParam()) + ".onnx"));
  ASSERT_TRUE(imported.program) << onnx::to_text(imported.report);
  const std::vector<NamedTensor> data = read_npz(map_file(base / (std::string(GetParam()) + ".npz")).buffer);
  const auto find = [&](const std::string& name) {
    return std::ranges::find_if(data, [&](const NamedTensor& entry) { return entry.name == name; });
  };

  Session session(compile(*std::move(imported.program)));
  const Graph& method = session.executable().method("main");
  std::vector<NamedTensor> inputs;
  for (const Ref input : method.inputs) {
    ASSERT_NE(find(method.values[input.id].name), data.end()) << method.values[input.id].name;
    inputs.push_back(*find(method.values[input.id].name));
  }
  const std::vector<NamedTensor> outputs = session.run(std::move(inputs));
  EXPECT_EQ(outputs.size() + method.inputs.size(), data.size());
  for (const NamedTensor& output : outputs) {
    ASSERT_NE(find(output.name), data.end()) << output.name;
    EXPECT_EQ(compare(output.tensor, find(output.name)->tensor, {.rtol = 2e-5, .atol = 2e-5}).difference, "")
        << output.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RuntimeModels,
                         testing::Values("norms", "activations", "products", "attention", "multi_head_attention",
                                         "group_query_attention", "open_attention", "open_sizes", "decoder", "rotary",
                                         "quantized", "quantized_products", "blocks", "image_numbers",
                                         "upsample_numbers", "ml_features", "ml_linear", "ml_trees", "ml_new",
                                         "ml_svm"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace ingot::test
