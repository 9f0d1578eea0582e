#include "passes/weights_read.h"

#include <utility>

#include "passes/operands.h"

namespace ingot {

std::vector<std::set<WeightId>> weights_read(const Program& program) {
  std::vector<std::set<WeightId>> all;
  for (const Graph& graph : program.graphs) {
    std::set<WeightId> read;
    const auto add = [&](Ref ref) {
      const Value& value = graph.values[ref.id];
      if (value.kind == ValueKind::weight) read.insert({value.index});
    };
    for (const Node& node : graph.nodes) {
      visit_operands(node.op, add);
      visit_graphs(node.op, [&](GraphId id) { read.insert(all[id.id].begin(), all[id.id].end()); });
    }
    for (const Output& output : graph.outputs) add(output.value);
    all.push_back(std::move(read));
  }
  return all;
}

}  // namespace ingot
