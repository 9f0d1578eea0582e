// Inference of losses, and what they mean. Halves compute in f32.
#include <array>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

Shape reduced_unless_none(LossReduction reduction, Shape shape) {
  return reduction == LossReduction::none ? std::move(shape) : Shape{};
}

std::vector<int64_t> every_axis(const Var& x) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < x.type().rank(); ++axis) axes.push_back(axis);
  return axes;
}

Var sum_of(GraphBuilder& graph, Var x) { return graph.reduce_sum(x, every_axis(x)); }

Var reduced(GraphBuilder& graph, LossReduction reduction, Var losses) {
  switch (reduction) {
    case LossReduction::none: return losses;
    case LossReduction::sum: return sum_of(graph, losses);
    case LossReduction::mean: return graph.reduce_mean(losses, every_axis(losses));
  }
  return losses;
}

// ------------------------------------------------------------------------------------------------------ cross-entropy

bool has_probabilities(DType labels) { return is_real(labels); }

// The logits of one row, and what else a row of the loss is made of.
struct Rows {
  GraphBuilder& graph;
  int64_t axis;
  Var logs;                   // log softmax(logits)
  std::optional<Var> weight;  // [C], so that it broadcasts to logs

  // -Σ weight·share·logs
  Var entropy(const std::optional<Var>& share) const {
    Var terms = -logs;
    if (share) terms = terms * *share;
    if (weight) terms = terms * *weight;
    return graph.reduce_sum(terms, {axis});
  }
};

Rows rows_of(GraphBuilder& graph, const op::SoftmaxCrossEntropy& op, const Operands& operands) {
  const Var given = operands(op.logits), logits = as_dtype(given, widened(given.dtype()));
  const int64_t rank = logits.type().rank(), axis = op.axis < 0 ? op.axis + rank : op.axis;
  const Var shifted = logits - graph.reduce_max(logits, {axis}, {.keepdims = true});
  const Var logs = shifted - graph.log(graph.reduce_sum(graph.exp(shifted), {axis}, {.keepdims = true}));
  auto weight = operands(op.weight);
  if (weight) {
    Shape column(static_cast<size_t>(rank - axis), 1);
    column[0] = weight->dim(0);
    weight = graph.reshape(as_dtype(*weight, logits.dtype()), std::move(column));
  }
  return {graph, axis, logs, weight};
}

// Labels as probabilities: each row counts as one.
Var of_probabilities(const op::SoftmaxCrossEntropy& op, const Rows& rows, Var labels) {
  Var share = as_dtype(labels, rows.logs.dtype());
  if (op.smoothing > 0) {
    const Var classes = as_dtype(rows.graph.size_of(rows.logs.dim(rows.axis)), rows.logs.dtype());
    share = share * (1 - op.smoothing) + op.smoothing / classes;
  }
  return reduced(rows.graph, op.reduction, rows.entropy(share));
}

// Labels as integers: a gather reads what they name, and fails the call where they are outside 0 … C-1.
Var of_classes(const op::SoftmaxCrossEntropy& op, const Rows& rows, Var labels) {
  GraphBuilder& graph = rows.graph;
  const DType dtype = rows.logs.dtype();
  const Var zero = graph.scalar(0.0, dtype);
  Var index = graph.cast(labels, DType::i64, {.saturate = true});
  std::optional<Var> counts;
  if (op.ignore) {
    counts = graph.ne(index, graph.scalar(*op.ignore, DType::i64));
    index = graph.select(*counts, index, graph.scalar(0, DType::i64));
  }
  Shape shape = labels.shape(), column = shape;  // copies: a new node moves the types
  column.insert(column.begin() + rows.axis, 1);
  const Var entry = graph.reshape(as_dtype(index, DType::u64), std::move(column));
  const auto named = [&](Var x) { return graph.reshape(graph.gather(x, entry, {.axis = rows.axis}), shape); };

  Var share = graph.broadcast(graph.scalar(1.0, dtype), shape);  // what each label counts for
  if (rows.weight) share = named(graph.broadcast(*rows.weight, rows.logs.shape()));
  if (counts) share = graph.select(*counts, share, zero);
  Var losses = -named(rows.logs) * share;
  if (counts) losses = graph.select(*counts, losses, zero);
  if (op.smoothing > 0) {
    const Var classes = as_dtype(rows.graph.size_of(rows.logs.dim(rows.axis)), rows.logs.dtype());
    Var even = rows.entropy({}) * op.smoothing / classes;
    if (counts) even = graph.select(*counts, even, zero);
    losses = losses * (1 - op.smoothing) + even;
  }
  if (op.reduction != LossReduction::mean) return reduced(graph, op.reduction, losses);
  return sum_of(graph, losses) / sum_of(graph, share);
}

// -------------------------------------------------------------------------------------------------------- elementwise

bool takes_delta(LossFn fn) { return fn == LossFn::huber || fn == LossFn::smooth_l1; }

// |d| < delta ? d²/2 : delta·(|d| - delta/2)
Var huber(GraphBuilder& graph, Var d, double delta) {
  const Var far = graph.abs(d);
  const Var near = graph.lt(far, graph.scalar(delta, d.dtype()));
  return graph.select(near, graph.square(d) / 2, (far - delta / 2) * delta);
}

// max(log x, -100)
Var bounded_log(GraphBuilder& graph, Var x) { return graph.max(graph.log(x), graph.scalar(-100.0, x.dtype())); }

Var loss_of(GraphBuilder& graph, const op::Loss& op, Var x, Var y) {
  const Var zero = graph.scalar(0.0, x.dtype());
  switch (op.fn) {
    case LossFn::mse: return graph.square(x - y);
    case LossFn::l1: return graph.abs(x - y);
    case LossFn::huber: return huber(graph, x - y, op.delta);
    case LossFn::smooth_l1: return huber(graph, x - y, op.delta) / op.delta;
    case LossFn::bce: return (y - 1) * bounded_log(graph, 1 - x) - y * bounded_log(graph, x);
    case LossFn::bce_logits: return graph.max(x, zero) - x * y + graph.log1p(graph.exp(-graph.abs(x)));
    case LossFn::kl_div: return graph.select(graph.eq(y, zero), zero, y * graph.log(y)) - y * x;
    case LossFn::hinge: return graph.max(1 - x * y, zero);
  }
  return zero;
}

}  // namespace

static Types rule(const op::SoftmaxCrossEntropy& op, const Scope& s) {
  const TensorType &logits = s.type(op.logits), &labels = s.type(op.labels);
  require_kind(s, "logits", logits.dtype, kinds::real);
  require_kind(s, "labels", labels.dtype, kinds::integer | kinds::real);
  const int64_t axis = normalize_axis(s, "axis", op.axis, logits.rank());
  const Dim& classes = logits.shape[static_cast<size_t>(axis)];
  require_at_least(s, "number of classes", classes, 1);
  Shape rows = logits.shape;
  rows.erase(rows.begin() + axis);
  if (has_probabilities(labels.dtype)) {
    require_type(s, "labels", labels, {labels.dtype, logits.shape, {}}, "the shape of logits");
    if (op.ignore) s.refuse("ignore", fmt::format("{}", *op.ignore), "none (labels are probabilities)");
  } else {
    require_type(s, "labels", labels, {labels.dtype, rows, {}}, "logits without axis");
  }
  if (op.weight) {
    const TensorType& weight = s.type(*op.weight);
    require_kind(s, "weight", weight.dtype, kinds::real);
    require_type(s, "weight", weight, {weight.dtype, {classes}, {}}, "the classes");
  }
  require_between(s, "smoothing", op.smoothing, 0, 1);
  return {{logits.dtype, reduced_unless_none(op.reduction, std::move(rows)), {}}};
}

// -Σ share·log softmax(logits), the share of a label that has no probability being (1 - smoothing)·[it is that class] +
// smoothing / C
static std::vector<Var> expand(const op::SoftmaxCrossEntropy& op, GraphBuilder& graph, const Operands& operands) {
  const Var labels = operands(op.labels);
  const Rows rows = rows_of(graph, op, operands);
  const Var y = has_probabilities(labels.dtype()) ? of_probabilities(op, rows, labels) : of_classes(op, rows, labels);
  return {as_dtype(y, operands(op.logits).dtype())};
}

static Types rule(const op::Loss& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &target = s.type(op.target);
  const DType dtype = promote_or_refuse(s, x.dtype, target.dtype);
  require_kind(s, "dtype of x and target", dtype, kinds::real);
  require_same_sizes(s, "target", target.shape, x.shape, {}, "as x");
  if (op.weight) {
    require_kind(s, "weight", s.type(*op.weight).dtype, kinds::real);
    require_broadcast(s, "weight", s.type(*op.weight).shape, x.shape);
  }
  require_positive(s, "delta", op.delta);
  if (op.delta != 1 && !takes_delta(op.fn)) {
    s.refuse("delta", fmt::format("{}", op.delta), "none (only huber and smooth_l1 take one)");
  }
  return {{dtype, reduced_unless_none(op.reduction, x.shape), {}}};
}

static std::vector<Var> expand(const op::Loss& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), target = operands(op.target);
  const DType dtype = *promote(x.dtype(), target.dtype()), wide = widened(dtype);
  // An integer is rounded to the dtype of the other before it is widened.
  const auto promoted = [&](Var each) { return as_dtype(as_dtype(each, dtype), wide); };
  Var losses = loss_of(graph, op, promoted(x), promoted(target));
  if (const auto weight = operands(op.weight)) losses = losses * as_dtype(*weight, wide);
  return {as_dtype(reduced(graph, op.reduction, losses), dtype)};
}

INGOT_RULES(loss)
INGOT_EXPANSIONS(loss)

}  // namespace ingot
