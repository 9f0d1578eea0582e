#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "gen/op_pages.h"
#include "program/op.h"
#include "program/text/suggest.h"

namespace ingot::cli {
namespace {

std::vector<std::string_view> mnemonics_of(size_t opcode) {
  std::vector<std::string_view> names;
  for (const Mnemonic& row : kMnemonics) {
    if (static_cast<size_t>(row.opcode) == opcode) names.push_back(row.name);
  }
  return names;
}

// By its name in the text form, in the schema, or by its family.
std::vector<size_t> find_ops(std::string_view name) {
  std::vector<size_t> found;
  for (size_t i = 0; i < kOpCount; ++i) {
    const auto names = mnemonics_of(i);
    if (kOpPages[i].name == name || kOpFacts[i].family == name || std::ranges::count(names, name) > 0) {
      found.push_back(i);
    }
  }
  return found;
}

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Mnemonic& row : kMnemonics) names.push_back(row.name);
  return did_you_mean(name, names);
}

std::string page(size_t opcode) {
  const auto names = mnemonics_of(opcode);
  return fmt::format("{} ({}): {}\n\n{}", kOpPages[opcode].name, kOpFacts[opcode].family, fmt::join(names, " "),
                     kOpPages[opcode].text);
}

// A line for each op, by family.
std::string overview() {
  std::string text;
  std::vector<std::string_view> families;
  for (const OpFacts& op : kOpFacts) {
    if (std::ranges::count(families, op.family) == 0) families.push_back(op.family);
  }
  for (const std::string_view family : families) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", family);
    for (size_t i = 0; i < kOpCount; ++i) {
      if (kOpFacts[i].family == family) text += fmt::format("  {:<20} {}\n", kOpPages[i].name, kOpFacts[i].doc);
    }
  }
  return text;
}

int show(const std::string& name) {
  if (name.empty()) {
    write_text("", overview());
    return kDone;
  }
  const std::vector<size_t> found = find_ops(name);
  if (found.empty()) throw WrongUsage{fmt::format("there is no op '{}'{}", name, suggestion(name))};
  std::string text;
  for (const size_t opcode : found) text += (text.empty() ? "" : "\n") + page(opcode);
  write_text("", text);
  return kDone;
}

}  // namespace

Verb add_ops(CLI::App& root) {
  auto name = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand("ops", "Show the ops, or what one of them means.");
  app->add_option("name", *name, "an op (softmax, Reduce) or a family (norm); without it a line for each op");
  return {app, [name] { return show(*name); }};
}

}  // namespace ingot::cli
