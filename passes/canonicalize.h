// Canonicalisation: one spelling of what can be written in many ways, and nothing that does nothing.
//
// Threads    pure functions.
// Failure    what `rewrite` throws.
#pragma once

#include "passes/rewrite.h"

namespace ingot {

// Those of passes/rules: exact for every operand.
std::span<const Rule> canonical_rules();

inline Program canonicalize(Program program, const RewriteOptions& options = {}) {
  return rewrite(std::move(program), canonical_rules(), options);
}

}  // namespace ingot
