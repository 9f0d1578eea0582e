#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/call.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "passes/expose.h"
#include "program/error.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

struct Options {
  CallOptions call;
  std::string against;
  Tolerance tolerance;
};

bool is_tensor_file(const std::string& text) { return text.ends_with(".npz") || text.ends_with(".safetensors"); }

// Values of the method by id.
using Values = std::unordered_map<uint32_t, Tensor>;
// Those to compare with. A file holds them by name.
using Recorded = std::unordered_map<uint32_t, StoredTensor>;

Recorded recorded_in_file(const Options& options, const SpecContext& context) {
  const Graph& method = *context.method;
  std::unordered_map<std::string_view, uint32_t> values;
  for (uint32_t id = 0; id < method.values.size(); ++id) values.emplace(method.values[id].name, id);
  for (const Output& output : method.outputs) values.insert_or_assign(output.name, output.value.id);
  Recorded recorded;
  for (StoredTensor& tensor : open_spec("@" + options.against, context)) {
    if (const auto found = values.find(tensor.name); found != values.end()) {
      recorded.emplace(found->second, std::move(tensor));
    }
  }
  if (recorded.empty()) {
    throw Error(Code::not_found, fmt::format("{} holds no value of method {}", options.against, method.name));
  }
  return recorded;
}

// `mlx`, `mlx:eager`: what it leaves out is the engine's default, whatever the other side has.
CompileOptions target_of(const Options& options) {
  const std::string& text = options.against;
  const size_t colon = text.find(':');
  CompileOptions target{.engine = text.substr(0, colon), .limits = options.call.limits};
  if (colon != std::string::npos) target.mode = text.substr(colon + 1);
  if (target.engine.empty() || text.ends_with(':')) {
    throw WrongUsage{
        fmt::format("--against is '{}', expected ENGINE, ENGINE:MODE, or a .npz or .safetensors file", text)};
  }
  return target;
}

// The results of every node, by value.
Values values_on(const CompileOptions& target, const Exposed& exposed, const std::vector<NamedTensor>& inputs) {
  Session session(compile_for(exposed.program, target));
  std::vector<NamedTensor> outputs = call(session, inputs, exposed.method);
  const size_t first = outputs.size() - exposed.values.size();
  Values values;
  for (size_t i = 0; i < exposed.values.size(); ++i) {
    values.emplace(exposed.values[i].id, std::move(outputs[first + i].tensor));
  }
  return values;
}

Recorded recorded_on(const CompileOptions& target, const Exposed& exposed, const std::vector<NamedTensor>& inputs) {
  Recorded recorded;
  for (const auto& [id, tensor] : values_on(target, exposed, inputs)) {
    recorded.emplace(id, StoredTensor{"", tensor.type(), [tensor] { return tensor; }});
  }
  return recorded;
}

// What is said about the first value that departs.
std::string describe(const Program& program, const Graph& method, Ref value, const Comparison& comparison) {
  const Node& node = method.nodes[method.values[value.id].index];
  std::string text = fmt::format("first difference in {}\n", print_node(program, method, node));
  if (!node.name.empty() && node.name != method.values[value.id].name)
    text += fmt::format("  node {}{}\n", node.name, node.source.op.empty() ? "" : ", from " + node.source.op);
  if (node.result_count > 1) text += fmt::format("  result {}\n", value.id - node.first_result.id);
  return text + fmt::format("  {}\n  errors: largest {:.3g}, mean {:.3g}, largest relative {:.3g}\n",
                            comparison.difference, comparison.max_error, comparison.mean_error,
                            comparison.max_relative_error);
}

int diff(const Options& options) {
  const Program program = open_for_call(options.call);
  const CompileOptions target = compile_options(options.call);
  const Executable executable = compile_for(program, target);
  const SpecContext context = context_of(options.call, executable);
  const Graph& method = *context.method;
  const std::vector<NamedTensor> inputs = read_inputs(options.call, context);
  const Exposed exposed = expose_values(program, method);
  const Progress progress("running " + options.call.file);
  const Recorded expected = is_tensor_file(options.against) ? recorded_in_file(options, context)
                                                            : recorded_on(target_of(options), exposed, inputs);
  const Values actual = values_on(target, exposed, inputs);
  std::string first;
  int compared = 0, differing = 0;
  for (const Ref value : exposed.values) {
    const auto wanted = expected.find(value.id);
    if (wanted == expected.end()) continue;
    ++compared;
    const Comparison comparison = compare_stored(actual.at(value.id), wanted->second, options.tolerance);
    if (comparison.equal) continue;
    if (differing++ == 0) first = describe(program, method, value, comparison);
  }
  write_text("", fmt::format("{}{} of {} values differ\n", first, differing, compared));
  return differing == 0 ? kDone : kDiffers;
}

}  // namespace

Verb add_diff(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app =
      root.add_subcommand("diff", "Find the first node whose value departs from another engine or a record.");
  add_call_options(*app, o->call);
  app->add_option("--against", o->against,
                  "an engine (mlx), with a mode (mlx:eager), or a .npz or .safetensors file with values by name")
      ->required();
  add_tolerance_options(*app, o->tolerance);
  app->footer(
      "Exit code 1 when a value departs. Nodes inside control flow show as the results of their loop or branch.");
  return {app, [o] { return diff(*o); }};
}

}  // namespace ingot::cli
