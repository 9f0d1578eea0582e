#include "program/file/decode.h"

#include <fmt/format.h>

#include <array>

#include "gen/ingot_generated.h"
#include "program/file/decode_op.h"
#include "program/file/decode_pools.h"
#include "program/file/reader.h"

namespace ingot::file {

namespace {

class Decoder {
 public:
  Decoder(const TableReader& root, const Limits& limits, WeightReader& weights)
      : root_(root), limits_(limits), weights_(weights), pools_(read_pools(root, limits)) {}

  Program decode();

 private:
  void read_weights();
  StoredWeight stored_weight(const TableReader& table) const;
  void read_states();
  State state(const TableReader& table) const;
  void read_graphs();
  Graph graph(const TableReader& table);
  void read_values(const TableReader& table, Graph& graph);
  void read_value_names(const TableReader& table, Graph& graph) const;
  void read_nodes(const TableReader& table, Graph& graph, const Counts& counts);
  void read_outputs(const TableReader& table, Graph& graph) const;
  const TensorType& type(const Place& place, uint32_t id) const;
  // Counts over all graphs.
  void count(uint64_t& total, uint64_t more, uint64_t limit, std::string_view what) const;

  const TableReader& root_;
  const Limits& limits_;
  WeightReader& weights_;
  Pools pools_;
  Program program_;
  size_t graphs_ = 0;
  uint64_t values_ = 0, nodes_ = 0;
};

const TensorType& Decoder::type(const Place& place, uint32_t id) const {
  check_below(place, id, pools_.types.size());
  return pools_.types[id];
}

void Decoder::count(uint64_t& total, uint64_t more, uint64_t limit, std::string_view what) const {
  check_count({nullptr, what}, total + more, limit);
  total += more;
}

Program Decoder::decode() {
  program_.symbols = pools_.symbols;
  read_weights();
  read_states();
  read_graphs();
  return std::move(program_);
}

// --------------------------------------------------------------------------------------------- weights and states

void Decoder::read_weights() {
  const FieldFacts field{"weights", fbs::Program::VT_WEIGHTS};
  const auto offsets = root_.offsets(field);
  check_count(root_.place_of(field), offsets.size(), limits_.weights);
  root_.spend(offsets.size() * sizeof(Weight));
  program_.weights.reserve(offsets.size());
  for (size_t i = 0; i < offsets.size(); ++i) {
    const TableReader table = root_.table_at(field, offsets, i);
    program_.weights.push_back(weights_.read(stored_weight(table), table.place()));
  }
  weights_.check_disjoint();
}

StoredWeight Decoder::stored_weight(const TableReader& table) const {
  const FieldFacts type_field{"type", fbs::Weight::VT_TYPE, true};
  StoredWeight out;
  out.name = table.text({"name", fbs::Weight::VT_NAME, true});
  out.type = type(table.place_of(type_field), *table.value<uint32_t>(type_field));
  table.spend(out.type.shape.size() * sizeof(Dim));
  out.contents = read_enum<WeightContents>(table, {"contents", fbs::Weight::VT_CONTENTS}).value_or(out.contents);
  out.offset = table.value<uint64_t>({"offset", fbs::Weight::VT_OFFSET}).value_or(0);
  out.bytes = table.value<uint64_t>({"bytes", fbs::Weight::VT_BYTES}).value_or(0);
  out.hash = {.low = table.value<uint64_t>({"hash_low", fbs::Weight::VT_HASH_LOW}).value_or(0),
              .high = table.value<uint64_t>({"hash_high", fbs::Weight::VT_HASH_HIGH}).value_or(0)};
  const FieldFacts file{"file", fbs::Weight::VT_FILE}, tensor{"tensor", fbs::Weight::VT_TENSOR, table.has(file)};
  if (table.has(file)) out.external = {.file = table.text(file), .tensor = table.text(tensor)};
  return out;
}

void Decoder::read_states() {
  const FieldFacts field{"states", fbs::Program::VT_STATES};
  const auto offsets = root_.offsets(field);
  check_count(root_.place_of(field), offsets.size(), limits_.states);
  root_.spend(offsets.size() * sizeof(State));
  program_.states.reserve(offsets.size());
  for (size_t i = 0; i < offsets.size(); ++i) program_.states.push_back(state(root_.table_at(field, offsets, i)));
}

State Decoder::state(const TableReader& table) const {
  const FieldFacts type_field{"type", fbs::State::VT_TYPE, true}, initial{"initial", fbs::State::VT_INITIAL};
  State out;
  out.name = table.text({"name", fbs::State::VT_NAME, true});
  out.type = type(table.place_of(type_field), *table.value<uint32_t>(type_field));
  table.spend(out.type.shape.size() * sizeof(Dim));
  if (const auto weight = table.value<uint32_t>(initial)) {
    check_below(table.place_of(initial), *weight, program_.weights.size());
    out.initial = WeightId{*weight};
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------------- graphs

void Decoder::read_graphs() {
  const FieldFacts field{"graphs", fbs::Program::VT_GRAPHS};
  const auto offsets = root_.offsets(field);
  graphs_ = offsets.size();
  check_count(root_.place_of(field), graphs_, limits_.graphs);
  root_.spend(graphs_ * sizeof(Graph));
  program_.graphs.reserve(graphs_);
  for (size_t i = 0; i < graphs_; ++i) program_.graphs.push_back(graph(root_.table_at(field, offsets, i)));
}

Graph Decoder::graph(const TableReader& table) {
  Graph out;
  out.name = table.text({"name", fbs::Graph::VT_NAME, true});
  out.exported = table.value<uint8_t>({"exported", fbs::Graph::VT_EXPORTED}).value_or(0) != 0;
  // Values say which node they are a result of, so the nodes must exist.
  const size_t nodes = table.offsets({"nodes", fbs::Graph::VT_NODES}).size();
  count(nodes_, nodes, limits_.nodes, "nodes");
  table.spend(nodes * sizeof(Node));
  out.nodes.resize(nodes);
  read_values(table, out);
  read_value_names(table, out);
  read_nodes(table, out, {out.values.size(), graphs_, program_.states.size(), program_.symbols.size()});
  read_outputs(table, out);
  return out;
}

// The results of a node are consecutive, and come in the order of the nodes. A node without any has its place behind
// those of its predecessor.
void place_results(const TableReader& table, Graph& graph) {
  size_t next = 0;  // the first node whose results have not begun
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].kind != ValueKind::result) continue;
    const uint32_t node = graph.values[i].index;
    const Node& of = graph.nodes[node];
    const bool continues = next == size_t{node} + 1 && of.first_result.id + of.result_count == i;
    if (!continues && node < next) {
      throw wrong(table.place_of({"values"}, i), fmt::format("a result of node {}", node),
                  fmt::format("one of node {} or later: results are consecutive, in the order of the nodes", next));
    }
    for (; next <= node; ++next) {
      graph.nodes[next].first_result.id = static_cast<uint32_t>(i);
      graph.nodes[next].result_count = 0;
    }
    ++graph.nodes[node].result_count;
  }
  for (; next < graph.nodes.size(); ++next) {
    graph.nodes[next].first_result.id = static_cast<uint32_t>(graph.values.size());
    graph.nodes[next].result_count = 0;
  }
}

// Each position from 0 on, once.
void place_inputs(const TableReader& table, Graph& graph) {
  size_t inputs = 0;
  for (const Value& value : graph.values) inputs += value.kind == ValueKind::input;
  const Ref none{static_cast<uint32_t>(graph.values.size())};
  graph.inputs.assign(inputs, none);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].kind != ValueKind::input) continue;
    const Place place = table.place_of({"values"}, i);
    check_below(place, graph.values[i].index, inputs);
    Ref& input = graph.inputs[graph.values[i].index];
    if (input != none) {
      throw wrong(place, fmt::format("input {}", graph.values[i].index),
                  fmt::format("another position: values[{}] has that one", input.id));
    }
    input.id = static_cast<uint32_t>(i);
  }
}

void Decoder::read_values(const TableReader& table, Graph& graph) {
  const FieldFacts field{"values", fbs::Graph::VT_VALUES};
  const auto values = table.list<fbs::Value>(field);
  count(values_, values.size(), limits_.values, "values");
  table.spend(values.size() * sizeof(Value));
  graph.values.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Place place = table.place_of(field, i);
    const fbs::Value raw = values[i];
    Value& out = graph.values.emplace_back();
    out.kind = read_enum<ValueKind>({&place, "kind"}, static_cast<uint8_t>(raw.kind()));
    out.index = raw.index();
    out.type = type({&place, "type"}, raw.type());
    table.spend(out.type.shape.size() * sizeof(Dim));
    if (out.kind == ValueKind::weight) check_below({&place, "index"}, out.index, program_.weights.size());
    if (out.kind == ValueKind::result) check_below({&place, "index"}, out.index, graph.nodes.size());
  }
  place_inputs(table, graph);
  place_results(table, graph);
}

void Decoder::read_value_names(const TableReader& table, Graph& graph) const {
  const FieldFacts field{"value_names", fbs::Graph::VT_VALUE_NAMES};
  if (!table.has(field)) return;
  const auto names = table.offsets(field);
  if (names.size() != graph.values.size()) {
    throw wrong(table.place_of(field), fmt::format("a list of {}", names.size()),
                fmt::format("{}, one for each value", graph.values.size()));
  }
  for (size_t i = 0; i < names.size(); ++i) graph.values[i].name = table.text_at(field, names, i);
}

// ----------------------------------------------------------------------------------------------------------- nodes

// The vectors of a table Ops, by opcode. Vector number i is field number i.
class OpTables {
 public:
  // `table` is the Ops.
  explicit OpTables(const TableReader& table) : table_(table) {
    for (size_t i = 0; i < kOpCount; ++i) offsets_[i] = table.offsets(field(i));
  }

  // The op of a node, for whose place errors are given.
  TableReader at(uint16_t opcode, uint32_t index, const Place& node) const {
    check_below({&node, "opcode"}, opcode, kOpCount);
    check_below({&node, "op"}, index, offsets_[opcode].size());
    return table_.table_at(field(opcode), offsets_[opcode], index, node);
  }

 private:
  static FieldFacts field(size_t opcode) {
    return {kOpFacts[opcode].mnemonic, static_cast<uint16_t>(fbs::Ops::VT_UNARY + 2 * opcode)};
  }

  const TableReader& table_;
  std::array<TableReader::Offsets, kOpCount> offsets_;
};

void Decoder::read_nodes(const TableReader& table, Graph& graph, const Counts& counts) {
  if (graph.nodes.empty()) return;
  const FieldFacts field{"nodes", fbs::Graph::VT_NODES};
  const auto offsets = table.offsets(field);
  const TableReader ops_table = table.table({"ops", fbs::Graph::VT_OPS});
  const OpTables ops(ops_table);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const TableReader node = table.table_at(field, offsets, i);
    const uint16_t opcode = node.value<uint16_t>({"opcode", fbs::Node::VT_OPCODE}).value_or(0);
    const uint32_t index = node.value<uint32_t>({"op", fbs::Node::VT_OP}).value_or(0);
    Node& out = graph.nodes[i];
    out.op = read_op(static_cast<Opcode>(opcode), ops.at(opcode, index, node.place()), pools_, counts);
    out.name = node.text({"name", fbs::Node::VT_NAME});
    out.source = {.op = node.text({"source_op", fbs::Node::VT_SOURCE_OP}),
                  .file = node.text({"source_file", fbs::Node::VT_SOURCE_FILE})};
  }
}

void Decoder::read_outputs(const TableReader& table, Graph& graph) const {
  const FieldFacts field{"outputs", fbs::Graph::VT_OUTPUTS}, value{"value", fbs::Output::VT_VALUE, true};
  const auto offsets = table.offsets(field);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const TableReader output = table.table_at(field, offsets, i);
    const uint32_t id = *output.value<uint32_t>(value);
    check_below(output.place_of(value), id, graph.values.size());
    graph.outputs.push_back({output.text({"name", fbs::Output::VT_NAME, true}), Ref{id}});
  }
}

}  // namespace

Program decode(std::span<const std::byte> flatbuffer, const Limits& limits, WeightReader& weights) {
  Metadata metadata(flatbuffer, limits);
  const TableReader root(metadata, metadata.root(fbs::ProgramIdentifier()), {});
  return Decoder(root, limits, weights).decode();
}

}  // namespace ingot::file
