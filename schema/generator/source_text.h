// What the text of a schema says and FlatBuffers' parser does not tell.
//
// Ownership  plain values. Threads  one. Failure  none.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ingot::schema {

// `Table.field` for every field with `=`: the parser gives a field without one the default 0, and does not tell that from
// `= 0`. Precondition: the parser accepts the text.
std::set<std::string> written_defaults(std::string_view text);

// The names of all tables, structs and enums: where one is used before it is declared, and does not fit, the parser names
// no type.
std::set<std::string> declared_types(std::string_view text);

}  // namespace ingot::schema
