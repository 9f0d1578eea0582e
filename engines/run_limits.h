// RunLimits: what one call may use, so that a hostile program ends with an error and not with the machine.
//
// Threads    a value. Failure  whoever goes beyond throws Code::limit.
#pragma once

#include <cstdint>
#include <limits>

namespace ingot {

struct RunLimits {
  // Of the values of a call that are alive at one time, and of the state of a session; inputs and weights do not count.
  int64_t bytes = int64_t{64} << 30;
  // One for each node that runs and each trip of a loop, and one for each element that a kernel writes or adds up.
  uint64_t steps = std::numeric_limits<uint64_t>::max();
};

}  // namespace ingot
