// Inference of ops on packed tensors.
#include "program/decompose.h"
#include "program/infer.h"

namespace ingot {
namespace {

void check_scale(const Scope& s, const std::optional<Ref>& scale) {
  if (scale) require_type(s, "scale", s.type(*scale), {DType::f32, {}, {}});
}

void require_packed(const Scope& s, std::string_view subject, const TensorType& type) {
  if (type.dtype != DType::packed) s.refuse(subject, std::string(to_string(type.dtype)), "packed (quantize makes it)");
}

}  // namespace

static Types rule(const op::Quantize& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::real);
  require_at_least(s, "rank of x", x.rank(), 1);
  check(op.scheme);
  check_columns(op.scheme, x.shape.back());
  if (facts(op.scheme.method).searched) {
    s.refuse("method", std::string(to_string(op.scheme.method)), "one that rounds (its codes are found by a search)",
             Code::unsupported);
  }
  check_scale(s, op.scale);
  return {{DType::packed, x.shape, op.scheme}};
}

static Types rule(const op::Dequantize& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_packed(s, "x", x);
  check_scale(s, op.scale);
  require_kind(s, "dtype", op.dtype, kinds::real);
  return {{op.dtype, x.shape, {}}};
}

// [..., K] · [N, K]ᵀ -> [..., N]
static Types rule(const op::QuantizedMatmul& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  require_kind(s, "x", x.dtype, kinds::real);
  require_at_least(s, "rank of x", x.rank(), 1);
  require_packed(s, "w", w);
  require_count(s, "rank of w", w.shape.size(), 2, "[N, K]");
  require_equal(s, "last axis of w", w.shape[1], x.shape.back(), "last axis of x");
  check_scale(s, op.scale);
  Shape shape = x.shape;
  shape.back() = w.shape[0];
  return {{x.dtype, std::move(shape), {}}};
}

// x·dequantize(w)ᵀ; a vector x is a matrix of one row.
static std::vector<Var> expand(const op::QuantizedMatmul& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const DType dtype = x.dtype(), wide = widened(dtype);
  const Var w = graph.dequantize(operands(op.w), {.scale = operands(op.scale), .dtype = wide});
  Var rows = as_dtype(x, wide);
  const bool vector = x.type().rank() == 1;
  if (vector) rows = graph.reshape(rows, {1, x.dim(0)});
  const Var y = as_dtype(graph.matmul(rows, w, {.transpose_b = true}), dtype);
  return {vector ? graph.reshape(y, {w.dim(0)}) : y};
}

static Types rule(const op::FakeQuantize& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &scale = s.type(op.scale);
  require_kind(s, "x", x.dtype, kinds::real);
  require_kind(s, "scale", scale.dtype, kinds::real);
  require_broadcast(s, "scale", scale.shape, x.shape);
  if (op.zero) {
    const TensorType& zero = s.type(*op.zero);
    require_kind(s, "zero", zero.dtype, kinds::integer | kinds::real);
    require_broadcast(s, "zero", zero.shape, x.shape);
  }
  require_at_most(s, "low", op.low, op.high);
  return {x};
}

// scale·(clip(round(x / scale) + zero, low, high) - zero)
static std::vector<Var> expand(const op::FakeQuantize& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const DType wide = widened(x.dtype());
  const Var scale = as_dtype(operands(op.scale), wide);
  const auto zero = op.zero ? std::optional(as_dtype(operands(*op.zero), wide)) : std::nullopt;
  const auto number = [&](int64_t value) { return graph.scalar(static_cast<double>(value), wide); };
  Var q = graph.round(as_dtype(x, wide) / scale);
  if (zero) q = q + *zero;
  q = graph.min(graph.max(q, number(op.low)), number(op.high));
  if (zero) q = q - *zero;
  return {as_dtype(scale * q, x.dtype())};
}

INGOT_RULES(quant)
INGOT_EXPANSIONS(quant)

}  // namespace ingot
