// Which fields of a schema have a default that somebody wrote.
//
// FlatBuffers' parser gives a field without one the default 0, and does not tell that from `= 0`.
// Ownership  plain values. Threads  one. Failure  none: the text has been parsed before.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace ingot::schema {

// `Table.field` for every field with `=`. Precondition: FlatBuffers' parser accepts the text.
std::set<std::string> written_defaults(std::string_view text);

}  // namespace ingot::schema
