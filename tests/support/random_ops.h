// RandomOps: one random node after the other, each with operands that fit it.
//
// An op that the builder refuses is drawn again: what is valid is known to inference alone.
#pragma once

#include <optional>
#include <vector>

#include "program/builder.h"
#include "tests/support/draw.h"

namespace ingot::test {

// A control-flow op whose graphs are built already: they stand before the graph that runs them.
struct PlannedOp {
  Op op;  // without operands
  std::vector<std::vector<TensorType>> operands;  // types, for each of its lists
  bool condition = false;                         // whether a bool[] comes first
};

// What a program offers to its graphs.
struct Surroundings {
  ProgramBuilder& program;
  Draw& draw;
  std::vector<Symbol> symbols;      // that every method binds
  std::vector<SymbolId> counts;     // that no op has bound yet
  std::vector<Kinds> unused = {};
};

class RandomOps {
 public:
  RandomOps(Surroundings& around, GraphBuilder& graph) : around_(around), draw_(around.draw), graph_(graph) {}

  // A value that operands are drawn from.
  void offer(Var value) { values_.push_back(value); }
  // Adds a node of this kind, and whatever it needs. Without effect where the program has nothing to apply it to.
  void add(Opcode opcode);
  void add(const PlannedOp& planned);
  // A value of that type: one that is there, or a new one.
  Var value(const TensorType& type);
  Var value(DType dtype, Shape shape = {}) { return value(TensorType{dtype, std::move(shape), {}}); }
  Var any();

 private:
  using Maker = Op (RandomOps::*)();
  static Maker maker(Opcode opcode);
  std::vector<Var> accept(Op op);
  Var create(const TensorType& type);

  Surroundings& around_;
  Draw& draw_;
  GraphBuilder& graph_;
  std::vector<Var> values_;
};

}  // namespace ingot::test
