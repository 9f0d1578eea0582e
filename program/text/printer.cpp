// A program as text, in the grammar that the parser reads (docs/text.md).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "program/text.h"
#include "program/text/contents.h"
#include "program/text/fields.h"
#include "program/text/lexer.h"
#include "program/text/version.h"

namespace ingot {
namespace text {
namespace {

std::string name_text(std::string_view name) { return is_bare_name(name) ? std::string(name) : quoted(name); }

// Appends item(x) for each x, commas between.
template <class Range, class F>
void append_list(std::string& out, const Range& range, F&& item) {
  bool first = true;
  for (const auto& x : range) {
    if (!std::exchange(first, false)) out += ", ";
    item(x);
  }
}

// --------------------------------------------------------------------------------------------------------- attributes

// One overload for each type that an attribute may have. An optional one that is absent has no text.
class FieldText {
 public:
  explicit FieldText(const Program& program) : program_(program) {}

  std::string operator()(GraphId id) const { return "@" + name_text(program_.graphs[id.id].name); }
  std::string operator()(StateId id) const { return "@" + name_text(program_.states[id.id].name); }
  std::string operator()(SymbolId id) const { return program_.symbols[id.id].name(); }
  std::string operator()(const Dim& dim) const { return to_string(dim); }
  std::string operator()(const Shape& shape) const { return to_string(shape); }
  std::string operator()(const TensorType& type) const { return to_string(type); }
  std::string operator()(const Scalar& scalar) const { return to_string(scalar); }
  std::string operator()(const QuantScheme& scheme) const { return fmt::format("packed<{}>", to_string(scheme)); }
  std::string operator()(const std::string& text) const { return quoted(text); }
  std::string operator()(int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return real_text(number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  template <SchemaEnum E>
  std::string operator()(E value) const {
    return std::string(to_string(value));
  }
  template <class T>
  std::string operator()(const std::optional<T>& field) const {
    return field ? (*this)(*field) : std::string();
  }
  template <class T>
  std::string operator()(const std::vector<T>& fields) const {
    std::string out = "[";
    append_list(out, fields, [&](const T& field) { out += (*this)(field); });
    return out + "]";
  }
  std::string operator()(const NamedAttribute& attribute) const {
    const std::string name = name_text(attribute.name) + "=";
    if (!attribute.text.empty()) return name + (*this)(attribute.text);
    return name + (attribute.reals.empty() ? (*this)(attribute.ints) : (*this)(attribute.reals));
  }

 private:
  const Program& program_;
};

using Texts = std::vector<std::string>;

Texts default_texts(Opcode opcode) {
  const Program none;
  const Op standard = make_op(opcode);
  Texts texts;
  visit_attributes(standard, [&](size_t index, const FieldFacts& facts, const auto& field) {
    texts.resize(index + 1);
    if (!facts.required) texts[index] = FieldText(none)(field);
  });
  return texts;
}

// By opcode and number of the field; no text for those without a default. Texts are compared, not numbers: 0.0 equals
// -0.0.
const std::vector<Texts>& all_default_texts() {
  static const std::vector<Texts> all = [] {
    std::vector<Texts> texts;
    for (size_t i = 0; i < std::size(kOpFacts); ++i) texts.push_back(default_texts(static_cast<Opcode>(i)));
    return texts;
  }();
  return all;
}

// ---------------------------------------------------------------------------------------------------------- one graph

class GraphPrinter {
 public:
  GraphPrinter(const Program& program, const Graph& graph, bool types, std::string& out)
      : program_(program), graph_(graph), types_(types), out_(out) {}

  void print() {
    fmt::format_to(end(), "{} {}(", graph_.exported ? "method" : "graph", name_text(graph_.name));
    append_list(out_, graph_.inputs, [&](Ref input) {
      fmt::format_to(end(), "{}: {}", print_value(program_, graph_, input), to_string(graph_.type(input)));
    });
    out_ += ") -> (";
    append_list(out_, graph_.outputs, [&](const Output& output) {
      if (types_) fmt::format_to(end(), "{} ", to_string(graph_.type(output.value)));
      out_ += name_text(output.name);
    });
    out_ += ") {\n";
    for (const Node& node : graph_.nodes) {
      out_ += "  ";
      print(node);
      out_ += '\n';
    }
    out_ += graph_.outputs.empty() ? "  return" : "  return ";
    append_list(out_, graph_.outputs, [&](const Output& output) { print_operand(output.value); });
    out_ += "\n}\n";
  }

  void print(const Node& node) {
    std::vector<Ref> results;
    results.reserve(node.result_count);
    for (uint32_t i = 0; i < node.result_count; ++i) results.push_back({node.first_result.id + i});
    append_list(out_, results, [&](Ref result) { print_operand(result); });
    if (!results.empty()) out_ += " = ";
    out_ += mnemonic(node.op);
    print_operands(node.op);
    print_attributes_of(node.op);
    if (types_ && !results.empty()) {
      out_ += " : ";
      append_list(out_, results, [&](Ref result) { out_ += to_string(graph_.type(result)); });
    }
    print_location(node, results);
  }

 private:
  std::back_insert_iterator<std::string> end() { return std::back_inserter(out_); }

  // Absent operands are left out at the end, and `_` before others.
  void print_operands(const Op& op) {
    size_t last = 0, position = 0;
    visit_operands(op, [&](const FieldFacts&, const auto& field) {
      ++position;
      if (is_present(field)) last = position;
    });
    position = 0;
    visit_operands(op, [&](const FieldFacts&, const auto& field) {
      if (position == last) return;
      out_ += position++ == 0 ? " " : ", ";
      print_operand(field);
    });
  }

  template <class F>
  static bool is_present(const F&) {
    return true;
  }
  static bool is_present(const std::optional<Ref>& field) { return field.has_value(); }

  void print_operand(Ref value) { out_ += print_value(program_, graph_, value); }
  void print_operand(const std::optional<Ref>& value) { value ? print_operand(*value) : out_.push_back('_'); }
  void print_operand(const std::vector<Ref>& values) {
    out_ += '[';
    append_list(out_, values, [&](Ref value) { print_operand(value); });
    out_ += ']';
  }

  void print_attributes_of(const Op& op) {
    const std::vector<AttributeText> attributes = print_attributes(program_, op);
    if (attributes.empty()) return;
    out_ += " {";
    append_list(out_, attributes, [&](const AttributeText& a) { fmt::format_to(end(), "{}={}", a.name, a.text); });
    out_ += '}';
  }

  // A node is called as its first result with a name, unless it says otherwise.
  void print_location(const Node& node, const std::vector<Ref>& results) {
    const auto named = std::ranges::find_if(results, [&](Ref r) { return !graph_.values[r.id].name.empty(); });
    const std::string implied = named == results.end() ? std::string() : graph_.values[named->id].name;
    std::vector<std::string> parts;
    if (node.name != implied) parts.push_back("name=" + quoted(node.name));
    if (!node.source.op.empty()) parts.push_back("op=" + quoted(node.source.op));
    if (!node.source.file.empty()) parts.push_back("file=" + quoted(node.source.file));
    if (!parts.empty()) fmt::format_to(end(), " loc({})", fmt::join(parts, ", "));
  }

  const Program& program_;
  const Graph& graph_;
  bool types_;
  std::string& out_;
};

// ------------------------------------------------------------------------------------------------------------ program

class ProgramPrinter {
 public:
  ProgramPrinter(const Program& program, const TextOptions& options) : program_(program), options_(options) {}

  std::string print() {
    fmt::format_to(end(), "ingot {}\n", kTextVersion);
    print_group(program_.symbols, [&](const Symbol& symbol) { print_symbol(symbol); });
    if (names_file()) fmt::format_to(end(), "\nweights_from {}\n", quoted(options_.weights_from));
    print_group(program_.weights, [&](const Weight& weight) { print_weight(weight); });
    print_group(program_.states, [&](const State& state) { print_state(state); });
    for (const Graph& graph : program_.graphs) {
      out_ += '\n';
      GraphPrinter(program_, graph, options_.types, out_).print();
    }
    return std::move(out_);
  }

 private:
  std::back_insert_iterator<std::string> end() { return std::back_inserter(out_); }

  // One line each, an empty one before them.
  template <class T, class F>
  void print_group(const std::vector<T>& items, F&& line) {
    if (!items.empty()) out_ += '\n';
    for (const T& item : items) {
      line(item);
      out_ += '\n';
    }
  }

  void print_symbol(const Symbol& symbol) {
    fmt::format_to(end(), "symbol {}", symbol.name());
    if (symbol.min() == 0 && symbol.max() == kUnbounded) return;
    fmt::format_to(end(), " in {}..", symbol.min());
    if (symbol.max() != kUnbounded) fmt::format_to(end(), "{}", symbol.max());
  }

  bool by_hash(const Weight& weight) const {
    return weight.tensor && !weight.external &&
           std::cmp_greater(weight.tensor->bytes().size(), std::max<int64_t>(options_.inline_bytes, 0));
  }

  bool names_file() const {
    return !options_.weights_from.empty() &&
           std::ranges::any_of(program_.weights, [&](const Weight& weight) { return by_hash(weight); });
  }

  void print_weight(const Weight& weight) {
    fmt::format_to(end(), "weight @{} : {}", name_text(weight.name), to_string(weight.type));
    if (weight.is_missing()) return;
    out_ += " = ";
    if (weight.zeros) {
      out_ += "zeros";
    } else if (weight.external) {
      fmt::format_to(end(), "file {} tensor {} hash \"{}\"", quoted(weight.external->file),
                     quoted(weight.external->tensor), to_string(weight.hash));
    } else if (by_hash(weight)) {
      fmt::format_to(end(), "ref \"{}\"", to_string(weight.hash));
    } else {
      append_contents(out_, *weight.tensor);
    }
  }

  void print_state(const State& state) {
    fmt::format_to(end(), "state @{} : {} = ", name_text(state.name), to_string(state.type));
    out_ += state.initial ? "@" + name_text(program_.weights[state.initial->id].name) : "zeros";
  }

  const Program& program_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace
}  // namespace text

std::string print(const Program& program, const TextOptions& options) {
  return text::ProgramPrinter(program, options).print();
}

std::string print_node(const Program& program, const Graph& graph, const Node& node, bool types) {
  std::string out;
  text::GraphPrinter(program, graph, types, out).print(node);
  return out;
}

std::string print_value(const Program& program, const Graph& graph, Ref ref) {
  const Value& value = graph.values[ref.id];
  if (value.kind == ValueKind::weight) return "@" + text::name_text(program.weights[value.index].name);
  if (!value.name.empty()) {
    return "%" + (text::is_value_number(value.name) ? text::quoted(value.name) : text::name_text(value.name));
  }
  // By its node: the number of a value depends on when weights were first used.
  const Node& node = graph.nodes[value.index];
  if (node.result_count == 1) return fmt::format("%{}", value.index);
  return fmt::format("%{}.{}", value.index, ref.id - node.first_result.id);
}

std::vector<AttributeText> print_attributes(const Program& program, const Op& op) {
  std::vector<AttributeText> attributes;
  const text::FieldText write(program);
  const text::Texts& standard = text::all_default_texts()[op.index()];
  text::visit_attributes(op, [&](size_t index, const FieldFacts& facts, const auto& field) {
    std::string text = write(field);
    if (text != standard[index]) attributes.push_back({facts.name, std::move(text)});
  });
  return attributes;
}

}  // namespace ingot
