// The two halves of an op's fields in the text form: operands by position, attributes by name.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

#include "gen/fields.h"

namespace ingot::text {

template <class F>
concept OperandField = std::same_as<F, Ref> || std::same_as<F, std::optional<Ref>> || std::same_as<F, std::vector<Ref>>;

// v(facts, field) for every operand, in order.
template <class O, class V>
void visit_operands(O& op, V&& v) {
  visit_fields(op, [&](const FieldFacts& facts, auto& field) {
    if constexpr (OperandField<std::remove_cvref_t<decltype(field)>>) v(facts, field);
  });
}

// v(index, facts, field) for every field that is neither an operand nor part of the mnemonic.
template <class O, class V>
void visit_attributes(O& op, V&& v) {
  size_t index = 0;
  visit_fields(op, [&](const FieldFacts& facts, auto& field) {
    if constexpr (!OperandField<std::remove_cvref_t<decltype(field)>>) {
      if (!facts.spelled) v(index, facts, field);
    }
    ++index;
  });
}

}  // namespace ingot::text
