#include "program/dim.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "program/dim_terms.h"

namespace ingot {

// ----------------------------------------------------------------------------------------------------- arithmetic

namespace {

Error leaves_i64(int64_t a, char operation, int64_t b) {
  return Error(Code::limit, fmt::format("a size leaves 64 bits: {} {} {}", a, operation, b));
}

}  // namespace

int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) throw leaves_i64(a, '+', b);
  return sum;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) throw leaves_i64(a, '*', b);
  return product;
}

// ---------------------------------------------------------------------------------------------------------- order

std::strong_ordering order(const DimAtom& x, const DimAtom& y) {
  if (&x == &y) return std::strong_ordering::equal;
  if (x.kind != y.kind) return x.kind <=> y.kind;
  if (x.kind == DimAtom::Kind::symbol) return x.symbol->name() <=> y.symbol->name();
  const auto by_a = order(x.a, y.a);
  return by_a != 0 ? by_a : order(x.b, y.b);
}

std::strong_ordering order(const DimTerm& x, const DimTerm& y) {
  if (x.atoms.size() != y.atoms.size()) return y.atoms.size() <=> x.atoms.size();
  for (size_t i = 0; i < x.atoms.size(); ++i) {
    if (const auto by_atom = order(*x.atoms[i], *y.atoms[i]); by_atom != 0) return by_atom;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering order(const Dim& x, const Dim& y) {
  if (x.is_literal() != y.is_literal()) return x.is_literal() <=> y.is_literal();
  if (x.is_literal()) return x.literal() <=> y.literal();
  const auto a = x.terms(), b = y.terms();
  if (a.data() == b.data()) return std::strong_ordering::equal;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const auto by_term = order(a[i], b[i]); by_term != 0) return by_term;
    if (a[i].coefficient != b[i].coefficient) return a[i].coefficient <=> b[i].coefficient;
  }
  return a.size() <=> b.size();
}

// --------------------------------------------------------------------------------------------------- construction

namespace {

bool atom_before(const DimAtomRef& x, const DimAtomRef& y) { return order(*x, *y) < 0; }
bool term_before(const DimTerm& x, const DimTerm& y) { return order(x, y) < 0; }

size_t atoms_in(std::span<const DimTerm> terms) {
  size_t count = 0;
  for (const DimTerm& term : terms) {
    for (const DimAtomRef& atom : term.atoms) count += atom->size;
  }
  return count;
}

int depth_of(const Dim& dim) {
  int depth = 0;
  for (const DimTerm& term : dim.terms()) {
    for (const DimAtomRef& atom : term.atoms) depth = std::max(depth, atom->depth);
  }
  return depth;
}

void check_limit(size_t count, size_t limit, const char* what) {
  if (count <= limit) return;
  throw Error::mismatch(Code::limit, "", "a size", fmt::format("an expression of {} {}", count, what),
                        fmt::format("at most {}", limit));
}

// Like terms, which sorting has made neighbours, become one.
void merge_like_terms(std::vector<DimTerm>& terms) {
  size_t kept = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (kept > 0 && order(terms[kept - 1], terms[i]) == 0) {
      terms[kept - 1].coefficient = checked_add(terms[kept - 1].coefficient, terms[i].coefficient);
    } else if (kept++ != i) {
      terms[kept - 1] = std::move(terms[i]);
    }
  }
  terms.resize(kept);
  std::erase_if(terms, [](const DimTerm& term) { return term.coefficient == 0; });
}

DimTerm product(const DimTerm& x, const DimTerm& y) {
  DimTerm out{checked_mul(x.coefficient, y.coefficient), {}};
  out.atoms.reserve(x.atoms.size() + y.atoms.size());
  std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), std::back_inserter(out.atoms),
             atom_before);
  return out;
}

}  // namespace

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_identifier(std::string_view name) {
  const bool digit_first = !name.empty() && name[0] >= '0' && name[0] <= '9';
  return !name.empty() && !digit_first && std::all_of(name.begin(), name.end(), is_identifier_char);
}

Symbol::Symbol(std::string name, int64_t min, int64_t max) {
  if (name.empty()) throw Error(Code::invalid_argument, "a symbol has no name");
  if (!is_identifier(name)) {
    throw Error::mismatch(Code::invalid_argument, "", "the name of a symbol", fmt::format("'{}'", name),
                          "letters, digits and _, without a digit in front");
  }
  if (min < 0 || min > max) {
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("the range of symbol {}", name),
                          fmt::format("{}..{}", min, max), "0 <= min <= max");
  }
  data_ = std::make_shared<const Data>(Data{std::move(name), min, max});
}

Dim::Dim(const Symbol& symbol)
    : Dim(DimBuilder::of(std::make_shared<const DimAtom>(
          DimAtom{DimAtom::Kind::symbol, symbol, {}, {}, {std::min(symbol.min(), kUnbounded - 1), symbol.max()}}))) {}

Dim DimBuilder::of(DimAtomRef atom) {
  Dim dim;
  dim.sum_ = std::make_shared<const std::vector<DimTerm>>(1, DimTerm{1, {std::move(atom)}});
  return dim;
}

Dim DimBuilder::sum(std::vector<DimTerm> terms) {
  std::sort(terms.begin(), terms.end(), term_before);
  merge_like_terms(terms);
  if (terms.empty()) return 0;
  if (terms.front().atoms.empty()) return terms.front().coefficient;
  for (const DimTerm& term : terms) checked_mul(term.coefficient, -1);
  check_limit(terms.size(), kMaxDimTerms, "terms");
  check_limit(atoms_in(terms), kMaxDimAtoms, "atoms");
  Dim dim;
  dim.sum_ = std::make_shared<const std::vector<DimTerm>>(std::move(terms));
  return dim;
}

Dim DimBuilder::operation(DimAtom::Kind kind, const Dim& a, const Dim& b) {
  DimAtom atom{kind, std::nullopt, a, b, {}};
  atom.depth = 1 + std::max(depth_of(a), depth_of(b));
  atom.size = 1 + atoms_in(a.terms()) + atoms_in(b.terms());
  check_limit(atom.depth, kMaxDimDepth, "nested operations");
  check_limit(atom.size, kMaxDimAtoms, "atoms");
  atom.range = operation_range(kind, a, b);
  return of(std::make_shared<const DimAtom>(std::move(atom)));
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) return checked_add(a.literal(), b.literal());
  std::vector<DimTerm> terms = terms_of(a);
  std::ranges::move(terms_of(b), std::back_inserter(terms));
  return DimBuilder::sum(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) {
  int64_t difference;
  if (!a.is_literal() || !b.is_literal()) return a + b * -1;
  if (__builtin_sub_overflow(a.literal(), b.literal(), &difference)) throw leaves_i64(a.literal(), '-', b.literal());
  return difference;
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_literal() && b.is_literal()) return checked_mul(a.literal(), b.literal());
  const std::vector<DimTerm> xs = terms_of(a), ys = terms_of(b);
  std::vector<DimTerm> terms;
  terms.reserve(xs.size() * ys.size());
  for (const DimTerm& x : xs) {
    for (const DimTerm& y : ys) terms.push_back(product(x, y));
  }
  return DimBuilder::sum(std::move(terms));
}

// -------------------------------------------------------------------------------------------------------- queries

bool Dim::operator==(const Dim& other) const {
  if (!sum_ && !other.sum_) return literal_ == other.literal_;
  return sum_ == other.sum_ || order(*this, other) == 0;
}

std::span<const DimTerm> Dim::terms() const {
  if (!sum_) return {};
  return *sum_;
}

std::optional<Symbol> Dim::symbol() const {
  const DimAtomRef atom = single_atom(*this);
  return atom ? atom->symbol : std::nullopt;
}

void collect_symbols(const Dim& dim, std::vector<Symbol>& into) {
  for (const DimTerm& term : dim.terms()) {
    for (const DimAtomRef& atom : term.atoms) {
      if (atom->kind != DimAtom::Kind::symbol) {
        collect_symbols(atom->a, into);
        collect_symbols(atom->b, into);
      } else if (std::find(into.begin(), into.end(), *atom->symbol) == into.end()) {
        into.push_back(*atom->symbol);
      }
    }
  }
}

std::vector<DimTerm> terms_of(const Dim& dim) {
  if (dim.is_literal()) return {DimTerm{dim.literal(), {}}};
  return {dim.terms().begin(), dim.terms().end()};
}

int64_t constant(const Dim& dim) {
  if (dim.is_literal()) return dim.literal();
  return dim.terms().back().atoms.empty() ? dim.terms().back().coefficient : 0;
}

DimAtomRef single_atom(const Dim& dim) {
  const auto terms = dim.terms();
  const bool single = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].atoms.size() == 1;
  return single ? terms[0].atoms[0] : nullptr;
}

int64_t content(const Dim& dim) {
  int64_t divisor = 0;
  for (const DimTerm& term : dim.terms()) {
    if (!term.atoms.empty()) divisor = std::gcd(divisor, term.coefficient);
  }
  return divisor;
}

// ------------------------------------------------------------------------------------------------------- division

std::optional<DimTerm> exact_quotient(const DimTerm& x, const DimTerm& y) {
  // The lowest i64, as a literal, has no quotient by -1.
  const bool divides = y.coefficient == -1 ? x.coefficient >= -kUnbounded : x.coefficient % y.coefficient == 0;
  if (!divides) return std::nullopt;
  if (!std::includes(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), atom_before)) return std::nullopt;
  DimTerm out{x.coefficient / y.coefficient, {}};
  std::set_difference(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), std::back_inserter(out.atoms),
                      atom_before);
  return out;
}

Division divide(const Dim& p, const Dim& q) {
  const DimTerm lead = terms_of(q).front();
  Division out{0, p};
  for (size_t steps = terms_of(p).size(); steps > 0; --steps) {
    std::optional<DimTerm> part;
    for (const DimTerm& term : terms_of(out.remainder)) {
      if ((part = exact_quotient(term, lead))) break;
    }
    if (!part || part->coefficient == 0) break;
    const Dim step = DimBuilder::sum({*part});
    out = {out.quotient + step, out.remainder - step * q};
  }
  return out;
}

Split split(const Dim& dim, const DimAtom& atom) {
  std::vector<DimTerm> factor, rest;
  for (DimTerm term : terms_of(dim)) {
    const auto at = std::find_if(term.atoms.begin(), term.atoms.end(),
                                 [&](const DimAtomRef& other) { return order(*other, atom) == 0; });
    const bool has = at != term.atoms.end();
    if (has) term.atoms.erase(at);
    (has ? factor : rest).push_back(std::move(term));
  }
  return {DimBuilder::sum(std::move(factor)), DimBuilder::sum(std::move(rest))};
}

}  // namespace ingot
