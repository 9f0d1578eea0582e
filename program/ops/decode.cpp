// Inference of what a decoder does between its layers: sampling a token, choosing experts, adding up what they say.
#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

// How many experts a row chooses from.
Dim candidates(const Scope& s, const op::MoeRoute& op, const Dim& experts) {
  if (op.groups < 1) s.refuse("groups", fmt::format("{}", op.groups), "at least 1", Code::out_of_range);
  if (op.top_groups < 1 || op.top_groups > op.groups) {
    s.refuse("top_groups", fmt::format("{}", op.top_groups), fmt::format("1..{}, the groups", op.groups),
             Code::out_of_range);
  }
  const Dim size = floor_div(experts, op.groups);
  if (size * op.groups != experts) {
    s.refuse("number of experts", to_string(experts), fmt::format("a multiple of {}, the groups", op.groups));
  }
  return size * op.top_groups;
}

}  // namespace

// i64 […]
static Types rule(const op::Sample& op, const Scope& s) {
  const TensorType& logits = s.type(op.logits);
  require_kind(s, "logits", logits.dtype, kinds::real);
  if (logits.rank() < 1) s.refuse("logits", to_string(logits), "rank 1 or more");
  require_at_least(s, "last axis of logits", logits.shape.back(), 1);
  require_type(s, "key", s.type(op.key), {DType::u32, {2}, {}});
  require_not_negative(s, "temperature", op.temperature);
  if (op.top_k) {
    require_at_least(s, "top_k", *op.top_k, 1);
    require_at_most(s, "top_k", *op.top_k, logits.shape.back());
  }
  require_in_range(s, "top_p", op.top_p, 0 < op.top_p && op.top_p <= 1, "more than 0 and at most 1");
  require_between(s, "min_p", op.min_p, 0, 1);
  return {{DType::i64, {logits.shape.begin(), logits.shape.end() - 1}, {}}};
}

// [T,k] and i64 [T,k]
static Types rule(const op::MoeRoute& op, const Scope& s) {
  const TensorType& logits = s.type(op.logits);
  require_kind(s, "logits", logits.dtype, kinds::real);
  require_count(s, "rank of logits", logits.shape.size(), 2, "[T, E]");
  require_at_least(s, "k", op.k, 1);
  require_at_most(s, "k", op.k, candidates(s, op, logits.shape[1]));
  require_finite(s, "scale", op.scale);
  if (op.bias) {
    const TensorType& bias = s.type(*op.bias);
    require_kind(s, "bias", bias.dtype, kinds::real);
    require_type(s, "bias", bias, {bias.dtype, {logits.shape[1]}, {}}, "the experts");
  }
  const Shape shape{logits.shape[0], op.k};
  return {{logits.dtype, shape, {}}, {DType::i64, shape, {}}};
}

// [T,D]
static Types rule(const op::MoeCombine& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &weights = s.type(op.weights);
  require_kind(s, "x", x.dtype, kinds::real);
  require_kind(s, "weights", weights.dtype, kinds::real);
  require_count(s, "rank of x", x.shape.size(), 3, "[T, k, D]");
  require_type(s, "weights", weights, {weights.dtype, {x.shape[0], x.shape[1]}, {}}, "the first axes of x");
  return {{x.dtype, {x.shape[0], x.shape[2]}, {}}};
}

// Σ over k of weights · x
static std::vector<Var> expand(const op::MoeCombine& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), weights = operands(op.weights);
  const Var columns = graph.reshape(weights, {weights.dim(0), weights.dim(1), 1});
  return {as_dtype(graph.reduce_sum(as_dtype(x, widened(x.dtype())) * columns, {1}), x.dtype())};
}

INGOT_RULES(decode)
INGOT_EXPANSIONS(decode)

}  // namespace ingot
