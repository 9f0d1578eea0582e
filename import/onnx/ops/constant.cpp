// Constants, and ops that make or pass on values without computing.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

template <class T>
Tensor scalar_tensor(T value) {
  return Tensor::of<T>({}, {value});
}

template <class T, class From>
Tensor list_tensor(const std::vector<From>& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, std::vector<T>(values.begin(), values.end()));
}

Tensor constant_value(Node& node) {
  if (auto tensor = node.tensor("value")) return *tensor;
  if (auto tensor = node.tensor("sparse_value")) return *tensor;
  if (node.has("value_float")) return scalar_tensor(static_cast<float>(node.real("value_float")));
  if (node.has("value_int")) return scalar_tensor(node.integer("value_int"));
  if (const auto list = node.reals("value_floats")) return list_tensor<float>(*list);
  if (const auto list = node.integers("value_ints")) return list_tensor<int64_t>(*list);
  throw Unsupported("the constant is a string");
}

// It gets the name of its output, as an initializer would; a single number stays without.
void constant(Node& node, GraphBuilder&) {
  Tensor tensor = constant_value(node);
  const bool number = tensor.elements() == 1;
  node.set(0, Constant{std::move(tensor), number || !node.wants(0) ? "" : std::string(node.proto().output[0])});
}

void constant_of_shape(Node& node, GraphBuilder& graph) {
  const auto value = node.tensor("value");
  if (value && value->elements() != 1) node.malformed("attribute value", to_string(value->type()), "one element");
  const DType dtype = value ? value->dtype() : DType::f32;
  node.set(0, graph.full(node.dims(0), value ? scalar_of(*value) : Scalar(0.0), {.dtype = dtype}));
}

void identity(Node& node, GraphBuilder&) { node.set(0, node.value(0)); }

// How many steps lead from start to the limit, which they do not reach.
int64_t steps_between(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (!(count < 1e15)) throw Unsupported(fmt::format("it would have {} elements", count));
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

// How many steps that is where the numbers are data: the program works it out.
Dim bound_steps(Node& node, GraphBuilder& graph) {
  const bool exact = is_integer(node.type(0).dtype);
  const DType wide = exact ? DType::i64 : DType::f64;
  const auto number = [&](size_t i) { return as_dtype(as_scalar(node.input(i)), wide); };
  const Var distance = number(1) - number(0), delta = number(2);
  // What is rounded up is the negative of the negative rounded down.
  const Var count = exact ? -graph.floor_div(-distance, delta) : graph.cast(graph.ceil(distance / delta), DType::i64);
  return node.bind_size(graph.max(count, graph.scalar(0, DType::i64)));
}

Var range_of_data(Node& node, GraphBuilder& graph, DType dtype) {
  const Var steps = graph.iota(bound_steps(node, graph), {.dtype = dtype});
  return as_scalar(node.input(0)) + steps * as_scalar(node.input(2));
}

Var real_range(Node& node, GraphBuilder& graph, DType dtype) {
  const double start = node.constant_scalar(0).as_real(), limit = node.constant_scalar(1).as_real();
  const double delta = node.constant_scalar(2).as_real();
  return graph.iota(steps_between(start, limit, delta), {.dtype = dtype, .start = start, .step = delta});
}

// start + i·delta for i below (limit - start) / delta, rounded up
void range(Node& node, GraphBuilder& graph) {
  const DType dtype = node.type(0).dtype;
  const auto known = [&](size_t i) { return node.find_constant(i) || node.find_dims(i); };
  if (!known(0) || !known(1) || !known(2)) return node.set(0, range_of_data(node, graph, dtype));
  if (!is_integer(dtype)) return node.set(0, real_range(node, graph, dtype));
  const Dim start = node.dim(0), limit = node.dim(1), delta = node.dim(2);
  if (!delta.is_literal()) return node.set(0, range_of_data(node, graph, dtype));
  const int64_t step = delta.literal();
  if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
    node.malformed("delta", fmt::format("{}", step), "another number");
  }
  const Dim distance = step > 0 ? limit - start : start - limit;
  const Dim length = max(ceil_div(distance, step > 0 ? step : -step), 0);
  if (start.is_literal()) {
    return node.set(0, graph.iota(length, {.dtype = dtype, .start = start.literal(), .step = step}));
  }
  const Var first = node.input(0);
  node.set(0, graph.iota(length, {.dtype = dtype, .step = step}) + as_scalar(first));
}

constexpr Handler rows[] = {
    {"Constant", 1, constant},
    {"ConstantOfShape", 9, constant_of_shape},
    {"Identity", 1, identity},
    {"Range", 11, range},
};

}  // namespace

std::span<const Handler> constant_handlers() { return rows; }

}  // namespace ingot::onnx
