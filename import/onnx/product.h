// Products of matrices as NumPy has them, for the ops of several domains: leading axes broadcast, a vector on the left is
// a row, on the right a column, and its axis is gone from the result.
//
// Threads    none involved. Failure  what the builder throws; Code::bad_file for scalars.
#pragma once

#include <optional>

#include "import/onnx/node.h"

namespace ingot::onnx {

Var product(const Node& node, Var a, Var b);
// alpha·a'·b' + beta·c of the inputs 0, 1 and 2, as Gemm has them.
Var gemm(Node& node);
// (a - a_zero)·(b - b_zero) of 8-bit integers, in i32.
Var integer_product(const Node& node, Var a, Var b, std::optional<Var> a_zero, std::optional<Var> b_zero);

// Scales and zero points of a: one number, one for each row, or [..., M, 1]; of b: one, one for each column, [..., 1, N].
Var of_rows(Var parameter);
Var of_columns(Var parameter);

}  // namespace ingot::onnx
