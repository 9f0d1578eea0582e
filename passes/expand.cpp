#include "passes/expand.h"

#include "gen/fields.h"
#include "program/decompose.h"

namespace ingot {
namespace {

// One graph on its way into the builder: where each of its values is now.
class Copy {
 public:
  Copy(const Graph& from, GraphBuilder& to) : from_(from), to_(to), values_(from.values.size()) {}

  void run() {
    for (Ref input : from_.inputs) put(input, to_.input(from_.values[input.id].name, from_.type(input)));
    for (uint32_t id = 0; id < from_.values.size(); ++id) {
      if (from_.values[id].kind == ValueKind::weight) put({id}, to_.weight({from_.values[id].index}));
    }
    for (const Node& node : from_.nodes) add(node);
    for (const Output& output : from_.outputs) to_.output(output.name, at(output.value));
  }

 private:
  void add(const Node& node) {
    to_.set_node_name(node.name);
    to_.set_source(node.source);
    auto results = decompose(node.op, to_, Operands([this](Ref ref) { return at(ref); }));
    if (!results) results = to_.add(moved(node.op));
    for (uint32_t i = 0; i < node.result_count; ++i) put({node.first_result.id + i}, (*results)[i]);
  }

  // The op on the values of the new graph.
  Op moved(Op op) const {
    visit_fields(op, [this](const FieldFacts&, auto& field) { move(field); });
    return op;
  }
  void move(Ref& ref) const { ref = at(ref).ref(); }
  void move(std::optional<Ref>& ref) const {
    if (ref) move(*ref);
  }
  void move(std::vector<Ref>& refs) const {
    for (Ref& ref : refs) move(ref);
  }
  template <class T>
  void move(T&) const {}

  // A decomposition may give back an operand, which has its name already.
  void put(Ref ref, Var var) {
    const std::string &name = from_.values[ref.id].name, &present = to_.graph().values[var.ref().id].name;
    if (!name.empty() && present.empty()) to_.name_value(var, name);
    values_[ref.id] = var;
  }
  const Var& at(Ref ref) const { return values_[ref.id].value(); }

  const Graph& from_;
  GraphBuilder& to_;
  std::vector<std::optional<Var>> values_;
};

}  // namespace

Program expand_composites(const Program& program) {
  ProgramBuilder builder;
  for (const Symbol& symbol : program.symbols) builder.symbol(symbol.name(), symbol.min(), symbol.max());
  for (const Weight& weight : program.weights) builder.weight(weight);
  for (const State& state : program.states) builder.state(state.name, state.type, state.initial);
  for (const Graph& graph : program.graphs) {
    Copy(graph, graph.exported ? builder.method(graph.name) : builder.graph(graph.name)).run();
  }
  return builder.build();
}

}  // namespace ingot
