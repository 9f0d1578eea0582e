#include "runtime/missing_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "passes/weights_read.h"
#include "program/error.h"

namespace ingot {

static std::set<WeightId> common(const std::set<WeightId>& a, const std::set<WeightId>& b) {
  std::set<WeightId> both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

MissingWeights::MissingWeights(const Program& given, const CompiledProgram& compiled) {
  for (uint32_t i = 0; i < given.weights.size(); ++i) {
    if (given.weights[i].is_missing() && !compiled.weight({i})) at_first_.insert({i});
  }
  if (at_first_.empty()) return;
  for (const Weight& weight : given.weights) {
    labels_.push_back(fmt::format("@{}: {}", weight.name, to_string(weight.type)));
  }
  const Program& lowered = compiled.program();
  const std::vector<std::set<WeightId>> in_given = weights_read(given), in_lowered = weights_read(lowered);
  for (size_t i = 0; i < lowered.graphs.size(); ++i) {
    const std::string& name = lowered.graphs[i].name;
    const auto found = std::ranges::find(given.graphs, name, &Graph::name);
    const bool is_new = found == given.graphs.end();
    const auto& read = is_new ? in_lowered[i] : in_given[static_cast<size_t>(found - given.graphs.begin())];
    needs_.push_back({name, common(read, at_first_)});
  }
}

void MissingWeights::check(GraphId graph, const std::set<WeightId>& missing) const {
  if (missing.empty()) return;
  const Needs& needs = needs_[graph.id];
  std::vector<std::string> labels;
  for (const WeightId id : common(needs.weights, missing)) labels.push_back(labels_[id.id]);
  if (labels.empty()) return;
  throw Error::mismatch(Code::invalid_argument, needs.graph, "number of weights without contents",
                        fmt::format("{} ({})", labels.size(), fmt::join(labels, ", ")),
                        "0 (fill them with set_param, load_params or --params)");
}

}  // namespace ingot
