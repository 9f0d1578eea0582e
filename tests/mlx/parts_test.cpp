// What CUDA asks of views, decided and copied on the CPU.
#include "engines/mlx/parts.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

namespace ingot::mlx_engine {
namespace {

array halves(const mx::Shape& shape) { return mx::zeros(shape, mx::float16, mx::Device::cpu); }

TEST(Parts, ThatBeginOn16Bytes) {
  EXPECT_TRUE(begins_aligned(halves({72}), {0}, {64}));
  EXPECT_TRUE(begins_aligned(halves({72}), {8}, {64}));
  EXPECT_TRUE(begins_aligned(halves({5, 64}), {3, 0}, {2, 64}));
  EXPECT_TRUE(begins_aligned(halves({5, 72}), {0, 8}, {5, 64}));
  EXPECT_TRUE(begins_aligned(halves({5, 67}), {0, 0}, {3, 67}));  // dense
  EXPECT_TRUE(begins_aligned(halves({5, 67}), {0, 0}, {5, 67}));
  EXPECT_TRUE(begins_aligned(halves({}), {}, {}));
}

TEST(Parts, ThatBeginAnywhere) {
  EXPECT_FALSE(begins_aligned(halves({72}), {1}, {64}));
  EXPECT_FALSE(begins_aligned(halves({72}), {7}, {64}));
  EXPECT_FALSE(begins_aligned(halves({5, 67}), {1, 0}, {4, 67}));
  EXPECT_FALSE(begins_aligned(halves({5, 67}), {0, 0}, {5, 64}));  // its second row
  EXPECT_FALSE(begins_aligned(halves({5, 64}), {0, 4}, {5, 32}));
  EXPECT_FALSE(begins_aligned(halves({2, 5, 4}), {0, 0, 0}, {2, 3, 4}));
}

// The numbers 0, 1, … in that shape.
array counted(const mx::Shape& shape) {
  const int count = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
  return mx::reshape(mx::arange(count, mx::float32, mx::Device::cpu), shape, mx::Device::cpu);
}

TEST(Parts, AreCopiedWhole) {
  const mx::Stream s = mx::default_stream(mx::Device::cpu);
  const array x = counted({4, 6});
  const array views[] = {mx::slice(x, {1, 0}, {4, 6}, s),  // dense
                         mx::slice(x, {0, 1}, {4, 5}, s),
                         mx::slice(x, {1, 2}, {2, 3}, s),
                         mx::slice(x, {1, 2}, {1, 6}, s),  // nothing
                         mx::transpose(x, s),
                         mx::flip(x, std::vector<int>{0, 1}, s),
                         mx::broadcast_to(counted({1, 3}), {1, 5, 3}, s),
                         array(3.0F)};
  for (const array& view : views) {
    array copy = copied(view, s);
    ASSERT_EQ(copy.shape(), view.shape());
    EXPECT_TRUE(mx::array_equal(copy, view, s).item<bool>());
    if (view.size() == 0) continue;
    EXPECT_TRUE(copy.flags().row_contiguous);
    EXPECT_EQ(copy.offset(), 0);
    EXPECT_NE(copy.data_shared_ptr(), view.data_shared_ptr());
  }
}

}  // namespace
}  // namespace ingot::mlx_engine
