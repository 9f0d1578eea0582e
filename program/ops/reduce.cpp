// Inference of reductions, and what softmax means.
#include <array>

#include "program/decompose.h"
#include "program/infer.h"

namespace ingot {
namespace {

using namespace kinds;

struct ReduceFacts {
  ReduceFn fn;
  Kinds takes;       // of the dtype that it accumulates in
  bool takes_dtype;  // whether that can be chosen
};

// In the order of the enum.
constexpr ReduceFacts reduce_facts[] = {
    {ReduceFn::sum, number, true},
    {ReduceFn::mean, real | complex, true},
    {ReduceFn::prod, number, true},
    {ReduceFn::max, boolean | integer | real, false},
    {ReduceFn::min, boolean | integer | real, false},
    {ReduceFn::any, boolean, false},
    {ReduceFn::all, boolean, false},
    {ReduceFn::logsumexp, real, false},
};

// dtype, or x's (i64 for bool) where it may be chosen; else x's.
DType accumulation_dtype(const op::Reduce& op, const ReduceFacts& facts, DType x, const Scope& s) {
  if (!facts.takes_dtype) {
    if (op.dtype) s.refuse("dtype", std::string(to_string(*op.dtype)), "none (only sum, mean and prod take one)");
    return x;
  }
  if (op.dtype && x == DType::c64) require_dtype(s, "dtype", *op.dtype, std::array{DType::c64});
  return op.dtype.value_or(x == DType::bool_ ? DType::i64 : x);
}

// x without `axes`, or with size 1 there.
Shape reduced(const Shape& x, std::span<const int64_t> axes, bool keepdims) {
  Shape shape = x;
  for (int64_t axis : axes) shape[static_cast<size_t>(axis)] = 1;
  if (keepdims) return shape;
  std::vector<bool> dropped(x.size());
  for (int64_t axis : axes) dropped[static_cast<size_t>(axis)] = true;
  Shape rest;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!dropped[i]) rest.push_back(x[i]);
  }
  return rest;
}

}  // namespace

static Types rule(const op::Reduce& op, const Scope& s) {
  const ReduceFacts& facts = reduce_facts[static_cast<size_t>(op.fn)];
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  const DType dtype = accumulation_dtype(op, facts, x.dtype, s);
  require_kind(s, facts.takes_dtype ? "dtype of accumulation" : "x", dtype, facts.takes);
  return {{dtype, reduced(x.shape, normalize_axes(s, "axes", op.axes, x.rank()), op.keepdims), {}}};
}

static Types rule(const op::ArgReduce& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, boolean | integer | real);
  require_dtype(s, "dtype", op.dtype, std::array{DType::i32, DType::i64});
  const int64_t axis = normalize_axis(s, "axis", op.axis, x.rank());
  const Dim& size = x.shape[static_cast<size_t>(axis)];
  require_at_least(s, "size of the axis", size, 1);
  if (op.dtype == DType::i32) require_at_most(s, "size of the axis (indices are i32)", size, int64_t{1} << 31);
  return {{op.dtype, reduced(x.shape, std::array{axis}, op.keepdims), {}}};
}

static Types rule(const op::Softmax& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, real);
  normalize_axis(s, "axis", op.axis, x.rank());
  return {x};
}

// e^(x - max) / Σ e^(x - max); log: x - max - log(Σ e^(x - max))
static std::vector<Var> expand(const op::Softmax& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), wide = as_dtype(x, widened(x.dtype()));
  const Var shifted = wide - graph.reduce_max(wide, {op.axis}, {.keepdims = true});
  const Var powers = graph.exp(shifted);
  const Var sum = graph.reduce_sum(powers, {op.axis}, {.keepdims = true});
  return {as_dtype(op.log ? shifted - graph.log(sum) : powers / sum, x.dtype())};
}

INGOT_RULES(reduce)
INGOT_EXPANSIONS(reduce)

}  // namespace ingot
