// What the verbs that call a method share: its flags, its inputs, and running it.
//
// Failure    ingot::Error; WrongUsage for an engine, device or mode that does not exist; FailedRun for what fails once it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/tensors.h"
#include "runtime/compare.h"
#include "runtime/session.h"

namespace ingot::cli {

struct CallOptions {
  std::string file, method;
  std::string engine, device, mode;  // empty: INGOT_ENGINE, INGOT_DEVICE, INGOT_MODE, or the default
  int threads = 0;                   // 0: INGOT_THREADS, or the engine decides
  std::vector<std::string> inputs, sizes, params;
  uint64_t seed = 0;
  bool random = false;
  RunLimits limits;
};

void add_call_options(CLI::App& app, CallOptions& options);
void add_tolerance_options(CLI::App& app, Tolerance& tolerance);

// The program with the contents of --params.
Program open_for_call(const CallOptions& options);
// Flags first, then the environment. WrongUsage for a variable that names nothing.
CompileOptions compile_options(const CallOptions& options);
// As compile; WrongUsage for an engine, device or mode that does not exist.
Executable compile_for(const Program& program, const CompileOptions& options);

// A context for tensors of the method. Refers to the executable.
SpecContext context_of(const CallOptions& options, const Executable& executable);
// Those that are given, and with --random all others. Throws where one contradicts --size.
std::vector<NamedTensor> read_inputs(const CallOptions& options, const SpecContext& context);
// Symbols from --size and from inputs of the method.
Bindings sizes_of(const std::vector<NamedTensor>& inputs, const SpecContext& context);

// An error with a node happened while running; one without was found before.
std::vector<NamedTensor> call(Session& session, const std::vector<NamedTensor>& inputs, const std::string& method);

}  // namespace ingot::cli
