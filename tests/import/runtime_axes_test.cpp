// Axes, steps and lengths that are inputs of the model: one imported program for all of them. What they mean as constants
// ONNX's own node tests say, so the same model with constants is the other side here.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "import/onnx/value.h"
#include "runtime/compare.h"
#include "runtime/session.h"
#include "tests/import/model_writer.h"

namespace ingot::test {
namespace {

using Inputs = std::map<std::string, Tensor>;

Tensor numbers(Sizes sizes) {
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  std::iota(values.begin(), values.end(), 1.0F);
  for (float& value : values) value = value / 7.0F - 1.0F;
  return Tensor::of<float>(std::move(sizes), values);
}

Tensor list(const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

struct Given {
  std::string name;
  std::vector<DimText> shape;
  int32_t dtype = kInt64;
};

// A node on x: f32, and on other inputs of the model; y has the given number of axes.
Bytes model_of(NodeText node, const std::vector<DimText>& x, const std::vector<Given>& others, size_t rank) {
  node.name = "n";
  ModelText model = one_node(std::move(node), x);
  model.opsets = {opset("", 26)};
  model.ir_version = 12;
  for (const auto& [name, shape, dtype] : others) model.graph.inputs.push_back(value_info(name, dtype, shape));
  model.graph.outputs = {value_info("y", tensor_type(kFloat, std::vector<DimText>(rank, "")))};
  return encode(model);
}

Tensor run(Session& session, const Inputs& given) {
  const Graph& method = session.executable().method("main");
  std::vector<NamedTensor> inputs;
  for (const Ref input : method.inputs) {
    const std::string& name = method.values[input.id].name;
    inputs.push_back({name, given.at(name)});
  }
  return session.run(std::move(inputs), "main").at(0).tensor;
}

// A model whose inputs besides x are left open until it runs.
class Open {
 public:
  explicit Open(Bytes bytes) : bytes_(std::move(bytes)), session_(compile(program({}))) {}

  // Compares with the model that has those inputs as constants.
  void expect_same(const Tensor& x, const Inputs& others) {
    Session fixed(compile(program(others), {.engine = "reference"}));
    Inputs given = others;
    given.emplace("x", x);
    const Comparison comparison = compare(run(session_, given), run(fixed, given), {.rtol = 1e-6, .atol = 1e-6});
    EXPECT_EQ(comparison.difference, "");
  }

  Tensor run_with(const Tensor& x, Inputs others) {
    others.emplace("x", x);
    return run(session_, others);
  }

  // Why the call fails, without the place.
  std::string failure(const Tensor& x, const Inputs& others) {
    try {
      run_with(x, others);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(0, text.rfind(" (at main"));
    }
    return "";
  }

 private:
  Program program(const Inputs& constants) const {
    onnx::ImportResult result = import_bytes(bytes_, {.constants = constants});
    if (!result.program) throw Error(Code::unsupported, onnx::to_text(result.report));
    return *std::move(result.program);
  }

  Bytes bytes_;
  Session session_;
};

const std::vector<std::vector<int64_t>> kPairs = {{0, 1}, {1, 0}, {0, 2}, {2, 1}, {-1, -3}, {1, -1}};

// ------------------------------------------------------------------------------------------------------ reductions

Bytes reduction(const std::string& op, const DimText& count, bool keepdims, size_t rank, bool noop = false) {
  return model_of({op,
                   {"x", "axes"},
                   {"y"},
                   {int_attribute("keepdims", keepdims ? 1 : 0), int_attribute("noop_with_empty_axes", noop ? 1 : 0)}},
                  {"A", 3, "B"}, {{"axes", {count}}}, rank);
}

TEST(RuntimeAxes, Reductions) {
  for (const std::string op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                               "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
    SCOPED_TRACE(op);
    Open kept(reduction(op, 2, true, 3)), dropped(reduction(op, 2, false, 1));
    for (const auto& axes : kPairs) {
      SCOPED_TRACE(testing::PrintToString(axes));
      kept.expect_same(numbers({2, 3, 4}), {{"axes", list(axes)}});
      dropped.expect_same(numbers({5, 3, 1}), {{"axes", list(axes)}});
      dropped.expect_same(numbers({2, 3, 0}), {{"axes", list(axes)}});
    }
  }
}

// With the length open, none at all means all of them, or with noop none.
TEST(RuntimeAxes, ReductionsOverAnyNumber) {
  for (const bool noop : {false, true}) {
    Open sum(reduction("ReduceSum", "K", true, 3, noop));
    for (const auto& axes : std::vector<std::vector<int64_t>>{{}, {1}, {-1}, {0, 2}, {2, 1, 0}}) {
      SCOPED_TRACE(testing::PrintToString(axes));
      sum.expect_same(numbers({2, 3, 4}), {{"axes", list(axes)}});
    }
  }
  EXPECT_EQ(report(reduction("ReduceSum", "K", false, 3)),
            "ai.onnx::ReduceSum-26 (1x): input 1 (\"axes\") is i64[K], from which no sizes can be taken\n  at n\n");
  EXPECT_EQ(report(model_of({"ReduceSum", {"x", "axes"}, {"y"}}, {2, 3}, {{"axes", {1}, kFloat}}, 2)),
            "ai.onnx::ReduceSum-26 (1x): f32[1] are no integers\n  at n\n");
  EXPECT_EQ(refusal(reduction("ReduceSum", 4, false, 3)),
            "bad file: [ReduceSum] axes is 4 numbers, expected at most 3 (at n)");
}

TEST(RuntimeAxes, AxesThatFailTheCall) {
  Open sum(reduction("ReduceSum", 2, true, 3));
  const Tensor x = numbers({2, 3, 4});
  EXPECT_EQ(sum.failure(x, {{"axes", list({0, 3})}}), "[take] index 3 is outside an axis of 3 elements");
  EXPECT_EQ(sum.failure(x, {{"axes", list({-4, 0})}}), "[take] index -4 is outside an axis of 3 elements");
  EXPECT_EQ(sum.failure(x, {{"axes", list({1, 1})}}), "[item] n_axes_differ is 0, expected 1..1");
  EXPECT_EQ(sum.failure(x, {{"axes", list({1, -2})}}), "[item] n_axes_differ is 0, expected 1..1");
}

TEST(RuntimeAxes, Cumulations) {
  for (const std::string op : {"CumSum", "CumProd"}) {
    Open open(model_of({op, {"x", "axis"}, {"y"}, {int_attribute("exclusive", 1), int_attribute("reverse", 1)}},
                       {"A", 3, "B"}, {{"axis", {}}}, 3));
    for (const int64_t axis : {0, 1, 2, -1, -2, -3}) {
      SCOPED_TRACE(axis);
      open.expect_same(numbers({2, 3, 4}), {{"axis", Tensor::of<int64_t>({}, {axis})}});
      open.expect_same(numbers({0, 3, 1}), {{"axis", Tensor::of<int64_t>({}, {axis})}});
    }
    EXPECT_EQ(open.failure(numbers({2, 3, 4}), {{"axis", Tensor::of<int64_t>({}, {3})}}),
              "[take] index 3 is outside an axis of 3 elements");
  }
  EXPECT_EQ(refusal(model_of({"CumSum", {"x", "axis"}, {"y"}}, {}, {{"axis", {}}}, 0)),
            "bad file: [CumSum] input 0 is without an axis, expected one axis or more (at n)");
}

// --------------------------------------------------------------------------------------------------- axes of size 1

TEST(RuntimeAxes, Squeeze) {
  Open open(model_of({"Squeeze", {"x", "axes"}, {"y"}}, {"A", "B", "C"}, {{"axes", {1}}}, 2));
  open.expect_same(numbers({1, 3, 4}), {{"axes", list({0})}});
  open.expect_same(numbers({2, 1, 4}), {{"axes", list({-2})}});
  open.expect_same(numbers({2, 0, 1}), {{"axes", list({2})}});
  EXPECT_EQ(open.failure(numbers({2, 3, 0}), {{"axes", list({1})}}),
            "[ensure_shape] x is [2, 3, 0], expected [2, 1, 0], which is [n_size, n_size_2, n_size_3]");
  EXPECT_EQ(open.failure(numbers({2, 3, 1}), {{"axes", list({3})}}), "[take] index 3 is outside an axis of 3 elements");
  EXPECT_EQ(report(model_of({"Squeeze", {"x", "axes"}, {"y"}}, {2, 1}, {{"axes", {"K"}}}, 1)),
            "ai.onnx::Squeeze-26 (1x): input 1 (\"axes\") is i64[K], from which no sizes can be taken\n  at n\n");
}

TEST(RuntimeAxes, Unsqueeze) {
  Open open(model_of({"Unsqueeze", {"x", "axes"}, {"y"}}, {"A", 3}, {{"axes", {2}}}, 4));
  for (const auto& axes : std::vector<std::vector<int64_t>>{{0, 1}, {3, 2}, {0, -1}, {-3, 2}, {1, 3}}) {
    SCOPED_TRACE(testing::PrintToString(axes));
    open.expect_same(numbers({2, 3}), {{"axes", list(axes)}});
  }
  EXPECT_EQ(open.failure(numbers({2, 3}), {{"axes", list({0, 4})}}), "[take] index 4 is outside an axis of 4 elements");
  Open scalar(model_of({"Unsqueeze", {"x", "axes"}, {"y"}}, {}, {{"axes", {2}}}, 2));
  scalar.expect_same(numbers({}), {{"axes", list({1, 0})}});
}

// -------------------------------------------------------------------------------------------------------- slice, pad

TEST(RuntimeAxes, SliceAlongAxes) {
  const std::vector<Given> bounds = {{"starts", {2}}, {"ends", {2}}, {"axes", {2}}};
  Open open(model_of({"Slice", {"x", "starts", "ends", "axes"}, {"y"}}, {"A", 5, "B"}, bounds, 3));
  for (const auto& axes : kPairs) {
    SCOPED_TRACE(testing::PrintToString(axes));
    open.expect_same(numbers({4, 5, 3}), {{"starts", list({1, -2})}, {"ends", list({-1, 1000})}, {"axes", list(axes)}});
    open.expect_same(numbers({4, 5, 0}), {{"starts", list({3, 9})}, {"ends", list({1, 9})}, {"axes", list(axes)}});
  }
  EXPECT_EQ(
      open.failure(numbers({4, 5, 3}), {{"starts", list({0, 0})}, {"ends", list({1, 1})}, {"axes", list({1, 1})}}),
      "[item] n_axes_differ is 0, expected 1..1");
}

TEST(RuntimeAxes, SliceInSteps) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  std::vector<Given> all = {{"starts", {2}}, {"ends", {2}}, {"axes", {2}}, {"steps", {2}}};
  Open open(model_of({"Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"}}, {"A", 5, "B"}, all, 3));
  const auto cut = [](std::vector<int64_t> starts, std::vector<int64_t> ends, std::vector<int64_t> axes,
                      std::vector<int64_t> steps) {
    return Inputs{{"starts", list(starts)}, {"ends", list(ends)}, {"axes", list(axes)}, {"steps", list(steps)}};
  };
  const Tensor x = numbers({4, 5, 3});
  for (const auto& axes : kPairs) {
    SCOPED_TRACE(testing::PrintToString(axes));
    open.expect_same(x, cut({0, -1}, {kFar, -kFar - 1}, axes, {2, -1}));
    open.expect_same(x, cut({1, 2}, {4, 0}, axes, {1, -2}));
    open.expect_same(x, cut({kFar, 0}, {0, 2}, axes, {-3, kFar}));
    open.expect_same(x, cut({2, 0}, {2, -1}, axes, {-1, 3}));
    open.expect_same(numbers({0, 5, 3}), cut({0, 0}, {kFar, -kFar - 1}, axes, {2, -1}));
  }
  EXPECT_EQ(open.failure(x, cut({0, 0}, {1, 1}, {0, 1}, {1, 0})), "[item] n_step_2 is 0, expected at least 1");

  // Only the steps are data; only the axes are, with steps that are known.
  all.erase(all.begin() + 2);
  Open stepped(model_of({"Slice", {"x", "starts", "ends", "", "steps"}, {"y"}}, {"A", 5, "B"}, all, 3));
  Inputs given = cut({3, 4}, {0, 0}, {}, {-1, -2});
  given.erase("axes");
  stepped.expect_same(x, given);
}

TEST(RuntimeAxes, Pad) {
  for (const std::string mode : {"constant", "reflect", "edge", "wrap"}) {
    SCOPED_TRACE(mode);
    Open open(model_of(
        {"Pad", {"x", "pads", "", "axes"}, {"y"}, {attribute("mode", 3, [&](auto& w) { w.add_bytes(4, mode); })}},
        {"A", 3, "B"}, {{"pads", {"P"}}, {"axes", {"K"}}}, 3));
    for (const auto& axes : kPairs) {
      SCOPED_TRACE(testing::PrintToString(axes));
      open.expect_same(numbers({4, 3, 3}), {{"pads", list({1, 0, 2, 1})}, {"axes", list(axes)}});
    }
    open.expect_same(numbers({4, 3, 3}), {{"pads", list({1, 2})}, {"axes", list({-1})}});
    EXPECT_EQ(open.failure(numbers({4, 3, 3}), {{"pads", list({1, 0, 2, 1})}, {"axes", list({5, 0})}}),
              "[take] index 5 is outside an axis of 3 elements");
    EXPECT_EQ(open.failure(numbers({4, 3, 3}), {{"pads", list({1, 2, 3})}, {"axes", list({0, 1})}}),
              "[ensure_shape] x is [3], expected [4], which is [2*K]");
  }
}

// ------------------------------------------------------------------------------------------------------- transforms

TEST(RuntimeAxes, FourierTransforms) {
  const auto transform = [](int64_t inverse, int64_t onesided, int64_t parts) {
    return model_of(
        {"DFT", {"x", "", "axis"}, {"y"}, {int_attribute("inverse", inverse), int_attribute("onesided", onesided)}},
        {"A", 3, "B", parts}, {{"axis", {}}}, 4);
  };
  const auto at = [](int64_t axis) { return Inputs{{"axis", Tensor::of<int64_t>({}, {axis})}}; };
  Open full(transform(0, 0, 2)), back(transform(1, 0, 2)), half(transform(0, 1, 1)), half_back(transform(1, 1, 2));
  for (const int64_t axis : {0, 1, 2, -2, -3, -4}) {
    SCOPED_TRACE(axis);
    full.expect_same(numbers({2, 3, 5, 2}), at(axis));
    back.expect_same(numbers({2, 3, 5, 2}), at(axis));
    half.expect_same(numbers({2, 3, 5, 1}), at(axis));
    half_back.expect_same(numbers({2, 3, 5, 2}), at(axis));
  }
  for (const int64_t axis : {3, -1}) {
    EXPECT_EQ(full.failure(numbers({2, 3, 5, 2}), at(axis)), "[take] index 3 is outside an axis of 3 elements");
  }
  EXPECT_EQ(full.failure(numbers({2, 3, 5, 2}), at(4)), "[take] index 4 is outside an axis of 4 elements");
}

TEST(RuntimeAxes, ShortTimeFourierTransforms) {
  Open open(model_of({"STFT", {"x", "step", "", "length"}, {"y"}}, {"N", "T", 1}, {{"step", {}}, {"length", {}}}, 4));
  const auto at = [](int64_t step, int64_t length) {
    return Inputs{{"step", Tensor::of<int64_t>({}, {step})}, {"length", Tensor::of<int64_t>({}, {length})}};
  };
  open.expect_same(numbers({2, 20, 1}), at(3, 8));
  open.expect_same(numbers({1, 16, 1}), at(8, 5));
  EXPECT_EQ(open.failure(numbers({2, 20, 1}), at(0, 8)), "[item] n_size_2 is 0, expected at least 1");
}

// The rate and the edges may be data too, in the same program.
TEST(RuntimeAxes, MelWeights) {
  NodeText node{"MelWeightMatrix", {"x", "length", "rate", "low", "high"}, {"y"}, {}, "n"};
  ModelText model = one_node(std::move(node));
  model.graph.inputs = {value_info("x", kInt64, {}), value_info("length", kInt64, {}), value_info("rate", kInt64, {}),
                        value_info("low", kFloat, {}), value_info("high", kFloat, {})};
  model.graph.outputs = {value_info("y", kFloat, {"", ""})};
  Open open(encode(model));
  const auto given = [](int64_t length, float low, float high) {
    return Inputs{{"length", Tensor::of<int64_t>({}, {length})},
                  {"rate", Tensor::of<int64_t>({}, {8192})},
                  {"low", Tensor::of<float>({}, {low})},
                  {"high", Tensor::of<float>({}, {high})}};
  };
  const auto bands = [](int64_t count) { return Tensor::of<int64_t>({}, {count}); };
  const Tensor y = open.run_with(bands(8), given(16, 0, 4096));
  EXPECT_EQ(y.sizes(), (Sizes{9, 8}));
  // As ONNX's own example has them: eight bands of 17 samples.
  const std::vector<float> first = {1, 1, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(std::vector<float>(y.as<float>().begin(), y.as<float>().begin() + 8), first);
  open.expect_same(bands(5), given(40, 100, 3000));
  EXPECT_EQ(open.failure(bands(8), given(16, 500, 400)), "[item] n_edges_are_in_order is 0, expected 1..1");
  EXPECT_EQ(open.failure(bands(8), given(16, 0, 8192)), "[item] n_edges_are_in_the_spectrum is 0, expected 1..1");
  EXPECT_EQ(open.failure(bands(0), given(16, 0, 4096)), "[item] n_size is 0, expected at least 1");
}

// ----------------------------------------------------------------------------------------------------------- blocks

TEST(RuntimeAxes, BlocksOfImages) {
  const auto folding = [](const std::vector<DimText>& x, std::vector<Bytes> attributes) {
    return model_of({"Col2Im", {"x", "image", "block"}, {"y"}, std::move(attributes)}, x,
                    {{"image", {2}}, {"block", {2}}}, 4);
  };
  const auto sizes = [](std::vector<int64_t> image, std::vector<int64_t> block) {
    return Inputs{{"image", list(image)}, {"block", list(block)}};
  };
  Open plain(folding({"N", 6, 8}, {}));
  plain.expect_same(numbers({2, 6, 8}), sizes({3, 6}, {2, 3}));
  plain.expect_same(numbers({1, 6, 8}), sizes({3, 6}, {2, 3}));
  plain.expect_same(numbers({1, 6, 8}), sizes({4, 4}, {3, 1}));
  Open other(folding({2, 12, 15}, {ints_attribute("strides", {2, 1}), ints_attribute("dilations", {1, 2}),
                                   ints_attribute("pads", {1, 0, 0, 2})}));
  other.expect_same(numbers({2, 12, 15}), sizes({5, 5}, {2, 2}));
  EXPECT_EQ(plain.failure(numbers({2, 6, 8}), sizes({3, 5}, {2, 3})).substr(0, 49),
            "[ensure_shape] x is [2, 6, 8], expected [2, 6, 6]");
  EXPECT_EQ(refusal(folding({"N", "C", "L"}, {ints_attribute("strides", {1, 0})})),
            "bad file: [Col2Im] strides, dilations or pads is 0, expected 1..2147483647 (at n)");
}

TEST(RuntimeAxes, PartsOfASequence) {
  ModelText model = one_node({"SplitToSequence", {"x", "split"}, {"parts"}, {}, "n"}, {"A", 3});
  model.graph.inputs.push_back(value_info("split", kInt64, {3}));
  model.graph.nodes.push_back({"SequenceAt", {"parts", "one"}, {"y"}, {}, "at"});
  model.graph.initializers = {raw_tensor("one", kInt64, {}, Bytes("\1\0\0\0\0\0\0\0", 8))};
  model.graph.outputs = {value_info("y", kFloat, {"", ""})};
  Open open(encode(model));
  open.expect_same(numbers({6, 3}), {{"split", list({1, 2, 3})}});
  open.expect_same(numbers({4, 3}), {{"split", list({0, 4, 0})}});
  EXPECT_EQ(open.failure(numbers({5, 3}), {{"split", list({1, 2, 3})}}).substr(0, 43),
            "[ensure_shape] x is [5, 3], expected [6, 3]");
}

// ---------------------------------------------------------------------------------------------------------- dropout

TEST(RuntimeAxes, Dropout) {
  const Bytes bytes = model_of({"Dropout", {"x", "ratio", "training"}, {"y"}}, {"A", 50},
                               {{"ratio", {}, kFloat}, {"training", {}, kBool}}, 2);
  onnx::ImportResult imported = import_bytes(bytes);
  ASSERT_TRUE(imported.program) << onnx::to_text(imported.report);
  Session session(compile(*std::move(imported.program)));
  const Tensor x = Tensor::of<float>({40, 50}, std::vector<float>(2000, 3.0F));
  const auto dropped = [&](float ratio, bool training) {
    return run(session, {{"x", x},
                         {"ratio", Tensor::of<float>({}, {ratio})},
                         {"training", onnx::tensor_of(DType::bool_, {}, {training ? 1 : 0})}});
  };
  EXPECT_TRUE(compare(dropped(0.5F, false), x).equal);
  EXPECT_TRUE(compare(dropped(0, true), x).equal);
  const Tensor y = dropped(0.25F, true);
  int64_t zeros = 0;
  for (const float value : y.as<float>()) {
    zeros += value == 0 ? 1 : 0;
    EXPECT_TRUE(value == 0 || std::abs(value - 4) < 1e-5) << value;
  }
  EXPECT_NEAR(static_cast<double>(zeros), 500, 80);  // four deviations
}

}  // namespace
}  // namespace ingot::test
