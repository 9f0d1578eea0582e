#include "runtime/executable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engines/reference/engine.h"
#include "engines/reference/evaluate.h"
#include "engines/registry.h"
#include "passes/pipeline.h"
#include "program/debug.h"
#include "program/error.h"
#include "program/report.h"
#include "program/text/suggest.h"
#include "program/verify.h"
#include "runtime/arguments.h"
#include "runtime/engines.h"
#include "runtime/worker.h"

namespace ingot {
namespace {

Tensor initial_contents(const State& state, const Program& program) {
  if (state.initial) return program.weights[state.initial->id].tensor.aligned();
  Tensor zeros = Tensor::allocate(state.type.dtype, *literal_sizes(state.type.shape), state.type.scheme);
  std::ranges::fill(zeros.mutable_bytes(), std::byte{0});
  return zeros;
}

// A session may write every state, so all of them count, whatever they begin with.
void check_state_bytes(const Program& program, const RunLimits& limits) {
  int64_t left = limits.bytes;
  for (const State& state : program.states) {
    const int64_t bytes = byte_count(state.type.dtype, *literal_sizes(state.type.shape), state.type.scheme);
    if (bytes > left) {
      throw Error(Code::limit,
                  fmt::format("state @{} has {} bytes, expected at most {} (what the states before it leave "
                              "of the limit of {})",
                              state.name, bytes, left, limits.bytes));
    }
    left -= bytes;
  }
}

std::vector<Tensor> initial_contents(const Program& program, const RunLimits& limits) {
  check_state_bytes(program, limits);
  std::vector<Tensor> contents;
  contents.reserve(program.states.size());
  for (const State& state : program.states) contents.push_back(initial_contents(state, program));
  return contents;
}

}  // namespace

struct Executable::Data {
  std::string engine, device, mode;
  RunLimits limits;
  std::shared_ptr<CompiledProgram> compiled;
  std::vector<Handle> initial_states;
  Worker worker;  // its tasks hold nothing that would end in this
};

Executable compile(Program program, const CompileOptions& options) {
  const Engine& engine = find_engine(options.engine);
  const std::string device = find_device(engine, options.device).name;
  const std::string mode(find_mode(engine, options.mode));
  verify(program);
  const std::shared_ptr<const Registry> registry = options.registry ? options.registry : default_registry();
  check_meanings(program, *registry);
  const std::vector<Tensor> states = initial_contents(program, options.limits);
  const EngineOptions for_engine{.device = device,
                                 .mode = mode,
                                 .limits = options.limits,
                                 .registry = registry,
                                 .poison = options.poison,
                                 .cached_signatures = options.cached_signatures,
                                 .observer = options.observer};
  if (options.optimize && &engine != &reference::engine()) {
    program = optimize(std::move(program), {.evaluate = reference::evaluate});
  }
  auto compiled = engine.compile(std::move(program), for_engine);
  std::vector<Handle> initial_states;
  for (const Tensor& state : states) initial_states.push_back(compiled->upload(state));
  auto data = std::make_shared<Executable::Data>();
  data->engine = engine.name();
  data->device = device;
  data->mode = mode;
  data->limits = options.limits;
  data->compiled = std::move(compiled);
  data->initial_states = std::move(initial_states);
  debug(1, [&] {
    const Summary summary = summarize(data->compiled->program());
    return fmt::format("compiled for {} on {}, mode {}: {}, {}, {} of weights", engine.name(), device, mode,
                       counted(summary.methods.size(), "method"), counted(summary.nodes, "node"),
                       human_bytes(summary.weight_bytes));
  });
  return Executable(std::move(data));
}

const Program& Executable::program() const { return data_->compiled->program(); }
std::string_view Executable::engine() const { return data_->engine; }
std::string_view Executable::device() const { return data_->device; }
std::string_view Executable::mode() const { return data_->mode; }
const RunLimits& Executable::limits() const { return data_->limits; }
const std::shared_ptr<CompiledProgram>& Executable::compiled() const { return data_->compiled; }
Worker& Executable::worker() const { return data_->worker; }
EngineCounters Executable::counters() const { return data_->compiled->counters(); }
const std::vector<Handle>& Executable::initial_states() const { return data_->initial_states; }

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

void Executable::set_param(std::string_view name, const Tensor& tensor) {
  const std::vector<Weight>& weights = program().weights;
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < weights.size(); ++i) {
    if (weights[i].name == name) {
      check_type(fmt::format("parameter {}", name), tensor, weights[i].tensor.type());
      return data_->compiled->set_weight({i}, tensor);
    }
    names.push_back(weights[i].name);
  }
  throw Error(Code::not_found, fmt::format("there is no parameter {}{}", name, did_you_mean(name, names)));
}

GraphId Executable::id(const Graph& method) const { return {static_cast<uint32_t>(&method - program().graphs.data())}; }

}  // namespace ingot
