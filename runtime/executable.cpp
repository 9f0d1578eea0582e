#include "runtime/executable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "engines/reference/engine.h"
#include "engines/reference/evaluate.h"
#include "engines/registry.h"
#include "passes/expand.h"
#include "passes/hoist.h"
#include "passes/pipeline.h"
#include "program/debug.h"
#include "program/error.h"
#include "program/params.h"
#include "program/report.h"
#include "program/text/suggest.h"
#include "program/verify.h"
#include "runtime/active_extent.h"
#include "runtime/arguments.h"
#include "runtime/engines.h"
#include "runtime/environment.h"
#include "runtime/hoisting.h"
#include "runtime/worker.h"

namespace ingot {
namespace {

Tensor initial_contents(const State& state, const Program& program) {
  if (state.initial) return contents_of(program.weights[state.initial->id])->aligned();
  return zeros_of(state.type, *literal_sizes(state.type.shape));
}

// The bytes that things of one kind take together, within a limit.
class Allowance {
 public:
  Allowance(std::string_view kind, int64_t limit) : kind_(kind), limit_(limit), left_(limit) {}

  void take(const std::string& name, const TensorType& type) {
    const int64_t bytes = byte_count(type.dtype, *literal_sizes(type.shape), type.scheme);
    if (bytes > left_) {
      throw Error(Code::limit, fmt::format("{} @{} has {} bytes, expected at most {} (what the {}s before it leave of "
                                           "the limit of {})",
                                           kind_, name, bytes, left_, kind_, limit_));
    }
    left_ -= bytes;
  }

 private:
  std::string_view kind_;
  int64_t limit_, left_;
};

// A session may write every state, so all of them count, whatever they begin with. Weights that begin as zeros count,
// since a small file may declare large ones.
void check_bytes(const Program& program, const RunLimits& limits) {
  Allowance states("state", limits.bytes), weights("zero weight", limits.bytes);
  for (const State& state : program.states) states.take(state.name, state.type);
  for (const Weight& weight : program.weights) {
    if (weight.zeros) weights.take(weight.name, weight.type);
  }
}

std::vector<Tensor> initial_contents(const Program& program, const RunLimits& limits) {
  check_bytes(program, limits);
  std::vector<Tensor> contents;
  contents.reserve(program.states.size());
  for (const State& state : program.states) contents.push_back(initial_contents(state, program));
  return contents;
}

// Tensors for weights, converted where the host gives another dtype than the program declares.
std::vector<NamedTensor> of_declared_dtypes(const Program& program, std::vector<NamedTensor> tensors,
                                            const HostTypes& host) {
  for (NamedTensor& each : tensors) {
    const auto weight = std::ranges::find(program.weights, each.name, &Weight::name);
    if (weight != program.weights.end()) each.tensor = host.in(each.tensor, weight->type);
  }
  return tensors;
}

// For each graph of the program its id in the compiled one.
std::vector<GraphId> ids_of(const Program& program, const Program& compiled) {
  std::unordered_map<std::string_view, GraphId> by_name;
  for (uint32_t i = 0; i < compiled.graphs.size(); ++i) by_name.emplace(compiled.graphs[i].name, GraphId{i});
  const GraphId none{static_cast<uint32_t>(compiled.graphs.size())};  // of one that nothing runs
  std::vector<GraphId> ids;
  for (const Graph& graph : program.graphs) {
    const auto found = by_name.find(graph.name);
    ids.push_back(found == by_name.end() ? none : found->second);
  }
  return ids;
}

}  // namespace

struct Executable::Data {
  std::string engine, device, mode;
  CompileOptions options;
  Program program;  // as it was given
  std::shared_ptr<CompiledProgram> compiled;
  std::vector<GraphId> ids;  // of the program's graphs where they are compiled
  std::vector<Handle> initial_states;
  std::mutex mutex;                                                       // never while anything is computed, of:
  uint64_t changes = 0;                                                   // of weights
  std::map<int64_t, std::shared_ptr<const ActiveExtent>> active_extents;  // one for each size that inputs have at most
  Worker worker;  // its tasks hold nothing that would end in this
};

Executable compile(Program program) { return compile(std::move(program), options_from_environment()); }

Executable compile(Program program, const CompileOptions& options) {
  return Executable::make({}, std::move(program), options);
}

Executable Executable::make(std::vector<Handle> weights, Program program, const CompileOptions& options) {
  if (options.pending_calls == 0) {
    throw Error::mismatch(Code::invalid_argument, "", "pending_calls", "0", "1 or more");
  }
  if (options.threads < 0) {
    throw Error::mismatch(Code::invalid_argument, "", "threads", std::to_string(options.threads), "0 or more");
  }
  const Engine& engine = find_engine(options.engine);
  const std::string device = find_device(engine, options.device).name;
  const std::string mode(find_mode(engine, options.mode));
  verify(program);
  const std::shared_ptr<const Registry> registry = options.registry ? options.registry : default_registry();
  check_meanings(program, *registry);
  const std::vector<Tensor> states = initial_contents(program, options.limits);
  const EngineOptions for_engine{.device = device,
                                 .mode = mode,
                                 .threads = options.threads,
                                 .limits = options.limits,
                                 .registry = registry,
                                 .poison = options.poison,
                                 .cached_signatures = options.cached_signatures,
                                 .weights = std::move(weights),
                                 .observer = options.observer};
  Hoisted hoisted{program, {}};
  if (options.optimize && &engine != &reference::engine()) {
    Program better = optimize(std::move(hoisted.program), {.evaluate = reference::evaluate});
    // What a decomposition computes from weights alone is hoisted too.
    const auto native = [&](const Op& op, const Graph& graph) { return engine.native(op, graph); };
    hoisted = hoist_parameter_only(expand_composites(std::move(better), native));
  }
  auto compiled =
      with_hoisted(engine.compile(std::move(hoisted.program), for_engine), std::move(hoisted.methods), program);
  std::vector<Handle> initial_states;
  for (const Tensor& state : states) initial_states.push_back(compiled->upload(state));
  auto data = std::make_shared<Executable::Data>();
  data->engine = engine.name();
  data->device = device;
  data->mode = mode;
  data->options = options;
  data->ids = ids_of(program, compiled->program());
  data->program = std::move(program);
  data->compiled = std::move(compiled);
  data->initial_states = std::move(initial_states);
  debug(1, [&] {
    const Summary summary = summarize(data->program);
    return fmt::format("compiled for {} on {}, mode {}: {}, {}, {} of weights", engine.name(), device, mode,
                       counted(summary.methods.size(), "method"), counted(summary.nodes, "node"),
                       human_bytes(summary.weight_bytes));
  });
  return Executable(std::move(data));
}

Executable::Data& Executable::data() const {
  if (!data_) throw Error(Code::misuse, "the executable was moved from");
  return *data_;
}

const Program& Executable::program() const { return data().program; }
const Program& Executable::lowered() const { return data().compiled->program(); }
std::string_view Executable::engine() const { return data().engine; }
std::string_view Executable::device() const { return data().device; }
std::string_view Executable::mode() const { return data().mode; }
const RunLimits& Executable::limits() const { return data().options.limits; }
const std::shared_ptr<CompiledProgram>& Executable::compiled() const { return data().compiled; }
HostTypes Executable::host_types() const { return HostTypes(data().options.f32_io); }
size_t Executable::pending_calls() const { return data().options.pending_calls; }
Worker& Executable::worker() const { return data().worker; }

EngineCounters Executable::counters() const {
  EngineCounters all = data().compiled->counters();
  const std::lock_guard lock(data().mutex);
  for (const auto& [upper, active] : data().active_extents) {
    const EngineCounters more = active->executable.counters();
    all.uploaded_bytes += more.uploaded_bytes;
    all.cached += more.cached, all.traced += more.traced, all.evicted += more.evicted;
  }
  return all;
}

const std::vector<Handle>& Executable::initial_states() const { return data().initial_states; }

const Graph& Executable::method(std::string_view name) const {
  const std::vector<std::string> names = program().method_names();
  if (names.empty()) throw Error(Code::not_found, "the program has no method");
  if (name.empty() && names.size() > 1) {
    throw Error(Code::invalid_argument,
                fmt::format("the method is not named, expected one of {}", fmt::join(names, ", ")));
  }
  if (const Graph* found = program().method(name.empty() ? names[0] : name)) return *found;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw Error(Code::not_found, fmt::format("there is no method '{}', expected one of {}{}", name,
                                           fmt::join(names, ", "), did_you_mean(name, candidates)));
}

void Executable::set_param(std::string_view name, const Tensor& tensor) { set_params({{std::string(name), tensor}}); }

void Executable::set_params(const std::vector<NamedTensor>& tensors) {
  set_weights(params_of(program(), of_declared_dtypes(program(), tensors, host_types())));
}

void Executable::load_params(const std::vector<std::string>& files) {
  std::vector<WeightId> missing;
  for (uint32_t i = 0; i < program().weights.size(); ++i) {
    if (program().weights[i].is_missing() && !compiled()->weight({i})) missing.push_back({i});
  }
  set_weights(params_of(program(), of_declared_dtypes(program(), read_params(files), host_types()), missing));
}

void Executable::set_weights(const std::vector<Param>& params) {
  std::vector<NewWeight> weights;
  for (const Param& param : params) weights.push_back({param.weight, compiled()->upload(param.tensor)});
  const std::lock_guard lock(data().mutex);
  ++data().changes;
  compiled()->set_weights(weights);
  for (const auto& [upper, active] : data().active_extents) active->executable.compiled()->set_weights(weights);
}

void Executable::check_rows(int64_t upper) const {
  for (const std::string& name : program().method_names()) {
    const Graph& method = *program().method(name);
    const auto has_rows = [&](Ref input) {
      const Shape& shape = method.type(input).shape;
      return !shape.empty() && shape[0] == Dim(upper);
    };
    if (std::ranges::any_of(method.inputs, has_rows)) return;
  }
  throw Error(Code::invalid_argument, fmt::format("no input has {} rows", upper));
}

std::shared_ptr<const ActiveExtent> Executable::active_extent(int64_t upper) const {
  std::unique_lock lock(data().mutex);
  if (const auto found = data().active_extents.find(upper); found != data().active_extents.end()) return found->second;
  const uint64_t changes = data().changes;
  std::vector<Handle> given;
  for (uint32_t i = 0; i < program().weights.size(); ++i) given.push_back(compiled()->weight({i}));
  lock.unlock();
  ActiveProgram few = with_active_extent(program(), upper);
  auto made = std::make_shared<const ActiveExtent>(
      ActiveExtent{upper, std::move(few.methods), make(std::move(given), std::move(few.program), data().options)});
  lock.lock();
  if (data().changes != changes) {
    std::vector<NewWeight> current;
    for (uint32_t i = 0; i < program().weights.size(); ++i) {
      if (Handle value = compiled()->weight({i})) current.push_back({{i}, std::move(value)});
    }
    made->executable.compiled()->set_weights(current);
  }
  return data().active_extents.try_emplace(upper, std::move(made)).first->second;  // perhaps another's, made meanwhile
}

std::string Executable::whole_extent_reason(std::string_view name, int64_t upper) const {
  check_rows(upper);
  return active_extent(upper)->method(method(name).name).reason;
}

GraphId Executable::id(const Graph& method) const {
  return data().ids[static_cast<size_t>(&method - program().graphs.data())];
}

}  // namespace ingot
