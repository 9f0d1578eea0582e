#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/tensors.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
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
  bool quiet = false;
};

// `in1` and `out0` name by position where no input or output has that name.
std::string positional(const std::string& name, const std::vector<NamedTensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return name;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (name == fmt::format("out{}", i)) return tensors[i].name;
  }
  return name;
}

const Tensor& find(const std::string& name, const std::vector<NamedTensor>& tensors) {
  const std::string resolved = positional(name, tensors);
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == resolved; });
  if (found == tensors.end()) throw Error(Code::not_found, fmt::format("--expect: there is no output '{}'", name));
  return found->tensor;
}

int check_expected(const std::vector<NamedTensor>& outputs, const Options& options, const SpecContext& context) {
  int code = kDone;
  for (const std::string& spec : options.expected) {
    for (const NamedTensor& expected : read_spec(spec, context)) {
      const Comparison result = compare(find(expected.name, outputs), expected.tensor, options.tolerance);
      if (!result.equal) fmt::print(stderr, "{}: {}: {}\n", paint(Colour::red, "differs", stderr_is_terminal()), expected.name, result.difference);
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
  std::vector<NamedTensor> inputs;
  for (const std::string& spec : options.inputs) std::ranges::move(read_spec(spec, context), std::back_inserter(inputs));
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
  app->add_option("-i,--input", o->inputs, "NAME=2x3xf32=1 2 3 4 5 6 | NAME=random | NAME=2x3xf32=random | NAME=@x.npy | @all.safetensors")->allow_extra_args(false);
  app->add_option("-o,--output", o->outputs, "NAME=@y.npy | @all.safetensors | @all.npz; without it outputs are shown")->allow_extra_args(false);
  app->add_option("--expect", o->expected, "compare an output: forms as for --input; exit code 1 when one differs")->allow_extra_args(false);
  app->add_option("--rtol", o->tolerance.rtol, "relative tolerance of --expect")->check(CLI::NonNegativeNumber)->capture_default_str();
  app->add_option("--atol", o->tolerance.atol, "absolute tolerance of --expect")->check(CLI::NonNegativeNumber)->capture_default_str();
  app->add_option("-m,--method", o->method, "which method; default: the only one, or forward");
  app->add_option("-e,--engine", o->engine, "which engine")->capture_default_str();
  app->add_option("--size", o->sizes, "SYMBOL=NUMBER, for random inputs of open size")->allow_extra_args(false);
  app->add_option("--seed", o->seed, "of random inputs")->capture_default_str();
  app->add_option("--repeat", o->repeat, "call it this often on one session; the last outputs count")->check(CLI::PositiveNumber)->capture_default_str();
  app->add_flag("-q,--quiet", o->quiet, "show nothing");
  app->footer("Inputs and outputs keep their names; in0, out0 name them by position.");
  return {app, [o] { return run(*o); }};
}

}  // namespace ingot::cli
