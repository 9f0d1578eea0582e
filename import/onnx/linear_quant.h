// Linear quantisation, as the ops of several domains share it: x ≈ scale·(q - zero).
//
// Threads    none involved. Failure  what the builder throws; Code::bad_file from `spread`.
#pragma once

#include <optional>

#include "import/onnx/node.h"

namespace ingot::onnx {

// A scale or zero point so that it broadcasts to a tensor of the shape: one number, one for each slice along the axis,
// or (block > 0) one for each block of slices.
Var spread(const Node& node, Var parameter, const Shape& shape, int64_t axis, int64_t block = 0);

// saturate(round(x / scale) + zero), halves to even. Floats of 8 and 4 bits are not rounded to integers first.
Var quantized(Var x, Var scale, std::optional<Var> zero, DType dtype, bool saturate = true);
// (q - zero)·scale in f32.
Var dequantized(Var q, Var scale, std::optional<Var> zero);

// A quantised operand: its codes with scale and zero point behind them in the inputs of the node.
struct Quantized {
  Var codes, scale;
  std::optional<Var> zero;
};
Quantized quantized_input(Node& node, size_t codes, size_t scale, size_t zero);
// The numbers that it stands for. Parameters of one axis count along `axis`.
Var real_input(Node& node, size_t codes, size_t scale, size_t zero, int64_t axis = -1);

// max(x) … min(x) mapped to u8, as DynamicQuantizeLinear defines it.
Quantized dynamically_quantized(Var x);

// scale·accumulator as codes of the output: for products of integers.
Var requantized(Var accumulator, Var scale, Var output_scale, std::optional<Var> zero, DType dtype);

}  // namespace ingot::onnx
