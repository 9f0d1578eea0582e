#include "program/text/parse_fields.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "gen/fields.h"
#include "program/text/fields.h"
#include "program/text/parse_types.h"

namespace ingot::text {
namespace {

const Mnemonic* find_mnemonic(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Mnemonic*> all;
    for (const Mnemonic& mnemonic : kMnemonics) all.emplace(mnemonic.name, &mnemonic);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

std::string nearest_mnemonic(std::string_view name) {
  std::array<std::string_view, std::size(kMnemonics)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kMnemonics[i].name;
  return did_you_mean(name, names);
}

// One overload for each type that an attribute may have.
class FieldParser {
 public:
  FieldParser(Lexer& lexer, const Declared& declared) : lexer_(lexer), declared_(declared) {}

  void read(GraphId& field) { field = named(declared_.graphs, "a graph, such as @body"); }
  void read(StateId& field) { field = named(declared_.states, "a state, such as @cache"); }
  void read(SymbolId& field) {
    const size_t at = lexer_.at();
    field = declared_.symbols.find(lexer_, at, lexer_.identifier("a symbol"));
  }
  void read(Dim& field) { field = parse_dim(lexer_, declared_); }
  void read(Shape& field) { field = parse_shape(lexer_, declared_); }
  void read(TensorType& field) { field = parse_type(lexer_, declared_); }
  void read(Scalar& field) { field = parse_scalar(lexer_); }
  void read(QuantScheme& field) { field = parse_scheme(lexer_); }
  void read(std::string& field) { field = lexer_.string("a string"); }
  void read(int64_t& field) { field = lexer_.integer("an integer"); }
  void read(double& field) { field = lexer_.real("a number"); }
  void read(bool& field) { field = lexer_.boolean("an attribute"); }
  template <SchemaEnum E>
  void read(E& field) {
    field = parse_enum_value<E>(lexer_, "value");
  }
  template <class T>
  void read(std::optional<T>& field) {
    read(field.emplace());
  }
  template <class T>
  void read(std::vector<T>& field) {
    field.clear();
    parse_list(lexer_, "[", "]", "in a list", [&] { read(field.emplace_back()); });
  }

  // `alpha=[0.5]`, `mode="fast"`: a list with one real is a list of reals.
  void read(NamedAttribute& field) {
    field.name = lexer_.name("the name of an attribute");
    lexer_.expect("=", "after the name of an attribute");
    if (lexer_.starts_with("\"")) return read(field.text);
    std::vector<Number> numbers;
    bool integers = true;
    parse_list(lexer_, "[", "]", "in a list of numbers", [&] {
      numbers.push_back(lexer_.number("a number"));
      integers = integers && numbers.back().integer;
    });
    for (const Number& number : numbers) {
      const bool fits = integers ? append(field.ints, integer_of<int64_t>(number.text))
                                 : append(field.reals, real_of<double>(number.text));
      if (!fits)
        lexer_.fail(number.at, fmt::format("{} does not fit into {}", shown(number.text), integers ? "i64" : "f64"));
    }
  }

 private:
  template <class Id>
  Id named(const NameTable<Id>& table, std::string_view what) {
    const size_t at = lexer_.at();
    return table.find(lexer_, at, lexer_.name_after('@', what));
  }

  template <class T>
  static bool append(std::vector<T>& list, std::optional<T> value) {
    if (value) list.push_back(*value);
    return value.has_value();
  }

  Lexer& lexer_;
  const Declared& declared_;
};

std::vector<std::string_view> attribute_names(const Op& op) {
  std::vector<std::string_view> names;
  visit_attributes(op, [&](size_t, const FieldFacts& facts, const auto&) { names.push_back(facts.name); });
  return names;
}

// Ops have a handful of fields: `given` has a bit for each.
void parse_attribute(Lexer& lexer, const Declared& declared, Op& op, uint64_t& given) {
  const size_t at = lexer.at();
  const std::string_view name = lexer.identifier("the name of an attribute");
  bool known = false;
  visit_attributes(op, [&](size_t index, const FieldFacts& facts, auto& field) {
    if (facts.name != name) return;
    known = true;
    if (given & uint64_t{1} << index) lexer.fail(at, fmt::format("attribute '{}' is given twice", name));
    given |= uint64_t{1} << index;
    lexer.expect("=", fmt::format("after '{}'", name));
    FieldParser(lexer, declared).read(field);
  });
  if (known) return;
  const std::vector<std::string_view> names = attribute_names(op);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = names.empty() ? "; it has none" : fmt::format("; it has {}", fmt::join(names, ", "));
  lexer.fail(at, fmt::format("{} has no attribute '{}'{}", mnemonic(op), shown(name), hint));
}

}  // namespace

Op parse_mnemonic(Lexer& lexer) {
  const size_t at = lexer.at();
  const std::string_view name = lexer.identifier("an op");
  const Mnemonic* found = find_mnemonic(name);
  if (!found) lexer.fail(at, fmt::format("unknown op '{}'{}", shown(name), nearest_mnemonic(name)));
  Op op = make_op(found->opcode);
  visit_fields(op, [&](const FieldFacts& facts, auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    if constexpr (SchemaEnum<F>) {
      if (facts.spelled) field = static_cast<F>(found->fn);
    }
  });
  return op;
}

void parse_attributes(Lexer& lexer, const Declared& declared, Op& op) {
  uint64_t given = 0;
  if (lexer.starts_with("{")) {
    parse_list(lexer, "{", "}", "in the attributes", [&] { parse_attribute(lexer, declared, op, given); });
  }
  visit_attributes(op, [&](size_t index, const FieldFacts& facts, const auto&) {
    if (!facts.required || given & uint64_t{1} << index) return;
    throw Error(Code::bad_text, fmt::format("{} needs the attribute '{}'", mnemonic(op), facts.name));
  });
}

}  // namespace ingot::text
