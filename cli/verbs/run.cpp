#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/call.h"
#include "cli/load.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "engines/reference/elements.h"
#include "passes/expose.h"
#include "program/error.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

struct Options {
  CallOptions call;
  std::vector<std::string> outputs, expected;
  LoadOptions load;
  Tolerance tolerance;
  bool quiet = false, check_nan = false;
};

const Tensor& find(const std::string& name, const std::vector<NamedTensor>& outputs) {
  const auto found = std::ranges::find(outputs, by_position(name, "out", names_of(outputs)), &NamedTensor::name);
  if (found == outputs.end()) throw Error(Code::not_found, fmt::format("--expect: there is no output '{}'", name));
  return found->tensor;
}

int check_expected(const std::vector<NamedTensor>& outputs, const Options& options, const SpecContext& context) {
  int code = kDone;
  for (const std::string& spec : options.expected) {
    for (const StoredTensor& expected : open_spec(spec, context)) {
      const Comparison result = compare_stored(find(expected.name, outputs), expected, options.tolerance);
      if (!result.equal)
        fmt::print(stderr, "{}: {}: {}\n", paint(Colour::red, "differs", stderr_is_terminal()), expected.name,
                   result.difference);
      if (!result.equal) code = kDiffers;
    }
  }
  return code;
}

bool has_nan(const Tensor& tensor) {
  bool found = false;
  if (!is_real(tensor.dtype()) && tensor.dtype() != DType::c64) return found;
  reference::with_domain(tensor.dtype(), [&]<class T>() {
    if constexpr (!std::is_integral_v<T>) {
      const auto x = reference::view<T>(tensor);
      for (int64_t i = 0; i < x.size() && !found; ++i)
        found = std::isnan(std::real(x[i])) || std::isnan(std::imag(x[i]));
    }
  });
  return found;
}

// The first node that makes a NaN, on stderr. `values` are the results of all nodes, in order.
int check_nan(const Exposed& exposed, std::span<const NamedTensor> values) {
  const Graph& method = *exposed.program.method(exposed.method);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!has_nan(values[i].tensor)) continue;
    const Node& node = method.nodes[method.values[exposed.values[i].id].index];
    fmt::print(stderr, "{}: first in {}\n", paint(Colour::red, "NaN", stderr_is_terminal()),
               print_node(exposed.program, method, node));
    return kDiffers;
  }
  return kDone;
}

// The second would overwrite the first.
void check_distinct(const std::vector<std::string>& outputs) {
  std::set<std::filesystem::path> files;
  for (const std::string& spec : outputs) {
    const std::string path = output_path(spec);
    if (!files.insert((std::filesystem::current_path() / path).lexically_normal()).second) {
      throw WrongUsage{fmt::format("--output {}: another is written to {} too", spec, path)};
    }
  }
}

int run(const Options& options) {
  check_distinct(options.outputs);
  const Program given = open_for_call(options.call);
  const CompileOptions compile_with = compile_options(options.call);
  const Executable plain = compile_for(given, compile_with);
  const SpecContext context = context_of(options.call, plain);
  const std::vector<NamedTensor> inputs = read_inputs(options.call, context);
  std::optional<Exposed> exposed;
  if (options.check_nan) exposed = expose_values(given, *context.method);
  const Executable executable = exposed ? compile_for(exposed->program, compile_with) : plain;
  std::vector<NamedTensor> outputs;
  {
    const Progress progress("running " + options.call.file);
    const std::string& method = exposed ? exposed->method : options.call.method;
    outputs = run_load(executable, inputs, method, options.load).outputs;
  }
  int code = kDone;
  if (exposed) {
    const size_t count = context.method->outputs.size();
    code = check_nan(*exposed, std::span(outputs).subspan(count));
    outputs.resize(count);
  }
  for (const std::string& spec : options.outputs) write_spec(spec, outputs);
  const bool shown = !options.quiet && options.outputs.empty();
  for (const NamedTensor& output : outputs) {
    if (shown) write_text("", show(output));
  }
  return std::max(code, check_expected(outputs, options, context));
}

}  // namespace

Verb add_run(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("run", "Run a method and show, save or compare its outputs.");
  add_call_options(*app, o->call);
  app->add_option("-o,--output", o->outputs, "NAME=@y.npy | @all.safetensors | @all.npz; without it outputs are shown")
      ->allow_extra_args(false);
  app->add_option("--expect", o->expected, "compare an output: forms as for --input; exit code 1 when one differs")
      ->allow_extra_args(false);
  add_tolerance_options(*app, o->tolerance);
  add_load_options(*app, o->load);
  app->add_flag("--check-nan", o->check_nan, "say which node makes the first NaN; exit code 1 when one does");
  app->add_flag("-q,--quiet", o->quiet, "show nothing");
  app->footer("Inputs and outputs keep their names; in0, out0 name them by position.");
  return {app, [o] { return run(*o); }};
}

}  // namespace ingot::cli
