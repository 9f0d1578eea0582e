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
namespace {

// By its name; an empty one stands for the first.
template <class T, class Name>
const T& choose(const std::vector<T>& all, std::string_view kind, std::string_view name, Name name_of) {
  std::vector<std::string_view> names;
  for (const T& each : all) {
    if (name.empty() || name_of(each) == name) return each;
    names.push_back(name_of(each));
  }
  throw Error(Code::not_found, fmt::format("there is no {} '{}', expected {}{}", kind, name, fmt::join(names, " or "),
                                           did_you_mean(name, names)));
}

}  // namespace

std::span<const Engine* const> engines() {
  static const Engine* const all[] = {
#ifdef INGOT_MLX
      &mlx_engine::engine(),
#endif
      &reference::engine(),
  };
  return all;
}

const Engine& find_engine(std::string_view name) {
  return *choose(std::vector(engines().begin(), engines().end()), "engine", name,
                 [](const Engine* engine) { return engine->name(); });
}

DeviceFacts find_device(const Engine& engine, std::string_view name) {
  return choose(engine.devices(), fmt::format("device of {}", engine.name()), name,
                [](const DeviceFacts& device) -> std::string_view { return device.name; });
}

std::string_view find_mode(const Engine& engine, std::string_view name) {
  return choose(engine.modes(), fmt::format("mode of {}", engine.name()), name,
                [](std::string_view mode) { return mode; });
}

}  // namespace ingot
