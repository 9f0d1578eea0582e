#include "runtime/future.h"

#include <utility>

#include "runtime/future_shared.h"

namespace ingot {

void Future::Shared::finish(std::vector<NamedTensor> computed, std::optional<Error> failure) {
  {
    const std::lock_guard lock(mutex);
    outputs = std::move(computed);
    error = std::move(failure);
    done = true;
  }
  changed.notify_all();
}

void Future::Shared::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return done; });
}

bool Future::Shared::is_done() const {
  const std::lock_guard lock(mutex);
  return done;
}

void Future::wait() const { shared_->wait(); }

bool Future::wait_for(std::chrono::nanoseconds time) const {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, time, [this] { return shared_->done; });
}

bool Future::ready() const { return shared_->is_done(); }

std::vector<NamedTensor> Future::result() const {
  wait();
  if (shared_->error) throw Error(*shared_->error);
  return shared_->outputs;
}

std::optional<Error> Future::error() const {
  wait();
  return shared_->error;
}

void Future::cancel() const { *shared_->cancelled = true; }

}  // namespace ingot
