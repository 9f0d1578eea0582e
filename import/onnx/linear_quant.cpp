#include "import/onnx/linear_quant.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

bool is_float(DType dtype) {
  return dtype == DType::f8e4m3 || dtype == DType::f8e5m2 || dtype == DType::f8e8m0 || dtype == DType::f4e2m1;
}

Var blocks(const Node& node, Var parameter, const Shape& shape, int64_t axis, int64_t block) {
  if (parameter.shape().size() != shape.size()) {
    node.malformed("rank of a blocked scale", fmt::format("{}", parameter.shape().size()),
                   fmt::format("{}", shape.size()));
  }
  const Dim& size = shape[static_cast<size_t>(axis)];
  // A block beyond the axis is the axis: nothing is repeated only to be cut off.
  if (size.is_literal()) block = std::min(block, std::max<int64_t>(size.literal(), 1));
  if (kind(parameter.dtype()) == Kind::storage) parameter = as_dtype(parameter, DType::f32);
  Var each = parameter.graph().repeat(parameter, block, {.axis = axis});
  each = ensure_at_least(each, axis, size);
  return stretchable(each.graph().slice(each, {axis}, {0}, {size}), shape);
}

}  // namespace

Var spread(const Node& node, Var parameter, const Shape& shape, int64_t axis, int64_t block) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (block < 0) node.malformed("block_size", fmt::format("{}", block), "0 or more");
  if (element_count(parameter.shape()) == Dim(1) && block == 0) return reshape(parameter, {});
  axis = rank == 1 ? 0 : axis_of(node, "axis", axis, rank);
  if (block > 0) return blocks(node, parameter, shape, axis, block);
  if (parameter.shape().size() != 1) {
    node.malformed("shape of a scale or zero point", to_string(parameter.shape()), "a scalar or one axis");
  }
  Shape along(static_cast<size_t>(rank - axis), 1);
  along[0] = shape[static_cast<size_t>(axis)];
  return reshape(parameter, along);
}

Var quantized(Var x, Var scale, std::optional<Var> zero, DType dtype, bool saturate) {
  GraphBuilder& graph = x.graph();
  Var y = graph.div(x, scale);
  if (!is_float(dtype)) y = graph.round(y);
  y = as_dtype(y, widened(y.dtype()));
  if (zero) y = y + as_dtype(*zero, y.dtype());
  return graph.cast(y, dtype, {.saturate = saturate && dtype != DType::f8e8m0});
}

Var dequantized(Var q, Var scale, std::optional<Var> zero) {
  Var x = as_dtype(q, DType::f32);
  if (zero) x = x - as_dtype(*zero, DType::f32);
  return x * as_dtype(scale, DType::f32);
}

Quantized quantized_input(Node& node, size_t codes, size_t scale, size_t zero) {
  return {node.input(codes), node.input(scale), node.optional_input(zero)};
}

Var real_input(Node& node, size_t codes, size_t scale, size_t zero, int64_t axis) {
  Quantized in = quantized_input(node, codes, scale, zero);
  const auto shape = Shape(in.codes.shape());
  if (in.zero) in.zero = spread(node, *in.zero, shape, axis);
  return dequantized(in.codes, spread(node, in.scale, shape, axis), in.zero);
}

Quantized dynamically_quantized(Var x) {
  GraphBuilder& graph = x.graph();
  std::vector<int64_t> axes(x.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  const Var none = graph.scalar(0.0, x.dtype());
  const Var high = graph.max(graph.reduce_max(x, axes), none), low = graph.min(graph.reduce_min(x, axes), none);
  const Var scale = graph.select(graph.eq(high, low), graph.scalar(1.0, x.dtype()), (high - low) / 255.0);
  const Var zero = graph.cast(graph.round(-low / scale), DType::u8, {.saturate = true});
  return {quantized(x, scale, zero, DType::u8), scale, zero};
}

Var requantized(Var accumulator, Var scale, Var output_scale, std::optional<Var> zero, DType dtype) {
  const Var factor = scale / output_scale;
  const Var y = as_dtype(accumulator, DType::f32) * factor;
  return quantized(y, y.graph().scalar(1.0, DType::f32), zero, dtype);
}

}  // namespace ingot::onnx
