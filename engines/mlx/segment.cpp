#include "engines/mlx/segment.h"

#include <algorithm>

#include "engines/mlx/lowering.h"
#include "gen/fields.h"
#include "passes/operands.h"

namespace ingot::mlx_engine {
namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <class T>
void keep_one_of_each(std::vector<T>& all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

// What some nodes of a graph touch.
class Collector {
 public:
  Collector(const Graph& graph, const std::vector<Touched>& touched) : graph_(graph), touched_(touched) {}

  void add(const Node& node) {
    visit_operands(node.op, [&](Ref ref) {
      const Value& value = graph_.values[ref.id];
      if (value.kind == ValueKind::weight) all_.weights.push_back({value.index});
    });
    visit_fields(node.op, [&]<class T>(const FieldFacts&, const T& field) {
      if constexpr (std::same_as<T, StateId>) all_.states.push_back(field);
      if constexpr (std::same_as<T, GraphId>) called_.push_back(field);
    });
  }

  Touched take() {
    keep_one_of_each(called_);
    for (GraphId graph : called_) {
      append(all_.weights, touched_[graph.id].weights);
      append(all_.states, touched_[graph.id].states);
    }
    keep_one_of_each(all_.weights);
    keep_one_of_each(all_.states);
    return std::move(all_);
  }

 private:
  const Graph& graph_;
  const std::vector<Touched>& touched_;  // by graph
  Touched all_;
  std::vector<GraphId> called_;
};

// For every value the last node that reads it; beyond all nodes where an output does.
std::vector<uint32_t> last_readers(const Graph& graph) {
  std::vector<uint32_t> last(graph.values.size(), 0);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    visit_operands(graph.nodes[i].op, [&](Ref ref) { last[ref.id] = i; });
  }
  for (const Output& output : graph.outputs) last[output.value.id] = static_cast<uint32_t>(graph.nodes.size());
  return last;
}

// `seen_in` has for every value the end of the last segment that reads it, so far.
void describe(const Graph& graph, const std::vector<Touched>& touched, const std::vector<uint32_t>& last,
              std::vector<uint32_t>& seen_in, Segment& segment) {
  Collector inside(graph, touched);
  for (uint32_t i = segment.first; i < segment.end; ++i) {
    const Node& node = graph.nodes[i];
    inside.add(node);
    visit_operands(node.op, [&](Ref ref) {
      const Value& value = graph.values[ref.id];
      const bool made_inside = value.kind == ValueKind::result && value.index >= segment.first;
      if (value.kind == ValueKind::weight || made_inside || seen_in[ref.id] == segment.end) return;
      seen_in[ref.id] = segment.end;
      segment.inputs.push_back(ref);
      if (last[ref.id] < segment.end) segment.dead.push_back(ref);
    });
    for (uint32_t j = 0; j < node.result_count; ++j) {
      const Ref result{node.first_result.id + j};
      if (last[result.id] >= segment.end) segment.outputs.push_back(result);
    }
  }
  Touched all = inside.take();
  segment.weights = std::move(all.weights);
  segment.states = std::move(all.states);
}

}  // namespace

bool is_traceable(const Op& op, const HostOps& host, const std::vector<bool>& traceable_graphs) {
  if (const auto* call = op.get_if<op::Call>()) return traceable_graphs[call->graph.id];
  return !reads(op, host);
}

Touched touched_by(const Graph& graph, const std::vector<Touched>& touched) {
  Collector all(graph, touched);
  for (const Node& node : graph.nodes) all.add(node);
  return all.take();
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
  std::vector<uint32_t> seen_in(graph.values.size(), 0);
  for (Segment& segment : segments) {
    if (segment.traceable) describe(graph, touched, last, seen_in, segment);
  }
  return segments;
}

}  // namespace ingot::mlx_engine
