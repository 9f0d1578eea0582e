// Quantised ops of ONNX Runtime's domain.
#include <fmt/format.h>

#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/linear_quant.h"
#include "import/onnx/product.h"
#include "import/onnx/sizes.h"
#include "import/onnx/window.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

std::optional<Var> scalar_zero(Node& node, size_t i) {
  return node.has(i) ? std::optional(reshape(node.input(i), {})) : std::nullopt;
}

// Sets the output to y, quantised with the scale and zero point that are inputs; without one to `dtype`.
void set_quantized(Node& node, Var y, size_t scale, size_t zero, DType dtype) {
  node.set(0, quantized(y, reshape(node.input(scale), {}), scalar_zero(node, zero), dtype));
}

// ------------------------------------------------------------------------------------------------------- element-wise

template <BinaryFn fn>
void qlinear_binary(Node& node, GraphBuilder& graph) {
  const DType dtype = node.type(0).dtype;
  const std::vector<Var> operands = broadcastable({real_input(node, 0, 1, 2), real_input(node, 3, 4, 5)});
  const Var y = graph.add(op::Binary{.fn = fn, .a = operands[0].ref(), .b = operands[1].ref()})[0];
  set_quantized(node, y, 6, 7, dtype);
}

void qlinear_sigmoid(Node& node, GraphBuilder& graph) {
  set_quantized(node, graph.sigmoid(real_input(node, 0, 1, 2)), 3, 4, node.type(0).dtype);
}

void qlinear_leaky_relu(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha", 0.01F);
  set_quantized(node, graph.leaky_relu(real_input(node, 0, 1, 2), {.alpha = alpha}), 3, 4, node.type(0).dtype);
}

// Before version 13 of the op that it stands for all axes from `axis` on are one.
void qlinear_softmax(Node& node, GraphBuilder& graph) {
  const bool flat = node.integer("opset") < 13;
  const int64_t axis = axis_of(node, "axis", node.integer("axis", -1), node.rank(0));
  const Var x = real_input(node, 0, 1, 2);
  const auto shape = Shape(x.shape());
  Shape rows(shape.begin(), shape.begin() + axis);
  rows.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
  const Var y = flat ? reshape(graph.softmax(reshape(x, rows)), shape) : graph.softmax(x, {.axis = axis});
  set_quantized(node, y, 3, 4, node.type(0).dtype);
}

void qlinear_concat(Node& node, GraphBuilder& graph) {
  if (node.input_count() < 5 || node.input_count() % 3 != 2) {
    node.malformed("inputs", fmt::format("{}", node.input_count()), "two and then three for each part");
  }
  std::vector<Var> parts;
  for (size_t i = 2; i < node.input_count(); i += 3) parts.push_back(real_input(node, i, i + 1, i + 2));
  const int64_t axis = axis_of(node, "axis", node.integer("axis"), parts[0].type().rank());
  for (Var& part : parts) {
    Shape shape = parts[0].shape();
    if (part.shape().size() != shape.size()) continue;  // inference says so
    shape[static_cast<size_t>(axis)] = part.dim(axis);
    part = ensure(part, shape);
  }
  set_quantized(node, graph.concatenate(parts, {.axis = axis}), 0, 1, node.type(1).dtype);
}

// -------------------------------------------------------------------------------------------------------------- pools

// [N, spatial…, C] as [N, C, spatial…], or back.
Var channels_moved(Var x, bool to_front) {
  std::vector<int64_t> perm(x.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin() + 1, to_front ? perm.end() - 1 : perm.begin() + 2, perm.end());
  return x.graph().transpose(x, perm);
}

// f on x as [N, C, spatial…], wherever the file has the channels.
template <class F>
void qlinear_pool(Node& node, F f) {
  const bool last = node.flag("channels_last", false);
  const Var x = real_input(node, 0, 1, 2);
  if (x.type().rank() < 3) node.malformed("x", to_string(x.shape()), "[N, C, spatial…]");
  const Var y = f(last ? channels_moved(x, true) : x);
  set_quantized(node, last ? channels_moved(y, false) : y, 3, 4, node.type(0).dtype);
}

void qlinear_average_pool(Node& node, GraphBuilder&) {
  qlinear_pool(node, [&](Var x) { return average_pooled(node, x); });
}

void qlinear_global_average_pool(Node& node, GraphBuilder&) {
  qlinear_pool(node, [](Var x) {
    std::vector<int64_t> axes(x.shape().size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return x.graph().reduce_mean(x, axes, {.keepdims = true});
  });
}

// ----------------------------------------------------------------------------------------------------------- products

Var plus(Node& node, Var y, size_t bias) {
  return node.has(bias) ? y + broadcast_to(node.input(bias), Shape(y.shape())) : y;
}

void matmul_integer_to_float(Node& node, GraphBuilder&) {
  const Quantized a = quantized_input(node, 0, 2, 4), b = quantized_input(node, 1, 3, 5);
  const Var sums = integer_product(node, a.codes, b.codes, a.zero, b.zero);
  const DType dtype = a.scale.dtype();
  const Var y = as_dtype(sums, DType::f32) * as_dtype(reshape(a.scale, {}), DType::f32) *
                as_dtype(of_columns(b.scale), DType::f32);
  node.set(0, plus(node, as_dtype(y, dtype), 6));
}

void dynamic_quantize_matmul(Node& node, GraphBuilder&) {
  const Quantized a = dynamically_quantized(node.input(0)), b = quantized_input(node, 1, 2, 3);
  const Var sums = integer_product(node, a.codes, b.codes, a.zero, b.zero);
  node.set(0, plus(node, as_dtype(sums, DType::f32) * a.scale * of_columns(b.scale), 4));
}

// alpha·a'·b' + c, where c has the scale of the product
void quantized_gemm(Node& node, GraphBuilder& graph) {
  const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
  const double alpha = node.real("alpha", 1.0);
  const Quantized a = quantized_input(node, 0, 1, 2), b = quantized_input(node, 3, 4, 5);
  const auto turned = [&](Var x, bool really) { return really ? graph.transpose(x, {1, 0}) : x; };
  Var sums = integer_product(node, turned(a.codes, transpose_a), turned(b.codes, transpose_b), a.zero, b.zero);
  sums = plus(node, sums, 6);
  const Var scale = reshape(a.scale, {}) * of_columns(b.scale) * alpha;
  if (!node.has(7)) return node.set(0, as_dtype(sums, DType::f32) * scale);
  node.set(0, requantized(sums, scale, reshape(node.input(7), {}), scalar_zero(node, 8), node.type(8).dtype));
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr Handler rows[] = {
    {"DynamicQuantizeMatMul", 1, dynamic_quantize_matmul, microsoft},
    {"MatMulIntegerToFloat", 1, matmul_integer_to_float, microsoft},
    {"QGemm", 1, quantized_gemm, microsoft},
    {"QLinearAdd", 1, qlinear_binary<BinaryFn::add>, microsoft},
    {"QLinearAveragePool", 1, qlinear_average_pool, microsoft},
    {"QLinearConcat", 1, qlinear_concat, microsoft},
    {"QLinearGlobalAveragePool", 1, qlinear_global_average_pool, microsoft},
    {"QLinearLeakyRelu", 1, qlinear_leaky_relu, microsoft},
    {"QLinearMul", 1, qlinear_binary<BinaryFn::mul>, microsoft},
    {"QLinearSigmoid", 1, qlinear_sigmoid, microsoft},
    {"QLinearSoftmax", 1, qlinear_softmax, microsoft},
};

}  // namespace

std::span<const Handler> microsoft_quant_handlers() { return rows; }

}  // namespace ingot::onnx
