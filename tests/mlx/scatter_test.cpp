// Writes that combine, by sorting: what runs on GPUs for elements of 64 bits, here against a plain loop.
#include "engines/mlx/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "engines/mlx/device.h"

namespace ingot::mlx_engine {
namespace {

constexpr int kRow = 3;  // elements of a row
constexpr ScatterFn kFunctions[] = {ScatterFn::add, ScatterFn::mul, ScatterFn::max, ScatterFn::min};

template <class T>
T joined(ScatterFn fn, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;  // which wraps
  switch (fn) {
    case ScatterFn::add: return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    case ScatterFn::mul: return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
    case ScatterFn::max: return std::max(a, b);
    default: return std::min(a, b);
  }
}
std::complex<float> joined(ScatterFn fn, std::complex<float> a, std::complex<float> b) {
  return fn == ScatterFn::add ? a + b : a * b;
}

template <class T>
std::vector<T> written(ScatterFn fn, std::vector<T> x, const std::vector<int64_t>& at, const std::vector<T>& updates) {
  const size_t n = x.size() / kRow;
  for (size_t i = 0; i < at.size(); ++i) {
    const size_t row = at[i] < 0 ? n - static_cast<size_t>(-at[i]) : static_cast<size_t>(at[i]);
    for (size_t j = 0; j < kRow; ++j) {
      T& element = x[row * kRow + j];
      element = joined(fn, element, updates[i * kRow + j]);
    }
  }
  return x;
}

template <class T>
array rows_of(const std::vector<T>& values, mx::Dtype dtype) {
  const mx::Shape shape = {static_cast<int>(values.size()) / kRow, kRow};
  if constexpr (std::same_as<T, std::complex<float>>) {
    std::vector<mx::complex64_t> numbers(values.begin(), values.end());
    return array(numbers.begin(), shape, dtype);
  } else {
    return array(values.begin(), shape, dtype);
  }
}

template <class T>
std::vector<T> by_sorting(Device& device, ScatterFn fn, const std::vector<T>& x, const std::vector<int64_t>& at,
                          const std::vector<T>& updates, mx::Dtype dtype, mx::Dtype of_indices) {
  return device.run([&] {
    const array indices = mx::astype(array(at.begin(), {static_cast<int>(at.size())}, mx::int64), of_indices);
    array y = scatter_by_sorting(fn, rows_of(x, dtype), indices, rows_of(updates, dtype), device.stream());
    y = mx::contiguous(y, false, device.stream());
    y.eval();
    return std::vector<T>(y.data<T>(), y.data<T>() + y.size());
  });
}

// On every device.
template <class T>
void expect_written(ScatterFn fn, const std::vector<T>& x, const std::vector<int64_t>& at,
                    const std::vector<T>& updates, mx::Dtype dtype) {
  const std::vector<T> expected = written(fn, x, at, updates);
  for (Device* device : devices()) {
    SCOPED_TRACE(device->name());
    EXPECT_EQ(by_sorting(*device, fn, x, at, updates, dtype, mx::int32), expected);
    EXPECT_EQ(by_sorting(*device, fn, x, at, updates, dtype, mx::int64), expected);
  }
}

template <class T>
std::vector<T> integers(size_t n, uint32_t seed) {
  constexpr T ends[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1, 2, static_cast<T>(-3)};
  std::mt19937_64 random(seed);
  std::vector<T> values(n * kRow);
  for (T& value : values) value = random() % 2 == 0 ? ends[random() % 6] : static_cast<T>(random());
  return values;
}

// Within -n … n-1: many meet.
std::vector<int64_t> indices(size_t count, int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> at(count);
  for (int64_t& index : at) index = static_cast<int64_t>(random() % static_cast<uint32_t>(2 * n)) - n;
  return at;
}

template <class T>
void compare_integers(mx::Dtype dtype) {
  for (const auto& [rows, writes] : {std::pair{1, 1}, {5, 1}, {1, 9}, {4, 64}, {70, 33}, {300, 1000}}) {
    const auto n = static_cast<size_t>(rows), m = static_cast<size_t>(writes);
    const std::vector<T> x = integers<T>(n, 1), updates = integers<T>(m, 2);
    const std::vector<int64_t> at = indices(m, rows, 3);
    for (ScatterFn fn : kFunctions) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << writes << " writes, " << to_string(fn));
      expect_written(fn, x, at, updates, dtype);
    }
  }
}

TEST(MlxScatter, OfI64) { compare_integers<int64_t>(mx::int64); }
TEST(MlxScatter, OfU64) { compare_integers<uint64_t>(mx::uint64); }

// Small integers: sums and products are exact in any order.
TEST(MlxScatter, OfC64) {
  using Complex = std::complex<float>;
  std::mt19937 random(7);
  const auto numbers = [&](size_t n) {
    std::vector<Complex> values(n * kRow);
    const auto part = [&] { return static_cast<float>(random() % 3) - 1; };
    for (Complex& value : values) value = {part(), part()};
    return values;
  };
  const std::vector<Complex> x = numbers(6), updates = numbers(40);
  const std::vector<int64_t> at = indices(40, 6, 8);
  for (ScatterFn fn : {ScatterFn::add, ScatterFn::mul}) expect_written(fn, x, at, updates, mx::complex64);
}

// A row of its own for each element, as `scatter` has it.
TEST(MlxScatter, OfRowsWithoutAxes) {
  const array x({5, 6, 7}, mx::int64), at({2, 0, 2, -1}, mx::int32), updates({1, 10, 100, 1000}, mx::int64);
  for (Device* device : devices()) {
    EXPECT_TRUE(device->run([&] {
      const array y = scatter_by_sorting(ScatterFn::add, x, at, updates, device->stream());
      return mx::array_equal(y, array({15, 6, 1108}, mx::int64), device->stream()).item<bool>();
    }));
  }
}

}  // namespace
}  // namespace ingot::mlx_engine
