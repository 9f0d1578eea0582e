// GGUF blocks: the values that they hold, and how `quantize` makes them. docs/semantics.md has the rules.
//
// Ownership  the bytes are the caller's.
// Threads    pure functions.
// Failure    `store_block` throws Code::out_of_range for numbers that a block cannot hold.
#pragma once

#include <cstddef>
#include <span>

#include "program/type.h"

namespace ingot::reference {

// Element i of a block. Precondition: has_blocks(method); the block has its bytes.
double block_value(QuantMethod method, std::span<const std::byte> block, int i);

// Fills a block with the codes of `values`, a whole group. Precondition: has_blocks(method), which is not searched; all
// bytes of the block are 0.
void store_block(QuantMethod method, std::span<const double> values, std::span<std::byte> block);

}  // namespace ingot::reference
