// The rules of `canonicalize`, by what they are about. Each is exact: what it gives has the same bits for all operands
// of its dtypes, NaN, infinities, -0 and integers that wrap around included (but for the payload of a NaN).
#pragma once

#include <span>

#include "passes/rewrite.h"

namespace ingot {

std::span<const Rule> algebra_rules();
std::span<const Rule> dtype_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> size_rules();

// Whether the value could stand for the root: of its type, symbol by symbol.
inline bool has_result_type(const Site& site, Ref ref) { return site.type(ref) == site.result_type(); }

// The value, where it could stand for the root.
inline std::optional<Var> unless_changed(const Site& site, Ref ref) {
  return has_result_type(site, ref) ? std::optional(site(ref)) : std::nullopt;
}

}  // namespace ingot
