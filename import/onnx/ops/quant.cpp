// Quantisation and dequantisation.
#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/handlers.h"
#include "import/onnx/linear_quant.h"
#include "import/onnx/packed_weight.h"
#include "import/onnx/sizes.h"
#include "import/onnx/window.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// A zero point that is 0 everywhere adds nothing.
std::optional<Var> zero_point(Node& node, size_t i) {
  if (!node.has(i)) return std::nullopt;
  if (const auto known = node.find_constant(i)) {
    const bool numbers = known->dtype() != DType::c64;
    if (numbers && std::ranges::all_of(reals_of(*known), [](double x) { return x == 0; })) return std::nullopt;
  }
  return node.input(i);
}

// The dtype that an attribute names; 0 is the same as leaving it out.
std::optional<DType> named_dtype(Node& node, std::string_view attribute) {
  return node.integer(attribute, 0) == 0 ? std::nullopt : std::optional(node.dtype(attribute));
}

void quantize_linear(Node& node, GraphBuilder&) {
  const int64_t axis = node.integer("axis", 1), block = node.integer("block_size", 0);
  const bool saturate = node.flag("saturate", true);
  const std::optional<DType> named = named_dtype(node, "output_dtype"), precision = named_dtype(node, "precision");
  const DType dtype = node.has(2) ? node.type(2).dtype : named.value_or(DType::u8);
  if (named && *named != dtype) {
    node.malformed("output_dtype", std::string(to_string(*named)),
                   fmt::format("{}, that of the zero point", to_string(dtype)));
  }
  Var x = node.input(0);
  const auto shape = Shape(x.shape());
  Var scale = spread(node, node.input(1), shape, axis, block);
  std::optional<Var> zero = zero_point(node, 2);
  if (zero) zero = spread(node, *zero, shape, axis, block);
  if (precision) {
    x = as_dtype(x, *precision);
    scale = as_dtype(scale, *precision);
  }
  node.set(0, quantized(x, scale, zero, dtype, saturate));
}

void dequantize_linear(Node& node, GraphBuilder&) {
  const int64_t axis = node.integer("axis", 1), block = node.integer("block_size", 0);
  const DType dtype = named_dtype(node, "output_dtype").value_or(node.type(1).dtype);
  if (const auto matrix = unpacked_matrix(node, axis, block, dtype)) return node.set(0, *matrix);
  const Var q = node.input(0);
  const auto shape = Shape(q.shape());
  std::optional<Var> zero = zero_point(node, 2);
  if (zero) zero = spread(node, *zero, shape, axis, block);
  node.set(0, as_dtype(dequantized(q, spread(node, node.input(1), shape, axis, block), zero), dtype));
}

void dynamic_quantize_linear(Node& node, GraphBuilder&) {
  const Quantized y = dynamically_quantized(node.input(0));
  node.set(0, y.codes);
  node.set(1, y.scale);
  node.set(2, *y.zero);
}

// ----------------------------------------------------------------------------------------------------- convolutions

// A zero point of the weights: one number, or one for each output channel.
std::optional<Var> weight_zero(Node& node, size_t i) {
  if (!node.has(i)) return std::nullopt;
  const Var zero = node.input(i);
  return element_count(zero.shape()) == Dim(1) ? reshape(zero, {}) : zero;
}

std::optional<Var> scalar_zero(Node& node, size_t i) {
  return node.has(i) ? std::optional(reshape(node.input(i), {})) : std::nullopt;
}

void conv_integer(Node& node, GraphBuilder&) {
  node.set(0, integer_convolved(node, node.input(0), node.input(1), scalar_zero(node, 2), weight_zero(node, 3)));
}

// The bias has the scale of the sums, and zero point 0.
void qlinear_conv(Node& node, GraphBuilder&) {
  const Quantized x = quantized_input(node, 0, 1, 2), w = quantized_input(node, 3, 4, 5);
  Var sums = integer_convolved(node, x.codes, w.codes, scalar_zero(node, 2), weight_zero(node, 5));
  const Shape shape = sums.shape();
  if (node.has(8)) sums = sums + spread(node, node.input(8), shape, 1);
  const Var scale = reshape(x.scale, {}) * spread(node, w.scale, shape, 1);
  node.set(0, requantized(sums, scale, reshape(node.input(6), {}), scalar_zero(node, 7), node.type(7).dtype));
}

constexpr Handler rows[] = {
    {"ConvInteger", 10, conv_integer},
    {"DequantizeLinear", 10, dequantize_linear},
    {"DynamicQuantizeLinear", 11, dynamic_quantize_linear},
    {"QLinearConv", 10, qlinear_conv},
    {"QuantizeLinear", 10, quantize_linear},

    {"DequantizeLinear", 1, dequantize_linear, "com.microsoft"},
    {"QuantizeLinear", 1, quantize_linear, "com.microsoft"},
};

}  // namespace

std::span<const Handler> quant_handlers() { return rows; }

}  // namespace ingot::onnx
