#include "runtime/executable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engines/reference/execute.h"
#include "engines/reference/supported.h"
#include "program/error.h"
#include "program/text/suggest.h"
#include "program/verify.h"

namespace ingot {
namespace {

constexpr std::string_view engines[] = {"reference"};

void check_engine(std::string_view name) {
  if (std::ranges::find(engines, name) != std::end(engines)) return;
  throw Error(Code::not_found, fmt::format("there is no engine '{}', expected {}{}", name, fmt::join(engines, " or "),
                                           did_you_mean(name, engines)));
}

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

// Engines are one so far; with a second this becomes the interface that they share.
struct Executable::Data {
  std::string engine;
  RunLimits limits;
  reference::Plan plan;
  std::vector<Tensor> initial_states;
};

Executable compile(Program program, const CompileOptions& options) {
  check_engine(options.engine);
  verify(program);
  reference::check_supported(program);
  std::vector<Tensor> states = initial_contents(program, options.limits);
  reference::Plan plan = reference::make_plan(std::move(program));
  plan.poison = options.poison;
  return Executable(std::make_shared<const Executable::Data>(
      Executable::Data{options.engine, options.limits, std::move(plan), std::move(states)}));
}

const Program& Executable::program() const { return data_->plan.program; }
std::string_view Executable::engine() const { return data_->engine; }
const RunLimits& Executable::limits() const { return data_->limits; }
const std::vector<Tensor>& Executable::initial_states() const { return data_->initial_states; }

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

std::vector<Tensor> Executable::execute(const Graph& method, std::vector<Tensor> inputs, Bindings bindings,
                                        std::vector<Tensor>& states) const {
  const GraphId id{static_cast<uint32_t>(&method - program().graphs.data())};
  reference::States transaction(states);
  std::vector<Tensor> outputs =
      reference::execute(data_->plan, id, std::move(inputs), std::move(bindings), transaction, data_->limits);
  transaction.commit();
  return outputs;
}

}  // namespace ingot
