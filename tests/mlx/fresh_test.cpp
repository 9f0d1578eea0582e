// Which arrays will have memory of their own, beside what MLX then gives them.
#include "engines/mlx/fresh.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ingot::mlx_engine {
namespace {

const mx::Device cpu = mx::Device::cpu;

array computed(array x) {
  x.eval();
  return x;
}

TEST(Fresh, IsWhatIsComputed) {
  const array x = computed(mx::random::normal({6, 6}, mx::float32, 0, 1, std::nullopt, cpu));
  const array row = computed(mx::random::normal({6}, mx::float32, 0, 1, std::nullopt, cpu));
  std::vector<std::pair<std::string, array>> all = {
      {"add", mx::add(x, row, cpu)},
      {"matmul", mx::matmul(x, x, cpu)},
      {"sum, squeezed", mx::sum(x, 0, false, cpu)},
      {"largest, squeezed", mx::argmax(x, 1, false, cpu)},
      {"softmax", mx::softmax(x, -1, false, cpu)},
      {"concatenated", mx::concatenate({x, x}, 0, cpu)},
      {"cast", mx::astype(x, mx::float16, cpu)},
      {"chosen", mx::where(mx::greater(x, row, cpu), x, row, cpu)},
      {"rows", mx::take(x, array({1, 3}), 0, cpu)},
      {"sorted", mx::sort(x, -1, cpu)},
      {"a view of a product", mx::transpose(mx::reshape(mx::matmul(x, x, cpu), {4, 9}, cpu), cpu)},
  };
  for (auto& [name, y] : all) {
    EXPECT_TRUE(gets_fresh_memory(y)) << name;
    y.eval();
    EXPECT_TRUE(y.is_donatable()) << name << " is somebody else's";
    EXPECT_FALSE(gets_fresh_memory(y)) << name << " has it";
  }
}

TEST(Fresh, IsNoViewOfWhatIsThere) {
  const array x = computed(mx::random::normal({6, 6}, mx::float32, 0, 1, std::nullopt, cpu));
  std::vector<std::pair<std::string, array>> all = {
      {"itself", x},
      {"reshaped", mx::reshape(x, {4, 9}, cpu)},
      {"transposed", mx::transpose(mx::expand_dims(x, 0, cpu), cpu)},
      {"a part", mx::slice(x, {1, 0}, {3, 6}, cpu)},
      {"stretched", mx::broadcast_to(x, {2, 6, 6}, cpu)},
      {"a copy, as MLX has it", mx::copy(x, cpu)},
      {"dense already", mx::contiguous(x, false, cpu)},
  };
  for (auto& [name, y] : all) {
    EXPECT_FALSE(gets_fresh_memory(y)) << name;
    y.eval();
    EXPECT_EQ(y.data_shared_ptr(), x.data_shared_ptr()) << name << " could be";
  }
  // To read a row must not move the rest.
  EXPECT_FALSE(gets_fresh_memory(mx::slice(mx::add(x, x, cpu), {1, 0}, {2, 6}, cpu)));
}

}  // namespace
}  // namespace ingot::mlx_engine
