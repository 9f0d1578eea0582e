// Weights of ONNX Runtime's domain that are quantised by blocks of their last axis. Codes of a row follow each other from
// the low bits on, as in Ingot's packed tensors.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/linear_quant.h"
#include "import/onnx/packed_weight.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// -------------------------------------------------------------------------------------------------------- MatMulNBits

BlockedWeight weight_of(Node& node) {
  const BlockedWeight w{node.integer("N"), node.integer("K"), node.integer("bits", 4), node.integer("block_size")};
  constexpr int64_t kMost = int64_t{1} << 31;
  if (w.n < 1 || w.k < 1 || w.n > kMost || w.k > kMost) {
    node.malformed("N and K", fmt::format("{} and {}", w.n, w.k), "sizes of a matrix");
  }
  if (w.bits != 2 && w.bits != 4 && w.bits != 8) throw Unsupported(fmt::format("attribute bits is {}", w.bits));
  if (!is_block_size(w.block) || w.block > kMost) {
    node.malformed("block_size", fmt::format("{}", w.block), "a power of two from 16 on");
  }
  return w;
}

Tensor constant_of(Node& node, size_t i, int64_t elements) {
  Tensor tensor = node.constant(i);
  if (tensor.elements() != elements) {
    node.malformed(fmt::format("input {}", i), to_string(tensor.type()), fmt::format("{} elements", elements));
  }
  return tensor;
}

// Without zero points a code q stands for q - 2^(bits-1): two's complement once its highest bit is turned over.
Tensor symmetric_weight(Node& node, const BlockedWeight& w, const Tensor& codes, const Tensor& scales) {
  if (scales.dtype() == DType::f64) node.malformed("scales", to_string(scales.type()), "f16, bf16 or f32");
  const std::byte flip{static_cast<uint8_t>(w.bits == 8 ? 0x80 : w.bits == 4 ? 0x88 : 0xAA)};
  Tensor packed = Tensor::allocate(DType::packed, {w.n, w.k},
                                   QuantScheme{.method = QuantMethod::symmetric,
                                               .bits = static_cast<uint8_t>(w.bits),
                                               .group = static_cast<uint32_t>(w.block),
                                               .scale = scales.dtype()});
  const std::span<std::byte> to = packed.mutable_bytes();
  write_codes(w, codes.bytes(), flip, to);
  std::ranges::copy(scales.bytes(), to.subspan(static_cast<size_t>(w.n) * w.row_bytes()).begin());
  return packed;
}

// One for each block; the file packs them like codes, or gives them as reals.
std::vector<double> zero_points(Node& node, const BlockedWeight& w) {
  const Tensor given = node.constant(3);
  const int64_t blocks = w.blocks(), row = blocks_in(blocks * w.bits, 8);
  if (given.dtype() != DType::u8 && !is_real(given.dtype())) {
    node.malformed("zero_points", to_string(given.type()), "u8 or reals");
  }
  if (given.dtype() != DType::u8) return reals_of(constant_of(node, 3, w.n * blocks));
  const auto bytes = constant_of(node, 3, w.n * row).bytes();
  std::vector<double> zeros;
  for (int64_t n = 0; n < w.n; ++n) {
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t bit = block * w.bits;
      const auto byte = std::to_integer<uint32_t>(bytes[static_cast<size_t>(n * row + bit / 8)]);
      zeros.push_back((byte >> (bit % 8)) & ((1U << w.bits) - 1));
    }
  }
  return zeros;
}

void matmul_n_bits(Node& node, GraphBuilder& graph) {
  node.ignore("accuracy_level", "it allows less precision, and asks for none");
  if (const int64_t layout = node.integer("weight_prepacked", 0); layout != 0) {
    throw Unsupported(fmt::format("attribute weight_prepacked is {}", layout));
  }
  const BlockedWeight w = weight_of(node);
  const Tensor codes = constant_of(node, 1, w.n * static_cast<int64_t>(w.code_bytes()));
  const Tensor scales = constant_of(node, 2, w.n * w.blocks());
  if (codes.dtype() != DType::u8) node.malformed("B", to_string(codes.type()), "u8");
  if (!is_real(scales.dtype())) node.malformed("scales", to_string(scales.type()), "reals");
  const Tensor packed = node.has(3) ? affine_weight(w, codes.bytes(), reals_of(scales), zero_points(node, w))
                                    : symmetric_weight(node, w, codes, scales);
  const Var x = node.input(0);
  const Var weight = node.as_var(Constant{packed, std::string(node.proto().input[1])});
  Var y = graph.quantized_matmul(ensure_size(x, x.type().rank() - 1, w.k), weight);
  if (node.has(5)) y = y + ensure(node.input(5), {w.n});
  node.set(0, y);
}

// ------------------------------------------------------------------------------------------------ GatherBlockQuantized

// Bytes along the last axis as codes of `bits` bits each, of which the first `count` are meant.
Var unpacked(Var bytes, int64_t bits, const Dim& count) {
  if (bits == 8) return bytes;
  GraphBuilder& graph = bytes.graph();
  const int64_t each = 8 / bits, last = bytes.type().rank();
  std::vector<Var> parts;
  for (int64_t i = 0; i < each; ++i) {
    const Var moved = graph.shift_right(bytes, graph.scalar(i * bits, DType::u8));
    parts.push_back(unsqueeze(graph.bitwise_and(moved, graph.scalar((1 << bits) - 1, DType::u8)), {last}));
  }
  Shape shape = bytes.shape();
  shape.back() = shape.back() * each;
  const Var all = reshape(graph.concatenate(parts, {.axis = last}), shape);
  if (equal(all.dim(-1), count) == Proof::yes) return all;
  return graph.slice(ensure_at_least(all, last - 1, count), {last - 1}, {0}, {count});
}

// Rows of the table and of its scales are gathered, then put together.
void gather_block_quantized(Node& node, GraphBuilder& graph) {
  const int64_t rank = node.rank(0), block = node.integer("block_size", 128), bits = node.integer("bits", 4);
  const int64_t axis = axis_of(node, "gather_axis", node.integer("gather_axis", 0), rank);
  const int64_t quantized_axis = axis_of(node, "quantize_axis", node.integer("quantize_axis", 1), rank);
  if (axis != 0 || quantized_axis != rank - 1 || rank < 2)
    throw Unsupported("it gathers or quantises along another axis");
  const DType dtype = node.type(0).dtype;
  const bool packed = dtype == DType::u8;
  if (!packed && dtype != DType::i4 && dtype != DType::u4) {
    throw Unsupported(fmt::format("the table is of {}", to_string(dtype)));
  }
  if (packed && bits != 2 && bits != 4 && bits != 8) throw Unsupported(fmt::format("attribute bits is {}", bits));
  if (block < 16) throw Unsupported(fmt::format("attribute block_size is {}", block));
  const Var indices = node.input(1), scales = graph.take(node.input(2), indices);
  const auto rows = [&](Var table, const Dim& count) {
    if (packed) return unpacked(graph.take(table, indices), bits, count);
    return graph.take(as_dtype(table, DType::i8), indices);
  };
  const Dim size = packed ? node.type(0).shape.back() * (8 / bits) : node.type(0).shape.back();
  const Var codes = rows(node.input(0), size);
  std::optional<Var> zero;
  if (node.has(3)) zero = rows(node.input(3), scales.dim(-1));
  if (!zero && packed) zero = graph.full(Shape(scales.shape()), 1 << (bits - 1), {.dtype = DType::u8});
  const auto shape = Shape(codes.shape());
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  if (zero) zero = spread(node, *zero, shape, last, block);
  node.set(0, as_dtype(dequantized(codes, spread(node, scales, shape, last, block), zero), scales.dtype()));
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr Handler rows[] = {
    {"GatherBlockQuantized", 1, gather_block_quantized, microsoft},
    {"MatMulNBits", 1, matmul_n_bits, microsoft},
};

}  // namespace

std::span<const Handler> microsoft_blocks_handlers() { return rows; }

}  // namespace ingot::onnx
