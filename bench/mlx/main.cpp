// The MLX engine beside the same networks written by hand in MLX C++ with mlx::compile, in one run.
//
//   bench_mlx [--device NAME] [--calls N] [--case TEXT]      prints markdown tables
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "bench/machine.h"
#include "bench/mlx/compare.h"

namespace ingot::bench {
namespace {

void run(const CompareOptions& options, const std::string& only) {
  // By hand goes where MLX goes by itself, unless that is not where we go.
  if (options.device == "cpu") mx::set_default_device(mx::Device::cpu);
  fmt::print("{}\n\n", machine(options.device));
  print_head();
  const auto row = [&](const std::string& name, auto network, const CompareOptions& row_options) {
    if (name.find(only) != std::string::npos) compare(name, network(), row_options);
  };
  CompareOptions small = options;
  small.calls *= 100;
  small.in_a_row =
      100;  // small calls find threads awake that called before, and take cores from the others while they are
  row("5 nodes, by hand with mlx::compile", five_nodes, small);
  small.compile_by_hand = false;
  row("5 nodes, by hand without it", five_nodes, small);
  row("encoder, 128 tokens", encoder, options);
  // As many nodes as the large one, and next to no numbers: what the nodes themselves cost.
  CompareOptions often = options;
  often.calls *= 10;
  const DecoderSizes narrow{.width = 48, .feed = 192, .vocabulary = 512, .positions = 64};
  row("decoder step, 12 layers, 48 wide", [&] { return decoder(narrow); }, often);
  row("decoder step, 12 layers, 768 wide", [] { return decoder(); }, options);
  if (!only.empty()) return;
  fmt::print("\n");
  change_parameter(decoder(), options);
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  CLI::App app("The MLX engine beside MLX by hand");
  ingot::bench::CompareOptions options;
  app.add_option("--device", options.device, "device of the engine; by hand runs on MLX's default");
  app.add_option("--calls", options.calls, "of the encoder; of the others in proportion");
  std::string only;
  app.add_option("--case", only, "only the cases whose name contains this");
  CLI11_PARSE(app, argc, argv);
  try {
    ingot::bench::run(options, only);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
