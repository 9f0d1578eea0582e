#include "import/onnx/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/json.h"
#include "cli/tensors.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/file.h"
#include "program/report.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

struct Options {
  std::string file, output, report;
  std::vector<std::string> shapes, constants, parameters;
  bool external_weights = false;
  RunLimits evaluation = onnx::ImportOptions{}.evaluation;
};

// `x=S=1..512,64` from --shape.
std::map<std::string, std::vector<std::string>> parse_shapes(const std::vector<std::string>& flags) {
  std::map<std::string, std::vector<std::string>> shapes;
  for (const std::string& flag : flags) {
    const size_t equals = flag.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw WrongUsage{fmt::format("--shape {}: expected INPUT=SIZE,SIZE,…", flag)};
    }
    std::vector<std::string>& sizes = shapes[flag.substr(0, equals)];
    for (size_t at = equals + 1; at <= flag.size();) {
      const size_t comma = std::min(flag.find(',', at), flag.size());
      sizes.push_back(flag.substr(at, comma - at));
      at = comma + 1;
    }
  }
  return shapes;
}

std::string to_json(const onnx::ImportReport& report) {
  nlohmann::ordered_json json{{"nodes", report.nodes}, {"unsupported", nlohmann::ordered_json::array()}};
  for (const onnx::ImportFailure& failure : report.failures) {
    json["unsupported"].push_back(
        {{"op", failure.op}, {"count", failure.places.size()}, {"reason", failure.reason}, {"places", failure.places}});
  }
  return json_text(json);
}

void save(const Program& program, const Options& options) {
  const Progress progress("writing " + options.output);
  if (std::filesystem::path(options.output).extension() == ".ingot") {
    const auto placement = options.external_weights ? WeightPlacement::beside : WeightPlacement::keep;
    return save_program(program, options.output, {.weights = placement, .durable = false});
  }
  if (options.external_weights) throw WrongUsage{"only a .ingot file takes a choice of where weights go"};
  write_text(options.output, print(program));
}

int import(const Options& options) {
  if (options.report == options.output) throw WrongUsage{"--output and --report name the same file"};
  onnx::ImportOptions how;
  how.shapes = parse_shapes(options.shapes);
  for (const std::string& spec : options.constants) {
    const SpecContext context{.max_bytes = static_cast<uint64_t>(options.evaluation.bytes)};
    for (const StoredTensor& constant : open_spec(spec, context)) how.constants[constant.name] = constant.read();
  }
  how.evaluation = options.evaluation;
  how.parameters.insert(options.parameters.begin(), options.parameters.end());
  const onnx::ImportResult result = [&] {
    const Progress progress("reading " + options.file);
    return onnx::import_model(std::filesystem::path(options.file), how);
  }();
  if (!options.report.empty()) write_text(options.report, to_json(result.report));
  if (!result.program) {
    fmt::print(stderr, "{}", onnx::to_text(result.report));
    return kUnsupported;
  }
  save(*result.program, options);
  return kDone;
}

}  // namespace

Verb add_import(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("import", "Turn an ONNX model into a program.");
  app->add_option("file", o->file, "the .onnx file; its external data lies beside it")->required();
  app->add_option("-o,--output", o->output, "NAME.ingot writes a file, any other name text")
      ->required()
      ->check(check_path);
  app->add_option("--shape", o->shapes, "INPUT=SIZE,SIZE,…: 8, a symbol S, or one with bounds S=1..512")
      ->allow_extra_args(false);
  app->add_option("--constant", o->constants, "an input that is known now, and no input of the program: as run --input")
      ->allow_extra_args(false);
  app->add_option("--parameter", o->parameters,
                  "an initializer of one element that stays a weight, and no fixed number")
      ->allow_extra_args(false);
  app->add_option("--report", o->report, "write what could not be imported as JSON; - for standard output")
      ->check(check_path);
  app->add_flag("--external-weights", o->external_weights,
                "put large weights into a file of their own, NAME.ingot-DIGEST.safetensors");
  add_limit_options(*app, o->evaluation, "the evaluation of constants");
  app->footer(
      "The whole model is imported, or exit code 3 and a list of every op that cannot be, with place and reason.");
  return {app, [o] { return import(*o); }};
}

}  // namespace ingot::cli
