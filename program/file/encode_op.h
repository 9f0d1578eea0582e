// The table of an op.
//
// Threads  one thread at a time.  Failure  as in encode.h.
#pragma once

#include "gen/ops.h"
#include "program/file/encode_pools.h"

namespace ingot::file {

flatbuffers::Offset<flatbuffers::Table> write_op(Builder& builder, const Op& op);

}  // namespace ingot::file
