#include "schema/generator/model.h"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ingot::schema {
namespace {

using flatbuffers::BaseType;
using flatbuffers::Definition;
using flatbuffers::FieldDef;
using flatbuffers::StructDef;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

// The lines of a `///` comment as one.
std::string doc_of(const std::vector<std::string>& comment) {
  std::string text;
  for (const std::string& line : comment) {
    const size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    if (!text.empty()) text += ' ';
    text += line.substr(start);
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
    FieldType one, many;
    bool may_be_many;
  };
  static const Row rows[] = {
      {"ValueRef", FieldType::value, FieldType::values, true},
      {"DimRef", FieldType::dim, FieldType::dims, true},
      {"TypeRef", FieldType::type, FieldType::types, true},
      {"NamedAttribute", FieldType::attributes, FieldType::attributes, true},
      {"GraphRef", FieldType::graph, FieldType::graph, false},
      {"StateRef", FieldType::state, FieldType::state, false},
      {"SymbolRef", FieldType::symbol, FieldType::symbol, false},
      {"Scalar", FieldType::scalar, FieldType::scalar, false},
      {"QuantScheme", FieldType::scheme, FieldType::scheme, false},
  };
  for (const Row& row : rows) {
    if (name != row.name) continue;
    if (vector && !row.may_be_many) break;
    return vector ? row.many : row.one;
  }
  refuse(where, "no op may have a field of type " + std::string(vector ? "[" : "") + name + (vector ? "]" : ""));
}

FieldType plain_field(const std::string& where, const FieldDef& field) {
  const auto& type = field.value.type;
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) {
    if (type.element == flatbuffers::BASE_TYPE_LONG && !type.enum_def) return FieldType::integers;
    refuse(where, "no op may have a vector of this type");
  }
  if (type.enum_def) return FieldType::enumeration;
  switch (type.base_type) {
    case flatbuffers::BASE_TYPE_STRING: return FieldType::text;
    case flatbuffers::BASE_TYPE_LONG: return FieldType::integer;
    case flatbuffers::BASE_TYPE_DOUBLE: return FieldType::real;
    case flatbuffers::BASE_TYPE_BOOL: return FieldType::boolean;
    default: refuse(where, "attributes are bool, long, double, string, enums, or the structs named at the top");
  }
}

std::string default_of(const FieldDef& field) {
  const auto& type = field.value.type;
  if (type.enum_def && !field.IsOptional()) return type.enum_def->FindByValue(field.value.constant)->name;
  if (type.base_type == flatbuffers::BASE_TYPE_BOOL) return field.value.constant == "0" ? "false" : "true";
  return field.value.constant;
}

Field read_field(const std::string& table, const FieldDef& def) {
  const std::string where = table + "." + def.name;
  const auto& type = def.value.type;
  Field field;
  field.name = def.name;
  field.offset = def.value.offset;
  field.doc = doc_of(def.doc_comment);
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
  if (scalar && !field.required && !field.optional) field.default_text = default_of(def);
  return field;
}

OpTable read_op(const FieldDef& entry) {
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
  op.several = has(table, "several");
  op.doc = doc_of(table.doc_comment);
  static const std::set<std::string> effects = {"pure", "reads_state", "writes_state", "body"};
  if (!effects.contains(op.effects)) {
    refuse(table.name, "effects is \"" + op.effects + "\", expected pure, reads_state, writes_state or body");
  }
  if (op.doc.empty()) refuse(table.name, "needs a line `///` that says what it means");
  for (const FieldDef* field : table.fields.vec) {
    if (!field->deprecated) op.fields.push_back(read_field(table.name, *field));
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
  Enum result{.name = def.name, .doc = doc_of(def.doc_comment), .values = {}};
  int64_t next = 0;
  for (const flatbuffers::EnumVal* value : def.Vals()) {
    if (value->GetAsInt64() != next++) refuse(def.name + "." + value->name, "values count from 0 without holes");
    result.values.push_back({value->name, doc_of(value->doc_comment)});
  }
  return result;
}

void check_spelling(const Schema& schema) {
  std::set<std::string> seen;
  for (const OpTable& op : schema.ops) {
    for (const std::string& name : mnemonics(schema, op)) {
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
  if (!parser.Parse(text.c_str(), nullptr, where.c_str())) refuse(where, parser.error_);
  Schema schema;
  for (const flatbuffers::EnumDef* def : parser.enums_.vec) schema.enums.push_back(read_enum(*def));
  const StructDef* ops = parser.structs_.Lookup("ingot.fbs.Ops");
  if (!ops) refuse(where, "there is no table ingot.fbs.Ops");
  for (const FieldDef* entry : ops->fields.vec) schema.ops.push_back(read_op(*entry));
  check_listed(parser, schema);
  check_spelling(schema);
  return schema;
}

}  // namespace ingot::schema
