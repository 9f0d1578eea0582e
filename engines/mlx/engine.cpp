#include "engines/mlx/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/mlx/lowering.h"
#include "engines/mlx/program.h"
#include "program/error.h"
#include "program/text/suggest.h"

namespace ingot::mlx_engine {
namespace {

constexpr Mode default_mode = Mode::compiled;

Mode find_mode(std::string_view name) {
  if (name.empty()) return default_mode;
  const auto found = std::ranges::find(mode_names, name);
  if (found != std::end(mode_names)) return static_cast<Mode>(found - std::begin(mode_names));
  throw Error(Code::not_found, fmt::format("there is no mode '{}', expected {}{}", name, fmt::join(mode_names, " or "),
                                           did_you_mean(name, mode_names)));
}

class MlxEngine final : public Engine {
 public:
  std::string_view name() const override { return "mlx"; }
  std::string version() const override { return mx::version(); }
  std::vector<std::string_view> modes() const override {
    std::vector<std::string_view> names(std::begin(mode_names), std::end(mode_names));
    const auto first = names.begin() + static_cast<int>(default_mode);
    std::rotate(names.begin(), first, first + 1);
    return names;
  }

  std::vector<DeviceFacts> devices() const override {
    std::vector<DeviceFacts> all;
    for (const Device* device : mlx_engine::devices()) all.push_back(device->facts());
    return all;
  }

  bool native(const Op& op, const Graph& graph) const override { return mlx_engine::native(op, graph); }

  std::shared_ptr<CompiledProgram> compile(Program program, const EngineOptions& options) const override {
    Device& device = find_device(options.device);
    if (options.threads > 0 && device.is_cpu()) set_blas_threads(options.threads);
    return std::make_shared<MlxProgram>(program, device, find_mode(options.mode), options);
  }
};

}  // namespace

const Engine& engine() {
  static const MlxEngine engine;
  return engine;
}

}  // namespace ingot::mlx_engine
