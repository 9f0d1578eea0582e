// The MLX engine (engines/engine.h): devices `metal`, `cuda`, `cpu`.
#pragma once

#include "engines/engine.h"

namespace ingot::mlx_engine {

const Engine& engine();

}  // namespace ingot::mlx_engine
