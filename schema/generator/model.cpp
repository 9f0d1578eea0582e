#include "schema/generator/model.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <stdexcept>

#include "schema/generator/source_text.h"
#include "schema/generator/type_name.h"

namespace ingot::schema {
namespace {

using flatbuffers::Definition;
using flatbuffers::FieldDef;
using flatbuffers::StructDef;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

// The lines of a `///` comment as one. It becomes a comment or a string of five languages.
std::string doc_of(const std::string& where, const std::vector<std::string>& comment) {
  std::string text;
  for (const std::string& line : comment) {
    const size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    if (!text.empty()) text += ' ';
    text += line.substr(start);
  }
  for (const char* unsafe : {"\\", "*/", "\"\"\""}) {
    if (text.find(unsafe) != std::string::npos) refuse(where, std::string("a comment may not hold ") + unsafe);
  }
  return text;
}

bool has(const Definition& definition, const char* attribute) {
  return definition.attributes.Lookup(attribute) != nullptr;
}

std::string attribute(const Definition& definition, const char* name) {
  const auto* value = definition.attributes.Lookup(name);
  if (!value) refuse(definition.name, std::string("the table lacks the attribute `") + name + "`");
  return value->constant;
}

// Structs and tables that mean something of their own as a field.
FieldType struct_field(const std::string& where, const std::string& name, bool vector) {
  struct Row {
    const char* name;
    std::optional<FieldType> one, many;
  };
  static constexpr Row rows[] = {
      {"ValueRef", FieldType::value, FieldType::values},
      {"DimRef", FieldType::dim, FieldType::dims},
      {"TypeRef", FieldType::type, FieldType::types},
      {"NamedAttribute", {}, FieldType::attributes},
      {"GraphRef", FieldType::graph, {}},
      {"StateRef", FieldType::state, {}},
      {"SymbolRef", FieldType::symbol, {}},
      {"Scalar", FieldType::scalar, {}},
      {"QuantScheme", FieldType::scheme, {}},
  };
  for (const Row& row : rows) {
    const auto& type = vector ? row.many : row.one;
    if (name == row.name && type) return *type;
  }
  refuse(where, "no op may have a field of type " + std::string(vector ? "[" : "") + name + (vector ? "]" : ""));
}

FieldType plain_field(const std::string& where, const FieldDef& field) {
  const auto& type = field.value.type;
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) {
    if (type.enum_def) return FieldType::enumerations;
    if (type.element == flatbuffers::BASE_TYPE_LONG) return FieldType::integers;
    if (type.element == flatbuffers::BASE_TYPE_DOUBLE) return FieldType::reals;
    refuse(where, "no op may have a field of type " + type_name(type) +
                      "; lists are [long], [double], of an enum, or " + "of a struct named at the top");
  }
  if (type.enum_def) return FieldType::enumeration;
  switch (type.base_type) {
    case flatbuffers::BASE_TYPE_STRING: return FieldType::text;
    case flatbuffers::BASE_TYPE_LONG: return FieldType::integer;
    case flatbuffers::BASE_TYPE_DOUBLE: return FieldType::real;
    case flatbuffers::BASE_TYPE_BOOL: return FieldType::boolean;
    default:
      refuse(where, "no op may have a field of type " + type_name(type) +
                        "; attributes are bool, long, double, string, enums, or the structs named at the top");
  }
}

std::string default_of(const FieldDef& field) {
  const auto& type = field.value.type;
  if (type.enum_def && !field.IsOptional()) return type.enum_def->FindByValue(field.value.constant)->name;
  if (type.base_type == flatbuffers::BASE_TYPE_BOOL) return field.value.constant == "0" ? "false" : "true";
  return field.value.constant;
}

// `written`: the fields with a default in the text.
Field read_field(const std::string& table, const FieldDef& def, const std::set<std::string>& written) {
  const std::string where = table + "." + def.name;
  const auto& type = def.value.type;
  Field field;
  field.name = def.name;
  field.offset = def.value.offset;
  field.doc = doc_of(where, def.doc_comment);
  const bool vector = type.base_type == flatbuffers::BASE_TYPE_VECTOR;
  if (type.struct_def) {
    field.type = struct_field(where, type.struct_def->name, vector);
  } else {
    field.type = plain_field(where, def);
    if (type.enum_def) field.enum_name = type.enum_def->name;
  }
  field.required = def.IsRequired() || has(def, "mandatory");
  if (has(def, "mandatory") && !def.IsOptional())
    refuse(where, "a mandatory attribute is written `= null (mandatory)`");
  const bool scalar = flatbuffers::IsScalar(type.base_type);
  field.optional = !field.required && !vector && (!scalar || def.IsOptional());
  if (scalar && !field.required && !field.optional) {
    if (!written.contains(where)) {
      refuse(where, "has no default: write one, `= null` if it may be absent, or `= null (mandatory)`");
    }
    field.default_text = default_of(def);
  }
  return field;
}

bool is_identifier(std::string_view text) {
  const auto inside = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), inside);
}

// `several` without a number: as many as the op says.
int results_of(const StructDef& table) {
  if (!has(table, "several")) return 1;
  const std::string& count = table.attributes.Lookup("several")->constant;
  if (count.empty() || count == "0") return 0;
  if (count.size() > 1 || count < "2" || count > "9")
    refuse(table.name, "several is \"" + count + "\", expected 2 to 9");
  return count[0] - '0';
}

OpTable read_op(const FieldDef& entry, const std::set<std::string>& written) {
  if (!flatbuffers::IsVectorOfTable(entry.value.type)) refuse("Ops." + entry.name, "must be a vector of an op's table");
  const StructDef& table = *entry.value.type.struct_def;
  if (!has(table, "op")) refuse(table.name, "is listed in Ops but lacks the attribute `op`");
  OpTable op;
  op.name = table.name;
  op.field = entry.name;
  op.mnemonic = attribute(table, "mnemonic");
  op.family = attribute(table, "family");
  op.effects = attribute(table, "effects");
  op.composite = has(table, "composite");
  op.results = results_of(table);
  op.doc = doc_of(table.name, table.doc_comment);
  static const std::set<std::string> effects = {"pure", "reads_state", "writes_state", "body"};
  if (!effects.contains(op.effects)) {
    refuse(table.name, "effects is \"" + op.effects + "\", expected pure, reads_state, writes_state or body");
  }
  if (!is_identifier(op.family)) refuse(table.name, "family is \"" + op.family + "\", expected a name of a file");
  if (op.doc.empty()) refuse(table.name, "needs a line `///` that says what it means");
  for (const FieldDef* field : table.fields.vec) {
    if (!field->deprecated) op.fields.push_back(read_field(table.name, *field, written));
  }
  if (op.mnemonic.find("{fn}") != std::string::npos && !op.fn()) {
    refuse(table.name, "the mnemonic has {fn}, so the first field must be a mandatory enum `fn`");
  }
  return op;
}

Enum read_enum(const flatbuffers::EnumDef& def) {
  if (def.is_union || def.underlying_type.base_type != flatbuffers::BASE_TYPE_UCHAR) {
    refuse(def.name, "enums are of type ubyte, and there are no unions");
  }
  Enum result{.name = def.name, .doc = doc_of(def.name, def.doc_comment), .values = {}};
  int64_t next = 0;
  for (const flatbuffers::EnumVal* value : def.Vals()) {
    const std::string where = def.name + "." + value->name;
    if (value->GetAsInt64() != next++) refuse(where, "values count from 0 without holes");
    result.values.push_back({value->name, doc_of(where, value->doc_comment)});
  }
  return result;
}

// Begins with the file and the line. About a field of an unknown type with a default the parser says everything but that.
std::string parse_error(const flatbuffers::Parser& parser, const std::string& text) {
  std::string error = parser.error_;
  const std::set<std::string> declared = declared_types(text);
  for (const StructDef* used : parser.structs_.vec) {
    const bool is_unknown = used->predecl && !declared.contains(used->name);
    if (is_unknown && error.find(used->name) == std::string::npos) error += " There is no type " + used->name + ".";
  }
  return error;
}

void check_spelling(const Schema& schema) {
  std::set<std::string> seen;
  for (const OpTable& op : schema.ops) {
    for (const std::string& name : mnemonics(schema, op)) {
      // `return` ends a graph of the text form.
      if (!is_identifier(name) || name == "return") refuse(op.name, "`" + name + "` is no name for an op");
      if (!seen.insert(name).second) refuse(op.name, "the mnemonic `" + name + "` is taken");
    }
  }
}

void check_listed(const flatbuffers::Parser& parser, const Schema& schema) {
  std::set<std::string> listed;
  for (const OpTable& op : schema.ops) {
    if (!listed.insert(op.name).second) refuse(op.name, "is listed twice in Ops");
  }
  for (const StructDef* table : parser.structs_.vec) {
    if (has(*table, "op") && !listed.contains(table->name)) {
      refuse(table->name, "has the attribute `op` but no field in Ops");
    }
  }
}

}  // namespace

const Field* OpTable::fn() const {
  const bool named = mnemonic.find("{fn}") != std::string::npos;
  if (!named || fields.empty() || fields.front().name != "fn") return nullptr;
  const Field& first = fields.front();
  return first.type == FieldType::enumeration && first.required ? &first : nullptr;
}

const Enum& Schema::enumeration(std::string_view name) const {
  for (const Enum& e : enums) {
    if (e.name == name) return e;
  }
  throw std::runtime_error("no enum " + std::string(name));
}

std::vector<std::string> Schema::families() const {
  std::vector<std::string> names;
  for (const OpTable& op : ops) {
    if (std::find(names.begin(), names.end(), op.family) == names.end()) names.push_back(op.family);
  }
  return names;
}

std::string spell(const OpTable& op, std::string_view fn) {
  std::string text = op.mnemonic;
  const size_t at = text.find("{fn}");
  if (at != std::string::npos) text.replace(at, 4, fn);
  return text;
}

std::vector<std::string> mnemonics(const Schema& schema, const OpTable& op) {
  if (!op.fn()) return {op.mnemonic};
  std::vector<std::string> names;
  for (const EnumValue& value : schema.enumeration(op.fn()->enum_name).values) names.push_back(spell(op, value.name));
  return names;
}

Schema read_schema(const std::string& text, const std::string& where) {
  flatbuffers::Parser parser;
  if (!parser.Parse(text.c_str(), nullptr, where.c_str())) throw std::runtime_error(parse_error(parser, text));
  const std::set<std::string> written = written_defaults(text);
  Schema schema;
  for (const flatbuffers::EnumDef* def : parser.enums_.vec) schema.enums.push_back(read_enum(*def));
  const StructDef* ops = parser.structs_.Lookup("ingot.fbs.Ops");
  if (!ops) refuse(where, "there is no table ingot.fbs.Ops");
  for (const FieldDef* entry : ops->fields.vec) schema.ops.push_back(read_op(*entry, written));
  check_listed(parser, schema);
  check_spelling(schema);
  return schema;
}

}  // namespace ingot::schema
