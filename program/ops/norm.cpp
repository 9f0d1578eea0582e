// Inference of norms over the last axes, and what they mean. Halves compute in f32.
#include <cmath>
#include <numeric>

#include "program/decompose.h"
#include "program/infer.h"

namespace ingot {
namespace {

// The sizes of the axes from `axis` on.
Shape normalised(const Scope& s, const TensorType& x, int64_t given, double eps) {
  require_kind(s, "x", x.dtype, kinds::real);
  const int64_t axis = normalize_axis(s, "axis", given, x.rank());
  if (!std::isfinite(eps) || eps < 0) {
    s.refuse("eps", fmt::format("{}", eps), "finite and at least 0", Code::out_of_range);
  }
  return {x.shape.begin() + axis, x.shape.end()};
}

void check_parameter(const Scope& s, std::string_view subject, const std::optional<Ref>& ref, const Shape& shape) {
  if (!ref) return;
  const TensorType& type = s.type(*ref);
  require_kind(s, subject, type.dtype, kinds::real);
  require_type(s, subject, type, {type.dtype, shape, {}}, "the normalised axes of x");
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

INGOT_RULES(norm)
INGOT_EXPANSIONS(norm)

}  // namespace ingot
