// ONNX models written field by field, so that tests can also write what no exporter would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <variant>
#include <vector>

#include "import/onnx/import.h"
#include "program/error.h"

namespace ingot::test {

using Bytes = std::string;  // an encoded message

// TensorProto.DataType
enum : int32_t { kFloat = 1, kInt64 = 7, kString = 8, kBool = 9 };

template <class F>
Bytes message(F write) {
  Bytes bytes;
  protozero::pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

using DimText = std::variant<int64_t, std::string>;  // a size, or the name of one; empty: open

inline Bytes tensor_type(int32_t dtype, const std::vector<DimText>& dims) {
  const Bytes shape = message([&](auto& w) {
    for (const DimText& dim : dims) {
      w.add_message(1, message([&](auto& d) {
                      if (const auto* size = std::get_if<int64_t>(&dim))
                        d.add_int64(1, *size);
                      else if (!std::get<std::string>(dim).empty())
                        d.add_string(2, std::get<std::string>(dim));
                    }));
    }
  });
  const Bytes tensor = message([&](auto& w) {
    w.add_int32(1, dtype);
    w.add_message(2, shape);
  });
  return message([&](auto& w) { w.add_message(1, tensor); });
}

inline Bytes value_info(const std::string& name, const Bytes& type) {
  return message([&](auto& w) {
    w.add_string(1, name);
    w.add_message(2, type);
  });
}
inline Bytes value_info(const std::string& name, int32_t dtype, const std::vector<DimText>& dims) {
  return value_info(name, tensor_type(dtype, dims));
}

inline Bytes raw_tensor(const std::string& name, int32_t dtype, const std::vector<int64_t>& dims, const Bytes& raw) {
  return message([&](auto& w) {
    for (const int64_t dim : dims) w.add_int64(1, dim);
    w.add_int32(2, dtype);
    w.add_string(8, name);
    w.add_bytes(9, raw);
  });
}

inline Bytes external_tensor(const std::string& name, int32_t dtype, const std::vector<int64_t>& dims,
                             const std::vector<std::pair<std::string, std::string>>& entries) {
  return message([&](auto& w) {
    for (const int64_t dim : dims) w.add_int64(1, dim);
    w.add_int32(2, dtype);
    w.add_string(8, name);
    for (const auto& [key, value] : entries) {
      w.add_message(13, message([&](auto& e) {
                      e.add_string(1, key);
                      e.add_string(2, value);
                    }));
    }
    w.add_int32(14, 1);
  });
}

// ---- attributes

inline Bytes attribute(const std::string& name, int32_t type,
                       const std::function<void(protozero::pbf_writer&)>& value) {
  return message([&](auto& w) {
    w.add_string(1, name);
    value(w);
    w.add_int32(20, type);
  });
}
inline Bytes int_attribute(const std::string& name, int64_t value) {
  return attribute(name, 2, [&](auto& w) { w.add_int64(3, value); });
}
inline Bytes float_attribute(const std::string& name, float value) {
  return attribute(name, 1, [&](auto& w) { w.add_float(2, value); });
}
inline Bytes ints_attribute(const std::string& name, const std::vector<int64_t>& values) {
  return attribute(name, 7, [&](auto& w) {
    for (const int64_t value : values) w.add_int64(8, value);
  });
}
inline Bytes graph_attribute(const std::string& name, const Bytes& graph) {
  return attribute(name, 5, [&](auto& w) { w.add_message(6, graph); });
}

// ---- nodes, graphs, models

struct NodeText {
  std::string op;
  std::vector<std::string> inputs, outputs;
  std::vector<Bytes> attributes = {};
  std::string name = {};
  std::string domain = {};
};

inline Bytes encode(const NodeText& node) {
  return message([&](auto& w) {
    for (const std::string& input : node.inputs) w.add_string(1, input);
    for (const std::string& output : node.outputs) w.add_string(2, output);
    if (!node.name.empty()) w.add_string(3, node.name);
    w.add_string(4, node.op);
    for (const Bytes& attribute : node.attributes) w.add_message(5, attribute);
    if (!node.domain.empty()) w.add_string(7, node.domain);
  });
}

struct GraphText {
  std::vector<NodeText> nodes = {};
  std::vector<Bytes> inputs = {}, outputs = {}, initializers = {}, value_infos = {};
};

inline Bytes encode(const GraphText& graph) {
  return message([&](auto& w) {
    for (const NodeText& node : graph.nodes) w.add_message(1, encode(node));
    w.add_string(2, "g");
    for (const Bytes& tensor : graph.initializers) w.add_message(5, tensor);
    for (const Bytes& info : graph.inputs) w.add_message(11, info);
    for (const Bytes& info : graph.outputs) w.add_message(12, info);
    for (const Bytes& info : graph.value_infos) w.add_message(13, info);
  });
}

inline Bytes opset(const std::string& domain, int64_t version) {
  return message([&](auto& w) {
    w.add_string(1, domain);
    w.add_int64(2, version);
  });
}

struct ModelText {
  GraphText graph;
  std::vector<Bytes> opsets = {opset("", 17)};
  std::vector<Bytes> functions = {};
  int64_t ir_version = 8;
};

inline Bytes encode(const ModelText& model) {
  return message([&](auto& w) {
    w.add_int64(1, model.ir_version);
    w.add_message(7, encode(model.graph));
    for (const Bytes& import : model.opsets) w.add_message(8, import);
    for (const Bytes& function : model.functions) w.add_message(25, function);
  });
}

inline onnx::ImportResult import_bytes(const Bytes& bytes, const onnx::ImportOptions& options = {},
                                       const std::filesystem::path& folder = {}) {
  return onnx::import_model(Buffer::copy_of(std::as_bytes(std::span(bytes))), folder, options);
}

// What the import throws, as `code: text`; empty where it does not.
inline std::string refusal(const Bytes& bytes, const onnx::ImportOptions& options = {},
                           const std::filesystem::path& folder = {}) {
  try {
    import_bytes(bytes, options, folder);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "";
}

// The report of an import that finds something unsupported.
inline std::string report(const Bytes& bytes, const onnx::ImportOptions& options = {}) {
  const onnx::ImportResult result = import_bytes(bytes, options);
  return result.program ? "imported" : onnx::to_text(result.report);
}

// x: f32[2, 3] -> y by one node.
inline ModelText one_node(NodeText node, std::vector<DimText> shape = {2, 3}) {
  return {.graph = {.nodes = {std::move(node)},
                    .inputs = {value_info("x", kFloat, shape)},
                    .outputs = {value_info("y", kFloat, {})}}};
}

}  // namespace ingot::test
