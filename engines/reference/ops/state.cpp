// Ops on the state of a session. A write makes new contents: whoever read the old ones keeps them.
#include "engines/reference/indexing.h"
#include "engines/reference/kernel.h"

namespace ingot::reference {

static void kernel(const op::StateRead& op, Frame& frame) { frame.set(0, frame.state(op.state)); }

static void kernel(const op::StateWrite& op, Frame& frame) {
  const Tensor& value = frame.tensor(op.value);
  frame.set_state(op.state, value);
  frame.set(0, value);
}

static void kernel(const op::StateUpdate& op, Frame& frame) {
  frame.set_state(op.state, write_update(op, frame.state(op.state), frame));
}

INGOT_KERNELS(state)

}  // namespace ingot::reference
