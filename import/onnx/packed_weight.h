// Weights that are quantised by blocks of the axis that products sum over, as packed tensors (docs/semantics.md).
//
// Threads    none involved. Failure  what reading a constant throws.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

inline int64_t blocks_in(int64_t size, int64_t block) { return size / block + (size % block != 0 ? 1 : 0); }

// Smaller blocks have more bits of scales than of codes.
inline bool is_block_size(int64_t size) { return size >= 16 && std::has_single_bit(static_cast<uint64_t>(size)); }

// Codes of `bits` bits [N, K], from the low bits of a row on; each row is whole blocks.
struct BlockedWeight {
  int64_t n, k, bits, block;

  int64_t blocks() const { return blocks_in(k, block); }
  // Bytes of a row, as the codes are given and as Ingot has them.
  size_t code_bytes() const { return static_cast<size_t>(blocks() * block * bits / 8); }
  size_t row_bytes() const { return static_cast<size_t>(blocks_in(k * bits, 8)); }
};

// The codes, row by row without the padding of the last block; `flip` is put over every byte.
void write_codes(const BlockedWeight& w, std::span<const std::byte> codes, std::byte flip, std::span<std::byte> to);

// scale·(q - zero) = scale·q + bias, with a scale and a zero point for each block.
Tensor affine_weight(const BlockedWeight& w, std::span<const std::byte> codes, const std::vector<double>& scales,
                     const std::vector<double>& zeros);

// The result of a DequantizeLinear whose operands are constants and which only products read, as `dequantize` of a packed
// weight. None where the blocks do not lie along the axis that these sum over, or are smaller than those.
std::optional<Var> unpacked_matrix(Node& node, int64_t axis, int64_t block, DType dtype);

}  // namespace ingot::onnx
