// Frame's second half: segments that are recorded once for their sizes, and replayed.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "engines/mlx/frame.h"
#include "engines/mlx/plan.h"
#include "engines/mlx/traces.h"
#include "program/debug.h"

namespace ingot::mlx_engine {

// What a tape takes besides its steps.
constexpr int64_t tape_bytes = int64_t{1} << 20;

static std::string describe_trace(const Graph& graph, const Segment& segment, const Bindings& bindings) {
  std::string text = fmt::format("traces {} {}-{}", graph.name, segment.first, segment.end - 1);
  for (const auto& [symbol, size] : bindings.entries()) text += fmt::format(", {} = {}", symbol.name(), size);
  return text;
}

// Sizes follow from the symbols, so these stand for all shapes.
void Frame::make_trace_key(const Segment& segment) {
  trace_key_.assign({id_.id, segment.first});
  for (const Symbol& symbol : call_.plan.program.symbols) trace_key_.push_back(bindings_.find(symbol).value_or(-1));
  // What is known is checked by replays, the rest by guards on the tape.
  for (size_t i = 0; i < passed_.size(); ++i) {
    if (known(passed_[i].id())) trace_key_.push_back(static_cast<int64_t>(i));
  }
}

void Frame::pass_to(const Segment& segment) {
  passed_.clear();
  for (Ref input : segment.inputs) passed_.push_back(in(input));
  for (WeightId weight : segment.weights) passed_.push_back(*(*call_.weights)[weight.id]);
  for (StateId state : segment.states) passed_.push_back(call_.states[state.id]);
}

std::vector<std::optional<array>> Frame::take_values(const Segment& segment) {
  for (Ref input : segment.inputs) values_[input.id].reset();
  for (uint32_t i = segment.first; i < segment.end; ++i) {
    const Node& node = graph_.nodes[i];
    for (uint32_t j = 0; j < node.result_count; ++j) values_[node.first_result.id + j].reset();
  }
  return std::move(values_);
}

Trace Frame::record(const Segment& segment) {
  std::vector<StateId> written;
  std::vector<GuardRefusal> refusals;
  std::vector<KnownCheck> checks;
  uint64_t steps = 0;
  int64_t peak = 0;
  const auto lower_segment = [&](const std::vector<array>& placeholders) {
    Weights weights = *call_.weights;
    Call traced{.plan = call_.plan,
                .device = call_.device,
                .weights = &weights,
                .meter = call_.meter.anew(),
                .states = call_.states,
                .states_written = std::vector<bool>(call_.states.size(), false),
                .guards = {},
                .known = {},
                .checks = &checks,
                .cancelled = nullptr};
    for (size_t i = 0; i < passed_.size(); ++i) {
      if (known(passed_[i].id())) traced.known.push_back({placeholders[i], {}, i});
    }
    Frame frame(traced, id_, bindings_, std::move(spare_values_));
    auto next = placeholders.begin();
    for (Ref input : segment.inputs) frame.values_[input.id] = *next++;
    for (WeightId weight : segment.weights) weights[weight.id] = *next++;
    for (StateId state : segment.states) traced.states[state.id] = *next++;
    frame.run(segment);  // releases inputs too, which drives the meter below zero
    require_host_memory(tape_bytes + traced.meter.recorded() * kRecordedBytes);

    std::vector<array> outputs = frame.in(segment.outputs);
    for (StateId state : segment.states) {
      if (!traced.states_written[state.id]) continue;
      written.push_back(state);
      outputs.push_back(traced.states[state.id]);
    }
    for (Guard& guard : traced.guards) {
      outputs.push_back(guard.holds);
      outputs.push_back(guard.witness);
      refusals.push_back(std::move(guard.refusal));
    }
    steps = traced.meter.steps();
    peak = traced.meter.peak();
    spare_values_ = frame.take_values(segment);
    return outputs;
  };
  Tape tape(lower_segment, passed_, call_.device);
  return {std::move(tape), std::move(written), std::move(refusals), std::move(checks), steps, peak};
}

void Frame::run_traced(const Segment& segment) {
  pass_to(segment);
  make_trace_key(segment);
  std::shared_ptr<const Trace> trace = call_.traces->find(trace_key_);
  if (!trace) {
    debug(3, [&] { return describe_trace(graph_, segment, bindings_); });
    trace = call_.traces->add(trace_key_, record(segment));
  }
  call_.meter.spend(trace->steps);
  call_.meter.hold(trace->peak_bytes);
  call_.meter.release(trace->peak_bytes);

  for (const auto& [position, check] : trace->checks) {
    if (const std::optional<Error> error = check(*known(passed_[position].id())->integers)) throw *error;
  }
  for (Ref dead : segment.dead) drop(dead);
  call_.meter.record(trace->tape.size());
  trace->tape.replay(passed_, results_);
  auto next = std::make_move_iterator(results_.begin());
  for (Ref output : segment.outputs) {
    values_[output.id] = *next++;
    call_.meter.hold(static_cast<int64_t>(values_[output.id]->nbytes()));
  }
  for (StateId state : trace->states_written) set_state(state, *next++);
  for (const GuardRefusal& refusal : trace->refusals) {
    array holds = *next++;
    call_.guards.push_back({std::move(holds), *next++, refusal});
  }
  results_.clear();
}

}  // namespace ingot::mlx_engine
