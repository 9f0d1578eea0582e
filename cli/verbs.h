// The verbs of the tool. Each adds a subcommand to the app and returns what runs it; the result is the exit code.
//
// Exit codes: 0 done; 1 the comparison asked for failed; 2 wrong usage; 3 something unsupported; 4 bad file or input;
// 5 failed while running. Errors leave as ingot::Error; main maps them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace ingot::cli {

enum Exit { kDone = 0, kDiffers = 1, kUsage = 2, kUnsupported = 3, kBadInput = 4, kFailed = 5 };

struct Verb {
  CLI::App* app;
  std::function<int()> run;
};

Verb add_inspect(CLI::App& root);
Verb add_verify(CLI::App& root);
Verb add_run(CLI::App& root);
Verb add_bench(CLI::App& root);
Verb add_explain(CLI::App& root);
Verb add_trace(CLI::App& root);
Verb add_diff(CLI::App& root);
Verb add_engines(CLI::App& root);
Verb add_ops(CLI::App& root);
Verb add_convert(CLI::App& root);
Verb add_import(CLI::App& root);
Verb add_completion(CLI::App& root);

// Prints `error: message` and returns the exit code of the exception that is being handled.
int report_current_exception();

// Thrown where an error of the engine is known to have happened while running.
struct FailedRun {
  std::string message;
};

// Thrown for flags that contradict each other or name something that does not exist.
struct WrongUsage {
  std::string message;
};

}  // namespace ingot::cli
