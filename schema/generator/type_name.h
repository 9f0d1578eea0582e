// The name of a FlatBuffers type as a schema spells it: `long`, `[double]`, `TensorType`.
#pragma once

#include <flatbuffers/idl.h>

#include <string>

namespace ingot::schema {

std::string type_name(const flatbuffers::Type& type);

}  // namespace ingot::schema
