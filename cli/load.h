// Load: a method called again and again, by several threads on several sessions, and how long each call took.
//
// Threads    starts its own, and ends them.
// Failure    WrongUsage for flags that contradict each other; the first error of any call.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "program/io/named_tensor.h"
#include "runtime/executable.h"

namespace ingot::cli {

struct LoadOptions {
  uint64_t threads = 1;
  uint64_t sessions = 0;  // 0: one for each thread
  uint64_t iterations = 1, warmup = 0;
  double duration = 0;  // seconds; 0: iterations
};

void add_load_options(CLI::App& app, LoadOptions& options);

struct CallTime {
  double host = 0;   // seconds until the call was handed to its device
  double total = 0;  // seconds until its outputs were here
};

struct Load {
  std::vector<CallTime> calls;       // without those that warm up
  double seconds = 0;                // from the first call to the last
  std::vector<NamedTensor> outputs;  // of the last call of the first session
};

// Every thread takes its sessions in turn. Warming up leaves no trace in their state.
Load run_load(const Executable& executable, const std::vector<NamedTensor>& inputs, const std::string& method,
              const LoadOptions& options);

}  // namespace ingot::cli
