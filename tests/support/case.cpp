#include "tests/support/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "gen/test_paths.h"
#include "program/error.h"
#include "program/text.h"

namespace ingot::test {

using nlohmann::json;

Tensor tensor_of(std::string_view text) {
  return parse(fmt::format("ingot 1\nweight @t : {}\n", text)).weights.at(0).tensor.value();
}

// ----------------------------------------------------------------------------------------------------------- machine

Machine::Machine(std::string_view text, Target target)
    : target_(std::move(target)), program_(parse(text)), session_(compile(program_, target_.options({}))) {}

Tensors Machine::call(std::string_view method, const Tensors& named, const RunLimits& limits) {
  const RunLimits& given = session_.executable().limits();
  if (limits.bytes != given.bytes || limits.steps != given.steps) {
    Session limited(compile(program_, target_.options(limits)));
    for (const State& state : program().states) limited.set_state(state.name, session_.state(state.name));
    session_ = std::move(limited);
  }
  std::vector<NamedTensor> inputs;
  for (const auto& [name, tensor] : named) inputs.push_back({name, tensor});
  Tensors result;
  for (NamedTensor& output : session_.run(std::move(inputs), method)) result.emplace(output.name, output.tensor);
  return result;
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
  if (a == b) return !closeness.signed_zero;  // equal, yet other bits: ±0
  if (std::abs(a) >= infinity || std::abs(b) == infinity) return false;
  const auto distance =
      a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a) : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  const double wanted = value_of(expected, dtype);
  return distance <= static_cast<uint64_t>(closeness.ulps) ||
         std::abs(value_of(actual, dtype) - wanted) <= closeness.atol + closeness.rtol * std::abs(wanted);
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

// What is wrong with the outputs, a sentence; empty when nothing is.
template <class ClosenessOf>
std::string problem_of(const Tensors& actual, const Tensors& expected, ClosenessOf closeness) {
  if (actual.size() != expected.size()) {
    return fmt::format("there are {} outputs, expected {}", actual.size(), expected.size());
  }
  for (const auto& [name, tensor] : expected) {
    const auto found = actual.find(name);
    if (found == actual.end()) return fmt::format("there is no output {}", name);
    const std::string differs = difference(found->second, tensor, closeness(tensor.dtype()));
    if (!differs.empty()) return fmt::format("output {}: {}", name, differs);
  }
  return {};
}

std::string refusal_problem(const std::string& got, const std::string& expected) {
  return got == expected ? "" : fmt::format("error \"{}\", expected \"{}\"", got, expected);
}

std::string call_problem(Machine& machine, const json& call) {
  const Tensors inputs = tensors_of(call.at("inputs"));
  const Closeness of_case{.ulps = call.value("ulps", int64_t{1}), .atol = call.value("atol", 0.0)};
  const auto closeness = [&](DType dtype) { return on_target(of_case, machine.target(), machine.program(), dtype); };
  const auto exact = [](DType) { return Closeness{.ulps = 0}; };
  RunLimits limits;
  limits.steps = call.value("steps", limits.steps);
  limits.bytes = call.value("bytes", limits.bytes);
  std::string problem, refused;
  try {
    const Tensors outputs = machine.call(call.value("method", "main"), inputs, limits);
    if (!call.contains("error")) problem = problem_of(outputs, tensors_of(call.at("outputs")), closeness);
  } catch (const Error& error) {
    refused = error.what();
  }
  if (problem.empty()) problem = refusal_problem(refused, call.value("error", ""));
  if (problem.empty()) problem = problem_of(inputs, tensors_of(call.at("inputs")), exact);  // nobody wrote into them
  for (const auto& [name, tensor] : tensors_of(call.value("states", json::object()))) {
    if (problem.empty()) problem = difference(machine.state(name), tensor, closeness(tensor.dtype()));
  }
  return problem;
}

// Every call of a case, twice.
std::string case_problem(const json& row, Machine& machine) {
  for (int run = 1; run <= 2; ++run) {
    machine.reset();
    for (const json& call : row.at("calls")) {
      const std::string problem = call_problem(machine, call);
      if (!problem.empty()) return problem;
    }
  }
  return {};
}

void run_case(const json& row, const Target& target, CaseResult& result) {
  bool compiled = false;
  try {
    Machine machine(row.at("program").get<std::string>(), target);
    compiled = true;
    result.problem = case_problem(row, machine);
  } catch (const Error& error) {
    result.problem = error.what();
    result.unsupported = !compiled && error.code() == Code::unsupported && target.device() != "cpu";
  }
}

}  // namespace

std::vector<std::string> case_families() {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(fs::path(source_dir) / "tests/data/reference")) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<CaseResult> run_cases(std::string_view family, const Target& target, std::string_view part, Shard shard) {
  const std::string path = fmt::format("{}/tests/data/reference/{}.json", source_dir, family);
  std::vector<CaseResult> results;
  size_t number = 0;
  for (const json& row : json::parse(std::ifstream(path))) {
    const std::string name = row.at("name").get<std::string>();
    if (name.find(part) == name.npos || number++ % shard.count != shard.index) continue;
    CaseResult result{.name = name,
                      .program = parse(row.at("program").get<std::string>()),
                      .problem = {},
                      .departure = departure(target, family, name)};
    run_case(row, target, result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ingot::test
