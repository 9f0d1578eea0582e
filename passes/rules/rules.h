// The rules of `canonicalize`, by what they are about. Each is exact: what it gives has the same bits for all operands
// of its dtypes, NaN, infinities, -0 and integers that wrap around included (but for the payload of a NaN).
#pragma once

#include <algorithm>
#include <span>

#include "passes/rewrite.h"

namespace ingot {

std::span<const Rule> algebra_rules();
std::span<const Rule> dtype_rules();
std::span<const Rule> matmul_rules();
std::span<const Rule> shape_rules();
std::span<const Rule> size_rules();

// Whether the value could stand for the root: of its type, symbol by symbol.
inline bool has_result_type(const Site& site, Ref ref) { return site.type(ref) == site.result_type(); }

// The value, where it could stand for the root.
inline std::optional<Var> unless_changed(const Site& site, Ref ref) {
  return has_result_type(site, ref) ? std::optional(site(ref)) : std::nullopt;
}

// Whether the op swaps the last two axes and leaves the others.
inline bool swaps_last_two(const op::Transpose& op) {
  const size_t rank = op.perm.size();
  if (rank < 2) return false;
  std::vector<int64_t> perm = op.perm;
  std::swap(perm[rank - 1], perm[rank - 2]);
  return std::ranges::is_sorted(perm);
}

}  // namespace ingot
