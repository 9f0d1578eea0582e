// Scatter: writes to rows that combine with what is there, for every dtype and device.
//
// MLX's scatter knows no element of 64 bits on a GPU. There the writes are sorted by row, so that those of one row stand
// side by side, and combined in log2(n) steps.
//
// Threads    as any op of MLX. Failure  none.
#pragma once

#include "engines/mlx/mlx.h"
#include "program/program.h"

namespace ingot::mlx_engine {

// x [n, rest…] after x[at[i]] = fn(x[at[i]], updates[i]) for every i, in an order of its own. `at` is [m] within -n … n-1,
// updates [m, rest…] in the dtype of x, neither empty. fn is one that does not depend on the order: not `set`.
array scatter(ScatterFn fn, const array& x, const array& at, const array& updates, mx::Stream s);

// The same by sorting.
array scatter_by_sorting(ScatterFn fn, const array& x, const array& at, const array& updates, mx::Stream s);

// For each of n rows the number of the last of the writes that goes there, -1 where there is none. `at` as above; `number`
// is i32[m], -1 for a write that is left out.
array last_writes(int n, const array& at, const array& number, mx::Stream s);

// A number for each row, beside every element of it.
array beside_rows(const array& of_rows, const array& rows, mx::Stream s);

}  // namespace ingot::mlx_engine
