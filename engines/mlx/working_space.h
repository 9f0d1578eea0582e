// Working space: what MLX has alive while it computes a node, told from the graph that the node's lowering recorded.
//
// Every array of the graph counts from where it is computed to its last reader, but views, and what kernels of the CPU
// allocate by themselves: patches of a convolution, copies of matrices. Operands count as dense: a copy that a kernel makes
// of one that is not is left out.
//
// Threads    as Frame.
// Failure    Code::limit where there is no memory for the first product (engines/mlx/blas.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// The results of a lowering, and all arrays between them and the operands.
struct Recorded {
  int64_t arrays = 0;
  int64_t bytes = 0;  // of those that are alive at one time, at most; 0 where they are few
};

Recorded recorded_between(const std::vector<array>& operands, const std::vector<array>& results);

}  // namespace ingot::mlx_engine
