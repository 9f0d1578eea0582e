#include "program/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "program/error.h"
#include "program/float_format.h"

namespace ingot::elements {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian");

// -------------------------------------------------------------------------------------------------------------- bits

namespace {

// Elements of less than a byte fill it from the low bits.
template <int Width>
uint64_t load_bits(const std::byte* data, int64_t i) {
  if constexpr (Width >= 8) {
    uint64_t bits = 0;
    std::memcpy(&bits, data + i * (Width / 8), Width / 8);
    return bits;
  } else {
    constexpr int64_t per_byte = 8 / Width;
    return std::to_integer<uint64_t>(data[i / per_byte]) >> (i % per_byte * Width) & ((1u << Width) - 1);
  }
}

template <int Width>
void store_bits(std::byte* data, int64_t i, uint64_t bits) {
  if constexpr (Width >= 8) {
    std::memcpy(data + i * (Width / 8), &bits, Width / 8);
  } else {
    constexpr int64_t per_byte = 8 / Width;
    const auto mask = static_cast<uint8_t>((1u << Width) - 1);
    const int shift = static_cast<int>(i % per_byte) * Width;
    std::byte& byte = data[i / per_byte];
    byte = (byte & ~std::byte(mask << shift)) | std::byte((bits & mask) << shift);
  }
}

// ------------------------------------------------------------------------------------------------------ small floats

constexpr double kLargestF4 = 6;

template <DType D>
double decode_float(uint64_t bits) {
  return decode(*float_format(D), bits);
}

// What is beyond the largest finite number: infinity, or NaN, or that number.
uint64_t beyond(const FloatFormat& format, double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  switch (format.special) {
    case FloatFormat::Special::ieee: return *encode(format, std::copysign(infinity, x));
    case FloatFormat::Special::nan_only:
    case FloatFormat::Special::power: return *encode(format, nan);
    case FloatFormat::Special::none: break;
  }
  return *encode(format, std::isnan(x) ? kLargestF4 : std::copysign(kLargestF4, x));
}

template <DType D>
uint64_t encode_float(double x) {
  const FloatFormat format = *float_format(D);
  const auto bits = encode(format, x);
  return bits ? *bits : beyond(format, x);
}

// The nearest power of two, from the middle of two on the larger; the smallest below it.
uint64_t encode_power(double x) {
  if (!(x > 0) || std::isinf(x)) return encode_float<DType::f8e8m0>(std::numeric_limits<double>::quiet_NaN());
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [0.5, 1)
  return encode_float<DType::f8e8m0>(std::max(std::ldexp(1.0, fraction < 0.75 ? exponent - 1 : exponent), 0x1p-127));
}

// ------------------------------------------------------------------------------------------------------- the codecs

template <int Width>
int64_t decode_signed(uint64_t bits) {
  return static_cast<int64_t>(bits << (64 - Width)) >> (64 - Width);
}
uint64_t decode_unsigned(uint64_t bits) { return bits; }
bool decode_bool(uint64_t bits) { return bits != 0; }
double decode_f32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double decode_f64(uint64_t bits) { return std::bit_cast<double>(bits); }
Complex decode_c64(uint64_t bits) { return {decode_f32(bits), decode_f32(bits >> 32)}; }

uint64_t encode_signed(int64_t x) { return static_cast<uint64_t>(x); }
uint64_t encode_bool(bool x) { return x; }
uint64_t encode_f32(double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }
uint64_t encode_f64(double x) { return std::bit_cast<uint64_t>(x); }
uint64_t encode_c64(Complex x) { return encode_f32(x.real()) | encode_f32(x.imag()) << 32; }

template <class T>
struct Codec {
  DType dtype;
  Load<T> load;
  Store<T> store;
};

template <class T, int Width, T (*decode)(uint64_t), uint64_t (*encode)(T)>
constexpr Codec<T> codec(DType dtype) {
  return {dtype, [](const std::byte* data, int64_t i) { return decode(load_bits<Width>(data, i)); },
          [](std::byte* data, int64_t i, T value) { store_bits<Width>(data, i, encode(value)); }};
}
template <int Width>
constexpr Codec<uint64_t> unsigned_codec(DType dtype) {
  return codec<uint64_t, Width, decode_unsigned, decode_unsigned>(dtype);
}
template <int Width>
constexpr Codec<int64_t> signed_codec(DType dtype) {
  return codec<int64_t, Width, decode_signed<Width>, encode_signed>(dtype);
}
template <int Width, DType D>
constexpr Codec<double> float_codec() {
  return codec<double, Width, decode_float<D>, encode_float<D>>(D);
}

template <class T>
constexpr Codec<T> codecs[] = {};
template <>
constexpr Codec<bool> codecs<bool>[] = {codec<bool, 8, decode_bool, encode_bool>(DType::bool_)};
template <>
constexpr Codec<uint64_t> codecs<uint64_t>[] = {unsigned_codec<8>(DType::u8),   unsigned_codec<16>(DType::u16),
                                                unsigned_codec<32>(DType::u32), unsigned_codec<64>(DType::u64),
                                                unsigned_codec<4>(DType::u4),   unsigned_codec<2>(DType::u2)};
template <>
constexpr Codec<int64_t> codecs<int64_t>[] = {signed_codec<8>(DType::i8),   signed_codec<16>(DType::i16),
                                              signed_codec<32>(DType::i32), signed_codec<64>(DType::i64),
                                              signed_codec<4>(DType::i4),   signed_codec<2>(DType::i2)};
template <>
constexpr Codec<double> codecs<double>[] = {
    float_codec<16, DType::f16>(),
    float_codec<16, DType::bf16>(),
    codec<double, 32, decode_f32, encode_f32>(DType::f32),
    codec<double, 64, decode_f64, encode_f64>(DType::f64),
    float_codec<8, DType::f8e4m3>(),
    float_codec<8, DType::f8e5m2>(),
    codec<double, 8, decode_float<DType::f8e8m0>, encode_power>(DType::f8e8m0),
    float_codec<4, DType::f4e2m1>(),
};
template <>
constexpr Codec<Complex> codecs<Complex>[] = {codec<Complex, 64, decode_c64, encode_c64>(DType::c64)};

template <class T>
const Codec<T>& codec_of(DType dtype) {
  for (const Codec<T>& row : codecs<T>) {
    if (row.dtype == dtype) return row;
  }
  throw Error::mismatch(Code::type_mismatch, "", "dtype", std::string(to_string(dtype)), "another kind of number");
}

const Codec<uint64_t>& bits_codec(DType dtype) {
  static constexpr Codec<uint64_t> by_width[] = {unsigned_codec<2>({}),  unsigned_codec<4>({}),
                                                 unsigned_codec<8>({}),  unsigned_codec<16>({}),
                                                 unsigned_codec<32>({}), unsigned_codec<64>({})};
  return by_width[std::countr_zero(static_cast<unsigned>(bits(dtype))) - 1];
}

}  // namespace

template <class T>
Load<T> loader(DType dtype) {
  return codec_of<T>(dtype).load;
}
template <class T>
Store<T> storer(DType dtype) {
  return codec_of<T>(dtype).store;
}

#define INGOT_DOMAIN(T)                    \
  template Load<T> loader<T>(DType dtype); \
  template Store<T> storer<T>(DType dtype);
INGOT_DOMAIN(bool)
INGOT_DOMAIN(uint64_t)
INGOT_DOMAIN(int64_t)
INGOT_DOMAIN(double)
INGOT_DOMAIN(Complex)
#undef INGOT_DOMAIN

Load<uint64_t> bits_loader(DType dtype) { return bits_codec(dtype).load; }
Store<uint64_t> bits_storer(DType dtype) { return bits_codec(dtype).store; }

double round_to(DType dtype, double x) {
  std::byte element[sizeof(double)]{};
  storer<double>(dtype)(element, 0, x);
  return loader<double>(dtype)(element, 0);
}

Domain domain(DType dtype) {
  switch (dtype) {
    case DType::i4:
    case DType::i2: return Domain::signed_int;
    case DType::u4:
    case DType::u2: return Domain::unsigned_int;
    default: break;
  }
  switch (kind(dtype)) {
    case Kind::boolean: return Domain::boolean;
    case Kind::unsigned_int: return Domain::unsigned_int;
    case Kind::signed_int: return Domain::signed_int;
    case Kind::complex: return Domain::complex;
    default: return Domain::real;  // the small floats among the storage dtypes too
  }
}

}  // namespace ingot::elements
