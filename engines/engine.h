// Engine: whoever runs Programs. To add one, implement the three classes below and name it in runtime/engines.cpp.
//
// An engine gets programs that have passed `verify` and calls that have passed every check of types: what it refuses
// itself is what values decide (an index out of range), and what it cannot do at all.
//
// Ownership  a DeviceTensor is immutable and shared. A CompiledProgram owns its program and keeps its weights on the
//            device, once.
// Threads    every method from any thread, at any time; how an engine orders its device's work is its own business.
// Failure    Error with op and node. A call that fails changes nothing that its caller can see.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine_options.h"
#include "program/program.h"

namespace ingot {

// A tensor where the engine keeps it. Its value may still be on its way: `to_host` waits.
class DeviceTensor {
 public:
  virtual ~DeviceTensor() = default;
  virtual DType dtype() const = 0;
  virtual const Sizes& sizes() const = 0;
  virtual const std::optional<QuantScheme>& scheme() const = 0;
  virtual void wait() const = 0;
  virtual Tensor to_host() const = 0;
};

struct Invocation {
  GraphId method;
  Bindings bindings;                                   // of every symbol that the inputs bind
  std::vector<Handle> inputs;                          // of the types that the method declares, under the bindings
  std::vector<Handle> states;                          // all of the program
  std::shared_ptr<const std::atomic<bool>> cancelled;  // none: cannot be
};

// A call that has been handed to the device.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual bool ready() const = 0;
  // Whether nothing that values decide can fail it any more.
  virtual bool certain() const = 0;
  // Returns when all is computed; throws what the call refuses.
  virtual void wait() = 0;

  std::vector<Handle> outputs;
  std::vector<Handle> states;  // all of the program, as the call leaves them
};

struct DeviceFacts {
  std::string name;  // `cpu`, `cuda`
  std::string description;
  int64_t memory = 0;  // bytes
};

struct EngineCounters {
  int64_t uploaded_bytes = 0;                   // from the host, weights included
  int64_t cached = 0, traced = 0, evicted = 0;  // signatures
  int64_t peak_bytes = 0;                       // the most that the process had on the device; 0 where unknown
};

class CompiledProgram {
 public:
  virtual ~CompiledProgram() = default;
  virtual const Program& program() const = 0;
  virtual Handle upload(const Tensor& tensor) = 0;
  virtual Handle weight(WeightId weight) const = 0;
  // Another value for a weight; calls that begin later see it. Precondition: the weight's type.
  virtual void set_weight(WeightId weight, const Handle& value) = 0;
  // Begins a call. States that it writes in place it takes out of `call.states`, once nothing that values decide can fail
  // it any more; the others stay there, as they are should it fail.
  virtual std::unique_ptr<Pending> start(Invocation& call) = 0;
  // For every node of a graph how it runs: `traced`, `reads values, on the host: …`; empty where nothing is to say.
  virtual std::vector<std::string> explain(GraphId graph) const = 0;
  virtual EngineCounters counters() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  virtual std::string version() const = 0;
  virtual std::vector<std::string_view> modes() const = 0;  // the default first
  virtual std::vector<DeviceFacts> devices() const = 0;
  // Precondition: the program has passed `verify`. Code::not_found for a device or mode that does not exist.
  virtual std::shared_ptr<CompiledProgram> compile(Program program, const EngineOptions& options) const = 0;
};

}  // namespace ingot
