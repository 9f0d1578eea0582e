#include "tests/reference/case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "gen/test_paths.h"
#include "program/error.h"
#include "program/text.h"

namespace ingot::test {

using nlohmann::json;

Tensor tensor_of(std::string_view text) {
  return parse(fmt::format("ingot 1\nweight @t : {}\n", text)).weights.at(0).tensor;
}

// ----------------------------------------------------------------------------------------------------------- machine

namespace {

Tensor initial(const Program& program, const State& state) {
  if (state.initial) return program.weights[state.initial->id].tensor;
  Tensor zeros = Tensor::allocate(state.type.dtype, *literal_sizes(state.type.shape), state.type.scheme);
  std::ranges::fill(zeros.mutable_bytes(), std::byte{0});
  return zeros;
}

GraphId graph_of(const Program& program, std::string_view method) {
  const Graph* graph = program.method(method);
  if (!graph) throw Error(Code::not_found, fmt::format("the program has no method {}", method));
  return {static_cast<uint32_t>(graph - program.graphs.data())};
}

// What a runtime checks before a call: the engine relies on it.
Bindings bindings_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<DimEquation> equations;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i].id];
    if (inputs[i].dtype() != value.type.dtype || inputs[i].sizes().size() != value.type.shape.size()) {
      throw Error::mismatch(Code::type_mismatch, "", "input " + value.name, to_string(inputs[i].type()),
                            to_string(value.type));
    }
    for (size_t axis = 0; axis < value.type.shape.size(); ++axis) {
      equations.push_back({value.type.shape[axis], inputs[i].sizes()[axis], value.name});
    }
  }
  return solve(equations);
}

}  // namespace

Machine::Machine(std::string_view text) : plan_(reference::make_plan(parse(text))) { reset(); }

void Machine::reset() {
  states_.clear();
  for (const State& state : plan_.program.states) states_.push_back(initial(plan_.program, state));
}

Tensors Machine::call(std::string_view method, const Tensors& named, const RunLimits& limits) {
  const GraphId id = graph_of(plan_.program, method);
  const Graph& graph = plan_.program.graphs[id.id];
  std::vector<Tensor> inputs;
  inputs.reserve(graph.inputs.size());
  for (Ref input : graph.inputs) inputs.push_back(named.at(graph.values[input.id].name));
  Bindings bindings = bindings_of(graph, inputs);
  reference::States states(states_);
  const std::vector<Tensor> outputs = execute(plan_, id, std::move(inputs), std::move(bindings), states, limits);
  states.commit();
  Tensors result;
  for (size_t i = 0; i < outputs.size(); ++i) result.emplace(graph.outputs.at(i).name, outputs[i]);
  return result;
}

const Tensor& Machine::state(std::string_view name) const {
  for (size_t i = 0; i < states_.size(); ++i) {
    if (plan_.program.states[i].name == name) return states_[i];
  }
  throw Error(Code::not_found, fmt::format("the program has no state {}", name));
}

// -------------------------------------------------------------------------------------------------------- comparison

namespace {

struct RealBits {
  int width;
  uint64_t infinity;
};

// c64 is two f32. None for a dtype that is compared bit by bit.
std::optional<RealBits> real_bits(DType dtype) {
  switch (dtype) {
    case DType::f16: return RealBits{16, 0x7c00};
    case DType::bf16: return RealBits{16, 0x7f80};
    case DType::f32:
    case DType::c64: return RealBits{32, 0x7f80'0000};
    case DType::f64: return RealBits{64, 0x7ff0'0000'0000'0000};
    default: return {};
  }
}

// The reals of one format as integers in their order, so that neighbours differ by 1.
int64_t rank_of(uint64_t bits, const RealBits& format) {
  const uint64_t sign = uint64_t{1} << (format.width - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

double value_of(uint64_t bits, DType dtype) {
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::bf16) bits <<= 16;
  if (dtype != DType::f16) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const double fraction = static_cast<double>(bits & 0x3ff) / 1024, sign = bits & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  return sign * std::ldexp(exponent ? 1 + fraction : fraction, std::max(exponent, 1) - 15);
}

bool close(uint64_t actual, uint64_t expected, DType dtype, const RealBits& format, const Closeness& closeness) {
  if (actual == expected) return true;
  const int64_t a = rank_of(actual, format), b = rank_of(expected, format);
  const auto infinity = static_cast<int64_t>(format.infinity);
  if (std::abs(b) > infinity) return std::abs(a) > infinity;
  if (std::abs(a) >= infinity || std::abs(b) == infinity || a == b) return false;  // equal, yet other bits: ±0
  const auto distance =
      a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a) : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  return distance <= static_cast<uint64_t>(closeness.ulps) ||
         std::abs(value_of(actual, dtype) - value_of(expected, dtype)) <= closeness.atol;
}

uint64_t load(const Tensor& tensor, size_t size, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes().data() + i * size, size);
  return bits;
}

std::string real_difference(const Tensor& actual, const Tensor& expected, const RealBits& format,
                            const Closeness& closeness) {
  const auto size = static_cast<size_t>(format.width / 8);
  for (size_t i = 0; i * size < actual.bytes().size(); ++i) {
    const uint64_t a = load(actual, size, i), b = load(expected, size, i);
    if (close(a, b, actual.dtype(), format, closeness)) continue;
    return fmt::format("number {} is {} ({:#x}), expected {} ({:#x})", i, value_of(a, actual.dtype()), a,
                       value_of(b, actual.dtype()), b);
  }
  return {};
}

}  // namespace

std::string difference(const Tensor& actual, const Tensor& expected, const Closeness& closeness) {
  if (actual.type() != expected.type()) {
    return fmt::format("type is {}, expected {}", to_string(actual.type()), to_string(expected.type()));
  }
  if (const auto format = real_bits(actual.dtype())) return real_difference(actual, expected, *format, closeness);
  if (std::ranges::equal(actual.bytes(), expected.bytes())) return {};
  return fmt::format("contents are {}, expected {}", print_contents(actual), print_contents(expected));
}

// ------------------------------------------------------------------------------------------------------------- cases

namespace {

Tensors tensors_of(const json& named) {
  Tensors result;
  for (const auto& [name, text] : named.items()) result.emplace(name, tensor_of(text.get<std::string>()));
  return result;
}

void expect_outputs(const Tensors& actual, const Tensors& expected, const Closeness& closeness) {
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) {
      ADD_FAILURE() << "there is no output " << name;
      continue;
    }
    EXPECT_EQ(difference(found->second, tensor, closeness), "") << "in output " << name;
  }
}

void run_call(Machine& machine, const json& call) {
  const Tensors inputs = tensors_of(call.at("inputs"));
  const Closeness closeness{call.value("ulps", int64_t{1}), call.value("atol", 0.0)};
  RunLimits limits;
  limits.steps = call.value("steps", limits.steps);
  limits.bytes = call.value("bytes", limits.bytes);
  try {
    const Tensors outputs = machine.call(call.value("method", "main"), inputs, limits);
    if (call.contains("error")) {
      ADD_FAILURE() << "no error, expected " << call["error"];
    } else {
      expect_outputs(outputs, tensors_of(call.at("outputs")), closeness);
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), call.value("error", ""));
  }
  expect_outputs(inputs, tensors_of(call.at("inputs")), {0, 0});  // nobody wrote into them
  for (const auto& [name, tensor] : tensors_of(call.value("states", json::object()))) {
    EXPECT_EQ(difference(machine.state(name), tensor, closeness), "") << "in state " << name;
  }
}

}  // namespace

void run_cases(std::string_view family) {
  const std::string path = fmt::format("{}/tests/data/reference/{}.json", source_dir, family);
  const json cases = json::parse(std::ifstream(path));
  ASSERT_FALSE(cases.empty()) << path;
  for (const json& row : cases) {
    Machine machine(row.at("program").get<std::string>());
    for (int run = 1; run <= 2; ++run) {
      SCOPED_TRACE(fmt::format("{}, run {}", row.at("name").get<std::string>(), run));
      machine.reset();
      for (const json& call : row.at("calls")) run_call(machine, call);
    }
  }
}

}  // namespace ingot::test
