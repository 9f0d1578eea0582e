// Session: everything that changes of one user of an Executable: state, inputs that stay, calls on their way.
//
//   Session session(executable);
//   auto outputs = session.run({{"x", x}});                       // names → tensors
//   Future later = session.submit({{"x", x}});                    // on another thread, in order
//   auto all = session.run_pipelined(batches, {.depth = 2});      // batch n+1 goes up while n is computed
//
// Ownership  keeps its Executable alive. State is shared until it is written, so a new or forked Session costs little.
// Threads    one thread at a time. Sessions share nothing that changes, and any number run at once; but a call that decides
//            by values, as a loop does, keeps its device until it has, and what is submitted to one Executable runs on one
//            thread. What was submitted runs in its order; every other method waits for it first.
// Failure    Error; Code::misuse for a Session that was moved from. One without a node was found before anything ran:
//            an input that is missing, unknown, given twice, or not of the declared type. After a failed call every
//            state and handle is as before it, and the Session as usable. Only a device that fails itself, for want of
//            memory, may take states with it that it was writing in place: using them is Code::internal then, until
//            they are reset or restored.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/io/named_tensor.h"
#include "runtime/executable.h"
#include "runtime/future.h"

namespace ingot {

// The contents of all states at one time; shares them with the Session until either writes.
class Snapshot {
 public:
  // As a safetensors file, and back. An empty Snapshot throws Code::misuse. Throws Code::type_mismatch unless the file
  // holds the states that the program declares. A state whose type the format lacks, as packed ones and those of 4
  // bits, is there as u8 bytes, and its type as metadata.
  void save(const std::string& path) const;
  static Snapshot load(const std::string& path, const Executable& executable);
  int64_t bytes() const;

 private:
  friend class Session;
  void check() const;

  std::shared_ptr<CompiledProgram> compiled_;  // whose handles these are; null: the snapshot is empty
  std::vector<std::string> names_;
  std::vector<Handle> states_;
};

// What `submit` does while as many calls are pending as CompileOptions::pending_calls allows.
enum class WhenFull { wait, refuse };

struct PipelineOptions {
  size_t depth = 2;    // calls on their way at one time
  std::string method;  // empty: the only one
};

class PreparedCall;
struct Callee;
struct Fed;

class Session {
 public:
  explicit Session(Executable executable);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Executable& executable() const;

  // ---- calls
  // The outputs of a method, in its order. Inputs go by name, in any order; an empty method stands for the only one.
  std::vector<NamedTensor> run(const std::vector<NamedTensor>& inputs, std::string_view method = {});
  // The same on tensors that are on the device already, by position: nothing crosses to the host. Inputs come from `upload`
  // or from outputs, in the order of Executable::signature. An active extent does not apply: all rows are computed.
  std::vector<Handle> run_on_device(const std::vector<Handle>& inputs, std::string_view method = {});
  Handle upload(const Tensor& tensor) const;
  // Checks and uploads the inputs, and returns. The call sees the weights that are current now. In mode `async` the next
  // call begins before the device is done with this one, where nothing that values decide can fail it. While
  // CompileOptions::pending_calls are pending it first waits for the oldest, or throws Code::limit.
  Future submit(const std::vector<NamedTensor>& inputs, std::string_view method = {},
                WhenFull when_full = WhenFull::wait);
  // Waits for every call that was submitted, and throws the first failure since the last `sync`. A call that its Future
  // cancelled did not fail.
  void sync();
  // The outputs of a call for each batch, in order: a batch is prepared and outputs are read on this thread while another
  // batch is computed. The first failure ends it, and is thrown: batches before that one have changed the state, and none
  // behind it; but where it is the sink that fails, up to `depth` that were on their way.
  std::vector<std::vector<NamedTensor>> run_pipelined(std::span<const std::vector<NamedTensor>> batches,
                                                      const PipelineOptions& options = {});
  // Likewise for batches that are made one at a time, until there is none, and outputs that are taken one at a time: never
  // more than `depth` of them exist.
  void run_pipelined(const std::function<std::optional<std::vector<NamedTensor>>()>& source,
                     const std::function<void(std::vector<NamedTensor> outputs)>& sink,
                     const PipelineOptions& options = {});
  // From now on a call computes the first `actual` rows alone where inputs have `upper` of them, provided that these are
  // the same without the others (passes/active_extent.h): such inputs are given with `actual` or with `upper` rows, and
  // outputs have `actual`, or n slices for each of these where the method gives [upper·n, …] instead of [upper, n, …].
  // Where that cannot be proven, or such an input is bound, the call is as ever (Executable::whole_extent_reason).
  // actual == upper ends it. Code::invalid_argument for an extent that no input has.
  void set_active_extent(int64_t actual, int64_t upper);
  // Makes ahead what calls with inputs of these sizes need: traces, and the kernels that a device compiles. It is a call
  // with zeros on a fork of this session, and one of each graph that the method can run: both branches of an `if`, and
  // conditions and bodies of loops. That values of 0 fail one is no failure, but what an op of the host throws is. Left to
  // the first call that needs it: what has sizes that data decide, what stands beside a `while`, which zeros might never
  // end, and a graph with an integer among its inputs that the method computes.
  // Sizes may be left out where the method declares them all as literals.
  void warm(const std::vector<Sizes>& inputs = {}, std::string_view method = {}) const;
  // When the latest call was handed to its device: the host was free from then on.
  std::chrono::steady_clock::time_point handed_over() const;
  // A call by positions, on buffers of the caller (runtime/prepared.h).
  PreparedCall prepare(std::string_view method = {});

  // ---- inputs that stay
  // An input of every method that has one of this name and type, until it is bound again: kept on the device. A call that
  // names it uses its own. A tensor that is smaller is broadcast to the sizes that the input declares as literals. Throws
  // Code::type_mismatch where no method has an input that it fits, whatever its symbols are.
  void bind(std::string_view input, const Tensor& tensor);
  // Ends feeds into the input too.
  void unbind(std::string_view input);
  bool is_bound(std::string_view input) const;
  // From now on every call that makes the output puts it where `bind` would have put it, without leaving the device.
  // Throws Code::type_mismatch for an output that can never be that input.
  void feed(std::string_view input, std::string_view output);
  // The same by the output's position in a method.
  void feed(std::string_view input, size_t output, std::string_view method = {});
  // What is bound to an input; or, as `out0`, `out1`, …, an output of the latest `run`, until the next call begins. Nothing
  // is copied before it is read. Throws Code::not_found where there is nothing of that name.
  Tensor read(std::string_view name) const;

  // ---- state
  // Contents after the last call.
  Tensor state(std::string_view name) const;
  // Throws unless it is of the declared type.
  void set_state(std::string_view name, const Tensor& contents);
  // Every state as the program declares it.
  void reset();
  // A second Session that goes on from here on its own, with the same inputs bound.
  Session fork() const;
  Snapshot snapshot() const;
  // Throws Code::type_mismatch for a snapshot of other states.
  void restore(const Snapshot& snapshot);
  int64_t state_bytes() const;

 private:
  friend class PreparedCall;
  struct Data;
  Session(Executable executable, std::shared_ptr<Data> data);
  Data& data() const;
  // The data, once everything that was submitted is done.
  Data& settled() const;
  const std::vector<Handle>& states() const;
  static Callee callee_of(const Executable& executable, std::string_view method);
  // What is called; where the active extent applies, another method that takes `few`, the first rows of the inputs.
  Callee callee(std::string_view method, const std::vector<NamedTensor>& inputs,
                std::optional<std::vector<NamedTensor>>& few) const;
  // `failed` is shared by calls of which none begins once one has failed.
  Future post(const std::vector<NamedTensor>& inputs, std::string_view method, WhenFull when_full,
              const std::shared_ptr<std::atomic<bool>>& failed);
  size_t state_index(std::string_view name) const;

  Executable executable_;
  std::shared_ptr<Data> data_;  // shared with calls on their way
};

}  // namespace ingot
