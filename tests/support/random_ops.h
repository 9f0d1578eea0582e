// RandomOps: one random node after the other, each with operands that fit it.
//
// A node that the builder refuses is drawn again: what is valid is known to inference alone.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "program/builder.h"
#include "tests/support/draw.h"

namespace ingot::test {

// What the graphs of a program share.
struct Surroundings {
  ProgramBuilder& program;
  Draw& draw;
  std::vector<Symbol> symbols;  // those that every method binds
};

// A control-flow op whose graphs are there: they stand before the graph that runs them.
struct PlannedOp {
  Op op;                                        // without operands
  std::vector<std::vector<TensorType>> passed;  // types, for each of its lists of operands
};

// Axes count from either end.
inline Dim& size_at(Shape& shape, int64_t axis) { return axis < 0 ? shape.end()[axis] : shape.begin()[axis]; }

class RandomOps {
 public:
  RandomOps(Surroundings& around, GraphBuilder& graph);

  // A value that operands are drawn from.
  void offer(Var value) { values_.push_back(value); }
  // The first that was offered. Precondition: there is one.
  Var first() const { return values_.front(); }
  // Adds a node of this kind, and what it needs. Precondition: no control flow. Ops without a `fill` follow one of their
  // examples (op_examples.h).
  void add(Opcode opcode);
  void add(PlannedOp planned);
  // A value of that type: one that is there, or a new one.
  Var value(const TensorType& type);
  Var value(DType dtype, Shape shape = {}) { return value(TensorType{dtype, std::move(shape), {}}); }
  // One that is there, most of the time.
  Var any();

 private:
  void fill_by_example(Op& op);
  // elementwise, reduce, matmul
  void fill(op::Unary& op);
  void fill(op::Binary& op);
  void fill(op::Compare& op);
  void fill(op::Select& op);
  void fill(op::Cast& op);
  void fill(op::Reduce& op);
  void fill(op::ArgReduce& op);
  void fill(op::Softmax& op);
  void fill(op::Matmul& op);
  // shape
  void fill(op::Reshape& op);
  void fill(op::Transpose& op);
  void fill(op::Broadcast& op);
  void fill(op::Slice& op);
  void fill(op::Concatenate& op);
  void fill(op::Pad& op);
  void fill(op::EnsureShape& op);
  // index, create
  void fill(op::Take& op);
  void fill(op::Gather& op);
  void fill(op::Scatter& op);
  void fill(op::Nonzero& op);
  void fill(op::Iota& op);
  void fill(op::Full& op);
  void fill(op::Random& op);
  void fill(op::SizeOf& op);
  // norm, attention, quant
  void fill(op::LayerNorm& op);
  void fill(op::RmsNorm& op);
  void fill(op::Attention& op);
  void fill(op::Quantize& op);
  void fill(op::Dequantize& op);
  void fill(op::QuantizedMatmul& op);
  // state, custom
  void fill(op::StateRead& op);
  void fill(op::StateWrite& op);
  void fill(op::StateUpdate& op);
  void fill(op::Custom& op);

  Var any_of(Kinds kinds, size_t least_rank = 0);
  Var create(const TensorType& type);
  Ref operand(DType dtype, Shape shape) { return value(dtype, std::move(shape)).ref(); }
  // Operands of a kind that broadcast with one another.
  std::vector<Ref> operands(size_t count, Kinds kinds);
  std::optional<Ref> scale();
  // Of any integer dtype, and mostly of numbers that every axis has.
  Ref indices(Shape shape);
  StateId state();
  SymbolId new_symbol();
  NamedAttribute attribute();
  Shape shape(size_t least_rank = 0, size_t most_rank = 3) {
    return draw_.shape(around_.symbols, least_rank, most_rank);
  }
  Dim dim() { return draw_.dim(around_.symbols); }

  // Names some of the results and offers all of them.
  void accept(const std::vector<Var>& results);
  void draw_location();

  Surroundings& around_;
  Draw& draw_;
  GraphBuilder& graph_;
  std::vector<Var> values_;
};

}  // namespace ingot::test
