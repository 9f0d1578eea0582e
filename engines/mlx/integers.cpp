#include "engines/mlx/integers.h"

namespace ingot::mlx_engine {
namespace {

bool is_signed(const array& x) { return mx::issubdtype(x.dtype(), mx::signedinteger); }

array number(int64_t value, const array& like) { return array(value, like.dtype()); }

array is_negative(const array& x, mx::Stream s) { return mx::less(x, number(0, x), s); }

// |x| as unsigned, which has that of the lowest number too.
array magnitude(const array& x, mx::Stream s) {
  const array bits = mx::view(x, unsigned_of(x.dtype()), s);
  return is_signed(x) ? mx::where(is_negative(x, s), mx::subtract(number(0, bits), bits, s), bits, s) : bits;
}

// Whether the rest of a division has the other sign than the divisor. `rest`: that of the division towards zero.
array is_opposite(const array& rest, const array& b, mx::Stream s) {
  const array signs = mx::not_equal(is_negative(rest, s), is_negative(b, s), s);
  return mx::logical_and(mx::not_equal(rest, number(0, rest), s), signs, s);
}

// Whether a shift leaves anything.
array is_within(const array& by, mx::Stream s) {
  const array width(static_cast<int64_t>(by.dtype().size()) * 8, unsigned_of(by.dtype()));
  return mx::less(mx::view(by, unsigned_of(by.dtype()), s), width, s);
}

}  // namespace

mx::Dtype unsigned_of(mx::Dtype dtype) {
  switch (dtype.size()) {
    case 1: return mx::uint8;
    case 2: return mx::uint16;
    case 4: return mx::uint32;
    default: return mx::uint64;
  }
}

// On magnitudes, where both ways of rounding are one; by 0: 0.
array trunc_div(const array& a, const array& b, mx::Stream s) {
  const array by_zero = mx::equal(b, number(0, b), s), dividend = magnitude(a, s);
  const array divisor = mx::where(by_zero, number(1, dividend), magnitude(b, s), s);
  array bits = mx::where(by_zero, number(0, dividend), mx::floor_divide(dividend, divisor, s), s);
  if (!is_signed(a)) return bits;
  const array quotient = mx::view(bits, a.dtype(), s);
  const array negative = mx::not_equal(is_negative(a, s), is_negative(b, s), s);
  return mx::where(negative, mx::subtract(number(0, a), quotient, s), quotient, s);
}

array fmod(const array& a, const array& b, mx::Stream s) {
  const array rest = mx::subtract(a, mx::multiply(trunc_div(a, b, s), b, s), s);
  return mx::where(mx::equal(b, number(0, b), s), number(0, a), rest, s);
}

array floor_div(const array& a, const array& b, mx::Stream s) {
  array quotient = trunc_div(a, b, s);
  if (!is_signed(a)) return quotient;
  return mx::subtract(quotient, mx::astype(is_opposite(fmod(a, b, s), b, s), a.dtype(), s), s);
}

array rem(const array& a, const array& b, mx::Stream s) {
  const array rest = fmod(a, b, s);
  return is_signed(a) ? mx::add(rest, mx::where(is_opposite(rest, b, s), b, number(0, b), s), s) : rest;
}

// A negative exponent leaves nothing of a number but 1 and -1.
array integer_power(const array& a, const array& b, mx::Stream s) {
  if (!is_signed(a)) return mx::power(a, b, s);
  const array one = number(1, a), negative = is_negative(b, s);
  const array is_unit = mx::logical_or(mx::equal(a, one, s), mx::equal(a, number(-1, a), s), s);
  // Of a unit only the parity of the exponent counts.
  const array parity = mx::bitwise_and(b, one, s);
  const array power = mx::power(a, mx::where(negative, parity, b, s), s);
  return mx::where(mx::logical_and(negative, mx::logical_not(is_unit, s), s), number(0, a), power, s);
}

array shift_left(const array& x, const array& by, mx::Stream s) {
  const array within = is_within(by, s);
  return mx::where(within, mx::left_shift(x, mx::where(within, by, number(0, by), s), s), number(0, x), s);
}

array shift_right(const array& x, const array& by, mx::Stream s) {
  const array within = is_within(by, s);
  if (!is_signed(x)) {
    return mx::where(within, mx::right_shift(x, mx::where(within, by, number(0, by), s), s), number(0, x), s);
  }
  // The last shift that is defined leaves the sign.
  const array last = number(static_cast<int64_t>(by.dtype().size()) * 8 - 1, by);
  return mx::right_shift(x, mx::where(within, by, last, s), s);
}

}  // namespace ingot::mlx_engine
