// Plan: a program as the MLX engine runs it.
//
// Ownership  owns the program. Threads  immutable.
#pragma once

#include <string>
#include <vector>

#include "engines/mlx/custom.h"
#include "engines/mlx/segment.h"
#include "program/program.h"

namespace ingot::mlx_engine {

struct Plan {
  Program program;  // composites that are not native are expanded
  // By graph and node: the values that no later node or output reads.
  std::vector<std::vector<std::vector<Ref>>> dead_after;
  std::vector<std::vector<Segment>> segments;  // by graph
  // By graph: whether a call that has been lowered and has no guards ends well. The sizes of its outputs are known, and
  // nothing that it computes can fail: no op of the host, and no matrix whose factors are not found.
  std::vector<bool> ends_well;
  HostOps host_ops;
};

// Precondition: the program has passed `verify`. Throws where a custom op has nothing that could run.
Plan make_plan(const Program& program, const Registry& registry);

// `segments: f 0-3 traced, f 4-4 one by one`
std::string describe_segments(const Plan& plan);

}  // namespace ingot::mlx_engine
