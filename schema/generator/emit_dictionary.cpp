// fuzz/text.dict: the words of the text form, for libFuzzer.
#include <fmt/format.h>

#include <set>

#include "schema/generator/emit.h"

namespace ingot::schema {
namespace {

using std::string;

// Words of the grammar, and literals at the edge of what the lexer takes, as libFuzzer escapes them.
constexpr std::string_view kSyntax[] = {  //
    "ingot 1\\x0a",
    "symbol ",
    "in ",
    "..",
    "weights_from ",
    "weight @",
    "state @",
    "graph ",
    "method ",
    "return ",
    "zeros",
    "ref ",
    "file ",
    "tensor ",
    "hash ",
    "hex\\\"",
    "complex(",
    "loc(",
    "name=\\\"",
    "op=\\\"",
    "packed<",
    "bits=",
    "group=",
    "scale=",
    "min(",
    "max(",
    "ceil(",
    "nan",
    "-inf",
    "-0.0",
    "%0",
    "%1.0",
    "_, ",
    "->",
    " : ",
    "// ",
    "\\\\x00",
    "9223372036854775807",
    "18446744073709551615"};

// Each word once, in the order in which they come.
class Words {
 public:
  void add(const string& word) {
    if (seen_.insert(word).second) text_ += fmt::format("\"{}\"\n", word);
  }
  const string& text() const { return text_; }

 private:
  std::set<string> seen_;
  string text_;
};

}  // namespace

string emit_dictionary(const Schema& schema) {
  Words words;
  for (const std::string_view word : kSyntax) words.add(string(word));
  for (const OpTable& op : schema.ops) {
    for (const string& name : mnemonics(schema, op)) words.add(name);
  }
  for (const OpTable& op : schema.ops) {
    for (const Field& field : op.fields) {
      if (&field != op.fn()) words.add(field.name + "=");
    }
  }
  for (const Enum& e : schema.enums) {
    for (const EnumValue& value : e.values) words.add(value.name);
  }
  return "# Generated from schema/ingot.fbs. Do not edit.\n" + words.text();
}

}  // namespace ingot::schema
