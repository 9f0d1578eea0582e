// Reductions and softmax.
#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// What is reduced: nothing listed means every axis, or none at all with noop_with_empty_axes.
struct Reduction {
  std::vector<int64_t> axes;
  bool keepdims = true;
  bool none = false;
  std::optional<Var> named = {};  // where the axes are data: which ones
  int64_t kept = 0;               // then, without keepdims, how many stay
};

Reduction reduction_over_data(Node& node, Reduction r) {
  GraphBuilder& graph = node.graph();
  const int64_t rank = node.rank(0);
  if (!r.keepdims) {
    r.kept = rank - node.length(1);  // which must be known: it says the rank of the result
    if (r.kept < 0) node.malformed("axes", fmt::format("{} numbers", node.length(1)), fmt::format("at most {}", rank));
  }
  const RuntimeAxes axes = runtime_axes(node, 1, rank);
  r.named = axes.named;
  if (!r.none) {
    const Var count = graph.size_of(axes.places.dim(0));
    r.named = graph.logical_or(axes.named, graph.eq(count, graph.scalar(0, DType::i64)));
  }
  return r;
}

Reduction reduction_of(Node& node) {
  Reduction r{.axes = {}, .keepdims = node.flag("keepdims", true), .none = node.flag("noop_with_empty_axes", false)};
  if (is_data(node, 1)) return reduction_over_data(node, r);
  const auto listed = node.axes(1);
  if (listed) r.axes = axes_of(node, "axes", *listed, node.rank(0));
  if (!r.axes.empty()) r.none = false;
  if (r.axes.empty() && !r.none) {
    r.axes.resize(static_cast<size_t>(node.rank(0)));
    std::iota(r.axes.begin(), r.axes.end(), 0);
  }
  return r;
}

Var reduced(Node& node, ReduceFn fn, Var x, const Reduction& r) {
  if (r.named) {
    const Var rows = as_rows(node, x, *r.named);
    const Var y = x.graph().add(op::Reduce{.fn = fn, .x = rows.ref(), .axes = {1}, .keepdims = false, .dtype = {}})[0];
    const Shape shape = node.type(0).shape;
    return reshape(y,
                   r.keepdims ? replaced_sizes(node, shape, *r.named, 1) : kept_sizes(node, shape, *r.named, r.kept));
  }
  if (r.none) return x;
  return x.graph().add(op::Reduce{.fn = fn, .x = x.ref(), .axes = r.axes, .keepdims = r.keepdims, .dtype = {}})[0];
}

template <ReduceFn fn>
void reduce(Node& node, GraphBuilder&) {
  const Reduction r = reduction_of(node);
  node.set(0, reduced(node, fn, node.input(0), r));
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
  const Var sum = reduced(node, ReduceFn::sum, before(as_dtype(x, widened(x.dtype()))), r);
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
  const bool exclusive = node.flag("exclusive", false), reverse = node.flag("reverse", false);
  const auto along = [&](Var x, int64_t axis) {
    return graph.add(
        op::Cumulate{.fn = fn, .x = x.ref(), .axis = axis, .exclusive = exclusive, .reverse = reverse, .dtype = {}})[0];
  };
  const Var x = node.input(0);
  if (!is_data(node, 1)) {
    return node.set(0, along(x, axis_of(node, "axis", node.constant_integer(1), node.rank(0))));
  }
  const Shape shape = node.type(0).shape;
  const RuntimeAxis axis = runtime_axis(node, 1, shape, node.rank(0));
  node.set(0, reshape(along(reshape(x, {axis.before, axis.size, axis.after}), 1), shape));
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
