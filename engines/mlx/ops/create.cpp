// Ops that make values from attributes. The CPU computes reals in f64, as the reference engine does, other devices in f32.
#include <cmath>
#include <numbers>

#include "engines/mlx/cast.h"
#include "engines/mlx/constant.h"
#include "engines/mlx/integers.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/philox.h"
#include "program/float_format.h"

namespace ingot::mlx_engine {
namespace {

DType widest_real(const Frame& frame) { return frame.on_cpu() ? DType::f64 : DType::f32; }

// The dtype that start + i·step is computed in, so that the result's low bits or one rounding give the result.
DType dtype_of_iota(const Frame& frame, DType dtype) {
  switch (kind(dtype)) {
    case Kind::real: return widest_real(frame);
    case Kind::complex: return dtype;
    default: return bits(dtype) < 32 ? DType::i32 : dtype;
  }
}

// start + i·step. MLX's own arange takes doubles for integers, and adds up the steps of reals.
array emit(const op::Iota& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = dtype_of_iota(frame, op.dtype);
  const int length = frame.result_shape()[0];
  const mx::Dtype counting = is_integer(dtype) ? unsigned_of(to_mlx(dtype)) : to_mlx(dtype);
  const auto number = [&](const Scalar& value) { return mx::view(constant(value, dtype), counting, s); };
  array y = mx::astype(mx::arange(length, is_integer(dtype) ? counting : mx::int32, s), counting, s);
  if (op.step) y = mx::multiply(y, number(*op.step), s);
  if (op.start) y = mx::add(y, number(*op.start), s);
  return cast(frame, mx::view(y, to_mlx(dtype), s), dtype, op.dtype);
}

array emit(const op::Full& op, Frame& frame) {
  return mx::full(frame.result_shape(), constant(op.value, op.dtype), frame.stream());
}

// The largest number of the dtype below 1.
double below_one(DType dtype) { return 1 - std::ldexp(1, -1 - float_format(dtype)->mantissa_bits); }

// cos(2π·u) for u of 0 … 1. In f32 a whole turn would be rounded too coarsely: |u - 1/2| - 1/4 is exact, and at most a
// quarter of one.
array cosine_of_turns(const array& u, DType dtype, mx::Stream s) {
  const auto number = [&](double value) { return constant(value, dtype); };
  if (dtype == DType::f64) return cos(mx::multiply(number(2 * std::numbers::pi), u, s), s);
  const array quarter = mx::subtract(mx::abs(mx::subtract(u, number(0.5), s), s), number(0.25), s);
  return mx::sin(mx::multiply(number(2 * std::numbers::pi), quarter, s), s);
}

// Box-Muller
array normal(const array& u1, const array& u2, DType dtype, mx::Stream s) {
  const auto number = [&](double value) { return constant(value, dtype); };
  const array logarithm = mx::log(mx::subtract(number(1), mx::astype(u1, to_mlx(dtype), s), s), s);
  const array cosine = cosine_of_turns(mx::astype(u2, to_mlx(dtype), s), dtype, s);
  return mx::multiply(mx::sqrt(mx::multiply(number(-2), logarithm, s), s), cosine, s);
}

// offset + scale·sample
array emit(const op::Random& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Shape shape = frame.result_shape();
  const int64_t count = element_count(frame.result_sizes());
  if (count == 0) return mx::zeros(shape, to_mlx(op.dtype), s);
  const bool wide = bits(op.dtype) == 64;
  const auto words = random_words(frame.in(op.key), count, (wide ? 2 : 1) * (op.fn == RandomFn::normal ? 2 : 1), s);
  const auto uniform = [&](size_t i) {
    return wide ? uniform_of(words[2 * i], words[2 * i + 1], s) : uniform_of(words[i], s);
  };
  if (op.fn == RandomFn::bits) {
    const array value = wide ? joined_words(words[0], words[1], s) : mx::astype(words[0], mx::uint32, s);
    return mx::reshape(value, shape, s);
  }
  const bool is_uniform = op.fn == RandomFn::uniform, is_scaled = op.scale != 1 || op.offset != 0;
  // A uniform number that is not scaled is exact in the dtype of its words.
  const DType dtype = is_uniform && !is_scaled ? (wide ? DType::f64 : DType::f32) : widest_real(frame);
  array sample = is_uniform ? mx::astype(uniform(0), to_mlx(dtype), s) : normal(uniform(0), uniform(1), dtype, s);
  if (is_uniform && bits(op.dtype) == 16) sample = mx::minimum(sample, constant(below_one(op.dtype), dtype), s);
  if (is_scaled) {
    sample = mx::add(constant(op.offset, dtype), mx::multiply(constant(op.scale, dtype), sample, s), s);
  }
  return mx::reshape(cast(frame, sample, dtype, op.dtype), shape, s);
}

array emit(const op::SizeOf& op, Frame& frame) { return constant(frame.size(op.size), op.dtype); }

INGOT_EXPANDED(Eye)
INGOT_EXPANDED(RandomCategorical)
INGOT_EXPANDED(RandomPermutation)
INGOT_EXPANDED(Dropout)

}  // namespace

INGOT_LOWERINGS(create)

}  // namespace ingot::mlx_engine
