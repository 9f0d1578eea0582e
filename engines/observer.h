// Observer: who is told of every node that runs, for traces.
//
// Threads    called on the thread that runs the node; several calls may run at once.
// Failure    must not throw.
#pragma once

#include <chrono>
#include <functional>

#include "program/program.h"

namespace ingot {

// Refers to what lives during the call of the observer alone.
struct NodeRun {
  const Graph& graph;
  const Node& node;
  const Bindings& bindings;  // the symbols that are known behind the node
  std::chrono::steady_clock::time_point start, end;
};

using Observer = std::function<void(const NodeRun&)>;

}  // namespace ingot
