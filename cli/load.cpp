#include "cli/load.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "cli/call.h"
#include "cli/flags.h"
#include "cli/verbs.h"
#include "program/error.h"
#include "program/start_thread.h"

namespace ingot::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// One thread's part: every n-th session.
struct Part {
  std::vector<Session> sessions;
  std::vector<CallTime> calls;
  std::vector<NamedTensor> outputs;  // of the last call of the first
};

class Driver {
 public:
  Driver(const std::vector<NamedTensor>& inputs, const std::string& method, const LoadOptions& options)
      : inputs_(inputs), method_(method), options_(options) {}

  // All parts, each on a thread of its own; a single one on this thread.
  void run(std::vector<Part>& parts, void (Driver::*step)(Part&)) {
    std::vector<std::thread> threads;
    try {
      for (size_t i = 1; i < parts.size(); ++i) {
        const std::string name = fmt::format("thread {} of {}", i + 1, parts.size());
        threads.push_back(start_thread(name, [this, &part = parts[i], step] { guarded(part, step); }));
      }
    } catch (...) {
      fail(std::current_exception());
    }
    guarded(parts[0], step);
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

  void warm_up(Part& part) {
    for (Session& session : part.sessions) {
      for (uint64_t i = 0; i < options_.warmup && !failed_; ++i) call(session, inputs_, method_);
      session.reset();
    }
  }

  void measure(Part& part) {
    const Clock::time_point begin = Clock::now();
    const auto goes_on = [&](uint64_t i) {
      if (failed_) return false;
      return options_.duration > 0 ? i == 0 || seconds(Clock::now() - begin) < options_.duration
                                   : i < options_.iterations;
    };
    for (uint64_t i = 0; goes_on(i); ++i) {
      for (Session& session : part.sessions) {
        const Clock::time_point start = Clock::now();
        std::vector<NamedTensor> outputs = call(session, inputs_, method_);
        const Clock::time_point end = Clock::now();
        part.calls.push_back({seconds(session.handed_over() - start), seconds(end - start)});
        if (&session == &part.sessions.front()) part.outputs = std::move(outputs);
      }
    }
  }

 private:
  void guarded(Part& part, void (Driver::*step)(Part&)) {
    try {
      (this->*step)(part);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  // The first counts.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }

  const std::vector<NamedTensor>& inputs_;
  const std::string& method_;
  const LoadOptions& options_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void add_load_options(CLI::App& app, LoadOptions& o) {
  app.add_option("--threads", o.threads, "that call it at one time")
      ->check(integer_within(1, 1024))
      ->capture_default_str();
  app.add_option("--sessions", o.sessions, "that the threads take in turn; absent: one for each thread")
      ->check(integer_within(1, 1 << 20));
  CLI::Option* iterations =
      app.add_option("--iterations,--repeat", o.iterations, "how often each session is called; the last outputs count")
          ->check(integer_within(1))
          ->capture_default_str();
  app.add_option("--duration", o.duration, "SECONDS to go on, instead of a number of calls")
      ->check(check_above_zero)
      ->excludes(iterations);
  app.add_option("--warmup", o.warmup, "calls of each session before those that count; its state is reset behind them")
      ->check(integer_within(0))
      ->capture_default_str();
}

Load run_load(const Executable& executable, const std::vector<NamedTensor>& inputs, const std::string& method,
              const LoadOptions& options) {
  const uint64_t sessions = options.sessions == 0 ? options.threads : options.sessions;
  if (sessions < options.threads) {
    throw WrongUsage{
        fmt::format("--sessions is {}, expected at least one for each of {} threads", sessions, options.threads)};
  }
  std::vector<Part> parts(options.threads);
  for (uint64_t i = 0; i < sessions; ++i) parts[i % options.threads].sessions.emplace_back(executable);
  Driver driver(inputs, method, options);
  driver.run(parts, &Driver::warm_up);
  const Clock::time_point begin = Clock::now();
  driver.run(parts, &Driver::measure);
  Load load{.calls = {}, .seconds = seconds(Clock::now() - begin), .outputs = std::move(parts[0].outputs)};
  for (const Part& part : parts) load.calls.insert(load.calls.end(), part.calls.begin(), part.calls.end());
  return load;
}

}  // namespace ingot::cli
