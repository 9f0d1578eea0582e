#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/tensors.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/error.h"
#include "program/open.h"
#include "runtime/compare.h"
#include "runtime/session.h"

namespace ingot::cli {
namespace {

struct Options {
  std::string file, method, engine = "reference";
  std::vector<std::string> inputs, outputs, expected, sizes;
  uint64_t seed = 0, repeat = 1;
  Tolerance tolerance;
  bool random = false, quiet = false;
};

std::vector<std::string> input_names(const Graph& method) {
  std::vector<std::string> names;
  for (const Ref input : method.inputs) names.push_back(method.values[input.id].name);
  return names;
}

std::vector<NamedTensor> read_inputs(const Options& options, const SpecContext& context) {
  std::vector<NamedTensor> inputs;
  const std::vector<std::string> names = input_names(*context.method);
  const auto given = [&](const std::string& name) {
    return std::ranges::find(inputs, name, &NamedTensor::name) != inputs.end();
  };
  for (const std::string& spec : options.inputs) {
    for (NamedTensor& input : read_spec(spec, context)) {
      inputs.push_back({by_position(input.name, "in", names), std::move(input.tensor)});
    }
  }
  if (!options.random) return inputs;
  for (const std::string& name : names) {
    if (!given(name)) std::ranges::move(read_spec(name + "=random", context), std::back_inserter(inputs));
  }
  return inputs;
}

const Tensor& find(const std::string& name, const std::vector<NamedTensor>& outputs) {
  const auto found = std::ranges::find(outputs, by_position(name, "out", names_of(outputs)), &NamedTensor::name);
  if (found == outputs.end()) throw Error(Code::not_found, fmt::format("--expect: there is no output '{}'", name));
  return found->tensor;
}

int check_expected(const std::vector<NamedTensor>& outputs, const Options& options, const SpecContext& context) {
  int code = kDone;
  for (const std::string& spec : options.expected) {
    for (const NamedTensor& expected : read_spec(spec, context)) {
      const Comparison result = compare(find(expected.name, outputs), expected.tensor, options.tolerance);
      if (!result.equal)
        fmt::print(stderr, "{}: {}: {}\n", paint(Colour::red, "differs", stderr_is_terminal()), expected.name,
                   result.difference);
      if (!result.equal) code = kDiffers;
    }
  }
  return code;
}

// An error with a node happened while running; one without was found before.
std::vector<NamedTensor> call(Session& session, const std::vector<NamedTensor>& inputs, const std::string& method) {
  try {
    return session.run(inputs, method);
  } catch (const Error& error) {
    if (error.node().empty()) throw;
    throw FailedRun{error.what()};
  }
}

int run(const Options& options) {
  const Program program = open_program(options.file);
  const Executable executable = [&] {
    try {
      return compile(program, {.engine = options.engine});
    } catch (const Error& error) {
      if (error.code() == Code::not_found) throw WrongUsage{error.what()};
      throw;
    }
  }();
  SpecContext context{.method = &executable.method(options.method), .sizes = {}, .seed = options.seed};
  for (const std::string& flag : options.sizes) bind_size(flag, program, context.sizes);
  const std::vector<NamedTensor> inputs = read_inputs(options, context);
  Session session(executable);
  std::vector<NamedTensor> outputs;
  {
    const Progress progress("running " + options.file);
    for (uint64_t i = 0; i < options.repeat; ++i) outputs = call(session, inputs, options.method);
  }
  for (const std::string& spec : options.outputs) write_spec(spec, outputs);
  const bool shown = !options.quiet && options.outputs.empty();
  for (const NamedTensor& output : outputs) {
    if (shown) write_text("", show(output));
  }
  return check_expected(outputs, options, context);
}

}  // namespace

Verb add_run(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("run", "Run a method and show, save or compare its outputs.");
  app->add_option("file", o->file, ".ingot file or text form")->required();
  app->add_option("-i,--input", o->inputs,
                  "NAME=2x3xf32=1 2 3 4 5 6 | NAME=random | NAME=2x3xf32=random | NAME=@x.npy | @all.safetensors")
      ->allow_extra_args(false);
  app->add_option("-o,--output", o->outputs, "NAME=@y.npy | @all.safetensors | @all.npz; without it outputs are shown")
      ->allow_extra_args(false);
  app->add_option("--expect", o->expected, "compare an output: forms as for --input; exit code 1 when one differs")
      ->allow_extra_args(false);
  app->add_option("--rtol", o->tolerance.rtol, "relative tolerance of --expect")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--atol", o->tolerance.atol, "absolute tolerance of --expect")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("-m,--method", o->method, "which method; may be left out when there is one");
  app->add_option("-e,--engine", o->engine, "which engine")->capture_default_str();
  app->add_flag("--random", o->random, "every input that is not given is random");
  app->add_option("--size", o->sizes, "SYMBOL=NUMBER, for random inputs of open size")->allow_extra_args(false);
  app->add_option("--seed", o->seed, "of random inputs")->capture_default_str();
  app->add_option("--repeat", o->repeat, "call it this often on one session; the last outputs count")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_flag("-q,--quiet", o->quiet, "show nothing");
  app->footer("Inputs and outputs keep their names; in0, out0 name them by position.");
  return {app, [o] { return run(*o); }};
}

}  // namespace ingot::cli
