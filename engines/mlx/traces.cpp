#include "engines/mlx/traces.h"

#include <fmt/format.h>

#include <utility>

#include "program/debug.h"

namespace ingot::mlx_engine {

std::shared_ptr<const Trace> Traces::find(const Key& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  uses_.splice(uses_.begin(), uses_, found->second.use);
  return found->second.trace;
}

std::shared_ptr<const Trace> Traces::add(const Key& key, Trace recorded) {
  auto trace = std::make_shared<const Trace>(std::move(recorded));
  ++recorded_;
  if (most_ == 0) return trace;
  if (entries_.size() == most_) {
    debug(3, [&] {
      return fmt::format("forgets a trace of graph {}, from node {} on", uses_.back()[0], uses_.back()[1]);
    });
    entries_.erase(uses_.back());
    uses_.pop_back();
    ++evicted_;
  }
  uses_.push_front(key);
  entries_.emplace(key, Entry{trace, uses_.begin()});
  cached_ = static_cast<int64_t>(entries_.size());
  return trace;
}

}  // namespace ingot::mlx_engine
