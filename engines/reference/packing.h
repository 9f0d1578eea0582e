// Packing: the layout of a packed tensor and the arithmetic of its schemes, as docs/semantics.md gives them.
//
// Ownership  a Packing is the geometry alone; the bytes are the caller's.
// Threads    pure functions.
// Failure    `store_row` throws Code::out_of_range for numbers that the scheme cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "program/tensor.h"

namespace ingot::reference {

// Rows of `columns` elements: all codes, then all scales, then all biases; or the blocks of all rows.
class Packing {
 public:
  // Precondition: the sizes and the scheme of a tensor that exists.
  Packing(const QuantScheme& scheme, const Sizes& sizes);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  // Element k of a row.
  double value(std::span<const std::byte> bytes, int64_t row, int64_t k) const;
  // A whole row, as `quantize` packs it. Precondition: all bytes of the row are 0; facts(method).searched is not set.
  void store_row(std::span<std::byte> bytes, int64_t row, std::span<const double> values) const;

 private:
  // What the elements of a group share, as it reads back: value = scale·q + bias.
  struct Group {
    double scale = 0, bias = 0;
  };

  Group load_group(std::span<const std::byte> bytes, int64_t row, int64_t g) const;
  void store_group(std::span<std::byte> bytes, int64_t row, int64_t g, const Group& group) const;
  uint64_t load_code(std::span<const std::byte> bytes, int64_t row, int64_t k) const;
  void store_code(std::span<std::byte> bytes, int64_t row, int64_t k, uint64_t code) const;
  // Scale and bias of the group that holds `values`, rounded as they are stored.
  Group fit(std::span<const double> values) const;
  // The nearest code of x in a group, to even.
  uint64_t nearest_code(const Group& group, double x) const;

  QuantScheme scheme_;
  int64_t rows_, columns_, groups_;
  int64_t row_bytes_;              // of codes, or of blocks
  int64_t scales_at_, biases_at_;  // bytes from the start
};

// A number of a group, a scale mostly, as it reads back from this dtype. Throws unless that is finite.
double held_by(DType dtype, std::string_view what, double x);

}  // namespace ingot::reference
