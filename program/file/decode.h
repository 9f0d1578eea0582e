// A Program out of its FlatBuffer.
//
// Threads  one thread for one WeightReader.
// Failure  Code::bad_file with the place, Code::limit, and what WeightReader throws. What it returns has ids in range;
//          `verify` checks what they mean.
#pragma once

#include <cstddef>
#include <span>

#include "program/file/weights.h"
#include "program/program.h"
#include "program/verify.h"

namespace ingot::file {

// Precondition: the bytes lie on a multiple of 8.
Program decode(std::span<const std::byte> flatbuffer, const Limits& limits, WeightReader& weights);

}  // namespace ingot::file
