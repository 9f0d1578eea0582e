// Plan: a program as the MLX engine runs it.
//
// Ownership  owns the program. Threads  immutable.
#pragma once

#include <vector>

#include "engines/mlx/segment.h"
#include "program/program.h"

namespace ingot::mlx_engine {

struct Plan {
  Program program;  // composites that are not native are expanded
  // By graph and node: the values that no later node or output reads.
  std::vector<std::vector<std::vector<Ref>>> dead_after;
  std::vector<std::vector<Segment>> segments;  // by graph
};

// Precondition: the program has passed `verify`.
Plan make_plan(const Program& program);

}  // namespace ingot::mlx_engine
