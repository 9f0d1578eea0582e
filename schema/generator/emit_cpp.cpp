// The C++ side: enums, op structs, field visitors, families, builder methods.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

constexpr std::string_view kHead = "// Generated from schema/ingot.fbs. Do not edit.\n#pragma once\n\n";

string escaped(std::string_view text) {
  string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
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
    case FieldType::boolean: return "bool";
    case FieldType::enumeration: return field.enum_name;
  }
  return "";
}

string full_type(const Field& field) {
  return field.optional ? fmt::format("std::optional<{}>", bare_type(field)) : bare_type(field);
}

string initializer(const Field& field) {
  if (field.default_text.empty()) return field.optional ? "" : "{}";
  if (field.type == FieldType::enumeration)
    return fmt::format(" = {}::{}", field.enum_name, cpp_name(field.default_text));
  return " = " + field.default_text;
}

bool is_operand(const Field& field) { return field.type == FieldType::value || field.type == FieldType::values; }

// The same field as an argument of a builder method.
string argument_type(const Field& field) {
  if (field.type == FieldType::values) return "std::vector<Var>";
  if (field.type == FieldType::value) return field.optional ? "std::optional<Var>" : "Var";
  return full_type(field);
}

string argument_value(const Field& field, const string& from) {
  const string name = from + cpp_name(field.name);
  if (field.type == FieldType::values) return fmt::format("refs({})", name);
  return field.type == FieldType::value ? fmt::format("ref({})", name) : name;
}

bool positional(const Field& field) { return field.required && field.name != "fn"; }
bool optional_argument(const Field& field) { return !field.required; }
bool has_options(const OpTable& op) { return std::any_of(op.fields.begin(), op.fields.end(), optional_argument); }

string method(const OpTable& op, const string& name, const string& fn, const string& doc) {
  string parameters, initializers = fn.empty() ? "" : fmt::format(".fn = {}", fn);
  for (const Field& field : op.fields) {
    if (field.name == "fn" && !fn.empty()) continue;
    if (positional(field))
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", argument_type(field), cpp_name(field.name));
    initializers += fmt::format("{}.{} = {}", initializers.empty() ? "" : ", ", cpp_name(field.name),
                                argument_value(field, positional(field) ? "" : "options."));
  }
  if (has_options(op))
    parameters += fmt::format("{}const options::{}& options = {{}}", parameters.empty() ? "" : ", ", op.name);
  const char* result = op.several ? "std::vector<Var>" : "Var";
  const string call = fmt::format("add(op::{}{{{}}})", op.name, initializers);
  return fmt::format("{}  {} {}({}) {{ return {}; }}\n", comment(doc, "  "), result, cpp_name(name), parameters,
                     op.several ? call : fmt::format("only({})", call));
}

string facts_row(const OpTable& op) {
  return fmt::format("    {{\"{}\", \"{}\", OpEffects::{}, {}, {}, \"{}\"}},\n", op.mnemonic, op.family, op.effects,
                     op.composite, op.several, escaped(op.doc));
}

}  // namespace

string cpp_name(std::string_view text) {
  static constexpr std::array<std::string_view, 25> keywords = {
      "and",    "bool", "break",  "case", "catch",  "char",  "class", "const", "default",
      "delete", "do",   "double", "else", "enum",   "float", "for",   "if",    "int",
      "long",   "new",  "not",    "or",   "switch", "while", "xor"};
  const bool keyword = std::find(keywords.begin(), keywords.end(), text) != keywords.end();
  return string(text) + (keyword ? "_" : "");
}

string emit_enums(const Schema& schema) {
  string out(kHead);
  out +=
      "#include <array>\n#include <cstdint>\n#include <optional>\n#include <string_view>\n#include <type_traits>\n\n"
      "namespace ingot {\n\n"
      "// The names of an enum's values, in order.\n"
      "template <class E>\nstruct EnumNames;\n\n";
  for (const Enum& e : schema.enums) {
    out += comment(e.doc) + fmt::format("enum class {} : uint8_t {{\n", e.name);
    string names;
    for (const EnumValue& value : e.values) {
      out += fmt::format("  {},{}\n", cpp_name(value.name), value.doc.empty() ? "" : "  // " + value.doc);
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", value.name);
    }
    out += fmt::format(
        "}};\ntemplate <>\nstruct EnumNames<{0}> {{\n  static constexpr std::string_view type = \"{0}\";\n"
        "  static constexpr std::array<std::string_view, {1}> names = {{{2}}};\n}};\n\n",
        e.name, e.values.size(), names);
  }
  out +=
      "template <class E>\nconcept SchemaEnum = requires { EnumNames<E>::names; };\n\n"
      "template <SchemaEnum E>\nconstexpr std::string_view to_string(E value) {\n"
      "  return EnumNames<E>::names[static_cast<size_t>(value)];\n}\n\n"
      "// The value of that name, or none.\ntemplate <SchemaEnum E>\nconstexpr std::optional<E> "
      "parse_enum(std::string_view name) {\n"
      "  for (size_t i = 0; i < EnumNames<E>::names.size(); ++i) {\n"
      "    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);\n  }\n  return std::nullopt;\n}\n\n"
      "}  // namespace ingot\n";
  return out;
}

string emit_ops(const Schema& schema) {
  string out(kHead);
  out +=
      "#include <optional>\n#include <string>\n#include <string_view>\n#include <variant>\n#include <vector>\n\n"
      "#include \"gen/enums.h\"\n#include \"program/named_attribute.h\"\n#include \"program/ref.h\"\n"
      "#include \"program/scalar.h\"\n#include \"program/type.h\"\n\nnamespace ingot {\n\n";
  out += "// The position of the op in the schema's table Ops.\nenum class Opcode : uint16_t {\n";
  for (const OpTable& op : schema.ops) out += fmt::format("  {},\n", cpp_name(op.field));
  out += "};\n\nnamespace op {\n\n";
  for (const OpTable& op : schema.ops) {
    out += comment(op.doc) +
           fmt::format("struct {} {{\n  static constexpr Opcode opcode = Opcode::{};\n", op.name, cpp_name(op.field));
    for (const Field& field : op.fields) {
      out += fmt::format("  {} {}{};{}\n", full_type(field), cpp_name(field.name), initializer(field),
                         field.doc.empty() ? "" : "  // " + field.doc);
    }
    out += fmt::format("  bool operator==(const {}&) const = default;\n}};\n\n", op.name);
  }
  out += "}  // namespace op\n\n// Any op; index() is its opcode.\nusing Op = std::variant<";
  for (size_t i = 0; i < schema.ops.size(); ++i) out += fmt::format("{}op::{}", i ? ", " : "", schema.ops[i].name);
  out +=
      ">;\n\nenum class OpEffects { pure, reads_state, writes_state, body };\n\n"
      "struct OpFacts {\n  std::string_view mnemonic;  // {fn} stands for the name of the field fn\n  std::string_view "
      "family;\n"
      "  OpEffects effects;\n  bool composite;\n  bool several;  // any number of results\n  std::string_view "
      "doc;\n};\n\n"
      "// By opcode.\n";
  out += fmt::format("inline constexpr OpFacts kOpFacts[{}] = {{\n", schema.ops.size());
  for (const OpTable& op : schema.ops) out += facts_row(op);
  out +=
      "};\n\n// Every name an op has in the text form.\nstruct Mnemonic {\n  std::string_view name;\n  Opcode "
      "opcode;\n  int fn;  // value of the field fn, -1 where the op has none\n};\n\ninline constexpr Mnemonic "
      "kMnemonics[] = {\n";
  for (const OpTable& op : schema.ops) {
    const Field* fn = op.fn();
    if (!fn) {
      out += fmt::format("    {{\"{}\", Opcode::{}, -1}},\n", op.mnemonic, cpp_name(op.field));
      continue;
    }
    int index = 0;
    for (const EnumValue& value : schema.enumeration(fn->enum_name).values) {
      out += fmt::format("    {{\"{}\", Opcode::{}, {}}},\n", spell(op, value.name), cpp_name(op.field), index++);
    }
  }
  out += "};\n\n}  // namespace ingot\n";
  return out;
}

string emit_fields(const Schema& schema) {
  string out(kHead);
  out +=
      "#include <concepts>\n#include <string_view>\n#include <type_traits>\n\n#include \"gen/ops.h\"\n\nnamespace "
      "ingot {\n\n"
      "struct FieldFacts {\n  std::string_view name;\n  uint16_t offset;  // in the FlatBuffers table\n"
      "  bool required;    // without default\n  bool spelled;     // part of the mnemonic\n  std::string_view "
      "doc;\n};\n\n"
      "// visit_fields(op, v) calls v(facts, field) for every field of the op, in the order of the schema.\n\n";
  for (const OpTable& op : schema.ops) {
    out += fmt::format("inline constexpr FieldFacts k{}Fields[] = {{\n", op.name);
    for (const Field& field : op.fields) {
      out += fmt::format("    {{\"{}\", {}, {}, {}, \"{}\"}},\n", field.name, field.offset, field.required,
                         &field == op.fn(), escaped(field.doc));
    }
    out += fmt::format(
        "}};\ntemplate <class O, class V>\n  requires std::same_as<std::remove_const_t<O>, op::{}>\nvoid "
        "visit_fields(O& op, V&& v) {{\n",
        op.name);
    for (size_t i = 0; i < op.fields.size(); ++i)
      out += fmt::format("  v(k{}Fields[{}], op.{});\n", op.name, i, cpp_name(op.fields[i].name));
    out += "}\n\n";
  }
  out +=
      "template <class O, class V>\n  requires std::same_as<std::remove_const_t<O>, Op>\nvoid visit_fields(O& op, V&& "
      "v) {\n"
      "  std::visit([&](auto& alternative) { visit_fields(alternative, v); }, op);\n}\n\n"
      "// An op of that opcode with every field at its default; throws std::out_of_range beyond the last.\n"
      "Op make_op(Opcode opcode);\n\n}  // namespace ingot\n";
  return out;
}

string emit_families(const Schema& schema) {
  string out(kHead);
  out += "// The ops and the composites of each family, for the macros that bind a layer's functions.\n";
  for (const string& family : schema.families()) {
    string all, composites;
    for (const OpTable& op : schema.ops) {
      if (op.family != family) continue;
      all += fmt::format(" X({})", op.name);
      if (op.composite) composites += fmt::format(" X({})", op.name);
    }
    out += fmt::format("#define INGOT_OPS_OF_{}(X){}\n#define INGOT_COMPOSITES_OF_{}(X){}\n", family, all, family,
                       composites);
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
      if (!optional_argument(field)) continue;
      const string init = is_operand(field) ? "{}" : initializer(field);
      out += fmt::format("  {} {}{};{}\n", argument_type(field), cpp_name(field.name), init.empty() ? "{}" : init,
                         field.doc.empty() ? "" : "  // " + field.doc);
    }
    out += "};\n\n";
  }
  return out + "}  // namespace ingot::options\n";
}

string emit_builder_methods(const Schema& schema) {
  string out = "// Generated from schema/ingot.fbs, for the body of GraphBuilder. Do not edit.\n";
  for (const OpTable& op : schema.ops) {
    const Field* fn = op.fn();
    if (!fn) {
      out += method(op, op.mnemonic, "", op.doc);
      continue;
    }
    const string any = fmt::format("{}::", fn->enum_name);
    for (const EnumValue& value : schema.enumeration(fn->enum_name).values) {
      out += method(op, spell(op, value.name), any + cpp_name(value.name), value.doc);
    }
  }
  return out;
}

}  // namespace ingot::schema
