#include "program/symbols.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <unordered_set>

#include "gen/fields.h"
#include "program/error.h"

namespace ingot {
namespace {

// Symbols by index, a bit each, so that a call takes over what its graph needs word by word.
class SymbolSet {
 public:
  explicit SymbolSet(size_t count) : words_((count + 63) / 64) {}

  bool contains(uint32_t symbol) const { return (words_[symbol / 64] >> symbol % 64 & 1) != 0; }
  void insert(uint32_t symbol) { words_[symbol / 64] |= uint64_t{1} << symbol % 64; }

  // f(symbol) for each that is in neither of the others, which f may add to.
  template <class F>
  void each_not_in(const SymbolSet& a, const SymbolSet& b, F&& f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i] & ~(a.words_[i] | b.words_[i]); left != 0; left &= left - 1) {
        f(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

// The graph whose op binds each symbol, if one does.
using Binders = std::vector<std::optional<uint32_t>>;

template <class F>
void each_symbol(const Dim& dim, const SymbolTable& table, F&& f) {
  if (dim.is_literal()) return;
  std::vector<Symbol> symbols;
  collect_symbols(dim, symbols);
  for (const Symbol& symbol : symbols) f(table.index_of(symbol));
}

template <class T, class F>
void each_field(const Op& op, F&& f) {
  visit_fields(op, [&](const FieldFacts&, const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, T>) f(field);
  });
}

Binders find_binders(const Program& program) {
  Binders binders(program.symbols.size());
  for (uint32_t graph = 0; graph < program.graphs.size(); ++graph) {
    for (const Node& node : program.graphs[graph].nodes) {
      each_field<SymbolId>(node.op, [&](SymbolId symbol) {
        if (binders[symbol.id]) {
          throw Error::mismatch(Code::invalid_argument, mnemonic(node.op),
                                fmt::format("symbol {}", program.symbols[symbol.id].name()), "bound twice",
                                "bound by one op")
              .at_node(program.graphs[graph].name);
        }
        binders[symbol.id] = graph;
      });
    }
  }
  return binders;
}

// Walks one graph in order, and returns what it needs: the symbols that it uses and does not bind.
class ScopeCheck {
 public:
  ScopeCheck(const Program& program, const SymbolTable& table, const Binders& binders, uint32_t self,
             const std::vector<SymbolSet>& needs_of)
      : program_(program),
        graph_(program.graphs[self]),
        table_(table),
        binders_(binders),
        self_(self),
        needs_of_(needs_of),
        bound_(program.symbols.size()),
        needed_(program.symbols.size()) {}

  SymbolSet run() {
    for (const Value& value : graph_.values) {
      if (value.kind != ValueKind::result) use(value.type.shape);
    }
    for (const Node& node : graph_.nodes) walk(node);
    if (graph_.exported) check_method();
    return std::move(needed_);
  }

 private:
  void use(uint32_t symbol) {
    if (bound_.contains(symbol) || needed_.contains(symbol)) return;
    if (binders_[symbol] == self_) refuse(symbol, "used before the op that binds it", "bound before its first use");
    needed_.insert(symbol);
  }
  // An expression that many types share counts once: what is in scope stays in scope.
  void use(const Dim& dim) {
    if (dim.is_literal() || !used_.insert(dim.terms().data()).second) return;
    each_symbol(dim, table_, [&](uint32_t symbol) { use(symbol); });
  }
  void use(const Shape& shape) {
    for (const Dim& dim : shape) use(dim);
  }

  void walk(const Node& node) {
    each_field<GraphId>(node.op, [&](GraphId callee) {
      needs_of_[callee.id].each_not_in(bound_, needed_, [&](uint32_t symbol) { use(symbol); });
    });
    each_field<Dim>(node.op, [&](const Dim& dim) { use(dim); });
    each_field<std::optional<Dim>>(node.op, [&](const std::optional<Dim>& dim) { use(dim.value_or(0)); });
    each_field<Shape>(node.op, [&](const Shape& shape) { use(shape); });
    each_field<SymbolId>(node.op, [&](SymbolId symbol) { bound_.insert(symbol.id); });
    for (uint32_t i = 0; i < node.result_count; ++i) use(graph_.type(Ref{node.first_result.id + i}).shape);
  }

  // What a method needs, its inputs must bind.
  void check_method() const {
    std::vector<Dim> declared;
    for (Ref input : graph_.inputs) {
      const Shape& shape = graph_.type(input).shape;
      declared.insert(declared.end(), shape.begin(), shape.end());
    }
    SymbolSet solved(program_.symbols.size());
    for (const Symbol& symbol : solvable(declared)) {
      if (const uint32_t index = table_.index_of(symbol); !binders_[index]) solved.insert(index);
    }
    needed_.each_not_in(solved, solved, [&](uint32_t symbol) {
      if (!binders_[symbol]) refuse(symbol, "never bound", "bound by the sizes of an input or by an op");
      refuse(symbol, fmt::format("bound by an op of graph '{}'", program_.graphs[*binders_[symbol]].name),
             "in scope only after that op");
    });
  }

  [[noreturn]] void refuse(uint32_t symbol, std::string actual, std::string expected) const {
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", program_.symbols[symbol].name()),
                          std::move(actual), std::move(expected))
        .at_node(graph_.name);
  }

  const Program& program_;
  const Graph& graph_;
  const SymbolTable& table_;
  const Binders& binders_;
  uint32_t self_;
  const std::vector<SymbolSet>& needs_of_;
  SymbolSet bound_, needed_;
  std::unordered_set<const DimTerm*> used_;
};

}  // namespace

SymbolTable::SymbolTable(const Program& program, uint64_t limit) : program_(program) {
  if (program.symbols.size() > limit) {
    throw Error::mismatch(Code::limit, "", "the number of symbols", fmt::format("{}", program.symbols.size()),
                          fmt::format("at most {}", limit));
  }
  for (uint32_t i = 0; i < program.symbols.size(); ++i) {
    if (!index_.try_emplace(program.symbols[i].name(), i).second) {
      throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", program.symbols[i].name()),
                            "declared twice", "declared once");
    }
  }
}

uint32_t SymbolTable::index_of(const Symbol& symbol) const {
  const auto found = index_.find(symbol.name());
  if (found == index_.end()) {
    throw Error::mismatch(Code::not_found, "", fmt::format("symbol {}", symbol.name()), "not declared",
                          "declared by the program");
  }
  const Symbol& declared = program_.symbols[found->second];
  if (declared.min() != symbol.min() || declared.max() != symbol.max()) {
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", symbol.name()),
                          fmt::format("{}..{}", symbol.min(), symbol.max()),
                          fmt::format("{}..{} as declared", declared.min(), declared.max()));
  }
  return found->second;
}

void SymbolTable::check_declared(const Dim& dim) const {
  each_symbol(dim, *this, [](uint32_t) {});
}

void check_symbol_scopes(const Program& program, const SymbolTable& symbols) {
  const Binders binders = find_binders(program);
  std::vector<SymbolSet> needs;
  needs.reserve(program.graphs.size());
  for (uint32_t i = 0; i < program.graphs.size(); ++i) {
    needs.push_back(ScopeCheck(program, symbols, binders, i, needs).run());
  }
}

}  // namespace ingot
