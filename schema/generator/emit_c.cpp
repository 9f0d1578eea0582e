// The enums for C and Zig: the same numbers as in a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

// The opcodes as one more enum: `if_` is spelled so in the schema because of C++ alone.
Enum opcodes(const Schema& schema) {
  Enum result{.name = "Opcode", .doc = "The position of an op in the schema's table Ops.", .values = {}};
  for (const OpTable& op : schema.ops) {
    result.values.push_back({op.field.ends_with('_') ? op.field.substr(0, op.field.size() - 1) : op.field, op.doc});
  }
  return result;
}

// DType: dtype, QuantMethod: quant_method, UnaryFn: unary, Opcode: op.
string snake(const string& name) {
  if (name == "Opcode") return "op";
  const string stem = name.ends_with("Fn") ? name.substr(0, name.size() - 2) : name;
  string result;
  bool after_lower = false;
  for (const unsigned char c : stem) {
    if (after_lower && std::isupper(c)) result += '_';
    result += static_cast<char>(std::tolower(c));
    after_lower = std::islower(c);
  }
  return result;
}

string upper(string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

string c_enum(const Enum& e) {
  const string type = "ingot_" + snake(e.name);
  string out = e.doc.empty() ? "" : fmt::format("/* {} */\n", e.doc);
  out += fmt::format("typedef enum {} {{\n", type);
  for (size_t i = 0; i < e.values.size(); ++i) {
    const EnumValue& value = e.values[i];
    out += fmt::format("  {}_{} = {}{}", upper(type), upper(value.name), i, i + 1 < e.values.size() ? "," : "");
    out += value.doc.empty() ? "\n" : fmt::format(" /* {} */\n", value.doc);
  }
  return out + fmt::format("}} {};\n\n", type);
}

string zig_name(const string& text) {
  static constexpr std::array<std::string_view, 49> keywords = {
      "addrspace", "align",       "allowzero",   "and",     "anyframe",    "anytype",        "asm",      "async",
      "await",     "break",       "callconv",    "catch",   "comptime",    "const",          "continue", "defer",
      "else",      "enum",        "errdefer",    "error",   "export",      "extern",         "fn",       "for",
      "if",        "inline",      "linksection", "noalias", "noinline",    "nosuspend",      "opaque",   "or",
      "orelse",    "packed",      "pub",         "resume",  "return",      "struct",         "suspend",  "switch",
      "test",      "threadlocal", "try",         "union",   "unreachable", "usingnamespace", "var",      "volatile",
      "while"};
  const bool keyword = std::find(keywords.begin(), keywords.end(), text) != keywords.end();
  return keyword ? fmt::format("@\"{}\"", text) : text;
}

string zig_enum(const Enum& e, const char* tag) {
  string out = e.doc.empty() ? "" : fmt::format("/// {}\n", e.doc);
  out += fmt::format("pub const {} = enum({}) {{\n", e.name, tag);
  for (size_t i = 0; i < e.values.size(); ++i) {
    const EnumValue& value = e.values[i];
    if (!value.doc.empty()) out += fmt::format("    /// {}\n", value.doc);
    out += fmt::format("    {} = {},\n", zig_name(value.name), i);
  }
  return out + "};\n";
}

}  // namespace

string emit_c_header(const Schema& schema) {
  string out = R"(/* Generated from schema/ingot.fbs. Do not edit.
 *
 * The enums of Ingot programs. The numbers are those of the file format: they never change, new ones are appended. */
/* clang-format off */
#ifndef INGOT_ENUMS_H
#define INGOT_ENUMS_H

)";
  for (const Enum& e : schema.enums) out += c_enum(e);
  return out + c_enum(opcodes(schema)) + "#endif /* INGOT_ENUMS_H */\n";
}

string emit_zig(const Schema& schema) {
  string out = R"(//! Generated from schema/ingot.fbs. Do not edit.
//!
//! The enums of Ingot programs. The numbers are those of the file format: they never change, new ones are appended.
)";
  for (const Enum& e : schema.enums) out += "\n" + zig_enum(e, "u8");
  return out + "\n" + zig_enum(opcodes(schema), "u16");
}

}  // namespace ingot::schema
