// What the rest of a FlatBuffer refers to by id: symbols, sizes and types.
//
// Threads  as TableReader.  Failure  Code::bad_file with the place, Code::limit for a size that is too complex.
#pragma once

#include <vector>

#include "program/file/reader.h"
#include "program/type.h"

namespace ingot::file {

struct Pools {
  std::vector<Symbol> symbols;
  std::vector<Dim> dims;
  std::vector<TensorType> types;
};

Pools read_pools(const TableReader& program, const Limits& limits);

// An enum out of a byte; throws when it has no such value.
template <SchemaEnum E>
E read_enum(const Place& place, uint8_t raw) {
  if (raw < EnumNames<E>::names.size()) return static_cast<E>(raw);
  throw wrong(place, std::to_string(raw), "a value of " + std::string(EnumNames<E>::type));
}

// Out of a byte field; none when absent.
template <SchemaEnum E>
std::optional<E> read_enum(const TableReader& table, const FieldFacts& field) {
  const auto raw = table.value<uint8_t>(field);
  return raw ? std::optional(read_enum<E>(table.place_of(field), *raw)) : std::nullopt;
}

QuantScheme read_scheme(const TableReader& table);
Shape read_shape(const TableReader& table, const FieldFacts& field, const Pools& pools);

}  // namespace ingot::file
