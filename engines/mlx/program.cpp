#include "engines/mlx/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engines/mlx/invocation.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/tensor.h"
#include "program/debug.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// Each of them is traced for every signature.
size_t traceable_segments(const Plan& plan) {
  size_t count = 0;
  for (const std::vector<Segment>& segments : plan.segments) {
    count += static_cast<size_t>(std::ranges::count_if(segments, &Segment::traceable));
  }
  return count;
}

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
      check_(plan_.program),
      limits_(options.limits),
      observer_(options.observer),
      traces_(options.cached_signatures * traceable_segments(plan_)) {
  check_dtypes(plan_.program, device_);
  Weights weights;
  for (const Handle& weight : options.weights) {
    weights.push_back(weight ? std::optional(array_of(weight)) : std::nullopt);
  }
  for (size_t i = weights.size(); i < plan_.program.weights.size(); ++i) {
    const std::optional<Tensor> contents = contents_of(plan_.program.weights[i]);
    weights.push_back(contents ? std::optional(on_device(*contents)) : std::nullopt);
  }
  weights_ = std::make_shared<const MlxWeights>(std::move(weights));
  if (traces()) debug(2, [&] { return describe_segments(plan_); });
}

array MlxProgram::on_device(const Tensor& tensor) {
  uploaded_bytes_ += static_cast<int64_t>(tensor.bytes().size());
  return mlx_engine::upload(tensor);
}

Handle MlxProgram::upload(const Tensor& tensor, Handle instead) {
  MlxTensor& uploaded = refilled(instead, device_);
  uploaded.fill(on_device(tensor), tensor.dtype(), tensor.scheme());
  uploaded.mutable_sizes() = tensor.sizes();
  uploaded.mutable_known() = known_integers(tensor, std::move(uploaded.mutable_known()));
  return instead;
}

Handle MlxProgram::weight(WeightId weight) const {
  const std::shared_ptr<const MlxWeights> weights = weights_now();
  const std::optional<array>& value = weights->arrays[weight.id];
  if (!value) return nullptr;
  const TensorType& type = plan_.program.weights[weight.id].type;
  const auto handle = std::make_shared<MlxTensor>(device_);
  handle->mutable_sizes() = *literal_sizes(type.shape);
  handle->fill(*value, type.dtype, type.scheme);
  return handle;
}

void MlxProgram::set_weights(std::span<const NewWeight> weights) {
  const std::lock_guard lock(mutex_);
  Weights changed = weights_->arrays;
  for (const auto& [weight, value] : weights) changed[weight.id] = array_of(value);
  weights_ = std::make_shared<const MlxWeights>(std::move(changed));
}

std::shared_ptr<const MlxWeights> MlxProgram::weights_now() const {
  const std::lock_guard lock(mutex_);
  return weights_;
}

std::unique_ptr<Invocation> MlxProgram::invocation(GraphId method) {
  Call call{.plan = plan_,
            .device = device_,
            .weights = nullptr,
            .meter = Meter(limits_, device_.memory()),
            .states = {},
            .states_written = {},
            .guards = {},
            .known = {},
            .eager = mode_ == Mode::eager,
            .traces = traces() ? &traces_ : nullptr,
            .cancelled = {},
            .observer = observer_ ? &observer_ : nullptr};
  return std::make_unique<MlxInvocation>(std::move(call), method);
}

void MlxProgram::check(const Invocation& call) const {
  check_(call);
  const Graph& method = plan_.program.graphs[call.method.id];
  const auto check_device = [&](const Handle& handle, const char* what, size_t i) {
    if (const auto* tensor = dynamic_cast<const MlxTensor*>(handle.get()); tensor && tensor->is_on(device_)) return;
    throw Error(Code::invalid_argument, fmt::format("{} {} is not on device {} of mlx", what, i, device_.name()))
        .in_op(method.name);
  };
  for (size_t i = 0; i < call.inputs.size(); ++i) check_device(call.inputs[i], "input", i);
  for (size_t i = 0; i < call.states.size(); ++i) check_device(call.states[i], "state", i);
}

void MlxProgram::start(Invocation& call) {
  check(call);
  const std::shared_ptr<const WeightSet> given = std::exchange(call.weights, nullptr);
  const std::shared_ptr<const WeightSet> weights = given ? given : weights_now();
  dynamic_cast<MlxInvocation&>(call).start(own<MlxWeights>(weights, "the weight set"));
}

std::vector<std::string> MlxProgram::explain(GraphId id) const {
  std::vector<std::string> lines;
  const Graph& graph = plan_.program.graphs[id.id];
  for (const Segment& segment : plan_.segments[id.id]) {
    const bool traced = segment.traceable && traces();
    for (uint32_t i = segment.first; i < segment.end; ++i) {
      const Op& op = graph.nodes[i].op;
      const std::string how = traced ? "traced" : segment.traceable ? "lowered" : "reads values";
      const std::string remark = about(op, graph, plan_.host_ops, device_.is_cpu());
      lines.push_back(remark.empty() ? how : how + ", " + remark);
    }
  }
  return lines;
}

// For lowering alone: those that have no contents yet are there without a value.
static std::shared_ptr<const MlxWeights> with_all(std::shared_ptr<const MlxWeights> weights, const Program& program) {
  if (std::ranges::all_of(weights->arrays, [](const auto& weight) { return weight.has_value(); })) return weights;
  Weights all = weights->arrays;
  for (size_t i = 0; i < all.size(); ++i) {
    const TensorType& type = program.weights[i].type;
    if (!all[i]) all[i] = without_value(type.dtype, *literal_sizes(type.shape), type.scheme);
  }
  return std::make_shared<const MlxWeights>(std::move(all));
}

// By lowering each node, on arrays that hold no values, within the limits of a call except for steps: nothing runs here.
std::vector<int64_t> MlxProgram::working_space(GraphId graph, const Bindings& bindings) const {
  const std::shared_ptr<const MlxWeights> weights = with_all(weights_now(), plan_.program);
  return device_.run([&] {
    std::vector<KnownCheck> checks;
    Call call{.plan = plan_,
              .device = device_,
              .weights = &weights->arrays,
              .meter = Meter({.bytes = limits_.bytes, .recorded = limits_.recorded}, device_.memory()),
              .states = {},
              .states_written = std::vector<bool>(plan_.program.states.size(), false),
              .guards = {},
              .known = {},
              .checks = &checks,
              .cancelled = {}};
    return Frame(call, graph, bindings).spaces();
  });
}

EngineCounters MlxProgram::counters() const {
  return {.uploaded_bytes = uploaded_bytes_,
          .cached = traces_.cached(),
          .traced = traces_.recorded(),
          .evicted = traces_.evicted(),
          .peak_bytes = static_cast<int64_t>(mx::get_peak_memory())};
}

}  // namespace ingot::mlx_engine
