// Frame: the values of one graph as MLX arrays while it is lowered, and all that a lowering may ask for.
//
// Lowering builds MLX's lazy graph; nothing is computed until the call is submitted, unless an op must read values
// (`read`: `if`, `while`, sizes that data decide) or the mode is eager.
//
// Ownership  a Frame holds its values until their last use, so that MLX may reuse their memory.
// Threads    the device's worker.
// Failure    Error; whoever lowers the node adds its op and name. What values decide is a guard: it is computed with the
//            results, and the call fails when it does not hold.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engines/engine.h"
#include "engines/mlx/convert.h"
#include "engines/mlx/device.h"
#include "engines/mlx/known.h"
#include "engines/mlx/meter.h"
#include "engines/mlx/working_space.h"
#include "program/error.h"

namespace ingot::mlx_engine {

struct Plan;
struct Segment;
struct Trace;
class Traces;

// Why a call fails, from the witness' value.
using GuardRefusal = std::shared_ptr<const std::function<Error(const Tensor& witness)>>;

// A condition on values: `holds` is a bool scalar.
struct Guard {
  array holds;
  array witness;
  GuardRefusal refusal;
};

using Weights = std::vector<std::optional<array>>;  // of a program, in its order; none where one has no contents

// One call of a method, or the trace of a part of it.
struct Call {
  const Plan& plan;
  Device& device;
  const Weights* weights;  // while it is lowered; those that the method reads have contents
  Meter meter;
  std::vector<array> states;  // as the call sees them so far
  std::vector<bool> states_written;
  std::vector<Guard> guards;
  std::vector<Known> known;                   // inputs and states; of a trace what its segment is passed
  std::vector<KnownCheck>* checks = nullptr;  // of a trace: what is left to every replay
  bool eager = false;
  Traces* traces = nullptr;  // where segments are traced; none in other modes, and within a trace
  std::shared_ptr<const std::atomic<bool>> cancelled;
  const Observer* observer = nullptr;  // none: nobody

  // Before MLX computes what was lowered so far: throws unless there is memory for it.
  void require_memory() { device.require_memory(meter.take_growth()); }
};

class Frame {
 public:
  // `values` is memory for them: all empty, of any size.
  Frame(Call& call, GraphId graph, Bindings bindings, std::vector<std::optional<array>> values = {});

  // Lowers the nodes in order and gives up the outputs. Precondition: the inputs, which it takes, are what the graph
  // declares under the bindings.
  void run(std::vector<array>& inputs, std::vector<array>& outputs);
  // What each node has alive besides its operands, which hold no values; 0 where that is not known, or more than limits
  // allow. Precondition: nothing was run.
  std::vector<int64_t> spaces();
  // For another run.
  void reset(const Bindings& bindings);
  // Lets go of all values.
  void clear();

  mx::Stream stream() const { return call_.device.stream(); }
  mx::Stream cpu_stream() const { return call_.device.cpu_stream(); }
  bool on_cpu() const { return call_.device.is_cpu(); }

  // ---- operands
  const array& in(Ref ref) const;
  // Converted first, where the dtype differs: for promotion, which loses nothing that it may keep.
  array in(Ref ref, DType dtype) const;
  std::vector<array> in(const std::vector<Ref>& refs) const;
  const TensorType& type(Ref ref) const { return graph_.type(ref); }
  DType dtype(Ref ref) const { return type(ref).dtype; }
  Sizes sizes(Ref ref) const { return sizes(type(ref).shape); }

  // ---- results
  uint32_t result_count() const { return node_->result_count; }
  const TensorType& result_type(uint32_t i = 0) const { return graph_.values[node_->first_result.id + i].type; }
  DType result_dtype(uint32_t i = 0) const { return result_type(i).dtype; }
  Sizes result_sizes(uint32_t i = 0) const { return sizes(result_type(i).shape); }
  mx::Shape result_shape(uint32_t i = 0) const { return to_mlx(result_sizes(i)); }
  bool result_is_empty(uint32_t i = 0) const { return element_count(result_sizes(i)) == 0; }
  array result_zeros(uint32_t i = 0) const { return mx::zeros(result_shape(i), to_mlx(result_dtype(i)), stream()); }

  // ---- sizes
  int64_t size(const Dim& dim) const { return evaluate(dim, bindings_); }
  Sizes sizes(const Shape& shape) const;
  void sizes(const Shape& shape, Sizes& into) const;
  mx::Shape shape(const Shape& of) const { return to_mlx(sizes(of)); }
  void bind(SymbolId symbol, int64_t size);

  // ---- values
  // Fails the call unless `holds`, a bool of any shape, is true everywhere.
  void guard(const array& holds, const array& witness, std::function<Error(const Tensor& witness)> refusal);
  // Fails the call unless the check finds nothing wrong with the integers, an i64 array, as `holds` says of them on the
  // device. Where the host knows them it checks them itself, before anything runs.
  void guard_integers(const array& holds, const array& integers, IntegerCheck check);
  // The values, computed and dense. Only for ops that `reads_values` names (lowering.h).
  std::vector<array> evaluated(std::vector<array> values);
  // One of them on the host. Likewise.
  Tensor read(const array& value, DType dtype);
  // Where the lazy graph stands, for `start`.
  struct Mark {
    int64_t recorded;
    size_t guards;
  };
  Mark mark() const { return {call_.meter.recorded(), call_.guards.size()}; }
  // Has MLX begin to compute these values, guards and states: the only arrays since the mark that are still needed.
  void start(std::vector<array> values, const Mark& since);

  // ---- limits
  // Results are charged before the op is lowered. Whatever else grows with attributes or sizes is charged here, before
  // it is built.
  // For work that the sizes of the results do not show.
  void spend(uint64_t steps) { call_.meter.spend(steps); }
  // For the bytes of a table on the host, until the op is lowered.
  void hold_table(const Sizes& sizes, size_t entry_bytes);
  // For the slices that a scan keeps until it joins them.
  void hold_slices(const op::Scan& scan);
  // For a loop that builds so many arrays in each of its trips.
  void require_recordable(int64_t trips, int64_t arrays) const;

  // ---- state and graphs
  const Plan& plan() const { return call_.plan; }
  const array& state(StateId id) const { return call_.states[id.id]; }
  void set_state(StateId id, array value);
  // Another graph, with the symbols bound so far.
  std::vector<array> call(GraphId graph, std::vector<array> inputs) const;

 private:
  void run(const Segment& segment);
  void run_traced(const Segment& segment);
  void pass_to(const Segment& segment);
  void make_trace_key(const Segment& segment);
  Trace record(const Segment& segment);
  // Gives up the memory of all values, those of the segment that was run included.
  std::vector<std::optional<array>> take_values(const Segment& segment);
  const Known* known(std::uintptr_t id) const;
  void lower(const Node& node);
  void charge_result(uint32_t i);
  array placeholder(const TensorType& type) const;
  int64_t space_of(const Node& node);
  // What a lowering builds upon.
  std::vector<array> leaves_of(const Node& node) const;
  Recorded recorded(const std::vector<array>& leaves, const std::vector<array>& results, size_t guards_before) const;
  void set_results(std::vector<array> results, bool charged, const Recorded& made);
  void compute_results(int64_t recorded_before);
  void drop(Ref ref);

  Call& call_;
  GraphId id_;
  const Graph& graph_;
  Bindings bindings_;
  std::vector<std::optional<array>> values_;  // by Ref; weights are read where they are
  const Node* node_ = nullptr;                // the one that is lowered
  int64_t table_bytes_ = 0;                   // of its tables on the host
  // Of the segment that runs, kept for their memory:
  std::vector<array> passed_, results_;
  std::vector<std::optional<array>> spare_values_;  // all empty: for the next segment that is recorded
  std::vector<int64_t> trace_key_;
};

}  // namespace ingot::mlx_engine
