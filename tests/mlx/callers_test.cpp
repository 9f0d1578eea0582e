// MLX starts a thread for every stream of the CPU, and a stream for every thread that evaluates: here callers leave none.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "program/builder.h"
#include "runtime/session.h"

namespace ingot {
namespace {

const std::filesystem::path kThreads = "/proc/self/task";

std::ptrdiff_t count_threads() {
  return std::distance(std::filesystem::directory_iterator(kThreads), std::filesystem::directory_iterator());
}

TEST(MlxCallers, LeaveNoThreadsBehind) {
  if (!std::filesystem::exists(kThreads)) GTEST_SKIP() << "nothing to count them with";
  ProgramBuilder builder;
  GraphBuilder& f = builder.method("f");
  f.output("y", f.input("x", DType::f32, {2}) * 2.0);
  const Program program = builder.build();
  for (const char* mode : {"eager", "lazy", "compiled", "async"}) {
    const Executable executable = compile(program, {.engine = "mlx", .mode = mode});
    const auto call = [&] { Session(executable).run({{"x", Tensor::of<float>({2}, {1, 2})}}); };
    call();
    const std::ptrdiff_t before = count_threads();
    for (int i = 0; i < 50; ++i) std::thread(call).join();
    for (int i = 0; i < 100 && count_threads() > before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(count_threads(), before) << mode;  // one that was joined may be seen a while
  }
}

}  // namespace
}  // namespace ingot
