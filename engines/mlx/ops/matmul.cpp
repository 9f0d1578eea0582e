// Matrix products. Those over other axes are transposed and reshaped to matmul by their decompositions.
#include <fmt/format.h>

#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/packing.h"
#include "engines/mlx/products.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

void spend_terms(Frame& frame, int64_t terms) {
  frame.spend(static_cast<uint64_t>(element_count(Sizes{element_count(frame.result_sizes()), terms})));
}

bool is_empty(const Frame& frame, int64_t terms) { return terms == 0 || frame.result_is_empty(); }

array emit(const op::Matmul& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  array a = frame.in(op.a, dtype);
  if (op.transpose_a) a = mx::swapaxes(a, -1, -2, s);
  spend_terms(frame, a.shape(-1));
  if (is_empty(frame, a.shape(-1))) return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  return matrix_product(frame, a, frame.in(op.b, dtype), dtype, op.transpose_b);
}

INGOT_EXPANDED(DotGeneral)
INGOT_EXPANDED(Einsum)

// Group numbers, which fail the call outside 0 … groups-1.
array checked_groups(Frame& frame, const array& group, int64_t groups) {
  const auto refusal = [groups](int64_t row, int64_t number) {
    return Error(Code::out_of_range, fmt::format("group {} of row {} is outside {} groups", number, row, groups));
  };
  if (groups > 0) return require_within(frame, group, 0, groups - 1, refusal);
  frame.guard(mx::zeros(group.shape(), mx::bool_, frame.stream()), as_i64(frame, group),
              [refusal](const Tensor& witness) { return refusal(0, witness.as<int64_t>()[0]); });
  return group;
}

// w as numbers [G,K,N], or [G,N,K].
array weights(Frame& frame, const op::GroupedMatmul& op, DType dtype) {
  const TensorType& type = frame.type(op.w);
  if (type.dtype != DType::packed) return frame.in(op.w, dtype);
  const Sizes sizes = frame.sizes(op.w);
  const Unpacked unpacked = unpack(frame, frame.in(op.w), *type.scheme, sizes, dtype);
  const array rows = values_of(unpacked, static_cast<int>(sizes[2]), frame.stream());
  return mx::reshape(rows, to_mlx(sizes), frame.stream());
}

array emit(const op::GroupedMatmul& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const int64_t groups = frame.sizes(op.w)[0], terms = frame.sizes(op.x)[1];
  const array group = checked_groups(frame, frame.in(op.group), groups);
  spend_terms(frame, terms);
  if (is_empty(frame, terms) || groups == 0) return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  const bool packed = frame.dtype(op.w) == DType::packed, transposed = packed || op.transpose_w;
  // MLX's CPU multiplies by groups in f32 alone.
  const DType wide = packed || frame.on_cpu() ? widened(dtype) : dtype;
  const array rows = mx::expand_dims(frame.in(op.x, wide), 1, s), w = weights(frame, op, wide);
  const bool gathers = wide == DType::f32 || wide == DType::f16 || wide == DType::bf16;
  if (!gathers) return mx::squeeze(matrix_product(frame, rows, mx::take(w, group, 0, s), dtype, transposed), 1, s);
  const array matrices = transposed ? mx::swapaxes(w, -1, -2, s) : w;
  const array products = mx::gather_mm(rows, matrices, {}, mx::astype(group, mx::uint32, s), false, s);
  return mx::astype(mx::squeeze(products, 1, s), to_mlx(dtype), s);
}

// x - zero, which 16 bits hold. Zero points in one axis belong to the rows, or to the columns.
array centred(Frame& frame, Ref x, const std::optional<Ref>& zero, bool by_row) {
  const mx::Stream s = frame.stream();
  if (!zero) return frame.in(x);
  array point = mx::astype(frame.in(*zero), mx::int16, s);
  if (by_row && point.ndim() == 1) point = mx::expand_dims(point, 1, s);
  return mx::subtract(mx::astype(frame.in(x), mx::int16, s), point, s);
}

array emit(const op::IntegerMatmul& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const int64_t terms = frame.sizes(op.a).back();
  spend_terms(frame, terms);
  if (is_empty(frame, terms)) return mx::zeros(frame.result_shape(), mx::int32, s);
  const array a = centred(frame, op.a, op.a_zero, true), b = centred(frame, op.b, op.b_zero, false);
  return mx::astype(integer_product(frame, a, b, 8), mx::int32, s);
}

INGOT_EXPANDED(LoraLinear)

}  // namespace

INGOT_LOWERINGS(matmul)

}  // namespace ingot::mlx_engine
