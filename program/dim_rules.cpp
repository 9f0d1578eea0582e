// How operations on sums become simpler. Every rule holds for all sizes within their bounds: symbols are >= 0, divisors
// >= 1, and / rounds towards minus infinity, also below 0. An atom is made only where no rule fires, so an expression
// that is rebuilt from its own parts comes out the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "program/dim_terms.h"

namespace ingot {
namespace {

using AtomKind = DimAtom::Kind;

bool is_one_term(const Dim& q) { return q.is_literal() || q.terms().size() == 1; }
bool is_positive(const Dim& q) { return proves_less_equal(1, q); }

// ------------------------------------------------------------------------------------------------------- division

// floor(a / b) of two literals.
std::optional<Dim> fold(const Dim& p, const Dim& q) {
  if (!p.is_literal() || !q.is_literal()) return std::nullopt;
  return floor_quotient(p.literal(), q.literal());
}

std::optional<Dim> divide_by_one(const Dim& p, const Dim& q) { return q == 1 ? std::optional(p) : std::nullopt; }

// The coefficient of the term of p that is like `term`.
int64_t coefficient(const Dim& p, const DimTerm& term) {
  for (const DimTerm& other : terms_of(p)) {
    if (order(other, term) == 0) return other.coefficient;
  }
  return 0;
}

// Terms of p that are multiples of q go to s, and of the term that is like q as much as leaves a coefficient in 0 … k-1,
// where q = k·x: (A + 3·B) / (2·B) = 1 + (A + B) / (2·B).
std::optional<Dim> split_multiples(const Dim& p, const Dim& q) {
  if (!is_one_term(q)) return std::nullopt;
  auto [s, r] = divide(p, q);
  const DimTerm term = terms_of(q).front();
  if (term.coefficient > 0) {
    const int64_t c = coefficient(r, term), whole = floor_quotient(c, term.coefficient);
    const auto left = static_cast<int64_t>(c - whole * WideInt{term.coefficient});
    s = s + whole;
    r = r - DimBuilder::sum({{c, term.atoms}}) + DimBuilder::sum({{left, term.atoms}});
  }
  if (s == 0) return std::nullopt;
  return s + quotient(r, q);
}

// Every coefficient divided by k, the literal rounded down.
Dim shrink(const Dim& p, int64_t k) {
  std::vector<DimTerm> terms = terms_of(p);
  for (DimTerm& term : terms) term.coefficient = floor_quotient(term.coefficient, k);
  return DimBuilder::sum(std::move(terms));
}

std::optional<Dim> cancel_literal(const Dim& p, const Dim& q) {
  const int64_t k = std::gcd(std::gcd(content(p), content(q)), constant(q));
  if (p.is_literal() || k <= 1) return std::nullopt;
  return quotient(shrink(p, k), shrink(q, k));
}

std::optional<Dim> cancel_atom(const Dim& p, const Dim& q) {
  if (p.is_literal() || q.is_literal()) return std::nullopt;
  for (const DimAtomRef& x : q.terms().front().atoms) {
    if (x->range.min < 1) continue;
    const Split in_p = split(p, *x), in_q = split(q, *x);
    if (in_p.rest == 0 && in_q.rest == 0 && is_positive(in_q.factor)) return quotient(in_p.factor, in_q.factor);
  }
  return std::nullopt;
}

std::optional<Dim> merge_nested(const Dim& p, const Dim& q) {
  const int64_t c = constant(p);
  const auto inner = within_limits([&] { return single_atom(p - c); });
  if (!inner || !*inner || (*inner)->kind != AtomKind::floor_div) return std::nullopt;
  const Dim& a = (*inner)->b;
  if (!is_one_term(a) || !is_one_term(q)) return std::nullopt;
  const auto merged = within_limits([&] { return std::array{(*inner)->a + a * c, a * q}; });
  if (!merged || !is_positive((*merged)[1])) return std::nullopt;
  return quotient((*merged)[0], (*merged)[1]);
}

std::optional<Dim> decide_by_range(const Dim& p, const Dim& q) {
  const DimRange of_p = range(p);
  if (q.is_literal()) {
    const int64_t low = floor_quotient(of_p.min, q.literal()), high = floor_quotient(of_p.max, q.literal());
    if (low != high || of_p.min == std::numeric_limits<int64_t>::min() || of_p.max == kUnbounded) return std::nullopt;
    return low;
  }
  const auto below_q = [&](const Dim& x) { return proves_less_equal(x + 1, q); };
  const auto decided = within_limits([&]() -> std::optional<Dim> {
    if (of_p.min >= 0 && below_q(p)) return 0;
    if (of_p.max <= -1 && below_q(p * -1 - 1)) return -1;
    return std::nullopt;
  });
  return decided.value_or(std::nullopt);
}

std::optional<Dim> divide_by_sum(const Dim& p, const Dim& q) {
  if (is_one_term(q)) return std::nullopt;
  const auto division = within_limits([&] { return divide(p, q); });
  if (!division || division->quotient == 0) return std::nullopt;
  const auto rest = division->remainder == 0 ? Dim(0) : decide_by_range(division->remainder, q);
  if (!rest) return std::nullopt;
  return division->quotient + *rest;
}

using QuotientRule = std::optional<Dim> (*)(const Dim& p, const Dim& q);

// The first that fires gives the quotient of p and q.
constexpr QuotientRule quotient_rules[] = {
    fold,             // 7 / 2             = 3                    literals
    divide_by_one,    // p / 1             = p
    split_multiples,  // (q·s + r) / q     = s + r / q            q one term
    cancel_literal,   // (k·p + c) / (k·q) = (p + c / k) / q      k, c literals, k > 1
    cancel_atom,      // (x·p) / (x·q)     = p / q                x >= 1, q >= 1
    merge_nested,     // (p / a + c) / b   = (p + a·c) / (a·b)    a, b one term, c literal
    decide_by_range,  // p / q             = c                    where the bounds of p and q leave one value
    divide_by_sum,    // (q·s + r) / q     = s + c                q several terms, r / q = c by the line above
};

// ----------------------------------------------------------------------------------------------------- min and max

// min(min(p, q), r) = min(p, min(q, r)): the operands, one by one.
void flatten(AtomKind kind, const Dim& dim, std::vector<Dim>& into) {
  const DimAtomRef atom = single_atom(dim);
  if (!atom || atom->kind != kind) return into.push_back(dim);
  flatten(kind, atom->a, into);
  flatten(kind, atom->b, into);
}

// min(p, q) = p where p <= q; max(p, q) = p where p >= q
bool makes_idle(AtomKind kind, const Dim& p, const Dim& q) {
  return kind == AtomKind::min ? proves_less_equal(p, q) : proves_less_equal(q, p);
}

Dim extreme(AtomKind kind, const Dim& a, const Dim& b) {
  std::vector<Dim> operands;
  flatten(kind, a, operands);
  flatten(kind, b, operands);
  std::sort(operands.begin(), operands.end(), [](const Dim& x, const Dim& y) { return order(x, y) < 0; });
  for (size_t i = 0; i < operands.size();) {
    bool idle = false;
    for (size_t j = 0; j < operands.size() && !idle; ++j) idle = i != j && makes_idle(kind, operands[j], operands[i]);
    if (idle)
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  Dim out = operands.back();
  for (size_t i = operands.size() - 1; i-- > 0;) out = DimBuilder::operation(kind, operands[i], out);
  return out;
}

std::string lowest(const Dim& dim) {
  const int64_t low = range(dim).min;
  if (dim.is_literal()) return std::to_string(low);
  return low == std::numeric_limits<int64_t>::min() ? "unbounded below" : fmt::format("at least {}", low);
}

}  // namespace

Dim quotient(const Dim& p, const Dim& q) {
  for (const QuotientRule rule : quotient_rules) {
    if (auto simpler = rule(p, q)) return *simpler;
  }
  return DimBuilder::operation(AtomKind::floor_div, p, q);
}

Dim floor_div(const Dim& a, const Dim& b) {
  if (is_positive(b)) return quotient(a, b);
  throw Error::mismatch(Code::invalid_argument, "", b.is_literal() ? "the divisor" : "the divisor " + to_string(b),
                        lowest(b), "at least 1");
}

// Both forms are equal. The first cannot leave i64 for a large literal b, the second prints as ceil where b is a sum.
Dim ceil_div(const Dim& a, const Dim& b) { return is_one_term(b) ? floor_div(a - 1, b) + 1 : floor_div(a + b - 1, b); }
Dim mod(const Dim& a, const Dim& b) { return a - b * floor_div(a, b); }
Dim min(const Dim& a, const Dim& b) { return extreme(AtomKind::min, a, b); }
Dim max(const Dim& a, const Dim& b) { return extreme(AtomKind::max, a, b); }

}  // namespace ingot
