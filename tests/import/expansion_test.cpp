// Small files that stand for large models: each is refused by what it comes to, before it is written out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "import/onnx/tensor.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

const Bytes open_type = message([](auto& w) { w.add_message(1, message([](auto& t) { t.add_int32(1, kFloat); })); });
const Bytes open_integers =
    message([](auto& w) { w.add_message(1, message([](auto& t) { t.add_int32(1, kInt64); })); });

// x: f32[2, 3] -> y, whose shape is open.
ModelText model_of(std::vector<NodeText> nodes, std::vector<Bytes> initializers = {}) {
  return {.graph = {.nodes = std::move(nodes),
                    .inputs = {value_info("x", kFloat, {2, 3})},
                    .outputs = {value_info("y", open_type)},
                    .initializers = std::move(initializers)},
          .opsets = {opset("", 17), opset("mine", 1)}};
}

// F(a) -> b
Bytes function(const std::string& name, const std::vector<NodeText>& nodes) {
  return message([&](auto& w) {
    w.add_string(1, name);
    w.add_string(4, "a");
    w.add_string(5, "b");
    for (const NodeText& node : nodes) w.add_message(7, encode(node));
    w.add_message(9, opset("", 17));
    w.add_message(9, opset("mine", 1));
    w.add_string(10, "mine");
  });
}

NodeText call(const std::string& name, const std::string& from, const std::string& to) {
  return {name, {from}, {to}, {}, {}, "mine"};
}

// F0 is one op; each of the others calls the one before it twice.
std::vector<Bytes> doubling(int depth) {
  std::vector<Bytes> functions = {function("F0", {{"Relu", {"a"}, {"b"}}})};
  for (int i = 1; i <= depth; ++i) {
    const std::string before = fmt::format("F{}", i - 1);
    functions.push_back(function(fmt::format("F{}", i), {call(before, "a", "h"), call(before, "h", "b")}));
  }
  return functions;
}

Bytes int64_tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& values) {
  return raw_tensor(name, kInt64, dims, Bytes(reinterpret_cast<const char*>(values.data()), values.size() * 8));
}

struct Refused {
  std::string message;
  size_t nodes = 0;  // that were imported before
};

Refused refuse(const ModelText& model, onnx::ImportOptions options = {}) {
  Refused result;
  options.progress = [&](size_t done, size_t) { result.nodes = done; };
  result.message = refusal(encode(model), options);
  return result;
}

// -------------------------------------------------------------------------------------------------------- functions

TEST(OnnxExpansion, FunctionsAreCountedBeforeTheyAreWrittenOut) {
  for (const int depth : {22, 64, 200}) {
    ModelText model = model_of({call(fmt::format("F{}", depth), "x", "y")});
    model.functions = doubling(depth);
    const Refused refused = refuse(model);
    std::string place = "y";
    for (int i = depth; i > 16; --i) place += "/h";
    EXPECT_EQ(
        refused.message,
        fmt::format("limit: [F16] function \"F16\" with all that it calls is 196606 nodes, expected at most {} (at {})",
                    100'000 + 64 * (2 * depth + 2), place));
    EXPECT_EQ(refused.nodes, 0u);
  }
}

TEST(OnnxExpansion, FunctionsInGraphsOfAttributesCount) {
  const Bytes branch =
      encode(GraphText{.nodes = {call("F30", "x", "h")}, .outputs = {value_info("h", kFloat, {2, 3})}});
  ModelText model = model_of(
      {{"If", {"c"}, {"y"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)}, "if"}},
      {raw_tensor("c", kBool, {}, Bytes(1, '\1'))});
  model.functions = doubling(30);
  const Refused refused = refuse(model);
  EXPECT_NE(refused.message.find("with all that it calls is"), std::string::npos) << refused.message;
  EXPECT_NE(refused.message.find("(at if/h/"), std::string::npos) << refused.message;
  EXPECT_EQ(refused.nodes, 0u);
}

TEST(OnnxExpansion, CallsNestOnlySoDeep) {
  for (const int depth : {257, 20'000}) {
    ModelText model = model_of({call(fmt::format("F{}", depth - 1), "x", "y")});
    model.functions = {function("F0", {{"Relu", {"a"}, {"b"}}})};
    for (int i = 1; i < depth; ++i) {
      model.functions.push_back(function(fmt::format("F{}", i), {call(fmt::format("F{}", i - 1), "a", "b")}));
    }
    const Refused refused = refuse(model);
    EXPECT_NE(refused.message.find("the depth of functions and graphs is 257, expected at most 256 (at y/b/b/"),
              std::string::npos)
        << refused.message;
    EXPECT_EQ(refused.nodes, 0u);
  }
}

// Layers as functions of functions: what models really do.
TEST(OnnxExpansion, FunctionsMayBeCalledOften) {
  std::vector<NodeText> nodes;
  for (int i = 0; i < 96; ++i) {
    nodes.push_back(call("F8", i == 0 ? "x" : fmt::format("h{}", i), i == 95 ? "y" : fmt::format("h{}", i + 1)));
  }
  ModelText model = model_of(nodes);
  model.functions = doubling(8);
  EXPECT_EQ(report(encode(model)), "imported");
}

TEST(OnnxExpansion, NamesOfNodesCountToo) {
  ModelText model = model_of({call("F12", "x", "y")});
  model.functions = doubling(12);
  model.functions[0] = function("F0", {{"Relu", {"a"}, {"b"}, {}, std::string(4000, 'n')}});
  EXPECT_NE(refuse(model).message.find("the length of all names is "), std::string::npos);
  model.functions[0] = function("F0", {{"Relu", {"a"}, {"b"}, {}, std::string(5000, 'n')}});
  EXPECT_NE(refuse(model).message.find("bytes long, expected at most 4096"), std::string::npos);
}

// Each call copies the list.
TEST(OnnxExpansion, ListsInAttributesCount) {
  const Bytes list = ints_attribute("value_ints", std::vector<int64_t>(1 << 16, 1));
  ModelText model = model_of({call("F12", "x", "y")});
  model.functions = doubling(12);
  model.functions[0] = function("F0", {{"Constant", {}, {"c"}, {list}}, {"Relu", {"a"}, {"b"}}});
  const Refused refused = refuse(model);
  EXPECT_NE(refused.message.find("with all that it calls is"), std::string::npos) << refused.message;
  EXPECT_EQ(refused.nodes, 0u);
}

// ------------------------------------------------------------------------------------------------------------ loops

// A loop of 64 trips that carries a sequence, which is unrolled, around another.
Bytes unrolled(int depth) {
  NodeText inside{"SequenceInsert", {"s_in", "x"}, {"s_out"}};
  if (depth > 0) {
    inside = {"Loop", {"trips", "", "s_in"}, {"s_out"}, {graph_attribute("body", unrolled(depth - 1))}};
  }
  const Bytes sequence =
      message([](auto& w) { w.add_message(4, message([](auto& t) { t.add_message(1, open_type); })); });
  return encode(
      GraphText{.nodes = {inside, {"Identity", {"go"}, {"go_on"}}},
                .inputs = {value_info("i", kInt64, {}), value_info("go", kBool, {}), value_info("s_in", sequence)},
                .outputs = {value_info("go_on", kBool, {}), value_info("s_out", sequence)}});
}

TEST(OnnxExpansion, UnrolledLoopsMultiply) {
  const auto nested = [](int depth) {
    return model_of({{"SequenceEmpty", {}, {"s"}},
                     {"Loop", {"trips", "", "s"}, {"all"}, {graph_attribute("body", unrolled(depth))}, "loop"},
                     {"ConcatFromSequence", {"all"}, {"y"}, {int_attribute("axis", 0)}}},
                    {int64_tensor("trips", {}, {64})});
  };
  EXPECT_EQ(report(encode(nested(0))), "imported");
  const Refused refused = refuse(nested(20));
  EXPECT_NE(refused.message.find("limit: [Loop] the graph that is repeated is"), std::string::npos) << refused.message;
  EXPECT_LT(refused.nodes, 20u);
}

// A loop that data end, and whose trips must be counted before its outputs are scanned: its body is written out twice.
Bytes counted_twice(int depth) {
  std::vector<NodeText> nodes = {{"ReduceMax", {"x"}, {"m"}, {int_attribute("keepdims", 0)}},
                                 {"Less", {"m", "m"}, {"go_on"}}};
  if (depth == 0) {
    nodes.push_back({"Identity", {"x"}, {"piece"}});
  } else {
    nodes.push_back({"Loop", {"trips", ""}, {"pieces"}, {graph_attribute("body", counted_twice(depth - 1))}});
    nodes.push_back({"ReduceMax", {"pieces"}, {"piece"}, {ints_attribute("axes", {0}), int_attribute("keepdims", 0)}});
  }
  return encode(GraphText{.nodes = nodes,
                          .inputs = {value_info("i", kInt64, {}), value_info("go", kBool, {})},
                          .outputs = {value_info("go_on", kBool, {}), value_info("piece", kFloat, {2, 3})}});
}

TEST(OnnxExpansion, LoopsThatAreCountedTwiceMultiply) {
  const auto nested = [](int depth) {
    return model_of({{"Loop", {"trips", ""}, {"y"}, {graph_attribute("body", counted_twice(depth))}, "loop"}},
                    {int64_tensor("trips", {}, {4})});
  };
  EXPECT_EQ(report(encode(nested(2))), "imported");
  const Refused refused = refuse(nested(40));
  EXPECT_NE(refused.message.find("limit: [Loop] the graph that is repeated is"), std::string::npos) << refused.message;
  EXPECT_LT(refused.nodes, 100u);
}

// The size of what a branch returns depends on data inside of it, so that it is written out twice. Each copy binds symbols.
Bytes branch_of(int depth) {
  std::vector<NodeText> nodes = {{"NonZero", {"x"}, {"piece"}}};
  if (depth > 0) {
    const Bytes inside = branch_of(depth - 1);
    nodes = {
        {"If", {"c"}, {"piece"}, {graph_attribute("then_branch", inside), graph_attribute("else_branch", inside)}}};
  }
  return encode(GraphText{.nodes = nodes, .outputs = {value_info("piece", open_integers)}});
}

TEST(OnnxExpansion, BranchesThatAreAskedForSizesMultiply) {
  const auto nested = [](int depth) {
    const Bytes branch = branch_of(depth);
    ModelText model = model_of(
        {{"ReduceMax", {"x"}, {"m"}, {int_attribute("keepdims", 0)}},
         {"Less", {"m", "m"}, {"c"}},
         {"If", {"c"}, {"i"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)}},
         {"Cast", {"i"}, {"y"}, {int_attribute("to", kFloat)}}});
    return model;
  };
  EXPECT_EQ(report(encode(nested(1))), "imported");
  const Refused refused = refuse(nested(10));
  EXPECT_NE(refused.message.find("limit: [If] the number of symbols is 1001, expected at most 1000"), std::string::npos)
      << refused.message;
}

// -------------------------------------------------------------------------------------------------------- sequences

TEST(OnnxExpansion, SequencesOfManyParts) {
  ModelText model = model_of(
      {{"SplitToSequence", {"long"}, {"s"}, {int_attribute("axis", 0)}, "split"}, {"SequenceAt", {"s", "at"}, {"y"}}},
      {int64_tensor("at", {}, {0})});
  model.graph.inputs = {value_info("long", kFloat, {int64_t{1} << 40})};
  EXPECT_NE(refuse(model).message.find("is 1 nodes and 1099511627776 more, expected at most 100128 (at split)"),
            std::string::npos);
}

TEST(OnnxExpansion, SequencesThatGrowNodeByNode) {
  std::vector<NodeText> nodes = {{"SequenceConstruct", {"x"}, {"s0"}}};
  for (int i = 0; i < 2000; ++i) {
    nodes.push_back({"SequenceInsert", {fmt::format("s{}", i), "x"}, {fmt::format("s{}", i + 1)}});
  }
  nodes.push_back({"ConcatFromSequence", {"s2000"}, {"y"}, {int_attribute("axis", 0)}});
  EXPECT_NE(refuse(model_of(nodes)).message.find("[SequenceInsert] the model, written out so far, is"),
            std::string::npos);
}

// ---------------------------------------------------------------------------------------------------- sizes, symbols

// Lists of sizes double in every node.
TEST(OnnxExpansion, ListsOfSizesStaySmall) {
  std::vector<NodeText> nodes = {{"Shape", {"x"}, {"s0"}}};
  for (int i = 0; i < 40; ++i) {
    const std::string from = fmt::format("s{}", i), to = fmt::format("s{}", i + 1);
    nodes.push_back({"Concat", {from, from}, {to}, {int_attribute("axis", 0)}});
  }
  nodes.push_back({"Gather", {"s40", "at"}, {"i"}});
  nodes.push_back({"Cast", {"i"}, {"y"}, {int_attribute("to", kFloat)}});
  ModelText model = model_of(nodes, {int64_tensor("at", {}, {0})});
  model.graph.inputs = {value_info("x", kFloat, {"N", "M"})};
  EXPECT_EQ(report(encode(model)), "imported");

  nodes = {{"Shape", {"x"}, {"s"}},
           {"Reshape", {"s", "row"}, {"s0"}},
           {"Gather", {"s0", "many"}, {"s1"}},
           {"Gather", {"s1", "many"}, {"s2"}},
           {"Gather", {"s2", "many"}, {"s3"}},
           {"Cast", {"s3"}, {"y"}, {int_attribute("to", kFloat)}}};
  model =
      model_of(nodes, {int64_tensor("row", {2}, {1, -1}), int64_tensor("many", {4000}, std::vector<int64_t>(4000))});
  model.graph.inputs = {value_info("x", kFloat, {"N", "M"})};
  EXPECT_EQ(report(encode(model)), "imported");
}

TEST(OnnxExpansion, SymbolsAreCounted) {
  ModelText model = model_of({{"Relu", {"x"}, {"y"}}});
  model.graph.inputs = {value_info("x", kFloat, {"A", "B", "C", "D"})};
  onnx::ImportOptions options;
  options.limits.symbols = 3;
  EXPECT_EQ(refuse(model, options).message, "limit: the number of symbols is 4, expected at most 3");
}

TEST(OnnxExpansion, ProgramsAreBoundedLikeModels) {
  // Each node makes a program of hundreds of nodes out of a list of sizes.
  std::vector<NodeText> nodes = {{"Shape", {"x"}, {"s"}}, {"Gather", {"s", "many"}, {"sizes"}}};
  for (int i = 0; i < 60; ++i)
    nodes.push_back({"Cast", {"sizes"}, {fmt::format("y{}", i)}, {int_attribute("to", kFloat)}});
  nodes.push_back({"Relu", {"x"}, {"y"}});
  ModelText model = model_of(nodes, {int64_tensor("many", {4000}, std::vector<int64_t>(4000))});
  model.graph.inputs = {value_info("x", kFloat, {"N", "M"})};
  EXPECT_NE(refuse(model).message.find("[Cast] the program is "), std::string::npos);
  // And so does each input of a node.
  model.graph.nodes = {{"Shape", {"x"}, {"s"}},
                       {"Gather", {"s", "many"}, {"sizes"}},
                       {"Concat", std::vector<std::string>(2000, "sizes"), {"all"}, {int_attribute("axis", 0)}},
                       {"Cast", {"all"}, {"y"}, {int_attribute("to", kFloat)}}};
  EXPECT_NE(refuse(model).message.find("[Concat] the program is "), std::string::npos);
}

// --------------------------------------------------------------------------------------------------------- constants

// y is the item of a sequence whose position is the smallest of `count` zeros: the importer must know it.
std::vector<NodeText> position_of(const std::string& shape, const std::string& y) {
  const Bytes zero = attribute("value", 4, [](auto& w) { w.add_message(5, int64_tensor("", {1}, {0})); });
  return {{"ConstantOfShape", {shape}, {y + "_zeros"}, {zero}},
          {"ReduceMin", {y + "_zeros"}, {y + "_at"}, {int_attribute("keepdims", 0)}},
          {"SequenceConstruct", {"x"}, {y + "_s"}},
          {"SequenceAt", {y + "_s", y + "_at"}, {y}, {}, "at_" + y}};
}

TEST(OnnxExpansion, ConstantsAreEvaluatedWithinLimits) {
  const auto model_with = [](int64_t count) {
    return encode(model_of(position_of("shape", "y"), {int64_tensor("shape", {1}, {count})}));
  };
  EXPECT_EQ(report(model_with(10'000)), "imported");
  EXPECT_NE(report(model_with(int64_t{1} << 40))
                .find("must be known before: [full] the call takes more than 100000000 "
                      "steps"),
            std::string::npos)
      << report(model_with(int64_t{1} << 40));
  EXPECT_NE(report(model_with(50'000'000)).find("bytes more than the 0 alive go beyond the limit of 268435456"),
            std::string::npos);
  EXPECT_EQ(report(model_with(10'000), {.evaluation = {.bytes = 1 << 20, .steps = 25'000}}), "imported");
  EXPECT_NE(report(model_with(10'000), {.evaluation = {.bytes = 1 << 20, .steps = 5'000}}).find("more than 5000 steps"),
            std::string::npos);
  EXPECT_NE(report(model_with(10'000), {.evaluation = {.bytes = 1 << 10}}).find("the limit of 1024"),
            std::string::npos);
}

TEST(OnnxExpansion, AllConstantsShareTheLimits) {
  std::vector<NodeText> nodes = position_of("shape", "u");
  for (const NodeText& node : position_of("shape", "v")) nodes.push_back(node);
  nodes.push_back({"Add", {"u", "v"}, {"y"}});
  const Bytes model = encode(model_of(nodes, {int64_tensor("shape", {1}, {10'000})}));
  EXPECT_EQ(report(model), "imported");
  const std::string text = report(model, {.evaluation = {.bytes = 1 << 20, .steps = 25'000}});
  EXPECT_EQ(text.find("at_u"), std::string::npos) << text;
  EXPECT_NE(text.find("at_v"), std::string::npos) << text;
}

// Each sum is asked for when the next one is imported: none may begin from the first again.
TEST(OnnxExpansion, LongChainsOfConstantsAreEvaluatedOnce) {
  std::vector<NodeText> nodes = position_of("shape", "h");
  nodes.resize(2);
  const int count = 3000;
  for (int i = 0; i < count; ++i) {
    const std::string from = i == 0 ? "h_at" : fmt::format("c{}", i), to = fmt::format("c{}", i + 1);
    nodes.push_back({"BitwiseAnd", {from, from}, {to}});
    nodes.push_back({"SequenceConstruct", {"x"}, {fmt::format("s{}", i)}});
    nodes.push_back({"SequenceAt", {fmt::format("s{}", i), to}, {i + 1 == count ? "y" : fmt::format("y{}", i)}});
  }
  ModelText model = model_of(nodes, {int64_tensor("shape", {1}, {10'000})});
  model.opsets = {opset("", 18)};
  EXPECT_EQ(report(encode(model), {.evaluation = {.steps = 2'000'000}}), "imported");
}

TEST(OnnxExpansion, SparseTensorsShareTheMemory) {
  const auto sparse = [](const std::string& name) {
    return message([&](auto& w) {
      w.add_message(1, raw_tensor(name, kFloat, {0}, ""));
      w.add_message(2, raw_tensor("", kInt64, {0}, ""));
      w.add_int64(3, 100);
    });
  };
  const Bytes graph = message([&](auto& w) {
    w.add_message(1, encode(NodeText{"Add", {"a", "b"}, {"y"}}));
    w.add_message(15, sparse("a"));
    w.add_message(15, sparse("b"));
    w.add_message(12, value_info("y", open_type));
  });
  const Bytes model = message([&](auto& w) {
    w.add_int64(1, 8);
    w.add_message(7, graph);
    w.add_message(8, opset("", 17));
  });
  EXPECT_EQ(report(model, {.evaluation = {.bytes = 800}}), "imported");
  EXPECT_EQ(report(model, {.evaluation = {.bytes = 799}}),
            "initializer (1x): sparse tensor \"b\" takes 400 bytes as a dense one, expected at most 399\n  at b\n");
}

TEST(OnnxExpansion, ArithmeticOfSizesTakesSteps) {
  ModelText model = model_of({{"Shape", {"x"}, {"s"}},
                              {"Gather", {"s", "many"}, {"sizes"}},
                              {"Max", std::vector<std::string>(2000, "sizes"), {"most"}},
                              {"Cast", {"most"}, {"y"}, {int_attribute("to", kFloat)}}},
                             {int64_tensor("many", {1000}, std::vector<int64_t>(1000))});
  model.graph.inputs = {value_info("x", kFloat, {"N", "M"})};
  EXPECT_EQ(report(encode(model)), "imported");
  // Then the sizes are data, of which there are too many.
  EXPECT_NE(refuse(model, {.evaluation = {.steps = 1'000'000}}).message.find("[Max] the program is "),
            std::string::npos);
}

// The table of votes has a column for each target, whether or not a leaf votes for it.
TEST(OnnxExpansion, TablesOfTreesTakeMemory) {
  const auto zeros = [](const std::string& name) { return ints_attribute(name, {0}); };
  const auto reals = [](const std::string& name) { return attribute(name, 6, [](auto& w) { w.add_float(7, 1); }); };
  ModelText model =
      model_of({{"TreeEnsembleRegressor",
                 {"x"},
                 {"y"},
                 {int_attribute("n_targets", 1000), zeros("nodes_treeids"), zeros("nodes_nodeids"),
                  zeros("nodes_featureids"), zeros("nodes_truenodeids"), zeros("nodes_falsenodeids"),
                  attribute("nodes_modes", 8, [](auto& w) { w.add_string(9, "LEAF"); }), reals("nodes_values"),
                  zeros("target_treeids"), zeros("target_nodeids"), zeros("target_ids"), reals("target_weights")},
                 "trees",
                 "ai.onnx.ml"}});
  model.opsets.push_back(opset("ai.onnx.ml", 3));
  EXPECT_EQ(report(encode(model), {.evaluation = {.bytes = 8000}}), "imported");
  EXPECT_NE(report(encode(model), {.evaluation = {.bytes = 7999}}).find("8000 bytes more than the 0 alive"),
            std::string::npos);
}

TEST(OnnxExpansion, TensorsAreDecodedOnce) {
  const Bytes bytes = message([](auto& w) {
    w.add_int64(1, 2);
    w.add_int32(2, kFloat);
    const float values[] = {1, 2};
    w.add_packed_float(4, values, values + 2);
  });
  const Buffer file = Buffer::copy_of(std::as_bytes(std::span(bytes)));
  onnx::TensorReader reader(file, {});
  const onnx::TensorProto proto = onnx::read_tensor(file.bytes);
  EXPECT_EQ(reader.read(proto).bytes().data(), reader.read(proto).bytes().data());
}

TEST(OnnxExpansion, PoolsOfNGramsAreReadOnce) {
  const auto model_with = [](const std::vector<int64_t>& counts) {
    ModelText model =
        model_of({{"TfIdfVectorizer",
                   {"words"},
                   {"y"},
                   {attribute("mode", 3, [](auto& w) { w.add_string(4, "TF"); }), int_attribute("min_gram_length", 1),
                    int_attribute("max_gram_length", 3), int_attribute("max_skip_count", 0),
                    ints_attribute("ngram_counts", counts), ints_attribute("ngram_indexes", {0, 1, 2, 3, 4, 5}),
                    ints_attribute("pool_int64s", {1, 2, 3, 4, 5, 6})},
                   "words"}});
    model.graph.inputs = {value_info("words", kInt64, {4})};
    return encode(model);
  };
  EXPECT_EQ(report(model_with({0, 2})), "imported");
  EXPECT_NE(refusal(model_with({0, 6, 0})).find("ngram_counts is 6..0, expected 0..6"), std::string::npos);
}

}  // namespace
}  // namespace ingot::test
