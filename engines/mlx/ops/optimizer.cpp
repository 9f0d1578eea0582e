// Optimizer steps: chains of element-wise ops, which MLX has nothing better for.
#include "engines/mlx/lowering.h"

namespace ingot::mlx_engine {
namespace {

INGOT_EXPANDED(AdamwStep)
INGOT_EXPANDED(LionStep)
INGOT_EXPANDED(SgdStep)

}  // namespace

INGOT_LOWERINGS(optimizer)

}  // namespace ingot::mlx_engine
