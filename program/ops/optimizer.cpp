// Inference of optimizer steps, and what they mean. Each result has the dtype of the operand that it replaces; numbers are
// computed in what all of them promote to, halves in f32.
#include <array>
#include <cmath>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

// g and the moments have p's shape, whatever their dtypes.
void check_tensors(const Scope& s, Ref p, std::initializer_list<std::pair<std::string_view, Ref>> others) {
  const TensorType& type = s.type(p);
  require_kind(s, "p", type.dtype, kinds::real);
  for (const auto& [subject, ref] : others) {
    require_kind(s, subject, s.type(ref).dtype, kinds::real);
    require_type(s, subject, s.type(ref), {s.type(ref).dtype, type.shape, {}}, "the shape of p");
  }
}

void check_scalar(const Scope& s, std::string_view subject, const TensorType& type, Kinds kinds) {
  require_kind(s, subject, type.dtype, kinds);
  require_count(s, fmt::format("rank of {}", subject), type.shape.size(), 0, "a scalar");
}

void check_beta(const Scope& s, std::string_view subject, double beta) {
  require_in_range(s, subject, beta, 0 <= beta && beta < 1, "at least 0 and less than 1");
}

DType common(std::initializer_list<Var> operands) {
  DType dtype = operands.begin()->dtype();
  for (const Var& each : operands) dtype = *promote(dtype, each.dtype());
  return widened(dtype);
}

// beta·m + (1 - beta)·g
Var mixed(Var m, Var g, double beta) { return m * beta + g * (1 - beta); }

// 1 - beta^step, without the difference of two numbers near 1.
Var bias_correction(GraphBuilder& graph, Var step, double beta) { return -graph.expm1(step * std::log(beta)); }

}  // namespace

static Types rule(const op::AdamwStep& op, const Scope& s) {
  check_tensors(s, op.p, {{"g", op.g}, {"m", op.m}, {"v", op.v}});
  check_scalar(s, "step", s.type(op.step), kinds::integer | kinds::real);
  check_scalar(s, "lr", s.type(op.lr), kinds::real);
  check_beta(s, "beta1", op.beta1);
  check_beta(s, "beta2", op.beta2);
  require_not_negative(s, "eps", op.eps);
  require_not_negative(s, "weight_decay", op.weight_decay);
  return {s.type(op.p), s.type(op.m), s.type(op.v)};
}

// m = beta1·m + (1 - beta1)·g, v = beta2·v + (1 - beta2)·g²,
// p = p·(1 - lr·weight_decay) - lr·(m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
static std::vector<Var> expand(const op::AdamwStep& op, GraphBuilder& graph, const Operands& operands) {
  const Var p = operands(op.p), m = operands(op.m), v = operands(op.v);
  const DType wide = common({p, operands(op.g), m, v});
  const Var g = as_dtype(operands(op.g), wide), lr = as_dtype(operands(op.lr), wide);
  const Var step = as_dtype(operands(op.step), wide);
  const Var first = mixed(as_dtype(m, wide), g, op.beta1), second = mixed(as_dtype(v, wide), g * g, op.beta2);
  const Var root = graph.sqrt(second / bias_correction(graph, step, op.beta2)) + op.eps;
  const Var decayed = as_dtype(p, wide) * (1 - lr * op.weight_decay);
  const Var moved = decayed - lr * (first / bias_correction(graph, step, op.beta1)) / root;
  return {as_dtype(moved, p.dtype()), as_dtype(first, m.dtype()), as_dtype(second, v.dtype())};
}

static Types rule(const op::LionStep& op, const Scope& s) {
  check_tensors(s, op.p, {{"g", op.g}, {"m", op.m}});
  check_scalar(s, "lr", s.type(op.lr), kinds::real);
  check_beta(s, "beta1", op.beta1);
  check_beta(s, "beta2", op.beta2);
  require_not_negative(s, "weight_decay", op.weight_decay);
  return {s.type(op.p), s.type(op.m)};
}

// p = p·(1 - lr·weight_decay) - lr·sign(beta1·m + (1 - beta1)·g), m = beta2·m + (1 - beta2)·g
static std::vector<Var> expand(const op::LionStep& op, GraphBuilder& graph, const Operands& operands) {
  const Var p = operands(op.p), m = operands(op.m);
  const DType wide = common({p, operands(op.g), m});
  const Var g = as_dtype(operands(op.g), wide), lr = as_dtype(operands(op.lr), wide), old = as_dtype(m, wide);
  const Var direction = graph.sign(mixed(old, g, op.beta1));
  const Var moved = as_dtype(p, wide) * (1 - lr * op.weight_decay) - lr * direction;
  return {as_dtype(moved, p.dtype()), as_dtype(mixed(old, g, op.beta2), m.dtype())};
}

static Types rule(const op::SgdStep& op, const Scope& s) {
  check_tensors(s, op.p, {{"g", op.g}, {"m", op.m}});
  check_scalar(s, "lr", s.type(op.lr), kinds::real);
  require_not_negative(s, "momentum", op.momentum);
  require_finite(s, "dampening", op.dampening);
  require_not_negative(s, "weight_decay", op.weight_decay);
  if (op.dampening != 0 && op.momentum == 0) {
    s.refuse("dampening", fmt::format("{}", op.dampening), "0 (momentum is 0)", Code::out_of_range);
  }
  if (op.nesterov && (op.momentum == 0 || op.dampening != 0)) {
    s.refuse("nesterov", "true", "false (it needs a momentum and no dampening)", Code::out_of_range);
  }
  return {s.type(op.p), s.type(op.m)};
}

// d = g + weight_decay·p, m = momentum·m + (1 - dampening)·d, p = p - lr·m, with nesterov p - lr·(d + momentum·m)
static std::vector<Var> expand(const op::SgdStep& op, GraphBuilder&, const Operands& operands) {
  const Var p = operands(op.p), m = operands(op.m);
  const DType wide = common({p, operands(op.g), m});
  const Var old = as_dtype(p, wide), lr = as_dtype(operands(op.lr), wide);
  const Var d = as_dtype(operands(op.g), wide) + old * op.weight_decay;
  const Var next = as_dtype(m, wide) * op.momentum + d * (1 - op.dampening);
  const Var moved = old - lr * (op.nesterov ? d + next * op.momentum : next);
  return {as_dtype(moved, p.dtype()), as_dtype(next, m.dtype())};
}

INGOT_RULES(optimizer)
INGOT_EXPANSIONS(optimizer)

}  // namespace ingot
