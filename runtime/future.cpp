#include "runtime/future.h"

#include <thread>
#include <utility>

#include "runtime/current_error.h"
#include "runtime/future_shared.h"

namespace ingot {
namespace {

using Clock = std::chrono::steady_clock;

// A device says when it is done, but not within a time.
constexpr std::chrono::microseconds between_looks(50);

}  // namespace

void Future::Shared::finish(std::vector<std::string> names, std::shared_ptr<Invocation> call) {
  {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
    call_ = std::move(call);
    finished_ = true;
  }
  changed_.notify_all();
}

void Future::Shared::fail(Error failure) {
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(failure);
    finished_ = true;
  }
  changed_.notify_all();
}

bool Future::Shared::wait(std::optional<Clock::time_point> deadline) {
  {
    std::unique_lock lock(mutex_);
    const auto is_finished = [this] { return finished_; };
    if (!deadline) {
      changed_.wait(lock, is_finished);
    } else if (!changed_.wait_until(lock, *deadline, is_finished)) {
      return false;
    }
  }
  return wait_for_device(deadline);
}

bool Future::Shared::wait_for_device(std::optional<Clock::time_point> deadline) {
  std::unique_lock lock(device_, std::defer_lock);
  if (!deadline) {
    lock.lock();
  } else if (!lock.try_lock_until(*deadline)) {
    return false;
  }
  if (!call_) return true;
  try {
    while (deadline && !call_->ready()) {
      if (Clock::now() >= *deadline) return false;
      std::this_thread::sleep_for(between_looks);
    }
    call_->wait();
    results_ = std::move(call_->outputs);
  } catch (...) {
    error_ = current_error();
  }
  call_.reset();
  return true;
}

bool Future::Shared::ready() { return wait(Clock::time_point::min()); }

const std::vector<NamedTensor>& Future::Shared::read() {
  const std::lock_guard lock(device_);
  for (size_t i = outputs_.size(); i < results_.size(); ++i) outputs_.push_back({names_[i], host.out(*results_[i])});
  results_.clear();
  return outputs_;
}

Future::Shared& Future::shared() const {
  if (!shared_) throw Error(Code::misuse, "the future was moved from");
  return *shared_;
}

void Future::wait() const { shared().wait(); }
bool Future::wait_for(std::chrono::nanoseconds time) const {
  const Clock::time_point now = Clock::now();
  return shared().wait(time > Clock::time_point::max() - now ? Clock::time_point::max() : now + time);
}
bool Future::ready() const { return shared().ready(); }

std::vector<NamedTensor> Future::result() const {
  if (const std::optional<Error> failure = error()) throw Error(*failure);
  return shared_->read();
}

std::optional<Error> Future::error() const {
  wait();
  return shared_->error();
}

void Future::cancel() const { *shared().cancelled = true; }

}  // namespace ingot
