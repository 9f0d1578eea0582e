// Ids: indices into the tables of a Program or a Graph, each kind a type of its own.
#pragma once

#include <cstdint>

namespace ingot {

template <class Tag>
struct Id {
  uint32_t id = 0;
  auto operator<=>(const Id&) const = default;
};

using Ref = Id<struct ValueTag>;        // Graph::values
using GraphId = Id<struct GraphTag>;    // Program::graphs
using WeightId = Id<struct WeightTag>;  // Program::weights
using StateId = Id<struct StateTag>;    // Program::states
using SymbolId = Id<struct SymbolTag>;  // Program::symbols

}  // namespace ingot
