// A box that is read or written at starts which are values: the checks that state_update, dynamic_slice and
// dynamic_update share.
//
// Threads    pure functions. Failure  Error, as infer.h.
#pragma once

#include <vector>

#include "program/infer.h"

namespace ingot {

// An integer scalar for each axis.
inline void check_starts(const Scope& s, const std::vector<Ref>& starts, size_t axes) {
  require_count(s, "number of starts", starts.size(), axes, "length of axes");
  for (Ref start : starts) {
    require_kind(s, "start", s.type(start).dtype, kinds::integer);
    require_count(s, "rank of a start", s.type(start).shape.size(), 0, "a scalar");
  }
}

// The update has the dtype and the sizes of the whole, or smaller ones along `axes`.
template <class O>
void check_update(const Scope& s, const O& op, const TensorType& whole, std::string_view why) {
  const TensorType& update = s.type(op.update);
  require_dtype(s, "dtype of update", update.dtype, {&whole.dtype, 1});
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, whole.rank());
  require_same_sizes(s, "update", update.shape, whole.shape, axes, why);
  for (int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    require_at_most(s, "size of update along axes", update.shape[i], whole.shape[i]);
  }
  check_starts(s, op.starts, axes.size());
}

}  // namespace ingot
