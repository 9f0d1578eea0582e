// Branches: If as Ingot's `if`.
#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/handlers.h"
#include "import/onnx/patterns.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

void run_in_place(Node& node, const GraphProto& branch) {
  const std::vector<Value> values = node.run(branch, {}, node.body());
  for (size_t i = 0; i < values.size(); ++i) node.set(i, values[i]);
}

// The two graphs of an If, and the results of its branches in them.
struct Branches {
  Branches(Node& node, const GraphProto& on_true, const GraphProto& on_false)
      : bodies(node.scope().context().program, node.body()),
        first(bodies.add(node.add_graph("then"))),
        second(bodies.add(node.add_graph("else"))),
        firsts(results_of(node, on_true, first)),
        seconds(results_of(node, on_false, second)) {
    if (firsts.size() == seconds.size()) return;
    node.malformed("the branches", fmt::format("with {} and {} outputs", firsts.size(), seconds.size()),
                   "as many each");
  }
  static std::vector<Var> results_of(Node& node, const GraphProto& branch, Body& body) {
    std::vector<Var> results;
    for (const Value& value : node.run(branch, {}, body)) results.push_back(node.as_var(value, body));
    return results;
  }
  std::vector<Var> run(GraphBuilder& graph, Var condition) const {
    return graph.if_(condition, first.graph().id(), second.graph().id(), {.captures = bodies.captures()});
  }

  Bodies bodies;
  Body &first, &second;
  std::vector<Var> firsts, seconds;
};

// An axis of a result whose size depends on the branch.
struct OpenAxis {
  size_t result, axis;
  Dim first, second;  // in the branches
  bool inside;        // data inside of a branch decide
};

std::vector<OpenAxis> open_axes(const Branches& branches) {
  std::vector<OpenAxis> axes;
  for (size_t i = 0; i < branches.firsts.size(); ++i) {
    const Shape first = branches.firsts[i].shape(), second = branches.seconds[i].shape();
    if (first.size() != second.size()) {
      throw Unsupported(fmt::format("result {} is of rank {} or {}", i, first.size(), second.size()));
    }
    for (size_t axis = 0; axis < first.size(); ++axis) {
      const bool inside = branches.first.binds_in(first[axis]) || branches.second.binds_in(second[axis]);
      if (inside || equal(first[axis], second[axis]) != Proof::yes) {
        axes.push_back({i, axis, first[axis], second[axis], inside});
      }
    }
  }
  return axes;
}

// Where both sizes are known around the branches the condition picks one: a symbol for each pair of sizes.
void pick_sizes(Node& node, GraphBuilder& graph, Var condition, std::span<const OpenAxis> open,
                std::vector<Shape>& shapes) {
  for (size_t k = 0; k < open.size(); ++k) {
    if (open[k].inside) continue;
    const auto same = std::ranges::find_if(open.first(k), [&](const OpenAxis& before) {
      return !before.inside && before.first == open[k].first && before.second == open[k].second;
    });
    Dim& size = shapes[open[k].result][open[k].axis];
    if (same != open.begin() + static_cast<std::ptrdiff_t>(k)) {
      size = shapes[same->result][same->axis];
    } else {
      size = node.bind_size(graph.select(condition, graph.size_of(open[k].first), graph.size_of(open[k].second)));
    }
  }
}

// Sizes that only a branch knows are asked of it.
void ask_sizes(Node& node, GraphBuilder& graph, Var condition, const Branches& branches, std::span<const OpenAxis> open,
               std::vector<Shape>& shapes) {
  std::vector<Dim*> asked;
  for (const OpenAxis& axis : open) {
    if (!axis.inside) continue;
    const std::string name = fmt::format("size{}_{}", axis.result, axis.axis);
    branches.first.graph().output(name, branches.first.graph().size_of(axis.first));
    branches.second.graph().output(name, branches.second.graph().size_of(axis.second));
    asked.push_back(&shapes[axis.result][axis.axis]);
  }
  const std::vector<Var> sizes = branches.run(graph, condition);
  for (size_t k = 0; k < asked.size(); ++k) *asked[k] = node.bind_size(sizes[k]);
}

void if_handler(Node& node, GraphBuilder& graph) {
  const GraphProto &on_true = node.subgraph("then_branch"), &on_false = node.subgraph("else_branch");
  if (const auto known = node.find_constant(0)) {
    return run_in_place(node, scalar_of(*known).bits != 0 ? on_true : on_false);
  }
  if (is_open_squeeze(node, on_true, on_false)) return run_in_place(node, on_true);
  const Var condition = as_scalar(node.input(0));
  std::optional<Branches> branches(std::in_place, node, on_true, on_false);
  std::vector<Shape> shapes;
  for (const Var& result : branches->firsts) shapes.push_back(result.shape());
  const std::vector<OpenAxis> open = open_axes(*branches);
  pick_sizes(node, graph, condition, open, shapes);
  if (std::ranges::any_of(open, &OpenAxis::inside)) {
    ask_sizes(node, graph, condition, *branches, open, shapes);
    branches.emplace(node, on_true, on_false);  // which run again, with results of these sizes
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    branches->first.graph().output(fmt::format("y{}", i), ensure(branches->firsts[i], shapes[i]));
    branches->second.graph().output(fmt::format("y{}", i), ensure(branches->seconds[i], shapes[i]));
  }
  const std::vector<Var> results = branches->run(graph, condition);
  for (size_t i = 0; i < results.size(); ++i) node.set(i, results[i]);
}

constexpr Handler rows[] = {
    {"If", 1, if_handler},
};

}  // namespace

std::span<const Handler> control_handlers() { return rows; }

}  // namespace ingot::onnx
