// MlxProgram: a Program compiled for one device of MLX, in one mode.
//
// Ownership  the plan, and the weights as arrays on the device, which calls share.
// Threads    every method from any thread; the device's worker builds calls.
// Failure    engines/engine.h.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "engines/check_call.h"
#include "engines/engine.h"
#include "engines/mlx/device.h"
#include "engines/mlx/invocation.h"
#include "engines/mlx/plan.h"
#include "engines/mlx/traces.h"

namespace ingot::mlx_engine {

// `async` runs as `compiled` does; a Session that has it does not wait where it need not.
enum class Mode { eager, lazy, compiled, async };
inline constexpr std::string_view mode_names[] = {"eager", "lazy", "compiled", "async"};

class MlxProgram final : public CompiledProgram {
 public:
  MlxProgram(const Program& program, Device& device, Mode mode, const EngineOptions& options);

  const Program& program() const override { return plan_.program; }
  Handle upload(const Tensor& tensor, Handle instead) override;
  Handle weight(WeightId weight) const override;
  void set_weights(std::span<const NewWeight> weights) override;
  std::shared_ptr<const WeightSet> weights() const override { return weights_now(); }
  std::unique_ptr<Invocation> invocation(GraphId method) override;
  void start(Invocation& call) override;
  std::vector<std::string> explain(GraphId graph) const override;
  std::vector<int64_t> working_space(GraphId graph, const Bindings& bindings) const override;
  EngineCounters counters() const override;

 private:
  std::shared_ptr<const MlxWeights> weights_now() const;
  void check(const Invocation& call) const;
  array on_device(const Tensor& tensor);
  bool traces() const { return mode_ == Mode::compiled || mode_ == Mode::async; }

  Plan plan_;
  Device& device_;
  Mode mode_;
  CallCheck check_;
  RunLimits limits_;
  Observer observer_;
  mutable std::mutex mutex_;                   // of:
  std::shared_ptr<const MlxWeights> weights_;  // another for every change
  Traces traces_;
  std::atomic<int64_t> uploaded_bytes_ = 0;
};

}  // namespace ingot::mlx_engine
