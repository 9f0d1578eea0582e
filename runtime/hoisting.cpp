#include "runtime/hoisting.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "program/error.h"

namespace ingot {
namespace {

class Hoisting final : public CompiledProgram {
 public:
  Hoisting(std::shared_ptr<CompiledProgram> compiled, std::vector<HoistedMethod> methods)
      : compiled_(std::move(compiled)) {
    for (HoistedMethod& method : methods) {
      prepared_.push_back(
          {id_of(program(), method.method), id_of(program(), method.prepare), std::move(method.weights), {}, false});
      try {
        compute(prepared_.back());
      } catch (const Error&) {
        prepared_.back().is_fresh = false;  // its calls will say what is wrong with the weights
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

  void set_weight(WeightId weight, const Handle& value) override {
    const Waiting waiting(*this);
    const std::unique_lock lock(mutex_);
    compiled_->set_weight(weight, value);
    for (Prepared& prepared : prepared_) {
      if (std::ranges::find(prepared.weights, weight) != prepared.weights.end()) prepared.is_fresh = false;
    }
  }

  std::unique_ptr<Invocation> invocation(GraphId method) override { return compiled_->invocation(method); }

  void start(Invocation& call) override {
    const auto found = std::ranges::find(prepared_, call.method, &Prepared::method);
    if (found == prepared_.end()) return compiled_->start(call);
    let_weights_in();
    std::shared_lock lock(mutex_);  // the engine takes the weights while it begins a call
    while (!found->is_fresh) {
      lock.unlock();
      {
        const std::unique_lock writing(mutex_);
        if (!found->is_fresh) compute(*found);
      }
      lock.lock();
    }
    call.inputs.resize(program().graphs[call.method.id].inputs.size() - found->values.size());  // of the caller
    call.inputs.insert(call.inputs.end(), found->values.begin(), found->values.end());
    compiled_->start(call);
  }

 private:
  struct Prepared {
    GraphId method, prepare;
    std::vector<WeightId> weights;
    std::vector<Handle> values;  // inputs of the method behind those of its caller
    bool is_fresh;               // these are of the weights of today
  };

  // A weight that waits to be set.
  class Waiting {
   public:
    explicit Waiting(Hoisting& of) : of_(of) { ++of_.waiting_; }
    ~Waiting() {
      --of_.waiting_;
      const std::lock_guard lock(of_.door_);
      of_.none_waits_.notify_all();
    }

   private:
    Hoisting& of_;
  };

  // Calls that come let it go first: where they follow one another closely there is never a moment without any. Not for
  // ever, since a call that an op of the host makes within another would wait for that one.
  void let_weights_in() {
    if (waiting_ == 0) return;
    std::unique_lock lock(door_);
    none_waits_.wait_for(lock, std::chrono::seconds(1), [this] { return waiting_ == 0; });
  }

  void compute(Prepared& prepared) const {
    const std::unique_ptr<Invocation> call = compiled_->invocation(prepared.prepare);
    compiled_->start(*call);
    call->wait();
    prepared.values = std::move(call->outputs);
    prepared.is_fresh = true;
  }

  std::shared_ptr<CompiledProgram> compiled_;
  std::shared_mutex mutex_;
  std::atomic<int> waiting_ = 0;  // weights
  std::mutex door_;
  std::condition_variable none_waits_;
  std::vector<Prepared> prepared_;
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
