// Fields of an op beside those of a new op of its kind.
#pragma once

#include <vector>

#include "gen/fields.h"

namespace ingot::test {

// function(facts, field, the value that it has by default), for every field. Two visits one after the other: one inside the
// other would be compiled for every pair of ops.
template <class F>
void visit_with_defaults(const Op& op, F function) {
  const Op plain = make_op(op.opcode());
  std::vector<const void*> defaults;
  visit_fields(plain, [&](const FieldFacts&, const auto& field) { defaults.push_back(&field); });
  size_t i = 0;
  visit_fields(op, [&]<class T>(const FieldFacts& facts, const T& field) {
    function(facts, field, *static_cast<const T*>(defaults[i++]));
  });
}

}  // namespace ingot::test
