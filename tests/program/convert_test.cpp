// Tensor::to and Tensor::broadcast_to. The bits of small floats are those that NumPy 1.26 and ml_dtypes 0.5 give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "program/error.h"
#include "program/tensor.h"
#include "tests/program/io_support.h"

namespace ingot {
namespace {

using test::message_of;

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min(), kHighest = std::numeric_limits<int64_t>::max();

template <class T>
Tensor list(const std::vector<T>& values) {
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

Tensor bools(const std::vector<uint8_t>& values) {
  return Tensor(DType::bool_, {static_cast<int64_t>(values.size())}, list(values).buffer());
}

Tensor complex(const std::vector<float>& parts) {
  return Tensor(DType::c64, {static_cast<int64_t>(parts.size() / 2)}, list(parts).buffer());
}

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  const auto values = tensor.as<T>();
  return {values.begin(), values.end()};
}

// The bytes as they lie in memory, read as words of T.
template <class T = uint8_t>
std::vector<T> words(const Tensor& tensor) {
  return elements<T>(Tensor(dtype_of<T>(), {static_cast<int64_t>(tensor.bytes().size() / sizeof(T))}, tensor.buffer()));
}

// ------------------------------------------------------------------------------------------------------------- reals

TEST(TensorTo, RoundsToTheNearestEvenBf16) {
  const Tensor x =
      list<double>({1 + 0x1p-9, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-20, 3.4e38, kInf, -0.0, 0x1p-134, 0x3p-134});
  const std::vector<uint16_t> expected = {0x3f80, 0x3f80, 0x3f82, 0x3f81, 0x7f80, 0x7f80, 0x8000, 0, 2};
  EXPECT_EQ(words<uint16_t>(x.to(DType::bf16)), expected);
  EXPECT_EQ(x.to(DType::bf16).sizes(), Sizes({9}));
}

TEST(TensorTo, RoundsToTheNearestEvenF16) {
  const Tensor x =
      list<float>({1 + 0x1p-11f, 1 + 0x3p-11f, 65519, 65520, -INFINITY, 0x1p-25f, 0x3p-25f, 0x1p-24f, -0.0f});
  const std::vector<uint16_t> expected = {0x3c00, 0x3c02, 0x7bff, 0x7c00, 0xfc00, 0, 2, 1, 0x8000};
  EXPECT_EQ(words<uint16_t>(x.to(DType::f16)), expected);
}

// 1 + 2^-24 + 2^-50 is above the middle of two neighbours in f32; through f32 first it would round to the even one.
TEST(TensorTo, RoundsOnce) {
  EXPECT_EQ(elements<float>(list<double>({1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50}).to(DType::f32)),
            std::vector<float>({1, 1 + 0x1p-23f}));
  EXPECT_EQ(words<uint16_t>(list<double>({1 + 0x1p-11 + 0x1p-40}).to(DType::f16)), std::vector<uint16_t>({0x3c01}));
}

TEST(TensorTo, RoundsToTheNearestEvenF8) {
  EXPECT_EQ(
      words(list<float>({1.0625f, 1.1875f, 464, 465, -448, 0x1p-10f, 0x3p-10f, INFINITY, -0.0f}).to(DType::f8e4m3)),
      std::vector<uint8_t>({0x38, 0x3a, 0x7e, 0x7f, 0xfe, 0, 2, 0x7f, 0x80}));
  EXPECT_EQ(words(list<float>({1.125f, 1.375f, 61439, 61440, -INFINITY, 0x1p-17f, 0x3p-17f}).to(DType::f8e5m2)),
            std::vector<uint8_t>({0x3c, 0x3e, 0x7b, 0x7c, 0xfc, 0, 2}));
  EXPECT_EQ(words(list<float>({1, 1.49f, 1.5f, 3, 0x1p-127f, 0, -1}).to(DType::f8e8m0)),
            std::vector<uint8_t>({0x7f, 0x7f, 0x80, 0x81, 0, 0xff, 0xff}));
}

TEST(TensorTo, KeepsNan) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f8e4m3, DType::f8e5m2, DType::f8e8m0}) {
    EXPECT_TRUE(std::isnan(list<double>({kNan}).to(dtype).to(DType::f64).as<double>()[0])) << to_string(dtype);
  }
}

// --------------------------------------------------------------------------------------------------------- integers

TEST(TensorTo, CutsRealsTowardsZeroAndWrapsThroughI64) {
  const Tensor x = list<double>({2.9, -2.9, 300, -129, kNan, kInf, -kInf, 1e30});
  EXPECT_EQ(elements<int8_t>(x.to(DType::i8)), std::vector<int8_t>({2, -2, 44, 127, 0, -1, 0, -1}));
  EXPECT_EQ(elements<uint8_t>(x.to(DType::u8)), std::vector<uint8_t>({2, 254, 44, 127, 0, 255, 0, 255}));
  EXPECT_EQ(elements<int64_t>(x.to(DType::i64)),
            std::vector<int64_t>({2, -2, 300, -129, 0, kHighest, kLowest, kHighest}));
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(elements<uint64_t>(x.to(DType::u64)), std::vector<uint64_t>({2, 0, 300, 0, 0, most, 0, most}));
}

TEST(TensorTo, KeepsTheLowBitsOfIntegers) {
  EXPECT_EQ(elements<int8_t>(list<int32_t>({127, 128, -129, 256}).to(DType::i8)),
            std::vector<int8_t>({127, -128, 127, 0}));
  EXPECT_EQ(elements<uint64_t>(list<int8_t>({-1, 5}).to(DType::u64)),
            std::vector<uint64_t>({std::numeric_limits<uint64_t>::max(), 5}));
  EXPECT_EQ(elements<int64_t>(list<uint64_t>({0x8000'0000'0000'0000}).to(DType::i64)), std::vector<int64_t>({kLowest}));
}

TEST(TensorTo, RoundsLargeIntegersOnce) {
  const Tensor x = list<int64_t>({(1LL << 24) + 1, (1LL << 60) + (1LL << 36) + 1, -((1LL << 60) + (1LL << 36) + 1)});
  EXPECT_EQ(words<uint32_t>(x.to(DType::f32)), std::vector<uint32_t>({0x4b800000, 0x5d800001, 0xdd800001}));
  EXPECT_EQ(elements<double>(list<int64_t>({(1LL << 53) + 1}).to(DType::f64)), std::vector<double>({0x1p53}));
}

// ------------------------------------------------------------------------------------------------- bool and complex

TEST(TensorTo, MakesBoolOfWhatIsNotZero) {
  EXPECT_EQ(words(list<double>({0, -0.0, 0.1, kNan, kInf}).to(DType::bool_)), std::vector<uint8_t>({0, 0, 1, 1, 1}));
  EXPECT_EQ(words(list<int32_t>({0, 256, -1}).to(DType::bool_)), std::vector<uint8_t>({0, 1, 1}));
  EXPECT_EQ(words(complex({0, 0, 0, 2, 3, 0}).to(DType::bool_)), std::vector<uint8_t>({0, 1, 1}));
  EXPECT_EQ(elements<float>(bools({0, 1}).to(DType::f32)), std::vector<float>({0, 1}));
  EXPECT_EQ(elements<int64_t>(bools({0, 1}).to(DType::i64)), std::vector<int64_t>({0, 1}));
}

TEST(TensorTo, DropsTheImaginaryPart) {
  EXPECT_EQ(elements<float>(complex({1.5, 2, -3, 4}).to(DType::f32)), std::vector<float>({1.5, -3}));
  EXPECT_EQ(elements<int32_t>(complex({1.5, 2, -3, 4}).to(DType::i32)), std::vector<int32_t>({1, -3}));
  EXPECT_EQ(words<float>(list<double>({1 + 0x1p-24, -2}).to(DType::c64)), std::vector<float>({1, 0, -2, 0}));
}

// ------------------------------------------------------------------------------------------------ less than a byte

// Low bits first, and zeros after the last element.
TEST(TensorTo, PacksAnOddNumberOfSmallElements) {
  EXPECT_EQ(words(list<int32_t>({1, -2, 7}).to(DType::i4)), std::vector<uint8_t>({0xe1, 0x07}));
  EXPECT_EQ(words(list<int32_t>({1, 15, 9}).to(DType::u4)), std::vector<uint8_t>({0xf1, 0x09}));
  EXPECT_EQ(words(list<int32_t>({1, -2, -1, 0, 1}).to(DType::i2)), std::vector<uint8_t>({0x39, 0x01}));
  EXPECT_EQ(words(list<int32_t>({1, 2, 3, 0, 3}).to(DType::u2)), std::vector<uint8_t>({0x39, 0x03}));
  EXPECT_EQ(words(list<float>({0.25f, 0.75f, 1.25f, 2.5f, 3.5f, 5, 7, -100, -0.0f}).to(DType::f4e2m1)),
            std::vector<uint8_t>({0x20, 0x42, 0x66, 0xf7, 0x08}));
}

TEST(TensorTo, UnpacksAnOddNumberOfSmallElements) {
  const auto unpacked = [](DType dtype, int64_t count, const std::vector<uint8_t>& bytes) {
    return elements<int32_t>(Tensor(dtype, {count}, list(bytes).buffer()).to(DType::i32));
  };
  EXPECT_EQ(unpacked(DType::i4, 3, {0xe1, 0x07}), std::vector<int32_t>({1, -2, 7}));
  EXPECT_EQ(unpacked(DType::u4, 3, {0xf1, 0x09}), std::vector<int32_t>({1, 15, 9}));
  EXPECT_EQ(unpacked(DType::i2, 5, {0x39, 0x01}), std::vector<int32_t>({1, -2, -1, 0, 1}));
  EXPECT_EQ(unpacked(DType::u2, 5, {0x39, 0x03}), std::vector<int32_t>({1, 2, 3, 0, 3}));
}

// ------------------------------------------------------------------------------------------------------ the tensor

TEST(TensorTo, SharesTheBytesOfTheSameDtype) {
  const Tensor x = list<float>({1, 2});
  EXPECT_EQ(x.to(DType::f32).bytes().data(), x.bytes().data());
}

TEST(TensorTo, ReadsViewsThatAreNotAligned) {
  const float values[] = {1.5, -2};
  const Tensor x(DType::f32, {2}, test::buffer_of(test::text_of(std::as_bytes(std::span(values))), 1));
  ASSERT_FALSE(x.is_aligned());
  EXPECT_EQ(elements<int32_t>(x.to(DType::i32)), std::vector<int32_t>({1, -2}));
}

TEST(TensorTo, TakesEverySize) {
  EXPECT_EQ(Tensor::of<float>({2, 0, 3}, {}).to(DType::i4).sizes(), Sizes({2, 0, 3}));
  EXPECT_EQ(elements<int64_t>(Tensor::of<float>({}, {7}).to(DType::i64)), std::vector<int64_t>({7}));
}

// Every pair of dtypes either converts 1 or is refused, as `cast` does.
TEST(TensorTo, KnowsEveryPairOfDtypes) {
  for (int from = 0; from < static_cast<int>(DType::packed); ++from) {
    for (int to = 0; to < static_cast<int>(DType::packed); ++to) {
      const auto a = static_cast<DType>(from), b = static_cast<DType>(to);
      const Tensor x = list<float>({1}).to(a);
      if (a == DType::c64 && kind(b) == Kind::storage) {
        EXPECT_THROW(x.to(b), Error);
      } else {
        EXPECT_EQ(x.to(b).to(DType::f32).as<float>()[0], 1) << to_string(a) << " " << to_string(b);
      }
    }
  }
}

TEST(TensorTo, RefusesWhatCastRefuses) {
  const QuantScheme scheme{.method = QuantMethod::affine, .bits = 4, .group = 64, .scale = DType::f16};
  const Tensor packed = Tensor::allocate(DType::packed, {1, 64}, scheme);
  for (const DType dtype : {DType::f32, DType::packed}) {
    EXPECT_EQ(message_of([&] { packed.to(dtype); }, Code::type_mismatch),
              "[to] x is packed, expected a dtype of single elements (dequantize it)");
  }
  EXPECT_EQ(message_of([&] { Tensor().to(DType::packed); }, Code::type_mismatch),
            "[to] dtype is packed, expected a dtype of single elements (quantize makes packed ones)");
  EXPECT_EQ(message_of([&] { complex({1, 2}).to(DType::i4); }, Code::type_mismatch),
            "[to] dtype is i4, expected bool, integer, real or complex (x is c64)");
}

// --------------------------------------------------------------------------------------------------------- broadcast

TEST(TensorBroadcastTo, RepeatsAsNumPyDoes) {
  const Tensor column = Tensor::of<int32_t>({2, 1}, {1, 2}), row = Tensor::of<int32_t>({3}, {1, 2, 3});
  EXPECT_EQ(elements<int32_t>(column.broadcast_to({2, 3})), std::vector<int32_t>({1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(elements<int32_t>(row.broadcast_to({2, 3})), std::vector<int32_t>({1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(elements<int32_t>(column.broadcast_to({2, 2, 2})), std::vector<int32_t>({1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(elements<int32_t>(Tensor::of<int32_t>({2, 1, 2}, {1, 2, 3, 4}).broadcast_to({2, 2, 2})),
            std::vector<int32_t>({1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(elements<int32_t>(Tensor::of<int32_t>({}, {7}).broadcast_to({2, 2})), std::vector<int32_t>(4, 7));
  EXPECT_EQ(column.broadcast_to({2, 3}).sizes(), Sizes({2, 3}));
}

TEST(TensorBroadcastTo, StretchesToNothing) {
  EXPECT_EQ(Tensor::of<int32_t>({1}, {7}).broadcast_to({2, 0}).sizes(), Sizes({2, 0}));
  EXPECT_EQ(Tensor::of<int32_t>({0}, {}).broadcast_to({2, 0}).bytes().size(), 0u);
}

TEST(TensorBroadcastTo, MovesTheBitsOfEveryWidth) {
  const Tensor x = Tensor::of<int32_t>({3, 1}, {1, -2, -1});
  EXPECT_EQ(words(x.to(DType::i4).broadcast_to({3, 3})), std::vector<uint8_t>({0x11, 0xe1, 0xee, 0xff, 0x0f}));
  for (const DType dtype : {DType::i8, DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::i2}) {
    EXPECT_EQ(elements<int32_t>(x.to(dtype).broadcast_to({3, 3}).to(DType::i32)),
              std::vector<int32_t>({1, 1, 1, -2, -2, -2, -1, -1, -1}))
        << to_string(dtype);
  }
}

TEST(TensorBroadcastTo, SharesTheBytesOfTheSameSizes) {
  const Tensor x = list<float>({1, 2});
  EXPECT_EQ(x.broadcast_to({2}).bytes().data(), x.bytes().data());
}

TEST(TensorBroadcastTo, RefusesWhatDoesNotBroadcast) {
  const Tensor x = Tensor::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const Sizes& sizes : {Sizes{3}, Sizes{2, 1}, Sizes{2, 6}, Sizes{3, 2}, Sizes{0, 3}}) {
    EXPECT_EQ(message_of([&] { x.broadcast_to(sizes); }, Code::type_mismatch),
              fmt::format("[broadcast_to] shape of x is [2, 3], expected one that broadcasts to [{}]",
                          fmt::join(sizes, ", ")));
  }
  const QuantScheme scheme{.method = QuantMethod::affine, .bits = 4, .group = 64, .scale = DType::f16};
  EXPECT_EQ(
      message_of([&] { Tensor::allocate(DType::packed, {1, 64}, scheme).broadcast_to({2, 64}); }, Code::type_mismatch),
      "[broadcast_to] x is packed, expected a dtype of single elements (dequantize it)");
}

TEST(TensorBroadcastTo, RefusesSizesThatCannotBe) {
  EXPECT_EQ(message_of([] { Tensor().broadcast_to({-1}); }, Code::out_of_range),
            "size of axis 0 is -1, expected 0 or more");
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(message_of([&] { Tensor().broadcast_to({most, most}); }, Code::limit),
            "the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements");
}

}  // namespace
}  // namespace ingot
