// Types of custom ops: those that they declare.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

Var custom(Bench& b, std::string name, std::vector<TensorType> results, const options::Custom& options = {}) {
  return b.g.custom(std::move(name), std::move(results), options)[0];
}

const TensorType f32_2{DType::f32, {2}, {}};

TEST(InferCustom, Types) {
  expect_types({
      {"f32[2]", [](Bench& b) { return custom(b, "mine", {f32_2}); }},
      {"f8e4m3[S, 0]",
       [](Bench& b) {
         return custom(
             b, "mine", {{DType::f8e4m3, {b.s, 0}, {}}},
             {.operands = {b.f32({}), b.packed({64})},
              .attributes = {
                  {"sizes", {1, 2}, {}, {}}, {"eps", {}, {1e-5}, {}}, {"mode", {}, {}, "fast"}, {"none", {}, {}, {}}}});
       }},
      {"packed<affine, bits=4, group=64, scale=f16>[64]",
       [](Bench& b) { return custom(b, "mine", {{DType::packed, {64}, QuantScheme{}}}); }},
  });
  Bench b;
  EXPECT_TRUE(b.g.custom("print", {}, {.operands = {b.f32({2})}}).empty());
  const std::vector<Var> two = b.g.custom("pair", {f32_2, {DType::bool_, {b.t}, {}}});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(to_string(two[1].type()), "bool[T]");
  EXPECT_NO_THROW(b.p.build());
}

TEST(InferCustom, Refuses) {
  const auto attributes = [](std::vector<NamedAttribute> list) {
    return [=](Bench& b) { return custom(b, "mine", {f32_2}, {.attributes = list}); };
  };
  const auto result = [](TensorType type) { return [=](Bench& b) { return custom(b, "mine", {type}); }; };
  expect_refusals({
      {"[custom] name is empty, expected the name of an op that the host registers",
       [](Bench& b) { return custom(b, "", {f32_2}); }},
      {"[custom] name of an attribute is empty, expected a name", attributes({{"", {1}, {}, {}}})},
      {"[custom] attribute is 'a' for the second time, expected each name once",
       attributes({{"a", {1}, {}, {}}, {"a", {2}, {}, {}}})},
      {"[custom] attribute 'a' is of several kinds, expected ints, reals or text", attributes({{"a", {1}, {2.0}, {}}})},
      {"[custom] a result is f32<affine, bits=4, group=64, scale=f16>[2], expected a scheme exactly for packed",
       result({DType::f32, {2}, QuantScheme{}})},
      {"[custom] a result is packed[64], expected a scheme exactly for packed", result({DType::packed, {64}, {}})},
      {"[custom] rank of a packed result is 0, expected at least 1", result({DType::packed, {}, QuantScheme{}})},
      {"[custom] bits of affine scheme is 1, expected 2 to 8",
       result({DType::packed, {64}, QuantScheme{QuantMethod::affine, 1}})},
      {"[custom] size of a result is -1, expected at least 0", result({DType::f32, {-1}, {}})},
      {"[custom] size of a result is S - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return custom(b, "mine", {{DType::f32, {Dim(b.s) - 2}, {}}}); }},
  });
}

}  // namespace
}  // namespace ingot
