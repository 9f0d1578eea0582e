// Exposure: what a method computes on its way, as outputs.
//
// Threads    a pure function.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace ingot {

struct Exposed {
  Program program;          // with a method that has the outputs of the other, then the results of all its nodes
  std::string method;       // its name: the same, unless other graphs call the method
  std::vector<Ref> values;  // the results, in the order of the nodes
};

// The nodes of graphs that the method runs or calls stay inside: their callers' results show them.
Exposed expose_values(const Program& program, const Graph& method);

}  // namespace ingot
