// Symbols of a program: declared once, bound once, in scope where a size uses them.
//
// A symbol is bound by the sizes of a method's inputs, or by one op (`nonzero`, `item`) of one graph. A sub-graph runs
// with the symbols of its caller, so what it uses and does not bind itself must be in scope at every call.
//
// Threads    pure functions. Failure  Error that names symbol and graph.
#pragma once

#include <string_view>
#include <unordered_map>

#include "program/program.h"

namespace ingot {

// The declared symbols by name. Views the program, which must outlive it.
class SymbolTable {
 public:
  // Throws when a name is declared twice or there are more symbols than `limit`.
  SymbolTable(const Program& program, uint64_t limit);

  // Throws unless declared, with the same bounds.
  uint32_t index_of(const Symbol& symbol) const;
  // Throws unless every symbol of the expression is declared.
  void check_declared(const Dim& dim) const;

 private:
  const Program& program_;
  std::unordered_map<std::string_view, uint32_t> index_;
};

// Every symbol that a graph uses is bound before; none is bound twice.
void check_symbol_scopes(const Program& program, const SymbolTable& symbols);

}  // namespace ingot
