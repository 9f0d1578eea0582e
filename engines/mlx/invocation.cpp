#include "engines/mlx/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engines/mlx/fresh.h"
#include "engines/mlx/guards.h"
#include "engines/mlx/plan.h"
#include "engines/mlx/tensor.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// What MLX throws about a whole graph has no node.
template <class F>
void translated(F function) {
  try {
    function();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(Code::internal, fmt::format("MLX fails: {}", error.what()));
  }
}

}  // namespace

MlxInvocation::MlxInvocation(Call call, GraphId of) : Invocation(of), call_(std::move(call)), frame_(call_, of, {}) {}

void MlxInvocation::start(const MlxWeights& given) {
  release();
  call_.weights = &given.arrays;
  // An output that was fed is still held; the one that was fed before it no longer is.
  spare_outputs_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] && !unshared(outputs[i])) outputs[i].swap(spare_outputs_[i]);
  }
  try {
    take_inputs();
    call_.device.run([&] { lower_and_submit(); }, for_start_);
  } catch (...) {
    forget_work();
    release();
    throw;
  }
  forget_work();
}

void MlxInvocation::take_inputs() {
  for (const Handle& handle : inputs) {
    const auto& tensor = static_cast<const MlxTensor&>(*handle);
    MlxTensor* unused = unshared(handle);
    inputs_.push_back(unused ? unused->take() : tensor.value());
    if (tensor.known()) call_.known.push_back({inputs_.back(), tensor.known()});
  }
}

void MlxInvocation::take_states() {
  for (const Handle& state : states) call_.states.push_back(array_of(state));
  call_.states_written.assign(states.size(), false);
  states_after_.resize(states.size());
  state_integers_.resize(states.size());
  if (!call_.device.is_cpu()) return;  // reading them would wait
  for (size_t i = 0; i < states.size(); ++i) {
    Integers& integers = state_integers_[i];
    integers = known_integers(call_.states[i], std::move(integers));
    if (integers) call_.known.push_back({call_.states[i], integers});
  }
}

void MlxInvocation::lower_and_submit() {
  take_states();
  call_.meter = call_.meter.anew();
  call_.cancelled = cancelled;
  frame_.reset(bindings);
  translated([&] { lower(); });
  call_.known.clear();

  const bool ends_well = call_.guards.empty() && call_.plan.ends_well[method.id];
  certain_ = ends_well && !results_.empty();
  fill_outputs();
  std::vector<array> computed;
  computed.reserve(results_.size() + states.size() + call_.guards.size());
  computed.insert(computed.end(), results_.begin(), results_.end());
  for (size_t i = 0; i < states.size(); ++i) {
    if (!call_.states_written[i]) continue;
    computed.push_back(call_.states[i]);
    if (ends_well) states_after_[i] = std::move(states[i]);  // whose memory MLX may now write to
    fill_state_after(i);
  }
  translated([&] { submit(std::move(computed), call_.guards); });
  if (!call_.device.is_cpu()) find_shared_outputs();
  call_.device.stay_awake();
}

void MlxInvocation::lower() {
  try {
    frame_.run(inputs_, results_);
    call_.require_memory();
  } catch (Error& error) {  // of more nodes than one it names none
    if (error.node().empty()) error.at_node(call_.plan.program.graphs[method.id].name);
    throw;
  }
}

void MlxInvocation::fill_outputs() {
  const Graph& graph = call_.plan.program.graphs[method.id];
  outputs.resize(results_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType& type = graph.type(graph.outputs[i].value);
    const bool is_state = std::ranges::find(call_.states, results_[i].id(), &array::id) != call_.states.end();
    if (is_state) certain_ = false;  // the next call would write to it
    MlxTensor& output = refilled(outputs[i], call_.device);
    output.fill(results_[i], type.dtype, type.scheme);
    output.set_fresh(!call_.device.is_cpu() && call_.plan.host_ops.empty() && gets_fresh_memory(results_[i]));
    frame_.sizes(type.shape, output.mutable_sizes());
  }
}

// Those that are views of one another, or of states, were taken for fresh.
void MlxInvocation::find_shared_outputs() {
  for (size_t i = 0; i < results_.size(); ++i) {
    bool is_shared = false;
    for (size_t j = 0; j < results_.size(); ++j) is_shared |= j != i && share_memory(results_[i], results_[j]);
    for (size_t j = 0; j < states.size(); ++j) {
      is_shared |= call_.states_written[j] && share_memory(results_[i], array_of(states_after_[j]));
    }
    if (is_shared) unshared(outputs[i])->set_fresh(false);
  }
}

void MlxInvocation::fill_state_after(size_t i) {
  const TensorType& type = call_.plan.program.states[i].type;
  clear(states_after_[i]);
  MlxTensor& state = refilled(states_after_[i], call_.device);
  state.fill(std::move(call_.states[i]), type.dtype, type.scheme);
  frame_.sizes(type.shape, state.mutable_sizes());
  state.mutable_known().reset();
}

bool MlxInvocation::ready() const {
  const auto available = [](const array& value) { return value.is_available(); };
  return std::ranges::all_of(results_, available) && std::ranges::all_of(call_.guards, available, &Guard::holds);
}

void MlxInvocation::wait() {
  translated([&] {
    if (call_.device.is_cpu()) for_results_.sees([&] { return ready(); });
    for (array& value : results_) value.wait();
    // An array changes as it is waited for: not those that the next call has been given.
    for (size_t i = 0; i < call_.states_written.size(); ++i) {
      if (call_.states_written[i]) states_after_[i]->wait();
    }
    if (hold(call_.guards)) return;
    call_.device.run([&] { refuse(call_.guards, call_.device.stream()); });
  });
  results_.clear();
  call_.guards.clear();
}

void MlxInvocation::commit() noexcept {
  for (size_t i = 0; i < call_.states_written.size(); ++i) {
    if (!call_.states_written[i]) continue;
    states[i].swap(states_after_[i]);
    clear(states_after_[i]);
  }
  call_.states_written.clear();
}

void MlxInvocation::release() noexcept {
  results_.clear();
  call_.guards.clear();
  call_.states_written.clear();
  for (Handle& state : states_after_) clear(state);
  for (const std::vector<Handle>* handles : {&outputs, &spare_outputs_}) {
    for (const Handle& handle : *handles) {
      if (MlxTensor* tensor = handle ? unshared(handle) : nullptr) tensor->clear();
    }
  }
}

void MlxInvocation::forget_work() {
  frame_.clear();
  call_.weights = nullptr;
  inputs_.clear();
  call_.known.clear();
  call_.states.clear();
  for (Handle& input : inputs) clear(input);
}

}  // namespace ingot::mlx_engine
