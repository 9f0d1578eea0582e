#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "program/report.h"

namespace ingot {
namespace {

MethodSummary summarize_method(const Graph& graph) {
  MethodSummary method{.name = graph.name, .inputs = {}, .outputs = {}, .nodes = graph.nodes.size()};
  for (Ref ref : graph.inputs)
    method.inputs.push_back(fmt::format("{}: {}", graph.values[ref.id].name, to_string(graph.type(ref))));
  for (const Output& output : graph.outputs)
    method.outputs.push_back(fmt::format("{}: {}", output.name, to_string(graph.type(output.value))));
  return method;
}

// Declared sizes need no bytes in the file, so their sum may be anything: it stops at the largest number.
void add(uint64_t& sum, int64_t more) {
  if (__builtin_add_overflow(sum, static_cast<uint64_t>(more), &sum)) sum = std::numeric_limits<uint64_t>::max();
}

void count_weights(const Program& program, Summary& summary) {
  std::set<ContentHash> seen;
  for (const Weight& weight : program.weights) {
    if (weight.tensor && !seen.insert(weight.hash).second) continue;
    const Sizes sizes = *literal_sizes(weight.type.shape);
    ++summary.distinct_weights;
    add(summary.parameters, element_count(sizes));
    add(summary.weight_bytes, byte_count(weight.type.dtype, sizes, weight.type.scheme));
    if (weight.is_missing()) summary.missing.push_back(fmt::format("{}: {}", weight.name, to_string(weight.type)));
  }
  summary.weights = program.weights.size();
}

void append_list(std::string& out, std::string_view title, const std::vector<std::string>& items) {
  for (size_t i = 0; i < items.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{:<12}{}\n", i == 0 ? title : "", items[i]);
}

// Most frequent first, names in order among equals.
std::vector<std::pair<std::string, uint64_t>> by_count(const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> rows(counts.begin(), counts.end());
  std::ranges::sort(
      rows, [](const auto& a, const auto& b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  return rows;
}

}  // namespace

std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string human_bytes(uint64_t bytes) {
  static constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string describe(const Symbol& symbol) {
  return fmt::format("{} in {}..{}", symbol.name(), symbol.min(),
                     symbol.max() == kUnbounded ? "" : std::to_string(symbol.max()));
}

Summary summarize(const Program& program) {
  Summary summary;
  summary.graphs = program.graphs.size();
  for (const Graph& graph : program.graphs) {
    if (graph.exported) summary.methods.push_back(summarize_method(graph));
    summary.nodes += graph.nodes.size();
    for (const Node& node : graph.nodes) ++summary.op_counts[mnemonic(node.op)];
  }
  count_weights(program, summary);
  for (const State& state : program.states) {
    summary.states.push_back(fmt::format("{}: {}", state.name, to_string(state.type)));
    add(summary.state_bytes, byte_count(state.type.dtype, *literal_sizes(state.type.shape), state.type.scheme));
  }
  for (const Symbol& symbol : program.symbols) summary.symbols.push_back(describe(symbol));
  return summary;
}

std::string to_text(const Summary& summary) {
  std::string out;
  for (const MethodSummary& method : summary.methods) {
    fmt::format_to(std::back_inserter(out), "{:<12}{} ({})\n", "method", method.name, counted(method.nodes, "node"));
    append_list(out, "  inputs", method.inputs);
    append_list(out, "  outputs", method.outputs);
  }
  append_list(out, "symbols", summary.symbols);
  append_list(out, "state", summary.states);
  if (summary.state_bytes)
    fmt::format_to(std::back_inserter(out), "{:<12}{} of state\n", "", human_bytes(summary.state_bytes));
  fmt::format_to(std::back_inserter(out), "{:<12}{} in {} ({} distinct), {}\n", "weights",
                 human_bytes(summary.weight_bytes), counted(summary.weights, "tensor"), summary.distinct_weights,
                 counted(summary.parameters, "parameter"));
  append_list(out, "  to fill", summary.missing);
  fmt::format_to(std::back_inserter(out), "{:<12}{} in {}\n", "nodes", summary.nodes, counted(summary.graphs, "graph"));
  for (const auto& [name, count] : by_count(summary.op_counts))
    fmt::format_to(std::back_inserter(out), "{:>10}  {}\n", count, name);
  return out;
}

}  // namespace ingot
