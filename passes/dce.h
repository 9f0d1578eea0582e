// Dead code: a program without what nothing uses.
//
// Threads    a pure function.
// Failure    what `verify` throws.
#pragma once

#include "program/program.h"

namespace ingot {

// The same program without the nodes whose results nothing uses (passes/effects.h says which stay all the same, and
// that an op that could only fail goes), without the graphs that no method runs, and without references to weights that
// no node is left to read. Weights, states and symbols themselves stay, since they are named from outside.
Program drop_unused(const Program& program);

}  // namespace ingot
