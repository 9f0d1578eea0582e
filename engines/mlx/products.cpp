#include "engines/mlx/products.h"

#include <algorithm>

#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

// Part of an axis, counted from the back.
array part(const array& x, int axis, int first, int count, mx::Stream s) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start.end()[axis] = first;
  stop.end()[axis] = first + count;
  return mx::slice(x, std::move(start), std::move(stop), s);
}

// x = Σ limb[i]·2^(width·i); the highest limb has the sign.
std::vector<array> limbs_of(const array& x, int width, int count, mx::Stream s) {
  std::vector<array> limbs;
  for (int i = 0; i < count; ++i) {
    const array shifted = i == 0 ? x : mx::right_shift(x, array(width * i, x.dtype()), s);
    const array mask((int64_t{1} << width) - 1, x.dtype());
    limbs.push_back(i + 1 == count ? shifted : mx::bitwise_and(shifted, mask, s));
  }
  return limbs;
}

// Limb by limb, modulo 2^64: products of limbs that lie beyond the dtype are not needed.
array wrapping_product(const Frame& frame, const array& a, const array& b, DType dtype) {
  const mx::Stream s = frame.stream();
  const int width = std::min(bits(dtype), frame.on_cpu() ? 16 : 8), count = bits(dtype) / width;
  const std::vector<array> of_a = limbs_of(a, width, count, s), of_b = limbs_of(b, width, count, s);
  array sum = integer_product(frame, of_a[0], of_b[0], width);
  for (int place = 1; place < count; ++place) {
    for (int i = 0; i <= place; ++i) {
      const auto in_a = static_cast<size_t>(i), in_b = static_cast<size_t>(place - i);
      const array product = integer_product(frame, of_a[in_a], of_b[in_b], width);
      sum = mx::add(sum, mx::left_shift(product, array(int64_t{width} * place), s), s);
    }
  }
  return mx::astype(sum, to_mlx(dtype), s);
}

// On a CPU halves go faster through BLAS in f32, apart from one row by a transposed matrix, which is read once and in
// order: converting it would cost more. MLX sums in f32 either way.
bool through_f32(const Frame& frame, const array& a, DType dtype, bool transposed) {
  const bool one_row = a.size() == static_cast<size_t>(a.shape(-1));
  return frame.on_cpu() && widened(dtype) != dtype && !(one_row && transposed);
}

}  // namespace

array integer_product(const Frame& frame, const array& a, const array& b, int bits) {
  const mx::Stream s = frame.stream();
  const int terms = a.shape(-1);
  // A sum of so many products is exact in f32, which counts to 2^24, and in f64. Accelerators have no f64, and may cut
  // factors in f32 to 11 bits.
  const int64_t in_f32 = (int64_t{1} << 24) >> 2 * bits, in_f64 = (int64_t{1} << 53) >> 2 * bits;
  const bool wide = frame.on_cpu() && terms > in_f32;
  const int most = static_cast<int>(std::min<int64_t>(terms, wide ? in_f64 : in_f32));
  const mx::Dtype exact = wide ? mx::float64 : mx::float32;
  const array left = mx::astype(a, exact, s), right = mx::astype(b, exact, s);
  if (terms == most) return mx::astype(mx::matmul(left, right, s), mx::int64, s);
  std::vector<array> sums;
  for (int first = 0; first < terms; first += most) {
    const int count = std::min(most, terms - first);
    const array sum = mx::matmul(part(left, -1, first, count, s), part(right, -2, first, count, s), s);
    sums.push_back(mx::astype(sum, mx::int64, s));
  }
  array total = sums[0];
  for (size_t i = 1; i < sums.size(); ++i) total = mx::add(total, sums[i], s);
  return total;
}

array matrix_product(const Frame& frame, const array& a, const array& b, DType dtype, bool transposed) {
  const mx::Stream s = frame.stream();
  const array right = transposed ? mx::swapaxes(b, -1, -2, s) : b;
  if (is_integer(dtype)) return wrapping_product(frame, a, right, dtype);
  if (!through_f32(frame, a, dtype, transposed)) return mx::matmul(a, right, s);
  const array product = mx::matmul(mx::astype(a, mx::float32, s), mx::astype(right, mx::float32, s), s);
  return mx::astype(product, to_mlx(dtype), s);
}

}  // namespace ingot::mlx_engine
