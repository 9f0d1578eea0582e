#include "import/onnx/packed_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ingot::onnx {

void write_codes(const BlockedWeight& w, std::span<const std::byte> codes, std::byte flip, std::span<std::byte> to) {
  for (int64_t row = 0; row < w.n; ++row) {
    for (const std::byte b : codes.subspan(static_cast<size_t>(row) * w.code_bytes(), w.row_bytes())) {
      to.front() = b ^ flip;
      to = to.subspan(1);
    }
  }
}

Tensor affine_weight(const BlockedWeight& w, std::span<const std::byte> codes, const std::vector<double>& scales,
                     const std::vector<double>& zeros) {
  Tensor packed = Tensor::allocate(DType::packed, {w.n, w.k},
                                   QuantScheme{.method = QuantMethod::affine,
                                               .bits = static_cast<uint8_t>(w.bits),
                                               .group = static_cast<uint32_t>(w.block),
                                               .scale = DType::f32});
  const std::span<std::byte> to = packed.mutable_bytes();
  write_codes(w, codes, std::byte{0}, to);
  std::byte* at = to.data() + static_cast<size_t>(w.n) * w.row_bytes();
  const auto write = [&](double number) {
    const auto value = static_cast<float>(number);
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  for (const double scale : scales) write(scale);
  for (size_t i = 0; i < scales.size(); ++i) write(-zeros[i] * scales[i]);
  return packed;
}

namespace {

// ------------------------------------------------------------------------------------------------------------ readers

const AttributeProto* attribute_of(const NodeProto& node, std::string_view name) {
  const auto found = std::ranges::find(node.attribute, name, &AttributeProto::name);
  return found == node.attribute.end() ? nullptr : &*found;
}

// Whether the node multiplies by the transpose of its second input; none where it does anything else with the name.
std::optional<bool> transposes(const NodeProto& node, std::string_view name) {
  if (std::ranges::count(node.input, name) != 1 || node.input.size() < 2 || node.input[1] != name) return std::nullopt;
  if (node.op_type == "MatMul") return false;
  const AttributeProto *a = attribute_of(node, "transA"), *b = attribute_of(node, "transB");
  if (node.op_type != "Gemm" || (a && a->i != 0)) return std::nullopt;
  return b && b->i != 0;
}

bool is_transpose(const NodeProto& node) {
  const AttributeProto* perm = attribute_of(node, "perm");
  return node.op_type == "Transpose" && (!perm || perm->ints == std::vector<int64_t>{1, 0});
}

// Whether all that read a matrix multiply by its transpose, or none of them; no answer where they do other things.
std::optional<bool> transposed_by_readers(const Scope& scope, std::string_view name, bool may_turn = true) {
  std::optional<bool> all;
  for (const NodeProto* reader : scope.readers_of(name)) {
    std::optional<bool> one;
    if (canonical_domain(reader->domain) != "ai.onnx") return std::nullopt;
    if (may_turn && is_transpose(*reader)) {
      one = transposed_by_readers(scope, reader->output.at(0), false);
      if (one) one = !*one;
    } else {
      one = transposes(*reader, name);
    }
    if (!one || (all && all != one)) return std::nullopt;
    all = one;
  }
  return all;
}

// ------------------------------------------------------------------------------------------------------------ packing

// A matrix as DequantizeLinear has it. `transposed`: its rows are those of the packed one, [N, K].
struct Matrix {
  Tensor codes, scales;
  std::optional<Tensor> zeros;
  bool transposed;

  int64_t n() const { return codes.sizes()[transposed ? 0 : 1]; }
  int64_t k() const { return codes.sizes()[transposed ? 1 : 0]; }
  int64_t bits() const { return ingot::bits(codes.dtype()); }
  // Codes are counted from the lowest.
  int64_t lowest() const {
    const bool is_signed = codes.dtype() == DType::i8 || codes.dtype() == DType::i4 || codes.dtype() == DType::i2;
    return is_signed ? -(int64_t{1} << (bits() - 1)) : 0;
  }
};

bool has_integer_codes(DType dtype) {
  constexpr DType all[] = {DType::i8, DType::u8, DType::i4, DType::u4, DType::i2, DType::u2};
  return std::ranges::find(all, dtype) != std::end(all);
}

std::optional<Matrix> matrix_of(Node& node) {
  if (node.type(0).rank() != 2 || !has_integer_codes(node.type(0).dtype)) return std::nullopt;
  const auto transposed = transposed_by_readers(node.scope(), node.proto().output.at(0));
  const auto codes = transposed ? node.find_constant(0) : std::nullopt;
  const auto scales = codes ? node.find_constant(1) : std::nullopt;
  const auto zeros = scales && node.has(2) ? node.find_constant(2) : std::nullopt;
  if (!scales || scales->dtype() == DType::f64 || !is_real(scales->dtype())) return std::nullopt;
  if (node.has(2) && (!zeros || zeros->sizes() != scales->sizes() || zeros->dtype() != codes->dtype())) {
    return std::nullopt;
  }
  return Matrix{*codes, *scales, zeros, *transposed};
}

// How many elements of a row of the packed matrix share a scale; the last ones may be fewer.
std::optional<int64_t> shared_by(const Matrix& m, int64_t axis, int64_t block) {
  const int64_t along_rows = m.transposed ? 1 : 0;
  if (axis < 0) axis += 2;
  if (block == 0 && m.scales.elements() == 1) return m.k();
  if (block == 0) {
    return axis == 1 - along_rows && m.scales.sizes() == Sizes{m.n()} ? std::optional(m.k()) : std::nullopt;
  }
  if (axis != along_rows || block < 0) return std::nullopt;
  const int64_t blocks = blocks_in(m.k(), block);
  const Sizes wanted = m.transposed ? Sizes{m.n(), blocks} : Sizes{blocks, m.n()};
  return m.scales.sizes() == wanted ? std::optional(std::min(block, m.k())) : std::nullopt;
}

// The widest group that engines multiply by as it is, or else a block, which may be longer than a row.
std::optional<int64_t> group_of(int64_t k, int64_t shared, int64_t block) {
  for (const int64_t group : {128, 64, 32}) {
    if (shared > 0 && shared % group == 0 && k % group == 0) return group;
  }
  if (shared == 0 || !is_block_size(block)) return std::nullopt;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(shared, 16))));
}

std::vector<std::byte> rows_of_codes(const Matrix& m, const BlockedWeight& w) {
  const int64_t n = m.n(), k = m.k(), bits = m.bits(), mask = (1 << bits) - 1;
  const std::span<const std::byte> from = m.codes.bytes();
  const size_t row_bytes = w.code_bytes();
  std::vector<std::byte> rows(static_cast<size_t>(n) * row_bytes);
  for (int64_t row = 0; row < n; ++row) {
    const std::span<std::byte> to = std::span(rows).subspan(static_cast<size_t>(row) * row_bytes, row_bytes);
    for (int64_t column = 0; column < k; ++column) {
      const int64_t at = (m.transposed ? row * k + column : column * n + row) * bits, bit = column * bits;
      const int64_t bits_there = std::to_integer<int64_t>(from[static_cast<size_t>(at / 8)]) >> (at % 8);
      const int64_t code = (bits_there - m.lowest()) & mask;
      to[static_cast<size_t>(bit / 8)] |= static_cast<std::byte>(code << (bit % 8));
    }
  }
  return rows;
}

// Scales or zero points for each group of each row.
std::vector<double> of_groups(const Matrix& m, const Tensor& given, int64_t shared, int64_t group) {
  const std::vector<double> numbers = reals_of(given);
  const int64_t n = m.n(), each = blocks_in(m.k(), shared);
  std::vector<double> all;
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t at = 0; at < m.k(); at += group) {
      const int64_t block = at / shared;
      const int64_t index = m.transposed ? row * each + block : block * n + row;
      all.push_back(numbers[numbers.size() == 1 ? 0 : static_cast<size_t>(index)]);
    }
  }
  return all;
}

// Codes that are counted from the lowest reach further than those of the file.
bool may_overflow(double scale) { return !(std::abs(scale) < std::numeric_limits<float>::max() / 1024); }

}  // namespace

std::optional<Var> unpacked_matrix(Node& node, int64_t axis, int64_t block, DType dtype) {
  const auto matrix = matrix_of(node);
  const auto shared = matrix ? shared_by(*matrix, axis, block) : std::nullopt;
  const auto group = shared ? group_of(matrix->k(), *shared, block) : std::nullopt;
  if (!group) return std::nullopt;
  const std::vector<double> scales = of_groups(*matrix, matrix->scales, *shared, *group);
  if (std::ranges::any_of(scales, may_overflow)) return std::nullopt;
  std::vector<double> zeros(scales.size());
  if (matrix->zeros) zeros = of_groups(*matrix, *matrix->zeros, *shared, *group);
  for (double& zero : zeros) zero -= static_cast<double>(matrix->lowest());
  const BlockedWeight weight{matrix->n(), matrix->k(), matrix->bits(), *group};
  const Tensor packed = affine_weight(weight, rows_of_codes(*matrix, weight), scales, zeros);
  GraphBuilder& graph = node.graph();
  const Var y = graph.dequantize(node.as_var(Constant{packed, std::string(node.proto().input[0])}), {.dtype = dtype});
  return matrix->transposed ? y : graph.transpose(y, {1, 0});
}

}  // namespace ingot::onnx
