// Attention, quantised, random and image ops, and those of other domains: the types of open sizes, the programs that they
// become, and what they refuse, with the sentence.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <numeric>

#include "program/text.h"
#include "runtime/engines.h"
#include "runtime/session.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

constexpr const char* kMicrosoft = "com.microsoft";
constexpr int32_t kUint8 = 2, kInt8 = 3, kUint4 = 21;

Bytes text_attribute(const std::string& name, const std::string& value) {
  return attribute(name, 3, [&](auto& w) { w.add_bytes(4, value); });
}

Bytes zeros(const std::string& name, const std::vector<int64_t>& dims, int32_t dtype = kFloat) {
  size_t count = dtype == kInt64 ? 8 : dtype == kUint8 ? 1 : 4;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return raw_tensor(name, dtype, dims, Bytes(count, '\0'));
}

Bytes int64s(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& values) {
  return raw_tensor(name, kInt64, dims, Bytes(reinterpret_cast<const char*>(values.data()), values.size() * 8));
}

struct Input {
  std::string name;
  std::vector<DimText> dims;
  int32_t dtype = kFloat;
};

ModelText model_of(NodeText node, const std::vector<Input>& inputs, std::vector<Bytes> constants = {},
                   int64_t version = 24) {
  node.name = "n";
  ModelText model;
  model.opsets = {opset("", version), opset(kMicrosoft, 1), opset("ai.onnx.ml", 3)};
  for (const Input& input : inputs) model.graph.inputs.push_back(value_info(input.name, input.dtype, input.dims));
  for (const std::string& output : node.outputs) {
    if (!output.empty()) model.graph.outputs.push_back(message([&](auto& w) { w.add_string(1, output); }));
  }
  model.graph.initializers = std::move(constants);
  model.graph.nodes = {std::move(node)};
  return model;
}

// The type of the first output, or why there is none.
std::string outcome(const ModelText& model) {
  const onnx::ImportResult result = import_bytes(encode(model));
  if (!result.program) return result.report.failures.at(0).reason;
  const Graph& method = *result.program->method("main");
  return to_string(method.type(method.outputs[0].value));
}

// --------------------------------------------------------------------------------------------------------- open sizes

TEST(OnnxFused, OpenSizes) {
  const std::vector<Input> qkv = {{"q", {"B", "S", 8}}, {"k", {"B", "T", 8}}, {"v", {"B", "T", 12}}};
  EXPECT_EQ(
      outcome(model_of(
          {"Attention", {"q", "k", "v"}, {"y"}, {int_attribute("q_num_heads", 2), int_attribute("kv_num_heads", 2)}},
          qkv)),
      "f32[B, S, 12]");
  EXPECT_EQ(outcome(model_of(
                {"MultiHeadAttention", {"q", "k", "v"}, {"y"}, {int_attribute("num_heads", 2)}, "", kMicrosoft}, qkv)),
            "f32[B, S, 12]");
  const std::vector<Input> image = {{"x", {"N", 3, "H", "W"}}};
  const auto resized = [&](std::vector<float> scales) {
    const Bytes raw(reinterpret_cast<const char*>(scales.data()), scales.size() * 4);
    return outcome(model_of({"Resize", {"x", "", "s"}, {"y"}}, image, {raw_tensor("s", kFloat, {4}, raw)}));
  };
  EXPECT_EQ(resized({1, 1, 2, 0.5F}), "f32[N, 3, 2*H, W / 2]");
  EXPECT_EQ(resized({1, 1, 1, 0.7F}), "f32[N, 3, H, 7*W / 10]");
  EXPECT_EQ(outcome(model_of({"LSTM", {"x", "w", "r"}, {"y"}, {int_attribute("hidden_size", 5)}},
                             {{"x", {"T", "B", 3}}}, {zeros("w", {1, 20, 3}), zeros("r", {1, 20, 5})})),
            "f32[T, 1, B, 5]");
  EXPECT_EQ(outcome(model_of({"LSTM", {"x", "w", "r"}, {"y"}, {int_attribute("layout", 1)}}, {{"x", {"B", "T", 3}}},
                             {zeros("w", {1, 20, 3}), zeros("r", {1, 20, 5})})),
            "f32[B, T, 1, 5]");
  EXPECT_EQ(outcome(model_of({"MatMulNBits",
                              {"x", "w", "s"},
                              {"y"},
                              {int_attribute("K", 32), int_attribute("N", 5), int_attribute("block_size", 16)},
                              "",
                              kMicrosoft},
                             {{"x", {"B", "S", 32}}}, {zeros("w", {5, 2, 8}, kUint8), zeros("s", {5, 2})})),
            "f32[B, S, 5]");
}

// Weights in blocks stay packed: their codes are not unfolded into reals.
TEST(OnnxFused, BlockedWeightsArePacked) {
  const onnx::ImportResult result =
      import_bytes(encode(model_of({"MatMulNBits",
                                    {"x", "w", "s"},
                                    {"y"},
                                    {int_attribute("K", 40), int_attribute("N", 5), int_attribute("block_size", 16)},
                                    "",
                                    kMicrosoft},
                                   {{"x", {"B", 40}}}, {zeros("w", {5, 3, 8}, kUint8), zeros("s", {5, 3})})));
  ASSERT_TRUE(result.program);
  ASSERT_EQ(result.program->weights.size(), 1u);
  EXPECT_EQ(to_string(result.program->weights[0].type), "packed<symmetric, bits=4, group=16, scale=f32>[5, 40]");
}

// y = x·w of a DequantizeLinear; `also`: something else reads that too, so that it stays arithmetic.
ModelText dequantized_product(int64_t k, const std::vector<int64_t>& codes, const std::vector<int64_t>& scales,
                              NodeText product, std::vector<Bytes> attributes, int32_t dtype, bool also) {
  const auto elements = [](const std::vector<int64_t>& dims) {
    return static_cast<size_t>(std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>()));
  };
  Bytes bytes(dtype == kUint4 ? (elements(codes) + 1) / 2 : elements(codes), '\0'), zero_bytes(elements(scales), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37 + i / 11);
  for (size_t i = 0; i < zero_bytes.size(); ++i) zero_bytes[i] = static_cast<char>(i * 5);
  if (dtype == kUint4) zero_bytes.resize((zero_bytes.size() + 1) / 2);
  std::vector<float> factors;
  for (size_t i = 0; i < elements(scales); ++i) factors.push_back(0.01F * static_cast<float>(i + 1));
  const Bytes raw(reinterpret_cast<const char*>(factors.data()), factors.size() * sizeof(float));
  ModelText model = model_of({"DequantizeLinear", {"q", "s", "z"}, {"d"}, std::move(attributes)}, {{"x", {"B", k}}},
                             {raw_tensor("q", dtype, codes, bytes), raw_tensor("s", kFloat, scales, raw),
                              raw_tensor("z", dtype, scales, zero_bytes)});
  model.graph.outputs = {message([](auto& w) { w.add_string(1, "y"); })};
  if (product.op == "Transpose") {
    model.graph.nodes.push_back({"Transpose", {"d"}, {"t"}});
    product = {"MatMul", {"x", "t"}, {"y"}};
  }
  model.graph.nodes.push_back(std::move(product));
  if (also) {
    model.graph.nodes.push_back({"Neg", {"d"}, {"other"}});
    model.graph.outputs.push_back(message([](auto& w) { w.add_string(1, "other"); }));
  }
  return model;
}

std::vector<float> product_of(const ModelText& model, int64_t k, std::string_view engine) {
  Tensor x = Tensor::allocate(DType::f32, {3, k});
  for (int64_t i = 0; i < 3 * k; ++i) {
    const float number = static_cast<float>(i * 29 % 31 - 15) / 8;
    std::memcpy(x.mutable_bytes().data() + i * 4, &number, 4);
  }
  CompileOptions options;
  options.engine = engine;
  Session session(compile(import_bytes(encode(model)).program.value(), options));
  const Tensor y = session.run({{"x", x}}, "main")[0].tensor;
  std::vector<float> numbers(static_cast<size_t>(y.elements()));
  std::memcpy(numbers.data(), y.bytes().data(), y.bytes().size());
  return numbers;
}

// Quantised weights that only products read stay packed, with rows as they are multiplied.
TEST(OnnxFused, DequantizedWeightsArePacked) {
  const NodeText matmul{"MatMul", {"x", "d"}, {"y"}}, transpose{"Transpose", {}, {}},
      gemm{"Gemm", {"x", "d"}, {"y"}, {int_attribute("transB", 1)}}, left{"MatMul", {"d", "d"}, {"y"}};
  const auto axis = [](int64_t number, int64_t block = 0) {
    return std::vector{int_attribute("axis", number), int_attribute("block_size", block)};
  };
  struct Case {
    const char* weight;  // its type; empty: the numbers are computed
    std::vector<int64_t> codes, scales;
    NodeText product;
    std::vector<Bytes> attributes;
    int32_t dtype = kInt8;
    int64_t k = 64;
  };
  const Case cases[] = {
      {"packed<affine, bits=8, group=64, scale=f32>[6, 64]", {64, 6}, {}, matmul, {}},
      {"packed<affine, bits=8, group=64, scale=f32>[6, 64]", {6, 64}, {1}, gemm, {}, kUint8},
      {"packed<affine, bits=8, group=64, scale=f32>[6, 64]", {64, 6}, {6}, matmul, axis(1), kUint8},
      {"packed<affine, bits=8, group=64, scale=f32>[6, 64]", {6, 64}, {6}, transpose, axis(-2)},
      {"packed<affine, bits=8, group=32, scale=f32>[6, 64]", {64, 6}, {2, 6}, matmul, axis(0, 32)},
      {"packed<affine, bits=4, group=32, scale=f32>[6, 64]", {6, 64}, {6, 2}, gemm, axis(1, 32), kUint4},
      {"packed<affine, bits=4, group=64, scale=f32>[6, 64]", {64, 6}, {6}, matmul, axis(1), kUint4},
      // Blocks of 16, rows that end within a block, and blocks longer than a row.
      {"packed<affine, bits=8, group=16, scale=f32>[6, 64]", {64, 6}, {4, 6}, matmul, axis(0, 16)},
      {"packed<affine, bits=4, group=16, scale=f32>[6, 40]", {6, 40}, {6, 3}, gemm, axis(1, 16), kUint4, 40},
      {"packed<affine, bits=4, group=16, scale=f32>[7, 37]", {37, 7}, {3, 7}, matmul, axis(0, 16), kUint4, 37},
      {"packed<affine, bits=4, group=32, scale=f32>[6, 96]", {6, 96}, {6, 2}, transpose, axis(1, 64), kUint4, 96},
      {"packed<affine, bits=4, group=64, scale=f32>[6, 70]", {70, 6}, {2, 6}, matmul, axis(0, 64), kUint4, 70},
      {"packed<affine, bits=4, group=64, scale=f32>[6, 64]", {64, 6}, {1, 6}, matmul, axis(0, 128), kUint4},
      {"packed<affine, bits=4, group=64, scale=f32>[5, 33]", {33, 5}, {1, 5}, matmul, axis(0, 128), kUint4, 33},
      {"packed<affine, bits=8, group=16, scale=f32>[6, 7]", {6, 7}, {6, 1}, gemm, axis(1, 1 << 30), kInt8, 7},
      // A scale for each number that is summed, blocks of rows, blocks that are too small or odd, rows that are neither
      // blocks nor groups, and a matrix that is multiplied from the left.
      {"", {64, 6}, {64}, matmul, axis(0)},
      {"", {64, 64}, {64, 2}, matmul, axis(1, 32)},
      {"", {64, 6}, {8, 6}, matmul, axis(0, 8)},
      {"", {64, 6}, {3, 6}, matmul, axis(0, 24)},
      {"", {40, 6}, {6}, matmul, axis(1), kInt8, 40},
      {"", {64, 64}, {64}, left, axis(1)},
  };
  for (const Case& c : cases) {
    const ModelText model = dequantized_product(c.k, c.codes, c.scales, c.product, c.attributes, c.dtype, false);
    const onnx::ImportResult result = import_bytes(encode(model));
    ASSERT_TRUE(result.program);
    SCOPED_TRACE(print(*result.program));
    EXPECT_EQ(result.program->weights.size() == 1 ? to_string(result.program->weights[0].type) : "", c.weight);
    if (!*c.weight) continue;
    const auto expected = product_of(
        dequantized_product(c.k, c.codes, c.scales, c.product, c.attributes, c.dtype, true), c.k, "reference");
    for (const Engine* engine : engines()) {
      const auto actual = product_of(model, c.k, engine->name());
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i)
        EXPECT_NEAR(actual[i], expected[i], 2e-3) << engine->name() << " " << i;
    }
  }
}

// Each run of a program draws other numbers, and a program that begins anew the same ones.
TEST(OnnxFused, DrawsDiffer) {
  const auto draws = [] {
    const onnx::ImportResult result = import_bytes(encode(model_of({"RandomNormalLike", {"x"}, {"y"}}, {{"x", {4}}})));
    Session session(compile(*result.program, {.engine = "reference"}));
    std::vector<std::vector<float>> all;
    for (int i = 0; i < 2; ++i) {
      const Tensor y = session.run({{"x", Tensor::of<float>({4}, {0, 0, 0, 0})}})[0].tensor;
      all.emplace_back(y.as<float>().begin(), y.as<float>().end());
    }
    return all;
  };
  const auto first = draws();
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(first, draws());
}

// ------------------------------------------------------------------------------------------------------ open squeeze

// If (size of axis 1 is 1) { Squeeze } else { Identity }, with the index that Gather reads and the axis that goes.
ModelText squeeze_model(int64_t compared, int64_t dropped) {
  const Bytes then = encode(
      GraphText{.nodes = {{"Squeeze", {"x", "dropped"}, {"s"}}}, .outputs = {value_info("s", kFloat, {"", ""})}});
  const Bytes other =
      encode(GraphText{.nodes = {{"Identity", {"x"}, {"i"}}}, .outputs = {value_info("i", kFloat, {"", "", ""})}});
  ModelText model =
      model_of({"If", {"c"}, {"y"}, {graph_attribute("then_branch", then), graph_attribute("else_branch", other)}},
               {{"x", {"A", "B", 2}}},
               {int64s("compared", {}, {compared}), int64s("one", {}, {1}), int64s("dropped", {1}, {dropped})});
  const NodeText branch = model.graph.nodes[0];
  model.graph.nodes = {{"Shape", {"x"}, {"shape"}},
                       {"Gather", {"shape", "compared"}, {"size"}},
                       {"Equal", {"size", "one"}, {"c"}},
                       branch};
  return model;
}

TEST(OnnxFused, AnOpenSqueezeIsPromised) {
  EXPECT_EQ(outcome(squeeze_model(1, 1)), "f32[A, 2]");
  Session session(compile(*import_bytes(encode(squeeze_model(1, 1))).program, {.engine = "reference"}));
  EXPECT_EQ(session.run({{"x", Tensor::of<float>({1, 1, 2}, {3, 4})}})[0].tensor.sizes(), (Sizes{1, 2}));
  try {
    session.run({{"x", Tensor::of<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6})}});
    FAIL() << "an axis of size 3 was squeezed";
  } catch (const Error& error) {
    EXPECT_EQ(error.op(), "ensure_shape") << error.what();
  }
  // Another axis than the one that is compared: the branches stay, and their ranks differ.
  EXPECT_EQ(outcome(squeeze_model(0, 1)), "result 0 is of rank 2 or 3");
}

// ----------------------------------------------------------------------------------------------------------- refusals

TEST(OnnxFused, Refusals) {
  const std::vector<Input> x = {{"x", {2, 3, 8}}};
  const auto refusal = [&](const std::string& op, std::vector<Bytes> attributes,
                           std::vector<std::string> inputs = {"x", "x", "x"}, std::vector<Bytes> constants = {}) {
    return outcome(
        model_of({op, std::move(inputs), {"y"}, std::move(attributes), "", kMicrosoft}, x, std::move(constants)));
  };
  EXPECT_EQ(refusal("MultiHeadAttention", {int_attribute("num_heads", 2), int_attribute("novel", 1)}),
            "attribute novel is not understood");
  EXPECT_EQ(refusal("Attention", {int_attribute("num_heads", 2), int_attribute("do_rotary", 1)}, {"x", "w"},
                    {zeros("w", {8, 24})}),
            "attribute do_rotary is 1");
  EXPECT_EQ(refusal("FusedMatMul", {int_attribute("transBatchA", 1)}, {"x", "x"}), "attribute transBatchA is 1");
  EXPECT_EQ(
      refusal("MatMulNBits",
              {int_attribute("K", 8), int_attribute("N", 2), int_attribute("bits", 3), int_attribute("block_size", 16)},
              {"x", "w", "s"}, {zeros("w", {2, 1, 8}, kUint8), zeros("s", {2, 1})}),
      "attribute bits is 3");
  EXPECT_EQ(refusal("FusedGemm", {text_attribute("activation", "Softsign")}, {"m", "m"}, {zeros("m", {2, 2})}),
            "the activation Softsign is not understood");
  EXPECT_EQ(outcome(model_of({"ImageDecoder", {"x"}, {"y"}}, {{"x", {9}, kUint8}})), "Ingot reads no image files");
  EXPECT_EQ(outcome(model_of({"LSTM",
                              {"x", "w", "r"},
                              {"y"},
                              {attribute("activations", 8, [](auto& w) { w.add_bytes(9, std::string("Cube")); })}},
                             {{"x", {4, 2, 3}}}, {zeros("w", {1, 20, 3}), zeros("r", {1, 20, 5})})),
            "the activation Cube is not understood");
  EXPECT_EQ(outcome(model_of({"DFT", {"x"}, {"y"}}, {{"x", {2, 8, 1}, 11}})),
            "complex numbers of f64 are not supported");
  EXPECT_EQ(outcome(model_of({"OneHotEncoder", {"x"}, {"y"}, {}, "", "ai.onnx.ml"}, {{"x", {2}, kInt64}})),
            "the categories are text");
}

}  // namespace
}  // namespace ingot::test
