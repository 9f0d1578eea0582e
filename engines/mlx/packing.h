// Packing: packed tensors as numbers and back, by MLX's operations on their bytes. docs/semantics.md has the layouts.
//
// Threads    as Frame.
// Failure    guards with Code::out_of_range for numbers that a scheme cannot hold.
#pragma once

#include <optional>
#include <string>

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// A packed tensor of so many rows. Every group of neighbours has one scale: value = scale·code + bias.
struct Unpacked {
  array codes;                  // [rows, groups, size]: integers or levels; a short last group is filled up
  array scales;                 // [rows, groups, 1]
  std::optional<array> biases;  // likewise
};

// Numbers are in `dtype`, f32 or f64. Precondition: the tensor has elements.
Unpacked unpack(Frame& frame, const array& bytes, const QuantScheme& scheme, const Sizes& sizes, DType dtype);
// scale·code + bias, [rows, columns]
array values_of(const Unpacked& unpacked, int columns, mx::Stream s);

// The bytes of `quantize`. Precondition: x has elements; facts(method).searched is not set.
array quantized(Frame& frame, const array& x, const QuantScheme& scheme, const Sizes& sizes);

// ---------------------------------------------------------------------------------------------------------- elements

// Rows of codes, `bits` each from the low bit of the first byte on: [rows, bytes] to u8[rows, columns] and back.
array unpacked_codes(const array& rows, int bits, int columns, mx::Stream s);
array packed_codes(const array& codes, int bits, mx::Stream s);

// The bytes from `start` on, as `count` elements.
array elements_at(const array& bytes, int64_t start, int64_t count, DType dtype, mx::Stream s);

// The dtype that `quantize` computes in: f64 where the device has it.
DType fitting_dtype(const Frame& frame);
// x as this dtype holds it. Fails the call unless that is finite: "`what` of a group is …, expected …".
array held_by(Frame& frame, const array& x, DType from, DType to, std::string what);
// Fails the call unless every element is finite.
void require_finite(Frame& frame, const array& x);
// The integer nearest (x - bias) / scale, of two the even one; f32 or f64, with scale > 0. Exact up to 8 bits.
array nearest_multiple(const array& x, const array& scale, const std::optional<array>& bias, mx::Stream s);
// The place of the level nearest each element, of two the lower.
array nearest_level(const array& x, const array& levels, mx::Stream s);

}  // namespace ingot::mlx_engine
