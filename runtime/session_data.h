// What a Session shares with its calls on their way.
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

struct Session::Data {
  std::shared_ptr<CompiledProgram> compiled;
  std::vector<Handle> states;  // in the order of the program
  Bound bound;
  std::vector<std::pair<std::string, std::string>> feeds;  // input, output
  std::optional<Future> last;                              // submitted; those before it are done when it is
  std::chrono::steady_clock::time_point handed_over;       // the latest call to its device

  // Waits for what was submitted.
  void settle();
  // Runs to the end, and commits unless `accept` throws at the outputs. Only the thread whose turn it is: the caller's, or
  // the worker's.
  std::vector<Handle> call(const Graph& method, GraphId id, Arguments arguments,
                           std::shared_ptr<const std::atomic<bool>> cancelled,
                           const std::function<void(const std::vector<Handle>& outputs)>& accept = {});
};

}  // namespace ingot
