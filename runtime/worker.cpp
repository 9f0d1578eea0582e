#include "runtime/worker.h"

#include <utility>

#include "program/start_thread.h"

namespace ingot {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable())
      thread_ = start_thread("the thread of submitted calls", [this] { work(); });  // may throw: the task is not there
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    running_ = std::this_thread::get_id();
    task();
    running_ = std::thread::id();
    task = nullptr;  // what it holds is let go of before the lock
    lock.lock();
  }
}

}  // namespace ingot
