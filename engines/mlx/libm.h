// Functions of numbers where MLX's CPU falls short: there exp, sin, cos, erf, erfinv and sigmoid of f64 are computed in f32,
// exp of f32 is infinite from 88 on and erf is far off near 0. C's library takes their place, as a primitive of MLX's.
//
// Threads    as any op of MLX. Failure  none.
#pragma once

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Of f32, or of f64 on the CPU.
array exp(const array& x, mx::Stream s);
array sin(const array& x, mx::Stream s);
array cos(const array& x, mx::Stream s);
array erf(const array& x, mx::Stream s);
array erfinv(const array& x, mx::Stream s);
// 1 / (1 + e^-x)
array sigmoid(const array& x, mx::Stream s);
// log |Γ(x)|, which MLX lacks.
array lgamma(const array& x, mx::Stream s);

}  // namespace ingot::mlx_engine
