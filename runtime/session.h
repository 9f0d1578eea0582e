// Session: everything that changes of one user of an Executable, which is the contents of its states.
//
// Ownership  keeps its Executable alive. State is shared until it is written, so a new or forked Session costs little.
// Threads    one thread at a time. Sessions share nothing that changes: no lock, and any number run at once.
// Failure    Error. One without a node was found before anything ran: an input that is missing, unknown, given twice,
//            or not of the declared type. After a failed call every state is as before it, and the Session as usable.
#pragma once

#include <string_view>
#include <vector>

#include "program/io/named_tensor.h"
#include "runtime/executable.h"

namespace ingot {

class Session {
 public:
  explicit Session(Executable executable);
  Session(Session&&) = default;
  Session& operator=(Session&&) = default;

  const Executable& executable() const { return executable_; }

  // The outputs of a method, in its order. Inputs go by name, in any order; an empty method stands for the only one.
  std::vector<NamedTensor> run(std::vector<NamedTensor> inputs, std::string_view method = {});

  // Contents after the last call. Valid until the next one, set_state or reset; a copy for as long as it lives.
  const Tensor& state(std::string_view name) const;
  // Throws unless it is of the declared type. Its bytes are shared, not copied.
  void set_state(std::string_view name, Tensor contents);
  // Every state as the program declares it.
  void reset();
  // A second Session that goes on from here on its own.
  Session fork() const { return *this; }

 private:
  Session(const Session&) = default;
  size_t state_index(std::string_view name) const;

  Executable executable_;
  std::vector<Tensor> states_;  // in the order of the program
};

}  // namespace ingot
