// Indexing: positions that indices name, lengths, boxes placed by starts that are values, and writes that combine.
//
// MLX checks no index: what it gets from here lies within its axis. Texts are those of every engine.
//
// Threads    as Frame.
// Failure    Code::limit, as convert.h; guards with Code::out_of_range for an index, a length or a start that its mode
//            does not admit.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

inline int from_front(int64_t axis, size_t rank) {
  return static_cast<int>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

// In one axis. Code::limit where that is beyond MLX's 32 bits.
inline array flattened(const array& x, mx::Stream s) {
  return mx::reshape(x, to_mlx(Sizes{static_cast<int64_t>(x.size())}), s);
}

// Integers of any dtype as i64; beyond it the nearest, which is out of range all the same.
array as_i64(Frame& frame, const array& integers);

// ------------------------------------------------------------------------------------------------------------ ranges

// What the call says of the first value outside, and of its place in row-major order.
using Refusal = std::function<Error(int64_t place, int64_t value)>;

// Integers of any dtype, as i32 or i64, that the call fails unless they lie in low … high; clipped to that.
// Precondition: low ≤ high.
array require_within(Frame& frame, const array& integers, int64_t low, int64_t high, Refusal refusal);

// How many of `most` steps or keys count in each entry of a batch.
array lengths_of(Frame& frame, const array& lengths, int64_t most);

// --------------------------------------------------------------------------------------------------------- positions

struct Positions {
  array at;                     // i32 or i64; negatives count from the end, as MLX has it
  std::optional<array> inside;  // what is not dropped; none: all of them
};

// What indices mean on an axis of that size, or on as many axes as the last axis of `indices` has coordinates. Where a
// size is 0 nothing may be read at `at`.
Positions positions(Frame& frame, const array& indices, const Sizes& sizes, IndexMode mode);

// Without negatives; sizes as above.
array counted_from_front(Frame& frame, const array& at, const Sizes& sizes);

// ------------------------------------------------------------------------------------------------------------- boxes

// The part of x that begins at the starts, one for each of `axes` and 0 along the others. `error` fails unless it fits,
// `clamp` moves the start so that it does, `drop` reads 0 outside. Precondition: but for `drop` it is no larger than x.
array read_box(Frame& frame, const array& x, const Sizes& box, const std::vector<Ref>& starts,
               const std::vector<int64_t>& axes, IndexMode mode);

// x with `update` written there; `drop` leaves out what falls outside.
array write_box(Frame& frame, const array& x, const array& update, const std::vector<Ref>& starts,
                const std::vector<int64_t>& axes, IndexMode mode);

// ------------------------------------------------------------------------------------------------------------ writes

// x [n, rest…] after x[at[i]] = fn(x[at[i]], updates[i]) for every i that is inside, in order, rounded once at the end.
// `at` is [m] within -n … n-1, updates [m, rest…]. Precondition: inference lets fn work on the dtype.
array combine(Frame& frame, ScatterFn fn, const array& x, const Positions& rows, const array& updates);

}  // namespace ingot::mlx_engine
