#include "tests/support/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "gen/test_paths.h"
#include "program/decompose.h"
#include "runtime/engines.h"

namespace ingot::test {
namespace {

// In steps of the result's dtype at 1: relative to the expected value, and absolute.
struct Allowance {
  Opcode op;
  double relative, absolute;
  double absolute_of_halves;  // f16 and bf16, which may be summed in f32
};

constexpr double default_relative = 8, default_absolute = 1;
// In the order of the schema.
constexpr Allowance allowances[] = {
    // What a sum leaves of terms that cancel out.
    {Opcode::reduce, 16, 4, 4},
    {Opcode::matmul, 8, 32, 1},
    {Opcode::fft, 8, 256, 256},
};

double step_at_one(DType dtype) {
  switch (dtype) {
    case DType::f16: return std::ldexp(1, -10);
    case DType::bf16: return std::ldexp(1, -7);
    case DType::f32:
    case DType::c64: return std::ldexp(1, -23);
    case DType::f64: return std::ldexp(1, -52);
    default: return 0;
  }
}

}  // namespace

Target Target::parse(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return {std::string(text), {}};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

std::string Target::device() const { return find_device(find_engine(engine), {}).name; }

CompileOptions Target::options(const RunLimits& limits) const {
  CompileOptions options;
  options.engine = engine;
  options.mode = mode;
  options.limits = limits;
  options.poison = true;
  return options;
}

Closeness on_target(Closeness of_case, const Target& target, const Program& program, DType dtype) {
  if (target.is_reference()) return of_case;
  double relative = default_relative, absolute = default_absolute;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      const auto found = std::ranges::find(allowances, static_cast<Opcode>(node.op.index()), &Allowance::op);
      if (found == std::end(allowances)) continue;
      relative = std::max(relative, found->relative);
      absolute = std::max(absolute, widened(dtype) == dtype ? found->absolute : found->absolute_of_halves);
    }
  }
  const double step = step_at_one(dtype);
  return {of_case.ulps, std::max(of_case.atol, absolute * step), relative * step, false};
}

std::string departure(const Target& target, std::string_view family, std::string_view name) {
  std::ifstream file(fmt::format("{}/tests/data/departures.txt", source_dir));
  const std::string on_device = fmt::format("{}:{}", target.engine, target.device());
  for (std::string line; std::getline(file, line);) {
    for (const std::string& of : {target.engine, on_device}) {
      const std::string start = fmt::format("{}\t{}\t{}\t", of, family, name);
      if (line.starts_with(start)) return line.substr(start.size());
    }
  }
  return {};
}

}  // namespace ingot::test
