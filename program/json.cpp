#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gen/fields.h"
#include "program/report.h"
#include "program/text.h"

namespace ingot {
namespace {

using Json = nlohmann::ordered_json;

// Field by field; JSON has no NaN or infinity, so those become strings.
class OpJson {
 public:
  OpJson(const Program& program, const Graph& graph, Json& node) : program_(program), graph_(graph), node_(node) {}

  void write(const Op& op) {
    const Op defaults = make_op(static_cast<Opcode>(op.index()));
    std::vector<Json> values, standard;
    visit_fields(defaults, [&](const FieldFacts&, const auto& field) { standard.push_back(attribute(field)); });
    visit_fields(op, [&](const FieldFacts& facts, const auto& field) {
      values.push_back(attribute(field));
      write_operand(facts, field);
    });
    size_t i = 0;
    visit_fields(op, [&](const FieldFacts& facts, const auto&) {
      const bool shown = !values[i].is_null() && !facts.spelled && (facts.required || values[i] != standard[i]);
      if (shown) node_["attributes"][std::string(facts.name)] = values[i];
      ++i;
    });
  }

 private:
  void write_operand(const FieldFacts& facts, const Ref& ref) {
    node_["operands"][std::string(facts.name)] = label(ref);
  }
  void write_operand(const FieldFacts& facts, const std::optional<Ref>& ref) {
    if (ref) node_["operands"][std::string(facts.name)] = label(*ref);
  }
  void write_operand(const FieldFacts& facts, const std::vector<Ref>& refs) {
    Json& list = node_["operands"][std::string(facts.name)] = Json::array();
    for (Ref ref : refs) list.push_back(label(ref));
  }
  template <class T>
  void write_operand(const FieldFacts&, const T&) {}

  std::string label(Ref ref) const { return print_value(program_, graph_, ref); }

  // Operands are null here: they are not attributes.
  Json attribute(const Ref&) const { return nullptr; }
  Json attribute(const std::optional<Ref>&) const { return nullptr; }
  Json attribute(const std::vector<Ref>&) const { return nullptr; }
  Json attribute(GraphId id) const {
    return id.id < program_.graphs.size() ? Json(program_.graphs[id.id].name) : Json(nullptr);
  }
  Json attribute(StateId id) const {
    return id.id < program_.states.size() ? Json(program_.states[id.id].name) : Json(nullptr);
  }
  Json attribute(SymbolId id) const {
    return id.id < program_.symbols.size() ? Json(program_.symbols[id.id].name()) : Json(nullptr);
  }
  Json attribute(const Dim& dim) const { return dim.is_literal() ? Json(dim.literal()) : Json(to_string(dim)); }
  Json attribute(const Scalar& value) const {
    if (value.kind == ScalarKind::unsigned_int) return value.bits;
    return value.is_integer() ? Json(value.as_int()) : Json(to_string(value));
  }
  Json attribute(const TensorType& type) const { return to_string(type); }
  Json attribute(const QuantScheme& scheme) const { return to_string(scheme); }
  Json attribute(const NamedAttribute& a) const {
    return Json{{"name", a.name}, {"ints", a.ints}, {"reals", list(a.reals)}, {"text", a.text}};
  }
  Json attribute(double value) const { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }
  Json attribute(int64_t value) const { return value; }
  Json attribute(bool value) const { return value; }
  Json attribute(const std::string& text) const { return text; }
  template <SchemaEnum E>
  Json attribute(E value) const {
    return std::string(to_string(value));
  }
  template <class T>
  Json attribute(const std::optional<T>& value) const {
    return value ? attribute(*value) : Json(nullptr);
  }
  template <class T>
  Json attribute(const std::vector<T>& values) const {
    return list(values);
  }

  template <class T>
  Json list(const std::vector<T>& values) const {
    Json result = Json::array();
    for (const T& value : values) result.push_back(attribute(value));
    return result;
  }

  const Program& program_;
  const Graph& graph_;
  Json& node_;
};

Json node_json(const Program& program, const Graph& graph, const Node& node, std::span<const Effects> of_graphs) {
  static constexpr std::string_view names[] = {"pure", "reads_state", "writes_state"};
  Json json{{"op", mnemonic(node.op)}, {"results", Json::array()}};
  for (uint32_t i = 0; i < node.result_count; ++i) {
    const Ref ref{node.first_result.id + i};
    json["results"].push_back({{"name", print_value(program, graph, ref)}, {"type", to_string(graph.type(ref))}});
  }
  OpJson(program, graph, json).write(node.op);
  const Effects effect = effects(node.op, of_graphs);
  if (effect != Effects::pure) json["effects"] = std::string(names[static_cast<size_t>(effect)]);
  if (!node.name.empty()) json["name"] = node.name;
  if (!node.source.op.empty()) json["source_op"] = node.source.op;
  if (!node.source.file.empty()) json["source_file"] = node.source.file;
  return json;
}

Json graph_json(const Program& program, const Graph& graph, std::span<const Effects> of_graphs) {
  Json json{{"name", graph.name},
            {"method", graph.exported},
            {"inputs", Json::array()},
            {"nodes", Json::array()},
            {"outputs", Json::array()}};
  for (Ref ref : graph.inputs)
    json["inputs"].push_back({{"name", graph.values[ref.id].name}, {"type", to_string(graph.type(ref))}});
  for (const Node& node : graph.nodes) json["nodes"].push_back(node_json(program, graph, node, of_graphs));
  for (const Output& output : graph.outputs) {
    json["outputs"].push_back({{"name", output.name},
                               {"value", print_value(program, graph, output.value)},
                               {"type", to_string(graph.type(output.value))}});
  }
  return json;
}

Json weight_json(const Weight& weight) {
  Json json{{"name", weight.name},
            {"type", to_string(weight.type)},
            {"bytes", byte_count(weight.type.dtype, *literal_sizes(weight.type.shape), weight.type.scheme)},
            {"contents", to_string(weight.contents())}};
  if (weight.tensor) json["hash"] = to_string(weight.hash);
  if (weight.external) json["file"] = weight.external->file, json["tensor"] = weight.external->tensor;
  return json;
}

Json state_json(const Program& program, const State& state) {
  Json json{{"name", state.name}, {"type", to_string(state.type)}};
  json["initial"] = state.initial ? "@" + program.weights[state.initial->id].name : "zeros";
  return json;
}

}  // namespace

std::string to_json(const Program& program) {
  Json json{
      {"symbols", Json::array()}, {"weights", Json::array()}, {"states", Json::array()}, {"graphs", Json::array()}};
  for (const Symbol& s : program.symbols)
    json["symbols"].push_back(
        {{"name", s.name()}, {"min", s.min()}, {"max", s.max() == kUnbounded ? Json(nullptr) : Json(s.max())}});
  for (const Weight& weight : program.weights) json["weights"].push_back(weight_json(weight));
  for (const State& state : program.states) json["states"].push_back(state_json(program, state));
  const std::vector<Effects> of_graphs = graph_effects(program);
  for (const Graph& graph : program.graphs) json["graphs"].push_back(graph_json(program, graph, of_graphs));
  // Names may hold any bytes: what is no UTF-8 is replaced, never thrown at.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ingot
