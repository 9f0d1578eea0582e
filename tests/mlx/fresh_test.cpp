// Which arrays will have memory of their own, beside what MLX then gives them.
#include "engines/mlx/fresh.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/mlx/tensor.h"

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
  const array packed = computed(mx::full({6, 4}, array(uint32_t{7}), mx::uint32, cpu));
  const array images = computed(mx::ones({1, 6, 6}, mx::float32, cpu)),
              grid = computed(mx::ones({6, 1}, mx::float32, cpu));
  std::vector<std::pair<std::string, array>> all = {
      {"add", mx::add(x, row, cpu)},
      {"addmm", mx::addmm(x, x, x, 2, 3, cpu)},
      {"all", mx::all(x, 0, false, cpu)},
      {"any", mx::any(x, 0, false, cpu)},
      {"argmax", mx::argmax(x, 1, false, cpu)},
      {"argsort", mx::argsort(x, 1, cpu)},
      {"astype", mx::astype(x, mx::float16, cpu)},
      {"concatenate", mx::concatenate({x, x}, 0, cpu)},
      {"convolution", mx::conv1d(images, mx::ones({6, 3, 6}, mx::float32, cpu), 1, 0, 1, 1, cpu)},
      {"cumsum", mx::cumsum(x, 0, false, true, cpu)},
      {"divide", mx::divide(x, row, cpu)},
      {"erf", mx::erf(x, cpu)},
      {"exp", mx::exp(x, cpu)},
      {"gather", mx::take(x, array({1, 3}), 0, cpu)},
      {"log", mx::log(x, cpu)},
      {"logsumexp", mx::logsumexp(x, 1, false, cpu)},
      {"matmul", mx::matmul(x, x, cpu)},
      {"max", mx::max(x, 0, false, cpu)},
      {"maximum", mx::maximum(x, row, cpu)},
      {"min", mx::min(x, 0, false, cpu)},
      {"minimum", mx::minimum(x, row, cpu)},
      {"multiply", mx::multiply(x, row, cpu)},
      {"negative", mx::negative(x, cpu)},
      {"power", mx::power(x, row, cpu)},
      {"prod", mx::prod(x, 0, false, cpu)},
      {"quantized_matmul",
       mx::quantized_matmul(mx::ones({2, 32}, mx::float32, cpu), packed, grid, grid, true, 32, 4, "affine", cpu)},
      {"rsqrt", mx::rsqrt(x, cpu)},
      {"select", mx::where(mx::greater(x, row, cpu), x, row, cpu)},
      {"sigmoid", mx::sigmoid(x, cpu)},
      {"softmax", mx::softmax(x, -1, false, cpu)},
      {"sort", mx::sort(x, -1, cpu)},
      {"sqrt", mx::sqrt(x, cpu)},
      {"square", mx::square(x, cpu)},
      {"subtract", mx::subtract(x, row, cpu)},
      {"sum", mx::sum(x, 0, false, cpu)},
      {"tanh", mx::tanh(x, cpu)},
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

TEST(Fresh, OutputsMayBeViewsOfOneAnother) {
  const array x = computed(mx::ones({6, 6}, mx::float32, cpu));
  array y = mx::matmul(x, x, cpu), z = mx::reshape(y, {4, 9}, cpu), other = mx::matmul(x, x, cpu);
  EXPECT_TRUE(gets_fresh_memory(y) && gets_fresh_memory(z) && gets_fresh_memory(other));
  mx::eval({y, z, other});
  EXPECT_TRUE(share_memory(y, z));
  EXPECT_FALSE(share_memory(y, other));
}

TEST(Fresh, LastsUntilSomebodyUsesIt) {
  const auto tensor = std::make_shared<MlxTensor>(find_device("cpu"));
  tensor->fill(array(1.0F), DType::f32, {});
  EXPECT_FALSE(tensor->may_move()) << "nobody has said so";
  tensor->set_fresh(true);
  EXPECT_TRUE(tensor->may_move());
  {
    const Handle held = tensor;
    EXPECT_FALSE(tensor->may_move());
  }
  EXPECT_TRUE(tensor->may_move());
  EXPECT_EQ(tensor->value().size(), 1);
  EXPECT_FALSE(tensor->may_move()) << "it is used";
  tensor->fill(array(2.0F), DType::f32, {});
  EXPECT_FALSE(tensor->may_move()) << "of another nobody has said so";
}

}  // namespace
}  // namespace ingot::mlx_engine
