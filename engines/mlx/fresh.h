// Fresh memory: that of an array which nobody else uses.
//
// To read an array on a GPU moves its memory to where the host reaches it, under whoever else uses it. MLX counts the users,
// but itself among them for some time after it has computed the array; what is fresh need not wait for that, nor be copied.
//
// Threads    as Frame. Failure  none.
#pragma once

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Whether an array that is not computed yet gets memory that was not there before, all of which it needs: it is no view
// of a weight, say, nor of a row. Others that are computed with it may be views of it. Precondition: all its primitives
// are MLX's own.
bool gets_fresh_memory(const array& x);

// Precondition: both have been submitted.
bool share_memory(const array& a, const array& b);

}  // namespace ingot::mlx_engine
