// What comes out, seen by others: the C compiler, flatc's own reading of the enums, and a schema of many ops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "gen/ingot_generated.h"
#include "gen/ops.h"
#include "gen/test_paths.h"
#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

struct EnumRow {
  std::string c_prefix, zig_name;
  std::vector<std::string> names;
};

// flatc ends its list of names with a null, and names that are keywords of C++ with an underscore.
std::vector<std::string> listed(const char* const* names) {
  std::vector<std::string> result;
  for (; *names; ++names) {
    const std::string name = *names;
    result.push_back(name.ends_with('_') ? name.substr(0, name.size() - 1) : name);
  }
  return result;
}

// The enums of the schema by flatc, and how C and Zig call them.
std::vector<EnumRow> enums() {
  return {
      {"DTYPE", "DType", listed(fbs::EnumNamesDType())},
      {"QUANT_METHOD", "QuantMethod", listed(fbs::EnumNamesQuantMethod())},
      {"DIM_OP", "DimOp", listed(fbs::EnumNamesDimOp())},
      {"SCALAR_KIND", "ScalarKind", listed(fbs::EnumNamesScalarKind())},
      {"UNARY", "UnaryFn", listed(fbs::EnumNamesUnaryFn())},
      {"BINARY", "BinaryFn", listed(fbs::EnumNamesBinaryFn())},
      {"COMPARE", "CompareFn", listed(fbs::EnumNamesCompareFn())},
      {"REDUCE", "ReduceFn", listed(fbs::EnumNamesReduceFn())},
      {"ARG_REDUCE", "ArgReduceFn", listed(fbs::EnumNamesArgReduceFn())},
      {"PAD_MODE", "PadMode", listed(fbs::EnumNamesPadMode())},
      {"INDEX_MODE", "IndexMode", listed(fbs::EnumNamesIndexMode())},
      {"SCATTER", "ScatterFn", listed(fbs::EnumNamesScatterFn())},
      {"RANDOM", "RandomFn", listed(fbs::EnumNamesRandomFn())},
      {"CAUSAL", "Causal", listed(fbs::EnumNamesCausal())},
      {"ACTIVATION", "ActivationFn", listed(fbs::EnumNamesActivationFn())},
      {"GLU", "GluFn", listed(fbs::EnumNamesGluFn())},
      {"CUMULATE", "CumulateFn", listed(fbs::EnumNamesCumulateFn())},
      {"TRIANGLE", "TriangleFn", listed(fbs::EnumNamesTriangleFn())},
      {"POOL", "PoolFn", listed(fbs::EnumNamesPoolFn())},
      {"FAKE_QUANTIZE_GRADIENT", "FakeQuantizeGradient", listed(fbs::EnumNamesFakeQuantizeGradient())},
      {"RESIZE_MODE", "ResizeMode", listed(fbs::EnumNamesResizeMode())},
      {"RESIZE_COORDINATES", "ResizeCoordinates", listed(fbs::EnumNamesResizeCoordinates())},
      {"RESIZE_ROUNDING", "ResizeRounding", listed(fbs::EnumNamesResizeRounding())},
      {"GRID_MODE", "GridMode", listed(fbs::EnumNamesGridMode())},
      {"GRID_PADDING", "GridPadding", listed(fbs::EnumNamesGridPadding())},
      {"ROI", "RoiFn", listed(fbs::EnumNamesRoiFn())},
      {"RNN_ACTIVATION", "RnnActivation", listed(fbs::EnumNamesRnnActivation())},
      {"RNN_DIRECTION", "RnnDirection", listed(fbs::EnumNamesRnnDirection())},
      {"FFT", "FftFn", listed(fbs::EnumNamesFftFn())},
      {"FFT_NORM", "FftNorm", listed(fbs::EnumNamesFftNorm())},
      {"LOSS_REDUCTION", "LossReduction", listed(fbs::EnumNamesLossReduction())},
      {"LOSS", "LossFn", listed(fbs::EnumNamesLossFn())},
      {"ROUTER", "RouterFn", listed(fbs::EnumNamesRouterFn())},
      {"VALUE_KIND", "ValueKind", listed(fbs::EnumNamesValueKind())},
      {"WEIGHT_CONTENTS", "WeightContents", listed(fbs::EnumNamesWeightContents())},
  };
}

// The position in Ops, by flatc: fields of a table are 2 bytes apart from 4 on.
const std::pair<const char*, int> some_opcodes[] = {
    {"UNARY", (fbs::Ops::VT_UNARY - 4) / 2},
    {"MATMUL", (fbs::Ops::VT_MATMUL - 4) / 2},
    {"IF", (fbs::Ops::VT_IF_ - 4) / 2},
    {"CUSTOM", (fbs::Ops::VT_CUSTOM - 4) / 2},
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Constants, OfCAreThoseOfTheSchema) {
  const ScratchTree tree;
  std::string code = fmt::format("#include \"{}/capi/ingot_enums.h\"\n#include \"capi/ingot_enums.h\"\n", source_dir);
  const auto expect = [&](const std::string& constant, size_t value) {
    code += fmt::format("_Static_assert(INGOT_{} == {}, \"\");\n", constant, value);
  };
  size_t values = 0;
  for (const EnumRow& row : enums()) {
    for (size_t i = 0; i < row.names.size(); ++i) expect(row.c_prefix + "_" + upper(row.names[i]), i);
    values += row.names.size();
  }
  for (const auto& [name, value] : some_opcodes) expect(std::string("OP_") + name, static_cast<size_t>(value));
  code += "ingot_dtype dtype = INGOT_DTYPE_F32;\ningot_op op = INGOT_OP_CUSTOM;\n";
  tree.write("constants.c", code);
  tree.write("constants.cpp", "#define _Static_assert static_assert\n" + code);

  const std::string strict = " -Wall -Wextra -Wpedantic -Werror";
  const CommandResult as_c = compile(tree, "constants.c", "-x c -std=c11" + strict);
  EXPECT_EQ(as_c.exit_code, 0) << as_c.err;
  const CommandResult as_cpp = compile(tree, "constants.cpp", "-std=c++20" + strict);
  EXPECT_EQ(as_cpp.exit_code, 0) << as_cpp.err;

  // None besides: every enumerator is one of the above, or an opcode.
  const std::string header = read_text(fs::path(source_dir) / "capi/ingot_enums.h");
  EXPECT_EQ(count(header, "  INGOT_"), values + std::size(kOpFacts));
}

TEST(Constants, OfZigAreThoseOfTheSchema) {
  const std::string text = read_text(fs::path(source_dir) / "zig/src/enums.zig");
  for (const EnumRow& row : enums()) {
    const size_t start = text.find(fmt::format("pub const {} = enum(u8) {{\n", row.zig_name));
    ASSERT_NE(start, std::string::npos) << row.zig_name;
    const std::string body = text.substr(start, text.find("\n};", start) - start);
    EXPECT_EQ(count(body, ",\n") + 1, row.names.size()) << row.zig_name;
    for (size_t i = 0; i < row.names.size(); ++i) {
      const std::string bare = fmt::format("    {} = {},", row.names[i], i);
      const std::string quoted = fmt::format("    @\"{}\" = {},", row.names[i], i);
      EXPECT_EQ(count(body + "\n", bare + "\n") + count(body + "\n", quoted + "\n"), 1u) << row.zig_name << bare;
    }
  }
  EXPECT_NE(text.find("    @\"if\" = 33,"), std::string::npos) << "keywords are quoted";
}

// Every word of a language that an enum or an op may be called by mistake.
TEST(Names, ThatAreKeywordsOfALanguage) {
  const ScratchTree tree;
  tree.add_op(
      "enum WordFn : ubyte { auto, class, def, lambda, namespace, requires, struct, template, test, union, void, None "
      "}\n"
      "/// Words: \"quoted\", 'so', a|b.\n"
      "table Word (op, family: \"word\", mnemonic: \"word_{fn}\", effects: \"pure\") {\n"
      "  fn: WordFn = null (mandatory);\n  /// with \"quotes\"\n  lambda: long = 0;\n  operator: WordFn = union;\n}",
      "word: [Word]");
  const CommandResult made = tree.generate("--out gen --skip-flatc");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  tree.write("all.cpp",
             "#include \"gen/fields.h\"\nstatic_assert(ingot::to_string(ingot::WordFn::void_) == \"void\");\n");
  const CommandResult compiled = compile(tree, "all.cpp");
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  tree.write("all.c", "#include \"capi/ingot_enums.h\"\nint none = INGOT_WORD_NONE;\n");
  const CommandResult as_c = compile(tree, "all.c", "-x c -std=c11");
  EXPECT_EQ(as_c.exit_code, 0) << as_c.err;
  const CommandResult python = run_command(fmt::format("'{}' -B python/ingot/ops.py", test::python), tree.path());
  EXPECT_EQ(python.exit_code, 0) << python.err;
}

TEST(ManyOps, MoreThanAByteCounts) {
  constexpr int more = 300;
  const ScratchTree tree;
  std::string tables, fields;
  for (int i = 0; i < more; ++i) {
    tables += fmt::format(
        "/// Op {0}.\ntable Many{0} (op, family: \"many\", mnemonic: \"many_{0}\", effects: \"pure\", composite) {{"
        " x: ValueRef (required); axis: long = {0}; }}\n",
        i);
    fields += fmt::format("{}many_{}: [Many{}]", i ? ";\n  " : "", i, i);
  }
  tree.add_op(tables, fields);
  const CommandResult made = tree.generate("--out gen --flatc '" + std::string(flatc) + "'");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const size_t all = std::size(kOpFacts) + more, last = all - 1;
  tree.write("many.cpp", fmt::format(R"(#include "gen/families.h"
#include "gen/fields.h"
#include "gen/ingot_generated.h"
using namespace ingot;
static_assert(kOpCount == {0} && std::size(kOpFacts) == {0});
static_assert(static_cast<int>(Opcode::many_299) == {1} && op::Many299::opcode == Opcode::many_299);
static_assert(kOpFacts[{1}].mnemonic == "many_299" && op::Many299{{}}.axis == 299);
static_assert((fbs::Ops::VT_MANY_299 - 4) / 2 == {1});
#define INGOT_COUNT(O) +1
static_assert(0 INGOT_OPS_OF_many(INGOT_COUNT) == 300 && 0 INGOT_COMPOSITES_OF_many(INGOT_COUNT) == 300);
size_t fields(const Op& op) {{
  size_t count = 0;
  visit_fields(op, [&](const FieldFacts&, const auto&) {{ ++count; }});
  return count;
}}
)",
                                     all, last));
  // As the build has it: clang folds over at most 256 alternatives unless it is told otherwise.
  const bool clang = std::string_view(cxx).find("clang") != std::string_view::npos;
  const CommandResult compiled = compile(tree, "many.cpp", clang ? "-std=c++20 -fbracket-depth=4096" : "-std=c++20");
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_NE(tree.read("python/ingot/ops.py").find("def many_299("), std::string::npos);
  EXPECT_NE(tree.read("capi/ingot_enums.h").find(fmt::format("INGOT_OP_MANY_299 = {}", last)), std::string::npos);
}

}  // namespace
}  // namespace ingot::test
