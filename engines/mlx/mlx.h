// MLX's headers, and the short name of its namespace. Everything here that says `mx::` is MLX's.
#pragma once

#include <mlx/mlx.h>
#include <mlx/scheduler.h>

namespace ingot::mlx_engine {

namespace mx = ::mlx::core;
using mx::array;

}  // namespace ingot::mlx_engine
