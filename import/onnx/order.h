// order_of: the nodes of a graph, each behind those whose outputs it reads.
//
// ONNX wants files to be in that order already, and tools that add nodes write others. Nodes that need not move keep
// their places. In a cycle some node still stands in front of one that it reads.
//
// Ownership  refers to the protos.
// Threads    a pure function. Failure  none.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/onnx/model.h"

namespace ingot::onnx {

struct Order {
  std::vector<const NodeProto*> nodes;
  std::unordered_map<std::string_view, const NodeProto*> makers;  // by the names of their outputs
  // By the names that they or the graphs in them read, as often as they do.
  std::unordered_map<std::string_view, std::vector<const NodeProto*>> readers;
};

// `known`: whether a name is defined before the first node, here or around.
Order order_of(const std::vector<NodeProto>& nodes, const std::function<bool(std::string_view)>& known);

}  // namespace ingot::onnx
