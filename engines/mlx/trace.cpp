// Frame's second half: segments that are recorded once for their sizes, and replayed.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "engines/mlx/frame.h"
#include "engines/mlx/plan.h"
#include "engines/mlx/traces.h"
#include "program/debug.h"

namespace ingot::mlx_engine {

static std::string describe_trace(const Graph& graph, const Segment& segment, const Bindings& bindings) {
  std::string text = fmt::format("traces {} {}-{}", graph.name, segment.first, segment.end - 1);
  for (const auto& [symbol, size] : bindings.entries()) text += fmt::format(", {} = {}", symbol.name(), size);
  return text;
}

// Sizes follow from the symbols, so these stand for all shapes.
std::vector<int64_t> Frame::trace_key(const Segment& segment, const std::vector<array>& passed) const {
  std::vector<int64_t> key;
  key.reserve(2 + call_.plan.program.symbols.size() + call_.known.size());
  key.insert(key.end(), {id_.id, segment.first});
  for (const Symbol& symbol : call_.plan.program.symbols) key.push_back(bindings_.find(symbol).value_or(-1));
  // What is known is checked by replays, the rest by guards on the tape.
  for (size_t i = 0; i < passed.size(); ++i) {
    if (known(passed[i].id())) key.push_back(static_cast<int64_t>(i));
  }
  return key;
}

std::vector<array> Frame::passed_to(const Segment& segment) const {
  std::vector<array> passed;
  passed.reserve(segment.inputs.size() + segment.weights.size() + segment.states.size());
  for (Ref input : segment.inputs) passed.push_back(in(input));
  for (WeightId weight : segment.weights) passed.push_back(call_.weights[weight.id]);
  for (StateId state : segment.states) passed.push_back(call_.states[state.id]);
  return passed;
}

Trace Frame::record(const Segment& segment, const std::vector<array>& passed) const {
  std::vector<StateId> written;
  std::vector<std::function<Error(const Tensor&)>> refusals;
  std::vector<KnownCheck> checks;
  uint64_t steps = 0;
  int64_t peak = 0;
  const auto lower_segment = [&](const std::vector<array>& placeholders) {
    std::vector<array> weights = call_.weights, states = call_.states;
    std::vector<bool> states_written(states.size(), false);
    Call traced{.plan = call_.plan,
                .device = call_.device,
                .weights = weights,
                .states = states,
                .states_written = states_written,
                .guards = {},
                .meter = Meter(call_.meter.limits()),
                .known = {},
                .checks = &checks,
                .cancelled = nullptr};
    for (size_t i = 0; i < passed.size(); ++i) {
      if (known(passed[i].id())) traced.known.push_back({placeholders[i], {}, i});
    }
    Frame frame(traced, id_, {}, bindings_);
    auto next = placeholders.begin();
    for (Ref input : segment.inputs) frame.values_[input.id] = *next++;
    for (WeightId weight : segment.weights) weights[weight.id] = *next++;
    for (StateId state : segment.states) states[state.id] = *next++;
    for (uint32_t i = segment.first; i < segment.end; ++i) frame.lower(graph_.nodes[i]);

    std::vector<array> outputs = frame.in(segment.outputs);
    for (StateId state : segment.states) {
      if (!states_written[state.id]) continue;
      written.push_back(state);
      outputs.push_back(states[state.id]);
    }
    for (Guard& guard : traced.guards) {
      outputs.push_back(guard.holds);
      outputs.push_back(guard.witness);
      refusals.push_back(std::move(guard.refusal));
    }
    steps = traced.meter.steps();
    peak = traced.meter.peak();
    return outputs;
  };
  Tape tape(lower_segment, passed, call_.device);
  return {std::move(tape), std::move(written), std::move(refusals), std::move(checks), steps, peak};
}

void Frame::run_traced(const Segment& segment) {
  std::vector<array> passed = passed_to(segment);
  const std::shared_ptr<const Trace> trace = call_.traces->get(trace_key(segment, passed), [&] {
    debug(3, [&] { return describe_trace(graph_, segment, bindings_); });
    return record(segment, passed);
  });
  call_.meter.spend(trace->steps);
  call_.meter.hold(trace->peak_bytes);
  call_.meter.release(trace->peak_bytes);

  for (const auto& [position, check] : trace->checks) {
    if (const std::optional<Error> error = check(*known(passed[position].id())->integers)) throw *error;
  }
  drop(segment.dead);
  std::vector<array> results = trace->tape.replay(std::move(passed));
  auto next = std::make_move_iterator(results.begin());
  for (Ref output : segment.outputs) {
    values_[output.id] = *next++;
    call_.meter.hold(static_cast<int64_t>(values_[output.id]->nbytes()));
  }
  for (StateId state : trace->states_written) set_state(state, *next++);
  for (const auto& refusal : trace->refusals) {
    array holds = *next++;
    call_.guards.push_back({std::move(holds), *next++, refusal});
  }
}

}  // namespace ingot::mlx_engine
