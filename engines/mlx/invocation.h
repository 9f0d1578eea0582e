// MlxInvocation: a call of a method of an MlxProgram, and the memory that lowering and replaying it take.
//
// Ownership  of results until it was waited for, of states until it is committed, of outputs until it is released.
// Threads    engines/engine.h; the device's worker starts it.
// Failure    engines/engine.h.
#pragma once

#include <utility>
#include <vector>

#include "engines/engine.h"
#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

struct MlxWeights final : WeightSet {
  explicit MlxWeights(Weights of) : arrays(std::move(of)) {}
  Weights arrays;
};

class MlxInvocation final : public Invocation {
 public:
  // The call has all but what each time has of its own: states, how much it uses, whether it is cancelled.
  MlxInvocation(Call call, GraphId of);

  void start(const MlxWeights& given);
  bool ready() const override;
  bool certain() const override { return certain_; }
  void wait() override;
  void commit() noexcept override;
  void release() noexcept override;

 private:
  void take_inputs();
  void take_states();
  void lower_and_submit();
  void lower();
  void fill_outputs();
  void find_shared_outputs();
  void fill_state_after(size_t i);
  void forget_work();

  Call call_;
  Frame frame_;
  std::vector<array> inputs_;   // until they are lowered
  std::vector<array> results_;  // until they were waited for
  bool certain_ = false;
  std::vector<Handle> spare_outputs_;     // places for them
  std::vector<Handle> states_after_;      // where written; elsewhere a place for the next time, or none
  std::vector<Integers> state_integers_;  // likewise
  Awake for_start_, for_results_;
};

}  // namespace ingot::mlx_engine
