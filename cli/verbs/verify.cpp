#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/open.h"
#include "program/report.h"

namespace ingot::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool hashes = false, quiet = false;
};

void verify_file(const std::string& path, const Options& options) {
  const Program program = open_program(path);
  if (options.hashes) {
    const Progress progress("hashing " + path);
    check_hashes(program);
  }
  const Summary summary = summarize(program);
  if (!options.quiet) {
    write_text("", fmt::format("{} {}: {}, {}, {} of weights\n", paint(Colour::green, "ok", stdout_is_terminal()), path,
                               counted(summary.methods.size(), "method"), counted(summary.nodes, "node"),
                               human_bytes(summary.weight_bytes)));
  }
}

}  // namespace

Verb add_verify(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("verify", "Check that files are sound; the exit code tells.");
  app->add_option("files", o->files, ".ingot files or text forms")->required();
  app->add_flag("--hashes", o->hashes, "also read every weight and compare its hash");
  app->add_flag("-q,--quiet", o->quiet, "print nothing when all is well");
  return {app, [o] {
            int code = kDone;
            for (const std::string& file : o->files) {
              try {
                verify_file(file, *o);
              } catch (...) {
                code = report_current_exception();
              }
            }
            return code;
          }};
}

}  // namespace ingot::cli
