// Turns: cosine and sine of position·frequency for integer positions, on devices that have no f64.
//
// The angle is counted in turns, as a fraction of 64 bits: a product of integers loses only whole turns, so that far
// positions are as exact as near ones. f32 enters when at most a quarter of a turn is left.
//
// Threads    as any op of MLX. Failure  none.
#pragma once

#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

struct Rotation {
  array cosine, sine;  // f32
};

// Whether 64 bits say what the frequencies, in radians, make of any position.
bool are_countable(const std::vector<double>& frequencies);

// Positions are i64 or u64, […, 1] or […, frequencies]. Precondition: are_countable.
Rotation rotations(const array& positions, const std::vector<double>& frequencies, mx::Stream s);

}  // namespace ingot::mlx_engine
