// Patterns: what several nodes of a file mean together.
//
// Threads    none involved. Failure  what reading a tensor throws.
#pragma once

#include <optional>

#include "import/onnx/node.h"

namespace ingot::onnx {

// The value of a name that a graph holds as a constant, or sees around it. `maker`: the node of the graph that defines
// it.
std::optional<Tensor> constant_in(Node& node, const GraphProto& graph, std::string_view name, const NodeProto* maker);

// Whether an If is how PyTorch writes a squeeze of an axis whose size is open: the axis is dropped if its size is 1, and
// else stays. The rank of the result would be open too, so the importer takes the first branch: its Squeeze promises
// that the size is 1, which is checked when the program runs.
bool is_open_squeeze(Node& node, const GraphProto& on_true, const GraphProto& on_false);

}  // namespace ingot::onnx
