// What the generator writes: each emitter turns a Schema into the text of one file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/generator/model.h"

namespace ingot::schema {

struct Emitted {
  std::string path;  // below --out, or below the root of the tree when kept
  std::string text;
  bool kept;  // in the tree, and compared by --check
};

// C++, into the build folder.
std::string emit_enums(const Schema& schema);                // enums.h: the enums and their names
std::string emit_ops(const Schema& schema);                  // ops.h: a struct per op, the opcode, facts
std::string emit_fields(const Schema& schema);               // fields.h: visit_fields, for whoever treats all ops alike
std::string emit_field_tables(const Schema& schema);         // fields.cpp: the facts behind it
std::string emit_families(const Schema& schema);             // families.h: the ops of each family, as macros
std::string emit_options(const Schema& schema);              // options.h: optional arguments of the builder's methods
std::string emit_builder_methods(const Schema& schema);      // builder_methods.inc: a method per op
std::string emit_builder_definitions(const Schema& schema);  // builder_methods.cpp: what they do
std::string emit_reference(const Schema& schema);            // op_pages.h: a page of text per op

// Kept in the tree.
std::string emit_python(const Schema& schema);      // python/ingot/ops.py
std::string emit_c_header(const Schema& schema);    // capi/ingot_enums.h
std::string emit_zig(const Schema& schema);         // zig/src/enums.zig
std::string emit_docs(const Schema& schema);        // docs/ops.md
std::string emit_dictionary(const Schema& schema);  // fuzz/text.dict

// Every file above.
std::vector<Emitted> emit_all(const Schema& schema);

// Everything that makes `next` no append-only successor of `released`, a sentence each.
std::vector<std::string> evolution_errors(const std::string& released_text, const std::string& next_text);

// `text` as an identifier of C++: keywords get a trailing underscore.
std::string cpp_name(std::string_view text);

}  // namespace ingot::schema
