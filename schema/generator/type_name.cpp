#include "schema/generator/type_name.h"

#include <fmt/format.h>

namespace ingot::schema {

std::string type_name(const flatbuffers::Type& type) {
  if (flatbuffers::IsVector(type)) return "[" + type_name(type.VectorType()) + "]";
  if (flatbuffers::IsArray(type)) return fmt::format("[{}:{}]", type_name(type.VectorType()), type.fixed_length);
  if (type.enum_def) return type.enum_def->name;
  if (type.struct_def) return type.struct_def->name;
  return flatbuffers::kTypeNames[type.base_type];
}

}  // namespace ingot::schema
