// schema/released.fbs: the schema of the last version of Ingot, which every later one must be able to read.
//
// `ingot-schema --release` writes it: a first line `// Ingot 0.1.0, digest 00112233aabbccdd`, then the schema. The digest
// covers the version and the schema, so neither can change without the other.
//
// Ownership  plain values. Threads  one. Failure  none.
#pragma once

#include <string>

namespace ingot::schema {

std::string released_text(const std::string& version, const std::string& schema_text);

// What is wrong with a released schema in a tree of that version; empty where nothing is.
std::string release_error(const std::string& released_text, const std::string& version);

}  // namespace ingot::schema
