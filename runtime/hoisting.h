// A compiled program whose methods find computed what depends on weights alone (passes/hoist.h): kept on the device, and
// computed again only when one of those weights changes.
//
// Ownership  of the engine's program. Threads  and Failure  as engines/engine.h; `set_weight` waits for calls that begin.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "passes/hoist.h"

namespace ingot {

// By name, since an engine may number graphs anew. Precondition: there is one.
GraphId id_of(const Program& program, std::string_view graph);

// Precondition: `compiled` was made of the program of which these are the hoisted methods; they are prepared here.
std::shared_ptr<CompiledProgram> with_hoisted(std::shared_ptr<CompiledProgram> compiled,
                                              std::vector<HoistedMethod> methods);

}  // namespace ingot
