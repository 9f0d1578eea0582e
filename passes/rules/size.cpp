// Rules about sizes as values, and about control flow that is settled before it runs.
#include <cmath>
#include <limits>

#include "passes/rules/rules.h"

namespace ingot {
namespace {

// From 0 in steps of 1, which is what an iota does that says nothing of either.
std::optional<Var> iota_by_default(const op::Iota& op, const Site& site) {
  const auto is = [](const std::optional<Scalar>& number, double wanted) {
    return number && number->kind != ScalarKind::complex && number->as_real() == wanted &&
           !std::signbit(number->as_real());
  };
  op::Iota shorter = op;
  if (is(op.start, 0)) shorter.start.reset();
  if (is(op.step, 1)) shorter.step.reset();
  if (shorter == op) return {};
  return site.to().add(shorter).front();
}

std::optional<Var> size_of_literal(const op::SizeOf& op, const Site& site) {
  if (!op.size.is_literal()) return {};
  return site.to().full({}, op.size.literal(), {.dtype = op.dtype});
}

// The size that an i64 scalar is.
std::optional<Dim> size_in(Ref ref, const Site& site) {
  if (site.type(ref) != TensorType{DType::i64, {}, {}}) return {};
  if (const auto* size = site.made_by<op::SizeOf>(ref)) return size->size;
  const auto* full = site.made_by<op::Full>(ref);
  return full ? std::optional(Dim(full->value.as_int())) : std::nullopt;
}

std::optional<Dim> combined(BinaryFn fn, const Dim& a, const Dim& b) {
  switch (fn) {
    case BinaryFn::add: return a + b;
    case BinaryFn::sub: return a - b;
    case BinaryFn::mul: return a * b;
    case BinaryFn::max: return max(a, b);
    case BinaryFn::min: return min(a, b);
    case BinaryFn::floor_div: return less_equal(1, b) == Proof::yes ? std::optional(floor_div(a, b)) : std::nullopt;
    case BinaryFn::rem: return less_equal(1, b) == Proof::yes ? std::optional(mod(a, b)) : std::nullopt;
    default: return std::nullopt;
  }
}

// A value wraps around where a size would fail, so the size must be known to fit.
bool fits_i64(const Dim& dim) {
  const DimRange bounds = range(dim);
  return bounds.min > std::numeric_limits<int64_t>::min() && bounds.max < std::numeric_limits<int64_t>::max();
}

std::optional<Var> size_arithmetic(const op::Binary& op, const Site& site) {
  const auto a = size_in(op.a, site), b = size_in(op.b, site);
  if (!a || !b || (a->is_literal() && b->is_literal())) return {};
  const std::optional<Dim> size = combined(op.fn, *a, *b);
  return size && fits_i64(*size) ? std::optional(site.to().size_of(*size)) : std::nullopt;
}

Replacement if_by_constant(const op::If& op, const Site& site) {
  const std::optional<double> condition = site.real(op.condition);
  if (!condition) return {};
  return site.to().call(*condition != 0 ? op.on_true : op.on_false, {.operands = site(op.captures)});
}

const Rule rules[] = {
    rule<iota_by_default>("iota_by_default", "iota from 0, or by 1 → iota without that number"),
    rule<size_of_literal>("size_of_literal", "size_of(3) → full 3"),
    rule<size_arithmetic>("size_arithmetic", "size_of(S) + size_of(T), also - · / % max min → size_of(S + T)"),
    rule<if_by_constant>("if_by_constant", "if by a constant → a call of the graph that it takes"),
};

}  // namespace

std::span<const Rule> size_rules() { return rules; }

}  // namespace ingot
