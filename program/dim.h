// Dim: a size, known now or when a method is called.
//
// A literal, or an integer expression over symbols: + - *, floor and ceiling division, mod, min, max. Dims are always in
// canonical form (a sum of products, sorted, like terms merged; the rules are in dim_rules.cpp), so most equal
// expressions are equal objects.
//
// Ownership  a Dim is a value; expressions are shared and immutable. A Symbol is shared, and identified by its name.
// Threads    immutable: any number of threads.
// Failure    arithmetic that leaves i64 throws Code::limit, as does a sum of more than kMaxDimTerms terms, or an
//            expression of more than kMaxDimAtoms atoms in all or kMaxDimDepth nested ones: so every function here is
//            cheap for every Dim. A divisor that is not provably positive throws Code::invalid_argument. Proofs and
//            printing never throw.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
inline constexpr size_t kMaxDimTerms = 64;
inline constexpr int kMaxDimDepth = 16;
inline constexpr size_t kMaxDimAtoms = 128;

bool is_identifier_char(char c);  // a letter, a digit or _
// Whether a symbol can have this name: such characters, and no digit in front.
bool is_identifier(std::string_view name);

// An identifier with inclusive bounds, 0 <= min <= max. Two symbols of one name are the same symbol; a Program declares
// each name once.
class Symbol {
 public:
  explicit Symbol(std::string name, int64_t min = 0, int64_t max = kUnbounded);

  const std::string& name() const { return data_->name; }
  int64_t min() const { return data_->min; }
  int64_t max() const { return data_->max; }

  bool operator==(const Symbol& other) const { return data_ == other.data_ || name() == other.name(); }

 private:
  struct Data {
    std::string name;
    int64_t min, max;
  };
  std::shared_ptr<const Data> data_;
};

struct DimRange {
  int64_t min, max;  // inclusive; the extremes of i64 stand for unbounded
};

struct DimAtom;

// coefficient · product of atoms. A literal has no atoms.
struct DimTerm {
  int64_t coefficient;
  std::vector<std::shared_ptr<const DimAtom>> atoms;
};

class Dim {
 public:
  Dim(int64_t literal = 0) : literal_(literal) {}  // NOLINT(google-explicit-constructor): sizes are mostly literals
  Dim(const Symbol& symbol);                       // NOLINT(google-explicit-constructor)

  bool is_literal() const { return !sum_; }
  // Precondition: is_literal().
  int64_t literal() const { return literal_; }
  // The symbol, when the expression is one symbol and nothing else.
  std::optional<Symbol> symbol() const;
  // The canonical sum, for whoever walks an expression. A literal has none: ask is_literal() first.
  std::span<const DimTerm> terms() const;

  // Structural equality of canonical forms: `equal` below also proves.
  bool operator==(const Dim& other) const;

 private:
  friend class DimBuilder;
  int64_t literal_ = 0;
  std::shared_ptr<const std::vector<DimTerm>> sum_;
};

// What cannot be split further: a symbol, or an operation on two sums. min and max of several operands lean right:
// min(x, min(y, z)).
struct DimAtom {
  enum class Kind { symbol, floor_div, min, max };
  Kind kind;
  std::optional<Symbol> symbol;  // kind symbol
  Dim a, b;                      // the others
  DimRange range;
  int depth = 0;    // nesting: 0 for a symbol
  size_t size = 1;  // atoms in all, this one included
};

Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, const Dim& b);
Dim floor_div(const Dim& a, const Dim& b);
Dim ceil_div(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);

// Text as the parser reads it: `2*S + 1`, `S / 4` (floor), `ceil(S, 4)`, `S % 4`, `min(S, T)`. Operators associate to the
// left, * / % bind tighter than + -, and a sum may begin with a minus. Read back by the operators it is the same Dim.
std::string to_string(const Dim& dim);

// Every symbol that occurs, each once, in order of appearance.
void collect_symbols(const Dim& dim, std::vector<Symbol>& into);

// ------------------------------------------------------------------------------------------------------------ proofs

enum class Proof { no, unknown, yes };

// Bounds that hold for every binding of the symbols within their own bounds.
DimRange range(const Dim& dim);
// yes: equal for every binding; no: for none.
Proof equal(const Dim& a, const Dim& b);
// yes: a <= b for every binding; no: a > b for every one.
Proof less_equal(const Dim& a, const Dim& b);

// --------------------------------------------------------------------------------------------------------- bindings

// Symbols and their sizes in one call.
class Bindings {
 public:
  std::optional<int64_t> find(const Symbol& symbol) const;
  // Throws Code::out_of_range outside the symbol's bounds, Code::type_mismatch when bound to another size.
  void bind(const Symbol& symbol, int64_t size);
  std::span<const std::pair<Symbol, int64_t>> entries() const { return entries_; }

 private:
  std::vector<std::pair<Symbol, int64_t>> entries_;
};

// Throws Code::invalid_argument when a symbol is unbound, Code::limit on overflow.
int64_t evaluate(const Dim& dim, const Bindings& bindings);
// The same expression with the bound symbols replaced. Throws Code::invalid_argument when that makes a divisor 0.
Dim substitute(const Dim& dim, const Bindings& bindings);

// One size that a caller gave, and what it was declared as.
struct DimEquation {
  Dim declared;
  int64_t actual;
  std::string where;  // for messages: `input x, axis 0`
};

// Binds every symbol that the equations determine: an equation linear in one unknown at a time. Throws when a size
// contradicts its declaration or a bound, naming `where` of each equation that takes part.
Bindings solve(std::span<const DimEquation> equations);
// The symbols that `solve` would bind, for any sizes.
std::vector<Symbol> solvable(std::span<const Dim> declared);

}  // namespace ingot
