// ingot: one tool with verbs over the library.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "cli/restart.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "gen/build_facts.h"
#include "program/debug.h"
#include "program/error.h"
#include "program/file/header.h"
#include "program/text/suggest.h"

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

// The verb is the first word. The parser would say of any other that there is none, or show the help of all.
void check_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string_view> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (word.starts_with('-') || std::ranges::count(verbs, word) > 0) return;
  throw WrongUsage{fmt::format("there is no verb{}, expected one of {}{}", word.empty() ? "" : " '" + word + "'",
                               fmt::join(verbs, ", "), did_you_mean(word, verbs))};
}

// Help, or what is wrong and where flags are shown.
int report_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream help;
    app.exit(error, help, help);
    write_text("", help.str());
    return kDone;
  }
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  return report(fmt::format("{} (ingot {}--help shows the flags)", error.what(), verb), kUsage);
}

int run(CLI::App& app, const std::vector<Verb>& verbs, int argc, char** argv) {
  check_verb(app, argc > 1 ? argv[1] : "");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse(app, error);
  }
  check_environment();
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return kUsage;
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
    restart_within_address_space(argv);
    return run(app, verbs, argc, argv);
  } catch (...) {
    return report_current_exception();
  }
}

}  // namespace
}  // namespace ingot::cli

int main(int argc, char** argv) { return ingot::cli::main(argc, argv); }
