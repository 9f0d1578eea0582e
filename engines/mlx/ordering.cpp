#include "engines/mlx/ordering.h"

#include <limits>

namespace ingot::mlx_engine {
namespace {

// Signed integers of the width of a real dtype.
struct Bits {
  mx::Dtype dtype;
  int64_t lowest, highest;
};

template <class T>
Bits bits_as(mx::Dtype dtype) {
  return {dtype, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

Bits bits_of(mx::Dtype real) {
  switch (real.size()) {
    case 2: return bits_as<int16_t>(mx::int16);
    case 4: return bits_as<int32_t>(mx::int32);
    default: return bits_as<int64_t>(mx::int64);
  }
}

// Magnitudes of negative numbers grow downwards in two's complement, upwards in floats. Its own inverse.
array mirrored(const array& integers, const Bits& bits, mx::Stream s) {
  const array magnitude(bits.highest, bits.dtype), zero(0, bits.dtype);
  return mx::where(mx::less(integers, zero, s), mx::bitwise_xor(integers, magnitude, s), integers, s);
}

}  // namespace

array to_ordered(Frame& frame, const array& reals, NanPlace nan) {
  const mx::Stream s = frame.stream();
  const Bits bits = bits_of(reals.dtype());
  const array end(nan == NanPlace::first ? bits.lowest : bits.highest, bits.dtype);
  return mx::where(mx::isnan(reals, s), end, mirrored(mx::view(reals, bits.dtype, s), bits, s), s);
}

array from_ordered(Frame& frame, const array& ordered, mx::Dtype dtype) {
  const mx::Stream s = frame.stream();
  return mx::view(mirrored(ordered, bits_of(dtype), s), dtype, s);
}

array sort_key(Frame& frame, const array& x, bool descending) {
  const mx::Stream s = frame.stream();
  array key = x;
  if (x.dtype() == mx::bool_) {
    key = mx::astype(x, mx::uint8, s);
  } else if (mx::issubdtype(x.dtype(), mx::floating)) {
    const array zero(0, x.dtype());
    key = to_ordered(frame, mx::where(mx::equal(x, zero, s), zero, x, s), NanPlace::last);
  }
  return descending ? mx::bitwise_invert(key, s) : key;
}

// MLX's own sort is stable and puts NaN last, and to it -0 and +0 are equal.
array sorted_order(Frame& frame, const array& x, int axis, bool descending) {
  return mx::argsort(descending ? sort_key(frame, x, true) : x, axis, frame.stream());
}

}  // namespace ingot::mlx_engine
