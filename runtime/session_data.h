// What a Session shares with its calls on their way.
//
// Ownership  shared by both. Threads  whose turn it is: the caller's thread, or the worker's. Failure  as Session.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/session.h"
#include "runtime/worker.h"

namespace ingot {

// An output that becomes an input that stays.
struct Fed {
  size_t place;   // in Bound
  size_t output;  // of the method
};

struct CallOptions {
  std::span<const Fed> fed;
  std::shared_ptr<const std::atomic<bool>> cancelled;              // none: cannot be
  std::function<void(const std::vector<Handle>& outputs)> accept;  // throws at outputs that its caller cannot take
  // Returns while the device computes, where nothing can fail any more.
  bool may_be_under_way = false;
};

// The thread of a call that is being made. A copy of the Session makes none.
struct Caller {
  Caller() = default;
  Caller(const Caller&) {}
  std::atomic<std::thread::id> thread;
};

// A call that was submitted.
struct Pending {
  Future call;
  bool is_synced;  // `sync` reports its failure
};

struct Session::Data {
  std::shared_ptr<CompiledProgram> compiled;
  std::vector<Handle> states;  // in the order of the program
  Bound bound;
  std::vector<std::pair<size_t, std::string>> feeds;  // a place in `bound`, and the output that goes there
  uint64_t feed_changes = 0;
  std::vector<Handle> outputs;                        // of the latest `run`, until the next call begins
  std::deque<Pending> pending;                        // the oldest first; each is done before the next begins
  std::optional<Error> failure;                       // the first one that `sync` has to report
  std::chrono::steady_clock::time_point handed_over;  // the latest call to its device
  std::shared_ptr<const ActiveExtent> active;         // none: calls compute all rows
  int64_t active_rows = 0;
  Caller caller;

  // Waits for everything that was submitted. Throws within a call, where an op of the host uses the Session that runs it.
  void settle();
  void check_caller() const;
  // Waits until fewer than `most` calls are pending. Throws Code::limit where it must not wait, or the worker would wait
  // for itself.
  void make_room(size_t most, WhenFull when_full, const Worker& worker);
  // Waits for the oldest pending call and forgets it.
  void retire();
  // Makes a call and commits it. Only the thread whose turn it is: the caller's, or the worker's.
  void call(const Callee& callee, Invocation& invocation, const CallOptions& options);
  // The outputs of a method that are fed back.
  std::vector<Fed> fed_by(const Graph& method) const;
  // Throws where a call has lost one.
  void check_states() const;
};

}  // namespace ingot
