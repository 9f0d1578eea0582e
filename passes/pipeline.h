// The passes by name, and the order in which they make a program faster without changing what it computes.
//
// Threads    pure functions, as far as the callbacks of the options are.
// Failure    Code::not_found for a name that is no pass; what the passes throw.
#pragma once

#include <span>
#include <string_view>

#include "passes/fold.h"
#include "passes/rewrite.h"

namespace ingot {

struct PassOptions {
  // Absent: nothing is folded.
  Evaluate evaluate;
  // Absent: every weight may be replaced between calls, and no pass looks at contents. Where some are constant,
  // replacing one means to optimise the original program again, without it among them.
  IsConstant is_constant;
  OnApplied on_applied;                 // told of every rule that applies
  int64_t growth_bytes = kGrowthBytes;  // FoldOptions
  bool keep_masks = true;               // FoldOptions; `optimize` folds in the end what no rule took
  int rounds = 8;                       // through all passes, at most
};

struct Pass {
  std::string_view name;
  std::string_view meaning;          // in one line
  std::span<const Rule> (*rules)();  // none for a pass without a table
  Program (*run)(const Program& program, const PassOptions& options);
};

// In the order in which they run.
std::span<const Pass> passes();

// Every pass in turn, again and again until none changes anything.
Program optimize(Program program, const PassOptions& options = {});
// Every pass once, up to this one.
Program optimize_until(Program program, std::string_view last, const PassOptions& options = {});

}  // namespace ingot
