// The verifier: what every engine may rely on.
//
// A Program that passes has: ids in range, every value defined before its use, every type equal to what inference says,
// attributes within their ranges, stored weights of as many bytes as shape × dtype, no state that begins as a weight
// without contents, no recursive call, every symbol bound (from input sizes, or by an op) before a type uses it, unique
// names, and counts within the limits. It is run by every load, parse and build. It does not read weight contents, and
// does not bound the run time of a loop: engines do, by RunLimits.
//
// Threads    a pure function.
// Failure    Error whose node says where: `forward: h, nodes[17]`.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace ingot {

struct Limits {
  uint64_t nodes = 10'000'000;   // of all graphs together
  uint64_t values = 20'000'000;  // likewise
  uint64_t graphs = 10'000;
  uint64_t weights = 1'000'000;
  uint64_t states = 100'000;
  uint64_t symbols = 1'000;
  uint64_t rank = 64;
  uint64_t nesting = 256;                       // of calls and control flow
  uint64_t name_bytes = 4096;                   // of any name
  int64_t tensor_bytes = int64_t{1} << 46;      // of one value whose size is known
  uint64_t metadata_bytes = uint64_t{1} << 31;  // of the FlatBuffer; what is made of it takes at most 64 times as much
};

void verify(const Program& program, const Limits& limits = {});

}  // namespace ingot
