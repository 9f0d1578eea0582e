// Heads that queries share: what attention and gated_delta ask of them.
//
// Threads    pure functions. Failure  Error, as infer.h.
#pragma once

#include "program/infer.h"

namespace ingot {

// H a multiple of G: both known, or the same.
inline void check_heads(const Scope& s, const Dim& h, const Dim& g) {
  if (equal(h, g) == Proof::yes) return;
  if (h.is_literal() && g.is_literal() && g.literal() > 0 && h.literal() % g.literal() == 0) return;
  s.refuse("number of heads of q", to_string(h), fmt::format("a multiple of {}, the heads of k", to_string(g)));
}

}  // namespace ingot
