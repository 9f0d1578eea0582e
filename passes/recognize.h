// Recognition: one op for what exporters write as many.
//
// A replacement computes the same function of the same operands in the same dtype or a wider one (docs/semantics.md,
// Numbers), so results agree to rounding. An expression of f16 or bf16 may become a composite, which computes in f32; one
// that computes in f32 never becomes one that rounds earlier. Numbers that belong to an expression, such as sqrt(2/π),
// must be what their dtype makes of them.
//
// What differs by design are rows of attention without a number: one that sees no key (all scores are -inf) is 0, where
// softmax gives NaN; one that has a NaN among its scores is NaN, also where exporters replace the NaN of softmax by 0.
// And a key that a causal mask hides by about the lowest number of the dtype instead of -inf, beside another that is seen,
// has the weight 0, where softmax gives it more if scores of that magnitude outweigh the number.
//
// Threads    pure functions.
// Failure    what `rewrite` throws.
#pragma once

#include "passes/rewrite.h"

namespace ingot {

// By what they recognise; each in passes/recognize_*.cpp.
std::span<const Rule> activation_rules();
std::span<const Rule> norm_rules();
std::span<const Rule> attention_rules();
std::span<const Rule> rope_rules();
std::span<const Rule> fusion_rules();
std::span<const Rule> update_rules();
// All of them.
std::span<const Rule> recognition_rules();

inline Program recognize(Program program, const RewriteOptions& options = {}) {
  return rewrite(std::move(program), recognition_rules(), options);
}

}  // namespace ingot
