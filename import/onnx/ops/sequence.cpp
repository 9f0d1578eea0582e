// Sequences and optionals. The program knows neither: they are put together and taken apart while importing.
#include <fmt/format.h>

#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

using Items = std::vector<Value>;

// Every sequence has a list of its own, which a chain of nodes that add to it makes again and again.
Value sequence_of(Node& node, Items items) {
  node.scope().context().expansion.spend(node.label(), items.size());
  return Value::sequence(std::move(items));
}

// A position among `count` items, or `standard` where none is given.
std::ptrdiff_t position_of(Node& node, size_t input, size_t count, int64_t standard) {
  const int64_t given = node.has(input) ? node.constant_scalar(input).as_int() : standard;
  return axis_of(node, "position", given, static_cast<int64_t>(count));
}

void sequence_empty(Node& node, GraphBuilder&) {
  node.ignore("dtype", "items bring their own");
  node.set(0, Value::sequence({}));
}

void sequence_construct(Node& node, GraphBuilder&) {
  Items items;
  for (size_t i = 0; i < node.input_count(); ++i) items.push_back(node.value(i));
  node.set(0, sequence_of(node, std::move(items)));
}

// In front of an item, or behind the last one.
void sequence_insert(Node& node, GraphBuilder&) {
  Items items = node.sequence(0);
  const auto count = static_cast<int64_t>(items.size());
  const int64_t given = node.has(2) ? node.constant_scalar(2).as_int() : count;
  items.insert(items.begin() + axis_of(node, "position", given, count, true), node.value(1));
  node.set(0, sequence_of(node, std::move(items)));
}

void sequence_erase(Node& node, GraphBuilder&) {
  Items items = node.sequence(0);
  items.erase(items.begin() + position_of(node, 1, items.size(), -1));
  node.set(0, sequence_of(node, std::move(items)));
}

void sequence_at(Node& node, GraphBuilder&) {
  const Items items = node.sequence(0);
  node.set(0, items[static_cast<size_t>(position_of(node, 1, items.size(), -1))]);
}

void sequence_length(Node& node, GraphBuilder&) {
  node.set(0, tensor_of(DType::i64, {}, {static_cast<int64_t>(node.sequence(0).size())}));
}

void concat_from_sequence(Node& node, GraphBuilder& graph) {
  const bool stack = node.flag("new_axis", false);
  std::vector<Var> vars;
  for (const Value& item : node.sequence(0)) vars.push_back(node.as_var(item));
  if (vars.empty()) node.malformed("the sequence", "empty", "one item or more");
  const int64_t rank = vars[0].type().rank() + (stack ? 1 : 0);
  const int64_t axis = axis_of(node, "axis", node.integer("axis"), rank);
  for (Var& var : vars) {
    if (stack) var = unsqueeze(var, {axis});
  }
  node.set(0, graph.concatenate(vars, {.axis = axis}));
}

// Sizes of the parts: listed, or one for all of which the last may be shorter; none given: single slices.
std::vector<Dim> part_sizes(Node& node, int64_t size) {
  if (node.has(1) && node.rank(1) == 1) return node.dims(1);
  const int64_t each = node.has(1) ? node.constant_scalar(1).as_int() : 1;
  if (each < 1) node.malformed("split", fmt::format("{}", each), "at least 1");
  const int64_t parts = size / each + (size % each == 0 ? 0 : 1);
  node.scope().context().expansion.spend(node.label(), static_cast<uint64_t>(parts));
  std::vector<Dim> sizes;
  for (int64_t left = size; left > 0; left -= std::min(each, left)) sizes.emplace_back(std::min(each, left));
  return sizes;
}

void split_to_sequence(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  const bool keepdims = node.flag("keepdims", true);
  const Dim size = node.type(0).shape[static_cast<size_t>(axis)];
  if (!size.is_literal() && !(node.has(1) && node.rank(1) == 1)) {
    throw Unsupported(fmt::format("how many parts {} makes is open", to_string(size)));
  }
  const std::vector<Dim> lengths = part_sizes(node, size.is_literal() ? size.literal() : 0);
  const Var x = ensure_size(node.input(0), axis, std::accumulate(lengths.begin(), lengths.end(), Dim(0)));
  Items items;
  Dim start = 0;
  for (const Dim& length : lengths) {
    const Var part = graph.slice(x, {axis}, {start}, {start + length});
    items.push_back(keepdims || node.has(1) ? part : squeeze(part, {axis}));
    start = start + length;
  }
  node.set(0, Value::sequence(std::move(items)));
}

// The body once for each item; inputs that are no sequences are the same every time.
void sequence_map(Node& node, GraphBuilder&) {
  const GraphProto& body = node.subgraph("body");
  const size_t count = node.sequence(0).size();
  const auto repeat = node.scope().context().expansion.repeat(body, count);
  std::vector<Items> results(node.output_count());
  for (size_t item = 0; item < count; ++item) {
    Items inputs;
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Value& value = node.value(i);
      if (value.sequence() && value.sequence()->size() != count) {
        node.malformed(fmt::format("input {}", i), fmt::format("{} items", value.sequence()->size()),
                       fmt::format("{}", count));
      }
      inputs.push_back(value.sequence() ? (*value.sequence())[item] : value);
    }
    const Items outputs = node.run(body, std::move(inputs), node.body());
    for (size_t i = 0; i < results.size() && i < outputs.size(); ++i) results[i].push_back(outputs[i]);
  }
  for (size_t i = 0; i < results.size(); ++i) node.set(i, sequence_of(node, std::move(results[i])));
}

void optional(Node& node, GraphBuilder&) {
  node.ignore("type", "the value brings its own");
  node.set(0, node.value(0));
}

void optional_get(Node& node, GraphBuilder&) {
  if (!node.has(0)) node.malformed("the optional", "empty", "a value");
  node.set(0, node.value(0));
}

void optional_has(Node& node, GraphBuilder&) {
  node.value(0);
  node.set(0, tensor_of(DType::bool_, {}, {node.has(0) ? 1 : 0}));
}

constexpr Handler rows[] = {
    {"ConcatFromSequence", 11, concat_from_sequence},
    {"Optional", 15, optional},
    {"OptionalGetElement", 15, optional_get},
    {"OptionalHasElement", 15, optional_has},
    {"SequenceAt", 11, sequence_at},
    {"SequenceConstruct", 11, sequence_construct},
    {"SequenceEmpty", 11, sequence_empty},
    {"SequenceErase", 11, sequence_erase},
    {"SequenceInsert", 11, sequence_insert},
    {"SequenceLength", 11, sequence_length},
    {"SequenceMap", 17, sequence_map},
    {"SplitToSequence", 11, split_to_sequence},
};

}  // namespace

std::span<const Handler> sequence_handlers() { return rows; }

}  // namespace ingot::onnx
