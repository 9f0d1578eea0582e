#include "program/file/encode.h"

#include <algorithm>
#include <array>
#include <vector>

#include "program/file/encode_op.h"
#include "program/file/encode_pools.h"

namespace ingot::file {

namespace {

using flatbuffers::Offset;
using Tables = std::vector<Offset<flatbuffers::Table>>;

// A vector of tables, one for each item.
template <class Table, class Item, class F>
auto write_all(Builder& b, const std::vector<Item>& items, F&& write) {
  std::vector<Offset<Table>> tables;
  tables.reserve(items.size());
  for (const Item& item : items) tables.push_back(write(b, item));
  return b.vector(tables);
}

Offset<fbs::Symbol> write_symbol(Builder& b, const Symbol& symbol) {
  const auto name = b.text(symbol.name());
  return fbs::CreateSymbol(b.raw(), name, symbol.min(), symbol.max());
}

Offset<fbs::State> write_state(Builder& b, const State& state) {
  const auto name = b.text(state.name);
  const fbs::TypeRef type = b.type(state.type);
  const fbs::WeightRef initial(state.initial ? state.initial->id : 0);
  return fbs::CreateState(b.raw(), name, &type, state.initial ? &initial : nullptr);
}

Offset<fbs::Weight> write_weight(Builder& b, const Weight& weight, const WeightPlace& place) {
  const auto name = b.text(weight.name);
  const fbs::TypeRef type = b.type(weight.type);
  const auto file = place.external ? b.text(place.external->file) : 0;
  const auto tensor = place.external ? b.text(place.external->tensor) : 0;
  const uint64_t bytes = weight.tensor ? weight.tensor->bytes().size() : 0;
  return fbs::CreateWeight(b.raw(), name, &type, place.offset, bytes, weight.hash.low, weight.hash.high, file, tensor,
                           static_cast<fbs::WeightContents>(weight.contents()));
}

// ----------------------------------------------------------------------------------------------------------- graph

// The ops of a graph by kind, and its nodes, which point into them.
class NodeWriter {
 public:
  explicit NodeWriter(Builder& b) : b_(b) {}

  Offset<fbs::Node> write(const Node& node) {
    Tables& tables = tables_[node.op.index()];
    const auto index = static_cast<uint32_t>(tables.size());
    tables.push_back(write_op(b_, node.op));
    const auto name = b_.text_if_any(node.name);
    const auto source_op = b_.text_if_any(node.source.op), source_file = b_.text_if_any(node.source.file);
    return fbs::CreateNode(b_.raw(), static_cast<uint16_t>(node.op.index()), index, name, source_op, source_file);
  }

  // Field number i holds the ops of opcode i.
  Offset<fbs::Ops> ops() {
    std::array<Offset<flatbuffers::Vector<Offset<flatbuffers::Table>>>, kOpCount> vectors;
    for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = tables_[i].empty() ? 0 : b_.vector(tables_[i]);
    flatbuffers::FlatBufferBuilder& raw = b_.raw();
    const auto start = raw.StartTable();
    for (size_t i = 0; i < vectors.size(); ++i) {
      raw.AddOffset(static_cast<flatbuffers::voffset_t>(fbs::Ops::VT_UNARY + 2 * i), vectors[i]);
    }
    return raw.EndTable(start);
  }

 private:
  Builder& b_;
  std::array<Tables, kOpCount> tables_;
};

Offset<fbs::Output> write_output(Builder& b, const Output& output) {
  const auto name = b.text(output.name);
  const fbs::ValueRef value(output.value.id);
  return fbs::CreateOutput(b.raw(), name, &value);
}

auto write_values(Builder& b, const std::vector<Value>& values) {
  std::vector<fbs::Value> out;
  for (const Value& value : values) {
    out.emplace_back(static_cast<fbs::ValueKind>(value.kind), b.type(value.type).id(), value.index);
  }
  return b.structs(out);
}

Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> write_value_names(Builder& b,
                                                                           const std::vector<Value>& values) {
  if (std::ranges::all_of(values, &std::string::empty, &Value::name)) return 0;
  std::vector<Offset<flatbuffers::String>> names;
  for (const Value& value : values) names.push_back(b.text(value.name));
  return b.vector(names);
}

Offset<fbs::Graph> write_graph(Builder& b, const Graph& graph) {
  NodeWriter writer(b);
  const auto name = b.text(graph.name);
  const auto values = write_values(b, graph.values);
  const auto names = write_value_names(b, graph.values);
  const auto outputs = write_all<fbs::Output>(b, graph.outputs, write_output);
  const auto nodes = write_all<fbs::Node>(b, graph.nodes, [&](Builder&, const Node& n) { return writer.write(n); });
  const auto ops = writer.ops();
  return fbs::CreateGraph(b.raw(), name, graph.exported, values, names, outputs, nodes, ops);
}

}  // namespace

flatbuffers::DetachedBuffer encode(const Program& program, std::span<const WeightPlace> places) {
  Builder b(program.symbols);
  size_t next = 0;
  const auto symbols = write_all<fbs::Symbol>(b, program.symbols, write_symbol);
  const auto weights = write_all<fbs::Weight>(
      b, program.weights, [&](Builder&, const Weight& w) { return write_weight(b, w, places[next++]); });
  const auto states = write_all<fbs::State>(b, program.states, write_state);
  const auto graphs = write_all<fbs::Graph>(b, program.graphs, write_graph);
  const auto dims = b.dims();
  const auto types = b.types();
  b.raw().Finish(fbs::CreateProgram(b.raw(), dims, symbols, types, weights, states, graphs), fbs::ProgramIdentifier());
  return b.raw().Release();
}

}  // namespace ingot::file
