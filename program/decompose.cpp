#include "program/decompose.h"

namespace ingot {

std::optional<std::vector<Var>> decompose(const Op& op, GraphBuilder& graph, const Operands& operands) {
  return std::visit(
      [&]<class O>(const O& each) -> std::optional<std::vector<Var>> {
        if constexpr (kOpFacts[static_cast<size_t>(O::opcode)].composite) return decompose(each, graph, operands);
        return std::nullopt;
      },
      op);
}

DType widened(DType dtype) { return is_real(dtype) && bits(dtype) < 32 ? DType::f32 : dtype; }

Var as_dtype(Var x, DType dtype) { return x.dtype() == dtype ? x : x.graph().cast(x, dtype); }

}  // namespace ingot
