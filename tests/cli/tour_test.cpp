// The tour in README.md, executed: every `$ command` of its console blocks must write what stands below it. A line `…`
// stands for any lines. Blocks of ingot and python are the files that it uses, named by the comment in their first
// line; a block of cpp is a file of the tree. docs/custom-ops.md shows files of the tree, or parts of them.
#include <gtest/gtest.h>

#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "gen/test_paths.h"
#include "tests/support/command.h"

namespace ingot::test {
namespace {

struct Block {
  std::string language;
  std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::string& markdown) {
  std::vector<Block> blocks;
  bool inside = false;
  std::istringstream stream(markdown);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool matches(std::span<const std::string> actual, std::span<const std::string> expected) {
  if (expected.empty()) return actual.empty();
  if (expected[0] != "…") {
    return !actual.empty() && actual[0] == expected[0] && matches(actual.subspan(1), expected.subspan(1));
  }
  for (size_t skipped = 0; skipped <= actual.size(); ++skipped) {
    if (matches(actual.subspan(skipped), expected.subspan(1))) return true;
  }
  return false;
}

// From the first line: `// name.txt` or `# name.py`.
std::string name_of(const Block& block) {
  const std::string& first = block.lines.front();
  return first.substr(first.find_first_not_of("/# "));
}

std::string contents_of(const Block& block) {
  std::string contents;
  for (const std::string& line : block.lines) contents += line + "\n";
  return contents;
}

void run_console(const Block& block, const ScratchFolder& folder) {
  for (size_t i = 0; i < block.lines.size();) {
    ASSERT_TRUE(block.lines[i].starts_with("$ ")) << block.lines[i];
    const std::string command = block.lines[i].substr(2);
    size_t end = ++i;
    while (end < block.lines.size() && !block.lines[end].starts_with("$ ")) ++end;
    const CommandResult result = run_command(command + " 2>&1", folder.path());
    const std::span<const std::string> expected(block.lines.data() + i, end - i);
    EXPECT_TRUE(matches(lines_of(result.out), expected)) << "$ " << command << "\n" << result.out;
    i = end;
  }
}

TEST(Readme, TheTourIsTrue) {
  const ScratchFolder folder;
  // The tour says `python`; it means the one with NumPy, which finds the package in the tree.
  const std::string tree(source_dir);
  folder.write("python", "#!/bin/sh\nPYTHONPATH='" + tree + "/python' exec '" + python + "' \"$@\"\n");
  std::filesystem::permissions(folder.path() / "python", std::filesystem::perms::owner_all);
  size_t commands = 0;
  for (const Block& block : blocks_of(read_text(tree + "/README.md"))) {
    if (block.language == "ingot" || block.language == "python") folder.write(name_of(block), contents_of(block));
    if (block.language == "cpp") {
      EXPECT_EQ(contents_of(block), read_text(tree + "/" + name_of(block)));
    }
    if (block.language != "console") continue;
    run_console(block, folder);
    ++commands;
  }
  EXPECT_GE(commands, 3U) << "the tour has gone";
}

// The first line names the file, and may be the file's own: `// examples/custom_op.cpp: what it shows`.
TEST(Docs, ShowCodeThatIsInTheTree) {
  size_t count = 0;
  for (Block& block : blocks_of(read_text(std::string(source_dir) + "/docs/custom-ops.md"))) {
    if (block.language != "cpp") continue;
    ++count;
    const std::string name = name_of(block), file = name.substr(0, name.find(':'));
    ASSERT_TRUE(file.starts_with("examples/")) << file;
    block.lines.erase(block.lines.begin());
    EXPECT_NE(read_text(std::string(source_dir) + "/" + file).find("\n" + contents_of(block)), std::string::npos)
        << file << " does not hold\n"
        << contents_of(block);
  }
  EXPECT_GE(count, 5U) << "the examples are gone";
}

}  // namespace
}  // namespace ingot::test
