// What no ONNX file may hold, and what Ingot cannot express: each with its message.
#include <gtest/gtest.h>

#include "import/onnx/handlers.h"
#include "tests/import/model_writer.h"
#include "tests/support/command.h"

namespace ingot::test {
namespace {

const Bytes x_input = value_info("x", kFloat, {2, 3});
const Bytes open_type = message([](auto& w) { w.add_message(1, message([](auto& t) { t.add_int32(1, kFloat); })); });
const Bytes y_output = value_info("y", open_type);

ModelText model_of(std::vector<NodeText> nodes, std::vector<Bytes> initializers = {}) {
  return {.graph = {.nodes = std::move(nodes),
                    .inputs = {x_input},
                    .outputs = {y_output},
                    .initializers = std::move(initializers)}};
}

TEST(OnnxRefusals, BytesThatAreNoModel) {
  EXPECT_EQ(refusal(""), "bad file: the model has no graph: this is no ONNX file, or a part of one");
  EXPECT_EQ(refusal("\x08"),
            "bad file: the model is malformed (end of buffer exception), expected a whole protobuf message");
  EXPECT_EQ(refusal("\x0f"),
            "bad file: the model is malformed (unknown pbf field type exception), expected a whole protobuf message");
  // field 7, the graph, as a number
  EXPECT_EQ(refusal("\x38\x01"),
            "bad file: the model is malformed: field 7 has another wire type, expected text or a message");
}

TEST(OnnxRefusals, PlacesInsideTheFile) {
  const Bytes broken_node = "\x0a\x7f";  // an input of 127 bytes that are not there
  const Bytes graph = message([&](auto& w) {
    w.add_message(1, encode(NodeText{"Relu", {"x"}, {"y"}}));
    w.add_message(1, broken_node);
  });
  EXPECT_EQ(refusal(message([&](auto& w) { w.add_message(7, graph); })),
            "bad file: graph.node[1] is malformed (end of buffer exception), expected a whole protobuf message");
}

// Every prefix of a model is refused, or is a smaller model: never anything else.
TEST(OnnxRefusals, TruncatedAtEveryLength) {
  const Bytes whole =
      encode(model_of({{"Add", {"x", "w"}, {"h"}, {}, "add"}, {"Softmax", {"h"}, {"y"}, {int_attribute("axis", 1)}}},
                      {raw_tensor("w", kFloat, {2, 3}, Bytes(24, '\0'))}));
  ASSERT_TRUE(import_bytes(whole).program);
  size_t refused = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    try {
      import_bytes(whole.substr(0, length));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, whole.size());
}

TEST(OnnxRefusals, GraphsNestedTooDeep) {
  Bytes graph = encode(GraphText{});
  for (int i = 0; i < 100; ++i)
    graph = encode(GraphText{.nodes = {{"If", {"c"}, {"y"}, {graph_attribute("then_branch", graph)}}}});
  const std::string text = refusal(message([&](auto& w) { w.add_message(7, graph); }));
  EXPECT_NE(text.find("limit: graph.node[0].attribute[0].g.node[0]"), text.npos) << text;
  EXPECT_NE(text.find("is nested more than 64 deep"), text.npos) << text;
}

TEST(OnnxRefusals, ManyEmptyMessages) {
  Bytes graph;
  for (int i = 0; i < 2'000'000; ++i) graph.append("\x0a\x00", 2);  // empty nodes
  EXPECT_NE(refusal(message([&](auto& w) { w.add_message(7, graph); })).find("needs many times the memory of the file"),
            std::string::npos);
}

// ------------------------------------------------------------------------------------------------------------- versions

TEST(OnnxRefusals, Versions) {
  ModelText model = model_of({{"Relu", {"x"}, {"y"}}});
  model.opsets = {opset("", 0)};
  EXPECT_EQ(refusal(encode(model)),
            "unsupported: the opset version of ai.onnx is 0, expected 1 to 28, which this build reads");
  model.opsets = {opset("", 99)};
  EXPECT_EQ(refusal(encode(model)),
            "version: the opset version of ai.onnx is 99, expected 1 to 28, which this build reads");
  model.opsets = {};
  EXPECT_EQ(refusal(encode(model)), "bad file: the model names no opset_import: no version of its ops is known");
  model.opsets = {opset("", 17), opset("ai.onnx", 16)};
  EXPECT_EQ(refusal(encode(model)),
            "bad file: opset_import names the domain ai.onnx twice, with the versions 17 and 16");
  model.opsets = {opset("", 17), opset("ai.onnx", 17)};  // as skl2onnx writes it
  EXPECT_EQ(refusal(encode(model)), "");
  model.opsets = {opset("", 17)};
  model.ir_version = 99;
  EXPECT_EQ(refusal(encode(model)), "version: the IR version is 99, expected at most 14, which this build reads");
  model.ir_version = 8;
  model.graph.nodes[0].domain = "com.example";
  EXPECT_EQ(refusal(encode(model)),
            "bad file: [Relu] node \"y\" is of the domain \"com.example\", which opset_import does not name (at y)");
}

TEST(OnnxRefusals, OldOpsAreUnderstoodFromAVersionOn) {
  ModelText model = model_of({{"LessOrEqual", {"x", "x"}, {"y"}, {}, "le"}});
  model.opsets = {opset("", 9)};
  EXPECT_EQ(report(encode(model)), "ai.onnx::LessOrEqual-9 (1x): it is understood from version 12 on\n  at le\n");
}

// --------------------------------------------------------------------------------------------------------------- names

TEST(OnnxRefusals, Names) {
  EXPECT_EQ(refusal(encode(model_of({{"Add", {"x", "z"}, {"y"}, {}, "sum"}}))),
            "bad file: [Add] node \"sum\" uses \"z\", which nothing defines (at sum)");
  EXPECT_EQ(
      refusal(encode(model_of({{"Add", {"x", "b"}, {"a"}, {}, "first"}, {"Relu", {"a"}, {"b"}, {}, "second"}}))),
      "bad file: [Relu] node \"second\" uses \"a\", which node \"first\" defines only later: the nodes form a cycle "
      "(at second)");
  EXPECT_EQ(refusal(encode(model_of({{"Relu", {"x"}, {"y"}, {}, "one"}, {"Relu", {"x"}, {"y"}, {}, "two"}}))),
            "bad file: [Relu] the name \"y\" is defined twice (at two)");
  EXPECT_EQ(refusal(encode(model_of({{"Relu", {"x"}, {"h"}}}))), "bad file: the output \"y\" is defined by no node");
  EXPECT_EQ(refusal(encode(model_of(
                {}, {raw_tensor("w", kFloat, {}, Bytes(4, '\0')), raw_tensor("w", kFloat, {}, Bytes(4, '\0'))}))),
            "bad file: the name \"w\" is defined twice");
}

// ------------------------------------------------------------------------------------------------------------- tensors

std::string weight_refusal(const Bytes& tensor, const std::filesystem::path& folder = {}) {
  return refusal(encode(model_of({{"Add", {"x", "w"}, {"y"}, {}, "add"}}, {tensor})), {}, folder);
}

TEST(OnnxRefusals, TensorData) {
  EXPECT_EQ(weight_refusal(raw_tensor("w", kFloat, {2, 3}, Bytes(23, '\0'))),
            "bad file: [Add] raw_data of tensor \"w\" is 23 bytes, expected 24 bytes for f32[2, 3] (at add)");
  EXPECT_EQ(weight_refusal(raw_tensor("w", kFloat, {2, -3}, "")),
            "bad file: [Add] a size of tensor \"w\" is -3, expected 0 or more (at add)");
  EXPECT_EQ(weight_refusal(raw_tensor("w", kBool, {2}, "\x01\x02")),
            "bad file: tensor \"w\": [Add] bool element 1 is 2, expected 0 or 1 (at add)");
  const Bytes two_floats = message([](auto& w) {
    w.add_int64(1, 3);
    w.add_int32(2, kFloat);
    w.add_string(8, "w");
    const float values[] = {1, 2};
    w.add_packed_float(4, values, values + 2);
  });
  EXPECT_EQ(weight_refusal(two_floats),
            "bad file: [Add] the number of elements of tensor \"w\" is 2, expected 3 for f32[3] (at add)");
  EXPECT_EQ(report(encode(model_of({{"Add", {"x", "w"}, {"y"}}}, {raw_tensor("w", kString, {}, "")}))),
            "initializer (1x): there is no dtype STRING\n  at w\n");
}

TEST(OnnxRefusals, ExternalData) {
  ScratchFolder folder;
  folder.write("w.bin", Bytes(30, '\0'));
  const auto at = [&](std::vector<std::pair<std::string, std::string>> entries) {
    return weight_refusal(external_tensor("w", kFloat, {2, 3}, std::move(entries)), folder.path());
  };
  EXPECT_EQ(at({{"location", "w.bin"}, {"offset", "4"}, {"length", "24"}}), "");
  EXPECT_EQ(
      at({{"location", "none.bin"}}),
      "not found: tensor \"w\": [Add] cannot find the weights file \"none.bin\": No such file or directory (at add)");
  EXPECT_EQ(at({{"location", "../w.bin"}}),
            "bad file: tensor \"w\": [Add] name of a weights file is \"../w.bin\", expected a relative path below the "
            "folder of "
            "the program (at add)");
  EXPECT_EQ(at({{"location", "/etc/passwd"}}),
            "bad file: tensor \"w\": [Add] name of a weights file is \"/etc/passwd\", expected a relative path below "
            "the folder "
            "of the program (at add)");
  EXPECT_EQ(at({{"location", "w.bin"}, {"offset", "8"}}),
            "bad file: [Add] the external file \"w.bin\" of tensor \"w\" is 30 bytes, expected 24 bytes from byte 8 on "
            "(at add)");
  EXPECT_EQ(at({{"location", "w.bin"}, {"length", "20"}}),
            "bad file: [Add] external data of tensor \"w\" is 20 bytes, expected 24 bytes for f32[2, 3] (at add)");
  EXPECT_EQ(
      at({{"location", "w.bin"}, {"offset", "-4"}}),
      "bad file: [Add] the offset of external data of tensor \"w\" is \"-4\", expected a number of bytes (at add)");
  EXPECT_EQ(at({{"location", "w.bin"}, {"offset", "18446744073709551615"}, {"length", "24"}}),
            "bad file: [Add] the external file \"w.bin\" of tensor \"w\" is 30 bytes, expected 24 bytes from byte "
            "18446744073709551615 on (at add)");
}

// ---------------------------------------------------------------------------------------------- attributes and declarations

TEST(OnnxRefusals, Attributes) {
  EXPECT_EQ(refusal(encode(model_of({{"Softmax", {"x"}, {"y"}, {float_attribute("axis", 1)}, "s"}}))),
            "bad file: [Softmax] attribute axis is a float, expected an int (at s)");
  EXPECT_EQ(refusal(encode(model_of({{"Concat", {"x"}, {"y"}, {}, "c"}}))),
            "bad file: [Concat] attribute axis is missing, expected an int (at c)");
  EXPECT_EQ(
      refusal(encode(model_of({{"Softmax", {"x"}, {"y"}, {int_attribute("axis", 1), int_attribute("axis", 0)}, "s"}}))),
      "bad file: [Softmax] attribute axis is given twice, expected given once (at s)");
  EXPECT_EQ(refusal(encode(model_of({{"Softmax", {"x"}, {"y"}, {int_attribute("axis", 5)}, "s"}}))),
            "bad file: [Softmax] axis is 5, expected -2..1 (at s)");
  EXPECT_EQ(refusal(encode(model_of({{"Add", {"x"}, {"y"}, {}, "a"}}))),
            "bad file: [Add] input 1 is missing, expected there (at a)");
}

TEST(OnnxRefusals, WhatNobodyLookedAt) {
  EXPECT_EQ(report(encode(model_of({{"Relu", {"x"}, {"y"}, {int_attribute("axis", 1)}, "r"}}))),
            "ai.onnx::Relu-17 (1x): attribute axis is not understood\n  at r\n");
  EXPECT_EQ(report(encode(model_of({{"Add", {"x", "x"}, {"y"}, {int_attribute("broadcast", 1)}, "a"}}))),
            "ai.onnx::Add-17 (1x): attribute broadcast is not understood\n  at a\n");
  EXPECT_EQ(report(encode(model_of({{"Relu", {"x", "x"}, {"y"}, {}, "r"}}))),
            "ai.onnx::Relu-17 (1x): input 1 is not understood\n  at r\n");
  EXPECT_EQ(report(encode(model_of({{"Relu", {"x"}, {"h", "mask"}, {}, "r"}, {"Add", {"h", "mask"}, {"y"}}}))),
            "ai.onnx::Relu-17 (1x): output 1 (mask) is not computed\n  at r\n");
  EXPECT_EQ(report(encode(model_of({{"Relu", {"x"}, {"y", "nobody_reads_it"}, {}, "r"}}))), "imported");
}

TEST(OnnxRefusals, DeclaredTypesThatContradict) {
  ModelText model = model_of({{"Relu", {"x"}, {"h"}, {}, "r"}, {"Relu", {"h"}, {"y"}}});
  model.graph.value_infos = {value_info("h", kFloat, {2, 4})};
  EXPECT_EQ(refusal(encode(model)),
            "bad file: [Relu] value \"h\" is f32[2, 3], expected f32[2, 4] as the file declares it (at r)");
  model.graph.value_infos = {value_info("h", kInt64, {2, 3})};
  EXPECT_EQ(refusal(encode(model)),
            "bad file: [Relu] value \"h\" is f32[2, 3], expected i64[2, 3] as the file declares it (at r)");
  model.graph.value_infos = {};
  model.graph.outputs = {value_info("y", kFloat, {"N"})};
  EXPECT_EQ(refusal(encode(model)),
            "bad file: [Relu] value \"y\" is f32[2, 3], expected f32[N] as the file declares it (at y)");
  model.graph.outputs = {value_info("y", kFloat, {"N", ""})};
  EXPECT_EQ(refusal(encode(model)), "");
}

// -------------------------------------------------------------------------------------------------------------- report

TEST(OnnxRefusals, TheReportListsEveryOp) {
  const ModelText model = model_of({{"Foo", {"x"}, {"a"}, {}, "foo1"},
                                    {"Relu", {"a"}, {"b"}, {}, "after_foo"},
                                    {"Foo", {"x"}, {"c"}, {}, "foo2"},
                                    {"Bar", {"x"}, {"d"}, {}, "bar"},
                                    {"Relu", {"x"}, {"y"}, {}, "fine"}});
  const onnx::ImportResult result = import_bytes(encode(model));
  EXPECT_FALSE(result.program);
  EXPECT_EQ(result.report.nodes, 5u);
  EXPECT_EQ(onnx::to_text(result.report),
            "ai.onnx::Foo-17 (2x): there is no handler for it\n  at foo1, foo2\n"
            "ai.onnx::Bar-17 (1x): there is no handler for it\n  at bar\n");
}

TEST(OnnxRefusals, InsideSubGraphsToo) {
  const Bytes branch =
      encode(GraphText{.nodes = {{"Foo", {"x"}, {"f"}, {}, "inner"}}, .outputs = {value_info("f", open_type)}});
  ModelText model = model_of(
      {{"If", {"c"}, {"y"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)}, "if"}});
  model.graph.inputs.push_back(value_info("c", kBool, {}));
  EXPECT_EQ(report(encode(model)), "ai.onnx::Foo-17 (1x): there is no handler for it\n  at if/inner\n");
}

TEST(OnnxRefusals, InputsThatAreNoTensors) {
  ModelText model = model_of({{"Identity", {"x"}, {"y"}}});
  const Bytes sequence =
      message([](auto& w) { w.add_message(4, message([](auto& s) { s.add_message(1, tensor_type(kFloat, {2})); })); });
  model.graph.inputs = {value_info("x", sequence)};
  EXPECT_EQ(report(encode(model)), "input (1x): it is a sequence, not a tensor\n  at x\n");
  model.graph.inputs = {value_info("x", kString, {2})};
  EXPECT_EQ(report(encode(model)), "input (1x): there is no dtype STRING\n  at x\n");
  model.graph.inputs = {value_info("x", open_type)};
  EXPECT_EQ(report(encode(model)), "input (1x): the file says nothing about its shape: give one\n  at x\n");
  EXPECT_EQ(report(encode(model), {.shapes = {{"x", {"2", "N"}}}}), "imported");
}

TEST(OnnxRefusals, OptionsThatDoNotFit) {
  const Bytes model = encode(model_of({{"Relu", {"x"}, {"y"}}}));
  EXPECT_EQ(refusal(model, {.shapes = {{"z", {"2"}}}}), "not found: there is no input \"z\" to give a shape to");
  EXPECT_EQ(refusal(model, {.shapes = {{"x", {"2"}}}}),
            "invalid argument: the shape for input \"x\" is of 1 axes, expected 2 axes");
  EXPECT_EQ(refusal(model, {.shapes = {{"x", {"2", "4"}}}}),
            "invalid argument: axis 1 of input \"x\" is 4, expected 3 as the file declares it");
  EXPECT_EQ(refusal(model, {.shapes = {{"x", {"2", "9z"}}}}),
            "invalid argument: a size is \"9z\", expected a number, a name, or a name with bounds S=1..512");
  EXPECT_EQ(refusal(model, {.constants = {{"x", Tensor::of<float>({2}, {1, 2})}}}),
            "invalid argument: what is given for input \"x\" is f32[2], expected f32[2, 3]");
}

TEST(OnnxRefusals, FunctionsThatCallThemselves) {
  ModelText model = model_of({{"F", {"x"}, {"y"}, {}, "call", "mine"}});
  model.opsets = {opset("", 17), opset("mine", 1)};
  model.functions = {message([](auto& w) {
    w.add_string(1, "F");
    w.add_string(4, "a");
    w.add_string(5, "b");
    w.add_message(7, encode(NodeText{"F", {"a"}, {"b"}, {}, "again", "mine"}));
    w.add_message(9, opset("mine", 1));
    w.add_string(10, "mine");
  })};
  EXPECT_EQ(refusal(encode(model)), "bad file: [F] function \"F\" calls itself (at call/again)");
}

// ---------------------------------------------------------------------------------------------------- any op

// Nodes that have too few inputs, too many, or none of their attributes: a refusal is an Error.
TEST(OnnxRefusals, AnyOpOfAnyInputs) {
  const std::vector<std::vector<std::string>> inputs = {
      {}, {"x"}, {"", ""}, {"x", "", "x"}, {"", "x", "x", "x"}, {"x", "x"}, {"x", "x", "x", "x", "x", "x", "x", "x"}};
  const std::vector<std::vector<std::string>> outputs = {{"y"}, {"", "y"}, {"y", "a", "b", "c", "d"}};
  for (const onnx::Handler& handler : onnx::all_handlers()) {
    for (const auto& in : inputs) {
      for (const auto& out : outputs) {
        const std::string domain(handler.domain == "ai.onnx" ? "" : handler.domain);
        ModelText model = one_node({std::string(handler.op), in, out, {}, "n", domain});
        model.opsets = {opset("", 17), opset(domain, handler.since)};
        if (domain.empty()) model.opsets.erase(model.opsets.begin());
        try {
          import_bytes(encode(model));
        } catch (const Error&) {
        } catch (const std::exception& error) {
          ADD_FAILURE() << handler.domain << " " << handler.op << " of " << in.size() << ": " << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace ingot::test
