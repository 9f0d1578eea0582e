// OpenBLAS, which multiplies matrices for MLX on the CPU, and the memory that it takes for that.
//
// Its first product maps a buffer that it keeps. Where the system does not give it that, it asks again for ever.
//
// Threads    as Frame. Failure  Code::limit where the buffer is not to be had.
#pragma once

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Whether OpenBLAS has its buffer, or this build multiplies by something else.
bool has_blas_buffer();
// Has OpenBLAS take its buffer, where the array's kernel is one that calls it.
void take_blas_buffer_for(const array& a);

}  // namespace ingot::mlx_engine
