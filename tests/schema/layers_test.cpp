// An op that is in the schema and nowhere else: the compiler names op and file of every layer that lacks it, in one error
// each, or the linker the function.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gen/test_paths.h"
#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

std::string source(const std::string& name) { return (fs::path(source_dir) / name).string(); }

std::string table(const std::string& family, const std::string& flags) {
  return fmt::format(
      "/// Something new.\ntable Brand (op, family: \"{}\", mnemonic: \"brand\", effects: \"pure\"{}) {{"
      " x: ValueRef (required); }}",
      family, flags);
}

void generate(const ScratchTree& tree) {
  const CommandResult made = tree.generate("--out gen --skip-flatc");
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

// `norm.cpp:75:` for the line where the macro binds the ops of the family.
std::string place_of(const std::string& file, const std::string& binding) {
  const std::string text = read_text(file);
  const size_t at = text.find("\n" + binding);
  EXPECT_NE(at, std::string::npos) << file << " lacks " << binding;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 2;
  return fmt::format("{}:{}:", file, line);
}

struct Layer {
  std::string file, missing, binding;
};

size_t count(const std::string& text, const std::string& words) {
  size_t found = 0;
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

// Each layer's file compiles with the schema as it is, and not with an op more; one error for each function that is
// missing says so, and where it belongs.
void expect_forgotten(const std::string& family, const std::string& flags, const std::vector<Layer>& layers) {
  const ScratchTree whole, tree;
  tree.add_op(table(family, flags), "brand: [Brand]");
  generate(whole);
  generate(tree);
  std::string last;
  CommandResult result;
  for (const Layer& layer : layers) {
    const std::string file = source(layer.file);
    if (file != last) {
      const CommandResult before = compile(whole, file);
      EXPECT_EQ(before.exit_code, 0) << before.err;
      result = compile(tree, file);
      last = file;
    }
    EXPECT_NE(result.exit_code, 0) << file << " compiles without the op";
    const std::string error = fmt::format("{} lacks {}", file, layer.missing);
    for (const std::string& words : {error, place_of(file, layer.binding)}) {
      EXPECT_NE(result.err.find(words), std::string::npos) << words << " is not said:\n" << result.err;
    }
    EXPECT_EQ(count(result.err, " error: "), count(result.err, ": " + file + " lacks ")) << result.err;
  }
}

constexpr const char* rule = "rule(const op::Brand&, const Scope&)";
constexpr const char* kernel = "kernel(const op::Brand&, Frame&)";

TEST(Layers, NeedEveryPrimitive) {
  expect_forgotten(
      "shape", "",
      {{"program/ops/shape.cpp", rule, "INGOT_RULES(shape)"},
       {"engines/reference/ops/shape.cpp", kernel, "INGOT_KERNELS(shape)"},
       {"passes/rows_move.cpp", "lanes(const op::Brand&, const Scope&, const Types&)", "INGOT_LANES(shape)"}});
}

TEST(Layers, NeedEveryComposite) {
  expect_forgotten(
      "norm", ", composite",
      {{"program/ops/norm.cpp", rule, "INGOT_RULES(norm)"},
       {"program/ops/norm.cpp", "expand(const op::Brand&, GraphBuilder&, const Operands&)", "INGOT_EXPANSIONS(norm)"},
       {"engines/reference/ops/norm.cpp", kernel, "INGOT_KERNELS(norm)"},
       {"runtime/cost.cpp", "the FLOPs of op::Brand: a formula, or a row in a table", "INGOT_ALL_OPS("}});
}

// A family of its own has no file that could fail to compile: the functions are missing when it is linked.
TEST(Layers, OfANewFamilyLackFunctions) {
  struct Row {
    std::string file, function;
  };
  const Row rows[] = {
      {"program/infer.cpp", "ingot::infer<ingot::op::Brand>("},
      {"program/decompose.cpp", "ingot::decompose<ingot::op::Brand>("},
      {"engines/reference/frame.cpp", "ingot::reference::run<ingot::op::Brand>("},
  };
  const ScratchTree tree;
  tree.add_op(table("brand", ", composite"), "brand: [Brand]");
  generate(tree);
  for (const Row& row : rows) {
    const CommandResult made =
        run_command(fmt::format("'{}' -std=c++20 -c -I . -I '{}' -I '{}' '{}' -o layer.o && nm -C -u layer.o", cxx,
                                source_dir, build_dir, source(row.file)),
                    tree.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find(row.function), std::string::npos) << row.file << " does not need " << row.function;
  }
}

}  // namespace
}  // namespace ingot::test
