// Expansion: a Program without composites.
//
// Threads    a pure function.
// Failure    what ProgramBuilder::build throws: Code::limit where the expanded program is beyond the verifier's limits.
#pragma once

#include <functional>

#include "program/program.h"

namespace ingot {

// The same program with every composite replaced by its decomposition (program/decompose.h). Symbols, weights, state,
// graphs, inputs and outputs stay, values keep their names, and the new nodes carry name and source of the composite.
Program expand_composites(const Program& program);
// The same, apart from those that an engine has a kernel for, also among those that a decomposition holds.
// Throws Code::unsupported at a primitive that it does not keep.
using Keep = std::function<bool(const Op&, const Graph&)>;
Program expand_composites(Program program, const Keep& keep);

}  // namespace ingot
