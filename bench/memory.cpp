// Many calls of ever other sizes on the MLX engine: does memory stay flat, and do caches stay within their bounds?
//
//   bench_memory [--device NAME] [--calls N]      prints a markdown table
#include <fmt/format.h>
#include <mlx/memory.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <random>

#include "bench/machine.h"
#include "bench/timing.h"
#include "program/builder.h"
#include "runtime/session.h"

namespace ingot::bench {
namespace {

constexpr int kRows = 40, kColumns = 25;  // so many sizes each, so 1,000 shapes
constexpr size_t kCached = 64;            // signatures

Program six_nodes() {
  ProgramBuilder program;
  GraphBuilder& g = program.method("f");
  const Var x = g.input("x", DType::f32, {program.symbol("N", 1), program.symbol("M", 1)});
  g.output("y", g.reduce_max(g.softmax(g.tanh(x * x + x) * 0.5), {1}));
  return program.build();
}

// Calls with inputs of any of the shapes, all in the same memory.
class Caller {
 public:
  explicit Caller(const Executable& executable) : session_(executable) {
    std::vector<float> numbers(static_cast<size_t>(rows_of(kRows - 1) * columns_of(kColumns - 1)), 0.5F);
    memory_ = Tensor::of<float>({static_cast<int64_t>(numbers.size())}, numbers);
  }

  void call(int shape) {
    const int64_t rows = rows_of(shape / kColumns), columns = columns_of(shape % kColumns);
    const auto bytes = memory_.bytes().first(static_cast<size_t>(byte_count(DType::f32, Sizes{rows, columns})));
    session_.run({{"x", Tensor(DType::f32, {rows, columns}, Buffer{memory_.buffer().owner, bytes})}});
  }
  void call_any(int times) {
    std::uniform_int_distribution<int> shape(0, kRows * kColumns - 1);
    for (int i = 0; i < times; ++i) call(shape(random_));
  }

 private:
  static int64_t rows_of(int i) { return 3 * i + 1; }
  static int64_t columns_of(int i) { return 7 * i + 2; }

  Session session_;
  Tensor memory_;
  std::mt19937 random_{7};
};

// Resident memory of the process in MiB, and how much of it MLX knows of.
double report_memory(std::string_view when) {
  const double resident = resident_mib();
  const auto mib = [](size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  fmt::print("| resident {} | {:.1f} MiB, of it {:.2f} in use by MLX and {:.2f} free in its cache |\n", when, resident,
             mib(mlx::core::get_active_memory()), mib(mlx::core::get_cache_memory()));
  return resident;
}

void run(const std::string& device, int calls) {
  fmt::print("{}\n\n| {} calls of {} shapes in random order | |\n|---|---|\n", machine(device), calls,
             kRows * kColumns);
  const Executable executable =
      compile(six_nodes(), {.engine = "mlx", .device = device, .mode = "compiled", .cached_signatures = kCached});
  Caller caller(executable);
  for (int shape = 0; shape < kRows * kColumns; ++shape) caller.call(shape);
  caller.call_any(calls / 10);
  const double before = report_memory("after each shape once and a tenth of the calls");
  const int rest = calls - calls / 10;
  const Timing timing = time(1, [&] { caller.call_any(rest); });
  const double after = report_memory("at the end");
  const EngineCounters counters = executable.counters();
  fmt::print(
      "| growth | {:.2f} % |\n| traces kept, of at most {} | {} |\n| traces made, forgotten | {}, {} |\n"
      "| a call, with its share of tracing | {:.1f} µs |\n",
      (after / before - 1) * 100, kCached, counters.cached, counters.traced, counters.evicted,
      timing.min_ms * 1000 / rest);
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  CLI::App app("Memory of many calls of many sizes");
  std::string device;
  int calls = 100'000;
  app.add_option("--device", device, "device of the engine");
  app.add_option("--calls", calls, "how many");
  CLI11_PARSE(app, argc, argv);
  try {
    ingot::bench::run(device, calls);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
