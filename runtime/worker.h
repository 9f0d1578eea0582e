// Worker: one thread that runs tasks in the order in which they come.
//
// Ownership  of its thread, which starts with the first task. The destructor waits until all tasks are done.
// Threads    `post` from any thread. Tasks must not throw, and must not destroy the Worker.
// Failure    `post` throws Code::limit where the thread does not start.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ingot {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void post(std::function<void()> task);
  // Whether a task is asking.
  bool is_this_thread() const { return running_ == std::this_thread::get_id(); }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::atomic<std::thread::id> running_;  // the thread, while a task runs
  std::thread thread_;
};

}  // namespace ingot
