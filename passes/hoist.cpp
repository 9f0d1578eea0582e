#include "passes/hoist.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "passes/growth.h"
#include "passes/names.h"
#include "passes/operands.h"
#include "passes/subgraph.h"
#include "program/verify.h"

namespace ingot {
namespace {

bool rearranges(const Op& op) {
  switch (op.opcode()) {
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::broadcast:
    case Opcode::slice:
    case Opcode::as_strided:
    case Opcode::diagonal: return true;
    default: return false;
  }
}

// One method, split into what is computed before calls and what in each.
class Split {
 public:
  Split(const Program& program, const Graph& method, const HoistOptions& options)
      : method_(method), options_(options), weights_read_(weights_read(program, method)) {
    divide();
  }

  bool empty() const { return prepared_.empty(); }

  Graph rest() const {
    std::vector<Ref> inputs = method_.inputs;
    inputs.insert(inputs.end(), prepared_.begin(), prepared_.end());
    Graph graph = subgraph(method_, in_rest_, inputs, method_.outputs);
    FreeNames names(graph.values);
    for (size_t i = method_.inputs.size(); i < inputs.size(); ++i) {
      std::string& name = graph.values[graph.inputs[i].id].name;
      if (name.empty()) name = names.claim(fmt::format("prepared {}", i - method_.inputs.size()));
    }
    return graph;
  }

  Graph prepare(const Graph& rest) const {
    std::vector<Output> outputs;
    for (size_t i = 0; i < prepared_.size(); ++i) {
      outputs.push_back({rest.values[rest.inputs[method_.inputs.size() + i].id].name, prepared_[i]});
    }
    Graph graph = subgraph(method_, in_prepare_, {}, outputs);
    graph.exported = false;
    return graph;
  }

 private:
  // From the last node to the first, so that what needs a value is known before it.
  void divide() {
    std::vector<bool> wanted(method_.values.size());
    for (const Output& output : method_.outputs) wanted[output.value.id] = true;
    in_rest_.resize(method_.nodes.size());
    for (size_t i = method_.nodes.size(); i-- > 0;) {
      const Node& node = method_.nodes[i];
      const std::vector<Ref> results = results_in(node, wanted);
      if (results.empty() && node.result_count > 0 && weights_read_[node.first_result.id]) continue;
      if (!results.empty() && std::ranges::all_of(results, [&](Ref ref) { return pays(node, ref); })) {
        prepared_.insert(prepared_.end(), results.rbegin(), results.rend());
        continue;
      }
      in_rest_[i] = true;
      visit_operands(node.op, [&](Ref ref) { wanted[ref.id] = true; });
    }
    std::ranges::reverse(prepared_);
    find_prepare();
  }

  static std::vector<Ref> results_in(const Node& node, const std::vector<bool>& wanted) {
    std::vector<Ref> results;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (wanted[node.first_result.id + i]) results.push_back({node.first_result.id + i});
    }
    return results;
  }

  bool pays(const Node& node, Ref ref) const {
    const std::optional<int64_t> read = weights_read_[ref.id];
    return read && *read > 0 && !rearranges(node.op) && grows_within(method_.type(ref), *read, options_.growth_bytes);
  }

  void find_prepare() {
    std::vector<bool> wanted(method_.values.size());
    for (const Ref ref : prepared_) wanted[ref.id] = true;
    in_prepare_.resize(method_.nodes.size());
    for (size_t i = method_.nodes.size(); i-- > 0;) {
      in_prepare_[i] = !results_in(method_.nodes[i], wanted).empty();
      if (in_prepare_[i]) visit_operands(method_.nodes[i].op, [&](Ref ref) { wanted[ref.id] = true; });
    }
  }

  const Graph& method_;
  const HoistOptions& options_;
  std::vector<std::optional<int64_t>> weights_read_;  // by value
  std::vector<Ref> prepared_;                         // in the order of the nodes
  std::vector<bool> in_rest_, in_prepare_;
};

std::vector<WeightId> weights_of(const Graph& graph) {
  std::vector<WeightId> weights;
  for (const Value& value : graph.values) {
    if (value.kind == ValueKind::weight) weights.push_back({value.index});
  }
  std::ranges::sort(weights);
  return weights;
}

}  // namespace

bool may_hoist(const View& view, Ref ref) {
  const std::optional<int64_t> read = view.weights_read(ref);
  if (!read || !grows_within(view.type(ref), *read, kGrowthBytes)) return false;
  return view.graph().exported && !view.is_called();
}

Hoisted hoist_parameter_only(Program program, const HoistOptions& options) {
  Hoisted result;
  const std::vector<std::optional<GraphId>> callers = callers_of(program);
  const size_t graphs = program.graphs.size();
  for (size_t i = 0; i < graphs; ++i) {
    const Graph& method = program.graphs[i];
    if (!method.exported || callers[i]) continue;
    const Split split(program, method, options);
    if (split.empty()) continue;
    Graph rest = split.rest();
    Graph prepare = split.prepare(rest);
    prepare.name = free_name(program.graphs, method.name + ".prepare");
    result.methods.push_back({method.name, prepare.name, method.inputs.size(), weights_of(prepare)});
    program.graphs[i] = std::move(rest);
    program.graphs.push_back(std::move(prepare));
  }
  verify(program);
  result.program = std::move(program);
  return result;
}

}  // namespace ingot
