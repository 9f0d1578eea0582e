#include "program/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/fields.h"
#include "program/error.h"

namespace ingot {
namespace {

// The graph whose op binds each symbol, if one does.
using Binders = std::vector<std::optional<uint32_t>>;

template <class F>
void each_symbol(const Dim& dim, const SymbolTable& table, F&& f) {
  if (dim.is_literal()) return;
  std::vector<Symbol> symbols;
  collect_symbols(dim, symbols);
  for (const Symbol& symbol : symbols) f(table.index_of(symbol));
}

template <class F>
void each_symbol(const TensorType& type, const SymbolTable& table, F&& f) {
  for (const Dim& dim : type.shape) each_symbol(dim, table, f);
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
          throw Error::mismatch(Code::invalid_argument, mnemonic(node.op), fmt::format("symbol {}", program.symbols[symbol.id].name()),
                                "bound twice", "bound by one op").at_node(program.graphs[graph].name);
        }
        binders[symbol.id] = graph;
      });
    }
  }
  return binders;
}

// Walks one graph in order. `needs` collects what it uses without binding it.
class ScopeCheck {
 public:
  ScopeCheck(const Program& program, const SymbolTable& table, const Binders& binders, uint32_t self,
             const std::vector<std::vector<uint32_t>>& needs_of)
      : program_(program), graph_(program.graphs[self]), table_(table), binders_(binders), self_(self), needs_of_(needs_of),
        bound_(program.symbols.size()), needed_(program.symbols.size()) {}

  std::vector<uint32_t> run() {
    for (const Value& value : graph_.values) {
      if (value.kind != ValueKind::result) use(value.type);
    }
    for (const Node& node : graph_.nodes) walk(node);
    if (graph_.exported) check_method();
    return std::move(needs_);
  }

 private:
  void use(uint32_t symbol) {
    if (bound_[symbol] || needed_[symbol]) return;
    if (binders_[symbol] == self_) refuse(symbol, "used before the op that binds it", "bound before its first use");
    needed_[symbol] = true;
    needs_.push_back(symbol);
  }
  void use(const TensorType& type) {
    each_symbol(type, table_, [&](uint32_t symbol) { use(symbol); });
  }

  void walk(const Node& node) {
    each_field<GraphId>(node.op, [&](GraphId callee) {
      for (uint32_t symbol : needs_of_[callee.id]) use(symbol);
    });
    each_field<Dim>(node.op, [&](const Dim& dim) { each_symbol(dim, table_, [&](uint32_t symbol) { use(symbol); }); });
    each_field<Shape>(node.op, [&](const Shape& shape) {
      for (const Dim& dim : shape) each_symbol(dim, table_, [&](uint32_t symbol) { use(symbol); });
    });
    each_field<SymbolId>(node.op, [&](SymbolId symbol) { bound_[symbol.id] = true; });
    for (uint32_t i = 0; i < node.result_count; ++i) use(graph_.values[node.first_result.id + i].type);
  }

  // What a method needs, its inputs must bind.
  void check_method() const {
    std::vector<Dim> declared;
    for (Ref input : graph_.inputs) {
      const Shape& shape = graph_.type(input).shape;
      declared.insert(declared.end(), shape.begin(), shape.end());
    }
    std::vector<bool> solved(program_.symbols.size());
    for (const Symbol& symbol : solvable(declared)) solved[table_.index_of(symbol)] = true;
    for (uint32_t symbol : needs_) {
      if (binders_[symbol]) refuse(symbol, fmt::format("bound by an op of graph '{}'", program_.graphs[*binders_[symbol]].name), "in scope only after that op");
      if (!solved[symbol]) refuse(symbol, "never bound", "bound by the sizes of an input or by an op");
    }
  }

  [[noreturn]] void refuse(uint32_t symbol, std::string actual, std::string expected) const {
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", program_.symbols[symbol].name()), std::move(actual), std::move(expected))
        .at_node(graph_.name);
  }

  const Program& program_;
  const Graph& graph_;
  const SymbolTable& table_;
  const Binders& binders_;
  uint32_t self_;
  const std::vector<std::vector<uint32_t>>& needs_of_;
  std::vector<bool> bound_, needed_;
  std::vector<uint32_t> needs_;
};

}  // namespace

SymbolTable::SymbolTable(const Program& program, uint64_t limit) : program_(program) {
  if (program.symbols.size() > limit) {
    throw Error::mismatch(Code::limit, "", "the number of symbols", fmt::format("{}", program.symbols.size()), fmt::format("at most {}", limit));
  }
  for (uint32_t i = 0; i < program.symbols.size(); ++i) {
    if (!index_.try_emplace(program.symbols[i].name(), i).second) {
      throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", program.symbols[i].name()), "declared twice", "declared once");
    }
  }
}

uint32_t SymbolTable::index_of(const Symbol& symbol) const {
  const auto found = index_.find(symbol.name());
  if (found == index_.end()) throw Error::mismatch(Code::not_found, "", fmt::format("symbol {}", symbol.name()), "not declared", "declared by the program");
  const Symbol& declared = program_.symbols[found->second];
  if (declared.min() != symbol.min() || declared.max() != symbol.max()) {
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("symbol {}", symbol.name()), fmt::format("{}..{}", symbol.min(), symbol.max()),
                          fmt::format("{}..{} as declared", declared.min(), declared.max()));
  }
  return found->second;
}

void SymbolTable::check_declared(const Dim& dim) const {
  each_symbol(dim, *this, [](uint32_t) {});
}

void check_symbol_scopes(const Program& program, const SymbolTable& symbols) {
  const Binders binders = find_binders(program);
  std::vector<std::vector<uint32_t>> needs;
  for (uint32_t i = 0; i < program.graphs.size(); ++i) needs.push_back(ScopeCheck(program, symbols, binders, i, needs).run());
}

}  // namespace ingot
