// What a Future shares with the call that fills it.
//
// Threads    every method from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "runtime/future.h"
#include "runtime/host_types.h"

namespace ingot {

struct Future::Shared {
  explicit Shared(HostTypes types) : host(types) {}

  // Exactly once one of these: outputs on the device, which may still compute them, in the order of the names; an error.
  void finish(std::vector<std::string> names, std::shared_ptr<Invocation> call);
  void fail(Error failure);

  // Whether it was done before the deadline; none: waits for ever.
  bool wait(std::optional<std::chrono::steady_clock::time_point> deadline = {});
  bool ready();
  // The outputs, brought to the host by the first who asks. Precondition: wait() has returned.
  const std::vector<NamedTensor>& read();
  // Precondition: wait() has returned.
  const std::optional<Error>& error() const { return error_; }

  const HostTypes host;
  const std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);

 private:
  bool wait_for_device(std::optional<std::chrono::steady_clock::time_point> deadline);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;  // by its call; what follows changes no more but under `device_`
  std::optional<Error> error_;
  std::vector<std::string> names_;

  std::timed_mutex device_;
  std::shared_ptr<Invocation> call_;  // until it has been waited for
  std::vector<Handle> results_;       // until they have been read
  std::vector<NamedTensor> outputs_;
};

}  // namespace ingot
