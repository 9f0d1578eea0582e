// Target: an engine that cases run on, and how far from the expected values it may be.
//
// `reference` is held to the cases as they stand. Another engine computes in the dtype itself, in an order of its own, so
// for it a real may be some steps of its dtype away, as a table says by op; the sign of a zero is its own.
//
// Ownership  values. Threads  none involved. Failure  throws for a name that is no engine.
#pragma once

#include <string>
#include <string_view>

#include "program/program.h"
#include "runtime/executable.h"

namespace ingot::test {

struct Target {
  std::string engine = "reference";
  std::string mode;  // empty: the engine's default

  // `mlx:lazy`
  static Target parse(std::string_view text);
  std::string name() const { return mode.empty() ? engine : engine + ":" + mode; }
  // The one that it runs on: the engine's first.
  std::string device() const;
  bool on_gpu() const { return !is_reference() && device() != "cpu"; }
  bool has_f64() const { return !on_gpu(); }  // MLX lacks it there
  bool is_reference() const { return engine == "reference"; }
  CompileOptions options(const RunLimits& limits) const;
};

struct Closeness {
  int64_t ulps = 1;
  double atol = 0;
  double rtol = 0;
  bool signed_zero = true;
};

// What a case's own closeness becomes on a target, for outputs of a dtype.
Closeness on_target(Closeness of_case, const Target& target, const Program& program, DType dtype);

// Why a target may fail a case of that family and name; empty where it may not. tests/data/departures.txt has it for an
// engine, `mlx`, or for one on a device, `mlx:cuda`.
std::string departure(const Target& target, std::string_view family, std::string_view name);

}  // namespace ingot::test
