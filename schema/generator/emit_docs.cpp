// docs/ops.md: every op and enum, for people; and the same op by op, for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

constexpr std::string_view kIntro = R"(# Ops

Generated from `schema/ingot.fbs`; do not edit. The meaning of dtypes, promotion, broadcasting, rounding and every
corner case is in [semantics.md](semantics.md).

An op is written `%y = mnemonic operands {attributes}`: operands by position, attributes by name in any order. Each op
below shows itself with every operand and with the defaults of its attributes; only an attribute that is required (`=…`)
must be written.

| column | what it says |
|---|---|
| name | of the operand or attribute, in the text form and in every language |
| kind | *operand*: a value; *operands*: any number, in brackets; *attribute*: fixed when the program is written |
| type | as below |
| default | what holds when it is left out; *required*: it may not be; *absent*: that has a meaning of its own |

| type | written |
|---|---|
| tensor, tensors | `%x`, or a weight: `@w`; `_` where one that may be absent is; `[%a, %b]` |
| bool | `true`, `false` |
| integer, integers | `-1`, `[0, 2]`: 64 bits |
| real, reals | `0.5`, `1e-05`, `nan`, `-inf`, `[0.5, 2]`: f64 |
| text | `"…"` |
| scalar | one number, exact in every dtype: `7`, `2.5`, `true`, `complex(1, -2)` |
| size, sizes | an integer expression over symbols: `S`, `[2, S + 1]` |
| tensor type, tensor types | `f32[S, 64]` |
| scheme | `packed<affine, bits=4, group=64, scale=f16>` |
| graph, state | declared in the program: `@name` |
| symbol | declared in the program, bound by the op: `N` |
| attributes | `[alpha=[0.5], mode="fast"]`: integers, reals or text by name |
| the rest | one of the enums at the end, by its bare name; a list of them in brackets |

Effects: a *pure* op may be moved, merged or dropped; one that *reads state* or *writes state* keeps its place among
those of the same state; control flow does what its graphs do. A *composite* carries its decomposition into primitives,
so every engine can run it.
)";

string kind_of(const Field& field) {
  if (field.type == FieldType::value) return "operand";
  return field.type == FieldType::values ? "operands" : "attribute";
}

// GitHub's anchor of a heading that is one word.
string link(const string& heading) {
  string anchor = heading;
  for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("[{}](#{})", heading, anchor);
}

string type_of(const Field& field) {
  switch (field.type) {
    case FieldType::value: return "tensor";
    case FieldType::values: return "tensors";
    case FieldType::graph: return "graph";
    case FieldType::state: return "state";
    case FieldType::symbol: return "symbol";
    case FieldType::dim: return "size";
    case FieldType::dims: return "sizes";
    case FieldType::type: return "tensor type";
    case FieldType::types: return "tensor types";
    case FieldType::scalar: return "scalar";
    case FieldType::scheme: return "scheme";
    case FieldType::attributes: return "attributes";
    case FieldType::text: return "text";
    case FieldType::integer: return "integer";
    case FieldType::integers: return "integers";
    case FieldType::real: return "real";
    case FieldType::reals: return "reals";
    case FieldType::boolean: return "bool";
    case FieldType::enumeration: return field.enum_name;
    case FieldType::enumerations: return field.enum_name + " list";
  }
  return "";
}

// The same with a link to the enum.
string linked_type(const Field& field) {
  const string type = type_of(field);
  return field.enum_name.empty() ? type : link(field.enum_name) + type.substr(field.enum_name.size());
}

string default_of(const Field& field, std::string_view quote = "`") {
  if (field.required) return "required";
  if (field.optional) return "absent";
  return fmt::format("{0}{1}{0}", quote, field.default_text.empty() ? "[]" : field.default_text);
}

// A cell of a table may hold no bar.
string cell(const string& text) {
  string result;
  for (char c : text) result += c == '|' ? string("\\|") : string(1, c);
  return result;
}

string results_of(const OpTable& op) {
  if (op.results < 2) return op.results == 1 ? "%y" : "%y, …";
  string text;
  for (int i = 0; i < op.results; ++i) text += fmt::format("{}%y{}", i ? ", " : "", i);
  return text;
}

// `%y = take %x, %indices {axis=0, mode=error}`
string example(const OpTable& op) {
  std::vector<string> operands, attributes;
  for (const Field& field : op.fields) {
    if (&field == op.fn()) continue;
    if (field.type == FieldType::value) operands.push_back("%" + field.name);
    if (field.type == FieldType::values) operands.push_back("[%" + field.name + ", …]");
    if (kind_of(field) != "attribute" || field.optional) continue;
    if (field.required) attributes.push_back(field.name + "=…");
    if (!field.default_text.empty()) attributes.push_back(field.name + "=" + field.default_text);
  }
  string text = fmt::format("{} = {}", results_of(op), op.mnemonic);
  if (!operands.empty()) text += fmt::format(" {}", fmt::join(operands, ", "));
  return attributes.empty() ? text : text + fmt::format(" {{{}}}", fmt::join(attributes, ", "));
}

// What {fn} may be: the whole names.
string mnemonic_line(const Schema& schema, const OpTable& op) {
  if (!op.fn()) return "";
  string names;
  for (const string& name : mnemonics(schema, op)) names += fmt::format(" `{}`", name);
  return fmt::format("{}:{}\n\n", link(op.fn()->enum_name), names);
}

string facts_line(const OpTable& op) {
  static constexpr std::pair<std::string_view, std::string_view> rows[] = {{"pure", "Pure"},
                                                                           {"reads_state", "Reads state"},
                                                                           {"writes_state", "Writes state"},
                                                                           {"body", "Does what its graphs do"}};
  string effects;
  for (const auto& [name, sentence] : rows) {
    if (op.effects == name) effects = sentence;
  }
  return fmt::format("{}. {}.{}", effects, op.composite ? "Composite" : "Primitive",
                     op.results == 0 ? " Any number of results." : "");
}

string op_section(const Schema& schema, const OpTable& op) {
  string out = fmt::format("\n### {}\n\n{}\n\n    {}\n\n{}", op.name, op.doc, example(op), mnemonic_line(schema, op));
  out += "| name | kind | type | default | meaning |\n|---|---|---|---|---|\n";
  for (const Field& field : op.fields) {
    if (&field == op.fn()) continue;
    out += fmt::format("| {} | {} | {} | {} | {} |\n", field.name, kind_of(field), linked_type(field),
                       default_of(field), cell(field.doc));
  }
  return out + "\n" + facts_line(op) + "\n";
}

string contents(const Schema& schema) {
  string out = "\n| family | ops |\n|---|---|\n";
  for (const string& family : schema.families()) {
    out += fmt::format("| [{0}](#{0}-ops) |", family);
    for (const OpTable& op : schema.ops) {
      if (op.family == family) out += " " + link(op.name);
    }
    out += " |\n";
  }
  return out;
}

string enum_section(const Enum& e) {
  string out = fmt::format("\n### {}\n\n", e.name);
  if (!e.doc.empty()) out += e.doc + "\n\n";
  out += "| value | number | meaning |\n|---|---|---|\n";
  for (size_t i = 0; i < e.values.size(); ++i) {
    out += fmt::format("| `{}` | {} | {} |\n", e.values[i].name, i, cell(e.values[i].doc));
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------- for a terminal

// Cells in columns of equal width.
string columns(const std::vector<std::vector<string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  string out;
  for (const auto& row : rows) {
    string line = " ";
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}}", row[i], widths[i] + 1);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// The values of an enum that mean more than their names say.
string described_values(const Enum& e) {
  std::vector<std::vector<string>> rows;
  for (const EnumValue& value : e.values) {
    if (!value.doc.empty()) rows.push_back({value.name, value.doc});
  }
  string names;
  for (const EnumValue& value : e.values) names += " " + value.name;
  return fmt::format("\n{}:{}\n{}", e.name, names, columns(rows));
}

string op_page(const Schema& schema, const OpTable& op) {
  string out = fmt::format("{}\n\n  {}\n", op.doc, example(op));
  std::vector<std::vector<string>> rows;
  string enums;
  for (const Field& field : op.fields) {
    if (!field.enum_name.empty() && field.enum_name != "DType") {
      enums += described_values(schema.enumeration(field.enum_name));
    }
    if (&field == op.fn()) continue;
    rows.push_back({field.name, kind_of(field), type_of(field), default_of(field, ""), field.doc});
  }
  return out + "\n" + columns(rows) + enums + "\n" + facts_line(op) + "\n";
}

}  // namespace

string emit_reference(const Schema& schema) {
  string out = R"(// Generated from schema/ingot.fbs. Do not edit.
#pragma once

#include <string_view>

namespace ingot {

// What `ingot ops` shows of an op; its names are those of kMnemonics.
struct OpPage {
  std::string_view name, text;
};

// By opcode.
inline constexpr OpPage kOpPages[] = {
)";
  for (const OpTable& op : schema.ops)
    out += fmt::format("    {{\"{}\", R\"~~({})~~\"}},\n", op.name, op_page(schema, op));
  return out + "};\n\n}  // namespace ingot\n";
}

string emit_docs(const Schema& schema) {
  string out = string(kIntro) + contents(schema);
  for (const string& family : schema.families()) {
    out += fmt::format("\n## {} ops\n", family);
    for (const OpTable& op : schema.ops) {
      if (op.family == family) out += op_section(schema, op);
    }
  }
  out += "\n## Enums\n";
  for (const Enum& e : schema.enums) out += enum_section(e);
  return out;
}

}  // namespace ingot::schema
