// Parts of arrays, as views that everything can read.
//
// On CUDA the libraries under MLX want rows of halves to begin on 16 bytes and to run forwards: of dense ones that begin
// elsewhere cuBLAS refuses products, and of others cuDNN computes another attention. Such views are copied there.
//
// Ownership  a view shares the memory of x, a copy does not. Threads  as Frame. Failure  MLX's.
#pragma once

#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Every steps[i]-th element of axis i from starts[i] on and before stops[i].
array part_of(const array& x, const mx::Shape& starts, const mx::Shape& stops, const mx::Shape& steps, mx::Stream s);

// MLX's as_strided. Precondition: x is dense.
array strided_part_of(const array& x, const mx::Shape& shape, const mx::Strides& strides, size_t offset, mx::Stream s);

// Backwards along the axes.
array flipped(const array& x, const std::vector<int>& axes, mx::Stream s);

// ---- what they are made of

// Whether the rows of a part of that shape begin on 16 bytes, if x is dense and does.
bool begins_aligned(const array& x, const mx::Shape& starts, const mx::Shape& shape);

// Dense, in memory of its own: MLX's `copy` shares it, and `contiguous` where the view is dense.
array copied(const array& view, mx::Stream s);

}  // namespace ingot::mlx_engine
