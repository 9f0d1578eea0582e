#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/call.h"
#include "cli/flags.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "passes/operands.h"
#include "program/report.h"
#include "runtime/cost.h"

namespace ingot::cli {
namespace {

struct Options {
  CallOptions call;
  bool json = false;
  int64_t extent = 0;  // rows; 0: not asked
};

std::string with_sizes(TensorType type, const Bindings& bindings) {
  for (Dim& dim : type.shape) dim = substitute(dim, bindings);
  return to_string(type);
}

struct Row {
  std::string graph, value, op, type, how;
  size_t depth = 0;  // of the graph: 0 for the method
  std::optional<NodeCost> cost;
};

struct Explanation {
  const Executable& executable;
  const Graph& method;
  Bindings bindings;
  std::vector<Row> rows;
  GraphCost cost;
  Summary summary;
  std::optional<std::string> extent;         // whether fewer rows are computed apart, where that was asked
  std::map<std::string, uint64_t> replaced;  // ops of the file that the engine does not run as such, and how many
};

std::map<std::string, uint64_t> replaced_ops(const Summary& given, const Summary& compiled) {
  std::map<std::string, uint64_t> replaced;
  for (const auto& [op, count] : given.op_counts) {
    const auto left = compiled.op_counts.find(op);
    const uint64_t now = left == compiled.op_counts.end() ? 0 : left->second;
    if (now < count) replaced.emplace(op, count - now);
  }
  return replaced;
}

Row row_of(const Graph& graph, const Node& node, const Bindings& bindings) {
  Row row{.graph = graph.name, .op = mnemonic(node.op)};
  if (node.result_count > 0) {
    const std::string& name = graph.values[node.first_result.id].name;
    row.value = "%" + (name.empty() ? std::to_string(node.first_result.id) : name);
    row.type = with_sizes(graph.type(node.first_result), bindings);
  }
  return row;
}

// The nodes of a graph, and after each of them those of the graphs that it runs; every graph once, with its own costs.
void add_rows(Explanation& all, GraphId of, const std::vector<GraphCost>& costs, size_t depth,
              std::vector<bool>& seen) {
  seen[of.id] = true;
  const Graph& graph = all.executable.lowered().graphs[of.id];
  const std::vector<std::string> how = all.executable.explain(of);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Row& row = all.rows.emplace_back(row_of(graph, graph.nodes[i], all.bindings));
    row.how = how[i];
    row.cost = costs[of.id].nodes[i];
    row.depth = depth;
    visit_graphs(graph.nodes[i].op, [&](GraphId inner) {
      if (!seen[inner.id]) add_rows(all, inner, costs, depth + 1, seen);
    });
  }
}

Explanation explain(const Program& given, const Executable& executable, const Graph& method, Bindings bindings) {
  Explanation all{executable, method, std::move(bindings), {}, {}, summarize(executable.lowered()), {}, {}};
  all.replaced = replaced_ops(summarize(given), all.summary);
  all.cost = executable.cost_under(method.name, all.bindings);
  const Program& lowered = executable.lowered();
  std::vector<bool> seen(lowered.graphs.size());
  const GraphId id{static_cast<uint32_t>(&method - lowered.graphs.data())};
  add_rows(all, id, costs_of(lowered, all.bindings), 0, seen);
  return all;
}

// `%y`, `  @body %y` where it is one of a graph that the method runs.
std::string value_text(const Row& row) {
  if (row.depth == 0) return row.value;
  return fmt::format("{:{}}@{}{}{}", "", 2 * row.depth, row.graph, row.value.empty() ? "" : " ", row.value);
}

std::string bytes_text(int64_t bytes) { return human_bytes(static_cast<uint64_t>(bytes)); }

// `1234`, `1.23e+09`; ? where it is not known.
std::string flops_text(const std::optional<double>& flops) {
  if (!flops) return "?";
  return *flops < 1e6 ? fmt::format("{:.0f}", *flops) : fmt::format("{:.3g}", *flops);
}

std::string as_text(const Explanation& all) {
  std::vector<std::array<std::string, 7>> cells = {{"value", "op", "FLOPs", "read", "written", "type", "how"}};
  for (const Row& row : all.rows) {
    cells.push_back({value_text(row), row.op, flops_text(row.cost ? row.cost->flops : std::nullopt),
                     row.cost ? bytes_text(row.cost->read) : "?", row.cost ? bytes_text(row.cost->written) : "?",
                     row.type, row.how});
  }
  std::array<size_t, 7> widths{};
  for (const auto& row : cells) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const Executable& on = all.executable;
  std::string text = fmt::format("{} on {}, {}, mode {}\n", all.method.name, on.engine(), on.device(), on.mode());
  for (const auto& row : cells) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool number = i >= 2 && i <= 4;
      line += number ? fmt::format("  {:>{}}", row[i], widths[i]) : fmt::format("  {:<{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const GraphCost& cost = all.cost;
  text += fmt::format("\nFLOPs    {}{}\n", flops_text(cost.total.flops),
                      cost.unknown > 0 ? fmt::format(", and those of {}", counted(cost.unknown, "node")) : "");
  text += fmt::format("traffic  {} read, {} written\n", bytes_text(cost.total.read), bytes_text(cost.total.written));
  if (all.extent) text += fmt::format("extent   {}\n", *all.extent);
  for (const auto& [op, count] : all.replaced) text += fmt::format("replaced {} ({})\n", op, count);
  text += fmt::format("weights  {}\n", human_bytes(all.summary.weight_bytes));
  text += fmt::format("state    {}\n", human_bytes(all.summary.state_bytes));
  return text + fmt::format("alive    {}\n",
                            cost.peak_bytes ? "at most " + bytes_text(*cost.peak_bytes) + " at one time" : "?");
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string as_json(const Explanation& all) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const Row& row : all.rows) {
    nlohmann::ordered_json node = {
        {"graph", row.graph}, {"value", row.value}, {"op", row.op}, {"type", row.type}, {"how", row.how}};
    node["flops"] = row.cost ? or_null(row.cost->flops) : nullptr;
    node["read"] = row.cost ? nlohmann::ordered_json(row.cost->read) : nullptr;
    node["written"] = row.cost ? nlohmann::ordered_json(row.cost->written) : nullptr;
    nodes.push_back(std::move(node));
  }
  const GraphCost& cost = all.cost;
  const nlohmann::ordered_json json = {{"method", all.method.name},
                                       {"engine", all.executable.engine()},
                                       {"device", all.executable.device()},
                                       {"mode", all.executable.mode()},
                                       {"nodes", std::move(nodes)},
                                       {"flops", *cost.total.flops},
                                       {"read", cost.total.read},
                                       {"written", cost.total.written},
                                       {"unknown_nodes", cost.unknown},
                                       {"active_extent", or_null(all.extent)},
                                       {"replaced", all.replaced},
                                       {"weight_bytes", all.summary.weight_bytes},
                                       {"state_bytes", all.summary.state_bytes},
                                       {"peak_bytes", or_null(cost.peak_bytes)}};
  return json_text(json);
}

std::string extent_text(const Executable& executable, const std::string& method, int64_t upper) {
  const std::string reason = executable.whole_extent_reason(method, upper);
  return reason.empty() ? fmt::format("fewer than {} rows are computed apart", upper)
                        : fmt::format("all {} rows are computed: {}", upper, reason);
}

int run(const Options& options) {
  const Program given = open_for_call(options.call);
  const Executable executable = compile_for(given, compile_options(options.call));
  const SpecContext context = context_of(options.call, executable);
  Explanation all = explain(given, executable, *executable.lowered().method(context.method->name),
                            sizes_of(read_inputs(options.call, context), context));
  if (options.extent > 0) all.extent = extent_text(executable, context.method->name, options.extent);
  write_text("", options.json ? as_json(all) : as_text(all));
  return kDone;
}

}  // namespace

Verb add_explain(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("explain", "Say how an engine runs each node, and what it costs, without running it.");
  add_call_options(*app, o->call);
  app->add_flag("--json", o->json, "as JSON");
  app->add_option("--active-extent", o->extent, "say whether calls may compute the first of that many rows alone")
      ->check(integer_within(1, kLargest))
      ->type_name("ROWS");
  app->footer(
      "Sizes come from --size and from the inputs that are given; what they leave open shows as ?.\n"
      "The nodes are those that the engine runs: it may have expanded some. Those of the graphs that a node runs\n"
      "follow it, with the name of their graph and the costs of one run.");
  return {app, [o] { return run(*o); }};
}

}  // namespace ingot::cli
