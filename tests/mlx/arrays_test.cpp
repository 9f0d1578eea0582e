// MLX arrays as inputs and outputs of calls.
#include "engines/mlx/arrays.h"

#include <gtest/gtest.h>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

namespace mx = mlx::core;

constexpr const char* sum = R"(
method forward(%x: f32[2, 3]) -> (y) {
  %y = add %x, %x
  return %y
}
)";

TEST(MlxArrays, GoInAndComeOut) {
  const Executable executable = compiled(sum, {.engine = "mlx", .device = "cpu"});
  Session session(executable);
  const mx::array x = mx::transpose(mx::reshape(mx::arange(6.0F), {3, 2}));  // lazy, and not dense
  const std::vector<Handle> outputs = session.run_on_device({mlx_engine::handle_of(x, "cpu")});
  const mx::array& y = mlx_engine::array_of(outputs[0]);
  EXPECT_EQ(y.shape(), (mx::Shape{2, 3}));
  EXPECT_EQ(values<float>(outputs[0]->to_host()), (Floats{0, 4, 8, 2, 6, 10}));
}

TEST(MlxArrays, AreRefusedWhereTheyDoNotFit) {
  Session session(compiled(sum, {.engine = "mlx", .device = "cpu"}));
  const auto refusal = [&](const mx::array& x) {
    return message_of([&] { session.run_on_device({mlx_engine::handle_of(x, "cpu")}); }, Code::type_mismatch);
  };
  EXPECT_EQ(refusal(mx::zeros({3, 2})), "[forward] input x is f32[3, 2], expected f32[2, 3]");
  EXPECT_EQ(refusal(mx::zeros({2, 3}, mx::int32)), "[forward] input x is i32[2, 3], expected f32[2, 3]");
  Session elsewhere(compiled(sum));
  const Handle foreign = elsewhere.upload(f32({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(message_of([&] { mlx_engine::array_of(foreign); }, Code::invalid_argument),
            "the tensor belongs to another engine");
}

}  // namespace
}  // namespace ingot::test
