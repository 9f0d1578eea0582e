// schema/released.fbs moves with the version: ingot-schema --release writes it, and --check knows when it was not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "gen/build_facts.h"
#include "gen/test_paths.h"
#include "tests/schema/scratch_tree.h"

namespace ingot::test {
namespace {

constexpr const char* kReleased = "schema/released.fbs";

// What --check says, once the kept files are renewed.
std::string complaint(const ScratchTree& tree) {
  EXPECT_EQ(tree.generate("").exit_code, 0);
  const CommandResult result = tree.generate("--check");
  EXPECT_EQ(result.exit_code, result.err.empty() ? 0 : 1);
  return result.err;
}

void replace_in_released(const ScratchTree& tree, const std::string& from, const std::string& to) {
  std::string text = tree.read(kReleased);
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  tree.write(kReleased, text.replace(at, from.size(), to));
}

TEST(Release, IsTheSchemaUnderItsVersion) {
  const ScratchTree tree;
  const std::string text = tree.read(kReleased);
  EXPECT_TRUE(text.starts_with(fmt::format("// Ingot {}, digest ", build::version))) << text.substr(0, 80);
  EXPECT_EQ(text.substr(text.find('\n') + 1), tree.read("schema/ingot.fbs"));
  EXPECT_EQ(complaint(tree), "");
}

TEST(Release, OfAnotherVersionIsStale) {
  const ScratchTree tree;
  replace_in_released(tree, build::version, "0.0.9");
  EXPECT_EQ(complaint(tree),
            fmt::format("schema/released.fbs is that of Ingot 0.0.9, expected {}: run ingot-schema --release\n",
                        build::version));
  EXPECT_EQ(tree.generate("--release").exit_code, 0);
  EXPECT_EQ(complaint(tree), "");
}

TEST(Release, WithoutAVersionIsRefused) {
  const ScratchTree tree;
  tree.write(kReleased, tree.read("schema/ingot.fbs"));
  EXPECT_EQ(complaint(tree),
            "schema/released.fbs names no version in its first line: write it with ingot-schema --release\n");
}

// An op that got lost, and a first line that was edited: the digest has both.
TEST(Release, CannotBeEditedByHand) {
  const std::string expected =
      fmt::format("schema/released.fbs is not what ingot-schema --release wrote for Ingot {}\n", build::version);
  const ScratchTree lost, renamed;
  replace_in_released(lost, lost.last_op(), "");
  EXPECT_EQ(complaint(lost), expected);
  replace_in_released(renamed, ", digest ", ", digest 0");
  EXPECT_EQ(complaint(renamed), expected);
}

TEST(Release, KeepsWhatWasReleasedBefore) {
  const ScratchTree tree;
  tree.edit("  log: bool = false;\n", "");
  const std::string before = tree.read(kReleased);
  const CommandResult result = tree.generate("--release");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "not a successor of schema/released.fbs: Softmax.log is gone\n");
  EXPECT_EQ(tree.read(kReleased), before);
}

TEST(Release, CannotBeAskedForWithCheck) {
  const CommandResult result = ScratchTree().generate("--release --check");
  EXPECT_EQ(result.exit_code, 2);
}

// ------------------------------------------------------------------------------------------------------------ the tree

// The lines of table Ops.
std::set<std::string> ops_of(const std::string& schema) {
  const size_t start = schema.find("table Ops {");
  std::istringstream lines(schema.substr(start, schema.find("\n}", start) - start));
  std::set<std::string> ops;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line.find(": [") != std::string::npos) ops.insert(line);
  }
  return ops;
}

// Until CHANGELOG.md has a section for the version, every op in the tree belongs to it.
TEST(Release, OfTheTreeHasEveryOpOfItsVersion) {
  const std::string tree(source_dir);
  const bool is_out =
      read_text(tree + "/CHANGELOG.md").find(fmt::format("\n## {}", build::version)) != std::string::npos;
  const std::set<std::string> released = ops_of(read_text(tree + "/" + kReleased));
  EXPECT_GE(released.size(), 126u);
  if (is_out) return;
  for (const std::string& op : ops_of(read_text(tree + "/schema/ingot.fbs"))) {
    EXPECT_TRUE(released.contains(op)) << "schema/released.fbs lacks" << op << " run ingot-schema --release";
  }
}

}  // namespace
}  // namespace ingot::test
