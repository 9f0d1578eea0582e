// The parts of symbolic.cpp: ops that move and reduce integers which are known as expressions.
#pragma once

#include <optional>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

// The outputs of a node; none where it is not for this table.
using Folded = std::optional<std::vector<Symbolic>>;

// An input as expressions, also where the program computes it from constants.
std::optional<Symbolic> known_input(Node& node, size_t i);
// An input whose elements are all literals.
std::optional<std::vector<int64_t>> known_integers(Node& node, size_t i);

Folded fold_gather(Node& node);
Folded fold_concat(Node& node);
Folded fold_slice(Node& node);
Folded fold_split(Node& node);
Folded fold_squeeze(Node& node);
Folded fold_unsqueeze(Node& node);
Folded fold_reshape(Node& node);
Folded fold_flatten(Node& node);
Folded fold_transpose(Node& node);
Folded fold_expand(Node& node);
Folded fold_range(Node& node);
Folded fold_reduce_prod(Node& node);
Folded fold_reduce_sum(Node& node);
Folded fold_reduce_max(Node& node);
Folded fold_reduce_min(Node& node);

}  // namespace ingot::onnx
