// Inference of element-wise ops: a table of dtypes for each fn, then broadcasting.
#include "program/infer.h"

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
static_assert(complete(unary_facts) && complete(binary_facts));

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
  if (x.dtype == DType::packed) s.refuse("x", "packed", "a dtype of single elements (dequantize it)");
  if (op.dtype == DType::packed) s.refuse("dtype", "packed", "a dtype of single elements (quantize makes packed ones)");
  if (x.dtype == DType::c64 && kind(op.dtype) == Kind::storage) {
    s.refuse("dtype", std::string(to_string(op.dtype)), "bool, integer, real or complex (x is c64)");
  }
  return {{op.dtype, x.shape, {}}};
}

INGOT_RULES(elementwise)

}  // namespace ingot
