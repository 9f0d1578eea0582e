// Rules about dtypes.
#include <cmath>

#include "passes/rules/rules.h"
#include "program/float_format.h"

namespace ingot {
namespace {

// Bits of the largest magnitude, the sign apart.
int digits(DType dtype) { return kind(dtype) == Kind::signed_int ? bits(dtype) - 1 : bits(dtype); }

// Whether `to` has every value of `from`.
bool holds(DType to, DType from) {
  if (to == from) return true;
  if (!is_integer(to) && !is_real(to)) return false;
  if (from == DType::bool_) return true;
  const auto wide = float_format(to), narrow = float_format(from);
  if (is_integer(from)) {
    // f16 reaches beyond 2^11, so that digits alone decide.
    if (wide) return digits(from) <= wide->mantissa_bits + 1;
    if (kind(from) == Kind::signed_int && kind(to) == Kind::unsigned_int) return false;
    return digits(from) <= digits(to);
  }
  return wide && narrow && narrow->exponent_bits <= wide->exponent_bits && narrow->mantissa_bits <= wide->mantissa_bits;
}

// From a real number u64 saturates at 0, from a signed integer it wraps around.
bool differs_below_zero(DType from, DType through, DType to) {
  return kind(from) == Kind::signed_int && is_real(through) && to == DType::u64;
}

// With `saturate` an infinity becomes the largest number.
bool may_clamp(const op::Cast& op, DType from) { return op.saturate && !is_integer(from) && from != DType::bool_; }

std::optional<Var> cast_same(const op::Cast& op, const Site& site) {
  return may_clamp(op, site.dtype(op.x)) ? std::nullopt : unless_changed(site, op.x);
}

std::optional<Var> cast_of_cast(const op::Cast& op, const Site& site) {
  const auto* inner = site.made_by<op::Cast>(op.x);
  if (!inner) return {};
  const DType from = site.dtype(inner->x);
  if (!holds(inner->dtype, from) || may_clamp(*inner, from) || differs_below_zero(from, inner->dtype, op.dtype)) {
    return {};
  }
  return site.to().cast(site(inner->x), op.dtype, {.saturate = op.saturate});
}

std::optional<Var> bitcast_of_bitcast(const op::Bitcast& op, const Site& site) {
  const auto* inner = site.made_by<op::Bitcast>(op.x);
  return inner ? std::optional(site.to().bitcast(site(inner->x), op.dtype)) : std::nullopt;
}

std::optional<Var> bitcast_same(const op::Bitcast& op, const Site& site) { return unless_changed(site, op.x); }

// The number that the elements are, written one way: 2 and 2.0 are one f32, and 0.1 is the f32 next to it. Integers
// that f64 does not hold stay, since they would be rounded twice.
std::optional<Var> full_as_stored(const op::Full& op, const Site& site) {
  const auto format = float_format(op.dtype);
  if (!format || !is_real(op.dtype) || op.value.kind == ScalarKind::complex) return {};
  const double value = op.value.as_real();
  const std::optional<uint64_t> stored = encode(*format, value);
  if (!stored || (op.value.is_integer() && std::abs(value) >= 0x1p53)) return {};
  const Scalar number = decode(*format, *stored);
  if (number == op.value || std::isnan(value)) return {};
  return site.to().full(op.shape, number, {.dtype = op.dtype});
}

const Rule rules[] = {
    rule<cast_same>("cast_same", "cast(x) to its own dtype → x"),
    rule<cast_of_cast>("cast_of_cast", "cast(cast(x)) → cast(x), where the dtype between holds every x"),
    rule<full_as_stored>("full_as_stored", "full with a number that its dtype rounds → with the number that it stores"),
    rule<bitcast_same>("bitcast_same", "bitcast(x) to its own dtype → x"),
    rule<bitcast_of_bitcast>("bitcast_of_bitcast", "bitcast(bitcast(x)) → bitcast(x)"),
};

}  // namespace

std::span<const Rule> dtype_rules() { return rules; }

}  // namespace ingot
