// Rules of algebra, and for which dtypes each of them is exact.
#include <algorithm>
#include <array>
#include <cmath>

#include "passes/rules/rules.h"
#include "program/infer.h"

namespace ingot {
namespace {

using enum BinaryFn;
using namespace kinds;

// fn(x, number) = x, for operands of these kinds.
struct Neutral {
  BinaryFn fn;
  double number;
  Kinds kinds;
  bool commutes;
};
constexpr Neutral neutrals[] = {
    {add, 0, integer, true},
    {add, -0.0, real, true},  // -0 + 0 is 0
    {sub, 0, integer | real, false},
    {mul, 1, integer | real, true},  // (inf + 0i)·(1 + 0i) has NaN
    {div, 1, real, false},
    {floor_div, 1, integer, false},
    {trunc_div, 1, integer, false},
    {pow, 1, integer | real, false},
    {logical_and, 1, boolean, true},
    {logical_or, 0, boolean, true},
    {logical_xor, 0, boolean, true},
    {bitwise_or, 0, boolean | integer, true},
    {bitwise_xor, 0, boolean | integer, true},
    {shift_left, 0, integer, false},
    {shift_right, 0, integer, false},
};

std::optional<Var> neutral_operand(const op::Binary& op, const Site& site) {
  for (const Neutral& row : neutrals) {
    if (row.fn != op.fn || !within(row.kinds, site.result_type().dtype)) continue;
    if (site.is_number(op.b, row.number) && has_result_type(site, op.a)) return site(op.a);
    if (row.commutes && site.is_number(op.a, row.number) && has_result_type(site, op.b)) return site(op.b);
  }
  return {};
}

// fn(x, number) = number: not so for reals, where NaN and infinities times 0 are NaN.
constexpr Neutral absorbing[] = {
    {mul, 0, integer, true},
    {logical_and, 0, boolean, true},
    {logical_or, 1, boolean, true},
    {bitwise_and, 0, boolean | integer, true},
};

Var full_like_result(const Site& site, int64_t value) {
  return site.to().full(site.result_type().shape, value, {.dtype = site.result_type().dtype});
}

std::optional<Var> absorbing_operand(const op::Binary& op, const Site& site) {
  for (const Neutral& row : absorbing) {
    if (row.fn != op.fn || !within(row.kinds, site.result_type().dtype)) continue;
    if (site.is_number(op.a, row.number) || site.is_number(op.b, row.number)) {
      return full_like_result(site, static_cast<int64_t>(row.number));
    }
  }
  return {};
}

std::optional<Var> itself_twice(const op::Binary& op, const Site& site) {
  constexpr std::array idempotent = {max, min, logical_and, logical_or, bitwise_and, bitwise_or};
  if (op.a != op.b || std::ranges::find(idempotent, op.fn) == idempotent.end()) return {};
  return unless_changed(site, op.a);
}

// x - x of reals is NaN for infinities.
std::optional<Var> difference_of_itself(const op::Binary& op, const Site& site) {
  const bool vanishes =
      op.fn == bitwise_xor || op.fn == logical_xor || (op.fn == sub && is_integer(site.result_type().dtype));
  if (op.a != op.b || !vanishes) return {};
  return full_like_result(site, 0);
}

// The reciprocal of a power of two is exact where it is a normal number of the dtype, so both round the same number.
std::optional<Var> div_by_power_of_two(const op::Binary& op, const Site& site) {
  const DType dtype = site.result_type().dtype;
  if (op.fn != div || !is_real(dtype) || site.dtype(op.b) != dtype) return {};
  const std::optional<double> divisor = site.real(op.b);
  int exponent = 0;
  if (!divisor || *divisor == 0 || !std::isfinite(*divisor) || std::abs(std::frexp(*divisor, &exponent)) != 0.5) {
    return {};
  }
  if (*divisor == 1 || std::abs(exponent) > (dtype == DType::f16 ? 14 : 126)) return {};
  const Var factor = site.to().full(site.shape(op.b), 1 / *divisor, {.dtype = dtype});
  return site.to().mul(site(op.a), factor);
}

// -y must have been taken in the dtype of the sum: in u8 it is 256 - y.
std::optional<Var> sum_with_negative(const op::Binary& op, const Site& site) {
  if (op.fn != add && op.fn != sub) return {};
  const auto negated = [&](Ref ref) -> const op::Unary* {
    return site.dtype(ref) == site.result_type().dtype ? site.unary(UnaryFn::neg, ref) : nullptr;
  };
  if (const auto* b = negated(op.b)) {
    const Var x = site(op.a), y = site(b->x);
    return op.fn == add ? x - y : x + y;
  }
  const auto* a = op.fn == add ? negated(op.a) : nullptr;
  return a ? std::optional(site(op.b) - site(a->x)) : std::nullopt;
}

// -------------------------------------------------------------------------------------------------------------- unary

constexpr bool any_of(UnaryFn fn, std::initializer_list<UnaryFn> set) {
  return std::ranges::find(set, fn) != set.end();
}
constexpr bool rounds(UnaryFn fn) {
  return any_of(fn, {UnaryFn::floor, UnaryFn::ceil, UnaryFn::round, UnaryFn::trunc});
}

std::optional<Var> undone(const op::Unary& op, const Site& site) {
  const bool undoes = any_of(op.fn, {UnaryFn::neg, UnaryFn::logical_not, UnaryFn::bitwise_not, UnaryFn::conj});
  const auto* inner = undoes ? site.unary(op.fn, op.x) : nullptr;
  return inner ? std::optional(site(inner->x)) : std::nullopt;
}

std::optional<Var> done_already(const op::Unary& op, const Site& site) {
  if (rounds(op.fn) && is_integer(site.dtype(op.x))) return site(op.x);
  const auto* inner = site.made_by<op::Unary>(op.x);
  if (!inner) return {};
  const bool repeats = inner->fn == op.fn && any_of(op.fn, {UnaryFn::abs, UnaryFn::sign, UnaryFn::relu});
  return repeats || (rounds(op.fn) && rounds(inner->fn)) ? std::optional(site(op.x)) : std::nullopt;
}

// Of complex numbers abs is real, and its square another number. Unsigned -x is no negative number: abs leaves it.
std::optional<Var> of_either_sign(const op::Unary& op, const Site& site) {
  const auto* inner = site.made_by<op::Unary>(op.x);
  if (!inner || site.dtype(inner->x) != site.dtype(op.x)) return {};
  if (op.fn == UnaryFn::square && any_of(inner->fn, {UnaryFn::neg, UnaryFn::abs})) {
    return site.to().square(site(inner->x));
  }
  if (op.fn != UnaryFn::abs || inner->fn != UnaryFn::neg || kind(site.dtype(op.x)) == Kind::unsigned_int) return {};
  return site.to().abs(site(inner->x));
}

// ------------------------------------------------------------------------------------------------------------- select

std::optional<Var> select_of_equals(const op::Select& op, const Site& site) {
  return op.a == op.b ? unless_changed(site, op.a) : std::nullopt;
}

std::optional<Var> select_by_constant(const op::Select& op, const Site& site) {
  const std::optional<double> condition = site.real(op.condition);
  return condition ? unless_changed(site, *condition != 0 ? op.a : op.b) : std::nullopt;
}

const Rule rules[] = {
    rule<neutral_operand>("neutral_operand", "x + 0, x - 0, x·1, x / 1, x ^ 1, x or false … → x"),
    rule<absorbing_operand>("absorbing_operand", "x·0 of integers, x and false, x or true … → that number"),
    rule<itself_twice>("itself_twice", "max(x, x), min(x, x), x and x, x or x → x"),
    rule<difference_of_itself>("difference_of_itself", "x - x of integers, x xor x → 0"),
    rule<div_by_power_of_two>("div_by_power_of_two", "x / 2^k → x·2^-k"),
    rule<sum_with_negative>("sum_with_negative", "x + (-y) → x - y, x - (-y) → x + y"),
    rule<undone>("undone", "-(-x), not not x, conj(conj(x)) → x"),
    rule<done_already>("done_already", "abs, sign, relu or rounding of what has been through it → that"),
    rule<of_either_sign>("of_either_sign", "|-x| → |x|, square of -x or |x| → of x"),
    rule<select_of_equals>("select_of_equals", "select(c, x, x) → x"),
    rule<select_by_constant>("select_by_constant", "select by a constant → the operand that it takes"),
};

}  // namespace

std::span<const Rule> algebra_rules() { return rules; }

}  // namespace ingot
