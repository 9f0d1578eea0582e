#include "runtime/environment.h"

#include <cstdlib>

namespace ingot {

static void read(const char* variable, std::string& into) {
  const char* value = std::getenv(variable);
  if (value && *value) into = value;
}

CompileOptions options_from_environment() {
  CompileOptions options;
  read("INGOT_ENGINE", options.engine);
  read("INGOT_DEVICE", options.device);
  read("INGOT_MODE", options.mode);
  return options;
}

}  // namespace ingot
