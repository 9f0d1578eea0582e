// The C++ side: enums, op structs, field visitors, families, builder methods.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

constexpr std::string_view kHead = "// Generated from schema/ingot.fbs. Do not edit.\n#pragma once\n\n";

// A doc as a string literal; it holds no backslash.
string escaped(std::string_view text) {
  string result;
  for (char c : text) result += c == '"' ? string("\\\"") : string(1, c);
  return result;
}

string comment(std::string_view doc, std::string_view indent = "") {
  return doc.empty() ? string() : fmt::format("{}// {}\n", indent, doc);
}

// The type of a field in its op struct, required or not.
string bare_type(const Field& field) {
  switch (field.type) {
    case FieldType::value: return "Ref";
    case FieldType::values: return "std::vector<Ref>";
    case FieldType::graph: return "GraphId";
    case FieldType::state: return "StateId";
    case FieldType::symbol: return "SymbolId";
    case FieldType::dim: return "Dim";
    case FieldType::dims: return "Shape";
    case FieldType::type: return "TensorType";
    case FieldType::types: return "std::vector<TensorType>";
    case FieldType::scalar: return "Scalar";
    case FieldType::scheme: return "QuantScheme";
    case FieldType::attributes: return "std::vector<NamedAttribute>";
    case FieldType::text: return "std::string";
    case FieldType::integer: return "int64_t";
    case FieldType::integers: return "std::vector<int64_t>";
    case FieldType::real: return "double";
    case FieldType::reals: return "std::vector<double>";
    case FieldType::boolean: return "bool";
    case FieldType::enumeration: return field.enum_name;
    case FieldType::enumerations: return fmt::format("std::vector<{}>", field.enum_name);
  }
  return "";
}

string full_type(const Field& field) {
  return field.optional ? fmt::format("std::optional<{}>", bare_type(field)) : bare_type(field);
}

string initializer(const Field& field) {
  if (field.default_text.empty()) return field.optional ? "" : "{}";
  const bool choice = field.type == FieldType::enumeration;
  return " = " + (choice ? field.enum_name + "::" + cpp_name(field.default_text) : field.default_text);
}

bool is_operand(const Field& field) { return field.type == FieldType::value || field.type == FieldType::values; }

// The same field as an argument of a builder method.
string argument_type(const Field& field) {
  if (field.type == FieldType::values) return field.required ? "const std::vector<Var>&" : "std::vector<Var>";
  if (field.type == FieldType::value) return field.optional ? "std::optional<Var>" : "Var";
  return full_type(field);
}

// Whether a copy costs an allocation or a count.
bool is_heavy(const Field& field) {
  switch (field.type) {
    case FieldType::dim:
    case FieldType::dims:
    case FieldType::type:
    case FieldType::types:
    case FieldType::attributes:
    case FieldType::text:
    case FieldType::integers:
    case FieldType::reals:
    case FieldType::enumerations: return true;
    default: return false;
  }
}

// Required fields are parameters, the rest is in `options`.
string argument_value(const Field& field) {
  const string name = (field.required ? "" : "options.") + cpp_name(field.name);
  if (field.type == FieldType::values) return fmt::format("refs({})", name);
  if (field.type == FieldType::value) return fmt::format("ref({})", name);
  return field.required && is_heavy(field) ? fmt::format("std::move({})", name) : name;
}

bool has_options(const OpTable& op) {
  return std::any_of(op.fields.begin(), op.fields.end(), [](const Field& field) { return !field.required; });
}

string trailing(const string& doc) { return doc.empty() ? "" : "  // " + doc; }

// One builder method, in the two forms that it is written in.
struct Method {
  string declaration, definition;
};

Method method(const OpTable& op, const string& name, const string& fn, const string& doc) {
  std::vector<string> parameters, initializers;
  if (!fn.empty()) initializers.push_back(".fn = " + fn);
  for (const Field& field : op.fields) {
    if (&field == op.fn()) continue;
    if (field.required) parameters.push_back(argument_type(field) + " " + cpp_name(field.name));
    initializers.push_back(fmt::format(".{} = {}", cpp_name(field.name), argument_value(field)));
  }
  const string options = fmt::format("const options::{}& options", op.name), separator = parameters.empty() ? "" : ", ";
  const string required = fmt::format("{}", fmt::join(parameters, ", "));
  const auto list = [&](const char* rest) {
    return has_options(op) ? required + separator + options + rest : required;
  };
  const string result = op.results == 1   ? "Var"
                        : op.results == 0 ? "std::vector<Var>"
                                          : fmt::format("std::array<Var, {}>", op.results);
  const string call = fmt::format("add(op::{}{{{}}})", op.name, fmt::join(initializers, ", "));
  return {fmt::format("{}  {} {}({});\n", comment(doc, "  "), result, cpp_name(name), list(" = {}")),
          fmt::format("{} GraphBuilder::{}({}) {{ return {}; }}\n", result, cpp_name(name), list(""),
                      op.results == 0 ? call : fmt::format("take<{}>({})", op.results, call))};
}

std::vector<Method> methods(const Schema& schema) {
  std::vector<Method> all;
  for (const OpTable& op : schema.ops) {
    const Field* fn = op.fn();
    if (!fn) {
      all.push_back(method(op, op.mnemonic, "", op.doc));
      continue;
    }
    for (const EnumValue& value : schema.enumeration(fn->enum_name).values) {
      all.push_back(method(op, spell(op, value.name), fn->enum_name + "::" + cpp_name(value.name), value.doc));
    }
  }
  return all;
}

string facts_row(const OpTable& op) {
  return fmt::format("    {{\"{}\", \"{}\", OpEffects::{}, {}, {}, \"{}\"}},\n", op.mnemonic, op.family, op.effects,
                     op.composite, op.results, escaped(op.doc));
}

string op_struct(const OpTable& op) {
  string out = fmt::format("{}struct {} {{\n  static constexpr Opcode opcode = Opcode::{};\n", comment(op.doc), op.name,
                           cpp_name(op.field));
  for (const Field& field : op.fields) {
    out +=
        fmt::format("  {} {}{};{}\n", full_type(field), cpp_name(field.name), initializer(field), trailing(field.doc));
  }
  return out + fmt::format("  bool operator==(const {}&) const = default;\n}};\n\n", op.name);
}

string mnemonic_rows(const Schema& schema, const OpTable& op) {
  string out;
  int fn = op.fn() ? 0 : -1;
  for (const string& name : mnemonics(schema, op)) {
    out += fmt::format("    {{\"{}\", Opcode::{}, {}}},\n", name, cpp_name(op.field), fn++);
  }
  return out;
}

// `UnaryFn` as `unary_fn`.
string snake_case(std::string_view name) {
  string out;
  for (char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) && !out.empty()) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// The enumerator of a field's C++ type: `std::optional<Ref>` is `optional_ref`, `std::vector<double>` is `double_list`.
string type_name(const Field& field) {
  string name = bare_type(field);
  if (const size_t open = name.find('<'); open != string::npos)
    name = name.substr(open + 1, name.size() - open - 2) + "List";
  if (const size_t scope = name.find("::"); scope != string::npos) name = name.substr(scope + 2);
  return (field.optional ? "optional_" : "") + snake_case(name) + (field.optional ? "" : "_");
}

struct NamedType {
  string name, type;
};

// Every type that a field has, once.
std::vector<NamedType> field_types(const Schema& schema) {
  std::vector<NamedType> types;
  for (const OpTable& op : schema.ops) {
    for (const Field& field : op.fields) {
      const string type = full_type(field);
      const auto same = [&](const NamedType& other) { return other.type == type; };
      if (std::none_of(types.begin(), types.end(), same)) types.push_back({type_name(field), type});
    }
  }
  return types;
}

}  // namespace

string cpp_name(std::string_view text) {
  static constexpr std::string_view keywords[] = {
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq"};
  const bool keyword = std::find(std::begin(keywords), std::end(keywords), text) != std::end(keywords);
  return string(text) + (keyword ? "_" : "");
}

string emit_enums(const Schema& schema) {
  string out(kHead);
  out += R"(#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ingot {

// The names of an enum's values, in order.
template <class E>
struct EnumNames;

)";
  for (const Enum& e : schema.enums) {
    out += comment(e.doc) + fmt::format("enum class {} : uint8_t {{\n", e.name);
    std::vector<string> names;
    for (const EnumValue& value : e.values) {
      out += fmt::format("  {},{}\n", cpp_name(value.name), trailing(value.doc));
      names.push_back("\"" + value.name + "\"");
    }
    out += fmt::format(R"(}};
template <>
struct EnumNames<{0}> {{
  static constexpr std::string_view type = "{0}";
  static constexpr std::array<std::string_view, {1}> names = {{{2}}};
}};

)",
                       e.name, names.size(), fmt::join(names, ", "));
  }
  return out + R"(template <class E>
concept SchemaEnum = requires { EnumNames<E>::names; };

// `?` for a value that the enum does not have.
template <SchemaEnum E>
constexpr std::string_view to_string(E value) {
  const auto i = static_cast<size_t>(value);
  return i < EnumNames<E>::names.size() ? EnumNames<E>::names[i] : "?";
}

// The value of that name, or none.
template <SchemaEnum E>
constexpr std::optional<E> parse_enum(std::string_view name) {
  for (size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace ingot
)";
}

string emit_ops(const Schema& schema) {
  string out(kHead);
  out += R"(#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/enums.h"
#include "program/named_attribute.h"
#include "program/ref.h"
#include "program/scalar.h"
#include "program/type.h"

namespace ingot {

// The position of the op in the schema's table Ops.
enum class Opcode : uint16_t {
)";
  for (const OpTable& op : schema.ops) out += fmt::format("  {},\n", cpp_name(op.field));
  out += "};\n\nnamespace op {\n\n";
  for (const OpTable& op : schema.ops) out += op_struct(op);
  out += R"(}  // namespace op

enum class OpEffects { pure, reads_state, writes_state, body };

struct OpFacts {
  std::string_view mnemonic;  // {fn} stands for the name of the field fn
  std::string_view family;
  OpEffects effects;
  bool composite;
  int results;  // how many; 0: it depends on the op
  std::string_view doc;
};

// By opcode.
)";
  out += fmt::format("inline constexpr OpFacts kOpFacts[{}] = {{\n", schema.ops.size());
  for (const OpTable& op : schema.ops) out += facts_row(op);
  out += R"(};

// Every name an op has in the text form.
struct Mnemonic {
  std::string_view name;
  Opcode opcode;
  int fn;  // value of the field fn, -1 where the op has none
};

inline constexpr Mnemonic kMnemonics[] = {
)";
  for (const OpTable& op : schema.ops) out += mnemonic_rows(schema, op);
  return out + "};\n\n}  // namespace ingot\n";
}

string emit_fields(const Schema& schema) {
  string out(kHead);
  out += R"(#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "program/op.h"

namespace ingot {

// The types that fields have.
enum class FieldType : uint8_t {
)";
  const std::vector<NamedType> types = field_types(schema);
  for (const NamedType& type : types) out += fmt::format("  {},\n", type.name);
  out += R"(};

struct FieldFacts {
  std::string_view name;
  uint16_t offset;        // in the FlatBuffers table
  bool required = false;  // without default
  bool spelled = false;   // part of the mnemonic
  std::string_view doc;
  FieldType type{};
  void* (*address)(Op& op) = nullptr;  // of the field in an op that has it
};

// The fields of an op, in the order of the schema.
std::span<const FieldFacts> fields_of(Opcode opcode);

// Calls v(facts, field) for every field of the op. Once for each type, not for each op: v may be large.
template <class O, class V>
  requires std::same_as<std::remove_const_t<O>, Op>
void visit_fields(O& op, V&& v) {
  const auto call = [&]<class F>(const FieldFacts& facts, std::type_identity<F>) {
    using Field = std::conditional_t<std::is_const_v<O>, const F, F>;
    v(facts, *static_cast<Field*>(facts.address(const_cast<Op&>(op))));
  };
  for (const FieldFacts& facts : fields_of(op.opcode())) {
    switch (facts.type) {
)";
  for (const NamedType& type : types) {
    out +=
        fmt::format("      case FieldType::{}: call(facts, std::type_identity<{}>()); break;\n", type.name, type.type);
  }
  return out + R"(    }
  }
}

}  // namespace ingot
)";
}

string emit_field_tables(const Schema& schema) {
  string out = R"(// Generated from schema/ingot.fbs. Do not edit.
#include "gen/fields.h"

namespace ingot {
namespace {

template <auto field, class O>
void* address(Op& op) {
  return &(op.get_if<O>()->*field);
}

)";
  string table;
  for (const OpTable& op : schema.ops) {
    table += fmt::format("    k{},\n", op.name);
    out += fmt::format("constexpr FieldFacts k{}[] = {{\n", op.name);
    for (const Field& field : op.fields) {
      out += fmt::format("    {{\"{}\", {}, {}, {}, \"{}\", FieldType::{}, address<&op::{}::{}, op::{}>}},\n",
                         field.name, field.offset, field.required, &field == op.fn(), escaped(field.doc),
                         type_name(field), op.name, cpp_name(field.name), op.name);
    }
    out += "};\n";
  }
  return out + fmt::format(R"(
constexpr std::span<const FieldFacts> kFields[] = {{
{}}};

}}  // namespace

std::span<const FieldFacts> fields_of(Opcode opcode) {{ return kFields[static_cast<size_t>(opcode)]; }}

}}  // namespace ingot
)",
                           table);
}

string emit_families(const Schema& schema) {
  string out(kHead);
  out +=
      "// All ops by opcode, and the ops and the composites of each family, for the macros that bind a layer's "
      "functions.\n";
  string every;
  for (const OpTable& op : schema.ops) every += fmt::format(" X({})", op.name);
  out += fmt::format("#define INGOT_ALL_OPS(X){}\n", every);
  for (const string& family : schema.families()) {
    string all, composites;
    for (const OpTable& op : schema.ops) {
      if (op.family != family) continue;
      all += fmt::format(" X({})", op.name);
      if (op.composite) composites += fmt::format(" X({})", op.name);
    }
    out +=
        fmt::format("#define INGOT_OPS_OF_{0}(X){1}\n#define INGOT_COMPOSITES_OF_{0}(X){2}\n", family, all, composites);
  }
  return out;
}

string emit_options(const Schema& schema) {
  string out(kHead);
  out += "// Included by program/builder.h alone.\n\nnamespace ingot::options {\n\n";
  for (const OpTable& op : schema.ops) {
    if (!has_options(op)) continue;
    out += fmt::format("struct {} {{\n", op.name);
    for (const Field& field : op.fields) {
      if (field.required) continue;
      const string init = is_operand(field) ? "{}" : initializer(field);
      out += fmt::format("  {} {}{};{}\n", argument_type(field), cpp_name(field.name), init.empty() ? "{}" : init,
                         trailing(field.doc));
    }
    out += "};\n\n";
  }
  return out + "}  // namespace ingot::options\n";
}

string emit_builder_methods(const Schema& schema) {
  string out = "// Generated from schema/ingot.fbs, for the body of GraphBuilder. Do not edit.\n";
  for (const Method& method : methods(schema)) out += method.declaration;
  return out;
}

string emit_builder_definitions(const Schema& schema) {
  string out =
      "// Generated from schema/ingot.fbs. Do not edit.\n#include <utility>\n\n#include "
      "\"program/builder.h\"\n\nnamespace ingot {\n\n";
  for (const Method& method : methods(schema)) out += method.definition;
  return out + "\n}  // namespace ingot\n";
}

}  // namespace ingot::schema
