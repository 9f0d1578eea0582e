// Segments: a graph cut into runs of nodes that can be traced, and the nodes between them that read values.
//
// Threads    pure functions.
#pragma once

#include <vector>

#include "engines/mlx/custom.h"
#include "program/program.h"

namespace ingot::mlx_engine {

// Nodes [first, end) of a graph, and what passes in and out of them.
struct Segment {
  uint32_t first = 0, end = 0;
  bool traceable = false;
  // Of traceable ones:
  std::vector<Ref> inputs;        // values of the graph that nodes before it, or its caller, make
  std::vector<Ref> outputs;       // its results that are used behind it
  std::vector<Ref> dead;          // its inputs that are not
  std::vector<WeightId> weights;  // that it reads, the graphs that it calls included, in order
  std::vector<StateId> states;    // that it reads or writes, likewise
};

// What a graph touches, the graphs that it calls included.
struct Touched {
  std::vector<WeightId> weights;
  std::vector<StateId> states;
};

// `traceable` says it of each graph before this one, `touched` likewise.
std::vector<Segment> segments_of(const Graph& graph, const HostOps& host, const std::vector<bool>& traceable,
                                 const std::vector<Touched>& touched);
Touched touched_by(const Graph& graph, const std::vector<Touched>& touched);

// Whether a node can be part of a trace.
bool is_traceable(const Op& op, const HostOps& host, const std::vector<bool>& traceable_graphs);

}  // namespace ingot::mlx_engine
