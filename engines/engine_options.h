// EngineOptions: what an engine is told when it compiles a program.
//
// Ownership  values. Threads  values; who looks at nodes, and what the host's ops do, is the business of whoever gives them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engines/observer.h"
#include "engines/run_limits.h"

namespace ingot {

class DeviceTensor;  // engines/engine.h
using Handle = std::shared_ptr<const DeviceTensor>;

class Registry;  // engines/registry.h
const std::shared_ptr<Registry>& default_registry();

struct EngineOptions {
  std::string device;  // empty: the engine's first
  std::string mode;    // empty: the engine's default
  int threads = 0;     // of the CPU, for engines that can be told; 0: the engine decides
  RunLimits limits;
  std::shared_ptr<const Registry> registry = default_registry();  // of the host's ops, while it compiles
  bool poison = false;            // results begin as garbage where the engine can, for tests
  size_t cached_signatures = 64;  // shapes whose preparation is kept
  // Those of the program, where the engine has them already, null for one without contents; empty: it uploads them.
  std::vector<Handle> weights;
  Observer observer;  // none: nobody; one sees every node, so nodes run one by one
};

}  // namespace ingot
