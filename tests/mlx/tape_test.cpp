// What a tape replays: the same values from fewer primitives, again and again.
#include "engines/mlx/tape.h"

#include <gtest/gtest.h>
#include <mlx/primitives.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ingot::mlx_engine {
namespace {

using Primitives = std::map<std::string, int>;

// Those that have not been evaluated yet, by name.
Primitives primitives_of(const std::vector<array>& outputs) {
  Primitives count;
  std::set<std::uintptr_t> seen;
  std::vector<array> left = outputs;
  while (!left.empty()) {
    const array a = left.back();
    left.pop_back();
    if (!seen.insert(a.id()).second || !a.has_primitive() || a.status() != array::Status::unscheduled) continue;
    ++count[a.primitive().name()];
    left.insert(left.end(), a.inputs().begin(), a.inputs().end());
  }
  return count;
}

class TapeTest : public ::testing::Test {
 protected:
  Device& device = find_device("cpu");
  mx::Stream s = device.stream();

  static array numbers(const mx::Shape& shape) {
    int count = 1;
    for (int size : shape) count *= size;
    std::vector<float> values(static_cast<size_t>(count));
    std::iota(values.begin(), values.end(), 0.0F);
    return array(values.begin(), shape, mx::float32);
  }

  // The primitives of a replay, whose values have been compared with those of the function itself, twice.
  Primitives replayed(const Tape::Function& function, const std::vector<array>& inputs) {
    return device.run([&] { return replayed_by_worker(function, inputs); });
  }

 private:
  Primitives replayed_by_worker(const Tape::Function& function, const std::vector<array>& inputs) const {
    const Tape tape(function, inputs, device);
    Primitives count;
    for (float factor : {1.0F, -3.0F}) {
      std::vector<array> scaled;
      for (const array& input : inputs) scaled.push_back(mx::multiply(input, array(factor), s));
      mx::eval(scaled);
      const std::vector<array> expected = function(scaled), actual = tape.replay(scaled);
      EXPECT_EQ(actual.size(), expected.size());
      count = primitives_of(actual);
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(actual[i].shape(), expected[i].shape());
        EXPECT_TRUE(mx::array_equal(actual[i], expected[i], s).item<bool>()) << "output " << i;
      }
    }
    return count;
  }
};

TEST_F(TapeTest, AStepOfADecoderReshapesOnce) {
  const auto heads = [this](const std::vector<array>& in) {
    const array rows = mx::transpose(mx::unflatten(in[0], -1, {3, 8}, s), {0, 2, 1, 3}, s);
    return std::vector{mx::negative(mx::unflatten(rows, -1, {2, 4}, s), s)};
  };
  EXPECT_EQ(replayed(heads, {numbers({1, 1, 24})}), (Primitives{{"Reshape", 1}, {"Negative", 1}}));
}

TEST_F(TapeTest, AxesOfSeveralElementsAreStillTransposed) {
  const auto heads = [this](const std::vector<array>& in) {
    const array rows = mx::transpose(mx::unflatten(in[0], -1, {3, 8}, s), {0, 2, 1, 3}, s);
    return std::vector{mx::flatten(rows, 0, 1, s)};
  };
  EXPECT_EQ(replayed(heads, {numbers({1, 2, 24})}), (Primitives{{"Unflatten", 1}, {"Transpose", 1}, {"Flatten", 1}}));
}

TEST_F(TapeTest, ThereAndBackIsNothing) {
  const auto there_and_back = [this](const std::vector<array>& in) {
    const array there = mx::expand_dims(mx::flatten(in[0], 0, -1, s), 0, s);
    return std::vector{mx::reshape(there, {2, 3}, s), mx::negative(mx::reshape(there, {2, 3}, s), s)};
  };
  EXPECT_EQ(replayed(there_and_back, {numbers({2, 3})}), (Primitives{{"Negative", 1}}));
}

TEST_F(TapeTest, AReshapeThatIsReadKeepsItsPlace) {
  const auto both = [this](const std::vector<array>& in) {
    const array flat = mx::reshape(in[0], {6}, s);
    return std::vector{mx::negative(flat, s), mx::reshape(flat, {3, 2}, s), mx::reshape(in[0], {3, 2}, s)};
  };
  EXPECT_EQ(replayed(both, {numbers({2, 3})}), (Primitives{{"Reshape", 2}, {"Negative", 1}}));
}

TEST_F(TapeTest, ReshapesOfStridedAndOfEmptyArrays) {
  const auto of_columns = [this](const std::vector<array>& in) {
    const array columns = mx::transpose(in[0], {1, 0}, s);
    return std::vector{mx::reshape(mx::expand_dims(columns, 1, s), {6}, s)};
  };
  EXPECT_EQ(replayed(of_columns, {numbers({2, 3})}), (Primitives{{"Transpose", 1}, {"Reshape", 1}}));
  const auto of_nothing = [this](const std::vector<array>& in) {
    return std::vector{mx::reshape(mx::transpose(mx::reshape(in[0], {0, 5}, s), {1, 0}, s), {5, 0, 2}, s)};
  };
  replayed(of_nothing, {numbers({0, 3})});
}

// Not one of MLX's, whatever it is called.
class Reversed final : public mx::UnaryPrimitive {
 public:
  using mx::UnaryPrimitive::UnaryPrimitive;
  void eval_cpu(const std::vector<array>& inputs, array& output) override {
    const array& x = inputs[0];
    output.set_data(mx::allocator::malloc(output.nbytes()));
    std::reverse_copy(x.data<float>(), x.data<float>() + x.size(), output.data<float>());
  }
  void eval_gpu(const std::vector<array>&, array&) override { throw std::runtime_error("not on this device"); }
  const char* name() const override { return "Transpose"; }
};

TEST_F(TapeTest, APrimitiveOfOnesOwnIsNotKnownByItsName) {
  const auto function = [this](const std::vector<array>& in) {
    const array flat = mx::flatten(in[0], 0, -1, s);
    const array reversed(flat.shape(), flat.dtype(), std::make_shared<Reversed>(s), {flat});
    return std::vector{mx::reshape(reversed, in[0].shape(), s)};
  };
  EXPECT_EQ(replayed(function, {numbers({2, 3})}), (Primitives{{"Flatten", 1}, {"Transpose", 1}, {"Reshape", 1}}));
}

TEST_F(TapeTest, EqualStepsAreOneAndWhatNeedsNoInputIsNone) {
  const auto layers = [this](const std::vector<array>& in) {
    array x = in[0];
    for (int layer = 0; layer < 4; ++layer) {
      const array mask = mx::less(mx::arange(0, 6, 1, mx::float32, s), in[1], s);
      x = mx::where(mask, mx::add(x, mx::square(array(2.0F), s), s), x, s);
    }
    return std::vector{x};
  };
  EXPECT_EQ(replayed(layers, {numbers({6}), numbers({1})}),
            (Primitives{{"Less", 1}, {"Add", 4}, {"Select", 4}, {"Broadcast", 1}}));
}

TEST_F(TapeTest, OutputsMayBeInputsConstantsAndTwiceTheSame) {
  const auto function = [this](const std::vector<array>& in) {
    const array sum = mx::add(in[0], in[0], s);
    return std::vector{in[0], sum, array({1.0F, 2.0F}), mx::add(in[0], in[0], s), sum};
  };
  EXPECT_EQ(replayed(function, {numbers({5})}), (Primitives{{"Add", 1}}));
}

}  // namespace
}  // namespace ingot::mlx_engine
