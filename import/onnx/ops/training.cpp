// Steps of optimisers (ai.onnx.preview.training). Inputs: the rate, the number of steps so far, then lists of tensors.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// The inputs behind the first two, as `kinds` lists of equal length; results go out in lists as well.
class Lists {
 public:
  Lists(Node& node, size_t kinds)
      : node_(node), count_((node.input_count() - std::min<size_t>(node.input_count(), 2)) / kinds) {
    if (node.input_count() != 2 + kinds * count_) {
      node.malformed("the number of inputs", fmt::format("{}", node.input_count()),
                     fmt::format("2 and a multiple of {}", kinds));
    }
  }
  size_t count() const { return count_; }
  Var in(size_t kind, size_t i) const { return node_.input(2 + kind * count_ + i); }
  void out(size_t kind, size_t i, Var value) const { node_.set(kind * count_ + i, value); }

 private:
  Node& node_;
  size_t count_;
};

// The rate, and how often a step was made, both as scalars of the rate's dtype.
Var rate_of(Node& node) { return as_scalar(node.input(0)); }
Var steps_of(Node& node, DType dtype) { return as_dtype(as_scalar(node.input(1)), dtype); }

// x - rate / (1 + decay·steps)·g / (sqrt(h) + epsilon), h the sum of squares so far
void adagrad(Node& node, GraphBuilder& graph) {
  const double decay = node.real("decay_factor", 0.0), norm = node.real("norm_coefficient", 0.0);
  const double epsilon = node.real("epsilon", 1e-6F);
  const Lists lists(node, 3);
  const Var rate = rate_of(node), r = rate / (1 + steps_of(node, rate.dtype()) * decay);
  for (size_t i = 0; i < lists.count(); ++i) {
    const Var x = lists.in(0, i), g = x * norm + lists.in(1, i), h = lists.in(2, i) + graph.square(g);
    lists.out(0, i, x - r * g / (graph.sqrt(h) + epsilon));
    lists.out(1, i, h);
  }
}

// x - rate·v / (sqrt(h) + epsilon) with running means v of g and h of g²; from the first step on the rate makes up for
// means that began at 0
void adam(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha", 0.9F), beta = node.real("beta", 0.999F),
               epsilon = node.real("epsilon", 1e-6F);
  const double norm = node.real("norm_coefficient", 0.0), norm_after = node.real("norm_coefficient_post", 0.0);
  const Lists lists(node, 4);
  const Var rate = rate_of(node), steps = steps_of(node, rate.dtype());
  const auto left = [&](double factor) { return 1 - graph.pow(graph.scalar(factor, rate.dtype()), steps); };
  const Var corrected = rate * graph.sqrt(left(beta)) / left(alpha);
  const Var r = graph.select(graph.gt(steps, graph.scalar(0, rate.dtype())), corrected, rate);
  for (size_t i = 0; i < lists.count(); ++i) {
    const Var x = lists.in(0, i), g = x * norm + lists.in(1, i);
    const Var v = lists.in(2, i) * alpha + g * (1 - alpha), h = lists.in(3, i) * beta + graph.square(g) * (1 - beta);
    lists.out(0, i, (x - r * (v / (graph.sqrt(h) + epsilon))) * (1 - norm_after));
    lists.out(1, i, v);
    lists.out(2, i, h);
  }
}

// x - rate·v with v = alpha·v + beta·g, at the first step alpha·v + g; nesterov: x - rate·(g + alpha·v)
void momentum(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha"), beta = node.real("beta"), norm = node.real("norm_coefficient");
  const bool nesterov = node.choice<bool>("mode", "", {{"standard", false}, {"nesterov", true}});
  const Lists lists(node, 3);
  const Var r = rate_of(node), steps = steps_of(node, r.dtype());
  const auto number = [&](double value) { return graph.scalar(value, r.dtype()); };
  const Var factor = graph.select(graph.gt(steps, number(0)), number(beta), number(1));
  for (size_t i = 0; i < lists.count(); ++i) {
    const Var x = lists.in(0, i), g = x * norm + lists.in(1, i), v = lists.in(2, i) * alpha + factor * g;
    lists.out(0, i, nesterov ? x - r * (g + v * alpha) : x - r * v);
    lists.out(1, i, v);
  }
}

constexpr std::string_view kDomain = "ai.onnx.preview.training";

constexpr Handler rows[] = {
    {"Adagrad", 1, adagrad, kDomain},
    {"Adam", 1, adam, kDomain},
    {"Momentum", 1, momentum, kDomain},
};

}  // namespace

std::span<const Handler> training_handlers() { return rows; }

}  // namespace ingot::onnx
