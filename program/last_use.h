// Last uses: when an engine may let a value go.
//
// Threads    a pure function.
#pragma once

#include <vector>

#include "program/program.h"

namespace ingot {

// For every node the values that no later node and no output reads, its own results included.
std::vector<std::vector<Ref>> dead_after(const Graph& graph);

}  // namespace ingot
