// Between Ingot's tensors and MLX's arrays.
//
// MLX has no storage dtypes. f8 elements are kept as the bytes they are, in their shape; 4- and 2-bit elements and packed
// weights as the bytes of the whole tensor, in one axis.
//
// Threads    `upload` anywhere; `download` where the array's value is available.
// Failure    Code::limit for a size beyond MLX's 32 bits.
#pragma once

#include "engines/mlx/mlx.h"
#include "program/tensor.h"

namespace ingot::mlx_engine {

// Whether elements lie in one axis of bytes.
bool is_flat(DType dtype);
// What MLX keeps a dtype in.
mx::Dtype to_mlx(DType dtype);
// The dtype of that name; storage dtypes are lost.
DType from_mlx(mx::Dtype dtype);
mx::Shape to_mlx(const Sizes& sizes);
// The shape that MLX keeps a tensor in.
mx::Shape stored_shape(DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme);

// An array to lower with, never to compute with: it has a shape and no memory.
array without_value(DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme);

array upload(const Tensor& tensor);
// Shares the array's memory where the host can read it. Precondition: available and row-contiguous.
Tensor download(const array& value, DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme);

}  // namespace ingot::mlx_engine
