// Engine: whoever runs Programs. To add one, implement the classes below and name it in runtime/engines.cpp.
// An engine gets programs that have passed `verify` and calls that have passed every check of types: what it refuses
// itself is what values decide (an index out of range), and what it cannot do at all.
//
// Ownership  a DeviceTensor is shared, and immutable while it is. A CompiledProgram owns its program and keeps its weights
//            on the device, once; its Invocations need it only to start.
// Threads    every method from any thread, at any time, but an Invocation's from one at a time.
// Failure    Error with op and node. A call that fails changes nothing that its caller can see.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine_options.h"
#include "program/program.h"

namespace ingot {

// A tensor where the engine keeps it. Its value may still be on its way: reading it waits.
class DeviceTensor {
 public:
  virtual ~DeviceTensor() = default;
  virtual DType dtype() const = 0;
  virtual const Sizes& sizes() const = 0;
  virtual const std::optional<QuantScheme>& scheme() const = 0;
  virtual void wait() const = 0;
  virtual Tensor to_host() const = 0;
  virtual void read(std::span<std::byte> into) const = 0;  // which has as many bytes
};

// The weights of a compiled program as they were at one time, in the form in which its engine keeps them. Immutable.
class WeightSet {
 public:
  virtual ~WeightSet() = default;
};

// A call of a method. It may be made again and again, and keeps its own memory for the next time.
class Invocation {
 public:
  explicit Invocation(GraphId of) : method(of) {}
  virtual ~Invocation() = default;
  virtual bool ready() const = 0;
  virtual bool certain() const = 0;  // nothing that values decide can fail it any more
  virtual void wait() = 0;           // until all is computed; throws what the call refuses
  // Makes the states what the call leaves. Precondition: it was waited for, or is certain.
  virtual void commit() noexcept = 0;
  virtual void release() noexcept = 0;  // lets go of outputs, and of states that were not committed

  const GraphId method;
  Bindings bindings;           // of every symbol that the inputs bind
  std::vector<Handle> inputs;  // of the types that the method declares, under the bindings; taken when it starts
  std::vector<Handle> states;  // all of the program, perhaps of another that was compiled for the same device
  std::shared_ptr<const WeightSet> weights;            // taken when it starts. Null: the weights that are current then
  std::vector<Handle> outputs;                         // until it is released, or starts again
  std::shared_ptr<const std::atomic<bool>> cancelled;  // none: cannot be
};

struct DeviceFacts {
  std::string name, description;  // `cuda`, `NVIDIA H200`
  int64_t memory = 0;             // bytes
};

struct EngineCounters {
  int64_t uploaded_bytes = 0;                   // from the host, weights included
  int64_t cached = 0, traced = 0, evicted = 0;  // signatures
  int64_t peak_bytes = 0;                       // the most that the process had on the device; 0 where unknown
};

struct NewWeight {
  WeightId weight;
  Handle value;
};

class CompiledProgram {
 public:
  virtual ~CompiledProgram() = default;
  virtual const Program& program() const = 0;
  virtual Handle upload(const Tensor& tensor, Handle instead = {}) = 0;  // in place of one that nobody else holds
  virtual Handle weight(WeightId weight) const = 0;                      // none while it has no contents
  // Other values, of their types: calls that begin later see all of them. It waits for no call: an op of the host may do it.
  virtual void set_weights(std::span<const NewWeight> weights) = 0;
  virtual std::shared_ptr<const WeightSet> weights() const = 0;  // the current ones, for `call.weights`
  virtual std::unique_ptr<Invocation> invocation(GraphId method) = 0;
  // Begins a call, one of this program's. Of `call.states` it takes those that it writes in place, once it is certain.
  // Throws where inputs, states or weights are not those of the method (engines/check_call.h). Precondition: every weight
  // that the method reads has contents.
  virtual void start(Invocation& call) = 0;
  // For every node of a graph how it runs: `traced`, `reads values, on the host: …`; empty where nothing is to say.
  virtual std::vector<std::string> explain(GraphId graph) const = 0;
  // For every node of a graph the bytes that it has alive while it runs, besides its operands, at most; 0: no more than
  // its results, or not known.
  virtual std::vector<int64_t> working_space(GraphId graph, const Bindings& bindings) const = 0;
  virtual EngineCounters counters() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  virtual std::string version() const = 0;
  virtual std::vector<std::string_view> modes() const = 0;  // the default first
  virtual std::vector<DeviceFacts> devices() const = 0;
  virtual bool native(const Op& op, const Graph& graph) const = 0;  // else it is decomposed; a primitive is refused
  // Precondition: the program has passed `verify`. Code::not_found for a device or mode that does not exist.
  virtual std::shared_ptr<CompiledProgram> compile(Program program, const EngineOptions& options) const = 0;
};

}  // namespace ingot
