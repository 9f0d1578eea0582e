#include "passes/growth.h"

#include "passes/effects.h"
#include "passes/operands.h"

namespace ingot {

std::vector<std::optional<int64_t>> weights_read(const Program& program, const Graph& graph) {
  using Read = std::optional<int64_t>;
  std::vector<Read> all(graph.values.size());
  for (uint32_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.kind != ValueKind::weight) continue;
    const TensorType& type = program.weights[value.index].type;
    all[id] = byte_count(type.dtype, *literal_sizes(type.shape), type.scheme);
  }
  for (const Node& node : graph.nodes) {
    Read read = stands_alone(node.op) && node.op.opcode() != Opcode::ensure_shape ? Read(0) : std::nullopt;
    visit_operands(node.op, [&](Ref ref) {
      const Read operand = all[ref.id];
      read = read && operand ? Read(add_read(*read, *operand)) : std::nullopt;
    });
    for (uint32_t i = 0; i < node.result_count; ++i) all[node.first_result.id + i] = read;
  }
  return all;
}

}  // namespace ingot
