// GGUF blocks as numbers and back: engines/gguf_layout.h says which bits are which.
//
// Threads    as Frame.
// Failure    guards with Code::out_of_range for numbers that a block cannot hold.
#pragma once

#include "engines/mlx/packing.h"

namespace ingot::mlx_engine {

// Precondition: has_blocks(method); the tensor has elements.
Unpacked unpack_blocks(Frame& frame, const array& bytes, QuantMethod method, const Sizes& sizes, DType dtype);

// The blocks that `quantize` makes, in one axis of bytes. Precondition: has_blocks(method), which is not searched; x is
// finite and of whole blocks.
array quantized_blocks(Frame& frame, const array& x, QuantMethod method);

}  // namespace ingot::mlx_engine
