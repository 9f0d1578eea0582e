// Composites between casts: one on f16 or bf16 computes in f32 anyway, so casts around it say nothing.
#pragma once

#include <initializer_list>

#include "passes/rewrite.h"

namespace ingot {

// cast(O(cast(x) to f32)) back to the dtype of x → O(x), where all `operands` of the composite are such casts.
template <class O, Ref O::*... operands>
std::optional<Var> without_casts(const op::Cast& op, const Site& site) {
  const O* inner = site.made_by<O>(op.x);
  if (!inner || !site.used_once(op.x) || op.saturate || widened(op.dtype) != site.dtype(op.x)) return {};
  if (op.dtype == site.dtype(op.x)) return {};
  O narrow = *inner;
  for (const auto operand : {operands...}) {
    const auto* cast = site.made_by<op::Cast>(narrow.*operand);
    if (!cast || site.dtype(cast->x) != op.dtype) return {};
    narrow.*operand = cast->x;
  }
  return site.to().add(site.moved(narrow))[0];
}

}  // namespace ingot
