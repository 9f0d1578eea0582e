// Executable: a Program ready to run on one engine.
//
//   Executable executable = compile(open_program("model.ingot"));
//   Session session(executable);
//
// Ownership  a handle: copies are cheap and share one whole, immutable apart from `set_param`.
// Threads    every method from any thread; any number of Sessions on one Executable.
// Failure    Code::misuse for one that was moved from. `compile` throws what `verify` throws; Code::not_found for an
//            engine, device or mode that does not exist, Code::unsupported for an op that it cannot run, Code::limit when
//            the state of one session, or the weights that begin as zeros, would go beyond the limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "program/io/named_tensor.h"
#include "program/program.h"
#include "runtime/cost.h"
#include "runtime/host_types.h"

namespace ingot {

class Worker;
struct ActiveExtent;
struct Param;

struct CompileOptions {
  std::string engine;                        // empty: the fastest of this build
  std::string device;                        // empty: the engine's first
  std::string mode;                          // empty: the engine's default
  RunLimits limits;                          // of every call
  std::shared_ptr<const Registry> registry;  // of the host's ops (engines/registry.h); none: default_registry()
  size_t cached_signatures = 64;             // combinations of sizes whose preparation is kept
  size_t pending_calls = 16;                 // of one Session: `submit` waits while there are as many
  // The most threads that the engine uses on the CPU; 0: the engine decides. BLAS, which `mlx` calls there, has one setting
  // for the process: that of the program compiled last.
  int threads = 0;
  // Floats of other widths go in and out as f32: inputs, outputs, parameters and states (runtime/host_types.h).
  bool f32_io = false;
  // Results begin as garbage instead of zeros, so that tests find an element that nobody writes.
  bool poison = false;
  // Passes (passes/pipeline.h) first, and what depends on weights alone is computed once (passes/hoist.h); the reference
  // engine runs programs as they are written.
  bool optimize = true;
  Observer observer;  // of every node that runs; one makes the nodes run one by one, as mode eager does
};

// The inputs and outputs of a method in their order, and the weights that it reads, in that of the program.
struct Signature {
  struct Entry {
    std::string name;
    TensorType type;
  };
  std::vector<Entry> inputs, outputs, weights;
};

class Executable {
 public:
  const Program& program() const;  // as it was given
  // As the engine runs it: ops may be others, and what was computed once from weights comes to a method as further inputs.
  const Program& lowered() const;
  std::string_view engine() const;
  std::string_view device() const;
  std::string_view mode() const;
  const RunLimits& limits() const;

  // The method of this name; an empty name stands for the only one there is.
  const Graph& method(std::string_view name) const;
  Signature signature(std::string_view method = {}) const;

  // ---- before anything runs; `inputs` has the sizes of each input, in the order of the method, and may be empty where the
  // method declares them all as literals
  // How each node of the lowered method runs, in their order; empty where there is nothing to say. Likewise of a graph
  // that methods run, by its name or by its id in lowered().
  std::vector<std::string> explain(std::string_view method = {}) const;
  std::vector<std::string> explain(GraphId graph) const;
  GraphCost cost(std::string_view method, const std::vector<Sizes>& inputs) const;
  // The same with sizes by their symbols, of which some may be open.
  GraphCost cost_under(std::string_view method, const Bindings& bindings) const;
  // Sizes that data decide keep their symbols.
  std::vector<Shape> output_shapes(std::string_view method, const std::vector<Sizes>& inputs) const;
  // Bytes of weights, those without contents included, of the state of one Session, and of the most that one call has
  // alive. Code::unsupported where data decide a size that has no bound.
  int64_t memory_needed(std::string_view method, const std::vector<Sizes>& inputs) const;

  // Why calls of a method that give it fewer rows than `upper` compute all of them (Session::set_active_extent); empty
  // where they compute those rows alone. Code::invalid_argument where no input of the program has `upper` rows.
  std::string whole_extent_reason(std::string_view method, int64_t upper) const;

  // Another value for a weight, in all Sessions; calls that begin later use it, and no other weight moves. States that begin
  // as a weight begin as it was when the program was compiled.
  void set_param(std::string_view name, const Tensor& tensor);
  // Likewise for several: one Error names every tensor that is unknown, given twice or of another type, and then none is
  // set. A weight that the program declares without contents is filled so; until then calls of the methods that read it,
  // in themselves or in graphs that they call, fail with Code::invalid_argument before anything runs.
  void set_params(const std::vector<NamedTensor>& tensors);
  // Every tensor of these safetensors files. One of them must hold each weight that still has no contents.
  void load_params(const std::vector<std::string>& files);
  // What calls have cost so far: bytes that went to the device, shapes that were prepared and forgotten.
  EngineCounters counters() const;

 private:
  friend class Session;
  friend class Snapshot;
  friend class PreparedCall;
  friend Executable compile(Program program, const CompileOptions& options);
  struct Data;
  explicit Executable(std::shared_ptr<Data> data) : data_(std::move(data)) {}

  Data& data() const;
  const std::shared_ptr<CompiledProgram>& compiled() const;
  HostTypes host_types() const;
  size_t pending_calls() const;
  Worker& worker() const;
  // The contents that the states of a session begin with, in the order of the program.
  const std::vector<Handle>& initial_states() const;
  GraphId id(const Graph& method) const;
  void set_weights(const std::vector<Param>& params);
  // With weights that the engine has already, as handles of another program's; empty: it uploads those of the program.
  static Executable make(std::vector<Handle> weights, Program program, const CompileOptions& options);
  // Throws unless an input has that many rows.
  void check_rows(int64_t upper) const;
  // Compiled by the first who asks, while others and `set_param` wait. Precondition: check_rows.
  std::shared_ptr<const ActiveExtent> active_extent(int64_t upper) const;

  std::shared_ptr<Data> data_;
};

// With the options of the environment (runtime/environment.h).
Executable compile(Program program);
Executable compile(Program program, const CompileOptions& options);

}  // namespace ingot
