// An ONNX file as plain structs: what onnx.proto says, read from the wire without generated code.
//
// Every text and every block of data is a view into the file; numbers are copied out. Fields that mean nothing to an
// importer (doc strings, sharding, training) are passed over. The names are those of onnx.proto.
//
// Ownership  views into the bytes that were read: they must outlive the structs.
// Threads    free functions; the structs are immutable afterwards.
// Failure    Code::bad_file with the place (`graph.node[17].attribute[0].t is …`); Code::limit when graphs nest too deep
//            or the structs would need many times the memory of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "program/tensor.h"

namespace ingot::onnx {

struct StringStringEntryProto {
  std::string_view key, value;
};

struct OperatorSetIdProto {
  std::string_view domain;
  int64_t version = 0;
};

// -------------------------------------------------------------------------------------------------------- tensors

struct TensorProto {
  std::string_view name;
  int32_t data_type = 0;
  std::vector<int64_t> dims;
  bool segmented = false;     // holds only a part
  int32_t data_location = 0;  // 1: external
  std::vector<StringStringEntryProto> external_data;
  std::optional<std::string_view> raw_data;
  std::string_view message;  // the whole, in which the typed data are found again
};

struct SparseTensorProto {
  TensorProto values, indices;
  std::vector<int64_t> dims;
};

// ---------------------------------------------------------------------------------------------------------- types

struct DimensionProto {
  std::optional<int64_t> value;
  std::string_view param;  // empty: none
};

struct TypeProto {
  enum class Kind { none, tensor, sequence, map, optional, sparse_tensor, opaque };
  Kind kind = Kind::none;
  int32_t elem_type = 0;                             // tensor, sparse_tensor; the key of a map
  std::optional<std::vector<DimensionProto>> shape;  // absent: not even the rank is known
  std::shared_ptr<const TypeProto> element;          // sequence, optional; the value of a map
};

struct ValueInfoProto {
  std::string_view name;
  TypeProto type;
};

// ---------------------------------------------------------------------------------------------------------- graphs

struct GraphProto;

enum class AttributeType : int32_t {
  undefined,
  real,
  integer,
  text,
  tensor,
  graph,
  reals,
  integers,
  texts,
  tensors,
  graphs,
  sparse_tensor,
  sparse_tensors,
  type,
  types
};
std::string_view to_string(AttributeType type);

struct AttributeProto {
  std::string_view name, ref_attr_name;
  AttributeType type = AttributeType::undefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::shared_ptr<const TensorProto> t;
  std::shared_ptr<const SparseTensorProto> sparse_tensor;
  std::shared_ptr<const GraphProto> g;
  std::shared_ptr<const TypeProto> tp;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
};

struct NodeProto {
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> input, output;
  std::vector<AttributeProto> attribute;
};

struct GraphProto {
  std::string_view name;
  std::vector<NodeProto> node;
  std::vector<TensorProto> initializer;
  std::vector<SparseTensorProto> sparse_initializer;
  std::vector<ValueInfoProto> input, output, value_info;
};

struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> input, output, attribute;
  std::vector<AttributeProto> attribute_proto;  // with defaults
  std::vector<NodeProto> node;
  std::vector<ValueInfoProto> value_info;
  std::vector<OperatorSetIdProto> opset_import;
};

struct ModelProto {
  int64_t ir_version = 0;
  std::string_view producer_name, producer_version;
  std::vector<OperatorSetIdProto> opset_import;
  GraphProto graph;
  std::vector<FunctionProto> functions;
};

ModelProto read_model(std::span<const std::byte> bytes);
// A file that holds one tensor, as ONNX keeps test data.
TensorProto read_tensor(std::span<const std::byte> bytes);

}  // namespace ingot::onnx
