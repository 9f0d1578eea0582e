// Executable: a Program ready to run on one engine.
//
//   Executable executable = compile(open_program("model.ingot"));
//   Session session(executable);
//
// Ownership  a handle: copies are cheap and share one immutable whole, the program and its weights included.
// Threads    every method from any thread; any number of Sessions on one Executable.
// Failure    `compile` throws what `verify` throws; Code::not_found for an engine that does not exist,
//            Code::unsupported for an op that it cannot run, Code::limit when the state of one session would go beyond
//            the limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/run_limits.h"
#include "program/program.h"

namespace ingot {

struct CompileOptions {
  std::string engine = "reference";
  RunLimits limits;  // of every call
  // Results begin as garbage instead of zeros, so that tests find an element that nobody writes.
  bool poison = false;
};

class Executable {
 public:
  const Program& program() const;
  std::string_view engine() const;
  const RunLimits& limits() const;

  // The method of this name; an empty name stands for the only one there is.
  const Graph& method(std::string_view name) const;

 private:
  friend class Session;
  friend Executable compile(Program program, const CompileOptions& options);
  struct Data;
  explicit Executable(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  // The contents that the states of a session begin with, in the order of the program.
  const std::vector<Tensor>& initial_states() const;
  // Runs a method on the session's states, which it commits when all went well.
  std::vector<Tensor> execute(const Graph& method, std::vector<Tensor> inputs, Bindings bindings,
                              std::vector<Tensor>& states) const;

  std::shared_ptr<const Data> data_;
};

Executable compile(Program program, const CompileOptions& options = {});

}  // namespace ingot
