#include "passes/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "passes/rewrite.h"
#include "program/debug.h"
#include "program/error.h"

namespace ingot {
namespace {

Program expand_once(const Program& program, const Keep& keep) {
  Replace replace = [&](const Site& site) -> Replacement {
    if (keep(site.node().op, site.graph())) return std::nullopt;
    return decompose(site.node().op, site.to(), Operands([&](Ref ref) { return site(ref); }));
  };
  return rebuild(program, [&](const Site&) { return replace; });
}

// How many there are of each op that is not kept. Throws at one that nothing replaces.
std::map<std::string, int> count_others(const Program& program, const Keep& keep) {
  std::map<std::string, int> counts;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      if (keep(node.op, graph)) continue;
      if (!kOpFacts[node.op.index()].composite) {
        throw Error(Code::unsupported, "the engine does not run it, and it has no decomposition")
            .in_op(mnemonic(node.op))
            .at_node(place_of(graph, node));
      }
      ++counts[mnemonic(node.op)];
    }
  }
  return counts;
}

}  // namespace

Program expand_composites(const Program& program) {
  return expand_once(program, [](const Op&, const Graph&) { return false; });
}

Program expand_composites(Program program, const Keep& keep) {
  for (auto others = count_others(program, keep); !others.empty(); others = count_others(program, keep)) {
    debug(2, [&] {
      std::vector<std::string> parts;
      for (const auto& [op, count] : others) parts.push_back(fmt::format("{} ({})", op, count));
      return fmt::format("expands {}", fmt::join(parts, ", "));
    });
    program = expand_once(program, keep);
  }
  return program;
}

}  // namespace ingot
