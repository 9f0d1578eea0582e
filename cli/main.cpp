// ingot: one tool with verbs over the library.
#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "gen/build_facts.h"
#include "program/debug.h"
#include "program/error.h"
#include "program/file/header.h"

namespace ingot::cli {
namespace {

std::string version_text() {
  return fmt::format("ingot {}\nformat {}\ncompiler {}\nbuild {}{}\nsystem {}\nflatbuffers {}", build::version,
                     file::kFormatVersion, build::compiler, build::build_type,
                     *build::sanitizers ? fmt::format(", sanitizers {}", build::sanitizers) : "", build::system,
                     build::flatbuffers);
}

int report(std::string_view message, int code) {
  std::cerr << paint(Colour::red, "error", stderr_is_terminal()) << ": " << message << "\n";
  return code;
}

}  // namespace

int report_current_exception() {
  try {
    throw;
  } catch (const WrongUsage& error) {
    return report(error.message, kUsage);
  } catch (const FailedRun& error) {
    return report(error.message, kFailed);
  } catch (const Error& error) {
    return report(error.what(), error.code() == Code::unsupported ? kUnsupported : kBadInput);
  } catch (const std::bad_alloc&) {
    return report("out of memory", kFailed);
  } catch (const std::exception& error) {
    return report(error.what(), kFailed);
  }
}

namespace {

// Throws where a variable has no such value, before a verb does half of its work.
void check_environment() {
  try {
    debug_level();
  } catch (const Error& error) {
    throw WrongUsage{error.what()};
  }
}

int run_verb(const Verb& verb) {
  try {
    check_environment();
    return verb.run();
  } catch (...) {
    return report_current_exception();
  }
}

int main(int argc, char** argv) {
  CLI::App app("Compiles and runs machine-learning programs.", "ingot");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "A program is a .ingot file or its text form; every verb takes both.\n"
      "\n"
      "  ingot inspect model.ingot                        show it as text\n"
      "  ingot run model.ingot --input x=2x3xf32=random   run it\n"
      "  ingot VERB --help                                flags of a verb\n"
      "\n"
      "INGOT_ENGINE, INGOT_DEVICE and INGOT_MODE are the defaults of --engine, --device and --mode. INGOT_DEBUG=1 to "
      "4\n"
      "says on stderr what is compiled (1), expanded and cut (2), traced (3), and every node (4).\n"
      "\n"
      "Exit codes: 0 done, 1 a comparison failed, 2 wrong usage, 3 unsupported, 4 bad file or input, 5 failed while "
      "running.");
  const std::vector<Verb> verbs = {add_import(app),  add_inspect(app), add_verify(app),  add_run(app),
                                   add_bench(app),   add_explain(app), add_trace(app),   add_diff(app),
                                   add_convert(app), add_ops(app),     add_engines(app), add_completion(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return report(fmt::format("{} (ingot --help shows the flags)", error.what()), kUsage);
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return run_verb(verb);
  }
  return kUsage;
}

}  // namespace
}  // namespace ingot::cli

int main(int argc, char** argv) { return ingot::cli::main(argc, argv); }
