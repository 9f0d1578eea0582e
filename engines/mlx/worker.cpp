#include "engines/mlx/worker.h"

#include "program/error.h"

namespace ingot::mlx_engine {

void Worker::do_or_queue(Task& task, Awake& awake) {
  Task* newest = nullptr;
  while (!newest_.compare_exchange_weak(newest, newest ? &task : &working_)) {
    if (newest == &closed_) throw Error(Code::cancelled, "the process ends: nothing more is computed");
    task.before = newest;
  }
  if (newest) return wait_for(task, awake);
  worker_now_ = std::this_thread::get_id();
  do_task(task);
  if (!stop_working()) call_thread();
}

void Worker::wait_for(Task& task, Awake& awake) {
  const auto is_done = [&] { return task.state.load() == State::done; };
  if (awake.sees(is_done)) return;
  std::unique_lock lock(sleepers_);
  State expected = State::queued;
  if (task.state.compare_exchange_strong(expected, State::awaited_asleep)) task.ended.wait(lock, is_done);
}

void Worker::serve() {
  Awake awake;
  while (newest_.load() != &closed_) {
    if (!awake.sees([&] { return called_.load(); })) called_.wait(false);
    called_ = false;
    if (newest_.load() == &closed_) return;
    do {
      worker_now_ = std::this_thread::get_id();
      do_all(newest_.exchange(ending_ ? &closed_ : &working_));  // else callers that come back would keep it for ever
    } while (!stop_working());
  }
}

void Worker::call_thread() {
  called_ = true;
  called_.notify_one();
}

void Worker::do_all(Task* newest) {
  Task* oldest = &working_;  // turns the queue round: `before` is behind
  while (newest != &working_) oldest = std::exchange(newest, std::exchange(newest->before, oldest));
  while (oldest != &working_) {
    Task& task = *std::exchange(oldest, oldest->before);
    do_task(task);
    finish(task);
  }
}

// Whether there is nothing left to do.
bool Worker::stop_working() {
  worker_now_ = std::thread::id();
  Task* newest = &working_;
  return newest_.compare_exchange_strong(newest, ending_ ? &closed_ : nullptr) || newest == &closed_;
}

void Worker::do_task(Task& task) {
  try {
    task.function(task.what);
  } catch (...) {
    task.error = std::current_exception();
  }
}

void Worker::finish(Task& task) {
  State expected = State::queued;
  if (task.state.compare_exchange_strong(expected, State::done)) return;  // its caller leaves, and takes it along
  const std::lock_guard lock(sleepers_);
  task.state = State::done;
  task.ended.notify_one();
}

bool Worker::end() {
  if (worker_now_.load() == std::this_thread::get_id()) return false;
  if (!thread_.joinable()) return true;
  Awake awake;
  run([&] { ending_ = true; }, awake);
  call_thread();  // which may have had no part in this
  thread_.join();
  return true;
}

}  // namespace ingot::mlx_engine
