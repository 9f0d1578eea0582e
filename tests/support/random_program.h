// Random valid programs: every op and attribute, several graphs and methods, symbols, state, weights of every dtype, odd
// names. Sizes are small, loops end, and calls do not go deep, so that a program can be run; a call may still fail, by an
// index that is out of range for one.
//
// The same seed and options give the same program with every compiler.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace ingot::test {

struct RandomOptions {
  uint64_t methods = 2;  // at most, and at least one
  uint64_t nodes = 10;   // drawn for a method, at most; operands and sub-graphs add others
  bool custom = true;    // whether custom ops occur
};

Program random_program(uint64_t seed, const RandomOptions& options = {});

// Inputs of one of its methods, in order. Symbols are small.
std::vector<Tensor> random_inputs(const Program& program, const Graph& method, uint64_t seed);

}  // namespace ingot::test
