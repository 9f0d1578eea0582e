// A Program as a FlatBuffer.
//
// Threads  pure functions.
// Failure  Code::invalid_argument for a size over a symbol that the Program does not declare, Code::limit when the result
//          would pass FlatBuffers' 2 GiB.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <span>

#include "program/file/weights.h"
#include "program/program.h"

namespace ingot::file {

// `places` has an entry for each weight. The same Program gives the same bytes.
flatbuffers::DetachedBuffer encode(const Program& program, std::span<const WeightPlace> places);

}  // namespace ingot::file
