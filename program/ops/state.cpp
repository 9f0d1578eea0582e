// Inference of ops on declared state. The type of a state has literal sizes.
#include "program/infer.h"
#include "program/ops/box.h"

namespace ingot {

static Types rule(const op::StateRead& op, const Scope& s) { return {s.state(op.state).type}; }

static Types rule(const op::StateWrite& op, const Scope& s) {
  const State& state = s.state(op.state);
  require_type(s, "value", s.type(op.value), state.type, "type of the state");
  return {state.type};
}

static Types rule(const op::StateUpdate& op, const Scope& s) {
  const TensorType& state = s.state(op.state).type;
  if (state.dtype == DType::packed) s.refuse("state", "packed", "a dtype of single elements (state_write replaces it)");
  check_update(s, op, state, "as the state");
  return {state};
}

INGOT_RULES(state)

}  // namespace ingot
