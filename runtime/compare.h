// Comparison of tensors, as `--expect` and the tests make it: dtype and shape exactly, values within a tolerance.
//
// Threads    a pure function.
#pragma once

#include <cstdint>
#include <string>

#include "program/tensor.h"

namespace ingot {

// |actual - expected| <= atol + rtol·|expected|. NaN equals NaN, an infinity only itself. Integers, bool and packed
// bytes are compared exactly.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
};

struct Comparison {
  bool equal = false;
  int64_t differing = 0;  // elements outside the tolerance
  // Of the elements that are finite on both sides: |actual - expected|, the largest, the mean, and relative to expected.
  double max_error = 0, mean_error = 0, max_relative_error = 0;
  std::string difference;  // one sentence; empty when equal
};

Comparison compare(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance = {});
// The first part of it, before any element is read.
Comparison compare_types(const TensorType& actual, const TensorType& expected);

}  // namespace ingot
