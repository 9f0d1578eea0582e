// Symbols, and weights that a text names without showing them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "tests/text/text_support.h"

namespace ingot {
namespace {

using test::expect_printed;
using test::expect_refused;

TEST(Parse, BoundsOfSymbols) {
  const char* text = "ingot 1\n\nsymbol A\nsymbol B in 1..\nsymbol C in 0..9\nsymbol D in 3..3\n";
  const Program program =
      expect_printed("ingot 1\nsymbol A in 0..\nsymbol B in 1 ..\nsymbol C in 0 .. 9\nsymbol D in 3..3\n", text);
  EXPECT_EQ(program.symbols[1].min(), 1);
  EXPECT_EQ(program.symbols[1].max(), kUnbounded);
  EXPECT_EQ(program.symbols[3].max(), 3);
}

TEST(Parse, WeightsByHash) {
  const Tensor tensor = Tensor::of<float>({2}, {1, 2});
  const std::string hash = to_string(content_hash(tensor));
  const std::string text =
      "ingot 1\nweights_from \"a.ingot\"\nweights_from \"b.ingot\"\nweight @w : f32[2] = ref \"" + hash + "\"\n";
  std::vector<std::string> asked;
  const auto resolve = [&](const ContentHash& wanted, const std::vector<std::string>& files) -> std::optional<Tensor> {
    asked = files;
    return wanted == content_hash(tensor) ? std::optional(tensor) : std::nullopt;
  };
  const Program program = parse(text, {.resolve_ref = resolve});
  EXPECT_EQ(asked, (std::vector<std::string>{"a.ingot", "b.ingot"}));
  EXPECT_EQ(program.weights[0].tensor->bytes().data(), tensor.bytes().data()) << "shared, not copied";
  EXPECT_EQ(program.weights[0].hash, content_hash(tensor));
  std::string upper = text;
  std::ranges::transform(hash, upper.begin() + static_cast<int64_t>(upper.find(hash)),
                         [](char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_NO_THROW(parse(upper, {.resolve_ref = resolve}));

  std::string wrong_type = text;
  wrong_type.replace(wrong_type.find("f32[2]"), 6, "f32[1, 2]");
  expect_refused(
      wrong_type,
      {"", "t:4:1: the type of weight @w where it is kept is f32[2], expected f32[1, 2]", Code::type_mismatch},
      {.resolve_ref = resolve});
  const auto nothing = [](const ContentHash&, const std::vector<std::string>&) { return std::optional<Tensor>(); };
  expect_refused(text, {"", "t:4:1: no weight has the hash " + hash + ", looked in a.ingot, b.ingot", Code::not_found},
                 {.resolve_ref = nothing});
}

// Neither is allocated, however large.
TEST(Parse, WeightsWithoutContents) {
  const Program program = expect_printed(
      "ingot 1\nweight @a : f32[2]\nweight @b : f32[0]\n"
      "weight @z:f32[1024,1024,1024,1024]=zeros\nstate @s : f32[1024,1024,1024,1024] = @z\n"
      "method f() -> (a) { return @a }",
      R"(ingot 1

weight @a : f32[2]
weight @b : f32[0]
weight @z : f32[1024, 1024, 1024, 1024] = zeros

state @s : f32[1024, 1024, 1024, 1024] = @z

method f() -> (f32[2] a) {
  return @a
}
)");
  EXPECT_TRUE(program.weights[0].is_missing());
  EXPECT_TRUE(program.weights[1].is_missing());
  EXPECT_TRUE(program.weights[2].zeros);
  EXPECT_FALSE(program.weights[2].tensor);
}

TEST(Parse, WeightsInOtherFiles) {
  const Tensor tensor = Tensor::of<float>({2}, {1, 2});
  const std::string hash(32, 'a');
  const std::string text =
      "ingot 1\nweight @v : f32[2] = file \"m.safetensors\" tensor \"a \\\"b\\\"\"\nweight @w : f32[2] = file "
      "\"m.safetensors\" tensor \"w\" hash \"" +
      hash + "\"\n";
  std::vector<ExternalTensor> asked;
  const auto load = [&](const ExternalTensor& external, const TensorType& type) {
    asked.push_back(external);
    EXPECT_EQ(to_string(type), "f32[2]");
    return tensor;
  };
  const Program program = parse(text, {.load_external = load});
  EXPECT_EQ(asked, (std::vector<ExternalTensor>{{"m.safetensors", "a \"b\""}, {"m.safetensors", "w"}}));
  EXPECT_EQ(program.weights[0].hash, content_hash(tensor));
  EXPECT_EQ(to_string(program.weights[1].hash), hash) << "taken as it is given";
  EXPECT_EQ(program.weights[1].external, (ExternalTensor{"m.safetensors", "w"}));
  const std::string printed = print(program, {.inline_bytes = 0});
  EXPECT_EQ(printed, "ingot 1\n\nweight @v : f32[2] = file \"m.safetensors\" tensor \"a \\\"b\\\"\" hash \"" +
                         to_string(content_hash(tensor)) +
                         "\"\nweight @w : f32[2] = file \"m.safetensors\" tensor \"w\" hash \"" + hash + "\"\n");
  EXPECT_EQ(print(parse(printed, {.load_external = load})), printed);
  const auto missing = [](const ExternalTensor& external, const TensorType&) -> Tensor {
    throw Error(Code::not_found, "there is no " + external.tensor);
  };
  expect_refused(text, {"", "t:2:1: there is no a \"b\"", Code::not_found}, {.load_external = missing});
  const auto other = [](const ExternalTensor&, const TensorType&) { return Tensor::of<int32_t>({2}, {1, 2}); };
  expect_refused(text,
                 {"", "t:2:1: the type of weight @v where it is kept is i32[2], expected f32[2]", Code::type_mismatch},
                 {.load_external = other});
}

}  // namespace
}  // namespace ingot
