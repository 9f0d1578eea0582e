// Decomposition: what a composite op means, in primitive ops.
//
// Engines without a kernel of their own, the grad pass and the tests use it. The function of an op is
// `expand(const op::X&, GraphBuilder&, const Operands&)` in program/ops/<family>.cpp, bound by INGOT_EXPANSIONS(family).
//
// Threads    pure, apart from the builder that they add to.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gen/families.h"
#include "program/bind.h"
#include "program/builder.h"

namespace ingot {

// The operands of an op as values of the graph under construction.
class Operands {
 public:
  explicit Operands(std::function<Var(Ref)> map) : map_(std::move(map)) {}
  Var operator()(Ref ref) const { return map_(ref); }
  std::optional<Var> operator()(const std::optional<Ref>& ref) const {
    return ref ? std::optional(map_(*ref)) : std::nullopt;
  }

 private:
  std::function<Var(Ref)> map_;
};

// Defined for every composite by INGOT_EXPANSIONS.
template <class O>
std::vector<Var> decompose(const O& op, GraphBuilder& graph, const Operands& operands);

// The results of a composite, added to `graph`; none for a primitive.
std::optional<std::vector<Var>> decompose(const Op& op, GraphBuilder& graph, const Operands& operands);

// What a composite computes in: f32 for f16 and bf16, else the dtype itself.
DType widened(DType dtype);
// x in that dtype, without a node where it is so already.
Var as_dtype(Var x, DType dtype);
// The value of an expression over sizes, negative ones included, as an i64 scalar.
Var value_of(GraphBuilder& graph, const Dim& dim);

#define INGOT_BIND_EXPANSION(O)                                                                         \
  template <>                                                                                           \
  std::vector<Var> decompose<op::O>(const op::O& each, GraphBuilder& graph, const Operands& operands) { \
    INGOT_CALL(O, std::vector<Var>, expand(op, graph, operands),                                        \
               "expand(const op::" #O "&, GraphBuilder&, const Operands&)");                            \
  }
#define INGOT_EXPANSIONS(family) INGOT_COMPOSITES_OF_##family(INGOT_BIND_EXPANSION)

}  // namespace ingot
