// MLX starts a thread for every stream of the CPU, and a stream for every thread that evaluates: here callers have none.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "engines/mlx/mlx.h"
#include "program/builder.h"
#include "runtime/session.h"

namespace ingot {
namespace {

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
  static Program program() {
    ProgramBuilder builder;
    GraphBuilder& f = builder.method("f");
    f.output("y", f.input("x", DType::f32, {2}) * 2.0);
    return builder.build();
  }

  Executable executable_ = compile(program(), {.engine = "mlx", .mode = GetParam()});
};

TEST_P(MlxCallers, LeaveNoThreadsBehind) {
  if (!std::filesystem::exists(kThreads)) GTEST_SKIP() << "nothing to count them with";
  const std::ptrdiff_t before = count_threads();
  call_from_many_threads();
  for (int i = 0; i < 100 && count_threads() > before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(count_threads(), before);  // one that was joined may be seen a while
}

TEST_P(MlxCallers, MakeNoStreams) {
  const auto count_streams = [] { return mlx_engine::mx::new_stream(mlx_engine::mx::Device::cpu).index; };
  const int before = count_streams();
  call_from_many_threads();
  EXPECT_EQ(count_streams(), before + 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, MlxCallers, testing::Values("eager", "lazy", "compiled", "async"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace ingot
