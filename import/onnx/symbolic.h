// Arithmetic of sizes: nodes that compute integers from sizes, worked out while importing.
//
// Shape, Gather, Concat, Mul and their like build the targets of Reshape, Expand and Slice. On integers that are known
// as expressions over symbols they are computed here and leave no node behind.
//
// Threads    a pure function of the node.
// Failure    never for a valid node: what it cannot do it leaves to the handler.
#pragma once

#include "import/onnx/node.h"

namespace ingot::onnx {

// Sets the outputs and returns true where every input that matters is known; otherwise nothing happened.
bool fold_sizes(Node& node);

}  // namespace ingot::onnx
