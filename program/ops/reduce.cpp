// Inference of reductions and cumulations, and what softmax means.
#include <array>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"
#include "program/ops/reduced.h"

namespace ingot {
namespace {

using namespace kinds;

template <class Fn>
struct Facts {
  Fn fn;
  Kinds takes;       // of the dtype that it accumulates in
  bool takes_dtype;  // whether that can be chosen
};

// In the order of the enum.
constexpr Facts<ReduceFn> reduce_facts[] = {
    {ReduceFn::sum, number, true},
    {ReduceFn::mean, real | complex, true},
    {ReduceFn::prod, number, true},
    {ReduceFn::max, boolean | integer | real, false},
    {ReduceFn::min, boolean | integer | real, false},
    {ReduceFn::any, boolean, false},
    {ReduceFn::all, boolean, false},
    {ReduceFn::logsumexp, real, false},
    {ReduceFn::var, real, false},
    {ReduceFn::std, real, false},
};

constexpr Facts<CumulateFn> cumulate_facts[] = {
    {CumulateFn::sum, number, true},
    {CumulateFn::prod, number, true},
    {CumulateFn::max, boolean | integer | real, false},
    {CumulateFn::min, boolean | integer | real, false},
    {CumulateFn::logsumexp, real, false},
};
static_assert(std::size(reduce_facts) == EnumNames<ReduceFn>::names.size() &&
              std::size(cumulate_facts) == EnumNames<CumulateFn>::names.size());

// dtype, or x's (i64 for bool) where it may be chosen; else x's. `who` are those that let it be chosen.
template <class Fn>
DType accumulation_dtype(const Scope& s, const Facts<Fn>& facts, DType x, std::optional<DType> chosen,
                         std::string_view who) {
  require_kind(s, "x", x, computable);
  if (chosen && !facts.takes_dtype) {
    s.refuse("dtype", std::string(to_string(*chosen)), fmt::format("none (only {} take one)", who));
  }
  if (chosen && x == DType::c64) require_dtype(s, "dtype", *chosen, std::array{DType::c64});
  const DType dtype = chosen.value_or(facts.takes_dtype && x == DType::bool_ ? DType::i64 : x);
  require_kind(s, facts.takes_dtype ? "dtype of accumulation" : "x", dtype, facts.takes);
  return dtype;
}

void check_ddof(const op::Reduce& op, const Scope& s) {
  if (op.fn == ReduceFn::var || op.fn == ReduceFn::std) {
    require_finite(s, "ddof", op.ddof);
  } else {
    require_in_range(s, "ddof", op.ddof, op.ddof == 0, "0 (only var and std take one)");
  }
}

}  // namespace

static Types rule(const op::Reduce& op, const Scope& s) {
  const Facts<ReduceFn>& facts = reduce_facts[static_cast<size_t>(op.fn)];
  const TensorType& x = s.type(op.x);
  const DType dtype = accumulation_dtype(s, facts, x.dtype, op.dtype, "sum, mean and prod");
  check_ddof(op, s);
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

static Types rule(const op::Cumulate& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Facts<CumulateFn>& facts = cumulate_facts[static_cast<size_t>(op.fn)];
  const DType dtype = accumulation_dtype(s, facts, x.dtype, op.dtype, "sum and prod");
  normalize_axis(s, "axis", op.axis, x.rank());
  return {{dtype, x.shape, {}}};
}

INGOT_RULES(reduce)
INGOT_EXPANSIONS(reduce)

}  // namespace ingot
