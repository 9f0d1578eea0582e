// --check against schema/released.fbs: what was released stays, and something may be added at an end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/build_facts.h"
#include "gen/ops.h"
#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

struct Row {
  std::string from, to;
  std::string errors = {};  // a sentence a line, as --check prints them after its head
};

// What --check says of the schema alone: the kept files are renewed first.
CommandResult check(const ScratchTree& tree) {
  const CommandResult made = tree.generate("");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return tree.generate("--check");
}

std::string with_head(const std::string& sentences) {
  std::string out;
  for (size_t at = 0; at < sentences.size();) {
    const size_t end = sentences.find('\n', at);
    out += "not a successor of schema/released.fbs: " + sentences.substr(at, end - at + 1);
    at = end + 1;
  }
  return out;
}

TEST(Evolution, RefusedChanges) {
  const Row rows[] = {
      // a field that goes
      {"  max_trips: long = null;\n", "", "While.max_trips is gone\n"},
      {"  axis: long = -1;\n  log: bool = false;\n", "  log: bool = false;\n",
       "Softmax.axis is gone\nSoftmax.log changes its offset in the vtable: it was 8, it is 6\n"},
      // a field in the middle
      {"  axis: long = -1;\n  log: bool = false;\n", "  axis: long = -1;\n  new: long = 3;\n  log: bool = false;\n",
       "Softmax.log changes its offset in the vtable: it was 8, it is 10\n"},
      // another name, type, default, presence
      {"  log: bool = false;\n", "  logarithm: bool = false;\n", "Softmax.log is gone\n"},
      {"  log: bool = false;\n", "  log: long = 0;\n", "Softmax.log changes its type: it was bool, it is long\n"},
      {"  log: bool = false;\n", "  log: bool = true;\n", "Softmax.log changes its default: it was 0, it is 1\n"},
      {"  mode: PadMode = constant;\n", "  mode: PadMode = edge;\n",
       "Pad.mode changes its default: it was constant, it is edge\n"},
      {"  mode: PadMode = constant;\n", "  mode: QuantMethod = affine;\n",
       "Pad.mode changes its type: it was PadMode, it is QuantMethod\n"
       "Pad.mode changes its default: it was constant, it is affine\n"},
      {"  steps: [long];\n", "  steps: [long] (required);\n",
       "Slice.steps changes its presence: it was optional, it is required\n"},
      {"  bits: ubyte = 4;\n", "  bits: ubyte = null;\n",
       "QuantScheme.bits changes its presence: it was default, it is optional\n"
       "QuantScheme.bits changes its default: it was 4, it is null\n"},
      {"  log: bool = false;\n", "  log: bool = null (mandatory);\n",
       "Softmax.log changes its presence: it was default, it is mandatory\n"
       "Softmax.log changes its default: it was 0, it is null\n"},
      {"  log: bool = false;\n", "  log: bool = false (deprecated);\n",
       "Softmax.log is deprecated, but files that have it must be readable\n"},
      // a new field that released files cannot have
      {"  log: bool = false;\n", "  log: bool = false;\n  y: ValueRef (required);\n",
       "Softmax.y is new and required, but released files lack it\n"},
      {"  log: bool = false;\n", "  log: bool = false;\n  n: long = null (mandatory);\n",
       "Softmax.n is new and mandatory, but released files lack it\n"},
      // enums
      {"enum CompareFn : ubyte { eq, ne,", "enum CompareFn : ubyte { ne, eq,",
       "CompareFn.eq changes its number: it was 0, it is 1\nCompareFn.ne changes its number: it was 1, it is 0\n"},
      {"enum ScalarKind : ubyte { signed_int, unsigned_int, real, complex }",
       "enum ScalarKind : ubyte { signed_int, unsigned_int, real }", "ScalarKind.complex is gone\n"},
      {"enum ScalarKind : ubyte { signed_int, unsigned_int, real, complex }",
       "enum ScalarKind : ubyte { signed_int, unsigned_int, half, real, complex }",
       "ScalarKind.real changes its number: it was 2, it is 3\n"
       "ScalarKind.complex changes its number: it was 3, it is 4\n"},
      // ops
      {"  matmul: [Matmul];\n  reshape: [Reshape];\n", "  reshape: [Reshape];\n  matmul: [Matmul];\n",
       "Ops.matmul changes its offset in the vtable: it was 20, it is 22\n"
       "Ops.reshape changes its offset in the vtable: it was 22, it is 20\n"},
      {"mnemonic: \"softmax\"", "mnemonic: \"soft_max\"",
       "Softmax changes its attribute `mnemonic`: it was \"softmax\", it is \"soft_max\"\n"},
      {"table StateRead (op, family: \"state\", mnemonic: \"state_read\", effects: \"reads_state\")",
       "table StateRead (op, family: \"state\", mnemonic: \"state_read\", effects: \"pure\")",
       "StateRead changes its attribute `effects`: it was \"reads_state\", it is \"pure\"\n"},
      {"mnemonic: \"call\", effects: \"body\", several)", "mnemonic: \"call\", effects: \"body\")",
       "Call changes its attribute `several`: it was \"0\", it is absent\n"},
      // structs, and the file as a whole
      {"struct Scalar { bits: ulong; kind: ScalarKind; }",
       "struct Scalar { bits: ulong; kind: ScalarKind; more: uint; }",
       "Scalar.more is new, but a struct may not grow\n"},
      {"struct DimNode { op: DimOp; a: long; b: long; }", "table DimNode { op: DimOp; a: long; b: long; }",
       "DimNode changes its kind: it was a struct, it is a table\n"},
      {"root_type Program;", "root_type Graph;", "the file changes its root type: it was Program, it is Graph\n"},
      {"file_identifier \"INGT\";", "file_identifier \"INGU\";",
       "the file changes its identifier: it was INGT, it is INGU\n"},
  };
  for (const Row& row : rows) {
    const ScratchTree tree;
    tree.edit(row.from, row.to);
    const CommandResult result = check(tree);
    EXPECT_EQ(result.exit_code, 1) << row.to;
    EXPECT_EQ(result.err, with_head(row.errors)) << row.to;
  }
}

// The offsets of every later op change, and each is named.
TEST(Evolution, OpInTheMiddle) {
  const ScratchTree tree;
  const std::string last = tree.last_op(), name = last.substr(2, last.find(':') - 2);
  tree.add_op(
      "/// New.\ntable Brand (op, family: \"norm\", mnemonic: \"brand\", effects: \"pure\") { eps: double = 0.0; }",
      "brand: [Brand]");
  tree.edit(last + "  brand: [Brand];\n", "  brand: [Brand];\n" + last);
  const CommandResult result = check(tree);
  EXPECT_EQ(result.exit_code, 1);
  const size_t offset = 2 * std::size(kOpFacts) + 2;
  EXPECT_EQ(result.err, with_head(fmt::format("Ops.{} changes its offset in the vtable: it was {}, it is {}\n", name,
                                              offset, offset + 2)));
}

TEST(Evolution, OpThatGoes) {
  const ScratchTree tree;
  const std::string last = tree.last_op(), table = last.substr(last.find('[') + 1, last.find(']') - last.find('[') - 1);
  const std::string text = tree.read("schema/ingot.fbs");
  const size_t start = text.find("table " + table + " (op"), end = text.find("\n}\n", start) + 3;
  tree.edit(text.substr(start, end - start), "");
  tree.edit(last, "");
  const CommandResult result = check(tree);
  EXPECT_EQ(result.exit_code, 1);
  const std::string field = last.substr(2, last.find(':') - 2);
  const std::string rows[] = {fmt::format("Ops.{} is gone\n", field), fmt::format("{} is gone\n", table)};
  EXPECT_EQ(result.err, with_head(table < "Ops" ? rows[1] + rows[0] : rows[0] + rows[1]));
}

TEST(Evolution, AnotherNamespaceIsSaidOnce) {
  ScratchTree tree;
  const CommandResult made = tree.generate("");
  std::string released = tree.read("schema/released.fbs");
  released.replace(released.find("namespace ingot.fbs"), 19, "namespace ingot.old");
  tree.write("schema/released.fbs", released);
  const CommandResult result = tree.generate("--check");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            fmt::format("schema/released.fbs is not what ingot-schema --release wrote for Ingot {}\n", build::version) +
                with_head("the file changes its namespace: it was ingot.old, it is ingot.fbs\n"));
}

TEST(Evolution, AcceptedChanges) {
  const Row rows[] = {
      {"  log: bool = false;\n", "  log: bool = false;\n  scale: double = 1.0;\n"},
      {"  log: bool = false;\n", "  log: bool = false;\n  mask: ValueRef;\n  top: long = null;\n"},
      {"enum CompareFn : ubyte { eq, ne, lt, le, gt, ge }", "enum CompareFn : ubyte { eq, ne, lt, le, gt, ge, near }"},
      {"/// a·b over the last two axes; leading axes broadcast.", "/// The product of matrices."},
      {"mnemonic: \"matmul\", effects: \"pure\")", "mnemonic: \"matmul\", effects: \"pure\", composite)"},
  };
  for (const Row& row : rows) {
    const ScratchTree tree;
    tree.edit(row.from, row.to);
    const CommandResult result = check(tree);
    EXPECT_EQ(result.exit_code, 0) << row.to << result.err;
  }
}

TEST(Evolution, AnOpAtTheEndIsAccepted) {
  const ScratchTree tree;
  tree.add_op(
      "enum BrandFn : ubyte { one, two }\n/// New.\n"
      "table Brand (op, family: \"brand\", mnemonic: \"brand_{fn}\", effects: \"pure\") {"
      " fn: BrandFn = null (mandatory); x: ValueRef (required); }",
      "brand: [Brand]");
  const CommandResult result = check(tree);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(tree.read("docs/ops.md").find("`brand_one` `brand_two`"), std::string::npos);
}

}  // namespace
}  // namespace ingot::test
