// A compiled program whose methods find computed what depends on weights alone (passes/hoist.h): kept on the device, and
// computed again by the next call when one of those weights has changed. It refuses calls that need a weight which has no
// contents yet (runtime/missing_weights.h).
//
// Ownership  of the engine's program. A call keeps the weights that it began with, and what was computed from these.
// Threads    as engines/engine.h. Failure  as engines/engine.h: weights that fail a method fail its calls.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "passes/hoist.h"

namespace ingot {

// By name, since an engine may number graphs anew. Precondition: there is one.
GraphId id_of(const Program& program, std::string_view graph);

// The compiled program itself where nothing is hoisted and no weight is missing. Precondition: `compiled` was made of the
// program of which these are the hoisted methods, which passes made of `given`.
std::shared_ptr<CompiledProgram> with_hoisted(std::shared_ptr<CompiledProgram> compiled,
                                              std::vector<HoistedMethod> methods, const Program& given);

}  // namespace ingot
