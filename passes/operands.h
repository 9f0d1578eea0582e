// What any op refers to: its operands, captures of control flow and values written to state included, and its graphs.
//
// Threads    pure, apart from the op that is changed.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "gen/fields.h"
#include "program/ref.h"

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

}  // namespace ingot
