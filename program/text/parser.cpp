// The declarations of a text, one after the other.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/builder.h"
#include "program/text.h"
#include "program/text/contents.h"
#include "program/text/lexer.h"
#include "program/text/names.h"
#include "program/text/parse_graph.h"
#include "program/text/parse_types.h"
#include "program/text/version.h"

namespace ingot {
namespace text {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : lexer_(text, options.file), options_(options), declared_{builder_.program(), options.limits} {}

  Program run() {
    parse_version();
    while (!lexer_.at_end()) parse_declaration();
    try {
      return builder_.build(options_.limits);
    } catch (Error& error) {
      throw error.at_place(place_of_graph(error.node()));
    }
  }

 private:
  void parse_version() {
    const size_t at = lexer_.at();
    lexer_.expect_word("ingot", "and the format version at the start of the text, as in 'ingot 1'");
    const int64_t version = lexer_.integer("the format version");
    lexer_.expect_line_end();
    if (version == kTextVersion) return;
    const std::string message =
        fmt::format("the text has format version {}, this build reads version {}{}", version, kTextVersion,
                    version > kTextVersion ? "; a newer build of Ingot reads it" : "");
    throw Error(Code::version, message).at_place(lexer_.place(at));
  }

  void parse_declaration() {
    struct Declaration {
      std::string_view word;
      void (Parser::*parse)();
    };
    static constexpr Declaration declarations[] = {
        {"symbol", &Parser::parse_symbol}, {"weights_from", &Parser::parse_weights_from},
        {"weight", &Parser::parse_weight}, {"state", &Parser::parse_state},
        {"graph", &Parser::parse_graph},   {"method", &Parser::parse_method},
    };
    if (!lexer_.line_start()) lexer_.fail_expected("the end of the line");
    const size_t at = lexer_.at();
    for (const Declaration& declaration : declarations) {
      if (!lexer_.accept_word(declaration.word)) continue;
      try {
        return (this->*declaration.parse)();
      } catch (Error& error) {
        throw error.at_place(lexer_.place(at));
      }
    }
    lexer_.fail_expected("symbol, weights_from, weight, state, graph or method");
  }

  // symbol S in 1..4096
  void parse_symbol() {
    const size_t at = lexer_.at();
    const std::string_view name = lexer_.identifier("the name of a symbol");
    int64_t min = 0, max = kUnbounded;
    if (lexer_.accept_word("in")) {
      min = lexer_.integer("the least size");
      lexer_.expect("..", "after the least size");
      if (!lexer_.line_start() && lexer_.at_number()) max = lexer_.integer("the largest size");
    }
    lexer_.expect_line_end();
    declared_.symbols.check_new(lexer_, at, name);
    const auto id = static_cast<uint32_t>(builder_.program().symbols.size());
    builder_.symbol(std::string(name), min, max);
    declared_.symbols.add(lexer_, at, name, SymbolId{id});
  }

  void parse_weights_from() {
    files_.emplace_back(lexer_.string("the name of a file, in quotes"));
    lexer_.expect_line_end();
  }

  // weight @w : f32[2] = [1, 2], or without contents: weight @w : f32[2]
  void parse_weight() {
    const size_t at = lexer_.at();
    const std::string_view name = lexer_.name_after('@', "the name of a weight, such as @w");
    declared_.weights.check_new(lexer_, at, name);
    lexer_.expect(":", "after the name of a weight");
    Weight weight{.name = std::string(name), .type = parse_literal_type("weight", name)};
    if (lexer_.accept("=")) {
      parse_source(weight);
    } else if (!lexer_.line_start() && !lexer_.at_end()) {
      lexer_.fail_expected("'=' or the end of the line after the type of a weight");
    }
    lexer_.expect_line_end();
    if (weight.tensor && weight.tensor->type() != weight.type) {
      throw Error::mismatch(Code::type_mismatch, "",
                            fmt::format("the type of weight @{} where it is kept", shown(name)),
                            to_string(weight.tensor->type()), to_string(weight.type));
    }
    declared_.weights.add(lexer_, at, name, builder_.weight(std::move(weight)));
  }

  // What is there before any call knows no symbols.
  TensorType parse_literal_type(std::string_view kind, std::string_view name) {
    const size_t at = lexer_.at();
    TensorType type = parse_type(lexer_, declared_);
    if (literal_sizes(type.shape)) return type;
    lexer_.fail(at,
                fmt::format("the type of {} @{} is {}, expected literal sizes", kind, shown(name), to_string(type)));
  }

  // Where the contents are, or themselves.
  void parse_source(Weight& weight) {
    if (lexer_.accept_word("zeros")) {
      weight.zeros = true;
    } else if (lexer_.accept_word("ref")) {
      weight.hash = parse_hash();
      weight.tensor = resolve(weight.hash);
    } else if (lexer_.accept_word("file")) {
      parse_external(weight);
    } else {
      weight.tensor = text::parse_contents(lexer_, weight.type);
      weight.hash = content_hash(*weight.tensor);
    }
  }

  // file "model.safetensors" tensor "w" hash "…": a hash that is given is taken, so that the file need not be read.
  void parse_external(Weight& weight) {
    ExternalTensor& external = weight.external.emplace();
    external.file = lexer_.string("the name of a file, in quotes");
    lexer_.expect_word("tensor", "after the name of a file");
    external.tensor = lexer_.string("the name of a tensor, in quotes");
    if (!options_.load_external) {
      throw Error(Code::not_found, fmt::format("tensor {} is kept in {}, and external files are not read here",
                                               quoted(external.tensor), quoted(external.file)));
    }
    weight.tensor = options_.load_external(external, weight.type);
    weight.hash = lexer_.accept_word("hash") ? parse_hash() : content_hash(*weight.tensor);
  }

  // 32 hexadecimal digits, the high half first.
  ContentHash parse_hash() {
    const size_t at = lexer_.at();
    const std::string_view digits = lexer_.string("a content hash, in quotes");
    uint64_t halves[2] = {};
    for (size_t i = 0; i < digits.size() && i < 32; ++i) {
      const int digit = hex_digit(digits[i]);
      if (digit < 0) lexer_.fail(at, "a content hash consists of hexadecimal digits");
      halves[i / 16] = halves[i / 16] << 4 | static_cast<uint64_t>(digit);
    }
    if (digits.size() != 32) lexer_.fail(at, fmt::format("a content hash has {} digits, expected 32", digits.size()));
    return {.low = halves[1], .high = halves[0]};
  }

  Tensor resolve(const ContentHash& hash) {
    auto found = options_.resolve_ref ? options_.resolve_ref(hash, files_) : std::nullopt;
    if (found) return *std::move(found);
    const std::string files =
        files_.empty() ? "and weights_from names no file" : fmt::format("looked in {}", fmt::join(files_, ", "));
    throw Error(Code::not_found, fmt::format("no weight has the hash {}, {}", to_string(hash), files));
  }

  // state @kv : f32[2, 128] = zeros
  void parse_state() {
    const size_t at = lexer_.at();
    const std::string_view name = lexer_.name_after('@', "the name of a state, such as @cache");
    declared_.states.check_new(lexer_, at, name);
    lexer_.expect(":", "after the name of a state");
    TensorType type = parse_literal_type("state", name);
    lexer_.expect("=", "after the type of a state");
    std::optional<WeightId> initial;
    if (!lexer_.accept_word("zeros")) {
      const size_t weight_at = lexer_.at();
      initial = declared_.weights.find(lexer_, weight_at, lexer_.name_after('@', "zeros, or a weight such as @w"));
    }
    lexer_.expect_line_end();
    declared_.states.add(lexer_, at, name, builder_.state(std::string(name), std::move(type), initial));
  }

  void parse_graph() { parse_any_graph(false); }
  void parse_method() { parse_any_graph(true); }

  void parse_any_graph(bool exported) {
    const size_t at = lexer_.at();
    const GraphId id = GraphParser(lexer_, declared_, builder_).run(exported);
    lexer_.expect_line_end();
    const std::string& name = graph_names_.emplace_back(builder_.program().graphs[id.id].name);
    declared_.graphs.add(lexer_, at, name, id);
    graph_places_.emplace(name, at);
  }

  // The verifier names the graph; its node, if any, comes after a colon.
  std::string place_of_graph(std::string_view node) const {
    const auto found = graph_places_.find(node.substr(0, node.find(": ")));
    return lexer_.place(found == graph_places_.end() ? 0 : found->second);
  }

  Lexer lexer_;
  const ParseOptions& options_;
  ProgramBuilder builder_;
  Declared declared_;
  std::vector<std::string> files_;
  std::deque<std::string> graph_names_;
  std::unordered_map<std::string_view, size_t> graph_places_;
};

}  // namespace
}  // namespace text

Program parse(std::string_view contents, const ParseOptions& options) { return text::Parser(contents, options).run(); }

}  // namespace ingot
