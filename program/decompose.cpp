#include "program/decompose.h"

namespace ingot {

std::optional<std::vector<Var>> decompose(const Op& op, GraphBuilder& graph, const Operands& operands) {
  return visit(
      [&]<class O>(const O& each) -> std::optional<std::vector<Var>> {
        if constexpr (kOpFacts[static_cast<size_t>(O::opcode)].composite) return decompose(each, graph, operands);
        return std::nullopt;
      },
      op);
}

DType widened(DType dtype) { return is_real(dtype) && bits(dtype) < 32 ? DType::f32 : dtype; }

Var as_dtype(Var x, DType dtype) { return x.dtype() == dtype ? x : x.graph().cast(x, dtype); }

Var value_of(GraphBuilder& graph, const Dim& dim) {
  if (dim.is_literal()) return graph.scalar(dim.literal(), DType::i64);
  if (less_equal(0, dim) == Proof::yes) return graph.size_of(dim);
  return graph.size_of(max(dim, 0)) - graph.size_of(max(dim * -1, 0));
}

}  // namespace ingot
