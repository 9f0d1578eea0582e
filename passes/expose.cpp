#include "passes/expose.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/names.h"
#include "passes/operands.h"

namespace ingot {

Exposed expose_values(const Program& program, const Graph& method) {
  Exposed exposed{.program = program, .method = method.name, .values = {}};
  const auto place = std::ranges::find(program.graphs, method.name, &Graph::name);
  const GraphId id{static_cast<uint32_t>(place - program.graphs.begin())};
  Graph graph = method;
  for (const Node& node : method.nodes) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const Ref value{node.first_result.id + i};
      graph.outputs.push_back({.name = free_name(method.outputs, fmt::format("value {}", value.id)), .value = value});
      exposed.values.push_back(value);
    }
  }
  // In its own place, since only one graph may bind a symbol; beside it where others call it and expect its outputs.
  if (!callers_of(program)[id.id]) {
    exposed.program.graphs[id.id] = std::move(graph);
  } else {
    graph.name = exposed.method = free_name(program.graphs, method.name + ", exposed");
    graph.exported = true;
    exposed.program.graphs.push_back(std::move(graph));
  }
  return exposed;
}

}  // namespace ingot
