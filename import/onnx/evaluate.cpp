#include "import/onnx/evaluate.h"

#include <map>
#include <set>

#include "engines/reference/execute.h"
#include "passes/operands.h"
#include "program/builder.h"

namespace ingot::onnx {
namespace {

constexpr RunLimits kMoment{.bytes = int64_t{256} << 20, .steps = 20'000'000};

// The values that one depends on, itself included: operands have lower ids than results.
std::set<uint32_t> dependencies(const Graph& graph, Ref value) {
  std::set<uint32_t> needed;
  std::vector<Ref> open{value};
  while (!open.empty()) {
    const Ref next = open.back();
    open.pop_back();
    const Value& found = graph.values[next.id];
    if (!needed.insert(next.id).second || found.kind != ValueKind::result) continue;
    visit_operands(graph.nodes[found.index].op, [&](const Ref& operand) { open.push_back(operand); });
  }
  return needed;
}

// A program that computes one value of another, whose inputs and weights it holds as weights.
class Extract {
 public:
  Extract(const Program& from, const Graph& graph, const std::function<Tensor(Ref)>& input)
      : from_(from), graph_(graph), input_(input), to_(program_.method("main")) {}

  Program of(Ref value) {
    for (const uint32_t id : dependencies(graph_, value)) copy({id});
    to_.output("y", places_.at(value.id));
    return program_.build();
  }

 private:
  void copy(Ref ref) {
    const Value& value = graph_.values[ref.id];
    if (places_.contains(ref.id)) return;
    if (value.kind == ValueKind::result) return copy(graph_.nodes[value.index]);
    const Tensor contents = value.kind == ValueKind::weight ? *from_.weights[value.index].tensor : input_(ref);
    places_.emplace(ref.id, to_.weight(program_.weight(Weight::of(std::to_string(ref.id), contents))));
  }
  void copy(const Node& node) {
    Op op = node.op;
    visit_operands(op, [this](Ref& operand) { operand = places_.at(operand.id).ref(); });
    const std::vector<Var> results = to_.add(std::move(op));
    for (uint32_t i = 0; i < results.size(); ++i) places_.emplace(node.first_result.id + i, results[i]);
  }

  const Program& from_;
  const Graph& graph_;
  const std::function<Tensor(Ref)>& input_;
  ProgramBuilder program_;
  GraphBuilder& to_;
  std::map<uint32_t, Var> places_;
};

}  // namespace

Tensor evaluate(const Program& program, const Graph& graph, Ref value, const std::function<Tensor(Ref)>& input) {
  const reference::Plan plan = reference::make_plan(Extract(program, graph, input).of(value));
  std::vector<Tensor> no_states;
  reference::States states(no_states);
  return reference::execute(plan, GraphId{0}, {}, {}, states, kMoment).front();
}

}  // namespace ingot::onnx
