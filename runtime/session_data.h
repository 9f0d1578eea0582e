// What a Session shares with its calls on their way.
//
// Ownership  shared by both. Threads  whose turn it is: the caller's thread, or the worker's. Failure  as Session.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/session.h"

namespace ingot {

struct CallOptions {
  std::shared_ptr<const std::atomic<bool>> cancelled;              // none: cannot be
  std::function<void(const std::vector<Handle>& outputs)> accept;  // throws at outputs that its caller cannot take
  // Returns while the device computes, where nothing can fail any more.
  bool may_be_under_way = false;
};

// A method where it is compiled.
struct Callee {
  const Graph& method;
  GraphId id;
  std::shared_ptr<CompiledProgram> compiled;
};

struct Session::Data {
  std::shared_ptr<CompiledProgram> compiled;
  std::vector<Handle> states;  // in the order of the program
  Bound bound;
  std::vector<std::pair<std::string, std::string>> feeds;  // input, output
  std::optional<Future> last;                              // submitted; those before it are done when it is
  std::chrono::steady_clock::time_point handed_over;       // the latest call to its device
  std::shared_ptr<const ActiveExtent> active;              // none: calls compute all rows
  int64_t active_rows = 0;

  // Waits for what was submitted.
  void settle();
  // Makes a call and commits it. Only the thread whose turn it is: the caller's, or the worker's.
  std::unique_ptr<Pending> call(const Callee& callee, Arguments arguments, const CallOptions& options = {});
  // What is bound once these outputs have gone where they are fed.
  Bound fed_by(const Graph& method, const std::vector<Handle>& outputs) const;
  // Throws where a call has lost one.
  void check_states() const;
};

}  // namespace ingot
