// Sizes put in the place of symbols, and symbols worked out from sizes.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "program/dim_terms.h"

namespace ingot {
namespace {

using AtomKind = DimAtom::Kind;

std::string bounds_text(const Symbol& symbol) {
  if (symbol.max() == kUnbounded) return fmt::format("at least {}", symbol.min());
  return fmt::format("{}..{}", symbol.min(), symbol.max());
}

bool in_bounds(const Symbol& symbol, WideInt size) { return symbol.min() <= size && size <= symbol.max(); }

}  // namespace

// ------------------------------------------------------------------------------------------------------- bindings

std::optional<int64_t> Bindings::find(const Symbol& symbol) const {
  for (const auto& [bound, size] : entries_) {
    if (bound == symbol) return size;
  }
  return std::nullopt;
}

void Bindings::bind(const Symbol& symbol, int64_t size) {
  if (!in_bounds(symbol, size)) {
    throw Error::mismatch(Code::out_of_range, "", symbol.name(), std::to_string(size), bounds_text(symbol));
  }
  const auto bound = find(symbol);
  if (!bound) {
    entries_.emplace_back(symbol, size);
  } else if (*bound != size) {
    throw Error::mismatch(Code::type_mismatch, "", symbol.name(), std::to_string(size), std::to_string(*bound));
  }
}

// ----------------------------------------------------------------------------------------------------- evaluation

namespace {

// Intermediate values are wide, so that only the result has to fit.
WideInt wide_value(const Dim& dim, const Bindings& bindings);

Error too_large() { return Error(Code::limit, "a size leaves 64 bits when its symbols are bound"); }

Error bad_divisor(const Dim& divisor) {
  return Error(Code::invalid_argument, fmt::format("the divisor {} is below 1 for these sizes", to_string(divisor)));
}

WideInt wide_value(const DimAtom& atom, const Bindings& bindings) {
  if (atom.kind == AtomKind::symbol) {
    if (const auto size = bindings.find(*atom.symbol)) return *size;
    throw Error(Code::invalid_argument, fmt::format("symbol {} has no size", atom.symbol->name()));
  }
  const WideInt a = wide_value(atom.a, bindings), b = wide_value(atom.b, bindings);
  if (atom.kind == AtomKind::min) return std::min(a, b);
  if (atom.kind == AtomKind::max) return std::max(a, b);
  if (b < 1) throw bad_divisor(atom.b);
  return floor_quotient(a, b);
}

WideInt wide_value(const Dim& dim, const Bindings& bindings) {
  if (dim.is_literal()) return dim.literal();
  WideInt sum = 0;
  for (const DimTerm& term : dim.terms()) {
    WideInt product = term.coefficient;
    for (const auto& atom : term.atoms) {
      if (__builtin_mul_overflow(product, wide_value(*atom, bindings), &product)) throw too_large();
    }
    if (__builtin_add_overflow(sum, product, &sum)) throw too_large();
  }
  return sum;
}

Dim substitute_atom(const DimAtomRef& atom, const Bindings& bindings) {
  if (atom->kind == AtomKind::symbol) {
    const auto size = bindings.find(*atom->symbol);
    return size ? Dim(*size) : DimBuilder::of(atom);
  }
  const Dim a = substitute(atom->a, bindings), b = substitute(atom->b, bindings);
  if (atom->kind == AtomKind::min) return min(a, b);
  if (atom->kind == AtomKind::max) return max(a, b);
  if (b.is_literal() && b.literal() < 1) throw bad_divisor(atom->b);
  return quotient(a, b);
}

}  // namespace

int64_t evaluate(const Dim& dim, const Bindings& bindings) {
  const WideInt value = wide_value(dim, bindings);
  const auto size = static_cast<int64_t>(value);
  if (size != value) throw too_large();
  return size;
}

Dim substitute(const Dim& dim, const Bindings& bindings) {
  if (dim.is_literal()) return dim;
  Dim sum;
  for (const DimTerm& term : dim.terms()) {
    Dim product = term.coefficient;
    for (const DimAtomRef& atom : term.atoms) product = product * substitute_atom(atom, bindings);
    sum = sum + product;
  }
  return sum;
}

// -------------------------------------------------------------------------------------------------------- solving

namespace {

class Solver {
 public:
  // Binds the one unknown of the equation and returns it, or checks the equation when it has none.
  std::optional<Symbol> take(const DimEquation& equation) {
    const Dim declared = known_part(equation);
    if (declared.is_literal()) {
      check(equation, declared.literal());
      return std::nullopt;
    }
    const auto terms = declared.terms();
    const DimTerm& first = terms[0];
    const bool linear = terms.size() == 1 || (terms.size() == 2 && terms[1].atoms.empty());
    if (!linear || first.atoms.size() != 1) return std::nullopt;
    const std::optional<Symbol> symbol = first.atoms[0]->symbol;
    if (symbol) bind(equation, *symbol, first.coefficient, constant(declared));
    return symbol;
  }

  Bindings take_bindings() { return std::move(bindings_); }

 private:
  Dim known_part(const DimEquation& equation) const {
    try {
      return substitute(equation.declared, bindings_);
    } catch (Error& error) {
      throw error.at_node(equation.where);
    }
  }

  // slope·symbol + offset = actual
  void bind(const DimEquation& equation, const Symbol& symbol, int64_t slope, int64_t offset) {
    const WideInt product = WideInt{equation.actual} - offset;
    if (product % slope != 0) {
      throw Error::mismatch(Code::type_mismatch, "", equation.where, std::to_string(equation.actual),
                            fmt::format("{} for an integer {}", given(equation.declared), symbol.name()));
    }
    const WideInt size = product / slope;
    if (!in_bounds(symbol, size)) {
      throw Error::mismatch(Code::out_of_range, "", symbol.name(), fmt::format("{} by {}", size, equation.where),
                            bounds_text(symbol));
    }
    bindings_.bind(symbol, static_cast<int64_t>(size));
    sources_.push_back(&equation);
  }

  void check(const DimEquation& equation, int64_t size) const {
    if (equation.actual == size) return;
    const std::string actual = std::to_string(equation.actual);
    if (const auto symbol = equation.declared.symbol()) {
      throw Error::mismatch(Code::type_mismatch, "", symbol->name(), fmt::format("{} by {}", actual, equation.where),
                            fmt::format("{} by {}", size, source(*symbol)));
    }
    const bool literal = equation.declared.is_literal();
    throw Error::mismatch(Code::type_mismatch, "", equation.where, actual,
                          literal ? std::to_string(size) : fmt::format("{} = {}", size, given(equation.declared)));
  }

  const std::string& source(const Symbol& symbol) const {
    const auto entries = bindings_.entries();
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == symbol; });
    return sources_[static_cast<size_t>(at - entries.begin())]->where;
  }

  // `S + T, where S is 3 by input x, axis 0`
  std::string given(const Dim& declared) const {
    std::string text = to_string(declared);
    std::vector<Symbol> symbols;
    collect_symbols(declared, symbols);
    const char* joint = ", where ";
    for (const Symbol& symbol : symbols) {
      const auto size = bindings_.find(symbol);
      if (!size) continue;
      text += fmt::format("{}{} is {} by {}", joint, symbol.name(), *size, source(symbol));
      joint = " and ";
    }
    return text;
  }

  Bindings bindings_;
  std::vector<const DimEquation*> sources_;  // which bound each entry of bindings_
};

// Calls `take` on each, and again on those that hold a symbol once it is known: `take` returns the one that it made
// known. So the cost is that of the declarations, in whatever order they are.
template <class T, class F>
void take_all(std::span<const T> all, const Dim& (*declared)(const T&), F take) {
  std::unordered_map<std::string_view, std::vector<const T*>> holders;
  std::deque<const T*> open;
  for (const T& one : all) {
    std::vector<Symbol> symbols;
    collect_symbols(declared(one), symbols);
    for (const Symbol& symbol : symbols) holders[symbol.name()].push_back(&one);
    open.push_back(&one);
  }
  for (; !open.empty(); open.pop_front()) {
    const std::optional<Symbol> symbol = take(*open.front());
    if (symbol) std::ranges::copy(holders[symbol->name()], std::back_inserter(open));
  }
}

// The symbol that the declaration determines once those of `known` are bound.
std::optional<Symbol> determined(const Dim& declared, const std::unordered_set<std::string_view>& known) {
  std::vector<Symbol> symbols;
  collect_symbols(declared, symbols);
  std::erase_if(symbols, [&](const Symbol& symbol) { return known.contains(symbol.name()); });
  if (symbols.size() != 1) return std::nullopt;
  const auto [factor, rest] = split(declared, *single_atom(symbols[0]));
  std::vector<Symbol> others;
  collect_symbols(factor, others);
  collect_symbols(rest, others);
  const bool linear = std::find(others.begin(), others.end(), symbols[0]) == others.end();
  if (!linear || equal(factor, 0) != Proof::no) return std::nullopt;
  return symbols[0];
}

}  // namespace

Bindings solve(std::span<const DimEquation> equations) {
  Solver solver;
  take_all<DimEquation>(
      equations, [](const DimEquation& equation) -> const Dim& { return equation.declared; },
      [&](const DimEquation& equation) { return solver.take(equation); });
  return solver.take_bindings();
}

std::vector<Symbol> solvable(std::span<const Dim> declared) {
  std::vector<Symbol> found;
  std::unordered_set<std::string_view> known;
  take_all<Dim>(
      declared, [](const Dim& dim) -> const Dim& { return dim; },
      [&](const Dim& dim) {
        const auto symbol = determined(dim, known);
        if (symbol) known.insert(found.emplace_back(*symbol).name());
        return symbol;
      });
  return found;
}

}  // namespace ingot
