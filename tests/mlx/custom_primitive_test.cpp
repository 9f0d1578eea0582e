// Ops of the host that bring a primitive of their own to MLX: it runs, and fails, when the call is evaluated.
#include <gtest/gtest.h>
#include <mlx/primitives.h>

#include <atomic>
#include <stdexcept>

#include "engines/mlx/custom.h"
#include "tests/runtime/support.h"

namespace ingot {
namespace {

namespace mx = mlx_engine::mx;
using mx::array;
using test::values;

// Its operand, or a failure.
class Fragile final : public mx::UnaryPrimitive {
 public:
  Fragile(mx::Stream stream, const std::atomic<bool>& breaks) : mx::UnaryPrimitive(stream), breaks_(breaks) {}
  void eval_cpu(const std::vector<array>& inputs, array& output) override {
    if (breaks_) throw std::runtime_error("out of ink");
    output.copy_shared_buffer(inputs[0]);
  }
  void eval_gpu(const std::vector<array>&, array&) override { throw std::runtime_error("not on this device"); }
  const char* name() const override { return "Fragile"; }

 private:
  const std::atomic<bool>& breaks_;
};

TEST(CustomPrimitives, MayFailInAnyCallAndTheSessionGoesOn) {
  const std::vector<NamedTensor> inputs{{"x", test::f32({2}, {1, 2})}};
  for (const char* mode : {"eager", "lazy", "compiled"}) {
    SCOPED_TRACE(mode);
    std::atomic<bool> breaks = false;
    const auto registry = std::make_shared<Registry>();
    registry->add_meaning("acme.fragile",
                          {[](const std::vector<TensorType>& operands, const Attributes&) { return operands; }});
    mlx_engine::add_mlx_op(
        *registry, "acme.fragile", [&](const std::vector<array>& operands, const mlx_engine::MlxCall& call) {
          const array& x = operands[0];
          return std::vector{array(x.shape(), x.dtype(), std::make_shared<Fragile>(call.stream, breaks), {x})};
        });
    Session session(test::compiled(R"(
state @sum : f32[2] = zeros
method f(%x: f32[2]) -> (y) {
  %before = state_read {state=@sum}
  %sum = add %before, %x
  state_write %sum {state=@sum}
  %y = custom [%sum] {name="acme.fragile", results=[f32[2]]}
  return %y
}
)",
                                   {.engine = "mlx", .device = "cpu", .mode = mode, .registry = registry}));
    for (float calls = 1; calls <= 3; ++calls) {
      breaks = false;
      EXPECT_EQ(values<float>(session.run(inputs)[0].tensor), (std::vector<float>{calls, 2 * calls}));
      breaks = true;
      EXPECT_NE(test::message_of([&] { session.run(inputs); }, Code::internal).find("out of ink"), std::string::npos);
      EXPECT_EQ(values<float>(session.state("sum")), (std::vector<float>{calls, 2 * calls}));
    }
  }
}

}  // namespace
}  // namespace ingot
