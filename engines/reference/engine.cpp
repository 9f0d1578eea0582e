#include "engines/reference/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "engines/check_call.h"
#include "engines/reference/execute.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

class HostTensor final : public DeviceTensor {
 public:
  explicit HostTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  DType dtype() const override { return tensor_.dtype(); }
  const Sizes& sizes() const override { return tensor_.sizes(); }
  const std::optional<QuantScheme>& scheme() const override { return tensor_.scheme(); }
  void wait() const override {}
  Tensor to_host() const override { return tensor_; }
  void read(std::span<std::byte> into) const override {
    if (!into.empty()) std::memcpy(into.data(), tensor_.bytes().data(), into.size());
  }

 private:
  Tensor tensor_;
};

Handle handle_of(Tensor tensor) { return std::make_shared<HostTensor>(std::move(tensor)); }

// The caller may write to its own memory again.
Tensor copy_of(const Tensor& tensor) {
  return Tensor(tensor.dtype(), tensor.sizes(), Buffer::copy_of(tensor.bytes()), tensor.scheme());
}

struct HostWeights final : WeightSet {
  explicit HostWeights(std::shared_ptr<const Plan> of) : plan(std::move(of)) {}
  std::shared_ptr<const Plan> plan;  // which holds them
};

// There is nothing to wait for.
class HostInvocation final : public Invocation {
 public:
  using Invocation::Invocation;
  bool ready() const override { return true; }
  bool certain() const override { return true; }
  void wait() override {}
  void commit() noexcept override { states = std::move(states_after); }
  void release() noexcept override {
    outputs.clear();
    states_after.clear();
  }

  std::vector<Handle> states_after;
};

class ReferenceProgram final : public CompiledProgram {
 public:
  ReferenceProgram(Program program, CustomOps<std::shared_ptr<const ReferenceOp>> custom_ops,
                   const EngineOptions& options)
      : first_(std::make_shared<const Plan>(make_plan(std::move(program), options.poison, std::move(custom_ops)))),
        plan_(first_),
        check_(first_->program),
        limits_(options.limits),
        observer_(options.observer) {}

  const Program& program() const override { return first_->program; }
  Handle upload(const Tensor& tensor, Handle) override { return handle_of(copy_of(tensor)); }

  Handle weight(WeightId weight) const override {
    const std::shared_ptr<const Plan> plan = this->plan();
    const std::optional<Tensor>& tensor = plan->program.weights[weight.id].tensor;
    return tensor ? handle_of(*tensor) : nullptr;
  }

  // Calls that run keep the plan that they began with.
  void set_weights(std::span<const NewWeight> weights) override {
    const std::lock_guard lock(mutex_);
    Plan changed = *plan_;
    for (const auto& [weight, value] : weights) changed.program.weights[weight.id].tensor = value->to_host();
    plan_ = std::make_shared<const Plan>(std::move(changed));
  }
  std::shared_ptr<const WeightSet> weights() const override { return std::make_shared<HostWeights>(plan()); }

  std::unique_ptr<Invocation> invocation(GraphId method) override { return std::make_unique<HostInvocation>(method); }

  void start(Invocation& call) override {
    check_(call);
    const std::shared_ptr<const WeightSet> given = std::exchange(call.weights, nullptr);
    const std::shared_ptr<const Plan> plan = given ? own<HostWeights>(given, "the weight set").plan : this->plan();
    std::vector<Tensor> inputs, states;
    for (const Handle& input : call.inputs) inputs.push_back(input->to_host());
    for (const Handle& state : call.states) states.push_back(state->to_host());
    call.inputs.clear();
    States now(std::move(states));
    std::vector<Tensor> outputs =
        execute(*plan, call.method, std::move(inputs), call.bindings, now, limits_, call.cancelled.get(), observer_);
    call.outputs.clear();
    for (Tensor& output : outputs) call.outputs.push_back(handle_of(output.aligned()));
    std::vector<Handle> states_after = call.states;
    for (uint32_t id = 0; id < states_after.size(); ++id) {
      if (now.is_written({id})) states_after[id] = handle_of(now.read({id}));
    }
    dynamic_cast<HostInvocation&>(call).states_after = std::move(states_after);
  }

  std::vector<std::string> explain(GraphId graph) const override {
    return std::vector<std::string>(program().graphs[graph.id].nodes.size());
  }
  std::vector<int64_t> working_space(GraphId graph, const Bindings&) const override {
    return std::vector<int64_t>(program().graphs[graph.id].nodes.size());
  }
  EngineCounters counters() const override { return {}; }

 private:
  std::shared_ptr<const Plan> plan() const {
    const std::lock_guard lock(mutex_);
    return plan_;
  }

  const std::shared_ptr<const Plan> first_;  // whose program others refer to
  mutable std::mutex mutex_;
  std::shared_ptr<const Plan> plan_;  // with the weights of today
  CallCheck check_;
  RunLimits limits_;
  Observer observer_;
};

std::shared_ptr<const ReferenceOp> reference_of(const CustomOp& op) {
  if (auto function = op.reference()) return function;
  throw Error(Code::unsupported, fmt::format("the host has registered no execution of op '{}' on reference", op.name));
}

class ReferenceEngine final : public Engine {
 public:
  std::string_view name() const override { return "reference"; }
  std::string version() const override { return "1"; }
  std::vector<std::string_view> modes() const override { return {"eager"}; }
  std::vector<DeviceFacts> devices() const override {
    return {{"cpu", "plain loops on one core", int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE)}};
  }

  bool native(const Op&, const Graph&) const override { return true; }

  std::shared_ptr<CompiledProgram> compile(Program program, const EngineOptions& options) const override {
    for (size_t i = 0; i < options.weights.size(); ++i) {
      if (!options.weights[i]) continue;
      program.weights[i].tensor = options.weights[i]->to_host();
      program.weights[i].zeros = false;
    }
    auto custom = custom_ops(program, *options.registry, reference_of);
    return std::make_shared<ReferenceProgram>(std::move(program), std::move(custom), options);
  }
};

}  // namespace

const Engine& engine() {
  static const ReferenceEngine engine;
  return engine;
}

}  // namespace ingot::reference
