// Inference of element-wise ops: a table of dtypes for each fn, then broadcasting.
#include <array>
#include <cmath>

#include "program/activation.h"
#include "program/convert.h"
#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

using namespace kinds;

enum class Yields {
  same,       // x's dtype
  truth,      // bool
  magnitude,  // f32 for c64, else x's dtype
};

struct UnaryFacts {
  UnaryFn fn;
  Kinds takes;
  Yields yields = Yields::same;
};

// In the order of the enum.
constexpr UnaryFacts unary_facts[] = {
    {UnaryFn::abs, number, Yields::magnitude},
    {UnaryFn::neg, number},
    {UnaryFn::sign, integer | real},
    {UnaryFn::square, number},
    {UnaryFn::sqrt, real | complex},
    {UnaryFn::rsqrt, real},
    {UnaryFn::reciprocal, real | complex},
    {UnaryFn::exp, real | complex},
    {UnaryFn::expm1, real},
    {UnaryFn::exp2, real},
    {UnaryFn::log, real | complex},
    {UnaryFn::log1p, real},
    {UnaryFn::log2, real},
    {UnaryFn::log10, real},
    {UnaryFn::sin, real},
    {UnaryFn::cos, real},
    {UnaryFn::tan, real},
    {UnaryFn::asin, real},
    {UnaryFn::acos, real},
    {UnaryFn::atan, real},
    {UnaryFn::sinh, real},
    {UnaryFn::cosh, real},
    {UnaryFn::tanh, real},
    {UnaryFn::asinh, real},
    {UnaryFn::acosh, real},
    {UnaryFn::atanh, real},
    {UnaryFn::erf, real},
    {UnaryFn::erfinv, real},
    {UnaryFn::floor, integer | real},
    {UnaryFn::ceil, integer | real},
    {UnaryFn::round, integer | real},
    {UnaryFn::trunc, integer | real},
    {UnaryFn::isnan, real | complex, Yields::truth},
    {UnaryFn::isinf, real | complex, Yields::truth},
    {UnaryFn::isfinite, real | complex, Yields::truth},
    {UnaryFn::logical_not, boolean},
    {UnaryFn::bitwise_not, integer},
    {UnaryFn::sigmoid, real},
    {UnaryFn::relu, integer | real},
    {UnaryFn::silu, real},
    {UnaryFn::gelu, real},
    {UnaryFn::gelu_tanh, real},
    {UnaryFn::softplus, real},
    {UnaryFn::real, complex, Yields::magnitude},
    {UnaryFn::imag, complex, Yields::magnitude},
    {UnaryFn::conj, complex},
    {UnaryFn::angle, complex, Yields::magnitude},
    {UnaryFn::lgamma, real},
    {UnaryFn::signbit, real, Yields::truth},
};

struct BinaryFacts {
  BinaryFn fn;
  Kinds takes;  // after promotion
};

// In the order of the enum.
constexpr BinaryFacts binary_facts[] = {
    {BinaryFn::add, number},
    {BinaryFn::sub, number},
    {BinaryFn::mul, number},
    {BinaryFn::div, real | complex},
    {BinaryFn::floor_div, integer | real},
    {BinaryFn::trunc_div, integer | real},
    {BinaryFn::rem, integer | real},
    {BinaryFn::fmod, integer | real},
    {BinaryFn::pow, integer | real},
    {BinaryFn::max, integer | real},
    {BinaryFn::min, integer | real},
    {BinaryFn::atan2, real},
    {BinaryFn::logaddexp, real},
    {BinaryFn::logical_and, boolean},
    {BinaryFn::logical_or, boolean},
    {BinaryFn::logical_xor, boolean},
    {BinaryFn::bitwise_and, boolean | integer},
    {BinaryFn::bitwise_or, boolean | integer},
    {BinaryFn::bitwise_xor, boolean | integer},
    {BinaryFn::shift_left, integer},
    {BinaryFn::shift_right, integer},
};

template <class Row, size_t N>
constexpr bool complete(const Row (&rows)[N]) {
  for (size_t i = 0; i < N; ++i) {
    if (static_cast<size_t>(rows[i].fn) != i) return false;
  }
  return N == EnumNames<decltype(Row::fn)>::names.size();
}
static_assert(complete(unary_facts) && complete(binary_facts) && complete(activation_facts) && complete(glu_facts));

Kinds takes(CompareFn fn) { return fn == CompareFn::eq || fn == CompareFn::ne ? computable : boolean | integer | real; }

// The dtype of two operands after promotion, which must be of the kinds that the op takes.
DType promoted(const Scope& s, const TensorType& a, const TensorType& b, Kinds allowed) {
  const DType dtype = promote_or_refuse(s, a.dtype, b.dtype);
  require_kind(s, "dtype of a and b", dtype, allowed);
  return dtype;
}

DType yielded(Yields yields, DType x) {
  if (yields == Yields::truth) return DType::bool_;
  return yields == Yields::magnitude && x == DType::c64 ? DType::f32 : x;
}

// A parameter is given where the activation has one, and finite.
void check_parameter(const Scope& s, std::string_view subject, const std::optional<double>& given, bool has) {
  if (!given) return;
  require_in_range(s, subject, *given, has, "none");
  require_finite(s, subject, *given);
}

// The activation of x, of a dtype to compute in.
Var activated(GraphBuilder& graph, const op::Activation& op, Var x) {
  const auto [alpha, beta] = parameters_of(op);
  const auto number = [&](double value) { return graph.scalar(value, x.dtype()); };
  const auto clip = [&](Var v, double low, double high) { return graph.min(graph.max(v, number(low)), number(high)); };
  const auto elu = [&] { return graph.select(graph.gt(x, number(0)), x, graph.expm1(x) * alpha); };
  switch (op.fn) {
    case ActivationFn::elu: return elu();
    case ActivationFn::selu: return elu() * beta;
    case ActivationFn::celu: return graph.select(graph.gt(x, number(0)), x, graph.expm1(x / alpha) * alpha);
    case ActivationFn::leaky_relu: return graph.select(graph.lt(x, number(0)), x * alpha, x);
    case ActivationFn::hard_sigmoid: return clip(x * alpha + beta, 0, 1);
    case ActivationFn::hard_swish: return x * clip(x / 6 + 0.5, 0, 1);
    case ActivationFn::hard_tanh: return clip(x, alpha, beta);
    case ActivationFn::mish: return x * graph.tanh(graph.softplus(x));
    case ActivationFn::softsign: return x / (1 + graph.abs(x));
    case ActivationFn::squared_relu: return graph.square(graph.relu(x));
    case ActivationFn::thresholded_relu: return graph.select(graph.le(x, number(alpha)), number(beta), x);
    case ActivationFn::hard_shrink: return graph.select(graph.le(graph.abs(x), number(alpha)), number(0), x);
    case ActivationFn::soft_shrink: {
      // Between the thresholds 0, but NaN is not between them.
      const Var rest = graph.select(graph.isnan(x), x, number(0));
      const Var right = graph.select(graph.gt(x, number(alpha)), x - beta, rest);
      return graph.select(graph.lt(x, number(-alpha)), x + beta, right);
    }
    case ActivationFn::log_sigmoid: return -graph.softplus(-x);
    case ActivationFn::swish: return x * graph.sigmoid(x * alpha);
    case ActivationFn::quick_gelu: return x * graph.sigmoid(x * 1.702);
  }
  return x;
}

}  // namespace

static Types rule(const op::Unary& op, const Scope& s) {
  const UnaryFacts& facts = unary_facts[static_cast<size_t>(op.fn)];
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, facts.takes);
  return {{yielded(facts.yields, x.dtype), x.shape, {}}};
}

static Types rule(const op::Binary& op, const Scope& s) {
  const TensorType &a = s.type(op.a), &b = s.type(op.b);
  const DType dtype = promoted(s, a, b, binary_facts[static_cast<size_t>(op.fn)].takes);
  return {{dtype, broadcast_shapes(s, a.shape, b.shape), {}}};
}

static Types rule(const op::Compare& op, const Scope& s) {
  const TensorType &a = s.type(op.a), &b = s.type(op.b);
  promoted(s, a, b, takes(op.fn));
  return {{DType::bool_, broadcast_shapes(s, a.shape, b.shape), {}}};
}

static Types rule(const op::Select& op, const Scope& s) {
  const TensorType &condition = s.type(op.condition), &a = s.type(op.a), &b = s.type(op.b);
  require_kind(s, "condition", condition.dtype, boolean);
  const DType dtype = promoted(s, a, b, computable);
  return {{dtype, broadcast_shapes(s, condition.shape, broadcast_shapes(s, a.shape, b.shape)), {}}};
}

static Types rule(const op::Cast& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  elements::check_convertible(x.dtype, op.dtype);
  return {{op.dtype, x.shape, {}}};
}

static Types rule(const op::Activation& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const ActivationFacts& facts = activation_facts[static_cast<size_t>(op.fn)];
  require_kind(s, "x", x.dtype, real);
  check_parameter(s, "alpha", op.alpha, facts.alpha.has_value());
  check_parameter(s, "beta", op.beta, facts.beta.has_value());
  // x / alpha: 0 in no dtype that is computed in
  if (op.fn == ActivationFn::celu && op.alpha) {
    require_in_range(s, "alpha", *op.alpha, std::abs(*op.alpha) >= 0x1p-149, "of a magnitude that f32 has");
  }
  return {x};
}

static std::vector<Var> expand(const op::Activation& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  return {as_dtype(activated(graph, op, as_dtype(x, widened(x.dtype()))), x.dtype())};
}

static Types rule(const op::Clip& op, const Scope& s) {
  if (!op.low && !op.high) s.refuse("pair of low and high", "absent", "one of them at least", Code::invalid_argument);
  TensorType y = s.type(op.x);
  for (const auto& bound : {op.low, op.high}) {
    if (!bound) continue;
    y.dtype = promote_or_refuse(s, y.dtype, s.type(*bound).dtype);
    y.shape = broadcast_shapes(s, y.shape, s.type(*bound).shape);
  }
  require_kind(s, "dtype of x and its bounds", y.dtype, integer | real);
  return {y};
}

// Converted before anything is compared: on the way to the dtype of all a bound could round in another.
static std::vector<Var> expand(const op::Clip& op, GraphBuilder& graph, const Operands& operands) {
  DType dtype = operands(op.x).dtype();
  for (const auto& bound : {operands(op.low), operands(op.high)}) {
    if (bound) dtype = *promote(dtype, bound->dtype());
  }
  Var y = as_dtype(operands(op.x), dtype);
  if (op.low) y = graph.max(y, as_dtype(operands(*op.low), dtype));
  if (op.high) y = graph.min(y, as_dtype(operands(*op.high), dtype));
  return {y};
}

static Types rule(const op::Bitcast& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  if (x.dtype == DType::packed) s.refuse("x", "packed", "a dtype of single elements (dequantize it)");
  if (bits(op.dtype) != bits(x.dtype)) {
    s.refuse("dtype", fmt::format("{} of {} bits", to_string(op.dtype), bits(op.dtype)),
             fmt::format("one of {} bits as {}", bits(x.dtype), to_string(x.dtype)));
  }
  // A bool is 0 or 1, which bits of another dtype need not be.
  if (op.dtype == DType::bool_ && x.dtype != DType::bool_) {
    s.refuse("dtype", "bool", "another of 8 bits (compare with 0)");
  }
  return {{op.dtype, x.shape, {}}};
}

static Types rule(const op::Complex& op, const Scope& s) {
  constexpr std::array parts{DType::f16, DType::bf16, DType::f32};
  const TensorType &re = s.type(op.re), &im = s.type(op.im);
  require_dtype(s, "re", re.dtype, parts);
  require_dtype(s, "im", im.dtype, parts);
  return {{DType::c64, broadcast_shapes(s, re.shape, im.shape), {}}};
}

static Types rule(const op::Glu& op, const Scope& s) {
  const TensorType& value = s.type(op.value);
  require_kind(s, "value", value.dtype, real);
  require_type(s, "gate", s.type(op.gate), value, "as value");
  return {value};
}

static std::vector<Var> expand(const op::Glu& op, GraphBuilder& graph, const Operands& operands) {
  const Var gate = graph.add(op::Unary{function_of_gate(op.fn), operands(op.gate).ref()})[0];
  return {operands(op.value) * gate};
}

INGOT_RULES(elementwise)
INGOT_EXPANSIONS(elementwise)

}  // namespace ingot
