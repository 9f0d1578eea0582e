// Products of matrices: every dtype that matmul takes, where MLX multiplies f32, f64 and c64 and, slowly on a CPU, halves.
//
// Threads    as Frame. Failure  none.
#pragma once

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// a·b of two stacks of matrices, which broadcast, or with `transposed` a·bᵀ: f16 and bf16 accumulate in f32, integers wrap
// around. Precondition: both are of this dtype.
array matrix_product(const Frame& frame, const array& a, const array& b, DType dtype, bool transposed = false);

// a·b in i64, exact. Precondition: integers of at most 2^bits in magnitude; bits is at most 8, on a CPU at most 16.
array integer_product(const Frame& frame, const array& a, const array& b, int bits);

}  // namespace ingot::mlx_engine
