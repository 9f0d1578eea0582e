// Element-wise ops. f16 and bf16 go through f32 where MLX takes several steps, or has the function for f32 alone.
#include <numbers>

#include "engines/mlx/cast.h"
#include "engines/mlx/integers.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

// ------------------------------------------------------------------------------------------------------------- unary

// MLX's sign of NaN is 0.
array sign(const array& x, mx::Stream s) {
  array y = mx::sign(x, s);
  if (!mx::issubdtype(x.dtype(), mx::floating)) return y;
  return mx::where(mx::greater(mx::abs(x, s), number(0, x), s), y, x, s);
}

// x/2·(1 + erf(x / √2))
array gelu(const array& x, mx::Stream s) {
  const array share = mx::add(erf(mx::multiply(x, number(std::numbers::sqrt2 / 2, x), s), s), number(1, x), s);
  return mx::multiply(mx::multiply(x, number(0.5, x), s), share, s);
}

// x·sigmoid(2·√(2/π)·(x + 0.044715·x³))
array gelu_tanh(const array& x, mx::Stream s) {
  constexpr double scale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const array cubic = mx::add(mx::multiply(mx::square(x, s), number(0.044715 * scale, x), s), number(scale, x), s);
  return mx::multiply(x, sigmoid(mx::multiply(x, cubic, s), s), s);
}

// log(1 + e^-|x|)
array log1p_exp(const array& magnitude, mx::Stream s) { return mx::log1p(exp(mx::negative(magnitude, s), s), s); }

array softplus(const array& x, mx::Stream s) {
  return mx::add(mx::maximum(x, number(0, x), s), log1p_exp(mx::abs(x, s), s), s);
}

array signbit(const array& x, mx::Stream s) {
  const mx::Dtype same_size = x.itemsize() == 2 ? mx::int16 : x.itemsize() == 4 ? mx::int32 : mx::int64;
  const array bits = mx::view(x, same_size, s);
  return mx::less(bits, number(0, bits), s);
}

bool needs_f32(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::exp:
    case UnaryFn::exp2:
    case UnaryFn::erf:
    case UnaryFn::erfinv:
    case UnaryFn::sigmoid:
    case UnaryFn::silu:
    case UnaryFn::gelu:
    case UnaryFn::gelu_tanh:
    case UnaryFn::softplus:
    case UnaryFn::lgamma: return true;
    default: return false;
  }
}

array unary(UnaryFn fn, const array& x, mx::Stream s) {
  switch (fn) {
    case UnaryFn::abs: return mx::abs(x, s);
    case UnaryFn::neg: return mx::negative(x, s);
    case UnaryFn::sign: return sign(x, s);
    case UnaryFn::square: return mx::square(x, s);
    case UnaryFn::sqrt: return mx::sqrt(x, s);
    case UnaryFn::rsqrt: return mx::rsqrt(x, s);
    case UnaryFn::reciprocal: return mx::reciprocal(x, s);
    case UnaryFn::exp: return exp(x, s);
    case UnaryFn::expm1: return mx::expm1(x, s);
    case UnaryFn::exp2: return mx::power(number(2, x), x, s);
    case UnaryFn::log: return mx::log(x, s);
    case UnaryFn::log1p: return mx::log1p(x, s);
    case UnaryFn::log2: return mx::log2(x, s);
    case UnaryFn::log10: return mx::log10(x, s);
    case UnaryFn::sin: return sin(x, s);
    case UnaryFn::cos: return cos(x, s);
    case UnaryFn::tan: return mx::tan(x, s);
    case UnaryFn::asin: return mx::arcsin(x, s);
    case UnaryFn::acos: return mx::arccos(x, s);
    case UnaryFn::atan: return mx::arctan(x, s);
    case UnaryFn::sinh: return mx::sinh(x, s);
    case UnaryFn::cosh: return mx::cosh(x, s);
    case UnaryFn::tanh: return mx::tanh(x, s);
    case UnaryFn::asinh: return mx::arcsinh(x, s);
    case UnaryFn::acosh: return mx::arccosh(x, s);
    case UnaryFn::atanh: return mx::arctanh(x, s);
    case UnaryFn::erf: return erf(x, s);
    case UnaryFn::erfinv: return erfinv(x, s);
    case UnaryFn::floor: return mx::floor(x, s);
    case UnaryFn::ceil: return mx::ceil(x, s);
    case UnaryFn::round: return mx::round(x, s);
    case UnaryFn::trunc: return mx::trunc(x, s);
    case UnaryFn::isnan: return mx::isnan(x, s);
    case UnaryFn::isinf: return mx::isinf(x, s);
    case UnaryFn::isfinite: return mx::isfinite(x, s);
    case UnaryFn::logical_not: return mx::logical_not(x, s);
    case UnaryFn::bitwise_not: return mx::bitwise_invert(x, s);
    case UnaryFn::sigmoid: return sigmoid(x, s);
    case UnaryFn::relu: return mx::maximum(x, number(0, x), s);
    case UnaryFn::silu: return mx::multiply(x, sigmoid(x, s), s);
    case UnaryFn::gelu: return gelu(x, s);
    case UnaryFn::gelu_tanh: return gelu_tanh(x, s);
    case UnaryFn::softplus: return softplus(x, s);
    case UnaryFn::real: return mx::real(x, s);
    case UnaryFn::imag: return mx::imag(x, s);
    case UnaryFn::conj: return mx::conjugate(x, s);
    case UnaryFn::angle: return mx::arctan2(mx::imag(x, s), mx::real(x, s), s);
    case UnaryFn::lgamma: return lgamma(x, s);
    case UnaryFn::signbit: return signbit(x, s);
  }
  return x;
}

// What differs for c64.
array complex_unary(UnaryFn fn, const array& x, mx::Stream s) {
  const auto of_part = [&](const array& part) { return unary(fn, part, s); };
  switch (fn) {
    case UnaryFn::isnan:
    case UnaryFn::isinf: return mx::logical_or(of_part(mx::real(x, s)), of_part(mx::imag(x, s)), s);
    case UnaryFn::isfinite: return mx::logical_and(of_part(mx::real(x, s)), of_part(mx::imag(x, s)), s);
    case UnaryFn::exp: return mx::exp(x, s);
    default: return unary(fn, x, s);
  }
}

bool rounds(UnaryFn fn) {
  return fn == UnaryFn::floor || fn == UnaryFn::ceil || fn == UnaryFn::round || fn == UnaryFn::trunc;
}

// ------------------------------------------------------------------------------------------------------ binary, reals

// The largest integer not above a / b. The quotient itself may round to the next one; the rest is exact, and what is left
// without it a multiple of b.
array floor_quotient(const array& a, const array& b, mx::Stream s) {
  const array rest = mx::remainder(a, b, s);
  const array exact = mx::round(mx::divide(mx::subtract(a, rest, s), b, s), s);
  return mx::where(mx::isfinite(rest, s), exact, mx::floor(mx::divide(a, b, s), s), s);
}

// Towards zero: a and b are given the same sign.
array trunc_quotient(const array& a, const array& b, mx::Stream s) {
  const array negative = mx::not_equal(mx::less(a, number(0, a), s), mx::less(b, number(0, b), s), s);
  const array y = floor_quotient(mx::where(negative, mx::negative(a, s), a, s), b, s);
  return mx::where(negative, mx::negative(y, s), y, s);
}

array real_fmod(const array& a, const array& b, mx::Stream s) {
  const array y = mx::remainder(mx::abs(a, s), mx::abs(b, s), s);
  return mx::where(mx::less(a, number(0, a), s), mx::negative(y, s), y, s);
}

// Equal infinities have no difference.
array logaddexp(const array& a, const array& b, mx::Stream s) {
  const array apart = mx::where(mx::equal(a, b, s), number(0, a), mx::abs(mx::subtract(a, b, s), s), s);
  return mx::add(mx::maximum(a, b, s), log1p_exp(apart, s), s);
}

bool needs_f32(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::floor_div:
    case BinaryFn::trunc_div:
    case BinaryFn::rem:
    case BinaryFn::fmod:
    case BinaryFn::pow:
    case BinaryFn::atan2:
    case BinaryFn::logaddexp: return true;
    default: return false;
  }
}

// Of reals and complex numbers, and what all numbers share.
array binary(BinaryFn fn, const array& a, const array& b, mx::Stream s) {
  switch (fn) {
    case BinaryFn::add: return mx::add(a, b, s);
    case BinaryFn::sub: return mx::subtract(a, b, s);
    case BinaryFn::mul: return mx::multiply(a, b, s);
    case BinaryFn::div: return mx::divide(a, b, s);
    case BinaryFn::floor_div: return floor_quotient(a, b, s);
    case BinaryFn::trunc_div: return trunc_quotient(a, b, s);
    case BinaryFn::rem: return mx::remainder(a, b, s);
    case BinaryFn::fmod: return real_fmod(a, b, s);
    case BinaryFn::pow: return mx::power(a, b, s);
    case BinaryFn::max: return mx::maximum(a, b, s);
    case BinaryFn::min: return mx::minimum(a, b, s);
    case BinaryFn::atan2: return mx::arctan2(a, b, s);
    case BinaryFn::logaddexp: return logaddexp(a, b, s);
    case BinaryFn::logical_and: return mx::logical_and(a, b, s);
    case BinaryFn::logical_or: return mx::logical_or(a, b, s);
    case BinaryFn::logical_xor: return mx::not_equal(a, b, s);
    case BinaryFn::bitwise_and: return mx::bitwise_and(a, b, s);
    case BinaryFn::bitwise_or: return mx::bitwise_or(a, b, s);
    case BinaryFn::bitwise_xor: return mx::bitwise_xor(a, b, s);
    case BinaryFn::shift_left: return shift_left(a, b, s);
    case BinaryFn::shift_right: return shift_right(a, b, s);
  }
  return a;
}

array integer_binary(BinaryFn fn, const array& a, const array& b, mx::Stream s) {
  switch (fn) {
    case BinaryFn::floor_div: return floor_div(a, b, s);
    case BinaryFn::trunc_div: return trunc_div(a, b, s);
    case BinaryFn::rem: return rem(a, b, s);
    case BinaryFn::fmod: return fmod(a, b, s);
    case BinaryFn::pow: return integer_power(a, b, s);
    default: return binary(fn, a, b, s);
  }
}

// -------------------------------------------------------------------------------------------------------------- emits

array emit(const op::Unary& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.dtype(op.x);
  if (dtype == DType::c64) return complex_unary(op.fn, frame.in(op.x), s);
  if (is_integer(dtype) && rounds(op.fn)) return frame.in(op.x);
  if (!needs_f32(op.fn)) return unary(op.fn, frame.in(op.x), s);
  return mx::astype(unary(op.fn, frame.in(op.x, widened(dtype)), s), to_mlx(dtype), s);
}

array emit(const op::Binary& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const array a = cast(frame, op.a, dtype), b = cast(frame, op.b, dtype);
  if (is_integer(dtype)) return integer_binary(op.fn, a, b, s);
  if (!needs_f32(op.fn)) return binary(op.fn, a, b, s);
  const mx::Dtype wide = to_mlx(widened(dtype));
  return mx::astype(binary(op.fn, mx::astype(a, wide, s), mx::astype(b, wide, s), s), to_mlx(dtype), s);
}

array emit(const op::Compare& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = *promote(frame.dtype(op.a), frame.dtype(op.b));
  const array a = cast(frame, op.a, dtype), b = cast(frame, op.b, dtype);
  switch (op.fn) {
    case CompareFn::eq: return mx::equal(a, b, s);
    case CompareFn::ne: return mx::not_equal(a, b, s);
    case CompareFn::lt: return mx::less(a, b, s);
    case CompareFn::le: return mx::less_equal(a, b, s);
    case CompareFn::gt: return mx::greater(a, b, s);
    case CompareFn::ge: break;
  }
  return mx::greater_equal(a, b, s);
}

array emit(const op::Select& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  return mx::where(frame.in(op.condition), cast(frame, op.a, dtype), cast(frame, op.b, dtype), frame.stream());
}

array emit(const op::Cast& op, Frame& frame) {
  const DType from = frame.dtype(op.x);
  if (from == op.dtype && is_flat(from) && !op.saturate) return frame.in(op.x);
  const array x = is_flat(from) ? unpacked(frame, frame.in(op.x), from, frame.sizes(op.x)) : frame.in(op.x);
  const array y = cast(frame, x, from, op.dtype, op.saturate);
  return is_flat(op.dtype) ? packed_bits(frame, y, op.dtype) : y;
}

INGOT_EXPANDED(Activation)
INGOT_EXPANDED(Clip)

array emit(const op::Bitcast& op, Frame& frame) { return mx::view(frame.in(op.x), to_mlx(op.dtype), frame.stream()); }

array emit(const op::Complex& op, Frame& frame) {
  return complex_of(frame.in(op.re, DType::f32), frame.in(op.im, DType::f32), frame.stream());
}

INGOT_EXPANDED(Glu)

}  // namespace

INGOT_LOWERINGS(elementwise)

}  // namespace ingot::mlx_engine
