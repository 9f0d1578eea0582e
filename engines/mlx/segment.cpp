#include "engines/mlx/segment.h"

#include <algorithm>

#include "engines/mlx/lowering.h"
#include "gen/fields.h"
#include "passes/operands.h"

namespace ingot::mlx_engine {
namespace {

template <class T>
void add(std::vector<T>& all, T one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

void collect(const Graph& graph, const Node& node, const std::vector<Touched>& touched, Touched& into) {
  visit_operands(node.op, [&](Ref ref) {
    const Value& value = graph.values[ref.id];
    if (value.kind == ValueKind::weight) add(into.weights, WeightId{value.index});
  });
  visit_fields(node.op, [&]<class T>(const FieldFacts&, const T& field) {
    if constexpr (std::same_as<T, StateId>) add(into.states, field);
    if constexpr (std::same_as<T, GraphId>) {
      for (WeightId weight : touched[field.id].weights) add(into.weights, weight);
      for (StateId state : touched[field.id].states) add(into.states, state);
    }
  });
}

// For every value the last node that reads it; beyond all nodes where an output does.
std::vector<uint32_t> last_readers(const Graph& graph) {
  std::vector<uint32_t> last(graph.values.size(), 0);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    visit_operands(graph.nodes[i].op, [&](Ref ref) { last[ref.id] = i; });
  }
  for (const Output& output : graph.outputs) last[output.value.id] = static_cast<uint32_t>(graph.nodes.size());
  return last;
}

void describe(const Graph& graph, const std::vector<Touched>& touched, const std::vector<uint32_t>& last,
              Segment& segment) {
  Touched inside;
  std::vector<bool> is_input(graph.values.size(), false);
  for (uint32_t i = segment.first; i < segment.end; ++i) {
    const Node& node = graph.nodes[i];
    collect(graph, node, touched, inside);
    visit_operands(node.op, [&](Ref ref) {
      const Value& value = graph.values[ref.id];
      const bool made_inside = value.kind == ValueKind::result && value.index >= segment.first;
      if (value.kind == ValueKind::weight || made_inside || is_input[ref.id]) return;
      is_input[ref.id] = true;
      segment.inputs.push_back(ref);
      if (last[ref.id] < segment.end) segment.dead.push_back(ref);
    });
    for (uint32_t j = 0; j < node.result_count; ++j) {
      const Ref result{node.first_result.id + j};
      if (last[result.id] >= segment.end) segment.outputs.push_back(result);
    }
  }
  segment.weights = std::move(inside.weights);
  segment.states = std::move(inside.states);
}

}  // namespace

bool is_traceable(const Op& op, const HostOps& host, const std::vector<bool>& traceable_graphs) {
  if (const auto* call = op.get_if<op::Call>()) return traceable_graphs[call->graph.id];
  return !reads(op, host);
}

Touched touched_by(const Graph& graph, const std::vector<Touched>& touched) {
  Touched all;
  for (const Node& node : graph.nodes) collect(graph, node, touched, all);
  return all;
}

std::vector<Segment> segments_of(const Graph& graph, const HostOps& host, const std::vector<bool>& traceable,
                                 const std::vector<Touched>& touched) {
  std::vector<Segment> segments;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const bool traced = is_traceable(graph.nodes[i].op, host, traceable);
    if (segments.empty() || segments.back().traceable != traced) segments.push_back({.first = i, .traceable = traced});
    segments.back().end = i + 1;
  }
  const std::vector<uint32_t> last = last_readers(graph);
  for (Segment& segment : segments) {
    if (segment.traceable) describe(graph, touched, last, segment);
  }
  return segments;
}

}  // namespace ingot::mlx_engine
