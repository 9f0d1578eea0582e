// What a call is said to need is what MLX allocates for it, kernels and all that ops are lowered to included.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engines/mlx/mlx.h"
#include "program/text.h"
#include "runtime/engines.h"
#include "runtime/session.h"

namespace ingot {
namespace mx = mlx::core;
namespace {

// MLX allocates 64 MiB ahead of what it computes (Device::require_memory), then one result more, and inputs stay alive with
// whoever holds them.
constexpr int64_t ahead = int64_t{128} << 20;

struct Row {
  const char* name;
  const char* method;
  std::vector<Sizes> inputs;
};

const Row rows[] = {
    {"capped attention",
     "method f(%q: f32[1, 1, 5000, 8]) -> (y) {\n  %y = attention %q, %q, %q {softcap=5.0}\n  return %y\n}\n",
     {{1, 1, 5000, 8}}},
    {"plain attention",
     "method f(%q: f32[1, 1, 5000, 8]) -> (y) {\n  %y = attention %q, %q, %q\n  return %y\n}\n",
     {{1, 1, 5000, 8}}},
    {"conv",
     "method f(%x: f32[1, 64, 128, 128], %w: f32[8, 64, 7, 7]) -> (y) {\n  %y = conv %x, %w\n  return %y\n}\n",
     {{1, 64, 128, 128}, {8, 64, 7, 7}}},
    {"conv_transpose",
     "method f(%x: f32[1, 64, 128, 128], %w: f32[64, 8, 7, 7]) -> (y) {\n  %y = conv_transpose %x, %w\n  return "
     "%y\n}\n",
     {{1, 64, 128, 128}, {64, 8, 7, 7}}},
    {"conv in f16",
     "method f(%x: f32[1, 64, 128, 128], %w: f32[8, 64, 7, 7]) -> (y) {\n  %a = cast %x {dtype=f16}\n"
     "  %b = cast %w {dtype=f16}\n  %y = conv %a, %b\n  return %y\n}\n",
     {{1, 64, 128, 128}, {8, 64, 7, 7}}},
    {"one after the other",
     "method f(%x: f32[4000, 2000]) -> (y) {\n  %a = cumsum %x {axis=0}\n  %b = cumsum %a {axis=1}\n"
     "  %c = cumsum %b {axis=0}\n  %d = cumsum %c {axis=1}\n  %e = cumsum %d {axis=0}\n  %f = cumsum %e {axis=1}\n"
     "  %g = cumsum %f {axis=0}\n  %y = reduce_max %g {axes=[0, 1]}\n  return %y\n}\n",
     {{4000, 2000}}},
};

Tensor random(const Sizes& sizes) {
  std::mt19937 bits(1);
  std::vector<float> values(static_cast<size_t>(element_count(sizes)));
  for (float& value : values) value = static_cast<float>(bits()) * 0x1p-32F;
  return Tensor::of<float>(sizes, values);
}

TEST(WorkingSpace, IsWhatMlxAllocates) {
  const bool is_bounded = find_engine("mlx").devices().size() == 1;  // beside a GPU MLX allocates ahead as it likes
  for (const Row& row : rows) {
    for (const char* mode : {"lazy", "compiled"}) {
      CompileOptions options{.engine = "mlx", .device = "cpu", .mode = mode};
      const Program program = parse("ingot 1\n" + std::string(row.method));
      const int64_t needed = compile(program, options).memory_needed("f", row.inputs);
      options.limits.bytes = needed;  // which suffices
      Session session(compile(program, options));
      std::vector<NamedTensor> inputs;
      for (size_t i = 0; i < row.inputs.size(); ++i) {
        const Graph& method = program.graphs[0];
        inputs.push_back({method.values[method.inputs[i].id].name, random(row.inputs[i])});
      }
      mx::clear_cache();
      mx::reset_peak_memory();
      const auto before = static_cast<int64_t>(mx::get_active_memory());
      EXPECT_NO_THROW(session.run(inputs)) << row.name << ", " << mode;
      const int64_t peak = static_cast<int64_t>(mx::get_peak_memory()) - before;
      if (is_bounded) {
        EXPECT_LE(peak, needed + ahead) << row.name << ", " << mode;
      }
      EXPECT_GE(peak, needed / 3) << row.name << ", " << mode;
    }
  }
}

}  // namespace
}  // namespace ingot
