// Bounds and proofs. The interval of a sum is its terms' intervals added up, which knows nothing of terms that depend on
// each other: S - S / 4 * 4. So one atom after the other is replaced by what bounds it, until the terms cancel.
#include <algorithm>
#include <numeric>

#include "program/dim_terms.h"

namespace ingot {
namespace {

using AtomKind = DimAtom::Kind;

// Replacements tried for one bound: it keeps the cost of a proof in the tens of microseconds.
constexpr int kMaxProofSteps = 48;

// ------------------------------------------------------------------------------------------------------ intervals

constexpr int64_t kLow = std::numeric_limits<int64_t>::min();   // as a lower bound: none
constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();  // as an upper bound: none
constexpr WideInt kInfinity = WideInt{1} << 120;

// i64 to the wide line, where the extremes are infinite, and back. A lower bound at the upper extreme, or above it, is
// one less than that: the extremes stay infinite and the bound true.
WideInt widen(int64_t x) { return x == kLow ? -kInfinity : x == kHigh ? kInfinity : WideInt{x}; }
DimRange narrow(WideInt min, WideInt max) {
  return {static_cast<int64_t>(std::clamp(min, WideInt{kLow}, WideInt{kHigh} - 1)),
          static_cast<int64_t>(std::clamp(max, WideInt{kLow} + 1, WideInt{kHigh}))};
}

bool infinite(WideInt x) { return x >= kInfinity || x <= -kInfinity; }

WideInt times(WideInt x, WideInt y) {
  if (x == 0 || y == 0) return 0;
  if (infinite(x) || infinite(y)) return (x < 0) == (y < 0) ? kInfinity : -kInfinity;
  return x * y;
}

// Precondition: y >= 1.
WideInt over(WideInt x, WideInt y) {
  if (infinite(x)) return x;
  if (infinite(y)) return x < 0 ? -1 : 0;
  return floor_quotient(x, y);
}

// A bound that is infinite absorbs the other: both are lower bounds, or both upper.
WideInt plus(WideInt x, WideInt y) { return infinite(x) ? x : infinite(y) ? y : x + y; }

// Of an operation that is monotone in each operand: the extremes are at the corners.
template <class F>
DimRange corners(DimRange x, DimRange y, F f) {
  const auto [min, max] = std::minmax({f(widen(x.min), widen(y.min)), f(widen(x.min), widen(y.max)),
                                       f(widen(x.max), widen(y.min)), f(widen(x.max), widen(y.max))});
  return narrow(min, max);
}

DimRange interval(const Dim& dim) {
  DimRange sum = narrow(0, 0);
  for (const DimTerm& term : terms_of(dim)) {
    DimRange product = narrow(term.coefficient, term.coefficient);
    for (const DimAtomRef& atom : term.atoms) product = corners(product, atom->range, times);
    sum = narrow(plus(widen(sum.min), widen(product.min)), plus(widen(sum.max), widen(product.max)));
  }
  return sum;
}

// --------------------------------------------------------------------------------------------------------- bounds

// The atoms whose replacement may help, deepest first, so that what a replacement brings in is replaced later. Symbols
// only in products: where a symbol stands alone, its interval is exact.
std::vector<DimAtomRef> replaceable(const Dim& dim) {
  std::vector<DimAtomRef> atoms;
  for (const DimTerm& term : dim.terms()) {
    for (const DimAtomRef& atom : term.atoms) {
      if (atom->kind != AtomKind::symbol || term.atoms.size() > 1) atoms.push_back(atom);
    }
  }
  std::sort(atoms.begin(), atoms.end(), [](const DimAtomRef& x, const DimAtomRef& y) {
    return x->depth != y->depth ? x->depth > y->depth : order(*x, *y) < 0;
  });
  atoms.erase(std::unique(atoms.begin(), atoms.end(),
                          [](const DimAtomRef& x, const DimAtomRef& y) { return order(*x, *y) == 0; }),
              atoms.end());
  return atoms;
}

class LowerBound {
 public:
  // The best lower bound within the steps that are left; a search for a proof may stop at `enough`.
  int64_t of(const Dim& dim, int64_t enough) {
    int64_t best = interval(dim).min;
    for (const DimAtomRef& atom : replaceable(dim)) {
      if (best >= enough || --steps_ < 0) break;
      const auto bound = within_limits([&] { return without(split(dim, *atom), *atom, enough); });
      best = std::max(best, bound.value_or(kLow));
    }
    return best;
  }

 private:
  // Of atom·factor + rest.
  int64_t without(const Split& parts, const DimAtom& atom, int64_t enough) {
    const DimRange sign = interval(parts.factor);
    switch (atom.kind) {
      case AtomKind::symbol: return by_range(parts, atom, sign, enough);
      case AtomKind::floor_div:
        return std::max(by_quotient(parts, atom, sign, enough), by_coarser(parts, atom, sign, enough));
      case AtomKind::min: return by_cases(parts, atom, sign.max <= 0, enough);
      case AtomKind::max: return by_cases(parts, atom, sign.min >= 0, enough);
    }
    return kLow;
  }

  // x·factor >= min(x)·factor where factor >= 0, and max(x)·factor where it is <= 0
  int64_t by_range(const Split& parts, const DimAtom& atom, DimRange sign, int64_t enough) {
    if (sign.min >= 0 && atom.range.min != kLow) return of(parts.factor * atom.range.min + parts.rest, enough);
    if (sign.max <= 0 && atom.range.max != kHigh) return of(parts.factor * atom.range.max + parts.rest, enough);
    return kLow;
  }

  // min(p, q) and max(p, q) are p or q, so the worse case bounds. min <= p and min <= q, so under a negative factor each
  // is a bound, and the better one counts; max under a positive factor likewise.
  int64_t by_cases(const Split& parts, const DimAtom& atom, bool either, int64_t enough) {
    const int64_t with_a = of(parts.factor * atom.a + parts.rest, enough);
    if (either && with_a >= enough) return with_a;
    const int64_t with_b = of(parts.factor * atom.b + parts.rest, enough);
    return either ? std::max(with_a, with_b) : std::min(with_a, with_b);
  }

  // p - q + 1 <= q·(p / q) <= p
  int64_t by_quotient(const Split& parts, const DimAtom& atom, DimRange sign, int64_t enough) {
    const Dim& q = atom.b;
    if (sign.min < 0 && sign.max > 0) return kLow;
    const Dim scaled = sign.min >= 0 ? atom.a - q + 1 : atom.a;
    if (q.is_literal()) return by_literal_quotient(parts, scaled, q.literal(), enough);
    const Division multiple = divide(parts.factor, q);
    if (multiple.remainder != 0) return by_range(parts, atom, sign, enough);
    return of(multiple.quotient * scaled + parts.rest, enough);
  }

  // p / q >= k·(p / (k·q)), where that one stands in the rest: of S / 4 - S / 8 neither is bounded by S without loss.
  int64_t by_coarser(const Split& parts, const DimAtom& atom, DimRange sign, int64_t enough) {
    if (sign.min < 0 || !atom.b.is_literal()) return kLow;
    const int64_t q = atom.b.literal();
    for (const DimTerm& term : terms_of(parts.rest)) {
      for (const DimAtomRef& other : term.atoms) {
        if (other->kind != AtomKind::floor_div || !other->b.is_literal() || other->a != atom.a) continue;
        const int64_t divisor = other->b.literal();
        if (divisor > q && divisor % q == 0) {
          return of(parts.factor * DimBuilder::of(other) * (divisor / q) + parts.rest, enough);
        }
      }
    }
    return kLow;
  }

  // dim >= factor·scaled / q + rest, with the common divisor of factor and q cancelled; dim is an integer, so the bound is
  // rounded up.
  int64_t by_literal_quotient(const Split& parts, const Dim& scaled, int64_t q, int64_t enough) {
    const int64_t g = std::gcd(std::gcd(content(parts.factor), constant(parts.factor)), q);
    const Dim factor = divide(parts.factor, g).quotient;
    const int64_t scaled_enough = narrow(0, WideInt{enough} * (q / g)).max;
    const int64_t bound = of(factor * scaled + parts.rest * (q / g), scaled_enough);
    return bound == kLow ? kLow : -floor_quotient(-bound, q / g);
  }

  int steps_ = kMaxProofSteps;
};

constexpr int64_t kNeverEnough = kHigh;

int64_t lower(const Dim& dim, int64_t enough) { return LowerBound().of(dim, enough); }

// Precondition: not a literal.
int64_t upper(const Dim& dim, int64_t enough) {
  const int64_t bound = lower(dim * -1, enough);
  return bound == kLow ? kHigh : -bound;
}

Proof if_yes(bool yes) { return yes ? Proof::yes : Proof::no; }

}  // namespace

DimRange operation_range(AtomKind kind, const Dim& a, const Dim& b) {
  // Of a literal the interval, in which an extreme of i64 is a number no more.
  const DimRange x = a.is_literal() ? interval(a) : range(a), y = b.is_literal() ? interval(b) : range(b);
  switch (kind) {
    case AtomKind::min: return narrow(widen(std::min(x.min, y.min)), widen(std::min(x.max, y.max)));
    case AtomKind::max: return narrow(widen(std::max(x.min, y.min)), widen(std::max(x.max, y.max)));
    default: return corners(x, {std::max<int64_t>(y.min, 1), y.max}, over);
  }
}

DimRange range(const Dim& dim) {
  if (dim.is_literal()) return {dim.literal(), dim.literal()};
  return {lower(dim, kNeverEnough), upper(dim, kNeverEnough)};
}

Proof equal(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) return if_yes(a.literal() == b.literal());
  if (a == b) return Proof::yes;
  const auto difference = within_limits([&] { return a - b; });
  if (!difference) return Proof::unknown;
  if (difference->is_literal()) return if_yes(difference->literal() == 0);
  // k·p + c is never 0 when k does not divide c
  if (constant(*difference) % content(*difference) != 0) return Proof::no;
  const int64_t low = lower(*difference, 1), high = -upper(*difference, 1);
  if (low > 0 || high > 0) return Proof::no;
  return low == 0 && high == 0 ? Proof::yes : Proof::unknown;
}

Proof less_equal(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) return if_yes(a.literal() <= b.literal());
  if (proves_less_equal(a, b)) return Proof::yes;
  const auto difference = within_limits([&] { return b - a; });
  if (!difference) return Proof::unknown;
  const bool above = difference->is_literal() ? difference->literal() < 0 : upper(*difference, 1) < 0;
  return above ? Proof::no : Proof::unknown;
}

bool proves_less_equal(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) return a.literal() <= b.literal();
  const auto difference = within_limits([&] { return b - a; });
  return difference && lower(*difference, 0) >= 0;
}

}  // namespace ingot
