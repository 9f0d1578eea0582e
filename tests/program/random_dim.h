// Random size expressions, an evaluator that knows nothing of canonical forms, and the properties that every Dim has.
// The tests draw from a seeded generator, the fuzzer from bytes.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/dim.h"
#include "program/error.h"

namespace ingot::random_dim {

__extension__ typedef __int128 Wide;

// A number in 0 … n-1.
using Choose = std::function<uint64_t(uint64_t n)>;

// ---------------------------------------------------------------------------------------------------- expressions

enum class Op { literal, symbol, add, sub, mul, floor_div, ceil_div, mod, min, max };

struct Expr {
  Op op;
  int64_t value = 0;  // the literal, or the index of the symbol
  std::vector<Expr> args;
};

inline std::vector<Symbol> random_symbols(const Choose& choose) {
  std::vector<Symbol> symbols;
  for (const char* name : {"A", "B", "C", "D"}) {
    const auto min = static_cast<int64_t>(choose(4));
    const int64_t spans[] = {0, 1, 7, 2044, int64_t{1} << 40, kUnbounded - min};
    symbols.emplace_back(name, min, min + spans[choose(6)]);
  }
  return symbols;
}

inline int64_t random_literal(const Choose& choose) {
  constexpr int64_t odd[] = {1 << 20, int64_t{1} << 40, int64_t{1} << 62, kUnbounded, -kUnbounded, -kUnbounded - 1};
  if (choose(32) == 0) return odd[choose(std::size(odd))];
  return static_cast<int64_t>(choose(24)) - 7;
}

inline Expr random_expr(const Choose& choose, int depth) {
  if (depth == 0 || choose(5) == 0) {
    if (choose(3) == 0) return {Op::literal, random_literal(choose), {}};
    return {Op::symbol, static_cast<int64_t>(choose(4)), {}};
  }
  const auto op = static_cast<Op>(2 + choose(8));
  Expr a = random_expr(choose, depth - 1), b = random_expr(choose, depth - 1);
  const bool divides = op == Op::floor_div || op == Op::ceil_div || op == Op::mod;
  if (divides && choose(4) != 0)
    b = {Op::literal, static_cast<int64_t>(1 + choose(9)), {}};
  else if (divides)
    b = {Op::max, 0, {std::move(b), {Op::literal, 1, {}}}};
  return {op, 0, {std::move(a), std::move(b)}};
}

inline Dim build(const Expr& e, const std::vector<Symbol>& symbols) {
  if (e.op == Op::literal) return e.value;
  if (e.op == Op::symbol) return symbols[static_cast<size_t>(e.value)];
  const Dim a = build(e.args[0], symbols), b = build(e.args[1], symbols);
  switch (e.op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::floor_div: return floor_div(a, b);
    case Op::ceil_div: return ceil_div(a, b);
    case Op::mod: return mod(a, b);
    case Op::min: return min(a, b);
    default: return max(a, b);
  }
}

inline Wide floor_of(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// The value of the tree, step by step; none where it leaves 100 bits.
inline std::optional<Wide> value(const Expr& e, const std::vector<int64_t>& sizes) {
  if (e.op == Op::literal) return e.value;
  if (e.op == Op::symbol) return sizes[static_cast<size_t>(e.value)];
  const auto a = value(e.args[0], sizes), b = value(e.args[1], sizes);
  if (!a || !b) return std::nullopt;
  Wide out = 0;
  switch (e.op) {
    case Op::add: out = *a + *b; break;
    case Op::sub: out = *a - *b; break;
    case Op::mul:
      if (__builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
      break;
    case Op::floor_div: out = floor_of(*a, *b); break;
    case Op::ceil_div: out = -floor_of(-*a, *b); break;
    case Op::mod: out = *a - *b * floor_of(*a, *b); break;
    case Op::min: out = *a < *b ? *a : *b; break;
    default: out = *a > *b ? *a : *b;
  }
  const Wide limit = Wide{1} << 100;
  return out < limit && out > -limit ? std::optional(out) : std::nullopt;
}

// As C++ that can be pasted into a test, given symbols A, B, C and D.
inline std::string code(const Expr& e) {
  constexpr const char* names[] = {"", "", "+", "-", "*", "floor_div", "ceil_div", "mod", "min", "max"};
  if (e.op == Op::literal) return fmt::format("Dim({})", e.value);
  if (e.op == Op::symbol) return fmt::format("Dim({})", static_cast<char>('A' + e.value));
  const char* name = names[static_cast<size_t>(e.op)];
  const std::string a = code(e.args[0]), b = code(e.args[1]);
  return e.op < Op::floor_div ? fmt::format("({} {} {})", a, name, b) : fmt::format("{}({}, {})", name, a, b);
}

// ---------------------------------------------------------------------------------------------------- round trips

// The Dim again, from its own parts.
inline Dim rebuild(const Dim& dim) {
  if (dim.is_literal()) return dim;
  Dim sum;
  for (const DimTerm& term : dim.terms()) {
    Dim product = term.coefficient;
    for (const auto& atom : term.atoms) {
      switch (atom->kind) {
        case DimAtom::Kind::symbol: product = product * *atom->symbol; break;
        case DimAtom::Kind::floor_div: product = product * floor_div(rebuild(atom->a), rebuild(atom->b)); break;
        case DimAtom::Kind::min: product = product * min(rebuild(atom->a), rebuild(atom->b)); break;
        case DimAtom::Kind::max: product = product * max(rebuild(atom->a), rebuild(atom->b)); break;
      }
    }
    sum = sum + product;
  }
  return sum;
}

// Reads what to_string prints. Precondition: the text is well formed.
class Reader {
 public:
  Reader(std::string_view text, const std::vector<Symbol>& symbols) : text_(text), symbols_(symbols) {}

  Dim sum() {
    const bool negative = accept('-');
    Dim out = product(negative);
    for (;;) {
      if (accept('+'))
        out = out + product(false);
      else if (accept('-'))
        out = out - product(false);
      else
        return out;
    }
  }

 private:
  Dim product(bool negative) {
    Dim out = factor(negative);
    for (;;) {
      if (accept('*'))
        out = out * factor(false);
      else if (accept('/'))
        out = floor_div(out, factor(false));
      else if (accept('%'))
        out = mod(out, factor(false));
      else
        return out;
    }
  }

  Dim factor(bool negative) {
    if (std::isdigit(peek())) return number(negative);
    const Dim out = accept('(') ? parenthesis() : name();
    return negative ? out * -1 : out;
  }

  Dim parenthesis() {
    Dim out = sum();
    accept(')');
    return out;
  }

  // The sign belongs to the number: -2^63 has no positive counterpart.
  Dim number(bool negative) {
    uint64_t digits = 0;
    for (; std::isdigit(peek()); ++at_) digits = digits * 10 + static_cast<uint64_t>(text_[at_] - '0');
    return static_cast<int64_t>(negative ? 0 - digits : digits);
  }

  Dim name() {
    peek();
    const size_t start = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    for (const Symbol& symbol : symbols_) {
      if (symbol.name() == word) return symbol;
    }
    accept('(');
    const Dim a = sum();
    accept(',');
    const Dim b = parenthesis();
    return word == "ceil" ? ceil_div(a, b) : word == "min" ? min(a, b) : max(a, b);
  }

  unsigned char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : 0;
  }

  bool accept(char c) {
    const bool found = peek() == static_cast<unsigned char>(c);
    at_ += found;
    return found;
  }

  std::string_view text_;
  const std::vector<Symbol>& symbols_;
  size_t at_ = 0;
};

// ----------------------------------------------------------------------------------------------------- properties

struct Case {
  std::vector<Symbol> symbols;
  Expr a, b;
  std::vector<std::vector<int64_t>> samples;  // sizes of the symbols, within their bounds
};

inline int64_t random_size(const Choose& choose, const Symbol& symbol) {
  const auto span = static_cast<uint64_t>(symbol.max() - symbol.min());
  const uint64_t reach[] = {0, 1, 12, 300, uint64_t{1} << 20};
  const uint64_t step = choose(std::min(span, reach[choose(5)]) + 1);
  return choose(8) == 0 ? symbol.max() - static_cast<int64_t>(step) : symbol.min() + static_cast<int64_t>(step);
}

inline Case random_case(const Choose& choose, int depth, int samples) {
  Case out{random_symbols(choose), random_expr(choose, depth), random_expr(choose, depth), {}};
  for (int i = 0; i < samples; ++i) {
    out.samples.emplace_back();
    for (const Symbol& symbol : out.symbols) out.samples.back().push_back(random_size(choose, symbol));
  }
  return out;
}

inline Bindings bindings_of(const Case& c, const std::vector<int64_t>& sizes) {
  Bindings out;
  for (size_t i = 0; i < c.symbols.size(); ++i) out.bind(c.symbols[i], sizes[i]);
  return out;
}

inline std::optional<Dim> try_build(const Expr& e, const std::vector<Symbol>& symbols) {
  try {
    return build(e, symbols);
  } catch (const Error&) {
    return std::nullopt;
  }
}

inline std::optional<int64_t> try_evaluate(const Dim& dim, const Bindings& bindings) {
  try {
    return evaluate(dim, bindings);
  } catch (const Error& error) {
    if (error.code() == Code::limit) return std::nullopt;
    throw;
  }
}

inline std::string failed_round_trip(const Case& c, const Dim& dim) {
  if (rebuild(dim) != dim) return fmt::format("rebuilt as {}", to_string(rebuild(dim)));
  const Dim read = Reader(to_string(dim), c.symbols).sum();
  return read == dim ? "" : fmt::format("read back as {}", to_string(read));
}

inline bool partly_bound_differs(const Case& c, const Dim& dim, const std::vector<int64_t>& sizes, int64_t value) {
  Bindings first;
  first.bind(c.symbols[0], sizes[0]);
  try {
    return evaluate(substitute(dim, first), bindings_of(c, sizes)) != value;
  } catch (const Error& error) {
    return error.code() != Code::limit;
  }
}

inline std::string failed_value(const Case& c, const Dim& dim, const std::vector<int64_t>& sizes) {
  const auto want = value(c.a, sizes);
  const auto got = try_evaluate(dim, bindings_of(c, sizes));
  if (!want) return "";
  const bool fits = *want == static_cast<int64_t>(*want);
  if (got && *got != *want) return fmt::format("is {}, expected {}", *got, *want);
  const DimRange bounds = range(dim);
  if (bounds.min != -kUnbounded - 1 && *want < bounds.min) return fmt::format("{} is below {}", *want, bounds.min);
  if (bounds.max != kUnbounded && *want > bounds.max) return fmt::format("{} is above {}", *want, bounds.max);
  if (fits && got && partly_bound_differs(c, dim, sizes, *got)) return "differs after substitution of A";
  return "";
}

inline std::string failed_proof(const Case& c, Proof same, Proof ordered, const std::vector<int64_t>& sizes) {
  const auto a = value(c.a, sizes), b = value(c.b, sizes);
  if (!a || !b) return "";
  if (same != Proof::unknown && (same == Proof::yes) != (*a == *b)) return fmt::format("equal is wrong: {} {}", *a, *b);
  if (ordered != Proof::unknown && (ordered == Proof::yes) != (*a <= *b)) {
    return fmt::format("less_equal is wrong: {} {}", *a, *b);
  }
  return "";
}

// What is wrong with the case, or nothing. `built` counts the cases that were no refusals.
inline std::string failure(const Case& c, int* built = nullptr) {
  const auto a = try_build(c.a, c.symbols), b = try_build(c.b, c.symbols);
  if (!a) return "";
  if (built) ++*built;
  const auto report = [&](const std::string& what, const std::vector<int64_t>& sizes) {
    std::string text;
    for (const Symbol& s : c.symbols)
      text += fmt::format("Symbol {0}(\"{0}\", {1}, {2}); ", s.name(), s.min(), s.max());
    return text + fmt::format("\na = {};  // {}\nb = {};\nsizes {}\na {}", code(c.a), to_string(*a), code(c.b),
                              fmt::join(sizes, ", "), what);
  };
  if (const auto what = failed_round_trip(c, *a); !what.empty()) return report(what, {});
  const Proof same = b ? equal(*a, *b) : Proof::unknown, ordered = b ? less_equal(*a, *b) : Proof::unknown;
  for (const auto& sizes : c.samples) {
    if (const auto what = failed_value(c, *a, sizes); !what.empty()) return report(what, sizes);
    if (const auto what = failed_proof(c, same, ordered, sizes); !what.empty()) return report(what, sizes);
  }
  return "";
}

// The failure of the smallest case that still fails, each expression cut down to one of its operands.
inline std::string smallest_failure(const Case& c) {
  const auto cut = [&](Expr Case::* which) -> std::string {
    for (const Expr& arg : (c.*which).args) {
      Case smaller = c;
      smaller.*which = arg;
      if (!failure(smaller).empty()) return smallest_failure(smaller);
    }
    return "";
  };
  if (auto text = cut(&Case::a); !text.empty()) return text;
  if (auto text = cut(&Case::b); !text.empty()) return text;
  return failure(c);
}

}  // namespace ingot::random_dim
