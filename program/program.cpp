#include "program/program.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "gen/fields.h"

namespace ingot {
namespace {

// The name of the field fn, for mnemonics that depend on it.
std::string_view spelled_field(const Op& op) {
  std::string_view name;
  visit_fields(op, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (SchemaEnum<std::remove_cvref_t<decltype(field)>>) {
      if (facts.spelled) name = to_string(field);
    }
  });
  return name;
}

Effects own_effects(OpEffects effects) {
  switch (effects) {
    case OpEffects::reads_state: return Effects::reads_state;
    case OpEffects::writes_state: return Effects::writes_state;
    case OpEffects::pure:
    case OpEffects::body: break;
  }
  return Effects::pure;
}

}  // namespace

const Graph* Program::method(std::string_view name) const {
  const auto found =
      std::find_if(graphs.begin(), graphs.end(), [&](const Graph& g) { return g.exported && g.name == name; });
  return found == graphs.end() ? nullptr : &*found;
}

std::vector<std::string> Program::method_names() const {
  std::vector<std::string> names;
  for (const Graph& graph : graphs) {
    if (graph.exported) names.push_back(graph.name);
  }
  return names;
}

Weight Weight::of(std::string name, Tensor tensor, ContentHash hash, std::optional<ExternalTensor> external) {
  TensorType type = tensor.type();
  return {.name = std::move(name),
          .type = std::move(type),
          .tensor = std::move(tensor),
          .hash = hash,
          .external = std::move(external)};
}

std::optional<Tensor> contents_of(const Weight& weight) {
  if (!weight.zeros) return weight.tensor;
  return Tensor::zeros(weight.type.dtype, *literal_sizes(weight.type.shape), weight.type.scheme);
}

ContentHash content_hash(const Tensor& tensor) {
  // The type goes in as its text with the terminating 0, so that no other pair of type and bytes reads the same.
  const std::string type = to_string(tensor.type());
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), type.c_str(), type.size() + 1);
  XXH3_128bits_update(state.get(), tensor.bytes().data(), tensor.bytes().size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {.low = hash.low64, .high = hash.high64};
}

std::string to_string(const ContentHash& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

std::string mnemonic(const Op& op) {
  std::string text(kOpFacts[op.index()].mnemonic);
  const size_t at = text.find("{fn}");
  if (at != std::string::npos) text.replace(at, 4, spelled_field(op));
  return text;
}

std::string place_of(const Graph& graph, const Node& node) {
  std::string place = graph.name + ":", name;
  if (node.result_count > 0) {
    name = graph.values[node.first_result.id].name;
    place += " %" + (name.empty() ? std::to_string(node.first_result.id) : name);
  }
  return node.name.empty() || node.name == name ? place : fmt::format("{} \"{}\"", place, node.name);
}

Effects effects(const Op& op, std::span<const Effects> of_graphs) {
  Effects most = own_effects(kOpFacts[op.index()].effects);
  visit_fields(op, [&](const FieldFacts&, const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>)
      most = std::max(most, of_graphs[field.id]);
  });
  return most;
}

std::vector<Effects> graph_effects(const Program& program) {
  std::vector<Effects> result;
  for (const Graph& graph : program.graphs) {
    Effects most = Effects::pure;
    for (const Node& node : graph.nodes) most = std::max(most, effects(node.op, result));
    result.push_back(most);
  }
  return result;
}

}  // namespace ingot
