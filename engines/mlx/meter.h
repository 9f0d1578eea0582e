// Meter: what one call uses, as engines/run_limits.h counts it, within the limits and the memory of the device.
//
// Ownership  a value. Threads  as Frame.
// Failure    Code::limit before anything beyond a limit is built or computed.
#pragma once

#include <cstdint>

#include "engines/run_limits.h"

namespace ingot::mlx_engine {

// Host memory that MLX takes for one array of its lazy graph, with its primitive and its step on a tape.
constexpr int64_t kRecordedBytes = 1024;

class Meter {
 public:
  Meter(const RunLimits& limits, int64_t memory);
  // For another call, or for a part of one.
  Meter anew() const { return {limits_, memory_}; }

  // ---- steps
  void spend(uint64_t steps);
  uint64_t steps() const { return steps_; }

  // ---- bytes
  void hold(int64_t bytes);
  void pass(int64_t bytes);  // held for a moment
  // Of working space: constants and columns are left to the engine.
  static int64_t counted(int64_t bytes) { return bytes < (int64_t{1} << 16) ? 0 : bytes; }
  void release(int64_t bytes) { alive_ -= bytes; }
  int64_t peak() const { return peak_; }
  // The most that was alive since the last call of this function, beyond what was alive then.
  int64_t take_growth();

  // ---- arrays of the lazy graph
  // Throws where so many more are too many, or where the host has no room for them.
  void require_recordable(int64_t arrays) const;
  void record(int64_t arrays);
  int64_t recorded() const { return recorded_; }
  // The device has taken what was recorded since there were `arrays`.
  void forget_recorded(int64_t arrays) { recorded_ = arrays; }

 private:
  RunLimits limits_;
  int64_t memory_;
  int64_t most_recorded_;
  uint64_t steps_ = 0;
  int64_t alive_ = 0, peak_ = 0, before_ = 0;
  int64_t recorded_ = 0;
};

}  // namespace ingot::mlx_engine
