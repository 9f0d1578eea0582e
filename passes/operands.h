// What any op refers to: its operands, captures of control flow and values written to state included, and its graphs;
// and so which graph runs which.
//
// Threads    pure, apart from the op that is changed.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "gen/fields.h"
#include "program/program.h"

namespace ingot {

// f(ref) for every operand, in the order of the schema; of an op that is not const f may change it.
template <class AnyOp, class F>
void visit_operands(AnyOp& op, F&& f) {
  visit_fields(op, [&](const FieldFacts&, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Ref>) {
      f(field);
    } else if constexpr (std::is_same_v<Field, std::optional<Ref>>) {
      if (field) f(*field);
    } else if constexpr (std::is_same_v<Field, std::vector<Ref>>) {
      for (auto& ref : field) f(ref);
    }
  });
}

// f(id) for every graph that the op runs.
template <class AnyOp, class F>
void visit_graphs(AnyOp& op, F&& f) {
  visit_fields(op, [&](const FieldFacts&, auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>) f(field);
  });
}

// For each graph the first one that runs it; none where only a caller of the program may.
inline std::vector<std::optional<GraphId>> callers_of(const Program& program) {
  std::vector<std::optional<GraphId>> callers(program.graphs.size());
  for (uint32_t i = 0; i < program.graphs.size(); ++i) {
    for (const Node& node : program.graphs[i].nodes) {
      visit_graphs(node.op, [&](GraphId id) { callers[id.id] = callers[id.id].value_or(GraphId{i}); });
    }
  }
  return callers;
}

}  // namespace ingot
