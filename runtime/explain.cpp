// Executable's answers about calls that nobody has made yet.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "passes/weights_read.h"
#include "program/error.h"
#include "program/report.h"
#include "runtime/arguments.h"
#include "runtime/executable.h"
#include "runtime/hoisting.h"

namespace ingot {

static Bindings bindings_for(const Graph& method, const std::vector<Sizes>& given) {
  const std::vector<Sizes> inputs = sizes_or_literals(method, given);
  try {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Value& input = method.values[method.inputs[i].id];
      check_type("input " + input.name, input.type.dtype, inputs[i], input.type.scheme, input.type);
    }
    return bindings_of(method, inputs);
  } catch (Error& error) {
    throw error.in_op(method.name);
  }
}

Signature Executable::signature(std::string_view name) const {
  const Graph& graph = method(name);
  const auto index = static_cast<size_t>(&graph - program().graphs.data());
  Signature signature;
  for (const Ref input : graph.inputs) signature.inputs.push_back({graph.values[input.id].name, graph.type(input)});
  for (const Output& output : graph.outputs) signature.outputs.push_back({output.name, graph.type(output.value)});
  const std::vector<std::set<WeightId>> read = weights_read(program());
  for (const WeightId id : read[index]) {
    const Weight& weight = program().weights[id.id];
    signature.weights.push_back({weight.name, weight.type});
  }
  return signature;
}

std::vector<std::string> Executable::explain(std::string_view name) const {
  const bool is_graph = std::ranges::find(lowered().graphs, name, &Graph::name) != lowered().graphs.end();
  return compiled()->explain(is_graph ? id_of(lowered(), name) : id(method(name)));
}

std::vector<std::string> Executable::explain(GraphId graph) const { return compiled()->explain(graph); }

GraphCost Executable::cost(std::string_view name, const std::vector<Sizes>& inputs) const {
  return cost_under(name, bindings_for(method(name), inputs));
}

GraphCost Executable::cost_under(std::string_view name, const Bindings& bindings) const {
  const Program& program = lowered();
  const auto working_space = [&](GraphId graph) { return compiled()->working_space(graph, bindings); };
  return cost_of(program, *program.method(method(name).name), bindings, working_space);
}

std::vector<Shape> Executable::output_shapes(std::string_view name, const std::vector<Sizes>& inputs) const {
  const Graph& graph = method(name);
  const Bindings bindings = bindings_for(graph, inputs);
  std::vector<Shape> shapes;
  for (const Output& output : graph.outputs) {
    Shape& shape = shapes.emplace_back();
    for (const Dim& dim : graph.type(output.value).shape) shape.push_back(substitute(dim, bindings));
  }
  return shapes;
}

int64_t Executable::memory_needed(std::string_view name, const std::vector<Sizes>& inputs) const {
  const std::optional<int64_t> peak = cost(name, inputs).peak_bytes;
  if (!peak) throw Error(Code::unsupported, "data decide a size that has no bound").in_op(method(name).name);
  const Summary summary = summarize(program());
  int64_t bytes = *peak;
  for (const uint64_t more : {summary.weight_bytes, summary.state_bytes}) {
    if (__builtin_add_overflow(bytes, more, &bytes)) return std::numeric_limits<int64_t>::max();
  }
  return bytes;
}

}  // namespace ingot
