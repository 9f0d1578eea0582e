// Programs that the tests of files write and read, and the comparison of two.
#pragma once

#include <string>

#include "program/program.h"

namespace ingot::test {

// Each op, with every attribute somewhere at another value than its default, and sizes of every kind.
Program every_op();
// Each dtype and each quantisation method as weight, state and input; rank 0, sizes of 0, odd sizes of packed bits.
Program every_dtype();
// A few KiB that run: symbols, state, control flow, weights of f32 and bool.
Program small_program();

// The first thing in which two programs differ, `graphs[0].nodes[3].op`; empty where there is none. Weights are
// compared by content, places in files included.
std::string difference(const Program& a, const Program& b);

}  // namespace ingot::test
