// Quotients to the nearest integer in f32, as GPUs quantize, against f64: most of them near the middle of two integers.
#include "engines/mlx/packing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ingot::mlx_engine {
namespace {

struct Quotients {
  std::vector<float> x, scale, bias;
};

// x is the float nearest bias + (code + 1/2)·scale, or beside it.
Quotients near_ties(bool biased) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> numbers(0.01F, 4);
  Quotients all;
  for (int i = 0; i < 20000; ++i) {
    const float bias = biased ? numbers(random) - 2 : 0;
    // Some of few digits, which meet the middle itself.
    const float scale = i % 4 == 0 ? std::ldexp(static_cast<float>(random() % 31 + 1), -4) : numbers(random);
    const int code = static_cast<int>(random() % 255) - (biased ? 0 : 127);
    const auto middle = static_cast<float>(bias + (code + 0.5) * static_cast<double>(scale));
    const float beside = random() % 2 == 0 ? std::nextafter(middle, -1000.0F) : std::nextafter(middle, 1000.0F);
    all.x.push_back(random() % 2 == 0 ? middle : beside);
    all.scale.push_back(scale);
    all.bias.push_back(bias);
  }
  return all;
}

void compare_on(Device& device, const Quotients& given, bool biased) {
  const auto numbers = [](const std::vector<float>& values) {
    return array(values.begin(), {static_cast<int>(values.size())}, mx::float32);
  };
  const std::optional<array> bias = biased ? std::optional(numbers(given.bias)) : std::nullopt;
  const array actual = device.run([&] {
    array computed = nearest_multiple(numbers(given.x), numbers(given.scale), bias, device.stream());
    computed.eval();
    return computed;
  });
  int corrected = 0;
  for (size_t i = 0; i < given.x.size(); ++i) {
    const double above = static_cast<double>(given.x[i]) - given.bias[i];
    EXPECT_EQ(actual.data<float>()[i], std::nearbyint(above / given.scale[i]))
        << given.x[i] << " - " << given.bias[i] << " by " << given.scale[i];
    if (actual.data<float>()[i] != std::nearbyint((given.x[i] - given.bias[i]) / given.scale[i])) ++corrected;
  }
  EXPECT_GT(corrected, 100);  // else these numbers try nothing
}

TEST(MlxPacking, RoundsQuotientsAsIfExact) {
  for (Device* device : devices()) {
    SCOPED_TRACE(device->name());
    compare_on(*device, near_ties(false), false);
    compare_on(*device, near_ties(true), true);
  }
}

}  // namespace
}  // namespace ingot::mlx_engine
