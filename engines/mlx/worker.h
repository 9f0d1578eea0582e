// Worker: a thread with a queue of work, which is done one piece after the other.
//
// MLX ties streams to threads, and starts a thread for every stream of the CPU. So a device has one stream, and one
// worker that owns it, however many threads call. While the worker has nothing to do, what comes is done on the caller's
// thread, since a hand-over costs more than a small call can spare; what comes meanwhile is queued for its own.
//
// Ownership  of the thread. Work stays with its caller, who waits for it: to queue it allocates nothing.
// Threads    `run` from any thread, in the order in which work comes; no lock, but for those who go to sleep.
// Failure    what the work throws; Code::cancelled once `end` has begun; Code::limit where the thread does not start.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "engines/mlx/awake.h"
#include "program/start_thread.h"

namespace ingot::mlx_engine {

class Worker {
 public:
  Worker() : thread_(start_thread("the worker of a device", [this] { serve(); })) {}
  ~Worker() { end(); }

  // Returns what the work does, when it is done. Work may itself have work done.
  template <class F>
  auto run(F work, Awake& awake) {
    if (worker_now_.load() == std::this_thread::get_id()) return work();
    if constexpr (std::is_void_v<decltype(work())>) {
      Task task;
      task.function = [](void* what) { (*static_cast<F*>(what))(); };
      task.what = &work;
      do_or_queue(task, awake);
      if (task.error) std::rethrow_exception(task.error);
    } else {
      std::optional<decltype(work())> result;
      run([&] { result.emplace(work()); }, awake);
      return *std::move(result);
    }
  }

  // Ends the thread, once it has done what came before. From one thread; false, and nothing, from work.
  bool end();

 private:
  enum class State { queued, awaited_asleep, done };

  struct Task {
    void (*function)(void*) = nullptr;
    void* what = nullptr;
    Task* before = nullptr;  // it in the queue
    std::exception_ptr error;
    std::atomic<State> state = State::queued;
    std::condition_variable ended;  // for a caller that sleeps
  };

  void do_or_queue(Task& task, Awake& awake);
  void wait_for(Task& task, Awake& awake);
  void serve();
  void call_thread();
  void do_all(Task* newest);
  bool stop_working();
  static void do_task(Task& task);
  void finish(Task& task);

  // The newest task in the queue. None: no work is being done, and whoever puts `working_` here may do some.
  // `working_`: the queue is empty behind the work that is being done. `closed_`: no work is done any more.
  std::atomic<Task*> newest_ = nullptr;
  Task working_, closed_;
  std::atomic<std::thread::id> worker_now_;  // who does the work
  bool ending_ = false;                      // set by the work of `end`, read by whoever works
  std::atomic<bool> called_ = false;         // the thread is to go on with the queue
  std::mutex sleepers_;                      // for `ended`: only those who sleep, and who wakes them, take it
  std::thread thread_;
};

}  // namespace ingot::mlx_engine
