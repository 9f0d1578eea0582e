#include "schema/generator/emit.h"

namespace ingot::schema {

std::vector<Emitted> emit_all(const Schema& schema) {
  return {
      {"enums.h", emit_enums(schema), false},
      {"ops.h", emit_ops(schema), false},
      {"fields.h", emit_fields(schema), false},
      {"fields.cpp", emit_field_tables(schema), false},
      {"families.h", emit_families(schema), false},
      {"options.h", emit_options(schema), false},
      {"builder_methods.inc", emit_builder_methods(schema), false},
      {"builder_methods.cpp", emit_builder_definitions(schema), false},
      {"op_pages.h", emit_reference(schema), false},
      {"python/ingot/ops.py", emit_python(schema), true},
      {"capi/ingot_enums.h", emit_c_header(schema), true},
      {"zig/src/enums.zig", emit_zig(schema), true},
      {"docs/ops.md", emit_docs(schema), true},
      {"fuzz/text.dict", emit_dictionary(schema), true},
  };
}

}  // namespace ingot::schema
