#include "import/onnx/evaluate.h"

#include <map>
#include <set>

#include "engines/reference/execute.h"
#include "passes/operands.h"
#include "program/builder.h"

namespace ingot::onnx {
namespace {

using Known = std::function<std::optional<Tensor>(Ref)>;

// Copying a node, and preparing to run it, takes about as long as so many steps.
constexpr uint64_t kStepsForNode = 100;

// A program that computes one value of another, whose weights and known values it holds as weights.
class Extract {
 public:
  Extract(const Program& from, const Graph& graph, const Known& known, reference::Meter& meter)
      : from_(from), graph_(graph), known_(known), meter_(meter), to_(program_.method("main")) {}

  Program of(Ref value) {
    for (const uint32_t node : nodes_for(value)) copy(graph_.nodes[node]);
    to_.output("y", places_.at(value.id));
    return program_.build();
  }

 private:
  // The nodes that must run, in their order. What is known is brought along.
  std::set<uint32_t> nodes_for(Ref value) {
    std::set<uint32_t> nodes;
    std::vector<Ref> open{value};
    while (!open.empty()) {
      const Ref next = open.back();
      open.pop_back();
      if (places_.contains(next.id)) continue;
      meter_.spend(kStepsForNode);
      if (bring(next)) continue;
      const uint32_t node = graph_.values[next.id].index;
      if (!nodes.insert(node).second) continue;
      visit_operands(graph_.nodes[node].op, [&](Ref operand) { open.push_back(operand); });
    }
    return nodes;
  }
  bool bring(Ref ref) {
    const Value& value = graph_.values[ref.id];
    const auto contents = value.kind == ValueKind::weight ? from_.weights[value.index].tensor : known_(ref);
    if (!contents) return false;
    places_.emplace(ref.id, to_.weight(program_.weight(Weight::of(std::to_string(ref.id), *contents))));
    return true;
  }
  void copy(const Node& node) {
    Op op = node.op;
    visit_operands(op, [this](Ref& operand) { operand = places_.at(operand.id).ref(); });
    const std::vector<Var> results = to_.add(std::move(op));
    for (uint32_t i = 0; i < results.size(); ++i) places_.emplace(node.first_result.id + i, results[i]);
  }

  const Program& from_;
  const Graph& graph_;
  const Known& known_;
  reference::Meter& meter_;
  ProgramBuilder program_;
  GraphBuilder& to_;
  std::map<uint32_t, Var> places_;
};

}  // namespace

Tensor evaluate(const Program& program, const Graph& graph, Ref value, const Known& known, reference::Meter& meter) {
  const reference::Plan plan = reference::make_plan(Extract(program, graph, known, meter).of(value));
  std::vector<Tensor> no_states;
  reference::States states(no_states);
  return reference::execute(plan, GraphId{0}, {}, {}, states, meter).front();
}

}  // namespace ingot::onnx
