// Graphs and methods: the signature, the statements, the return.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/builder.h"
#include "program/text/lexer.h"
#include "program/text/names.h"

namespace ingot::text {

// Reads one graph, from its name to its `}`, into a ProgramBuilder.
//
// Failure    Code::bad_text, or the builder's error with the place of the statement that it refused.
class GraphParser {
 public:
  GraphParser(Lexer& lexer, const Declared& declared, ProgramBuilder& program);

  GraphId run(bool exported);

 private:
  struct Name {
    std::string_view text;
    bool numbered;  // %12 or %12.1, which is no name of the program
    size_t at;
  };
  struct DeclaredType {
    TensorType type;
    size_t at;
  };
  struct DeclaredOutput {
    std::string_view name;
    std::optional<DeclaredType> type;
  };
  struct Location {
    std::optional<std::string_view> name;
    Source source;
  };

  void parse_input();
  DeclaredOutput parse_output();
  DeclaredType parse_declared_type();
  void parse_statement();
  void parse_node(const std::vector<Name>& results);
  std::vector<Name> parse_results();
  Location parse_location();
  void parse_return(const std::vector<DeclaredOutput>& outputs);

  Name parse_name(std::string_view what);
  Var parse_value();
  void parse_operands(Op& op);
  void check_unnamed(const Op& op, size_t names) const;
  void define(const Name& name, Var value);
  void check_type(const DeclaredType& declared, const TensorType& inferred, std::string_view op,
                  std::string_view subject) const;

  class OperandParser;

  Lexer& lexer_;
  const Declared& declared_;
  ProgramBuilder& program_;
  GraphBuilder* graph_ = nullptr;
  NameTable<Var> named_{"value %"}, numbered_{"value %"};
  NameTable<size_t> outputs_{"output "};
};

}  // namespace ingot::text
