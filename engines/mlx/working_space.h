// Working space: what MLX has alive while it computes a node, told from the graph that the node's lowering built.
//
// Every array of the graph counts from where it is computed to its last reader, but views, and what kernels of the CPU
// allocate by themselves: patches of a convolution, copies of matrices. Operands count as dense: a copy that a kernel makes
// of one that is not is left out.
//
// Threads    as Frame. Failure  none.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Bytes of the results and of all between them and the operands, at the time when they are most.
int64_t working_space(const std::vector<array>& operands, const std::vector<array>& results);

}  // namespace ingot::mlx_engine
