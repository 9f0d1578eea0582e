// Common sub-expressions: of equal nodes on equal operands the first stands for all.
//
// Threads    a pure function.
// Failure    what ProgramBuilder::build throws.
#pragma once

#include "program/program.h"

namespace ingot {

// passes/effects.h says which nodes may become one. State that was written in between makes a read another one. The
// nodes that were not the first are gone, and so are the names of their results.
Program merge_equal(const Program& program);

}  // namespace ingot
