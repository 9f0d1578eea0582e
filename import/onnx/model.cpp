#include "import/onnx/model.h"

#include <array>
#include <utility>

#include "import/onnx/wire.h"

namespace ingot::onnx {
namespace {

// Graphs inside attributes of nodes, and types inside types.
constexpr int kMaxNesting = 64;

int nested(const Message& message, int depth) {
  if (depth >= kMaxNesting) {
    throw Error(Code::limit,
                file::to_string(message.place()) + " is nested more than " + std::to_string(kMaxNesting) + " deep");
  }
  return depth + 1;
}

template <class T>
std::shared_ptr<T> make_shared_paid(const Message& message) {
  message.budget().spend(message.place(), sizeof(T));
  return std::make_shared<T>();
}

// Reads the fields of one message; `field(message)` says whether it took the current one.
template <class F>
void each_field(std::string_view bytes, const Place& place, Budget& budget, F field) {
  Message message(bytes, place, budget);
  while (message.next()) {
    if (!field(message)) message.skip();
  }
}

// The sub-message in the current field, read by `read(bytes, place, budget, …)` into `into`.
template <class T, class Read, class... More>
void one(Message& m, std::string_view field, T& into, Read read, More... more) {
  const std::string_view bytes = m.bytes();
  read(bytes, Place{&m.place(), field, {}}, m.budget(), into, more...);
}

template <class T, class Read, class... More>
void several(Message& m, std::string_view field, std::vector<T>& into, Read read, More... more) {
  const std::string_view bytes = m.bytes();
  const Place place{&m.place(), field, into.size()};
  read(bytes, place, m.budget(), m.append(into), more...);
}

void read_entry(std::string_view bytes, const Place& place, Budget& budget, StringStringEntryProto& entry) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return entry.key = m.bytes(), true;
      case 2: return entry.value = m.bytes(), true;
      default: return false;
    }
  });
}

void read_opset(std::string_view bytes, const Place& place, Budget& budget, OperatorSetIdProto& opset) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return opset.domain = m.bytes(), true;
      case 2: return opset.version = m.integer(), true;
      default: return false;
    }
  });
}

// --------------------------------------------------------------------------------------------------------- tensors

void read_tensor_fields(std::string_view bytes, const Place& place, Budget& budget, TensorProto& tensor) {
  tensor.message = bytes;
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return m.each_integer([&](int64_t dim) { m.append(tensor.dims, dim); }), true;
      case 2: return tensor.data_type = static_cast<int32_t>(m.integer()), true;
      case 3: return m.skip(), tensor.segmented = true;
      case 8: return tensor.name = m.bytes(), true;
      case 9: return tensor.raw_data = m.bytes(), true;
      case 13: return several(m, "external_data", tensor.external_data, read_entry), true;
      case 14: return tensor.data_location = static_cast<int32_t>(m.integer()), true;
      default: return false;
    }
  });
}

void read_sparse_tensor(std::string_view bytes, const Place& place, Budget& budget, SparseTensorProto& tensor) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return one(m, "values", tensor.values, read_tensor_fields), true;
      case 2: return one(m, "indices", tensor.indices, read_tensor_fields), true;
      case 3: return m.each_integer([&](int64_t dim) { m.append(tensor.dims, dim); }), true;
      default: return false;
    }
  });
}

// ----------------------------------------------------------------------------------------------------------- types

void read_dimension(std::string_view bytes, const Place& place, Budget& budget, DimensionProto& dim) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return dim.value = m.integer(), true;
      case 2: return dim.param = m.bytes(), true;
      default: return false;
    }
  });
}

void read_shape(std::string_view bytes, const Place& place, Budget& budget, std::vector<DimensionProto>& dims) {
  each_field(bytes, place, budget,
             [&](Message& m) { return m.tag() == 1 && (several(m, "dim", dims, read_dimension), true); });
}

void read_type(std::string_view bytes, const Place& place, Budget& budget, TypeProto& type, int depth);

// TypeProto.Tensor and .SparseTensor
void read_tensor_type(std::string_view bytes, const Place& place, Budget& budget, TypeProto& type) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return type.elem_type = static_cast<int32_t>(m.integer()), true;
      case 2: return one(m, "shape", type.shape.emplace(), read_shape), true;
      default: return false;
    }
  });
}

// TypeProto.Sequence, .Optional (element in field 1) and .Map (key in 1, value in 2)
void read_element_type(std::string_view bytes, const Place& place, Budget& budget, TypeProto& type, uint32_t tag,
                       int depth) {
  each_field(bytes, place, budget, [&](Message& m) {
    if (m.tag() == 1 && tag == 2) return type.elem_type = static_cast<int32_t>(m.integer()), true;
    if (m.tag() != tag) return false;
    auto element = make_shared_paid<TypeProto>(m);
    one(m, "elem_type", *element, read_type, nested(m, depth));
    type.element = std::move(element);
    return true;
  });
}

void read_type(std::string_view bytes, const Place& place, Budget& budget, TypeProto& type, int depth) {
  using Kind = TypeProto::Kind;
  const auto tensor = [&](Message& m, Kind kind, std::string_view field) {
    type.kind = kind;
    one(m, field, type, read_tensor_type);
    return true;
  };
  const auto element = [&](Message& m, Kind kind, std::string_view field, uint32_t tag) {
    type.kind = kind;
    one(m, field, type, read_element_type, tag, depth);
    return true;
  };
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return tensor(m, Kind::tensor, "tensor_type");
      case 4: return element(m, Kind::sequence, "sequence_type", 1);
      case 5: return element(m, Kind::map, "map_type", 2);
      case 7: return m.skip(), type.kind = Kind::opaque, true;
      case 8: return tensor(m, Kind::sparse_tensor, "sparse_tensor_type");
      case 9: return element(m, Kind::optional, "optional_type", 1);
      default: return false;
    }
  });
}

void read_value_info(std::string_view bytes, const Place& place, Budget& budget, ValueInfoProto& info) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return info.name = m.bytes(), true;
      case 2: return one(m, "type", info.type, read_type, 0), true;
      default: return false;
    }
  });
}

// ---------------------------------------------------------------------------------------------------------- graphs

void read_graph(std::string_view bytes, const Place& place, Budget& budget, GraphProto& graph, int depth);

// The values of AttributeProto.type, by field number.
struct AttributeField {
  uint32_t tag;
  AttributeType type;
};
constexpr AttributeField attribute_fields[] = {
    {2, AttributeType::real},           {3, AttributeType::integer},         {4, AttributeType::text},
    {5, AttributeType::tensor},         {6, AttributeType::graph},           {7, AttributeType::reals},
    {8, AttributeType::integers},       {9, AttributeType::texts},           {10, AttributeType::tensors},
    {11, AttributeType::graphs},        {14, AttributeType::type},           {15, AttributeType::types},
    {22, AttributeType::sparse_tensor}, {23, AttributeType::sparse_tensors},
};

// onnx.proto's AttributeType to ours.
AttributeType attribute_type(const Message& m, int64_t number) {
  constexpr std::array types = {AttributeType::undefined,      AttributeType::real,     AttributeType::integer,
                                AttributeType::text,           AttributeType::tensor,   AttributeType::graph,
                                AttributeType::reals,          AttributeType::integers, AttributeType::texts,
                                AttributeType::tensors,        AttributeType::graphs,   AttributeType::sparse_tensor,
                                AttributeType::sparse_tensors, AttributeType::type,     AttributeType::types};
  if (number >= 0 && static_cast<uint64_t>(number) < types.size()) return types[static_cast<size_t>(number)];
  m.refuse("of type " + std::to_string(number), "a type from 1 to 14");
}

template <class T, class Read, class... More>
std::shared_ptr<const T> shared(Message& m, std::string_view field, Read read, More... more) {
  auto value = make_shared_paid<T>(m);
  one(m, field, *value, read, more...);
  return value;
}

bool read_attribute_field(Message& m, AttributeProto& a, int depth) {
  switch (m.tag()) {
    case 1: return a.name = m.bytes(), true;
    case 2: return a.f = m.real(), true;
    case 3: return a.i = m.integer(), true;
    case 4: return a.s = m.bytes(), true;
    case 5: return a.t = shared<TensorProto>(m, "t", read_tensor_fields), true;
    case 6: return a.g = shared<GraphProto>(m, "g", read_graph, nested(m, depth)), true;
    case 7: return m.each_real([&](float x) { m.append(a.floats, x); }), true;
    case 8: return m.each_integer([&](int64_t x) { m.append(a.ints, x); }), true;
    case 9: return m.append(a.strings, m.bytes()), true;
    case 14: return a.tp = shared<TypeProto>(m, "tp", read_type, 0), true;
    case 20: return a.type = attribute_type(m, m.integer()), true;
    case 21: return a.ref_attr_name = m.bytes(), true;
    case 22: return a.sparse_tensor = shared<SparseTensorProto>(m, "sparse_tensor", read_sparse_tensor), true;
    default: return false;
  }
}

void read_attribute(std::string_view bytes, const Place& place, Budget& budget, AttributeProto& a, int depth) {
  AttributeType present = AttributeType::undefined;
  each_field(bytes, place, budget, [&](Message& m) {
    for (const AttributeField& field : attribute_fields) {
      if (field.tag == m.tag()) present = field.type;
    }
    return read_attribute_field(m, a, depth);
  });
  // The oldest files leave the type to the field that is there.
  if (a.type == AttributeType::undefined) a.type = present;
}

void read_node(std::string_view bytes, const Place& place, Budget& budget, NodeProto& node, int depth) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return m.append(node.input, m.bytes()), true;
      case 2: return m.append(node.output, m.bytes()), true;
      case 3: return node.name = m.bytes(), true;
      case 4: return node.op_type = m.bytes(), true;
      case 5: return several(m, "attribute", node.attribute, read_attribute, depth), true;
      case 7: return node.domain = m.bytes(), true;
      case 8: return node.overload = m.bytes(), true;
      default: return false;
    }
  });
}

void read_graph(std::string_view bytes, const Place& place, Budget& budget, GraphProto& graph, int depth) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return several(m, "node", graph.node, read_node, depth), true;
      case 2: return graph.name = m.bytes(), true;
      case 5: return several(m, "initializer", graph.initializer, read_tensor_fields), true;
      case 11: return several(m, "input", graph.input, read_value_info), true;
      case 12: return several(m, "output", graph.output, read_value_info), true;
      case 13: return several(m, "value_info", graph.value_info, read_value_info), true;
      case 15: return several(m, "sparse_initializer", graph.sparse_initializer, read_sparse_tensor), true;
      default: return false;
    }
  });
}

void read_function(std::string_view bytes, const Place& place, Budget& budget, FunctionProto& function) {
  each_field(bytes, place, budget, [&](Message& m) {
    switch (m.tag()) {
      case 1: return function.name = m.bytes(), true;
      case 4: return m.append(function.input, m.bytes()), true;
      case 5: return m.append(function.output, m.bytes()), true;
      case 6: return m.append(function.attribute, m.bytes()), true;
      case 7: return several(m, "node", function.node, read_node, 0), true;
      case 9: return several(m, "opset_import", function.opset_import, read_opset), true;
      case 10: return function.domain = m.bytes(), true;
      case 11: return several(m, "attribute_proto", function.attribute_proto, read_attribute, 0), true;
      case 12: return several(m, "value_info", function.value_info, read_value_info), true;
      case 13: return function.overload = m.bytes(), true;
      default: return false;
    }
  });
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string_view to_string(AttributeType type) {
  constexpr std::string_view names[] = {"undefined", "a float",         "an int",         "a string", "a tensor",
                                        "a graph",   "floats",          "ints",           "strings",  "tensors",
                                        "graphs",    "a sparse tensor", "sparse tensors", "a type",   "types"};
  return names[static_cast<size_t>(type)];
}

ModelProto read_model(std::span<const std::byte> bytes) {
  ModelProto model;
  Budget budget(bytes.size());
  bool has_graph = false;
  const Place place{nullptr, "the model", {}}, root{};
  each_field(as_text(bytes), place, budget, [&](Message& m) {
    const auto inside = [&](std::string_view field, auto& list, auto read) {
      const std::string_view contents = m.bytes();
      const Place here{&root, field, list.size()};
      read(contents, here, budget, m.append(list));
      return true;
    };
    switch (m.tag()) {
      case 1: return model.ir_version = m.integer(), true;
      case 2: return model.producer_name = m.bytes(), true;
      case 3: return model.producer_version = m.bytes(), true;
      case 7:
        if (std::exchange(has_graph, true)) m.refuse("with two graphs", "one graph");
        return read_graph(m.bytes(), Place{&root, "graph", {}}, budget, model.graph, 0), true;
      case 8: return inside("opset_import", model.opset_import, read_opset);
      case 25: return inside("functions", model.functions, read_function);
      default: return false;
    }
  });
  if (!has_graph) throw Error(Code::bad_file, "the model has no graph: this is no ONNX file, or a part of one");
  return model;
}

TensorProto read_tensor(std::span<const std::byte> bytes) {
  TensorProto tensor;
  Budget budget(bytes.size());
  read_tensor_fields(as_text(bytes), Place{nullptr, "the tensor", {}}, budget, tensor);
  return tensor;
}

}  // namespace ingot::onnx
