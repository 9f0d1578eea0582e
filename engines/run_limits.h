// RunLimits: what one call may use, so that a hostile program ends with an error and not with the machine.
//
// Threads    a value. Failure  whoever goes beyond throws Code::limit.
#pragma once

#include <cstdint>
#include <limits>

namespace ingot {

struct RunLimits {
  // Of the values of a call and the working space of its kernels at one time, of the state of a session, and of the
  // weights that begin as zeros; inputs and other weights do not count.
  int64_t bytes = int64_t{64} << 30;
  // One for each node that runs, each trip of a loop, each value of a graph that is called, and each element that a kernel
  // converts, writes or adds up.
  uint64_t steps = std::numeric_limits<uint64_t>::max();
};

}  // namespace ingot
