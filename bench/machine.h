// The machine and the versions that figures belong to, in a line.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "gen/build_facts.h"
#include "runtime/engines.h"

namespace ingot::bench {

inline std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return build::system;
}

// `2 cores of AMD EPYC; Ingot 0.1.0, GNU 12.2.0, Release; MLX 0.32.4 on cpu`
inline std::string machine(std::string_view device = {}) {
  const Engine& mlx = find_engine("mlx");
  return fmt::format("{} cores of {}; Ingot {}, {}, {}; MLX {} on {}", std::thread::hardware_concurrency(), processor(),
                     build::version, build::compiler, build::build_type, mlx.version(),
                     find_device(mlx, device).description);
}

}  // namespace ingot::bench
