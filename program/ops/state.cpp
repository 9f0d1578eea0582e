// Inference of ops on declared state. The type of a state has literal sizes.
#include "program/infer.h"

namespace ingot {

static Types rule(const op::StateRead& op, const Scope& s) { return {s.state(op.state).type}; }

static Types rule(const op::StateWrite& op, const Scope& s) {
  const State& state = s.state(op.state);
  require_type(s, "value", s.type(op.value), state.type, "type of the state");
  return {state.type};
}

// The update has the sizes of the state, or smaller ones along `axes`.
static Types rule(const op::StateUpdate& op, const Scope& s) {
  const TensorType &state = s.state(op.state).type, &update = s.type(op.update);
  if (state.dtype == DType::packed) s.refuse("state", "packed", "a dtype of single elements (state_write replaces it)");
  require_dtype(s, "dtype of update", update.dtype, {&state.dtype, 1});
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, state.rank());
  require_same_sizes(s, "update", update.shape, state.shape, axes, "as the state");
  for (int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    require_at_most(s, "size of update along axes", update.shape[i], state.shape[i]);
  }
  require_count(s, "number of starts", op.starts.size(), axes.size(), "length of axes");
  for (Ref start : op.starts) {
    require_kind(s, "start", s.type(start).dtype, kinds::integer);
    require_count(s, "rank of a start", s.type(start).shape.size(), 0, "a scalar");
  }
  return {state};
}

INGOT_RULES(state)

}  // namespace ingot
