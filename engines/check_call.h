// CallCheck: what an engine checks of a call before it starts, since the host may have filled the Invocation by hand.
//
// Ownership  refers to the program. Threads  immutable. Failure  Error that names the method and the input or state.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "program/error.h"

namespace ingot {

// `[method] the number of inputs is 1, expected 2`
void check_count(const Graph& method, std::string_view what, size_t actual, size_t expected);

class CallCheck {
 public:
  explicit CallCheck(const Program& program) : program_(program), effects_(graph_effects(program)) {}

  // Throws unless there is a handle of the declared type, under the bindings, for every input of the method and, where the
  // method uses state, for every state of the program.
  void operator()(const Invocation& call) const;

 private:
  const Program& program_;
  std::vector<Effects> effects_;  // by graph
};

// What a handle or a weight set holds, as the engine's own class.
template <class T, class Base>
const T& own(const std::shared_ptr<const Base>& held, const std::string& subject) {
  if (const auto* found = dynamic_cast<const T*>(held.get())) return *found;
  throw Error(Code::invalid_argument, fmt::format("{} belongs to another engine", subject));
}

}  // namespace ingot
