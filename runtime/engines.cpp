#include "runtime/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "engines/reference/engine.h"
#include "program/error.h"
#include "program/text/suggest.h"
#ifdef INGOT_MLX
#include "engines/mlx/engine.h"
#endif

namespace ingot {

std::span<const Engine* const> engines() {
  static const Engine* const all[] = {
      &reference::engine(),
#ifdef INGOT_MLX
      &mlx_engine::engine(),
#endif
  };
  return all;
}

const Engine& find_engine(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Engine* engine : engines()) {
    if (engine->name() == name) return *engine;
    names.push_back(engine->name());
  }
  throw Error(Code::not_found, fmt::format("there is no engine '{}', expected {}{}", name, fmt::join(names, " or "),
                                           did_you_mean(name, names)));
}

}  // namespace ingot
