// Ops on the state of a session. A write makes new contents: whoever read the old ones keeps them.
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
  array contents = write_box(frame, frame.state(op.state), frame.in(op.update), op.starts, op.axes, op.mode);
  frame.set_state(op.state, contents);
  return contents;
}

}  // namespace

INGOT_LOWERINGS(state)

}  // namespace ingot::mlx_engine
