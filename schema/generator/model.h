// Schema: what the generator knows about schema/ingot.fbs, read through FlatBuffers' own parser.
//
// Ownership  plain values. Threads  one. Failure  std::runtime_error with a sentence that names the table and field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::schema {

struct EnumValue {
  std::string name;
  std::string doc;
};

// Values count from 0 without holes.
struct Enum {
  std::string name;
  std::string doc;
  std::vector<EnumValue> values;
};

enum class FieldType {
  value,   // operand
  values,  // any number of operands
  graph,   // other parts of the program, by id
  state,
  symbol,
  dim,   // a size
  dims,  // a shape
  type,  // a tensor type
  types,
  scalar,  // plain attributes
  scheme,
  attributes,
  text,
  integer,
  integers,
  real,
  reals,
  boolean,
  enumeration,
  enumerations,
};

struct Field {
  std::string name;
  FieldType type = FieldType::integer;
  std::string enum_name;     // of an enumeration or several
  std::string default_text;  // of a plain attribute: `-1`, `0.00001`, `false`, or an enumerator
  bool required = false;     // has no default and must be there
  bool optional = false;     // may be absent, which means something of its own
  uint16_t offset = 0;       // in the vtable
  std::string doc;
};

struct OpTable {
  std::string name;      // RmsNorm
  std::string field;     // rms_norm: its field in Ops, and so the enumerator of its opcode
  std::string mnemonic;  // rms_norm, or a pattern with {fn}
  std::string family;
  std::string effects;
  bool composite = false;
  int results = 1;  // 0: it depends on the op
  std::string doc;
  std::vector<Field> fields;

  // The enumeration of `fn` when the mnemonic depends on it, else none.
  const Field* fn() const;
};

struct Schema {
  std::vector<Enum> enums;
  std::vector<OpTable> ops;  // in the order of Ops: the position is the opcode

  const Enum& enumeration(std::string_view name) const;
  std::vector<std::string> families() const;  // in order of appearance
};

// Reads and checks a schema. `where` names the file in messages.
Schema read_schema(const std::string& text, const std::string& where);

// The mnemonic with {fn} replaced.
std::string spell(const OpTable& op, std::string_view fn);

// Every name of the op in the text form, in the order of fn's values.
std::vector<std::string> mnemonics(const Schema& schema, const OpTable& op);

}  // namespace ingot::schema
