// MLX starts a thread for every stream of the CPU, and a stream for every thread that evaluates: here callers have none.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engines/mlx/custom.h"
#include "tests/runtime/support.h"

namespace ingot {
namespace {

namespace mx = mlx_engine::mx;

const std::filesystem::path kThreads = "/proc/self/task";

std::ptrdiff_t count_threads() {
  return std::distance(std::filesystem::directory_iterator(kThreads), std::filesystem::directory_iterator());
}

class MlxCallers : public testing::TestWithParam<const char*> {
 protected:
  MlxCallers() { call(); }

  void call() const { Session(executable_).run({{"x", Tensor::of<float>({2}, {1, 2})}}); }
  void call_from_many_threads() const {
    for (int i = 0; i < 50; ++i) std::thread([this] { call(); }).join();
  }

 private:
  // An op of the host that names no stream goes where MLX goes by itself.
  static std::shared_ptr<Registry> registry() {
    auto registry = std::make_shared<Registry>();
    registry->add_meaning("acme.square", {[](const auto& operands, const auto&) { return operands; }});
    mlx_engine::add_mlx_op(*registry, "acme.square",
                           [](const auto& operands, const auto&) { return std::vector{mx::square(operands[0])}; });
    return registry;
  }

  Executable executable_ = test::compiled(R"(
method f(%x: f32[2]) -> (y) {
  %h = add %x, %x
  %y = custom [%h] {name="acme.square", results=[f32[2]]}
  return %y
}
)",
                                          {.engine = "mlx", .mode = GetParam(), .registry = registry()});
};

TEST_P(MlxCallers, LeaveNoThreadsBehind) {
  if (!std::filesystem::exists(kThreads)) GTEST_SKIP() << "nothing to count them with";
  const std::ptrdiff_t before = count_threads();
  call_from_many_threads();
  for (int i = 0; i < 100 && count_threads() > before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(count_threads(), before);  // one that was joined may be seen a while
}

TEST_P(MlxCallers, MakeNoStreams) {
  const auto count_streams = [] { return mx::new_stream(mx::Device::cpu).index; };
  const int before = count_streams();
  call_from_many_threads();
  EXPECT_EQ(count_streams(), before + 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, MlxCallers, testing::Values("eager", "lazy", "compiled", "async"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace ingot
