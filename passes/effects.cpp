#include "passes/effects.h"

#include "gen/fields.h"

namespace ingot {

bool stands_alone(const Op& op) {
  bool alone = op.opcode() != Opcode::custom;
  visit_fields(op, [&](const FieldFacts&, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, GraphId> || std::is_same_v<Field, StateId> || std::is_same_v<Field, SymbolId>) {
      alone = false;
    } else if constexpr (std::is_same_v<Field, Dim>) {
      alone = alone && field.is_literal();
    } else if constexpr (std::is_same_v<Field, std::optional<Dim>>) {
      alone = alone && (!field || field->is_literal());
    } else if constexpr (std::is_same_v<Field, Shape>) {
      alone = alone && literal_sizes(field).has_value();
    }
  });
  return alone;
}

NodeEffects::NodeEffects(const Program& program) : states_(graph_effects(program)) {
  // A graph calls only graphs before it.
  for (const Graph& graph : program.graphs) {
    Found all;
    for (const Node& node : graph.nodes) {
      const Found one = found(node.op);
      all = {.keeps = all.keeps || one.keeps, .unique = all.unique || one.unique};
    }
    graphs_.push_back(all);
  }
}

NodeEffects::Found NodeEffects::found(const Op& op) const {
  const bool opaque = kOpFacts[op.index()].effects == OpEffects::writes_state || op.opcode() == Opcode::custom;
  Found result{.keeps = opaque || op.opcode() == Opcode::ensure_shape, .unique = opaque};
  visit_fields(op, [&](const FieldFacts&, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, SymbolId>) {
      result = {.keeps = true, .unique = true};
    } else if constexpr (std::is_same_v<Field, GraphId>) {
      result = {.keeps = result.keeps || graphs_[field.id].keeps, .unique = result.unique || graphs_[field.id].unique};
    }
  });
  return result;
}

}  // namespace ingot
