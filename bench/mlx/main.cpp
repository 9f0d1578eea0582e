// The MLX engine beside the same networks written by hand in MLX C++ with mlx::compile, in one run.
//
//   bench_mlx [--device NAME] [--calls N]      prints markdown tables
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "bench/machine.h"
#include "bench/mlx/compare.h"

namespace ingot::bench {
namespace {

void run(const CompareOptions& options) {
  // By hand goes where MLX goes by itself, unless that is not where we go.
  if (options.device == "cpu") mx::set_default_device(mx::Device::cpu);
  fmt::print("{}\n\n", machine(options.device));
  print_head();
  CompareOptions small = options;
  small.calls *= 100;
  compare("5 nodes, by hand with mlx::compile", five_nodes(), small);
  small.compile_by_hand = false;
  compare("5 nodes, by hand without it", five_nodes(), small);
  compare("encoder, 128 tokens", encoder(), options);
  // As many nodes as the large one, and next to no numbers: what the nodes themselves cost.
  CompareOptions often = options;
  often.calls *= 10;
  compare("decoder step, 12 layers, 48 wide", decoder({.width = 48, .feed = 192, .vocabulary = 512, .positions = 64}),
          often);
  const Network large = decoder();
  compare("decoder step, 12 layers, 768 wide", large, options);
  fmt::print("\n");
  change_parameter(large, options);
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  CLI::App app("The MLX engine beside MLX by hand");
  ingot::bench::CompareOptions options;
  app.add_option("--device", options.device, "device of the engine; by hand runs on MLX's default");
  app.add_option("--calls", options.calls, "of the encoder; of the others in proportion");
  CLI11_PARSE(app, argc, argv);
  try {
    ingot::bench::run(options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
