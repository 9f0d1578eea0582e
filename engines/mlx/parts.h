// Parts of arrays: views that what reads them can take.
//
// On CUDA the libraries under MLX multiply and attend to halves in rows that begin on 16 bytes: of others cuBLAS refuses
// products, and cuDNN computes another attention. Views whose rows may begin anywhere are copied there.
//
// Threads  as Frame. Failure  MLX's.
#pragma once

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Every steps[i]-th element of axis i from starts[i] on and before stops[i].
array part_of(const array& x, const mx::Shape& starts, const mx::Shape& stops, const mx::Shape& steps, mx::Stream s);

// MLX's as_strided. Precondition: x is dense.
array strided_part_of(const array& x, const mx::Shape& shape, const mx::Strides& strides, size_t offset, mx::Stream s);

// A copy of a view in memory of its own: `contiguous` keeps what is dense, wherever it begins.
array copied(const array& view, mx::Stream s);

}  // namespace ingot::mlx_engine
