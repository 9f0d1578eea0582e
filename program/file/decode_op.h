// The fields of an op out of its table.
//
// Threads  as TableReader.  Failure  Code::bad_file with the place of the field.
#pragma once

#include <cstddef>

#include "gen/ops.h"
#include "program/file/decode_pools.h"
#include "program/file/reader.h"

namespace ingot::file {

// How many there are of what an op may refer to.
struct Counts {
  size_t values, graphs, states, symbols;
};

Op read_op(Opcode opcode, const TableReader& table, const Pools& pools, const Counts& counts);

}  // namespace ingot::file
