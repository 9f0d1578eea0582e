// ProgramBuilder and GraphBuilder: programs written in C++.
//
//   ProgramBuilder p;
//   Symbol s = p.symbol("S", 1, 512);
//   GraphBuilder& f = p.method("forward");
//   Var x = f.input("x", DType::f32, {s, 64});
//   Var y = f.rms_norm(f.matmul(x, f.weight(p.weight("w", w))), {.eps = 1e-6});
//   f.output("y", y * 2.0);
//   Program program = p.build();
//
// Every op is a method (generated from the schema): operands and mandatory attributes in order, the rest in an options
// struct of the op's name. Types are inferred at the call.
//
// Ownership  the ProgramBuilder owns its GraphBuilders; a Var is a handle into one of them, valid while it lives.
// Threads    one thread at a time.
// Failure    a mistake in an op, an id or a name throws at the call that made it, and leaves the builder as it was
//            before that call. What needs the whole (types of inputs and states, scopes of symbols, limits) throws at
//            `build`.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "program/verify.h"

namespace ingot {

class GraphBuilder;
class ProgramBuilder;

// The names given out for one kind of thing.
class NameSet {
 public:
  // Throws Code::invalid_argument when the name is empty or taken. `what` is for the message: `a value`.
  void claim(std::string_view what, const std::string& name);
  void release(const std::string& name) { names_.erase(name); }

 private:
  std::unordered_set<std::string> names_;
};

// A value of a graph under construction.
class Var {
 public:
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  // Axis -1 is the last.
  Dim dim(int64_t axis) const;
  Ref ref() const { return ref_; }
  GraphBuilder& graph() const { return *graph_; }
  // Names the value, and the node that made it unless that has a name. No other value of the graph may have this name.
  Var named(std::string name) const;

 private:
  friend class GraphBuilder;
  Var(GraphBuilder& graph, Ref ref) : graph_(&graph), ref_(ref) {}
  GraphBuilder* graph_;
  Ref ref_;
};

}  // namespace ingot

#include "gen/options.h"

namespace ingot {

class GraphBuilder {
 public:
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  Var input(std::string name, DType dtype, Shape shape);
  Var input(std::string name, TensorType type);
  Var weight(WeightId id);
  void output(std::string name, Var value);

  // The id by which later graphs call this one. From the first call on its inputs and outputs are fixed.
  GraphId id() const { return id_; }
  const Graph& graph() const;

  // Nodes added from now on carry this provenance.
  void set_source(Source source) { source_ = std::move(source); }
  void set_node_name(std::string name) { node_name_ = std::move(name); }
  // Names a value alone, where Var::named would name its node as well.
  void name_value(Var value, std::string name);

  // A rank-0 constant.
  Var scalar(Scalar value, DType dtype);

  // Any op: what the generated methods call.
  std::vector<Var> add(Op op);

#include "gen/builder_methods.inc"

 private:
  friend class ProgramBuilder;
  friend class Var;
  GraphBuilder(ProgramBuilder& program, GraphId id) : program_(&program), id_(id) {}

  Graph& mutable_graph();
  Ref ref(const Var& var) const;
  std::optional<Ref> ref(const std::optional<Var>& var) const;
  std::vector<Ref> refs(const std::vector<Var>& vars) const;
  // The results of an op that has always as many.
  template <size_t n>
  static auto take(const std::vector<Var>& results) {
    if constexpr (n == 1) {
      return results[0];
    } else {
      return [&]<size_t... i>(std::index_sequence<i...>) {
        return std::array<Var, n>{results[i]...};
      }(std::make_index_sequence<n>());
    }
  }
  void check_not_called() const;

  ProgramBuilder* program_;
  GraphId id_;
  Source source_;
  std::string node_name_;
  bool called_ = false;
  bool calls_later_ = false;  // has inner graphs, whose ids are above its own
  NameSet value_names_, output_names_;
  std::unordered_map<uint32_t, Ref> weights_;  // WeightId -> the value that stands for it here
};

class ProgramBuilder {
 public:
  ProgramBuilder() = default;
  ProgramBuilder(const ProgramBuilder&) = delete;
  ProgramBuilder& operator=(const ProgramBuilder&) = delete;

  Symbol symbol(std::string name, int64_t min = 0, int64_t max = kUnbounded);
  SymbolId symbol_id(std::string_view name) const;
  WeightId weight(std::string name, Tensor tensor);
  WeightId weight(Weight weight);  // with hash and place, as a reader has them
  // Without contents: the host fills it before the first call that reads it.
  WeightId declare_weight(std::string name, TensorType type);
  // Begins as zeros, which no file stores.
  WeightId zero_weight(std::string name, TensorType type);
  StateId state(std::string name, TensorType type, std::optional<WeightId> initial = {});
  // A graph for control flow and calls; graphs call only graphs made before them.
  GraphBuilder& graph(std::string name);
  // A graph that `caller`, made before it, may call as well: for who meets a body in the middle of a graph.
  GraphBuilder& inner_graph(std::string name, GraphBuilder& caller);
  // An exported graph.
  GraphBuilder& method(std::string name);

  const Program& program() const { return program_; }
  // Of all graphs together, so far.
  size_t node_count() const { return node_count_; }
  // Verifies the whole and hands it over; the builder is empty afterwards.
  Program build(const Limits& limits = {});

 private:
  friend class GraphBuilder;
  GraphBuilder& add_graph(std::string name, bool exported);
  void order_graphs();

  Program program_;
  size_t node_count_ = 0;
  std::vector<std::unique_ptr<GraphBuilder>> graphs_;
  NameSet symbol_names_, weight_names_, state_names_, graph_names_;
};

// Arithmetic on Vars of one graph; a number takes the dtype of the Var beside it.
Var operator+(Var a, Var b);
Var operator-(Var a, Var b);
Var operator*(Var a, Var b);
Var operator/(Var a, Var b);
Var operator-(Var a);
template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number T> Var operator+(Var a, T b) { return a + a.graph().scalar(b, a.dtype()); }
template <Number T> Var operator-(Var a, T b) { return a - a.graph().scalar(b, a.dtype()); }
template <Number T> Var operator*(Var a, T b) { return a * a.graph().scalar(b, a.dtype()); }
template <Number T> Var operator/(Var a, T b) { return a / a.graph().scalar(b, a.dtype()); }
template <Number T> Var operator+(T a, Var b) { return b.graph().scalar(a, b.dtype()) + b; }
template <Number T> Var operator-(T a, Var b) { return b.graph().scalar(a, b.dtype()) - b; }
template <Number T> Var operator*(T a, Var b) { return b.graph().scalar(a, b.dtype()) * b; }
template <Number T> Var operator/(T a, Var b) { return b.graph().scalar(a, b.dtype()) / b; }

}  // namespace ingot
