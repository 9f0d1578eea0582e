#include "engines/mlx/plan.h"

#include <algorithm>
#include <utility>

#include "engines/mlx/lowering.h"
#include "passes/expand.h"
#include "program/last_use.h"

namespace ingot::mlx_engine {
namespace {

bool all_native(const Program& program) {
  return std::ranges::all_of(program.graphs, [](const Graph& graph) {
    return std::ranges::all_of(graph.nodes, [&](const Node& node) { return native(node.op, graph); });
  });
}

}  // namespace

bool native(const Op& op, const Graph& graph) {
  return visit([&]<class O>(const O& each) { return Lowering<O>::native(each, graph); }, op);
}

bool reads(const Op& op) {
  return visit([]<class O>(const O& each) { return Lowering<O>::reads(each); }, op);
}

std::string about(const Op& op, const Graph& graph, bool cpu) {
  return visit([&]<class O>(const O& each) { return Lowering<O>::about(each, graph, cpu); }, op);
}

Plan make_plan(const Program& program) {
  Plan plan{program, {}, {}};
  // A decomposition may hold composites, down to primitives, which are all native.
  while (!all_native(plan.program)) plan.program = expand_composites(plan.program, native);
  std::vector<bool> traceable;  // of whole graphs
  std::vector<Touched> touched;
  for (const Graph& graph : plan.program.graphs) {
    plan.dead_after.push_back(dead_after(graph));
    plan.segments.push_back(segments_of(graph, traceable, touched));
    traceable.push_back(std::ranges::all_of(plan.segments.back(), &Segment::traceable));
    touched.push_back(touched_by(graph, touched));
  }
  return plan;
}

}  // namespace ingot::mlx_engine
