// Frame: the values of one graph while it runs, and all that a kernel may ask for.
//
// Ownership  a Frame owns its values; a value goes at its last use. Meter and States belong to the call.
// Threads    one thread for each call; calls share nothing that changes.
// Failure    Code::limit before memory or steps go beyond RunLimits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "engines/observer.h"
#include "engines/reference/elements.h"
#include "engines/run_limits.h"
#include "program/program.h"

namespace ingot::reference {

// What one call has used. A tensor counts for as long as anyone holds its bytes.
class Meter {
 public:
  explicit Meter(const RunLimits& limits) : limits_(limits) {}

  void spend(uint64_t steps);
  // count · each steps.
  void spend(int64_t count, int64_t each);
  // Throws unless so many bytes more are within the limit.
  void require(int64_t bytes) const;
  // The same, and from then on they count.
  void hold(int64_t bytes) const;
  void release(int64_t bytes) const { *alive_ -= bytes; }
  // The tensor, whose bytes count from then on.
  Tensor counted(const Tensor& tensor) const;
  // All zero bits.
  Tensor allocate(DType dtype, Sizes sizes, const std::optional<QuantScheme>& scheme = {});

 private:
  RunLimits limits_;
  uint64_t steps_ = 0;
  std::shared_ptr<std::atomic<int64_t>> alive_ = std::make_shared<std::atomic<int64_t>>(0);
};

// The memory of working space, which counts like that of tensors. A default one has nobody to count, and gives none.
template <class T>
class Metered {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  Metered() = default;
  explicit Metered(const Meter& meter) : meter_(&meter) {}
  template <class U>
  Metered(const Metered<U>& other) : meter_(other.meter_) {}  // NOLINT(google-explicit-constructor): an allocator

  T* allocate(size_t n) {
    if (!meter_) throw std::bad_alloc();
    meter_->hold(bytes(n));
    try {
      return std::allocator<T>().allocate(n);
    } catch (...) {
      meter_->release(bytes(n));
      throw;
    }
  }
  void deallocate(T* memory, size_t n) {
    std::allocator<T>().deallocate(memory, n);
    meter_->release(bytes(n));
  }
  bool operator==(const Metered&) const = default;

 private:
  template <class U>
  friend class Metered;
  static int64_t bytes(size_t n) { return static_cast<int64_t>(n * sizeof(T)); }

  const Meter* meter_ = nullptr;
};

// Working space of a kernel, and its copies.
template <class T>
using Scratch = std::vector<T, Metered<T>>;

// The states as a call sees them: reads see its writes, and nobody else does.
class States {
 public:
  explicit States(std::vector<Tensor> before) : now_(std::move(before)), is_written_(now_.size(), false) {}

  const Tensor& read(StateId id) const { return now_[id.id]; }
  void write(StateId id, Tensor tensor);
  bool is_written(StateId id) const { return is_written_[id.id]; }

 private:
  std::vector<Tensor> now_;  // by StateId
  std::vector<bool> is_written_;
};

struct Plan;

// One call of a method.
struct Call {
  const Plan& plan;
  Meter& meter;
  States& states;
  const std::atomic<bool>* cancelled;  // none: cannot be
  const Observer& observer;
};

class Frame {
 public:
  // Precondition: the inputs are what the graph declares under `bindings`.
  Frame(Call& call, GraphId graph, std::vector<Tensor> inputs, Bindings bindings);

  // Runs the nodes in order and gives up the outputs.
  std::vector<Tensor> run();

  // ---- operands
  const Tensor& tensor(Ref ref) const;
  std::vector<Tensor> tensors(const std::vector<Ref>& refs) const;
  DType dtype(Ref ref) const { return tensor(ref).dtype(); }
  const Sizes& sizes(Ref ref) const { return tensor(ref).sizes(); }
  template <class T = double>
  View<T> in(Ref ref) const {
    return view<T>(tensor(ref));
  }
  View<uint64_t> bits(Ref ref) const { return view_bits(tensor(ref)); }
  // Converted first, where the dtype differs.
  template <class T>
  View<T> in(Ref ref, DType dtype) {
    return view<T>(converted(ref, dtype));
  }
  View<double> in_or(const std::optional<Ref>& ref, double otherwise) const {
    return ref ? in(*ref) : View<double>(otherwise);
  }
  // Integers of any dtype as indices; beyond i64 the nearest, which is out of range all the same.
  View<int64_t> indices(Ref ref);

  // ---- results
  uint32_t result_count() const { return node_->result_count; }
  DType result_dtype(uint32_t i = 0) const { return result_type(i).dtype; }
  // Allocated as inference says, under the bindings. The kernel writes every element.
  template <class T = double>
  Out<T> out(uint32_t i = 0) {
    return Out<T>(allocate_result(i), storer<T>(result_dtype(i)));
  }
  // The same where every element is 0 at first.
  template <class T = double>
  Out<T> zeros(uint32_t i = 0) {
    return Out<T>(allocate_zeros(i), storer<T>(result_dtype(i)));
  }
  Out<uint64_t> zero_bits(uint32_t i = 0) { return Out<uint64_t>(allocate_zeros(i), bits_storer(result_dtype(i))); }
  Out<uint64_t> out_bits(uint32_t i = 0) { return Out<uint64_t>(allocate_result(i), bits_storer(result_dtype(i))); }
  Tensor& allocate_result(uint32_t i = 0);
  Tensor& allocate_zeros(uint32_t i = 0);
  // A tensor that is there already. Throws when it is not what inference says.
  void set(uint32_t i, Tensor tensor);
  // One that the host made. Precondition: it is what inference says.
  void adopt(uint32_t i, const Tensor& tensor);

  // ---- sizes, memory, work
  int64_t size(const Dim& dim) const { return evaluate(dim, bindings_); }
  Sizes sizes(const Shape& shape) const;
  void bind(SymbolId symbol, int64_t size);
  Tensor allocate(DType dtype, Sizes sizes) { return call_.meter.allocate(dtype, std::move(sizes)); }
  // Working space for n numbers.
  template <class T>
  Scratch<T> scratch(int64_t n) const {
    call_.meter.require(element_count(Sizes{n, sizeof(T)}));
    return Scratch<T>(static_cast<size_t>(n), Metered<T>(call_.meter));
  }
  // For work that the size of the result does not show.
  void spend(int64_t count, int64_t each = 1) { call_.meter.spend(count, each); }

  // ---- state and graphs
  const Plan& plan() const { return call_.plan; }
  const Tensor& state(StateId id) const { return call_.states.read(id); }
  void set_state(StateId id, Tensor tensor) { call_.states.write(id, std::move(tensor)); }
  // Another graph, with the symbols bound so far.
  std::vector<Tensor> call(GraphId graph, std::vector<Tensor> inputs) const;

 private:
  const TensorType& result_type(uint32_t i) const { return graph_.values[node_->first_result.id + i].type; }
  Tensor converted(Ref ref, DType dtype);
  void run(const Node& node);

  Call& call_;
  GraphId id_;
  const Graph& graph_;
  Bindings bindings_;
  std::vector<Tensor> values_;  // by Ref; weights are read where they are
  const Node* node_ = nullptr;  // the one that runs
};

}  // namespace ingot::reference
