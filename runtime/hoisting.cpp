#include "runtime/hoisting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "engines/check_call.h"
#include "program/debug.h"
#include "program/error.h"
#include "runtime/missing_weights.h"

namespace ingot {
namespace {

using Values = std::shared_ptr<const std::vector<Handle>>;

// The hoisted values of one method under one choice of the weights that they depend on. The first call that needs them
// computes them; every weight set with the same weights shares them.
struct Slot {
  std::mutex mutex;       // of `values`, and never while the engine works
  Values values;          // null until they are computed
  std::timed_mutex turn;  // of the thread that computes them
};

struct HoistedWeights final : WeightSet {
  std::shared_ptr<const WeightSet> engine;   // the weights themselves
  std::vector<std::shared_ptr<Slot>> slots;  // by prepared method
  std::set<WeightId> missing;                // that have no contents yet
};

class Hoisting final : public CompiledProgram {
 public:
  Hoisting(std::shared_ptr<CompiledProgram> compiled, std::vector<HoistedMethod> methods, MissingWeights missing)
      : compiled_(std::move(compiled)), missing_(std::move(missing)) {
    HoistedWeights first;
    first.engine = compiled_->weights();
    first.missing = missing_.at_first();
    for (HoistedMethod& method : methods) {
      prepared_.push_back({id_of(program(), method.method), id_of(program(), method.prepare), std::move(method.weights),
                           method.first_input});
      first.slots.push_back(std::make_shared<Slot>());
    }
    current_ = std::make_shared<const HoistedWeights>(std::move(first));
    for (size_t i = 0; i < prepared_.size(); ++i) {
      try {
        missing_.check(prepared_[i].prepare, current_->missing);
        values_for(i, *current_);
      } catch (const Error& error) {  // the calls of this method will report it again
        debug(2, [&] { return fmt::format("nothing is hoisted yet: {}", error.what()); });
      }
    }
  }

  const Program& program() const override { return compiled_->program(); }
  Handle upload(const Tensor& tensor, Handle instead) override { return compiled_->upload(tensor, std::move(instead)); }
  std::vector<std::string> explain(GraphId graph) const override { return compiled_->explain(graph); }
  std::vector<int64_t> working_space(GraphId graph, const Bindings& bindings) const override {
    return compiled_->working_space(graph, bindings);
  }
  EngineCounters counters() const override { return compiled_->counters(); }

  Handle weight(WeightId weight) const override { return compiled_->weight(weight); }
  std::shared_ptr<const WeightSet> weights() const override { return current(); }

  void set_weights(std::span<const NewWeight> weights) override {
    const std::lock_guard lock(mutex_);
    compiled_->set_weights(weights);
    HoistedWeights changed = *current_;
    changed.engine = compiled_->weights();
    for (const NewWeight& set : weights) changed.missing.erase(set.weight);
    const auto is_set = [&](WeightId id) {
      return std::ranges::find(weights, id, &NewWeight::weight) != weights.end();
    };
    for (size_t i = 0; i < prepared_.size(); ++i) {
      if (std::ranges::any_of(prepared_[i].weights, is_set)) changed.slots[i] = std::make_shared<Slot>();
    }
    current_ = std::make_shared<const HoistedWeights>(std::move(changed));
  }

  std::unique_ptr<Invocation> invocation(GraphId method) override { return compiled_->invocation(method); }

  void start(Invocation& call) override {
    const std::shared_ptr<const WeightSet> given = call.weights ? std::exchange(call.weights, nullptr) : current();
    const auto& weights = own<HoistedWeights>(given, "the weight set");
    missing_.check(call.method, weights.missing);
    call.weights = weights.engine;
    const auto found = std::ranges::find(prepared_, call.method, &Prepared::method);
    if (found != prepared_.end()) {
      // A call that is repeated has values already.
      call.inputs.resize(std::min(call.inputs.size(), found->first_input));
      check_count(program().graphs[call.method.id], "inputs", call.inputs.size(), found->first_input);
      const Values values = values_for(static_cast<size_t>(found - prepared_.begin()), weights);
      call.inputs.insert(call.inputs.end(), values->begin(), values->end());
    }
    compiled_->start(call);
  }

 private:
  struct Prepared {
    GraphId method, prepare;
    std::vector<WeightId> weights;  // that `prepare` reads
    size_t first_input;             // of the method that is a hoisted value; the inputs before it come from the caller
  };

  std::shared_ptr<const HoistedWeights> current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }

  static Values computed(Slot& slot) {
    const std::lock_guard lock(slot.mutex);
    return slot.values;
  }

  Values values_for(size_t which, const HoistedWeights& weights) const {
    Slot& slot = *weights.slots[which];
    if (Values values = computed(slot)) return values;
    // One thread computes while the others wait, but not for ever: the computing thread may need a device that is held by
    // a call whose custom op is waiting for us.
    const std::unique_lock turn(slot.turn, std::chrono::seconds(1));
    if (Values values = computed(slot)) return values;
    const Values values = compute(prepared_[which].prepare, weights.engine);
    const std::lock_guard lock(slot.mutex);
    slot.values = values;
    return values;
  }

  Values compute(GraphId prepare, std::shared_ptr<const WeightSet> weights) const {
    const std::unique_ptr<Invocation> call = compiled_->invocation(prepare);
    call->weights = std::move(weights);
    compiled_->start(*call);
    call->wait();
    return std::make_shared<const std::vector<Handle>>(std::move(call->outputs));
  }

  std::shared_ptr<CompiledProgram> compiled_;
  const MissingWeights missing_;
  std::vector<Prepared> prepared_;
  mutable std::mutex mutex_;                       // of `current_`, and never while the engine works
  std::shared_ptr<const HoistedWeights> current_;  // replaced by every change of a weight
};

}  // namespace

GraphId id_of(const Program& program, std::string_view graph) {
  return {static_cast<uint32_t>(std::ranges::find(program.graphs, graph, &Graph::name) - program.graphs.begin())};
}

std::shared_ptr<CompiledProgram> with_hoisted(std::shared_ptr<CompiledProgram> compiled,
                                              std::vector<HoistedMethod> methods, const Program& given) {
  MissingWeights missing(given, *compiled);
  if (methods.empty() && missing.at_first().empty()) return compiled;
  return std::make_shared<Hoisting>(std::move(compiled), std::move(methods), std::move(missing));
}

}  // namespace ingot
