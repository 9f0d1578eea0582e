// Dims as text. Ceiling division and mod are no atoms: they are recognised in the sum and written as they were meant.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "program/dim_terms.h"

namespace ingot {
namespace {

// How tightly the parts of a text hold together.
enum class Level { sum, quotient, product, factor };

struct Text {
  std::string text;
  Level level;
};

// coefficient · body, or the coefficient alone.
struct Piece {
  int64_t coefficient;
  std::optional<Text> body;
};

Text print(const Dim& dim);

std::string at_least(Level level, const Text& text) {
  return text.level >= level ? text.text : fmt::format("({})", text.text);
}

Text print_quotient(const Dim& a, char operation, const Dim& b) {
  return {fmt::format("{} {} {}", at_least(Level::product, print(a)), operation, at_least(Level::factor, print(b))),
          Level::quotient};
}

Text print_call(const char* name, const Dim& a, const Dim& b) {
  return {fmt::format("{}({}, {})", name, print(a).text, print(b).text), Level::factor};
}

// (p + q - 1) / q = ceil(p, q), when that is the shorter one.
std::optional<Dim> ceil_dividend(const DimAtom& atom) {
  const auto p = within_limits([&] { return atom.a - atom.b + 1; });
  return p && p->terms().size() < atom.a.terms().size() ? p : std::nullopt;
}

Text print(const DimAtom& atom) {
  switch (atom.kind) {
    case DimAtom::Kind::symbol: return {atom.symbol->name(), Level::factor};
    case DimAtom::Kind::min: return print_call("min", atom.a, atom.b);
    case DimAtom::Kind::max: return print_call("max", atom.a, atom.b);
    case DimAtom::Kind::floor_div: break;
  }
  if (const auto p = ceil_dividend(atom)) return print_call("ceil", *p, atom.b);
  return print_quotient(atom.a, '/', atom.b);
}

std::optional<Text> print_product(const std::vector<DimAtomRef>& atoms) {
  if (atoms.empty()) return std::nullopt;
  if (atoms.size() == 1) return print(*atoms[0]);
  std::string text;
  for (const DimAtomRef& atom : atoms) {
    text += (text.empty() ? "" : "*") + at_least(Level::factor, print(*atom));
  }
  return Text{std::move(text), Level::product};
}

size_t terms_with_atoms(const Dim& dim) { return dim.terms().size() - (constant(dim) != 0 && !dim.is_literal()); }

// So small that constants can be added in any order.
bool small(int64_t x) { return x > -(int64_t{1} << 48) && x < int64_t{1} << 48; }

// k·(p % q) = k·p - k·q·(p / q): the rest of the sum without it, when every term of it is there.
std::optional<Dim> without_mod(const Dim& sum, const DimAtomRef& p_over_q, int64_t k) {
  const Dim part = (p_over_q->a - p_over_q->b * DimBuilder::of(p_over_q)) * k;
  Dim rest = sum - part;
  if (terms_with_atoms(rest) + terms_with_atoms(part) != terms_with_atoms(sum)) return std::nullopt;
  if (!small(constant(rest)) || !small(constant(part))) return std::nullopt;
  // The remainder of a literal is in the sum only when the literal is.
  if (p_over_q->a.is_literal() && constant(rest) != 0) return std::nullopt;
  return rest;
}

// Takes one k·(p % q) out of the sum.
std::optional<Piece> take_mod(Dim& sum) {
  for (const DimTerm& term : sum.terms()) {
    for (const DimAtomRef& atom : term.atoms) {
      if (atom->kind != DimAtom::Kind::floor_div) continue;
      DimTerm cofactor = term;
      cofactor.atoms.erase(std::find(cofactor.atoms.begin(), cofactor.atoms.end(), atom));
      const auto k = exact_quotient(cofactor, terms_of(atom->b).front());
      if (!k || !k->atoms.empty()) continue;
      const auto rest = within_limits([&] { return without_mod(sum, atom, -k->coefficient); });
      if (!rest || !*rest) continue;
      Piece piece{-k->coefficient, print_quotient(atom->a, '%', atom->b)};
      sum = **rest;
      return piece;
    }
  }
  return std::nullopt;
}

// Takes one k·((p - 1) / q + 1) = k·ceil(p, q) out of the sum: so it stands there when q is a term with symbols.
std::optional<Piece> take_ceil(Dim& sum) {
  const int64_t k = constant(sum);
  for (const DimTerm& term : sum.terms()) {
    if (term.coefficient != k || term.atoms.size() != 1) continue;
    const DimAtomRef atom = term.atoms[0];
    if (atom->kind != DimAtom::Kind::floor_div || constant(atom->a) != -1) continue;
    if (atom->b.terms().size() != 1 || atom->b.terms()[0].coefficient < 0) continue;
    sum = sum - k - DimBuilder::sum({term});
    return Piece{k, print_call("ceil", atom->a + 1, atom->b)};
  }
  return std::nullopt;
}

std::vector<Piece> pieces_of(Dim sum) {
  std::vector<Piece> pieces;
  while (auto mod = take_mod(sum)) pieces.push_back(std::move(*mod));
  if (auto ceil = take_ceil(sum)) pieces.push_back(std::move(*ceil));
  for (const DimTerm& term : terms_of(sum)) {
    if (term.coefficient != 0) pieces.push_back({term.coefficient, print_product(term.atoms)});
  }
  return pieces;
}

// The piece without its sign.
Text print(const Piece& piece) {
  const int64_t magnitude = std::abs(piece.coefficient);
  if (!piece.body) return {std::to_string(magnitude), Level::factor};
  if (magnitude == 1) return *piece.body;
  return {fmt::format("{}*{}", magnitude, at_least(Level::product, *piece.body)), Level::product};
}

Text print(const Dim& dim) {
  if (dim.is_literal()) return {std::to_string(dim.literal()), dim.literal() < 0 ? Level::sum : Level::factor};
  std::vector<Piece> pieces = pieces_of(dim);
  // A positive piece goes first: `4 - S`.
  const auto positive = std::find_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.coefficient > 0; });
  if (positive != pieces.end()) std::rotate(pieces.begin(), positive, positive + 1);
  Text out = print(pieces[0]);
  if (pieces[0].coefficient < 0) out = {"-" + at_least(Level::product, out), Level::sum};
  for (size_t i = 1; i < pieces.size(); ++i) {
    out.text += (pieces[i].coefficient < 0 ? " - " : " + ") + print(pieces[i]).text;
    out.level = Level::sum;
  }
  return out;
}

}  // namespace

std::string to_string(const Dim& dim) { return print(dim).text; }

}  // namespace ingot
