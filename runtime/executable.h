// Executable: a Program ready to run on one engine.
//
//   Executable executable = compile(open_program("model.ingot"));
//   Session session(executable);
//
// Ownership  a handle: copies are cheap and share one whole, immutable apart from `set_param`.
// Threads    every method from any thread; any number of Sessions on one Executable.
// Failure    `compile` throws what `verify` throws; Code::not_found for an engine, device or mode that does not exist,
//            Code::unsupported for an op that it cannot run, Code::limit when the state of one session would go beyond
//            the limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "program/program.h"

namespace ingot {

class Worker;

struct CompileOptions {
  std::string engine = "reference";
  std::string device;  // empty: the engine's first
  std::string mode;    // empty: the engine's default
  RunLimits limits;    // of every call
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

  // Another value for a weight, in all Sessions; calls that begin later use it, and no other weight moves.
  void set_param(std::string_view name, const Tensor& tensor);
  // What calls have cost so far: bytes that went to the device, shapes that were prepared and forgotten.
  EngineCounters counters() const;

 private:
  friend class Session;
  friend class Snapshot;
  friend class PreparedCall;
  friend Executable compile(Program program, const CompileOptions& options);
  struct Data;
  explicit Executable(std::shared_ptr<Data> data) : data_(std::move(data)) {}

  const std::shared_ptr<CompiledProgram>& compiled() const;
  Worker& worker() const;
  // The contents that the states of a session begin with, in the order of the program.
  const std::vector<Handle>& initial_states() const;
  GraphId id(const Graph& method) const;

  std::shared_ptr<Data> data_;
};

Executable compile(Program program, const CompileOptions& options = {});

}  // namespace ingot
