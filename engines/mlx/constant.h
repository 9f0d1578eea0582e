// Constants: the scalars of attributes as arrays.
//
// MLX's own way from a double to f16 or bf16 goes through f32 and rounds twice; this rounds once.
//
// Threads    anywhere. Failure  none: `check_fits` has been there before.
#pragma once

#include "engines/mlx/convert.h"
#include "program/scalar.h"

namespace ingot::mlx_engine {

// Of rank 0. Precondition: a dtype that ops compute on.
array constant(const Scalar& value, DType dtype);

}  // namespace ingot::mlx_engine
