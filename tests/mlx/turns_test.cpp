// Angles of integer positions without f64, as GPUs compute them, against long double.
#include "engines/mlx/turns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engines/mlx/device.h"

namespace ingot::mlx_engine {
namespace {

// Exact where position·frequency has no more than 64 bits.
struct Angle {
  long double cosine, sine;
};
Angle angle_of(long double position, double frequency) {
  const long double radians = position * static_cast<long double>(frequency);
  return {std::cos(radians), std::sin(radians)};
}

constexpr double kTolerance = 0x1p-23;

Rotation computed(Device& device, const array& positions, const std::vector<double>& frequencies) {
  return device.run([&] {
    Rotation rotation = rotations(positions, frequencies, device.stream());
    mx::eval({rotation.cosine, rotation.sine});
    return rotation;
  });
}

void compare_on(Device& device, const std::vector<int64_t>& positions, const std::vector<double>& frequencies) {
  ASSERT_TRUE(are_countable(frequencies));
  const array at(positions.begin(), {static_cast<int>(positions.size()), 1}, mx::int64);
  Rotation rotation = computed(device, at, frequencies);
  const mx::Shape expected = {static_cast<int>(positions.size()), static_cast<int>(frequencies.size())};
  ASSERT_EQ(rotation.cosine.shape(), expected);
  ASSERT_EQ(rotation.sine.shape(), expected);
  for (size_t i = 0; i < positions.size(); ++i) {
    for (size_t j = 0; j < frequencies.size(); ++j) {
      SCOPED_TRACE(testing::Message() << positions[i] << " times " << frequencies[j]);
      const Angle wanted = angle_of(static_cast<long double>(positions[i]), frequencies[j]);
      const size_t place = i * frequencies.size() + j;
      EXPECT_NEAR(rotation.cosine.data<float>()[place], static_cast<double>(wanted.cosine), kTolerance);
      EXPECT_NEAR(rotation.sine.data<float>()[place], static_cast<double>(wanted.sine), kTolerance);
    }
  }
}

// On every device.
void compare(const std::vector<int64_t>& positions, const std::vector<double>& frequencies) {
  for (Device* device : devices()) {
    SCOPED_TRACE(device->name());
    compare_on(*device, positions, frequencies);
  }
}

TEST(MlxTurns, OfNearPositions) {
  std::vector<int64_t> positions;
  for (int64_t p = -40; p <= 40; ++p) positions.push_back(p);
  compare(positions, {1, 0.01, 1.681792830507429, -0.5, 0, 1e-30, 123456.789, 4e9});
}

TEST(MlxTurns, OfFarPositions) {
  // Powers of two leave the frequency its digits.
  std::vector<int64_t> positions = {131072, 1000000000, -1099511627776, std::numeric_limits<int64_t>::min()};
  for (int bit = 30; bit < 63; ++bit) positions.push_back(int64_t{1} << bit), positions.push_back(-(int64_t{1} << bit));
  compare(positions, {1, 0.5, 0.01, 1.681792830507429, 0.0078125});
}

TEST(MlxTurns, OfNothing) {
  compare({}, {1, 0.5});
  compare({1, 2}, {});
}

// Small angles keep their digits.
TEST(MlxTurns, OfSmallAngles) {
  for (const double frequency : {1e-3, 1e-6, 1e-9}) {
    array sine = computed(*devices().front(), array({3}, {1, 1}, mx::int64), {frequency}).sine;
    const double expected = std::sin(3 * frequency);
    EXPECT_NEAR(sine.item<float>(), expected, expected * 0x1p-22);
  }
}

TEST(MlxTurns, OfUnsignedPositions) {
  const uint64_t at[] = {uint64_t{1} << 63};
  Rotation rotation = computed(*devices().front(), array(at, {1, 1}, mx::uint64), {0.01});
  const Angle wanted = angle_of(0x1p63L, 0.01);
  EXPECT_NEAR(rotation.cosine.item<float>(), static_cast<double>(wanted.cosine), kTolerance);
  EXPECT_NEAR(rotation.sine.item<float>(), static_cast<double>(wanted.sine), kTolerance);
}

TEST(MlxTurns, RefusesWhatHasNoFraction) {
  EXPECT_TRUE(are_countable({}));
  EXPECT_FALSE(are_countable({1, 0x1p32}));
  EXPECT_FALSE(are_countable({std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(are_countable({std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace
}  // namespace ingot::mlx_engine
