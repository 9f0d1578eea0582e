// Schemas that the generator refuses, and the sentence it refuses them with.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

// An op of the family norm, with these attributes and fields.
std::string table(const std::string& attributes, const std::string& fields = "x: ValueRef (required);") {
  return "/// Something new.\ntable Brand (" + attributes + ") { " + fields + " }\n";
}

constexpr const char* kGood = R"(op, family: "norm", mnemonic: "brand", effects: "pure")";

void expect_refused(const ScratchTree& tree, const std::string& message) {
  const CommandResult result = tree.generate("--out gen --skip-flatc");
  EXPECT_EQ(result.exit_code, 4) << message;
  EXPECT_EQ(result.err, "ingot-schema: " + message + "\n");
  EXPECT_FALSE(std::filesystem::exists(tree.path() / "gen")) << "nothing is written";
}

TEST(Refusals, Ops) {
  struct Row {
    std::string attributes, fields, message;
  };
  const std::string x = "x: ValueRef (required);";
  const Row rows[] = {
      {R"(op, mnemonic: "brand", effects: "pure")", x, "Brand: the table lacks the attribute `family`"},
      {R"(op, family: "norm", effects: "pure")", x, "Brand: the table lacks the attribute `mnemonic`"},
      {R"(op, family: "norm", mnemonic: "brand")", x, "Brand: the table lacks the attribute `effects`"},
      {R"(op, family: "norm", mnemonic: "brand", effects: "magic")", x,
       "Brand: effects is \"magic\", expected pure, reads_state, writes_state or body"},
      {R"(op, family: "no file", mnemonic: "brand", effects: "pure")", x,
       "Brand: family is \"no file\", expected a name of a file"},
      {R"(family: "norm", mnemonic: "brand", effects: "pure")", x,
       "Brand: is listed in Ops but lacks the attribute `op`"},
      {R"(op, family: "norm", mnemonic: "softmax", effects: "pure")", x, "Brand: the mnemonic `softmax` is taken"},
      {R"(op, family: "norm", mnemonic: "reduce_sum", effects: "pure")", x,
       "Brand: the mnemonic `reduce_sum` is taken"},
      {R"(op, family: "norm", mnemonic: "return", effects: "pure")", x, "Brand: `return` is no name for an op"},
      {R"(op, family: "norm", mnemonic: "2d", effects: "pure")", x, "Brand: `2d` is no name for an op"},
      {R"(op, family: "norm", mnemonic: "brand_{fn}", effects: "pure")", x,
       "Brand: the mnemonic has {fn}, so the first field must be a mandatory enum `fn`"},
      {R"(op, family: "norm", mnemonic: "brand_{fn}", effects: "pure")", "fn: PadMode = null; " + x,
       "Brand: the mnemonic has {fn}, so the first field must be a mandatory enum `fn`"},
  };
  for (const Row& row : rows) {
    const ScratchTree tree;
    tree.add_op(table(row.attributes, row.fields), "brand: [Brand]");
    expect_refused(tree, row.message);
  }
}

TEST(Refusals, Fields) {
  struct Row {
    std::string field, message;
  };
  const std::string no_default = " has no default: write one, `= null` if it may be absent, or `= null (mandatory)`";
  const std::string attributes = "; attributes are bool, long, double, string, enums, or the structs named at the top";
  const std::string lists = "; lists are [long], [double], of an enum, or of a struct named at the top";
  const Row rows[] = {
      {"axis: long;", "Brand.axis:" + no_default},
      {"eps: double (deprecated); axis: long;", "Brand.axis:" + no_default},
      {"log: bool;", "Brand.log:" + no_default},
      {"mode: PadMode;", "Brand.mode:" + no_default},
      {"/* = */ eps: double; // = 1", "Brand.eps:" + no_default},
      {"axis: long = 1 (mandatory);", "Brand.axis: a mandatory attribute is written `= null (mandatory)`"},
      {"axis: int = 1;", "Brand.axis: no op may have a field of type int" + attributes},
      {"scale: float = 1;", "Brand.scale: no op may have a field of type float" + attributes},
      {"names: [string];", "Brand.names: no op may have a field of type [string]" + lists},
      {"flags: [bool];", "Brand.flags: no op may have a field of type [bool]" + lists},
      {"type: TensorType;", "Brand.type: no op may have a field of type TensorType"},
      {"attribute: NamedAttribute;", "Brand.attribute: no op may have a field of type NamedAttribute"},
      {"graphs: [GraphRef];", "Brand.graphs: no op may have a field of type [GraphRef]"},
      {"\n/// twice\\n\naxis: long = 0;", "Brand.axis: a comment may not hold \\"},
      {"\n/// a*/b\naxis: long = 0;", "Brand.axis: a comment may not hold */"},
      {"\n/// \"\"\"\naxis: long = 0;", "Brand.axis: a comment may not hold \"\"\""},
  };
  for (const Row& row : rows) {
    const ScratchTree tree;
    tree.add_op(table(kGood, row.field + "\n"), "brand: [Brand]");
    expect_refused(tree, row.message);
  }
}

TEST(Refusals, Lists) {
  struct Row {
    std::string from, to, message;
  };
  const Row rows[] = {
      {"  custom: [Custom];\n", "", "Custom: has the attribute `op` but no field in Ops"},
      {"  custom: [Custom];\n", "  custom: [Custom];\n  again: [Custom];\n", "Custom: is listed twice in Ops"},
      {"  custom: [Custom];\n", "  custom: Custom;\n", "Ops.custom: must be a vector of an op's table"},
      {"  custom: [Custom];\n", "  custom: [long];\n", "Ops.custom: must be a vector of an op's table"},
      {"/// The same elements in row-major order under another shape of equal count.\n", "",
       "Reshape: needs a line `///` that says what it means"},
      {"enum CompareFn : ubyte { eq, ne,", "enum CompareFn : ubyte { eq, ne = 3,",
       "CompareFn.ne: values count from 0 without holes"},
      {"enum CompareFn : ubyte", "enum CompareFn : ushort",
       "CompareFn: enums are of type ubyte, and there are no unions"},
      {"root_type Program;", "union Any { Node, Graph }\nroot_type Program;",
       "Any: enums are of type ubyte, and there are no unions"},
  };
  for (const Row& row : rows) {
    const ScratchTree tree;
    tree.edit(row.from, row.to);
    expect_refused(tree, row.message);
  }
}

TEST(Refusals, TextThatDoesNotParse) {
  const ScratchTree tree;
  const std::string text = tree.read("schema/ingot.fbs");
  const auto line = 1 + std::count(text.begin(), text.begin() + text.find("table Matmul"), '\n');
  tree.edit("table Matmul (op,", "table Matmul (op");
  const CommandResult result = tree.generate("--out gen --skip-flatc");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_TRUE(result.err.starts_with("ingot-schema: ")) << result.err;
  EXPECT_NE(result.err.find("schema/ingot.fbs:" + std::to_string(line) + ":"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("error: expecting: , instead got: family"), std::string::npos) << result.err;
}

TEST(Refusals, TypesThatNobodyDeclares) {
  for (const char* field : {"mode: BrandMode;", "mode: [BrandMode];", "mode: BrandMode = fast;", "mode: BrandMode = 0;",
                            "mode: BrandMode = null (mandatory);"}) {
    const ScratchTree tree;
    tree.add_op(table(kGood, field), "brand: [Brand]");
    const CommandResult result = tree.generate("--out gen --skip-flatc");
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_NE(result.err.find("BrandMode"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("There is no type Ops"), std::string::npos) << "which is declared later: " << result.err;
  }
}

TEST(Refusals, OtherSchemas) {
  const ScratchTree tree;
  tree.write("other.fbs", "namespace other; table T { x: long; } root_type T;");
  const CommandResult result = tree.generate("--schema other.fbs");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_EQ(result.err, "ingot-schema: other.fbs: there is no table ingot.fbs.Ops\n");
}

}  // namespace
}  // namespace ingot::test
