#include "engines/mlx/meter.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/mlx/device.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// Arrays that a call may record whatever its limit of bytes, and between two questions to the system.
constexpr int64_t free_arrays = 1 << 14;
// What MLX allocates to destroy one array of a deep graph. It must be there: MLX cannot fail then, only abort.
constexpr int64_t destroyed_bytes = 64;

int64_t most_recorded(const RunLimits& limits) {
  return std::min(limits.recorded, std::max(free_arrays, limits.bytes / kRecordedBytes));
}

}  // namespace

Meter::Meter(const RunLimits& limits, int64_t memory)
    : limits_(limits), memory_(memory), most_recorded_(most_recorded(limits)) {}

void Meter::spend(uint64_t steps) {
  if (steps > limits_.steps - steps_) {
    throw Error(Code::limit, fmt::format("the call takes more than {} steps", limits_.steps));
  }
  steps_ += steps;
}

void Meter::hold(int64_t bytes) {
  if (bytes > memory_) throw Error(Code::limit, fmt::format("a tensor of {} bytes does not fit into memory", bytes));
  if (bytes > memory_ - alive_) {
    throw Error(Code::limit, fmt::format("{} bytes more than the {} alive do not fit into the memory of {}", bytes,
                                         alive_, memory_));
  }
  if (bytes > limits_.bytes - alive_) {
    throw Error(Code::limit,
                fmt::format("{} bytes more than the {} alive go beyond the limit of {}", bytes, alive_, limits_.bytes));
  }
  alive_ += bytes;
  peak_ = std::max(peak_, alive_);
}

void Meter::pass(int64_t bytes) {
  if (counted(bytes) == 0) return;
  if (bytes > memory_) {
    throw Error(Code::limit, fmt::format("{} bytes of working space do not fit into memory", bytes));
  }
  hold(bytes);
  release(bytes);
}

int64_t Meter::take_growth() {
  const int64_t growth = peak_ - before_;
  before_ = peak_ = alive_;
  return growth;
}

void Meter::require_recordable(int64_t arrays) const {
  if (arrays > most_recorded_ - recorded_) {
    throw Error(Code::limit,
                fmt::format("the call records {} operations before the device computes them, expected at most {}",
                            recorded_ + arrays, most_recorded_));
  }
  const bool asks = (recorded_ + arrays) / free_arrays != recorded_ / free_arrays;
  if (asks) require_host_memory((arrays + free_arrays) * kRecordedBytes + (recorded_ + arrays) * destroyed_bytes);
}

void Meter::record(int64_t arrays) {
  require_recordable(arrays);
  recorded_ += arrays;
}

}  // namespace ingot::mlx_engine
