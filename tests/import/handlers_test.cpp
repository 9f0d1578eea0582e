// Handlers: sizes that stay open through windows, and what they refuse, with the sentence.
#include <gtest/gtest.h>

#include "program/text.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

Bytes text_attribute(const std::string& name, const std::string& value) {
  return attribute(name, 3, [&](auto& w) { w.add_bytes(4, value); });
}

constexpr int32_t kInt8 = 3;

Bytes zeros(const std::string& name, std::vector<int64_t> dims, int32_t dtype = kFloat) {
  size_t count = dtype == kInt64 ? 8 : dtype == kInt8 ? 1 : 4;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return raw_tensor(name, dtype, dims, Bytes(count, '\0'));
}

// One node on x: f32[N, 3, H, W], with weights w of the given sizes.
ModelText on_images(NodeText node, std::vector<int64_t> weights = {}) {
  node.name = "n";
  ModelText model = one_node(std::move(node), {"N", 3, "H", "W"});
  model.opsets = {opset("", 18)};
  model.graph.outputs = {value_info("y", tensor_type(kFloat, {"", "", "", ""}))};
  if (!weights.empty()) model.graph.initializers = {zeros("w", weights)};
  return model;
}

// The type of output y, or why there is none.
std::string type_of_y(const ModelText& model) {
  const onnx::ImportResult result = import_bytes(encode(model));
  if (!result.program) return onnx::to_text(result.report);
  const Graph& method = *result.program->method("main");
  return to_string(method.type(method.outputs[0].value));
}

std::string conv(std::vector<int64_t> kernel, std::vector<Bytes> attributes) {
  return type_of_y(on_images({"Conv", {"x", "w"}, {"y"}, std::move(attributes)}, {4, 3, kernel[0], kernel[1]}));
}

// ---------------------------------------------------------------------------------------------------- open sizes

TEST(OnnxWindows, OpenSizesOfConvolutions) {
  EXPECT_EQ(conv({3, 3}, {ints_attribute("pads", {1, 1, 1, 1})}), "f32[N, 4, H, W]");
  EXPECT_EQ(conv({7, 7}, {ints_attribute("pads", {3, 3, 3, 3}), ints_attribute("strides", {2, 2})}),
            "f32[N, 4, ceil(H, 2), ceil(W, 2)]");
  EXPECT_EQ(conv({2, 2}, {ints_attribute("strides", {2, 2})}), "f32[N, 4, H / 2, W / 2]");
  EXPECT_EQ(conv({3, 1}, {ints_attribute("dilations", {2, 1})}), "f32[N, 4, max(H, 5) - 4, W]");
}

TEST(OnnxWindows, AutoPadOnOpenSizes) {
  for (const std::string same : {"SAME_UPPER", "SAME_LOWER"}) {
    for (const int64_t kernel : {1, 2, 3, 5}) {
      EXPECT_EQ(conv({kernel, kernel}, {text_attribute("auto_pad", same)}), "f32[N, 4, H, W]") << same << kernel;
      EXPECT_EQ(conv({kernel, kernel}, {text_attribute("auto_pad", same), ints_attribute("strides", {2, 1})}),
                "f32[N, 4, ceil(H, 2), W]")
          << same << kernel;
    }
    const ModelText grown = on_images(
        {"ConvTranspose", {"x", "w"}, {"y"}, {text_attribute("auto_pad", same), ints_attribute("strides", {2, 3})}},
        {3, 4, 3, 2});
    EXPECT_EQ(type_of_y(grown), "f32[N, 4, 2*H, 3*W]") << same;
  }
  EXPECT_EQ(conv({3, 2}, {text_attribute("auto_pad", "VALID"), ints_attribute("strides", {3, 2})}),
            "f32[N, 4, H / 3, W / 2]");
}

TEST(OnnxWindows, OpenSizesOfTransposedConvolutions) {
  const auto grown = [](int64_t kernel, int64_t stride, int64_t pad, int64_t added) {
    return type_of_y(
        on_images({"ConvTranspose",
                   {"x", "w"},
                   {"y"},
                   {ints_attribute("strides", {stride, stride}), ints_attribute("pads", {pad, pad, pad, pad}),
                    ints_attribute("output_padding", {added, added})}},
                  {3, 4, kernel, kernel}));
  };
  EXPECT_EQ(grown(4, 2, 1, 0), "f32[N, 4, 2*H, 2*W]");
  EXPECT_EQ(grown(3, 2, 1, 1), "f32[N, 4, 2*H, 2*W]");
  EXPECT_EQ(grown(3, 1, 2, 0), "f32[N, 4, max(H, 2) - 2, max(W, 2) - 2]");
}

TEST(OnnxWindows, OpenSizesOfPools) {
  const auto pooled = [](std::vector<Bytes> attributes) {
    attributes.push_back(ints_attribute("kernel_shape", {3, 2}));
    return type_of_y(on_images({"MaxPool", {"x"}, {"y"}, std::move(attributes)}));
  };
  EXPECT_EQ(pooled({ints_attribute("strides", {3, 2})}), "f32[N, 3, H / 3, W / 2]");
  EXPECT_EQ(pooled({ints_attribute("strides", {3, 2}), int_attribute("ceil_mode", 1)}),
            "f32[N, 3, ceil(H, 3), ceil(W, 2)]");
  EXPECT_EQ(pooled({text_attribute("auto_pad", "SAME_UPPER"), int_attribute("ceil_mode", 1)}), "f32[N, 3, H, W]");
}

// ------------------------------------------------------------------------------------------------------ refusals

TEST(OnnxWindows, Refusals) {
  const auto refused = [](NodeText node, std::vector<int64_t> weights = {4, 3, 3, 3}) {
    return refusal(encode(on_images(std::move(node), std::move(weights))));
  };
  EXPECT_EQ(refused({"Conv", {"x", "w"}, {"y"}, {ints_attribute("kernel_shape", {3, 2})}}),
            "bad file: [Conv] attribute kernel_shape is [3, 2], expected [3, 3] as the weights have it (at n)");
  EXPECT_EQ(refused({"Conv", {"x", "w"}, {"y"}, {ints_attribute("strides", {1})}}),
            "bad file: [Conv] attribute strides is 1 numbers, expected 2 (at n)");
  EXPECT_EQ(refused({"Conv", {"x", "w"}, {"y"}, {ints_attribute("dilations", {1, 0})}}),
            "bad file: [Conv] kernel, strides or dilations is 0, expected 1..2147483647 (at n)");
  EXPECT_EQ(refused({"Conv", {"x", "w"}, {"y"}}, {4, 3, 3}),
            "bad file: [Conv] the kernel is 1 sizes, expected 2 (at n)");
  EXPECT_EQ(refused({"MaxPool", {"x"}, {"y"}}),
            "bad file: [MaxPool] attribute kernel_shape is missing, expected ints (at n)");
  EXPECT_EQ(refused({"ConvTranspose", {"x", "w"}, {"y"}, {ints_attribute("output_shape", {7})}}, {3, 4, 3, 3}),
            "bad file: [ConvTranspose] attribute output_shape is 1 sizes, expected 2 (at n)");
}

TEST(OnnxWindows, Unsupported) {
  EXPECT_EQ(conv({3, 3}, {text_attribute("auto_pad", "SAME")}),
            "ai.onnx::Conv-18 (1x): attribute auto_pad is \"SAME\"\n  at n\n");
  EXPECT_EQ(conv({3, 3}, {ints_attribute("pads", {-1, 0, 0, 0})}),
            "ai.onnx::Conv-18 (1x): [conv] before is -1, expected at least 0\n  at n\n");
  ModelText open = on_images({"Conv", {"x", "w"}, {"y"}});
  open.graph.inputs.push_back(value_info("w", kFloat, {4, 3, "K", 3}));
  EXPECT_EQ(type_of_y(open), "ai.onnx::Conv-18 (1x): the size of the kernel is open: f32[4, 3, K, 3]\n  at n\n");
}

// One node on x: f32[2, 3] at a version of the opset.
ModelText at_version(NodeText node, int64_t version) {
  node.name = "n";
  ModelText model = one_node(std::move(node));
  model.opsets = {opset("", version)};
  model.graph.outputs = {value_info("y", tensor_type(kFloat, {"", ""}))};
  return model;
}

TEST(OnnxHandlers, OldVersions) {
  EXPECT_EQ(report(encode(at_version({"Clip", {"x"}, {"y"}, {float_attribute("min", 0)}}, 11))),
            "ai.onnx::Clip-11 (1x): attribute min is not understood\n  at n\n");
  EXPECT_EQ(report(encode(at_version({"Clip", {"x"}, {"y"}, {float_attribute("min", 0)}}, 6))), "imported");
  EXPECT_EQ(report(encode(at_version({"Celu", {"x"}, {"y"}}, 11))),
            "ai.onnx::Celu-11 (1x): it is understood from version 12 on\n  at n\n");
  EXPECT_EQ(report(encode(at_version({"Add", {"x", "x"}, {"y"}, {int_attribute("broadcast", 1)}}, 6))), "imported");
}

// Attributes that became inputs are none from then on.
TEST(OnnxHandlers, AttributesThatBecameInputs) {
  struct Case {
    std::string op, attribute;
    int64_t last;  // version that has it
  };
  for (const Case& c : {Case{"ReduceSum", "axes", 12},
                        {"ReduceMean", "axes", 17},
                        {"ReduceLogSumExp", "axes", 17},
                        {"Squeeze", "axes", 12},
                        {"Split", "split", 12}}) {
    const auto imported = [&](int64_t version) {
      ModelText model =
          at_version({c.op, {"x"}, {"y"}, {ints_attribute(c.attribute, {c.op == "Split" ? 2 : 0})}}, version);
      if (c.op == "Squeeze") {
        model.graph.inputs = {value_info("x", kFloat, {1, 3})};
        model.graph.outputs = {value_info("y", kFloat, {3})};
      }
      return report(encode(model));
    };
    EXPECT_EQ(imported(c.last), "imported") << c.op;
    EXPECT_EQ(imported(c.last + 1), "ai.onnx::" + c.op + "-" + std::to_string(c.last + 1) + " (1x): attribute " +
                                        c.attribute + " is not understood\n  at n\n");
  }
  // So it is where sizes are computed while importing.
  ModelText sizes = at_version({"Shape", {"x"}, {"s"}}, 18);
  sizes.graph.nodes.push_back({"ReduceProd", {"s"}, {"y"}, {ints_attribute("axes", {0})}, "n"});
  sizes.graph.outputs = {value_info("y", kInt64, {1})};
  EXPECT_EQ(report(encode(sizes)), "ai.onnx::ReduceProd-18 (1x): attribute axes is not understood\n  at n\n");
}

TEST(OnnxHandlers, WhatCannotBeExpressed) {
  ModelText model =
      at_version({"BatchNormalization", {"x", "w", "w", "w", "w"}, {"y"}, {int_attribute("spatial", 0)}}, 7);
  model.graph.initializers = {zeros("w", {3})};
  EXPECT_EQ(report(encode(model)),
            "ai.onnx::BatchNormalization-7 (1x): attribute spatial is 0: statistics for every place of a channel\n"
            "  at n\n");
  EXPECT_EQ(report(encode(at_version({"Cast", {"x"}, {"y"}, {int_attribute("to", kString)}}, 17))),
            "ai.onnx::Cast-17 (1x): there is no dtype STRING\n  at n\n");
  EXPECT_EQ(report(encode(at_version({"Shrink", {"x"}, {"y"}, {float_attribute("alpha", 1)}}, 17))),
            "ai.onnx::Shrink-17 (1x): attribute alpha is not understood\n  at n\n");
}

// Sizes that are data become one node each: a list that no tensor has axes for is refused.
TEST(OnnxHandlers, ListsOfSizesThatAreData) {
  const auto expanded = [](const DimText& count) {
    ModelText model = one_node({"Expand", {"x", "target"}, {"y"}, {}, "n"});
    model.graph.inputs.push_back(value_info("target", kInt64, {count}));
    model.graph.outputs = {value_info("y", tensor_type(kFloat, {"", ""}))};
    return model;
  };
  EXPECT_EQ(type_of_y(expanded(2)), "f32[n_size, n_size_2]");
  EXPECT_EQ(type_of_y(expanded(1 << 30)),
            "ai.onnx::Expand-17 (1x): input 1 (\"target\") is i64[1073741824], from which no sizes can be taken\n"
            "  at n\n");
  EXPECT_EQ(type_of_y(expanded("K")),
            "ai.onnx::Expand-17 (1x): input 1 (\"target\") is i64[K], from which no sizes can be taken\n  at n\n");
}

// A size that a body works out for itself cannot be the size of what it returns, unless the file declares a number.
TEST(OnnxHandlers, SizesInsideOfBodies) {
  const auto model = [](const Bytes& type) {
    const Bytes body = encode(GraphText{.nodes = {{"NonZero", {"x"}, {"places"}}},
                                        .inputs = {value_info("i", kInt64, {}), value_info("c", kBool, {})},
                                        .outputs = {value_info("c", kBool, {}), value_info("places", type)}});
    ModelText text = one_node({"Loop", {"trips", ""}, {"y"}, {graph_attribute("body", body)}, "loop"});
    text.graph.initializers = {zeros("trips", {}, kInt64)};
    text.graph.outputs = {value_info("y", tensor_type(kInt64, {"", "", ""}))};
    return text;
  };
  EXPECT_EQ(type_of_y(model(tensor_type(kInt64, {2, 6}))), "i64[0, 2, 6]");
  EXPECT_EQ(type_of_y(model(tensor_type(kInt64, {2, ""}))),
            "ai.onnx::Loop-17 (1x): axis 1 of i64[2, places_count] that a body returns depends on data inside of it\n"
            "  at loop\n");
}

}  // namespace
}  // namespace ingot::test
