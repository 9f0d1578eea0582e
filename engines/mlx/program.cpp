#include "engines/mlx/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engines/mlx/guards.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/tensor.h"
#include "program/debug.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// What MLX throws about a whole graph has no node.
template <class F>
auto translated(F function) {
  try {
    return function();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(Code::internal, fmt::format("MLX fails: {}", error.what()));
  }
}

class MlxPending final : public Pending {
 public:
  MlxPending(Device& device, std::vector<array> results, std::vector<Guard> guards, bool certain)
      : device_(device), results_(std::move(results)), guards_(std::move(guards)), certain_(certain) {}

  bool certain() const override { return certain_; }

  bool ready() const override {
    const auto available = [](const array& value) { return value.is_available(); };
    return std::ranges::all_of(results_, available) && std::ranges::all_of(guards_, available, &Guard::holds);
  }

  void wait() override {
    translated([&] {
      for (array& value : results_) value.wait();
      // An array changes as it is waited for: not those that the next call has been given.
      for (const Handle& state : states) state->wait();
      if (hold(guards_)) return;
      Turn turn(device_);
      refuse(guards_, device_.stream());
    });
  }

 private:
  Device& device_;
  std::vector<array> results_;
  std::vector<Guard> guards_;
  bool certain_;
};

// Each of them is traced for every signature.
size_t traceable_segments(const Plan& plan) {
  size_t count = 0;
  for (const std::vector<Segment>& segments : plan.segments) {
    count += static_cast<size_t>(std::ranges::count_if(segments, &Segment::traceable));
  }
  return count;
}

Handle handle_of(array value, const TensorType& type, Sizes sizes, Device& device, bool passing = false) {
  return std::make_shared<MlxTensor>(std::move(value), type.dtype, std::move(sizes), type.scheme, device, nullptr,
                                     passing);
}

const array& array_of(const Handle& handle) { return dynamic_cast<const MlxTensor&>(*handle).value(); }

}  // namespace

// Of the dtypes MLX has but one that its GPUs lack.
static void check_dtypes(const Program& program, const Device& device) {
  if (device.is_cpu()) return;
  for (const Graph& graph : program.graphs) {
    const auto found = std::ranges::find(graph.values, DType::f64, [](const Value& value) { return value.type.dtype; });
    if (found == graph.values.end()) continue;
    throw Error(Code::unsupported,
                fmt::format("a value is {}, and MLX has no f64 on {}", to_string(found->type), device.name()))
        .at_node(graph.name);
  }
}

MlxProgram::MlxProgram(const Program& program, Device& device, Mode mode, const EngineOptions& options)
    : plan_(make_plan(program, *options.registry)),
      device_(device),
      mode_(options.observer ? Mode::eager : mode),
      limits_(options.limits),
      observer_(options.observer),
      traces_(options.cached_signatures * traceable_segments(plan_)) {
  check_dtypes(plan_.program, device_);
  for (const Handle& weight : options.weights) weights_.push_back(array_of(weight));
  for (size_t i = weights_.size(); i < plan_.program.weights.size(); ++i) {
    weights_.push_back(on_device(plan_.program.weights[i].tensor));
  }
  if (traces()) debug(2, [&] { return describe_segments(plan_); });
}

array MlxProgram::on_device(const Tensor& tensor) {
  uploaded_bytes_ += static_cast<int64_t>(tensor.bytes().size());
  return mlx_engine::upload(tensor);
}

Handle MlxProgram::upload(const Tensor& tensor) {
  return std::make_shared<MlxTensor>(on_device(tensor), tensor.dtype(), tensor.sizes(), tensor.scheme(), device_,
                                     known_integers(tensor));
}

Handle MlxProgram::weight(WeightId weight) const {
  const Tensor& tensor = plan_.program.weights[weight.id].tensor;
  Turn turn(device_);
  return handle_of(weights_[weight.id], tensor.type(), tensor.sizes(), device_);
}

void MlxProgram::set_weight(WeightId weight, const Handle& value) {
  Turn turn(device_);
  weights_[weight.id] = array_of(value);
}

std::unique_ptr<Pending> MlxProgram::start(Invocation& invocation) {
  const Graph& graph = plan_.program.graphs[invocation.method.id];
  std::vector<array> inputs, states;
  std::vector<Known> known;
  inputs.reserve(invocation.inputs.size());
  states.reserve(invocation.states.size());
  for (const Handle& handle : invocation.inputs) {
    const auto& tensor = dynamic_cast<const MlxTensor&>(*handle);
    inputs.push_back(tensor.value());
    if (tensor.known()) known.push_back({tensor.value(), tensor.known()});
  }
  for (const Handle& handle : invocation.states) states.push_back(array_of(handle));
  invocation.inputs.clear();
  std::vector<bool> written(states.size(), false);

  Turn turn(device_);
  for (const array& state : states) {
    if (!device_.is_cpu()) break;  // reading them would wait
    if (Integers integers = known_integers(state)) known.push_back({state, std::move(integers)});
  }
  Call call{.plan = plan_,
            .device = device_,
            .weights = weights_,
            .states = states,
            .states_written = written,
            .guards = {},
            .meter = Meter(limits_),
            .known = std::move(known),
            .eager = mode_ == Mode::eager,
            .traces = traces() ? &traces_ : nullptr,
            .cancelled = invocation.cancelled,
            .observer = observer_ ? &observer_ : nullptr};
  Frame frame(call, invocation.method, std::move(inputs), std::move(invocation.bindings));
  std::vector<array> outputs = translated([&] { return frame.run(); });
  std::vector<array> computed = outputs;
  for (size_t i = 0; i < states.size(); ++i) {
    if (written[i]) computed.push_back(states[i]);
  }
  std::vector<Handle> states_after = invocation.states;
  const bool ends_well = call.guards.empty() && plan_.ends_well[invocation.method.id];
  call.known.clear();
  for (size_t i = 0; i < states.size(); ++i) {
    if (!written[i]) continue;
    states_after[i] = nullptr;
    if (ends_well) invocation.states[i] = nullptr;  // whose memory MLX may now write to, unless others hold it too
  }
  translated([&] { submit(computed, call.guards); });

  const auto is_state = [&](const array& value) {
    return std::ranges::find(states, value.id(), &array::id) != states.end();
  };
  const bool certain = ends_well && !outputs.empty() && std::ranges::none_of(outputs, is_state);
  auto pending = std::make_unique<MlxPending>(device_, outputs, std::move(call.guards), certain);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Ref value = graph.outputs[i].value;
    const bool passing = !is_state(outputs[i]);
    pending->outputs.push_back(
        handle_of(std::move(outputs[i]), graph.type(value), frame.sizes(value), device_, passing));
  }
  pending->states = std::move(states_after);
  for (size_t i = 0; i < states.size(); ++i) {
    if (!written[i]) continue;
    const TensorType& type = plan_.program.states[i].type;
    pending->states[i] = handle_of(std::move(states[i]), type, *literal_sizes(type.shape), device_);
  }
  return pending;
}

std::vector<std::string> MlxProgram::explain(GraphId id) const {
  std::vector<std::string> lines;
  const Graph& graph = plan_.program.graphs[id.id];
  for (const Segment& segment : plan_.segments[id.id]) {
    const bool traced = segment.traceable && traces();
    for (uint32_t i = segment.first; i < segment.end; ++i) {
      const Op& op = graph.nodes[i].op;
      const std::string how = traced ? "traced" : segment.traceable ? "lowered" : "reads values";
      const std::string remark = about(op, graph, device_.is_cpu());
      lines.push_back(remark.empty() ? how : how + ", " + remark);
    }
  }
  return lines;
}

EngineCounters MlxProgram::counters() const {
  return {.uploaded_bytes = uploaded_bytes_,
          .cached = traces_.cached(),
          .traced = traces_.recorded(),
          .evicted = traces_.evicted(),
          .peak_bytes = static_cast<int64_t>(mx::get_peak_memory())};
}

}  // namespace ingot::mlx_engine
