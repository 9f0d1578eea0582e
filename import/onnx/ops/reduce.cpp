// Reductions and softmax.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// What is reduced: nothing listed means every axis, or none at all with noop_with_empty_axes.
struct Reduction {
  std::vector<int64_t> axes;
  bool keepdims = true;
  bool none = false;
};

Reduction reduction_of(Node& node) {
  Reduction r{.axes = {}, .keepdims = node.flag("keepdims", true), .none = node.flag("noop_with_empty_axes", false)};
  const auto listed = node.axes("axes", 1);
  if (listed) r.axes = axes_of(node, "axes", *listed, node.rank(0));
  if (!r.axes.empty()) r.none = false;
  if (r.axes.empty() && !r.none) {
    r.axes.resize(static_cast<size_t>(node.rank(0)));
    std::iota(r.axes.begin(), r.axes.end(), 0);
  }
  return r;
}

Var reduced(ReduceFn fn, Var x, const Reduction& r) {
  if (r.none) return x;
  return x.graph().add(op::Reduce{.fn = fn, .x = x.ref(), .axes = r.axes, .keepdims = r.keepdims, .dtype = {}})[0];
}

template <ReduceFn fn>
void reduce(Node& node, GraphBuilder&) {
  const Reduction r = reduction_of(node);
  node.set(0, reduced(fn, node.input(0), r));
}

// Sums of other functions of x, in the dtype that sums are computed in. With no axes the functions still apply.
using Map = Var (*)(Var x);
Var same(Var x) { return x; }
Var absolute(Var x) { return x.graph().abs(x); }
Var squared(Var x) { return x.graph().square(x); }
Var root(Var x) { return x.graph().sqrt(x); }
Var logarithm(Var x) { return x.graph().log(x); }

template <Map before, Map after>
void reduce_sum_of(Node& node, GraphBuilder&) {
  const Reduction r = reduction_of(node);
  const Var x = node.input(0);
  const Var sum = reduced(ReduceFn::sum, before(as_dtype(x, widened(x.dtype()))), r);
  node.set(0, as_dtype(after(sum), x.dtype()));
}

template <ArgReduceFn fn>
void arg_reduce(Node& node, GraphBuilder& graph) {
  const int64_t axis = axis_of(node, "axis", node.integer("axis", 0), node.rank(0));
  const bool keepdims = node.flag("keepdims", true), last = node.flag("select_last_index", false);
  const Var x = ensure_at_least(node.input(0), axis, 1);
  node.set(0, graph.add(op::ArgReduce{
                  .fn = fn, .x = x.ref(), .axis = axis, .keepdims = keepdims, .dtype = DType::i64, .last = last})[0]);
}

// Along an axis that an input names.
template <CumulateFn fn>
void cumulate(Node& node, GraphBuilder& graph) {
  const std::vector<int64_t> given = node.constant_integers(1);
  if (given.size() != 1) node.malformed("axis", fmt::format("{} numbers", given.size()), "one");
  const int64_t axis = axis_of(node, "axis", given[0], node.rank(0));
  const bool exclusive = node.flag("exclusive", false), reverse = node.flag("reverse", false);
  node.set(0, graph.add(op::Cumulate{.fn = fn,
                                     .x = node.input(0).ref(),
                                     .axis = axis,
                                     .exclusive = exclusive,
                                     .reverse = reverse,
                                     .dtype = {}})[0]);
}

// Before version 13 all axes from `axis` on are one.
template <bool log>
void softmax(Node& node, GraphBuilder& graph) {
  const bool flat = node.version() < 13;
  const int64_t axis = axis_of(node, "axis", node.integer("axis", flat ? 1 : -1), node.rank(0), flat);
  const Var x = node.input(0);
  Shape shape = x.shape();
  if (!flat || axis + 1 == node.rank(0)) return node.set(0, graph.softmax(x, {.axis = axis, .log = log}));
  Shape rows(shape.begin(), shape.begin() + axis);
  rows.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
  node.set(0, reshape(graph.softmax(reshape(x, rows), {.axis = -1, .log = log}), std::move(shape)));
}

constexpr Handler rows[] = {
    {"ArgMax", 1, arg_reduce<ArgReduceFn::max>},
    {"ArgMin", 1, arg_reduce<ArgReduceFn::min>},
    {"CumProd", 26, cumulate<CumulateFn::prod>},
    {"CumSum", 11, cumulate<CumulateFn::sum>},
    {"ReduceL1", 1, reduce_sum_of<absolute, same>},
    {"ReduceL2", 1, reduce_sum_of<squared, root>},
    {"ReduceLogSum", 1, reduce_sum_of<same, logarithm>},
    {"ReduceLogSumExp", 1, reduce<ReduceFn::logsumexp>},
    {"ReduceMax", 1, reduce<ReduceFn::max>},
    {"ReduceMean", 1, reduce<ReduceFn::mean>},
    {"ReduceMin", 1, reduce<ReduceFn::min>},
    {"ReduceProd", 1, reduce<ReduceFn::prod>},
    {"ReduceSum", 1, reduce<ReduceFn::sum>},
    {"ReduceSumSquare", 1, reduce_sum_of<squared, same>},
    {"LogSoftmax", 1, softmax<true>},
    {"Softmax", 1, softmax<false>},
};

}  // namespace

std::span<const Handler> reduce_handlers() { return rows; }

}  // namespace ingot::onnx
