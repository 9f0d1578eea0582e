// Tape: a function of arrays as the list of MLX primitives that compute it, to be built again without lowering.
//
// It is what mlx::compile replays, without that function's cache, which belongs to a thread, grows for ever and finds
// functions by address. On a GPU mlx::compile fuses what is recorded; on the CPU its fused kernels would be compiled by
// g++ while the program runs, into a folder that all users share.
//
// Ownership  keeps primitives and constants; no input stays alive in it.
// Threads    immutable once recorded; `record` and `replay` on the device's worker.
// Failure    what the function or MLX throws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engines/mlx/device.h"

namespace ingot::mlx_engine {

class Tape {
 public:
  using Function = std::function<std::vector<array>(const std::vector<array>&)>;

  // Calls the function once, on arrays of these shapes and dtypes that hold no values.
  Tape(const Function& function, const std::vector<array>& like, const Device& device);

  // Primitives, each of which a replay records.
  int64_t size() const { return static_cast<int64_t>(steps_.size()); }
  // The function's outputs as lazy arrays. Inputs that nothing needs later are let go of on the way.
  std::vector<array> replay(std::vector<array> inputs) const;
  // Likewise in memory that may be used again: `slots` begins as the inputs, and ends empty.
  void replay(std::vector<array>& slots, std::vector<array>& outputs) const;

 private:
  using Slot = uint32_t;
  struct Use {
    Slot slot;
    bool last;  // nothing reads it later
  };
  struct Step {
    std::shared_ptr<mx::Primitive> primitive;
    std::vector<Use> inputs;
    std::vector<mx::Shape> shapes;  // of its outputs, which take the next slots
    std::vector<mx::Dtype> dtypes;

    bool equals(const Step& other) const;  // but for the inputs
  };

  void record(const std::vector<array>& inputs, const std::vector<array>& outputs);
  bool is_fusible(const std::vector<array>& inputs, const Device& device) const;
  void join_reshapes(const std::vector<array>& inputs);
  void merge();
  void fold();
  void mark_last_uses();
  template <class F>
  void for_each_use(F function);

  size_t input_count_ = 0;
  std::vector<array> constants_;  // slots behind the inputs
  std::vector<Step> steps_;       // their outputs are the slots behind the constants
  std::vector<Use> outputs_;
};

}  // namespace ingot::mlx_engine
