// Pages that people write: each has a word about every op.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gen/ops.h"
#include "gen/test_paths.h"
#include "tests/support/command.h"

namespace ingot::test {
namespace {

// What stands between backticks.
std::set<std::string> quoted(const std::string& markdown) {
  std::set<std::string> words;
  for (size_t open = markdown.find('`'); open != std::string::npos; open = markdown.find('`', open)) {
    const size_t close = markdown.find('`', open + 1);
    if (close == std::string::npos) break;
    words.insert(markdown.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return words;
}

// By one of its names; the index at the end has those that the text has no more to say about.
TEST(Semantics, HasAWordAboutEveryOp) {
  const std::set<std::string> words = quoted(read_text(std::string(source_dir) + "/docs/semantics.md"));
  std::set<Opcode> named;
  for (const Mnemonic& name : kMnemonics) {
    if (words.contains(std::string(name.name))) named.insert(name.opcode);
  }
  for (size_t op = 0; op < std::size(kOpFacts); ++op) {
    EXPECT_TRUE(named.contains(static_cast<Opcode>(op))) << "docs/semantics.md lacks `" << kOpFacts[op].mnemonic << "`";
  }
}

}  // namespace
}  // namespace ingot::test
