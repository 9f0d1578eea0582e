// What a Future shares with the call that fills it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "runtime/future.h"

namespace ingot {

struct Future::Shared {
  // Exactly once.
  void finish(std::vector<NamedTensor> outputs, std::optional<Error> error);
  void wait();
  bool is_done() const;

  const std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);

  mutable std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::vector<NamedTensor> outputs;
  std::optional<Error> error;  // a value: every thread throws its own
};

}  // namespace ingot
