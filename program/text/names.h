// NameTable: what a text has defined so far, by name.
//
// Ownership  views the names, which live in the text or its Lexer.
// Failure    Code::bad_text for a name that is defined twice or not at all, with the nearest one that is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "program/text/lexer.h"
#include "program/text/suggest.h"
#include "program/verify.h"

namespace ingot::text {

// The name as messages show it: bare where it can be, not longer than a line.
std::string shown(std::string_view name);

template <class Id>
class NameTable {
 public:
  explicit NameTable(std::string_view kind) : kind_(kind) {}  // `weight @`

  void check_new(const Lexer& lexer, size_t at, std::string_view name) const {
    if (ids_.contains(name)) lexer.fail(at, fmt::format("{}{} is defined already", kind_, shown(name)));
  }
  void add(const Lexer& lexer, size_t at, std::string_view name, Id id) {
    check_new(lexer, at, name);
    ids_.emplace(name, id);
  }
  Id find(const Lexer& lexer, size_t at, std::string_view name) const {
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    lexer.fail(at, fmt::format("{}{} is not defined above{}", kind_, shown(name), did_you_mean(name, names())));
  }

 private:
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    all.reserve(ids_.size());
    for (const auto& [name, id] : ids_) all.push_back(name);
    std::sort(all.begin(), all.end());  // so that a tie is always broken in the same way
    return all;
  }

  std::string_view kind_;
  std::unordered_map<std::string_view, Id> ids_;
};

// The declarations of a program, and how large it may get.
struct Declared {
  const Program& program;
  const Limits& limits;
  NameTable<SymbolId> symbols{"symbol "};
  NameTable<WeightId> weights{"weight @"};
  NameTable<StateId> states{"state @"};
  NameTable<GraphId> graphs{"graph @"};
};

}  // namespace ingot::text
