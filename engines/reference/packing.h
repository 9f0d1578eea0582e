// Packing: the layout of a packed tensor and the arithmetic of its schemes, as docs/semantics.md gives them.
//
// Ownership  a Packing is the geometry alone; the bytes are the caller's.
// Threads    pure functions.
// Failure    `fit` throws Code::out_of_range for a group that its scheme cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "program/tensor.h"

namespace ingot::reference {

// What the elements of a group share, as it reads back: value = scale·q + bias.
struct Group {
  double scale = 0, bias = 0;
};

// Rows of `columns` elements, each with `groups` groups: all codes, then all scales, then all biases.
class Packing {
 public:
  // Precondition: the sizes and the scheme of a tensor that exists.
  Packing(const QuantScheme& scheme, const Sizes& sizes);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  // The elements of a row that share group g: `first` and the ones behind it.
  struct Range {
    int64_t first, size;
  };
  int64_t groups() const { return groups_; }
  Range range(int64_t g) const;

  Group load_group(std::span<const std::byte> bytes, int64_t row, int64_t g) const;
  void store_group(std::span<std::byte> bytes, int64_t row, int64_t g, const Group& group) const;
  uint64_t load_code(std::span<const std::byte> bytes, int64_t row, int64_t k) const;
  void store_code(std::span<std::byte> bytes, int64_t row, int64_t k, uint64_t code) const;

  // Element k of a row.
  double value(std::span<const std::byte> bytes, int64_t row, int64_t k) const;

 private:
  QuantScheme scheme_;
  int64_t rows_, columns_, groups_;
  int64_t row_bytes_;              // of codes
  int64_t scales_at_, biases_at_;  // bytes from the start
};

// Scale and bias of the group that holds `values`, rounded as they are stored.
Group fit(const QuantScheme& scheme, std::span<const double> values);
// The nearest code of x in a group, to even.
uint64_t nearest_code(const QuantScheme& scheme, const Group& group, double x);

}  // namespace ingot::reference
