// Cost: what a node takes, told from types alone, without running it.
//
// A multiplication is one FLOP, an addition another, and so is an elementwise function of one element, whatever it is.
// Bytes count as if each operand were read once and each result written once; of what is indexed, the elements that come
// out. A graph that a node calls counts as often as it runs: of two branches the dearer one, of a loop its trips.
//
// Ownership  values. Threads  pure functions. Failure  Code::limit where a size leaves i64.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "program/program.h"

namespace ingot {

struct NodeCost {
  std::optional<double> flops;  // none where there is no formula for the op
  int64_t read = 0, written = 0;
};

// A node by itself. None where a size is not known (data decide it, or a symbol is not bound), and for control flow.
std::optional<NodeCost> cost_of(const Program& program, const Graph& graph, const Node& node, const Bindings& bindings);

struct GraphCost {
  std::vector<std::optional<NodeCost>> nodes;  // none: a size or a number of trips is not known
  NodeCost total;                              // of what is known; flops are always there
  size_t unknown = 0;                          // nodes that are not, or have no formula
  // The most that inputs, results and the working space of kernels, as far as the engine tells, have alive at one time,
  // values until their last use. A size that data decide counts with the largest that its symbols allow; none where there
  // is no largest.
  std::optional<int64_t> peak_bytes;
};

// What an engine says that each node of a graph has alive while it runs, besides its operands; 0 where it does not know.
using WorkingSpace = std::function<std::vector<int64_t>(GraphId graph)>;

// By graph, each of which is looked at once however often it is called.
std::vector<GraphCost> costs_of(const Program& program, const Bindings& bindings);

// Precondition: the graph is one of the program's.
GraphCost cost_of(const Program& program, const Graph& graph, const Bindings& bindings,
                  const WorkingSpace& working_space = {});

}  // namespace ingot
