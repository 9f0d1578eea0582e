#include "program/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "gen/fields.h"
#include "program/infer.h"
#include "program/verify.h"

namespace ingot {

void NameSet::claim(std::string_view what, const std::string& name) {
  if (!name.empty() && names_.insert(name).second) return;
  throw Error::mismatch(Code::invalid_argument, "", fmt::format("the name of {}", what),
                        name.empty() ? "empty" : fmt::format("'{}', which is taken", name), "a new name");
}

// ------------------------------------------------------------------------------------------------------------- Var

const TensorType& Var::type() const { return graph_->graph().type(ref_); }

Dim Var::dim(int64_t axis) const {
  const int64_t rank = type().rank();
  if (axis < -rank || axis >= rank) {
    throw Error::mismatch(Code::out_of_range, "", "axis", fmt::format("{}", axis),
                          fmt::format("{}..{}", -rank, rank - 1));
  }
  return shape()[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

Var Var::named(std::string name) const {
  graph_->name_value(*this, name);
  Graph& graph = graph_->mutable_graph();
  const Value& value = graph.values[ref_.id];
  if (value.kind == ValueKind::result && graph.nodes[value.index].name.empty()) {
    graph.nodes[value.index].name = std::move(name);
  }
  return *this;
}

// ---------------------------------------------------------------------------------------------------- GraphBuilder

const Graph& GraphBuilder::graph() const { return program_->program_.graphs[id_.id]; }
Graph& GraphBuilder::mutable_graph() { return program_->program_.graphs[id_.id]; }

Var GraphBuilder::input(std::string name, DType dtype, Shape shape) {
  return input(std::move(name), TensorType{.dtype = dtype, .shape = std::move(shape), .scheme = {}});
}

Var GraphBuilder::input(std::string name, TensorType type) {
  check_not_called();
  value_names_.claim("a value", name);
  Graph& graph = mutable_graph();
  const Ref ref{static_cast<uint32_t>(graph.values.size())};
  const auto position = static_cast<uint32_t>(graph.inputs.size());
  graph.values.push_back(
      {.kind = ValueKind::input, .index = position, .type = std::move(type), .name = std::move(name)});
  graph.inputs.push_back(ref);
  return {*this, ref};
}

Var GraphBuilder::weight(WeightId id) {
  const Program& program = program_->program_;
  if (id.id >= program.weights.size()) {
    throw Error::mismatch(Code::out_of_range, "", "weight id", fmt::format("{}", id.id),
                          fmt::format("an id below {}", program.weights.size()));
  }
  const auto [entry, added] = weights_.try_emplace(id.id);
  if (added) {
    Graph& graph = mutable_graph();
    entry->second = Ref{static_cast<uint32_t>(graph.values.size())};
    graph.values.push_back(
        {.kind = ValueKind::weight, .index = id.id, .type = program.weights[id.id].type, .name = {}});
  }
  return {*this, entry->second};
}

void GraphBuilder::output(std::string name, Var value) {
  const Ref source = ref(value);
  check_not_called();
  output_names_.claim("an output", name);
  mutable_graph().outputs.push_back({.name = std::move(name), .value = source});
}

void GraphBuilder::name_value(Var value, std::string name) {
  std::string& current = mutable_graph().values[ref(value).id].name;
  if (current == name) return;
  value_names_.claim("a value", name);
  value_names_.release(current);
  current = std::move(name);
}

void GraphBuilder::check_not_called() const {
  if (!called_) return;
  throw Error(Code::invalid_argument,
              fmt::format("graph '{}' has been called, so its inputs and outputs are fixed", graph().name));
}

Var GraphBuilder::scalar(Scalar value, DType dtype) {
  // 2 beside an f32 means 2.0; the other direction is checked by inference.
  if (value.is_integer() && is_real(dtype)) value = Scalar(value.as_real());
  return full({}, value, {.dtype = dtype});
}

std::vector<Var> GraphBuilder::add(Op op) {
  Graph& graph = mutable_graph();
  const size_t callable = calls_later_ ? program_->program_.graphs.size() : id_.id;
  check_ids(op, program_->program_, graph, static_cast<uint32_t>(callable));
  const Types types = infer(op, program_->program_, graph);
  visit_fields(op, [this](const FieldFacts&, const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>) {
      program_->graphs_[field.id]->called_ = true;
    }
  });
  const auto node = static_cast<uint32_t>(graph.nodes.size());
  const Ref first{static_cast<uint32_t>(graph.values.size())};
  graph.nodes.push_back({.op = std::move(op),
                         .first_result = first,
                         .result_count = static_cast<uint32_t>(types.size()),
                         .name = node_name_,
                         .source = source_});
  ++program_->node_count_;
  std::vector<Var> results;
  for (const TensorType& type : types) {
    results.push_back(Var(*this, Ref{static_cast<uint32_t>(graph.values.size())}));
    graph.values.push_back({.kind = ValueKind::result, .index = node, .type = type, .name = {}});
  }
  return results;
}

Ref GraphBuilder::ref(const Var& var) const {
  if (&var.graph() != this) {
    throw Error::mismatch(Code::invalid_argument, "", "operand",
                          fmt::format("a value of graph '{}'", var.graph().graph().name),
                          fmt::format("a value of graph '{}' (captures are passed explicitly)", graph().name));
  }
  return var.ref();
}

std::optional<Ref> GraphBuilder::ref(const std::optional<Var>& var) const {
  return var ? std::optional(ref(*var)) : std::nullopt;
}

std::vector<Ref> GraphBuilder::refs(const std::vector<Var>& vars) const {
  std::vector<Ref> result;
  result.reserve(vars.size());
  for (const Var& var : vars) result.push_back(ref(var));
  return result;
}

// -------------------------------------------------------------------------------------------------- ProgramBuilder

Symbol ProgramBuilder::symbol(std::string name, int64_t min, int64_t max) {
  Symbol symbol(std::move(name), min, max);
  symbol_names_.claim("a symbol", symbol.name());
  return program_.symbols.emplace_back(std::move(symbol));
}

SymbolId ProgramBuilder::symbol_id(std::string_view name) const {
  for (uint32_t i = 0; i < program_.symbols.size(); ++i) {
    if (program_.symbols[i].name() == name) return {i};
  }
  throw Error(Code::not_found, fmt::format("symbol '{}' is not declared", name));
}

WeightId ProgramBuilder::weight(std::string name, Tensor tensor) {
  const ContentHash hash = content_hash(tensor);
  return weight(Weight::of(std::move(name), std::move(tensor), hash));
}

WeightId ProgramBuilder::declare_weight(std::string name, TensorType type) {
  return weight(Weight{.name = std::move(name), .type = std::move(type)});
}

WeightId ProgramBuilder::zero_weight(std::string name, TensorType type) {
  return weight(Weight{.name = std::move(name), .type = std::move(type), .zeros = true});
}

WeightId ProgramBuilder::weight(Weight weight) {
  weight_names_.claim("a weight", weight.name);
  program_.weights.push_back(std::move(weight));
  return {static_cast<uint32_t>(program_.weights.size() - 1)};
}

StateId ProgramBuilder::state(std::string name, TensorType type, std::optional<WeightId> initial) {
  state_names_.claim("a state", name);
  program_.states.push_back({.name = std::move(name), .type = std::move(type), .initial = initial});
  return {static_cast<uint32_t>(program_.states.size() - 1)};
}

GraphBuilder& ProgramBuilder::graph(std::string name) { return add_graph(std::move(name), false); }
GraphBuilder& ProgramBuilder::method(std::string name) { return add_graph(std::move(name), true); }

GraphBuilder& ProgramBuilder::inner_graph(std::string name, GraphBuilder& caller) {
  GraphBuilder& inner = add_graph(std::move(name), false);
  caller.calls_later_ = true;
  return inner;
}

GraphBuilder& ProgramBuilder::add_graph(std::string name, bool exported) {
  graph_names_.claim("a graph", name);
  const GraphId id{static_cast<uint32_t>(program_.graphs.size())};
  Graph& graph = program_.graphs.emplace_back();
  graph.name = std::move(name);
  graph.exported = exported;
  graphs_.push_back(std::unique_ptr<GraphBuilder>(new GraphBuilder(*this, id)));
  return *graphs_.back();
}

namespace {

// Graphs in an order in which each comes after those that it calls; otherwise as they are.
class CallOrder {
 public:
  explicit CallOrder(const std::vector<Graph>& graphs) : graphs_(graphs), seen_(graphs.size(), Seen::no) {
    for (uint32_t i = 0; i < graphs.size(); ++i) visit(i);
  }
  const std::vector<uint32_t>& ids() const { return order_; }

 private:
  enum class Seen { no, open, done };

  void visit(uint32_t id) {
    if (seen_[id] == Seen::done) return;
    if (seen_[id] == Seen::open) {
      throw Error(Code::invalid_argument, fmt::format("graph '{}' calls itself", graphs_[id].name));
    }
    seen_[id] = Seen::open;
    for (const Node& node : graphs_[id].nodes) {
      visit_fields(node.op, [this](const FieldFacts&, const auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>) visit(field.id);
      });
    }
    seen_[id] = Seen::done;
    order_.push_back(id);
  }

  const std::vector<Graph>& graphs_;
  std::vector<Seen> seen_;
  std::vector<uint32_t> order_;
};

}  // namespace

// Inner graphs were made after the graphs that call them. Builders move with their graphs, so that they stay usable
// when the program is refused.
void ProgramBuilder::order_graphs() {
  const CallOrder order(program_.graphs);
  std::vector<uint32_t> places(program_.graphs.size());
  std::vector<Graph> graphs;
  std::vector<std::unique_ptr<GraphBuilder>> builders;
  for (const uint32_t id : order.ids()) {
    places[id] = static_cast<uint32_t>(graphs.size());
    graphs.push_back(std::move(program_.graphs[id]));
    builders.push_back(std::move(graphs_[id]));
    builders.back()->id_ = {places[id]};
  }
  for (Graph& graph : graphs) {
    for (Node& node : graph.nodes) {
      visit_fields(node.op, [&](const FieldFacts&, auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>) field.id = places[field.id];
      });
    }
  }
  program_.graphs = std::move(graphs);
  graphs_ = std::move(builders);
}

Program ProgramBuilder::build(const Limits& limits) {
  if (std::ranges::any_of(graphs_, [](const auto& graph) { return graph->calls_later_; })) order_graphs();
  verify(program_, limits);
  graphs_.clear();
  node_count_ = 0;
  symbol_names_ = weight_names_ = state_names_ = graph_names_ = {};
  return std::exchange(program_, {});
}

// ------------------------------------------------------------------------------------------------------- operators

Var operator+(Var a, Var b) { return a.graph().add(a, b); }
Var operator-(Var a, Var b) { return a.graph().sub(a, b); }
Var operator*(Var a, Var b) { return a.graph().mul(a, b); }
Var operator/(Var a, Var b) { return a.graph().div(a, b); }
Var operator-(Var a) { return a.graph().neg(a); }

}  // namespace ingot
