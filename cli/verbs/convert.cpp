#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/io/mapped_file.h"
#include "program/open.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, output;
  bool external_weights = false, embed_weights = false;
  int64_t inline_bytes = TextOptions{}.inline_bytes;
};

// Weights too large for the text stay in the file that it came from, which must then lie beside it.
std::string weights_from(const Program& program, const Options& options) {
  const bool fits = std::all_of(program.weights.begin(), program.weights.end(), [&](const Weight& w) {
    return !w.tensor || w.external || std::cmp_less_equal(w.tensor->bytes().size(), options.inline_bytes);
  });
  if (fits) return {};
  const bool beside = !options.output.empty() && options.output != "-" &&
                      fs::absolute(options.file).parent_path() == fs::absolute(options.output).parent_path();
  const bool binary = is_program_file(map_file(options.file).buffer.bytes);
  return beside && binary ? fs::path(options.file).filename().string() : std::string();
}

int convert(const Options& options) {
  if (options.external_weights && options.embed_weights)
    throw WrongUsage{"--external-weights and --embed-weights contradict each other"};
  const Program program = open_program(options.file);
  if (fs::path(options.output).extension() == ".ingot") {
    const Progress progress("writing " + options.output);
    const WeightPlacement placement = options.external_weights ? WeightPlacement::beside
                                      : options.embed_weights  ? WeightPlacement::inside
                                                               : WeightPlacement::keep;
    save_program(program, options.output, {.weights = placement});
    return kDone;
  }
  if (options.external_weights || options.embed_weights)
    throw WrongUsage{"only a .ingot file takes a choice of where weights go"};
  write_text(options.output,
             print(program, {.inline_bytes = options.inline_bytes, .weights_from = weights_from(program, options)}));
  return kDone;
}

}  // namespace

Verb add_convert(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("convert", "Turn text into a .ingot file, or a file into text.");
  app->add_option("file", o->file, ".ingot file or text form")->required();
  app->add_option("-o,--output", o->output,
                  "NAME.ingot writes a file, any other name text; default: text to standard output")
      ->check(check_path);
  app->add_flag("--external-weights", o->external_weights,
                "put large weights into a file of their own, NAME.ingot-DIGEST.safetensors");
  app->add_flag("--embed-weights", o->embed_weights, "take weights of safetensors files into the file");
  app->add_option("--inline-bytes", o->inline_bytes, "text: write weights up to this size out, larger ones by hash")
      ->check(integer_within(0, kLargest))
      ->capture_default_str();
  return {app, [o] { return convert(*o); }};
}

}  // namespace ingot::cli
