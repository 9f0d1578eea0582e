// What the Dim files share: a Dim as a polynomial with integer coefficients over atoms.
//
// Ownership  values; atoms are shared and immutable. Threads  immutable.
// Failure    Code::limit as in dim.h; `within_limits` turns that into "no result" where a caller can do without.
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "program/dim.h"
#include "program/error.h"

namespace ingot {

__extension__ typedef __int128 WideInt;

using DimAtomRef = std::shared_ptr<const DimAtom>;

class DimBuilder {
 public:
  // The canonical sum of terms in any order: like terms merged, sorted, a literal where no atom is left. The lowest i64 is
  // refused as a coefficient, so that every sum has a negative.
  static Dim sum(std::vector<DimTerm> terms);
  static Dim of(DimAtomRef atom);
  // An operation that no rule simplifies. Precondition: kind is not symbol.
  static Dim operation(DimAtom::Kind kind, const Dim& a, const Dim& b);
};

int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);
// Towards minus infinity. Precondition: b >= 1.
template <class Int>
Int floor_quotient(Int a, Int b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Total orders by structure. Terms: degree falling, then by their atoms, so that the literal is last and the order is kept
// under multiplication; coefficients do not count. Dims: literals last.
std::strong_ordering order(const DimAtom& x, const DimAtom& y);
std::strong_ordering order(const DimTerm& x, const DimTerm& y);
std::strong_ordering order(const Dim& x, const Dim& y);

// The terms, a literal as one.
std::vector<DimTerm> terms_of(const Dim& dim);
// The term without atoms, 0 when there is none.
int64_t constant(const Dim& dim);
// The atom, where the expression is one atom and nothing else.
DimAtomRef single_atom(const Dim& dim);
// Greatest common divisor of the coefficients, the constant left out; 0 for a literal.
int64_t content(const Dim& dim);

// x / y where that is a term with an integer coefficient.
std::optional<DimTerm> exact_quotient(const DimTerm& x, const DimTerm& y);

// p = q·quotient + remainder by long division with the leading term of q; it stops after as many steps as p has terms.
// When q is one term, no term of the remainder is a multiple of it.
struct Division {
  Dim quotient, remainder;
};
Division divide(const Dim& p, const Dim& q);

// dim = atom·factor + rest, one occurrence of the atom taken from every term that has it.
struct Split {
  Dim factor, rest;
};
Split split(const Dim& dim, const DimAtom& atom);

// floor_div whose divisor needs no proof because it has been proved: the rules of dim_rules.cpp.
Dim quotient(const Dim& p, const Dim& q);

// Whether less_equal(a, b) is yes, at half the cost.
bool proves_less_equal(const Dim& a, const Dim& b);

// Bounds of an operation from the bounds of its operands.
DimRange operation_range(DimAtom::Kind kind, const Dim& a, const Dim& b);

// f(), or nothing when that runs into a limit.
template <class F>
auto within_limits(F f) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace ingot
