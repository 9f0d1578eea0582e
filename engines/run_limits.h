// RunLimits: what one call may use. A hostile program gets an Error; the host keeps its memory and its time.
//
// Threads    a value. Failure  an engine that would go beyond a limit throws Code::limit first.
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
  // Operations that an engine with a lazy graph has recorded and not yet handed to the device. `bytes` bounds them as
  // well: each counts as 1 KiB, apart from the values, and the first 16,384 are free.
  int64_t recorded = int64_t{1} << 21;
};

}  // namespace ingot
