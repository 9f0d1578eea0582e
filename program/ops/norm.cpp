// Inference of norms, and what they mean. Halves compute in f32.
#include <cmath>
#include <numeric>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

// The sizes of the axes from `axis` on.
Shape normalised(const Scope& s, const TensorType& x, int64_t given, double eps) {
  require_kind(s, "x", x.dtype, kinds::real);
  const int64_t axis = normalize_axis(s, "axis", given, x.rank());
  require_not_negative(s, "eps", eps);
  return {x.shape.begin() + axis, x.shape.end()};
}

void check_parameter(const Scope& s, std::string_view subject, const std::optional<Ref>& ref, const Shape& shape,
                     std::string_view why = "the normalised axes of x") {
  if (!ref) return;
  const TensorType& type = s.type(*ref);
  require_kind(s, subject, type.dtype, kinds::real);
  require_type(s, subject, type, {type.dtype, shape, {}}, why);
}

// The number of channels of x [N,C,…].
const Dim& channels_of(const Scope& s, const TensorType& x) {
  require_kind(s, "x", x.dtype, kinds::real);
  if (x.rank() < 2) s.refuse("x", to_string(x), "rank 2 or more");
  return x.shape[1];
}

std::vector<int64_t> axes_from(const Var& x, int64_t axis) {
  const int64_t rank = x.type().rank(), first = axis < 0 ? axis + rank : axis;
  std::vector<int64_t> axes(static_cast<size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// x / sqrt(mean(x²) + eps)
Var divided_by_rms(GraphBuilder& graph, Var x, const std::vector<int64_t>& axes, double eps) {
  return x / graph.sqrt(graph.reduce_mean(graph.square(x), axes, {.keepdims = true}) + eps);
}

// One number for each position of `axis`, so that it broadcasts to x.
Var along(GraphBuilder& graph, Var parameter, const Var& x, int64_t axis) {
  Shape shape(static_cast<size_t>(x.type().rank() - axis), 1);
  shape[0] = parameter.dim(0);
  return graph.reshape(parameter, std::move(shape));
}

// (Σ |x|^p)^(1/p), of x / max |x| where that is a number, so that no power is out of range. p = inf: the largest.
Var p_norm(GraphBuilder& graph, Var x, const std::vector<int64_t>& axes, double p) {
  const Var magnitude = graph.abs(x), largest = graph.reduce_max(magnitude, axes, {.keepdims = true});
  if (std::isinf(p)) return largest;
  const Var zero = graph.scalar(0.0, x.dtype()), one = graph.scalar(1.0, x.dtype());
  const Var unit = graph.select(graph.logical_and(graph.gt(largest, zero), graph.isfinite(largest)), largest, one);
  const Var powers = graph.pow(magnitude / unit, graph.scalar(p, x.dtype()));
  const Var sum = graph.reduce_sum(powers, axes, {.keepdims = true});
  return unit * graph.pow(sum, graph.scalar(1 / p, x.dtype()));
}

}  // namespace

static Types rule(const op::LayerNorm& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Shape shape = normalised(s, x, op.axis, op.eps);
  check_parameter(s, "weight", op.weight, shape);
  check_parameter(s, "bias", op.bias, shape);
  return {x};
}

// (x - mean) / sqrt(mean((x - mean)²) + eps) · weight + bias
static std::vector<Var> expand(const op::LayerNorm& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), wide = as_dtype(x, widened(x.dtype()));
  const std::vector<int64_t> axes = axes_from(x, op.axis);
  const Var centred = wide - graph.reduce_mean(wide, axes, {.keepdims = true});
  Var y = divided_by_rms(graph, centred, axes, op.eps);
  if (const auto weight = operands(op.weight)) y = y * *weight;
  if (const auto bias = operands(op.bias)) y = y + *bias;
  return {as_dtype(y, x.dtype())};
}

static Types rule(const op::RmsNorm& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  check_parameter(s, "weight", op.weight, normalised(s, x, op.axis, op.eps));
  return {x};
}

// x / sqrt(mean(x²) + eps) · weight
static std::vector<Var> expand(const op::RmsNorm& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  Var y = divided_by_rms(graph, as_dtype(x, widened(x.dtype())), axes_from(x, op.axis), op.eps);
  if (const auto weight = operands(op.weight)) y = y * *weight;
  return {as_dtype(y, x.dtype())};
}

static Types rule(const op::GroupNorm& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Dim& channels = channels_of(s, x);
  if (op.groups < 1) s.refuse("groups", fmt::format("{}", op.groups), "at least 1", Code::out_of_range);
  if (floor_div(channels, op.groups) * op.groups != channels) {
    s.refuse("number of channels", to_string(channels), fmt::format("a multiple of {}, the groups", op.groups));
  }
  require_not_negative(s, "eps", op.eps);
  check_parameter(s, "weight", op.weight, {channels}, "the channels of x");
  check_parameter(s, "bias", op.bias, {channels}, "the channels of x");
  return {x};
}

// layer_norm of x [N,G,C/G,…] from axis 2 on, then weight and bias of the channels
static std::vector<Var> expand(const op::GroupNorm& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), wide = as_dtype(x, widened(x.dtype()));
  Shape split = x.shape();
  split[1] = floor_div(split[1], op.groups);
  split.insert(split.begin() + 1, op.groups);
  const Var grouped = graph.reshape(wide, std::move(split));
  const std::vector<int64_t> axes = axes_from(grouped, 2);
  const Var centred = grouped - graph.reduce_mean(grouped, axes, {.keepdims = true});
  Var y = graph.reshape(divided_by_rms(graph, centred, axes, op.eps), x.shape());
  if (const auto weight = operands(op.weight)) y = y * along(graph, *weight, x, 1);
  if (const auto bias = operands(op.bias)) y = y + along(graph, *bias, x, 1);
  return {as_dtype(y, x.dtype())};
}

static Types rule(const op::BatchNorm& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::real);
  const int64_t axis = normalize_axis(s, "axis", op.axis, x.rank());
  require_not_negative(s, "eps", op.eps);
  const Shape channels{x.shape[static_cast<size_t>(axis)]};
  constexpr std::string_view why = "the size of x along axis";
  check_parameter(s, "mean", op.mean, channels, why);
  check_parameter(s, "var", op.var, channels, why);
  check_parameter(s, "weight", op.weight, channels, why);
  check_parameter(s, "bias", op.bias, channels, why);
  return {x};
}

// (x - mean) / sqrt(var + eps) · weight + bias
static std::vector<Var> expand(const op::BatchNorm& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const DType wide = widened(x.dtype());
  const int64_t axis = op.axis < 0 ? op.axis + x.type().rank() : op.axis;
  const auto parameter = [&](Var each) { return along(graph, as_dtype(each, *promote(wide, each.dtype())), x, axis); };
  Var y = (as_dtype(x, wide) - parameter(operands(op.mean))) / graph.sqrt(parameter(operands(op.var)) + op.eps);
  if (const auto weight = operands(op.weight)) y = y * parameter(*weight);
  if (const auto bias = operands(op.bias)) y = y + parameter(*bias);
  return {as_dtype(y, x.dtype())};
}

static Types rule(const op::LocalResponseNorm& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  channels_of(s, x);
  if (op.size < 1) s.refuse("size", fmt::format("{}", op.size), "at least 1", Code::out_of_range);
  require_finite(s, "alpha", op.alpha);
  require_finite(s, "beta", op.beta);
  require_finite(s, "bias", op.bias);
  return {x};
}

static Types rule(const op::LpNormalize& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::real);
  normalize_axes(s, "axes", op.axes, x.rank());
  require_in_range(s, "p", op.p, op.p > 0, "more than 0");
  require_not_negative(s, "eps", op.eps);
  return {x};
}

// x / max(‖x‖_p, eps); 0 where that is 0
static std::vector<Var> expand(const op::LpNormalize& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), wide = as_dtype(x, widened(x.dtype()));
  const Var zero = graph.scalar(0.0, wide.dtype());
  const Var norm = graph.max(p_norm(graph, wide, op.axes, op.p), graph.scalar(op.eps, wide.dtype()));
  return {as_dtype(graph.select(graph.eq(norm, zero), zero, wide / norm), x.dtype())};
}

INGOT_RULES(norm)
INGOT_EXPANSIONS(norm)

}  // namespace ingot
