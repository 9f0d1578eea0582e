// Traces: the tapes of a program's segments, by the sizes that they were recorded for; those not used for the longest time go first.
//
// Ownership  of the tapes. Threads  the device's worker; the counters from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "engines/mlx/frame.h"
#include "engines/mlx/tape.h"

namespace ingot::mlx_engine {

// A segment on tape. Its inputs are those of the segment, then weights, then states; its outputs those of the segment,
// then the states written, then for each guard whether it holds and its witness.
struct Trace {
  Tape tape;
  std::vector<StateId> states_written;
  std::vector<GuardRefusal> refusals;
  std::vector<KnownCheck> checks;
  uint64_t steps = 0;
  int64_t peak_bytes = 0;
};

class Traces {
 public:
  // Graph, segment, sizes, and what the host knows of its inputs.
  using Key = std::vector<int64_t>;

  explicit Traces(size_t most) : most_(most) {}

  // None where there is none of this key.
  std::shared_ptr<const Trace> find(const Key& key);
  std::shared_ptr<const Trace> add(const Key& key, Trace trace);

  int64_t cached() const { return cached_; }
  int64_t recorded() const { return recorded_; }
  int64_t evicted() const { return evicted_; }

 private:
  struct Entry {
    std::shared_ptr<const Trace> trace;
    std::list<Key>::iterator use;
  };
  size_t most_;
  std::map<Key, Entry> entries_;
  std::list<Key> uses_;  // the latest first
  std::atomic<int64_t> cached_ = 0, recorded_ = 0, evicted_ = 0;
};

}  // namespace ingot::mlx_engine
