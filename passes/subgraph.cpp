#include "passes/subgraph.h"

#include "passes/operands.h"

namespace ingot {
namespace {

class Subgraph {
 public:
  Subgraph(const Graph& from, const std::vector<bool>& keeps_node) : from_(from), places_(from.values.size()) {
    to_.name = from.name;
    to_.exported = from.exported;
    used_.resize(from.values.size());
    for (size_t i = 0; i < from.nodes.size(); ++i) {
      if (keeps_node[i]) visit_operands(from.nodes[i].op, [this](Ref ref) { used_[ref.id] = true; });
    }
  }

  Graph run(const std::vector<bool>& keeps_node, std::span<const Ref> inputs, std::span<const Output> outputs) {
    for (const Ref input : inputs) add_input(input);
    for (const Output& output : outputs) used_[output.value.id] = true;
    for (uint32_t id = 0; id < used_.size(); ++id) {
      if (used_[id] && from_.values[id].kind == ValueKind::weight) add_value({id});
    }
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      if (keeps_node[i]) add_node(from_.nodes[i]);
    }
    for (const Output& output : outputs) to_.outputs.push_back({output.name, places_[output.value.id]});
    return std::move(to_);
  }

 private:
  Value& add_value(Ref value) {
    places_[value.id] = {static_cast<uint32_t>(to_.values.size())};
    return to_.values.emplace_back(from_.values[value.id]);
  }
  void add_input(Ref input) {
    Value& value = add_value(input);
    value.kind = ValueKind::input;
    value.index = static_cast<uint32_t>(to_.inputs.size());
    to_.inputs.push_back(places_[input.id]);
  }
  void add_node(Node node) {
    visit_operands(node.op, [this](Ref& ref) { ref = places_[ref.id]; });
    const Ref old = node.first_result;
    node.first_result = {static_cast<uint32_t>(to_.values.size())};
    for (uint32_t i = 0; i < node.result_count; ++i) {
      add_value({old.id + i}).index = static_cast<uint32_t>(to_.nodes.size());
    }
    to_.nodes.push_back(std::move(node));
  }

  const Graph& from_;
  Graph to_;
  std::vector<bool> used_;
  std::vector<Ref> places_;  // by value of `from`
};

}  // namespace

Graph subgraph(const Graph& from, const std::vector<bool>& keeps_node, std::span<const Ref> inputs,
               std::span<const Output> outputs) {
  return Subgraph(from, keeps_node).run(keeps_node, inputs, outputs);
}

}  // namespace ingot
