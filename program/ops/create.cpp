// Inference of ops that make values from attributes.
#include <array>
#include <limits>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"
#include "program/ops/reduced.h"

namespace ingot {
namespace {

// Raw words are not scaled.
void check_bits(const op::Random& op, const Scope& s) {
  require_dtype(s, "dtype", op.dtype, std::array{DType::u32, DType::u64});
  require_in_range(s, "offset", op.offset, op.offset == 0, "0");
  require_in_range(s, "scale", op.scale, op.scale == 1, "1");
}

void check_samples(const op::Random& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::real);
  require_finite(s, "offset", op.offset);
  require_finite(s, "scale", op.scale);
}

void check_key(const Scope& s, Ref key) { require_type(s, "key", s.type(key), {DType::u32, {2}, {}}); }

// A size of either sign as an i64.
Var signed_size(GraphBuilder& graph, const Dim& size) {
  if (size.is_literal()) return graph.scalar(size.literal(), DType::i64);
  return graph.size_of(max(size, 0)) - graph.size_of(max(0 - size, 0));
}

// A number for each element of x in [0, 1).
Var uniform_like(GraphBuilder& graph, Var x, Var key) {
  return graph.random_uniform(key, x.shape(), {.dtype = widened(x.dtype())});
}

}  // namespace

static Types rule(const op::Iota& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::number);
  require_at_least(s, "length", op.length, 0);
  if (op.start) check_fits(*op.start, op.dtype, s.op, "start");
  if (op.step) check_fits(*op.step, op.dtype, s.op, "step");
  return {{op.dtype, {op.length}, {}}};
}

static Types rule(const op::Full& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::computable);
  require_sizes(s, "size in shape", op.shape);
  check_fits(op.value, op.dtype, s.op, "value");
  return {{op.dtype, op.shape, {}}};
}

static Types rule(const op::Random& op, const Scope& s) {
  check_key(s, op.key);
  require_sizes(s, "size in shape", op.shape);
  op.fn == RandomFn::bits ? check_bits(op, s) : check_samples(op, s);
  return {{op.dtype, op.shape, {}}};
}

static Types rule(const op::SizeOf& op, const Scope& s) {
  require_dtype(s, "dtype", op.dtype, std::array{DType::i32, DType::i64});
  require_at_least(s, "size", op.size, 0);
  if (op.dtype == DType::i32) require_at_most(s, "size (as i32)", op.size, std::numeric_limits<int32_t>::max());
  return {{op.dtype, {}, {}}};
}

static Types rule(const op::Eye& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::computable);
  require_at_least(s, "rows", op.rows, 0);
  require_at_least(s, "columns", op.columns, 0);
  return {{op.dtype, {op.rows, op.columns}, {}}};
}

// column - row = k
static std::vector<Var> expand(const op::Eye& op, GraphBuilder& graph, const Operands&) {
  const Var row = graph.reshape(graph.iota(op.rows), {op.rows, 1}), column = graph.iota(op.columns);
  return {as_dtype(graph.eq(column - row, signed_size(graph, op.k.value_or(0))), op.dtype)};
}

static Types rule(const op::RandomCategorical& op, const Scope& s) {
  check_key(s, op.key);
  const TensorType& logits = s.type(op.logits);
  require_kind(s, "logits", logits.dtype, kinds::real);
  const int64_t axis = normalize_axis(s, "axis", op.axis, logits.rank());
  require_at_least(s, "size of the axis", logits.shape[static_cast<size_t>(axis)], 1);
  return {{DType::i64, reduced(logits.shape, std::array{axis}, false), {}}};
}

// argmax(logits - log(-log(u))): a u of 0 counts as half of the next one, so that the noise is finite.
static std::vector<Var> expand(const op::RandomCategorical& op, GraphBuilder& graph, const Operands& operands) {
  const Var logits = operands(op.logits), u = uniform_like(graph, logits, operands(op.key));
  const double least = u.dtype() == DType::f64 ? 0x1p-54 : 0x1p-25;
  const Var noise = -graph.log(-graph.log(graph.max(u, graph.scalar(least, u.dtype()))));
  return {graph.argmax(as_dtype(logits, u.dtype()) + noise, {.axis = op.axis})};
}

static Types rule(const op::RandomPermutation& op, const Scope& s) {
  check_key(s, op.key);
  require_at_least(s, "length", op.length, 0);
  return {{DType::i64, {op.length}, {}}};
}

static std::vector<Var> expand(const op::RandomPermutation& op, GraphBuilder& graph, const Operands& operands) {
  return {graph.sort(graph.random_bits(operands(op.key), {op.length}, {.dtype = DType::u64}))[1]};
}

static Types rule(const op::Dropout& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::real);
  check_key(s, op.key);
  require_between(s, "ratio", op.ratio, 0, 1);
  return {x, {DType::bool_, x.shape, {}}};
}

static std::vector<Var> expand(const op::Dropout& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), u = uniform_like(graph, x, operands(op.key));
  const Var mask = graph.ge(u, graph.scalar(op.ratio, u.dtype()));
  const Var scaled = as_dtype(x, u.dtype()) / (1 - op.ratio);
  return {as_dtype(graph.select(mask, scaled, graph.scalar(0, u.dtype())), x.dtype()), mask};
}

INGOT_RULES(create)
INGOT_EXPANSIONS(create)

}  // namespace ingot
