#include "passes/dce.h"

#include <algorithm>

#include "passes/effects.h"
#include "passes/operands.h"
#include "passes/subgraph.h"
#include "program/verify.h"

namespace ingot {
namespace {

// The nodes that must stay, and those that these use.
std::vector<bool> used_nodes(const Graph& graph, const NodeEffects& effects) {
  std::vector<bool> wanted(graph.values.size()), used(graph.nodes.size());
  for (const Output& output : graph.outputs) wanted[output.value.id] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    const auto first = wanted.begin() + node.first_result.id;
    used[i] =
        !effects.may_drop(node.op) || std::find(first, first + node.result_count, true) != first + node.result_count;
    if (used[i]) visit_operands(node.op, [&](Ref ref) { wanted[ref.id] = true; });
  }
  return used;
}

void drop_uncalled(Program& program) {
  std::vector<bool> called(program.graphs.size());
  for (size_t i = program.graphs.size(); i-- > 0;) {
    called[i] = called[i] || program.graphs[i].exported;
    if (!called[i]) continue;
    for (const Node& node : program.graphs[i].nodes) visit_graphs(node.op, [&](GraphId id) { called[id.id] = true; });
  }
  std::vector<Graph> graphs;
  std::vector<GraphId> places(program.graphs.size());
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    if (!called[i]) continue;
    places[i] = {static_cast<uint32_t>(graphs.size())};
    graphs.push_back(std::move(program.graphs[i]));
    for (Node& node : graphs.back().nodes) visit_graphs(node.op, [&](GraphId& id) { id = places[id.id]; });
  }
  program.graphs = std::move(graphs);
}

}  // namespace

Program drop_unused(const Program& program) {
  const NodeEffects effects(program);
  Program result{.symbols = program.symbols, .weights = program.weights, .states = program.states, .graphs = {}};
  for (const Graph& graph : program.graphs) {
    result.graphs.push_back(subgraph(graph, used_nodes(graph, effects), graph.inputs, graph.outputs));
  }
  drop_uncalled(result);
  verify(result);
  return result;
}

}  // namespace ingot
