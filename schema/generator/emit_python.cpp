// python/ingot/ops.py: enums, a frozen dataclass per op, and a class with a builder method per mnemonic.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

constexpr std::string_view kHead = R"("""The ops of Ingot. Generated from schema/ingot.fbs: do not edit."""

from __future__ import annotations

import abc
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from ingot.attributes import NamedValue
    from ingot.dims import Shape, Size, Symbol
    from ingot.numeric import Scalar
    from ingot.tensor_type import QuantScheme, TensorType
    from ingot.text import Graph
    from ingot.var import Operand, State, Var

# Fields of an op in order, without `fn`, and what they are: an enum, a list with the enum of its items, or a name that
# ingot.attributes or ingot.node know.
Kinds = dict[str, str | type[enum.Enum] | list[type[enum.Enum]]]
)";

// What `kinds` of a dataclass says of a field (node.py checks and writes each kind), and its annotation.
struct Spelling {
  string kind, annotation;
};

Spelling spelling(const Field& field) {
  switch (field.type) {
    case FieldType::value: return {"\"value\"", "Operand"};
    case FieldType::values: return {"\"values\"", "Sequence[Operand]"};
    case FieldType::graph: return {"\"graph\"", "Graph"};
    case FieldType::state: return {"\"state\"", "State"};
    case FieldType::symbol: return {"\"symbol\"", "Symbol"};
    case FieldType::dim: return {"\"dim\"", "Size"};
    case FieldType::dims: return {"\"dims\"", "Shape"};
    case FieldType::type: return {"\"type\"", "TensorType"};
    case FieldType::types: return {"\"types\"", "Sequence[TensorType]"};
    case FieldType::scalar: return {"\"scalar\"", "Scalar"};
    case FieldType::scheme: return {"\"scheme\"", "QuantScheme"};
    case FieldType::attributes: return {"\"attributes\"", "Mapping[str, NamedValue] | None"};
    case FieldType::text: return {"\"text\"", "str"};
    case FieldType::integer: return {"\"integer\"", "int"};
    case FieldType::integers: return {"\"integers\"", "Sequence[int]"};
    case FieldType::real: return {"\"real\"", "float"};
    case FieldType::reals: return {"\"reals\"", "Sequence[float]"};
    case FieldType::boolean: return {"\"boolean\"", "bool"};
    case FieldType::enumeration: return {field.enum_name, field.enum_name};
    case FieldType::enumerations:
      return {fmt::format("[{}]", field.enum_name), fmt::format("Sequence[{}]", field.enum_name)};
  }
  return {};
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
  string text = fmt::format("{}: {}", py_name(field.name), spelling(field).annotation);
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

// `open item, item close`, or an item a line when that is too wide.
string in_lines(const string& open, const std::vector<string>& items, const string& close) {
  string line = fmt::format("{}{}{}", open, fmt::join(items, ", "), close);
  if (line.size() <= 120) return line;
  const string indent(open.find_first_not_of(' '), ' ');
  return fmt::format("{0}\n{1}    {2},\n{1}{3}", open, indent, fmt::join(items, fmt::format(",\n{}    ", indent)),
                     close);
}

string data_class(const OpTable& op) {
  string out =
      fmt::format("\n\n@dataclass(frozen=True, kw_only=True)\nclass {}:\n    {}\n\n", op.name, doc_string(op.doc));
  std::vector<string> kinds;
  for (const Field& field : op.fields) {
    out += fmt::format("    {}{}\n", declared(field), field.doc.empty() ? "" : "  # " + field.doc);
    if (&field == op.fn()) continue;
    kinds.push_back(fmt::format("\"{}\": {}", py_name(field.name), spelling(field).kind));
  }
  out += fmt::format("\n    mnemonic: ClassVar[str] = \"{}\"\n", op.mnemonic);
  out += fmt::format("    result_count: ClassVar[int] = {}\n", op.results);
  return out + in_lines("    kinds: ClassVar[Kinds] = {", kinds, "}") + "\n";
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

// `y = fn(a, b)` with the word fn replaced.
string naming(const string& doc, const string& fn) {
  const auto in_word = [&](size_t at) { return at < doc.size() && std::isalnum(static_cast<unsigned char>(doc[at])); };
  string result;
  for (size_t at = 0; at < doc.size(); ++at) {
    const bool named = doc.compare(at, 2, "fn") == 0 && (at == 0 || !in_word(at - 1)) && !in_word(at + 2);
    result += named ? fn : string(1, doc[at]);
    if (named) ++at;
  }
  return result;
}

string documentation(const OpTable& op, const EnumValue* fn) {
  string fields = fn && !fn->doc.empty() ? fmt::format("        {}: {}\n", fn->name, fn->doc) : "";
  for (const Field& field : op.fields) {
    if (field.doc.empty()) continue;
    fields += fmt::format("        {}: {}\n", py_name(field.name), field.doc);
  }
  const string meaning = fn ? naming(op.doc, fn->name) : op.doc;
  return doc_string(fields.empty() ? meaning : meaning + "\n\n" + fields + "        ");
}

// `fn` is null where the mnemonic does not depend on one.
string method(const OpTable& op, const EnumValue* fn) {
  const Parameters parameters(op);
  const string name = fn ? spell(op, fn->name) : op.mnemonic;
  std::vector<string> signature = {"self"}, arguments;
  if (fn) arguments.push_back(fmt::format("fn={}.{}", op.fn()->enum_name, py_name(fn->name)));
  const auto pass = [&](const Field& field) {
    signature.push_back(declared(field));
    arguments.push_back(fmt::format("{0}={0}", py_name(field.name)));
  };
  for (const Field* field : parameters.positional) pass(*field);
  if (!parameters.keywords.empty()) signature.push_back("*");
  for (const Field* field : parameters.keywords) pass(*field);
  const string head =
      in_lines(fmt::format("    def {}(", py_name(name)), signature, op.results == 1 ? ") -> Var:" : ") -> list[Var]:");
  const string call =
      in_lines(fmt::format("        return self.append({}(", op.name), arguments, op.results == 1 ? "))[0]" : "))");
  return fmt::format("\n{}\n        {}\n{}\n", head, documentation(op, fn), call);
}

string methods(const Schema& schema, const OpTable& op) {
  if (!op.fn()) return method(op, nullptr);
  string out;
  for (const EnumValue& value : schema.enumeration(op.fn()->enum_name).values) out += method(op, &value);
  return out;
}

}  // namespace

string emit_python(const Schema& schema) {
  string out(kHead);
  for (const Enum& e : schema.enums) out += enum_class(e);
  for (const OpTable& op : schema.ops) out += data_class(op);
  out += "\n\nOp = (\n";
  for (const OpTable& op : schema.ops) out += fmt::format("    {}{}\n", &op == &schema.ops[0] ? "" : "| ", op.name);
  out += R"()


class Builder(abc.ABC):
    """A method for each mnemonic of the text form. Graph inherits them."""

    @abc.abstractmethod
    def append(self, op: Op) -> list[Var]:
        """Adds a node and returns its results."""
)";
  for (const OpTable& op : schema.ops) out += methods(schema, op);
  return out;
}

}  // namespace ingot::schema
