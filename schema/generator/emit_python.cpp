// python/ingot/ops.py: enums, a frozen dataclass per op, and a class with a builder method per mnemonic.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

constexpr std::string_view kHead = R"("""The ops of Ingot. Generated from schema/ingot.fbs: do not edit."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ingot.attributes import NamedValue, Scalar
    from ingot.dims import Shape, Size, Symbol
    from ingot.tensor_type import QuantScheme, TensorType
    from ingot.text import Graph, Operand, State, Var
)";

// What `kinds` of a dataclass says of a field: text.py knows how to check and write each.
string kind_of(const Field& field) {
  switch (field.type) {
    case FieldType::value: return "\"value\"";
    case FieldType::values: return "\"values\"";
    case FieldType::graph: return "\"graph\"";
    case FieldType::state: return "\"state\"";
    case FieldType::symbol: return "\"symbol\"";
    case FieldType::dim: return "\"dim\"";
    case FieldType::dims: return "\"dims\"";
    case FieldType::type: return "\"type\"";
    case FieldType::types: return "\"types\"";
    case FieldType::scalar: return "\"scalar\"";
    case FieldType::scheme: return "\"scheme\"";
    case FieldType::attributes: return "\"attributes\"";
    case FieldType::text: return "\"text\"";
    case FieldType::integer: return "\"integer\"";
    case FieldType::integers: return "\"integers\"";
    case FieldType::real: return "\"real\"";
    case FieldType::boolean: return "\"boolean\"";
    case FieldType::enumeration: return field.enum_name;
  }
  return "";
}

string bare_annotation(const Field& field) {
  switch (field.type) {
    case FieldType::value: return "Operand";
    case FieldType::values: return "Sequence[Operand]";
    case FieldType::graph: return "Graph";
    case FieldType::state: return "State";
    case FieldType::symbol: return "Symbol";
    case FieldType::dim: return "Size";
    case FieldType::dims: return "Shape";
    case FieldType::type: return "TensorType";
    case FieldType::types: return "Sequence[TensorType]";
    case FieldType::scalar: return "Scalar";
    case FieldType::scheme: return "QuantScheme";
    case FieldType::attributes: return "Mapping[str, NamedValue] | None";
    case FieldType::text: return "str";
    case FieldType::integer: return "int";
    case FieldType::integers: return "Sequence[int]";
    case FieldType::real: return "float";
    case FieldType::boolean: return "bool";
    case FieldType::enumeration: return field.enum_name;
  }
  return "";
}

// Keywords of Python get a trailing underscore.
string py_name(const string& text) {
  static constexpr std::array<std::string_view, 35> keywords = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  const bool keyword = std::find(keywords.begin(), keywords.end(), text) != keywords.end();
  return text + (keyword ? "_" : "");
}

bool is_operand(const Field& field) { return field.type == FieldType::value || field.type == FieldType::values; }

// A vector that may be left out is empty, a mapping that may be is none.
string default_of(const Field& field) {
  if (field.optional || field.type == FieldType::attributes) return "None";
  if (field.type == FieldType::enumeration) return field.enum_name + "." + py_name(field.default_text);
  if (field.type == FieldType::boolean) return field.default_text == "true" ? "True" : "False";
  return field.default_text.empty() ? "()" : field.default_text;
}

string declared(const Field& field) {
  string text = fmt::format("{}: {}", py_name(field.name), bare_annotation(field));
  if (field.required) return text;
  return text + fmt::format("{} = {}", field.optional ? " | None" : "", default_of(field));
}

string doc_string(const string& text) { return fmt::format("\"\"\"{}{}\"\"\"", text, text.ends_with('"') ? " " : ""); }

string enum_class(const Enum& e) {
  string out = fmt::format("\n\nclass {}(enum.Enum):\n", e.name);
  if (!e.doc.empty()) out += fmt::format("    {}\n\n", doc_string(e.doc));
  for (size_t i = 0; i < e.values.size(); ++i) {
    const EnumValue& value = e.values[i];
    out += fmt::format("    {} = {}{}\n", py_name(value.name), i, value.doc.empty() ? "" : "  # " + value.doc);
  }
  return out;
}

string data_class(const OpTable& op) {
  string out =
      fmt::format("\n\n@dataclass(frozen=True, kw_only=True)\nclass {}:\n    {}\n\n", op.name, doc_string(op.doc));
  string kinds;
  for (const Field& field : op.fields) {
    out += fmt::format("    {}{}\n", declared(field), field.doc.empty() ? "" : "  # " + field.doc);
    if (&field == op.fn()) continue;
    kinds += fmt::format("        \"{}\": {},\n", py_name(field.name), kind_of(field));
  }
  out += fmt::format("\n    mnemonic: ClassVar[str] = \"{}\"\n", op.mnemonic);
  out += fmt::format("    several: ClassVar[bool] = {}\n", op.several ? "True" : "False");
  return out + fmt::format("    kinds: ClassVar[dict[str, str | type[enum.Enum]]] = {{\n{}    }}\n", kinds);
}

// Fields in the order of a method's parameters: those that must be given, optional operands, then keywords alone.
struct Parameters {
  std::vector<const Field*> positional, keywords;

  explicit Parameters(const OpTable& op) {
    const auto take = [&](std::vector<const Field*>& into, auto wanted) {
      for (const Field& field : op.fields) {
        if (&field != op.fn() && wanted(field)) into.push_back(&field);
      }
    };
    take(positional, [](const Field& field) { return field.required; });
    take(positional, [](const Field& field) { return !field.required && is_operand(field); });
    take(keywords, [](const Field& field) { return !field.required && !is_operand(field); });
  }
};

string documentation(const OpTable& op, const string& value_doc) {
  string text = op.doc, fields;
  if (!value_doc.empty()) text += fmt::format("\n\n        Here: {}.", value_doc);
  for (const Field& field : op.fields) {
    if (field.doc.empty()) continue;
    fields += fmt::format("        {}: {}\n", py_name(field.name), field.doc);
  }
  if (!fields.empty()) text += "\n\n" + fields + "        ";
  return doc_string(text);
}

string method(const OpTable& op, const string& mnemonic, const string& fn, const string& value_doc) {
  const Parameters parameters(op);
  string signature = "self", arguments = fn.empty() ? "" : "fn=" + fn;
  const auto pass = [&](const Field& field) {
    signature += ", " + declared(field);
    arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", py_name(field.name), py_name(field.name));
  };
  for (const Field* field : parameters.positional) pass(*field);
  if (!parameters.keywords.empty()) signature += ", *";
  for (const Field* field : parameters.keywords) pass(*field);
  const string call = fmt::format("self.append({}({}))", op.name, arguments);
  return fmt::format("\n    def {}({}) -> {}:\n        {}\n        return {}\n", py_name(mnemonic), signature,
                     op.several ? "list[Var]" : "Var", documentation(op, value_doc), op.several ? call : call + "[0]");
}

string methods(const Schema& schema, const OpTable& op) {
  const Field* fn = op.fn();
  if (!fn) return method(op, op.mnemonic, "", "");
  string out;
  for (const EnumValue& value : schema.enumeration(fn->enum_name).values) {
    out += method(op, spell(op, value.name), fn->enum_name + "." + py_name(value.name), value.doc);
  }
  return out;
}

}  // namespace

string emit_python(const Schema& schema) {
  string out(kHead);
  for (const Enum& e : schema.enums) out += enum_class(e);
  for (const OpTable& op : schema.ops) out += data_class(op);
  out += "\n\nOp = ";
  for (size_t i = 0; i < schema.ops.size(); ++i) out += (i ? " | " : "") + schema.ops[i].name;
  out += R"(


class Builder:
    """A method for each mnemonic of the text form. Graph inherits them and says what appending means."""

    def append(self, op: Op) -> list[Var]:
        raise NotImplementedError
)";
  for (const OpTable& op : schema.ops) out += methods(schema, op);
  return out;
}

}  // namespace ingot::schema
