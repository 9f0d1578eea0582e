// Ops on the state of a session. A write makes new contents: whoever read the old ones keeps them.
#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"

namespace ingot::mlx_engine {
namespace {

array emit(const op::StateRead& op, Frame& frame) { return frame.state(op.state); }

array emit(const op::StateWrite& op, Frame& frame) {
  frame.set_state(op.state, frame.in(op.value));
  return frame.in(op.value);
}

array emit(const op::StateUpdate& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto elements = [&](const array& x, const Sizes& sizes) {
    return is_flat(dtype) ? unpacked(frame, x, dtype, sizes) : x;
  };
  const array old = elements(frame.state(op.state), frame.result_sizes());
  const array update = elements(frame.in(op.update), frame.sizes(op.update));
  array contents = write_box(frame, old, update, op.starts, op.axes, op.mode);
  if (is_flat(dtype)) contents = packed_bits(frame, contents, dtype);
  frame.set_state(op.state, contents);
  return contents;
}

}  // namespace

INGOT_LOWERINGS(state)

}  // namespace ingot::mlx_engine
