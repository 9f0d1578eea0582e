// Parts of a graph as a graph of their own.
//
// Threads    a pure function. Failure  none: whoever puts the result into a program calls `verify`.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace ingot {

// The nodes that are kept, in their order, between these inputs and outputs, all named by values of `from`; weights
// come along where they are used. An input may be a result of a node that is not kept.
// Precondition: what kept nodes and outputs use is an input, a weight, or a result of a kept node.
Graph subgraph(const Graph& from, const std::vector<bool>& keeps_node, std::span<const Ref> inputs,
               std::span<const Output> outputs);

}  // namespace ingot
