// Ordering: reals as integers that compare as they do, and what sorting needs of them.
//
// MLX compares floats as C does, so NaN has no place of its own in a maximum, and none in front in a descending order.
// As integers every dtype has one order, and the complement reverses it.
//
// Threads    as Frame. Failure  none.
#pragma once

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// Reals as signed integers of their width, -0 before +0 and every NaN at one end.
enum class NanPlace { first, last };
array to_ordered(Frame& frame, const array& reals, NanPlace nan);
// The way back.
array from_ordered(Frame& frame, const array& ordered, mx::Dtype dtype);

// Bools, integers or reals as integers in the order of sorting: NaN last, -0 equal to +0. With `descending` reversed.
array sort_key(Frame& frame, const array& x, bool descending);

// The places of the elements along an axis as sorting puts them, of equal ones the lower first: u32. `x` is not empty.
array sorted_order(Frame& frame, const array& x, int axis, bool descending);

}  // namespace ingot::mlx_engine
