// What may change between releases: nothing that was released, except that something may be added at an end.
//
// A file holds vtable offsets, struct layouts and enum numbers, and a text holds names, so each of them is compared.
// Comments, families and the list of composites are free to change.
#include <flatbuffers/idl.h>
#include <fmt/format.h>

#include <stdexcept>

#include "schema/generator/emit.h"
#include "schema/generator/type_name.h"

namespace ingot::schema {
namespace {

using flatbuffers::EnumDef;
using flatbuffers::FieldDef;
using flatbuffers::Parser;
using flatbuffers::StructDef;
using std::string;

// Sentences about one definition. `check` compares what was with what is, both as text.
struct Report {
  std::vector<string>& errors;
  string subject;

  Report inside(const string& name) const { return {errors, subject + "." + name}; }
  void say(const string& what) const { errors.push_back(subject + " " + what); }
  void check(const char* property, const string& was, const string& is) const {
    if (was != is) say(fmt::format("changes its {}: it was {}, it is {}", property, was, is));
  }
};

bool mandatory(const FieldDef& field) { return field.attributes.Lookup("mandatory") != nullptr; }

string presence(const FieldDef& field) {
  if (field.IsRequired()) return "required";
  if (mandatory(field)) return "mandatory";
  return field.IsOptional() ? "optional" : "default";
}

string default_text(const FieldDef& field) {
  // The constant of an optional field is "null", which FindByValue takes for a broken number.
  const EnumDef* choice = field.IsOptional() ? nullptr : field.value.type.enum_def;
  const flatbuffers::EnumVal* value = choice ? choice->FindByValue(field.value.constant) : nullptr;
  return value ? value->name : field.value.constant;
}

void compare_field(const Report& report, const FieldDef& was, const FieldDef& is, const char* place) {
  report.check(place, fmt::to_string(was.value.offset), fmt::to_string(is.value.offset));
  report.check("type", type_name(was.value.type), type_name(is.value.type));
  report.check("presence", presence(was), presence(is));
  report.check("default", default_text(was), default_text(is));
  if (!was.deprecated && is.deprecated) report.say("is deprecated, but files that have it must be readable");
}

void compare_fields(const Report& report, const StructDef& was, const StructDef& is) {
  for (const FieldDef* field : was.fields.vec) {
    const FieldDef* next = is.fields.Lookup(field->name);
    const Report here = report.inside(field->name);
    if (!next) {
      here.say("is gone");
    } else {
      compare_field(here, *field, *next, was.fixed ? "offset in the struct" : "offset in the vtable");
    }
  }
  for (const FieldDef* field : is.fields.vec) {
    if (was.fields.Lookup(field->name)) continue;
    const Report here = report.inside(field->name);
    if (was.fixed) here.say("is new, but a struct may not grow");
    if (field->IsRequired() || mandatory(*field)) {
      here.say(fmt::format("is new and {}, but released files lack it", presence(*field)));
    }
  }
}

string fact(const StructDef& table, const char* name) {
  const auto* value = table.attributes.Lookup(name);
  return value ? "\"" + value->constant + "\"" : "absent";
}

void compare_table(const Report& report, const StructDef& was, const StructDef& is) {
  report.check("kind", was.fixed ? "a struct" : "a table", is.fixed ? "a struct" : "a table");
  if (was.fixed != is.fixed) return;
  compare_fields(report, was, is);
  if (was.fixed) {
    report.check("size in bytes", fmt::to_string(was.bytesize), fmt::to_string(is.bytesize));
    report.check("alignment", fmt::to_string(was.minalign), fmt::to_string(is.minalign));
  }
  for (const char* name : {"op", "mnemonic", "effects", "several"}) {
    report.check(fmt::format("attribute `{}`", name).c_str(), fact(was, name), fact(is, name));
  }
}

void compare_enum(const Report& report, const EnumDef& was, const EnumDef& is) {
  report.check("type", type_name(was.underlying_type), type_name(is.underlying_type));
  for (const flatbuffers::EnumVal* value : was.Vals()) {
    const flatbuffers::EnumVal* next = is.Lookup(value->name);
    const Report here = report.inside(value->name);
    if (!next) {
      here.say("is gone");
    } else {
      here.check("number", was.ToString(*value), is.ToString(*next));
    }
  }
}

// Structs, tables and enums by name. `compare` sees those that are in both.
template <class T, class Compare>
void compare_all(std::vector<string>& errors, const flatbuffers::SymbolTable<T>& was,
                 const flatbuffers::SymbolTable<T>& is, Compare compare) {
  for (const auto& [name, definition] : was.dict) {
    const Report report{errors, definition->name};
    const T* next = is.Lookup(name);
    if (!next) {
      report.say("is gone");
    } else {
      compare(report, *definition, *next);
    }
  }
}

string namespace_of(const Parser& parser) {
  return parser.root_struct_def_->defined_namespace->GetFullyQualifiedName("");
}

void parse(Parser& parser, const string& text, const char* which) {
  if (!parser.Parse(text.c_str(), nullptr, which)) throw std::runtime_error(string(which) + ": " + parser.error_);
  if (!parser.root_struct_def_) throw std::runtime_error(string(which) + ": there is no root_type");
}

}  // namespace

std::vector<string> evolution_errors(const string& released_text, const string& next_text) {
  Parser was, is;
  parse(was, released_text, "the released schema");
  parse(is, next_text, "the schema");
  std::vector<string> errors;
  const Report file{errors, "the file"};
  file.check("namespace", namespace_of(was), namespace_of(is));
  // Full names are compared below: with another namespace every one of them would be reported.
  if (!errors.empty()) return errors;
  file.check("root type", was.root_struct_def_->name, is.root_struct_def_->name);
  file.check("identifier", was.file_identifier_, is.file_identifier_);
  compare_all(errors, was.structs_, is.structs_, compare_table);
  compare_all(errors, was.enums_, is.enums_, compare_enum);
  return errors;
}

}  // namespace ingot::schema
