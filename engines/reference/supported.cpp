#include "engines/reference/supported.h"

#include <fmt/format.h>

#include "engines/reference/frame.h"

namespace ingot::reference {

Error not_registered(const op::Custom& op) {
  return Error(Code::unsupported, fmt::format("the host has registered no op '{}'", op.name));
}

void check_supported(const Program& program) {
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      const auto* custom = node.op.get_if<op::Custom>();
      if (custom) throw not_registered(*custom).in_op(mnemonic(node.op)).at_node(place_of(graph, node));
    }
  }
}

}  // namespace ingot::reference
