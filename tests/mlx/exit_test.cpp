// Processes that end in the midst of calls, their first ones: none crashes, and none stays.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "program/builder.h"
#include "runtime/engines.h"
#include "runtime/future.h"
#include "runtime/session.h"

namespace ingot {
namespace {

Executable products(const std::string& device, const char* mode) {
  ProgramBuilder program;
  GraphBuilder& f = program.method("f");
  const Var x = f.input("x", DType::f32, {64, 64});
  Var y = x;
  for (int i = 0; i < 60; ++i) y = f.matmul(y, x) * 0.01;
  f.output("y", y);
  return compile(program.build(), {.engine = "mlx", .device = device, .mode = mode});
}

std::vector<NamedTensor> halves() { return {{"x", Tensor::of<float>({64, 64}, std::vector<float>(64 * 64, 0.5F))}}; }

[[noreturn]] void leave_soon() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::exit(0);
}

// What they hold stays: they end with the process.
[[noreturn]] void leave_callers(const std::string& device) {
  const Executable executable = products(device, "eager");
  static auto& callers = *new std::vector<std::thread>;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([executable] {
      Session session(executable);
      try {
        while (true) session.run(halves());
      } catch (const Error&) {
        std::this_thread::sleep_for(std::chrono::hours(1));
      }
    });
  }
  leave_soon();
}

[[noreturn]] void leave_futures(const std::string& device) {
  static auto& session = *new Session(products(device, "async"));
  static auto& futures = *new std::vector<Future>;
  for (int i = 0; i < 200; ++i) futures.push_back(session.submit(halves()));
  leave_soon();
}

class ExitTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ExitTest, WhileOthersCall) {
  for (const DeviceFacts& device : find_engine("mlx").devices()) {
    for (int i = 0; i < 5; ++i) EXPECT_EXIT(leave_callers(device.name), testing::ExitedWithCode(0), "");
  }
}

TEST_F(ExitTest, WhileResultsAreComputed) {
  for (const DeviceFacts& device : find_engine("mlx").devices()) {
    for (int i = 0; i < 5; ++i) EXPECT_EXIT(leave_futures(device.name), testing::ExitedWithCode(0), "");
  }
}

}  // namespace
}  // namespace ingot
