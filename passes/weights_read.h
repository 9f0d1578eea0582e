// Which weights a graph reads, those of the graphs that it calls included.
//
// Threads    a pure function.
#pragma once

#include <set>
#include <vector>

#include "program/program.h"

namespace ingot {

// By graph of the program.
std::vector<std::set<WeightId>> weights_read(const Program& program);

}  // namespace ingot
