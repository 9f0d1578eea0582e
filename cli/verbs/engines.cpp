#include "runtime/engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/report.h"

namespace ingot::cli {
namespace {

std::string as_text() {
  std::string text;
  for (const Engine* engine : engines()) {
    text += fmt::format("{} {}\n  modes   {}\n", engine->name(), engine->version(), fmt::join(engine->modes(), " "));
    for (const DeviceFacts& device : engine->devices()) {
      text += fmt::format("  device  {}: {}, {}\n", device.name, device.description,
                          human_bytes(static_cast<uint64_t>(device.memory)));
    }
  }
  return text + "The first mode and the first device are the defaults.\n";
}

std::string as_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Engine* engine : engines()) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const DeviceFacts& device : engine->devices()) {
      devices.push_back({{"name", device.name}, {"description", device.description}, {"memory", device.memory}});
    }
    all.push_back({{"name", engine->name()},
                   {"version", engine->version()},
                   {"modes", engine->modes()},
                   {"devices", std::move(devices)}});
  }
  return json_text(all);
}

}  // namespace

Verb add_engines(CLI::App& root) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = root.add_subcommand("engines", "Show the engines, their modes and devices.");
  app->add_flag("--json", *json, "as JSON");
  return {app, [json] {
            write_text("", *json ? as_json() : as_text());
            return kDone;
          }};
}

}  // namespace ingot::cli
