#include "cli/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "program/error.h"
#include "program/open.h"
#include "program/params.h"
#include "runtime/arguments.h"
#include "runtime/environment.h"

namespace ingot::cli {

void add_call_options(CLI::App& app, CallOptions& o) {
  app.add_option("file", o.file, ".ingot file or text form")->required();
  app.add_option("-i,--input", o.inputs,
                 "NAME=2x3xf32=1 2 3 4 5 6 | NAME=random | NAME=2x3xf32=random | NAME=@x.npy | @all.safetensors")
      ->allow_extra_args(false);
  app.add_option("--params", o.params, "FILE.safetensors with contents for weights, by name")->allow_extra_args(false);
  app.add_option("-m,--method", o.method, "which method; may be left out when there is one");
  app.add_option("-e,--engine", o.engine, "which engine (ingot engines); absent: INGOT_ENGINE, or the fastest");
  app.add_option("--device", o.device, "which device; absent: INGOT_DEVICE, or the engine's first");
  app.add_option("--mode", o.mode, "how it runs; absent: INGOT_MODE, or the engine's default");
  app.add_option("--cpu-threads", o.threads, "at most so many threads of the CPU; absent: INGOT_THREADS")
      ->check(integer_within(1, std::numeric_limits<int>::max()));
  app.add_flag("--random", o.random, "every input that is not given is random");
  app.add_option("--size", o.sizes, "SYMBOL=NUMBER, for random inputs of open size")->allow_extra_args(false);
  app.add_option("--seed", o.seed, "of random inputs")->check(integer_within(0))->capture_default_str();
  add_limit_options(app, o.limits, "a call");
}

void add_tolerance_options(CLI::App& app, Tolerance& tolerance) {
  app.add_option("--rtol", tolerance.rtol, "relative tolerance of a comparison")
      ->check(check_from_zero)
      ->capture_default_str();
  app.add_option("--atol", tolerance.atol, "absolute tolerance of a comparison")
      ->check(check_from_zero)
      ->capture_default_str();
}

Program open_for_call(const CallOptions& options) {
  Program program = open_program(options.file);
  if (options.params.empty()) return program;
  const Progress progress("reading " + fmt::format("{}", fmt::join(options.params, ", ")));
  fill_weights(program, params_of(program, read_params(options.params), missing_weights(program)));
  return program;
}

CompileOptions compile_options(const CallOptions& options) {
  CompileOptions flags;
  flags.engine = options.engine;
  flags.device = options.device;
  flags.mode = options.mode;
  flags.threads = options.threads;
  flags.limits = options.limits;
  try {
    return options_from_environment(std::move(flags));
  } catch (const Error& error) {
    throw WrongUsage{error.what()};
  }
}

Executable compile_for(const Program& program, const CompileOptions& options) {
  try {
    return compile(program, options);
  } catch (const Error& error) {
    if (error.code() == Code::not_found) throw WrongUsage{error.what()};
    throw;
  }
}

SpecContext context_of(const CallOptions& options, const Executable& executable) {
  SpecContext context{.method = &executable.method(options.method), .sizes = {}, .seed = options.seed};
  for (const std::string& flag : options.sizes) bind_size(flag, executable.program(), context.sizes);
  return context;
}

static std::vector<std::string> input_names(const Graph& method) {
  std::vector<std::string> names;
  for (const Ref input : method.inputs) names.push_back(method.values[input.id].name);
  return names;
}

Bindings sizes_of(const std::vector<NamedTensor>& inputs, const SpecContext& context) {
  const Graph& method = *context.method;
  std::vector<DimEquation> equations;
  for (const NamedTensor& input : inputs) {
    const TensorType& type = method.type(method.inputs[input_index(method, input.name)]);
    check_type("input " + input.name, input.tensor, type);
    for (size_t axis = 0; axis < type.shape.size(); ++axis) {
      equations.push_back(
          {type.shape[axis], input.tensor.sizes()[axis], fmt::format("input {}, axis {}", input.name, axis)});
    }
  }
  for (const auto& [symbol, size] : context.sizes.entries()) equations.push_back({symbol, size, "--size"});
  return solve(equations);
}

// Before anything is read from a file: its type must fit the input, symbols within their bounds.
static void check_input(const Graph& method, const std::string& name, const TensorType& given) try {
  const TensorType& declared = method.type(method.inputs[input_index(method, name)]);
  check_type("input " + name, given.dtype, *literal_sizes(given.shape), given.scheme, declared);
  if (equal(given.shape, declared.shape) != Proof::no) return;
  std::vector<DimEquation> equations;
  for (size_t axis = 0; axis < declared.shape.size(); ++axis) {
    equations.push_back(
        {declared.shape[axis], given.shape[axis].literal(), fmt::format("input {}, axis {}", name, axis)});
  }
  solve(equations);  // which says what contradicts what
  throw Error::mismatch(Code::type_mismatch, "", "input " + name, to_string(given), to_string(declared));
} catch (Error& error) {
  throw error.in_op(method.name);
}

std::vector<NamedTensor> read_inputs(const CallOptions& options, const SpecContext& context) {
  std::vector<NamedTensor> inputs;
  const std::vector<std::string> names = input_names(*context.method);
  const auto given = [&](const std::string& name) {
    return std::ranges::find(inputs, name, &NamedTensor::name) != inputs.end();
  };
  for (const std::string& spec : options.inputs) {
    for (const StoredTensor& input : open_spec(spec, context)) {
      const std::string name = by_position(input.name, "in", names);
      check_input(*context.method, name, input.type);
      inputs.push_back({name, input.read()});
    }
  }
  if (!context.sizes.entries().empty()) sizes_of(inputs, context);
  if (!options.random) return inputs;
  for (const std::string& name : names) {
    if (!given(name)) inputs.push_back({name, open_spec(name + "=random", context).front().read()});
  }
  return inputs;
}

std::vector<NamedTensor> call(Session& session, const std::vector<NamedTensor>& inputs, const std::string& method) {
  try {
    return session.run(inputs, method);
  } catch (const Error& error) {
    if (error.node().empty()) throw;
    throw FailedRun{error.what()};
  }
}

}  // namespace ingot::cli
