#include "program/text/parse_graph.h"

#include <fmt/format.h>

#include <utility>

#include "program/text/fields.h"
#include "program/text/parse_fields.h"
#include "program/text/parse_types.h"

namespace ingot::text {
namespace {

// Results may stay without names, but not so many that a short text makes a large program.
constexpr size_t kMostUnnamed = 64;

}  // namespace

GraphParser::GraphParser(Lexer& lexer, const Declared& declared, ProgramBuilder& program)
    : lexer_(lexer), declared_(declared), program_(program) {}

GraphId GraphParser::run(bool exported) {
  const size_t at = lexer_.at();
  const std::string_view name = lexer_.name("the name of a graph");
  declared_.graphs.check_new(lexer_, at, name);
  graph_ = exported ? &program_.method(std::string(name)) : &program_.graph(std::string(name));
  parse_list(lexer_, "(", ")", "in the inputs", [&] { parse_input(); });
  lexer_.expect("->", "after the inputs");
  std::vector<DeclaredOutput> outputs;
  parse_list(lexer_, "(", ")", "in the outputs", [&] { outputs.push_back(parse_output()); });
  lexer_.expect("{", "before the statements");
  while (!lexer_.at_word("return")) parse_statement();
  parse_return(outputs);
  lexer_.expect("}", "after return");
  return graph_->id();
}

// ---------------------------------------------------------------------------------------------------------- signature

void GraphParser::parse_input() {
  const Name name = parse_name("an input, such as %x: f32[2]");
  if (name.numbered) lexer_.fail(name.at, fmt::format("input %{} has no name, only a number", name.text));
  lexer_.expect(":", "after the name of an input");
  TensorType type = parse_type(lexer_, declared_);
  named_.check_new(lexer_, name.at, name.text);
  named_.add(lexer_, name.at, name.text, graph_->input(std::string(name.text), std::move(type)));
}

GraphParser::DeclaredOutput GraphParser::parse_output() {
  DeclaredOutput output;
  if (lexer_.at_type()) output.type = parse_declared_type();
  const size_t at = lexer_.at();
  output.name = lexer_.name("the name of an output");
  outputs_.add(lexer_, at, output.name, at);
  return output;
}

GraphParser::DeclaredType GraphParser::parse_declared_type() {
  const size_t at = lexer_.at();
  return {parse_type(lexer_, declared_), at};
}

void GraphParser::parse_return(const std::vector<DeclaredOutput>& outputs) {
  const size_t at = lexer_.at();
  lexer_.expect_word("return", "at the end of a graph");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0 ? !lexer_.accept(",") : lexer_.starts_with("}")) {
      lexer_.fail(at, fmt::format("return has {} values, expected {}", i, outputs.size()));
    }
    const Var value = parse_value();
    const DeclaredOutput& output = outputs[i];
    if (output.type)
      check_type(*output.type, value.type(), "", fmt::format("the declared type of output {}", shown(output.name)));
    graph_->output(std::string(output.name), value);
  }
  const bool more = outputs.empty() ? !lexer_.starts_with("}") && !lexer_.at_end() : lexer_.starts_with(",");
  if (more) lexer_.fail(at, fmt::format("return has more than {} values", outputs.size()));
}

void GraphParser::check_type(const DeclaredType& declared, const TensorType& inferred, std::string_view op,
                             std::string_view subject) const {
  if (declared.type == inferred || equal(declared.type, inferred) == Proof::yes) return;
  throw Error::mismatch(Code::type_mismatch, op, subject, to_string(declared.type), to_string(inferred))
      .at_place(lexer_.place(declared.at));
}

// --------------------------------------------------------------------------------------------------------- statements

void GraphParser::parse_statement() {
  if (!lexer_.line_start() && !graph_->graph().nodes.empty()) lexer_.fail_expected("the end of the line");
  const std::vector<Name> results = parse_results();
  const size_t at = lexer_.at();
  try {
    parse_node(results);
  } catch (Error& error) {
    throw error.at_place(lexer_.place(at));
  }
}

std::vector<GraphParser::Name> GraphParser::parse_results() {
  std::vector<Name> results;
  if (!lexer_.starts_with("%")) return results;
  do results.push_back(parse_name("the name of a result"));
  while (lexer_.accept(","));
  lexer_.expect("=", "after the results");
  return results;
}

void GraphParser::parse_node(const std::vector<Name>& results) {
  Op op = parse_mnemonic(lexer_);
  parse_operands(op);
  parse_attributes(lexer_, declared_, op);
  std::vector<DeclaredType> types;
  if (lexer_.accept(":")) {
    do types.push_back(parse_declared_type());
    while (lexer_.accept(","));
  }
  Location location = parse_location();
  lexer_.expect_line_end();

  const std::string op_name = mnemonic(op);
  for (const Name& name : results) {
    if (!location.name && !name.numbered) location.name = name.text;
  }
  graph_->set_node_name(std::string(location.name.value_or("")));
  graph_->set_source(std::move(location.source));
  check_unnamed(op, results.size());
  const std::vector<Var> values = graph_->add(std::move(op));
  for (const Var& value : values) check_rank(value.shape(), declared_.limits);
  const auto check_count = [&](size_t count, const char* what) {
    if (count == 0 || count == values.size()) return;
    throw Error::mismatch(Code::bad_text, op_name, fmt::format("the number of {}", what), fmt::format("{}", count),
                          fmt::format("{}, one for each result", values.size()));
  };
  check_count(results.size(), "names");
  check_count(types.size(), "types");
  for (size_t i = 0; i < types.size(); ++i) {
    check_type(types[i], values[i].type(), op_name, fmt::format("the declared type of result {}", i));
  }
  for (size_t i = 0; i < results.size(); ++i) define(results[i], values[i]);
}

// Before inference, whose time grows with the outputs of the graphs that an op runs.
void GraphParser::check_unnamed(const Op& op, size_t names) const {
  visit_fields(op, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(field)>, GraphId>) {
      const Graph& graph = declared_.program.graphs[field.id];
      if (graph.outputs.size() <= names + kMostUnnamed) return;
      throw Error::mismatch(Code::bad_text, mnemonic(op),
                            fmt::format("the number of outputs of {} '{}'", facts.name, graph.name),
                            fmt::format("{}", graph.outputs.size()),
                            fmt::format("at most {} more than the {} names of results", kMostUnnamed, names));
    }
  });
}

void GraphParser::define(const Name& name, Var value) {
  if (name.numbered) return numbered_.add(lexer_, name.at, name.text, value);
  named_.add(lexer_, name.at, name.text, value);
  graph_->name_value(value, std::string(name.text));
}

GraphParser::Location GraphParser::parse_location() {
  Location location;
  if (!lexer_.accept_word("loc")) return location;
  unsigned given = 0;
  parse_list(lexer_, "(", ")", "in loc", [&] {
    static constexpr std::string_view parts[] = {"name", "op", "file"};
    const size_t at = lexer_.at();
    const size_t part = parse_choice(lexer_, "part of loc", parts);
    if (given & 1u << part) lexer_.fail(at, fmt::format("{} is given twice in loc", parts[part]));
    given |= 1u << part;
    lexer_.expect("=", "in loc");
    const std::string_view value = lexer_.string("a string");
    if (part == 0) location.name = value;
    if (part == 1) location.source.op = value;
    if (part == 2) location.source.file = value;
  });
  return location;
}

// ----------------------------------------------------------------------------------------------------------- operands

GraphParser::Name GraphParser::parse_name(std::string_view what) {
  const size_t at = lexer_.at();
  const bool in_quotes = lexer_.starts_with("%\"");
  const std::string_view text = lexer_.name_after('%', what);
  return {text, !in_quotes && is_value_number(text), at};
}

Var GraphParser::parse_value() {
  const size_t at = lexer_.at();
  if (lexer_.starts_with("@"))
    return graph_->weight(declared_.weights.find(lexer_, at, lexer_.name_after('@', "a weight")));
  const Name name = parse_name("a value");
  return (name.numbered ? numbered_ : named_).find(lexer_, at, name.text);
}

// Reads one operand after the other, as visit_operands asks for them.
class GraphParser::OperandParser {
 public:
  OperandParser(GraphParser& graph, const Op& op) : graph_(graph), lexer_(graph.lexer_), op_(op) {}

  void operator()(const FieldFacts& facts, Ref& field) {
    if (!next()) fail_missing(facts);
    if (lexer_.at_word("_")) fail(fmt::format("operand '{}' is mandatory", facts.name));
    field = graph_.parse_value().ref();
  }
  void operator()(const FieldFacts&, std::optional<Ref>& field) {
    if (next() && !lexer_.accept_word("_")) field = graph_.parse_value().ref();
  }
  void operator()(const FieldFacts& facts, std::vector<Ref>& field) {
    if (next()) {
      parse_list(lexer_, "[", "]", fmt::format("in '{}'", facts.name),
                 [&] { field.push_back(graph_.parse_value().ref()); });
    } else if (facts.required) {
      fail_missing(facts);
    }
  }

  void finish() {
    if (next()) fail("there are too many operands");
  }

 private:
  // The first operand stands on the line of the op, each other after a comma.
  bool next() {
    if (ended_) return false;
    ended_ = first_ ? lexer_.line_start() || !at_operand() : !lexer_.accept(",") || lexer_.starts_with("{");
    first_ = false;
    return !ended_;
  }

  bool at_operand() const {
    return lexer_.starts_with("%") || lexer_.starts_with("@") || lexer_.starts_with("[") || lexer_.at_word("_");
  }

  [[noreturn]] void fail(const std::string& problem) const { lexer_.fail(lexer_.at(), with_signature(problem)); }
  // What is not there has no place: the op has.
  [[noreturn]] void fail_missing(const FieldFacts& facts) const {
    throw Error(Code::bad_text, with_signature(fmt::format("operand '{}' is missing", facts.name)));
  }

  std::string with_signature(const std::string& problem) const {
    std::vector<std::string> names;
    visit_operands(op_, [&](const FieldFacts& facts, const auto& field) {
      using F = std::remove_cvref_t<decltype(field)>;
      const char* pattern = std::same_as<F, std::vector<Ref>> ? "[{}]" : std::same_as<F, Ref> ? "{}" : "{} or _";
      names.push_back(fmt::format(fmt::runtime(pattern), facts.name));
    });
    const std::string takes = names.empty() ? "no operands" : fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}: {} takes {}", problem, mnemonic(op_), takes);
  }

  GraphParser& graph_;
  Lexer& lexer_;
  const Op& op_;
  bool first_ = true, ended_ = false;
};

void GraphParser::parse_operands(Op& op) {
  OperandParser parser(*this, op);
  visit_operands(op, parser);
  parser.finish();
}

}  // namespace ingot::text
