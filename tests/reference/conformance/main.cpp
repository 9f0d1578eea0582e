// conformance: which ops an engine computes as NumPy does, by dtype, as a page in Markdown.
//
//   conformance ENGINE[:MODE]... [--family NAME] [--case PART] [--shard K/N]      exit code 1 when a case fails
//
// A case that the device has no dtype for is neither passed nor failed, and stands in no cell.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "gen/op_pages.h"
#include "program/text/fields.h"
#include "tests/support/case.h"

namespace ingot::test {
namespace {

constexpr DType columns[] = {DType::bool_, DType::u8,  DType::u16, DType::u32,  DType::u64, DType::i8,  DType::i16,
                             DType::i32,   DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64};

struct Count {
  int passed = 0, failed = 0;
};

// Cases by op and dtype; one that is none of the columns counts under packed.
using Table = std::map<std::pair<size_t, DType>, Count>;

// What a node computes on: its first operand, or where it has none its first result.
std::optional<DType> dtype_of(const Graph& graph, const Node& node) {
  std::optional<DType> dtype;
  text::visit_operands(node.op, [&]<class F>(const FieldFacts&, const F& field) {
    if (dtype) return;
    if constexpr (std::same_as<F, Ref>) {
      dtype = graph.type(field).dtype;
    } else if constexpr (std::same_as<F, std::vector<Ref>>) {
      if (!field.empty()) dtype = graph.type(field[0]).dtype;
    }
  });
  if (!dtype && node.result_count > 0) dtype = graph.type(node.first_result).dtype;
  return dtype;
}

// Once for each op and dtype that occurs in it.
void count_case(const CaseResult& result, Table& table) {
  std::set<std::pair<size_t, DType>> seen;
  for (const Graph& graph : result.program.graphs) {
    for (const Node& node : graph.nodes) {
      const DType dtype = dtype_of(graph, node).value_or(DType::packed);
      const bool listed = std::ranges::find(columns, dtype) != std::end(columns);
      seen.emplace(node.op.index(), listed ? dtype : DType::packed);
    }
  }
  for (const auto& key : seen) ++(result.problem.empty() ? table[key].passed : table[key].failed);
}

std::string cell(const Table& table, size_t opcode, DType dtype) {
  const auto found = table.find({opcode, dtype});
  if (found == table.end()) return "";
  const auto [passed, failed] = found->second;
  return failed ? fmt::format("{} of {}", passed, passed + failed) : fmt::format("{}", passed);
}

// Of cases.
struct Counts {
  size_t all = 0, failed = 0, unsupported = 0;
};

std::string page(const std::string& target, const Table& table, const Counts& counts) {
  std::string text = fmt::format("## {}\n\n{} cases, {} failed", target, counts.all, counts.failed);
  if (counts.unsupported > 0) text += fmt::format(", {} unsupported", counts.unsupported);
  text += ".\n\n| op |";
  std::string rule = "\n|---|";
  for (const DType dtype : columns) text += fmt::format(" {} |", to_string(dtype)), rule += "---|";
  text += " other |" + rule + "---|\n";
  for (size_t opcode = 0; opcode < kOpCount; ++opcode) {
    text += fmt::format("| {} |", kOpPages[opcode].name);
    for (const DType dtype : columns) text += fmt::format(" {} |", cell(table, opcode, dtype));
    text += fmt::format(" {} |\n", cell(table, opcode, DType::packed));
  }
  return text;
}

struct Chosen {
  std::string family, part;  // empty: all
  Shard shard;
};

size_t run_target(const Target& target, const Chosen& chosen) {
  Table table;
  Counts counts;
  size_t unexpected = 0;
  for (const std::string& family : case_families()) {
    if (!chosen.family.empty() && family != chosen.family) continue;
    for (const CaseResult& result : run_cases(family, target, chosen.part, chosen.shard)) {
      ++counts.all;
      if (result.unsupported) {
        ++counts.unsupported;
        continue;
      }
      count_case(result, table);
      if (result.problem.empty()) continue;
      ++counts.failed;
      if (!result.departure.empty()) continue;
      ++unexpected;
      std::cerr << target.name() << ", " << family << ", " << result.name << ": " << result.problem << "\n";
    }
  }
  std::cout << page(target.name(), table, counts);
  return unexpected;
}

constexpr const char* usage =
    "conformance ENGINE[:MODE]... [--family NAME] [--case PART] [--shard K/N]\n"
    "Runs the cases of the op set, and writes a page in Markdown. Exit code 1 when a case fails, 2 for wrong usage.\n";

struct Arguments {
  std::vector<Target> targets;
  Chosen chosen;
  bool help = false;
};

// Throws where an argument is none of these.
Arguments arguments_of(const std::vector<std::string>& words) {
  Arguments all;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (words[i] == "--help")
      all.help = true;
    else if (words[i] == "--family")
      all.chosen.family = value, ++i;
    else if (words[i] == "--case")
      all.chosen.part = value, ++i;
    else if (words[i] == "--shard")  // 0/4: the first of four
      all.chosen.shard = {std::stoul(value), std::stoul(value.substr(value.find('/') + 1))}, ++i;
    else
      all.targets.push_back(Target::parse(words[i]));
  }
  return all;
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = arguments_of(words);
  if (arguments.help || arguments.targets.empty()) {
    (arguments.help ? std::cout : std::cerr) << usage;
    return arguments.help ? 0 : 2;
  }
  size_t failed = 0;
  for (const Target& target : arguments.targets) failed += run_target(target, arguments.chosen);
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace ingot::test

int main(int argc, char** argv) {
  try {
    return ingot::test::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n" << ingot::test::usage;
    return 2;
  }
}
