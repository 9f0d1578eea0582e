#include "runtime/hoisting.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <utility>

#include "program/error.h"

namespace ingot {
namespace {

class Hoisting final : public CompiledProgram {
 public:
  Hoisting(std::shared_ptr<CompiledProgram> compiled, std::vector<HoistedMethod> methods)
      : compiled_(std::move(compiled)) {
    for (HoistedMethod& method : methods) {
      Prepared& prepared = prepared_.emplace_back(id_of(program(), method.method), id_of(program(), method.prepare),
                                                  std::move(method.weights));
      try {
        prepared.values = compute(prepared, {});
      } catch (const Error&) {
        prepared.values = nullptr;  // its calls will say what is wrong with the weights
      }
    }
  }

  const Program& program() const override { return compiled_->program(); }
  Handle upload(const Tensor& tensor, Handle instead) override { return compiled_->upload(tensor, std::move(instead)); }
  std::vector<std::string> explain(GraphId graph) const override { return compiled_->explain(graph); }
  int64_t working_space(GraphId graph, const Node& node, const Bindings& bindings) const override {
    return compiled_->working_space(graph, node, bindings);
  }
  EngineCounters counters() const override { return compiled_->counters(); }

  Handle weight(WeightId weight) const override { return compiled_->weight(weight); }
  std::shared_ptr<const void> weights() const override { return compiled_->weights(); }

  void set_weight(WeightId weight, const Handle& value) override {
    const std::lock_guard lock(mutex_);
    compiled_->set_weight(weight, value);
    for (Prepared& prepared : prepared_) {
      if (std::ranges::find(prepared.weights, weight) == prepared.weights.end()) continue;
      prepared.values = nullptr;
      ++prepared.changes;
    }
  }

  std::unique_ptr<Invocation> invocation(GraphId method) override { return compiled_->invocation(method); }

  void start(Invocation& call) override {
    const auto found = std::ranges::find(prepared_, call.method, &Prepared::method);
    if (found == prepared_.end()) return compiled_->start(call);
    const Now now = this->now(*found);
    call.weights = now.weights;
    call.inputs.resize(program().graphs[call.method.id].inputs.size() - now.values->size());  // of the caller
    call.inputs.insert(call.inputs.end(), now.values->begin(), now.values->end());
    compiled_->start(call);
  }

 private:
  using Values = std::shared_ptr<const std::vector<Handle>>;

  struct Prepared {
    Prepared(GraphId of, GraphId by, std::vector<WeightId> from) : method(of), prepare(by), weights(std::move(from)) {}

    const GraphId method, prepare;
    const std::vector<WeightId> weights;
    Values values;         // inputs of the method behind those of its caller; none where weights have changed since
    uint64_t changes = 0;  // of these weights
    std::timed_mutex turn;
  };

  // What a call that begins gets: values that are of these weights.
  struct Now {
    std::shared_ptr<const void> weights;
    Values values;
    uint64_t changes;
  };

  Now taken(const Prepared& prepared) const {
    const std::lock_guard lock(mutex_);
    return {compiled_->weights(), prepared.values, prepared.changes};
  }

  Now now(Prepared& prepared) {
    Now now = taken(prepared);
    if (now.values) return now;
    // One computes, and the others find it computed. They do not wait for ever: who computes may itself wait, for the device
    // that a call keeps in which an op of the host makes this one.
    const std::unique_lock turn(prepared.turn, std::chrono::seconds(1));
    now = taken(prepared);
    if (now.values) return now;
    now.values = compute(prepared, now.weights);
    const std::lock_guard lock(mutex_);
    if (prepared.changes == now.changes) prepared.values = now.values;
    return now;
  }

  Values compute(const Prepared& prepared, std::shared_ptr<const void> weights) const {
    const std::unique_ptr<Invocation> call = compiled_->invocation(prepared.prepare);
    call->weights = std::move(weights);
    compiled_->start(*call);
    call->wait();
    return std::make_shared<const std::vector<Handle>>(std::move(call->outputs));
  }

  std::shared_ptr<CompiledProgram> compiled_;
  mutable std::mutex mutex_;       // of what changes, and never while the engine works
  std::deque<Prepared> prepared_;  // which stay where they are
};

}  // namespace

GraphId id_of(const Program& program, std::string_view graph) {
  return {static_cast<uint32_t>(std::ranges::find(program.graphs, graph, &Graph::name) - program.graphs.begin())};
}

std::shared_ptr<CompiledProgram> with_hoisted(std::shared_ptr<CompiledProgram> compiled,
                                              std::vector<HoistedMethod> methods) {
  if (methods.empty()) return compiled;
  return std::make_shared<Hoisting>(std::move(compiled), std::move(methods));
}

}  // namespace ingot
