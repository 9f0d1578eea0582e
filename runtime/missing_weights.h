// MissingWeights: which weights of a compiled program had no contents when it was compiled, and which graphs need them.
//
// Ownership  a value. Threads  immutable. Failure  `check` throws Code::invalid_argument.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace ingot {

class MissingWeights {
 public:
  // Graphs of `compiled` need what the graphs of the same name in `given` read, so that every engine asks for the same
  // weights, whatever its passes removed. Precondition: `compiled` was made from `given`.
  MissingWeights(const Program& given, const CompiledProgram& compiled);

  const std::set<WeightId>& at_first() const { return at_first_; }
  // Throws, with the names of all of them, where the graph or one that it calls reads weights that are still missing.
  void check(GraphId graph, const std::set<WeightId>& missing) const;

 private:
  struct Needs {
    std::string graph;
    std::set<WeightId> weights;  // of those that were missing at first
  };

  std::set<WeightId> at_first_;
  std::vector<std::string> labels_;  // by WeightId: `@w: f32[2]`
  std::vector<Needs> needs_;         // by GraphId of the compiled program
};

}  // namespace ingot
