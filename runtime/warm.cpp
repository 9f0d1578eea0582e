// Session::warm: calls with zeros, for what they leave behind.
#include <algorithm>
#include <utility>

#include "passes/operands.h"
#include "program/error.h"
#include "runtime/active_extent.h"
#include "runtime/hoisting.h"
#include "runtime/session_data.h"

namespace ingot {
namespace {

// Runs a call whose values mean nothing. What an op of the host throws is no matter of values.
template <class F>
void warmed(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    const bool by_values = error.code() == Code::out_of_range || error.code() == Code::invalid_argument;
    if (!by_values || error.node().empty() || error.op() == "custom") throw;
  }
}

// The graphs that a graph runs, and those that they run, once each.
void add_graphs(const Program& program, const Graph& graph, std::vector<GraphId>& graphs) {
  for (const Node& node : graph.nodes) {
    visit_graphs(node.op, [&](GraphId id) {
      if (std::ranges::find(graphs, id) != graphs.end()) return;
      graphs.push_back(id);
      add_graphs(program, program.graphs[id.id], graphs);
    });
  }
}

// Whether zeros may keep a call of it busy for ever.
bool may_not_end(const Program& program, const Graph& graph) {
  std::vector<GraphId> graphs;
  add_graphs(program, graph, graphs);
  const auto loops = [](const Graph& each) {
    return std::ranges::any_of(each.nodes, [](const Node& node) { return node.op.get_if<op::While>() != nullptr; });
  };
  return loops(graph) || std::ranges::any_of(graphs, [&](GraphId id) { return loops(program.graphs[id.id]); });
}

// Zeros for the inputs of a graph; none where a size is not known.
std::optional<std::vector<Tensor>> zeros_for(const Graph& graph, const Bindings& bindings) {
  std::vector<Tensor> zeros;
  for (const Ref input : graph.inputs) {
    std::optional<Sizes> sizes = known_sizes(graph.type(input).shape, bindings);
    if (!sizes) return {};
    zeros.push_back(zeros_of(graph.type(input), std::move(*sizes)));
  }
  return zeros;
}

// Calls a graph as a method that leaves the states alone.
void call_graph(CompiledProgram& compiled, GraphId id, const Bindings& bindings, const std::vector<Handle>& states) {
  const std::optional<std::vector<Tensor>> zeros = zeros_for(compiled.program().graphs[id.id], bindings);
  if (!zeros) return;
  const std::unique_ptr<Invocation> call = compiled.invocation(id);
  call->bindings = bindings;
  call->states = states;
  for (const Tensor& zero : *zeros) call->inputs.push_back(compiled.upload(zero));
  warmed([&] {
    compiled.start(*call);
    call->wait();
  });
  call->release();
}

}  // namespace

void Session::warm(const std::vector<Sizes>& given, std::string_view method) const {
  const Graph& graph = executable().method(method);
  const std::vector<Sizes> inputs = sizes_or_literals(graph, given);
  if (const ActiveExtent* active = settled().active.get(); active && active->method(graph.name).applies()) {
    std::vector<Sizes> few = inputs;
    for (size_t i = 0; i < std::min(few.size(), graph.inputs.size()); ++i) {
      const ActiveMethod& about = active->method(graph.name);
      if (has_more_rows(about, graph, i, few[i], data_->active_rows, active->upper)) few[i][0] = data_->active_rows;
    }
    return Session(active->executable).warm(few, graph.name);
  }
  executable_.output_shapes(graph.name, inputs);  // throws for sizes that are none of the method's
  std::vector<NamedTensor> zeros;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = graph.values[graph.inputs[i].id];
    zeros.push_back({input.name, zeros_of(input.type, inputs[i])});
  }
  CompiledProgram& compiled = *executable_.compiled();
  const Program& program = compiled.program();
  const Graph& lowered = program.graphs[executable_.id(graph).id];
  if (!may_not_end(program, lowered)) warmed([&] { fork().run(zeros, graph.name); });

  std::vector<GraphId> graphs;
  add_graphs(program, lowered, graphs);
  const Bindings bindings = bindings_of(graph, inputs);
  for (const GraphId id : graphs) {
    if (!may_not_end(program, program.graphs[id.id])) call_graph(compiled, id, bindings, states());
  }
}

}  // namespace ingot
