// Arithmetic on arrays of integers where C++ leaves a hole that MLX falls through: division by 0 and of the lowest number by
// -1 stop the process, wide shifts are undefined. Here they mean what docs/semantics.md says.
//
// Threads    as any op of MLX. Failure  none.
#pragma once

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// The dtype of the same width that wraps for certain: of signed integers a compiler may assume that they do not.
mx::Dtype unsigned_of(mx::Dtype dtype);

// Preconditions of all: integers of one dtype, which broadcast.
array floor_div(const array& a, const array& b, mx::Stream s);
array trunc_div(const array& a, const array& b, mx::Stream s);
// With the sign of the divisor, and of the dividend.
array rem(const array& a, const array& b, mx::Stream s);
array fmod(const array& a, const array& b, mx::Stream s);
array integer_power(const array& a, const array& b, mx::Stream s);
array shift_left(const array& x, const array& by, mx::Stream s);
array shift_right(const array& x, const array& by, mx::Stream s);

}  // namespace ingot::mlx_engine
