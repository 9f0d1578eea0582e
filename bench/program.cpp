// Load, verify, print, parse and compile of large programs.
//
//   bench_program make DIR          writes DIR/large.ingot: 10,000 nodes, 1 GiB of weights
//   bench_program load DIR          times load + verify of it, and the growth of resident memory
//   bench_program text              times print and parse at 1k, 10k and 100k nodes
//   bench_program compile           times compile and cost for every engine at 1k, 10k and 100k nodes
//
// Prints rows of a markdown table; bench/run puts them beside the peers'.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "bench/timing.h"
#include "program/builder.h"
#include "program/file.h"
#include "program/text.h"
#include "runtime/cost.h"
#include "runtime/engines.h"
#include "runtime/executable.h"

namespace ingot::bench {
namespace {

constexpr int64_t kWidth = 1024;
constexpr int64_t kWeights = 256;  // of 4 MiB

// Layers of four nodes, matmul, add, gelu and rms_norm, over `weights` weights in turn.
Program layers(int64_t nodes, int64_t weights, int64_t width) {
  ProgramBuilder program;
  const Symbol s = program.symbol("S", 1, 4096);
  std::vector<WeightId> matrices;
  for (int64_t i = 0; i < weights; ++i) {
    // Contents differ, so that no two weights are one.
    Tensor tensor = Tensor::allocate(DType::f32, {width, width});
    auto* values = reinterpret_cast<float*>(tensor.mutable_bytes().data());
    for (int64_t k = 0; k < width * width; ++k)
      values[k] = static_cast<float>((k * 2654435761u + i * 40503u) % 2048) / 1024 - 1;
    matrices.push_back(program.weight(fmt::format("layer.{}.weight", i), std::move(tensor)));
  }
  const WeightId scale =
      program.weight("norm", Tensor::of<float>({width}, std::vector<float>(static_cast<size_t>(width), 1.0F)));
  GraphBuilder& f = program.method("forward");
  Var x = f.input("x", DType::f32, {s, width});
  for (int64_t i = 0; i < nodes / 4; ++i) {
    f.set_source({.op = "Layer", .file = "large.onnx"});
    Var h = f.matmul(x, f.weight(matrices[static_cast<size_t>(i % weights)])).named(fmt::format("layer{}/matmul", i));
    x = f.rms_norm(f.gelu(f.add(h, x)), {.weight = f.weight(scale)});
  }
  f.output("y", x);
  return program.build();
}

void row(std::string_view what, const Timing& t, std::string_view note = "") {
  fmt::print("| {} | {:.2f} ms | {:.2f} ms | {} |\n", what, t.min_ms, t.median_ms, note);
}

void make(const std::filesystem::path& folder) {
  save_program(layers(10'000, kWeights, kWidth), folder / "large.ingot");
}

void load(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "large.ingot";
  const double before = resident_mib();
  {
    const Program once = load_program(path);
    fmt::print("| resident growth after load | {:.1f} MiB | | {} nodes |\n", resident_mib() - before,
               once.graphs[0].nodes.size());
  }
  row("load + verify, 10,000 nodes, 1 GiB", time(15, [&] { load_program(path); }));
  row("load alone", time(15, [&] { load_program(path, {.limits = {}, .verify = false}); }));
}

void text() {
  for (int64_t nodes : {1'000, 10'000, 100'000}) {
    const Program program = layers(nodes, 4, 64);
    std::string printed;
    const Timing printing = time(5, [&] { printed = print(program, {.inline_bytes = 0}); });
    const WeightResolver resolve = [&](const ContentHash& hash,
                                       const std::vector<std::string>&) -> std::optional<Tensor> {
      for (const Weight& weight : program.weights) {
        if (weight.hash == hash) return weight.tensor;
      }
      return std::nullopt;
    };
    const Timing parsing = time(5, [&] { parse(printed, {.resolve_ref = resolve}); });
    row(fmt::format("print, {} nodes", nodes), printing,
        fmt::format("{:.2f} µs a node", printing.min_ms * 1000 / static_cast<double>(nodes)));
    row(fmt::format("parse + verify, {} nodes", nodes), parsing,
        fmt::format("{:.2f} µs a node", parsing.min_ms * 1000 / static_cast<double>(nodes)));
  }
}

void compile() {
  for (const Engine* engine : engines()) {
    for (int64_t nodes : {1'000, 10'000, 100'000}) {
      const Program program = layers(nodes, 4, 64);
      const auto note = [&](const Timing& t) {
        return fmt::format("{:.2f} µs a node", t.min_ms * 1000 / static_cast<double>(nodes));
      };
      const CompileOptions options{.engine = std::string(engine->name())};
      const Timing compiling = time(3, [&] { ingot::compile(program, options); });
      const Executable executable = ingot::compile(program, options);
      const Timing costing = time(3, [&] { executable.cost("forward", {{8, 64}}); });
      row(fmt::format("compile for {}, {} nodes", engine->name(), nodes), compiling, note(compiling));
      row(fmt::format("cost on {}, {} nodes", engine->name(), nodes), costing, note(costing));
    }
  }
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "make" && argc == 3) return ingot::bench::make(argv[2]), 0;
  if (verb == "load" && argc == 3) return ingot::bench::load(argv[2]), 0;
  if (verb == "text" && argc == 2) return ingot::bench::text(), 0;
  if (verb == "compile" && argc == 2) return ingot::bench::compile(), 0;
  std::cerr << "usage: bench_program make DIR | load DIR | text | compile\n";
  return 2;
}
