#include "passes/expose.h"

#include <fmt/format.h>

#include "passes/names.h"

namespace ingot {

Exposed expose_values(const Program& program, const Graph& method) {
  Exposed exposed{.program = program, .method = free_name(program.graphs, method.name + ", exposed"), .values = {}};
  Graph graph = method;
  graph.name = exposed.method;
  graph.exported = true;
  for (const Node& node : method.nodes) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const Ref value{node.first_result.id + i};
      graph.outputs.push_back({.name = free_name(method.outputs, fmt::format("value {}", value.id)), .value = value});
      exposed.values.push_back(value);
    }
  }
  exposed.program.graphs.push_back(std::move(graph));
  return exposed;
}

}  // namespace ingot
