#include "engines/mlx/constant.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "program/float_format.h"

namespace ingot::mlx_engine {
namespace {

// To nearest even; an infinity beyond the largest number.
uint64_t real_bits(double value, DType dtype) {
  const FloatFormat format = *float_format(dtype);
  const auto bits = encode(format, value);
  return bits ? *bits : *encode(format, std::copysign(std::numeric_limits<double>::infinity(), value));
}

uint64_t bits_of(const Scalar& value, DType dtype) {
  if (dtype == DType::c64) {
    const std::complex<double> z = value.as_complex();
    return real_bits(z.real(), DType::f32) | real_bits(z.imag(), DType::f32) << 32;
  }
  return float_format(dtype) ? real_bits(value.as_real(), dtype) : value.bits;
}

}  // namespace

array constant(const Scalar& value, DType dtype) {
  Tensor tensor = Tensor::allocate(dtype, {});
  const uint64_t bits = bits_of(value, dtype);
  std::memcpy(tensor.mutable_bytes().data(), &bits, tensor.bytes().size());
  return upload(tensor);
}

}  // namespace ingot::mlx_engine
