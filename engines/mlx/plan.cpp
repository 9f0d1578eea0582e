#include "engines/mlx/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engines/mlx/lowering.h"
#include "passes/expand.h"
#include "program/debug.h"
#include "program/last_use.h"

namespace ingot::mlx_engine {
namespace {

bool all_native(const Program& program) {
  return std::ranges::all_of(program.graphs, [](const Graph& graph) {
    return std::ranges::all_of(graph.nodes, [&](const Node& node) { return native(node.op, graph); });
  });
}

std::string describe_expansions(const Program& program) {
  std::map<std::string, int> counts;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      if (!native(node.op, graph)) ++counts[mnemonic(node.op)];
    }
  }
  std::vector<std::string> parts;
  for (const auto& [op, count] : counts) parts.push_back(fmt::format("{} ({})", op, count));
  return fmt::format("expands {}", fmt::join(parts, ", "));
}

bool op_ends_well(const Op& op, const std::vector<bool>& graphs) {
  if (const auto* call = op.get_if<op::Call>()) return graphs[call->graph.id];
  return kOpFacts[op.index()].family != "linalg" && op.index() != static_cast<size_t>(Opcode::custom);
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

Plan make_plan(const Program& program, const Registry& registry) {
  Plan plan{program, {}, {}, {}, custom_ops<MlxOp>(program, registry, "mlx")};
  // A decomposition may hold composites, down to primitives, which are all native.
  while (!all_native(plan.program)) {
    debug(2, [&] { return describe_expansions(plan.program); });
    plan.program = expand_composites(plan.program, native);
  }
  std::vector<bool> traceable;  // of whole graphs
  std::vector<Touched> touched;
  for (const Graph& graph : plan.program.graphs) {
    plan.dead_after.push_back(dead_after(graph));
    plan.segments.push_back(segments_of(graph, traceable, touched));
    traceable.push_back(std::ranges::all_of(plan.segments.back(), &Segment::traceable));
    touched.push_back(touched_by(graph, touched));
    const auto ends_well = [&](const Node& node) { return op_ends_well(node.op, plan.ends_well); };
    plan.ends_well.push_back(traceable.back() && std::ranges::all_of(graph.nodes, ends_well));
  }
  return plan;
}

std::string describe_segments(const Plan& plan) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    for (const Segment& segment : plan.segments[i]) {
      parts.push_back(fmt::format("{} {}-{} {}", plan.program.graphs[i].name, segment.first, segment.end - 1,
                                  segment.traceable ? "traced" : "one by one"));
    }
  }
  return fmt::format("segments: {}", fmt::join(parts, ", "));
}

}  // namespace ingot::mlx_engine
