// View: a graph as a rule looks at it, from a value to the node that makes it and on to that node's operands.
//
//   // mul(x, sigmoid(x))
//   const op::Unary* gate = view.unary(UnaryFn::sigmoid, mul.b);
//   if (gate && gate->x == mul.a) …
//
// Two Refs are the same value exactly when they are equal; after `cse` equal expressions are one value.
//
// Ownership  refers to the program, which must outlive it.
// Threads    one at a time: some answers are kept.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "program/program.h"

namespace ingot {

// Whether the contents of a weight are part of the computation. A weight that is not constant may be replaced between
// calls, so no pass looks at its contents.
using IsConstant = std::function<bool(const Weight&)>;

class View {
 public:
  View(const Program& program, const Graph& graph, IsConstant is_constant = {});

  const Program& program() const { return program_; }
  const Graph& graph() const { return graph_; }
  const TensorType& type(Ref ref) const { return graph_.type(ref); }
  const Shape& shape(Ref ref) const { return type(ref).shape; }
  DType dtype(Ref ref) const { return type(ref).dtype; }

  // None for inputs and weights.
  const Node* maker(Ref ref) const;
  // The op, when `ref` is result number `result` of such a one.
  template <OpStruct O>
  const O* made_by(Ref ref, uint32_t result = 0) const {
    const Node* node = maker(ref);
    return node && ref.id - node->first_result.id == result ? node->op.template get_if<O>() : nullptr;
  }
  const op::Unary* unary(UnaryFn fn, Ref ref) const { return of(fn, made_by<op::Unary>(ref)); }
  const op::Binary* binary(BinaryFn fn, Ref ref) const { return of(fn, made_by<op::Binary>(ref)); }
  const op::Compare* compare(CompareFn fn, Ref ref) const { return of(fn, made_by<op::Compare>(ref)); }
  const op::Reduce* reduce(ReduceFn fn, Ref ref) const { return of(fn, made_by<op::Reduce>(ref)); }

  // How often a value is used: every operand (captures and what is written to state among them) and every output of the
  // graph counts. A rule may read a value that others use as well: the nodes that make it then simply stay.
  uint32_t uses(Ref ref) const { return uses_[ref.id]; }
  bool used_once(Ref ref) const { return uses(ref) == 1; }

  // The number that every element is: of a `full`, of a constant weight, and of these reshaped, transposed or
  // broadcast. As it was written: in a narrow dtype the elements are this number rounded.
  std::optional<Scalar> number(Ref ref) const;
  // The same as a double; none where it is complex.
  std::optional<double> real(Ref ref) const;
  // Whether that number is exactly this; 0 is +0 and not -0, of integers as well. For numbers that every dtype holds.
  bool is_number(Ref ref, double number) const;
  // The contents of a constant weight; none of any other value, nor of a weight without stored contents.
  const Tensor* constant(Ref ref) const;
  // Bytes of weights that a value depends on; none where it depends on anything but weights and numbers.
  std::optional<int64_t> weights_read(Ref ref) const { return weights_read_[ref.id]; }

  // Whether a graph of the program runs this one.
  bool is_called() const;
  // Whether nothing between the two nodes, neither of which counts, writes the state. Precondition: both are of this
  // graph.
  bool unchanged_between(StateId state, const Node& first, const Node& second) const;

 private:
  // The nodes of the graph that write the state, in order.
  const std::vector<size_t>& writers(StateId state) const;
  // Where the elements come from that reshape, transpose and broadcast move.
  Ref through_moves(Ref ref) const;
  template <class O, class F>
  static const O* of(F fn, const O* op) {
    return op && op->fn == fn ? op : nullptr;
  }

  const Program& program_;
  const Graph& graph_;
  IsConstant is_constant_;
  std::vector<uint32_t> uses_;
  std::vector<std::optional<int64_t>> weights_read_;
  // None until they are asked for:
  mutable std::optional<bool> is_called_;
  mutable std::optional<std::vector<std::vector<size_t>>> writers_;  // by state
};

// The number that every element of a tensor is; none where they differ, are none, or are of a storage dtype. Elements
// are compared bit by bit.
std::optional<Scalar> uniform_number(const Tensor& tensor);

}  // namespace ingot
