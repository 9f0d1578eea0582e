// Step: a mask of two numbers, one for the keys up to a query's own and one for those beyond.
//
//   step_of(view, ref, S, T)   // select(ge(row, column), 0, -inf): up_to 0, within 0, beyond -inf
//
// Ownership  values.
// Threads    pure functions.
#pragma once

#include <optional>

#include "passes/view.h"

namespace ingot {

struct Step {
  Dim up_to;              // row i is `within` in columns 0 … i + up_to
  double within, beyond;  // of bool 1 and 0
};

// Of a value whose last two axes are these rows and columns: triangles of a number and comparisons of positions, as they
// are, negated, in another dtype, or with other numbers in their place.
std::optional<Step> step_of(const View& view, Ref ref, const Dim& rows, const Dim& columns);

// Whether every row has a column within, where there are columns at all.
inline bool reaches_every_row(const Step& step) { return less_equal(0, step.up_to) == Proof::yes; }

}  // namespace ingot
