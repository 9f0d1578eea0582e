#include "engines/mlx/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engines/mlx/lowering.h"
#include "passes/expand.h"
#include "program/last_use.h"

namespace ingot::mlx_engine {
namespace {

bool op_ends_well(const Op& op, const std::vector<bool>& graphs) {
  if (const auto* call = op.get_if<op::Call>()) return graphs[call->graph.id];
  return kOpFacts[op.index()].family != "linalg" && op.index() != static_cast<size_t>(Opcode::custom);
}

}  // namespace

bool native(const Op& op, const Graph& graph) {
  return visit([&]<class O>(const O& each) { return Lowering<O>::native(each, graph); }, op);
}

bool reads(const Op& op, const HostOps& host) {
  if (const auto* custom = op.get_if<op::Custom>()) return host.at(custom->name).reads_values;
  return visit([]<class O>(const O& each) { return Lowering<O>::reads(each); }, op);
}

std::string about(const Op& op, const Graph& graph, const HostOps& host, bool cpu) {
  if (const auto* custom = op.get_if<op::Custom>(); custom && host.at(custom->name).fallback) {
    return "on the host: reference fallback, since the op has no execution on mlx";
  }
  return visit([&]<class O>(const O& each) { return Lowering<O>::about(each, graph, cpu); }, op);
}

Plan make_plan(const Program& program, const Registry& registry) {
  Plan plan{expand_composites(program, native), {}, {}, {}, host_ops(program, registry)};
  std::vector<bool> traceable;  // of whole graphs
  std::vector<Touched> touched;
  for (const Graph& graph : plan.program.graphs) {
    plan.dead_after.push_back(dead_after(graph));
    plan.segments.push_back(segments_of(graph, plan.host_ops, traceable, touched));
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
