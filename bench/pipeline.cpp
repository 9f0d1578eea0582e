// Calls one after the other, and with two on their way, where the host has half of the work: it prepares pictures.
//
//   bench_pipeline [--device NAME] [--batches N]      prints a markdown table
//
// BLAS gets one thread: with more the device would take every core of a small machine, and nothing could overlap.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <exception>
#include <iostream>
#include <optional>
#include <random>

#include "bench/machine.h"
#include "bench/timing.h"
#include "program/builder.h"
#include "program/error.h"
#include "runtime/session.h"

namespace ingot::bench {
namespace {

constexpr int kBatch = 32, kSide = 192, kSmallSide = 48, kChannels = 3;
constexpr int kPixels = kChannels * kSmallSide * kSmallSide, kWidth = 512, kRounds = 5;

// ----------------------------------------------------------------------------------------------------- the host's work

// Pictures as a camera gives them: u8 [side, side, channels].
std::vector<uint8_t> make_pictures() {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(size_t{kBatch} * kSide * kSide * kChannels);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// Where an element of the smaller picture lies in the larger one: between `at` and the next, `beyond` of the way.
struct Place {
  int at;
  float beyond;

  explicit Place(int small) {
    const float exact = (static_cast<float>(small) + 0.5F) * kSide / kSmallSide - 0.5F;
    at = static_cast<int>(exact);
    beyond = exact - static_cast<float>(at);
  }
};

// Resized bilinearly, normalised, channels first.
void prepare(const uint8_t* picture, float* out) {
  constexpr float mean = 127.5F, deviation = 73.6F;
  const auto pixel = [&](int row, int column, int channel) {
    return static_cast<float>(picture[(row * kSide + column) * kChannels + channel]);
  };
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int i = 0; i < kSmallSide; ++i) {
      const Place row(i);
      for (int j = 0; j < kSmallSide; ++j) {
        const Place column(j);
        const auto along = [&](int r) {
          return std::lerp(pixel(r, column.at, channel), pixel(r, column.at + 1, channel), column.beyond);
        };
        *out++ = (std::lerp(along(row.at), along(row.at + 1), row.beyond) - mean) / deviation;
      }
    }
  }
}

std::vector<NamedTensor> prepared_batch(const std::vector<uint8_t>& pictures) {
  Tensor batch = Tensor::allocate(DType::f32, {kBatch, kPixels});
  auto* numbers = reinterpret_cast<float*>(batch.mutable_bytes().data());
  for (int i = 0; i < kBatch; ++i) {
    prepare(&pictures[size_t{kSide} * kSide * kChannels * static_cast<size_t>(i)], numbers + i * kPixels);
  }
  return {{"pictures", batch}};
}

// --------------------------------------------------------------------------------------------------- the device's work

Tensor random_matrix(int64_t rows, int64_t columns) {
  std::mt19937 random(static_cast<uint32_t>(rows));
  std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(rows)));
  std::vector<float> numbers(static_cast<size_t>(rows * columns));
  for (float& number : numbers) number = normal(random);
  return Tensor::of<float>({rows, columns}, numbers);
}

Program perceptron(int layers) {
  ProgramBuilder program;
  GraphBuilder& g = program.method("classify");
  const WeightId first = program.weight("first", random_matrix(kPixels, kWidth));
  const WeightId inner = program.weight("inner", random_matrix(kWidth, kWidth));
  Var x = g.matmul(g.input("pictures", DType::f32, {kBatch, kPixels}), g.weight(first));
  for (int i = 0; i < layers; ++i) x = g.matmul(g.relu(x), g.weight(inner)) * 1.4;
  g.output("class", g.argmax(x));
  return program.build();
}

Session session_of(int layers, const std::string& device) {
  return Session(compile(perceptron(layers), {.engine = "mlx", .device = device}));
}

// So many layers that the device works as long as the host.
int layers_for(double host_ms, const std::vector<uint8_t>& pictures, const std::string& device) {
  const std::vector<NamedTensor> batch = prepared_batch(pictures);
  const auto device_ms = [&](int layers) {
    Session session = session_of(layers, device);
    return time(20, [&] { session.run(batch); }).median_ms;
  };
  constexpr int few = 4, many = 36;
  const double with_few = device_ms(few), layer = (device_ms(many) - with_few) / (many - few);
  return std::max(1, few + static_cast<int>(std::lround((host_ms - with_few) / layer)));
}

// ----------------------------------------------------------------------------------------------------------- measuring

void run(const std::string& device, int batches) {
  // Set at run time: OpenBLAS reads its variables before main begins.
  if (auto* set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set_threads(1);
  }
  const std::vector<uint8_t> pictures = make_pictures();
  const double host_ms = time(20, [&] { prepared_batch(pictures); }).median_ms;
  const int layers = layers_for(host_ms, pictures, device);
  Session session = session_of(layers, device);

  int64_t sum = 0;
  const auto sink = [&](const std::vector<NamedTensor>& outputs) {
    for (int64_t each : outputs[0].tensor.as<int64_t>()) sum += each;
  };
  const auto loop = [&] {
    for (int i = 0; i < batches; ++i) sink(session.run(prepared_batch(pictures)));
  };
  const auto pipelined = [&] {
    int left = batches;
    const auto source = [&]() -> std::optional<std::vector<NamedTensor>> {
      if (left-- == 0) return {};
      return prepared_batch(pictures);
    };
    session.run_pipelined(source, sink, {.depth = 2});
  };
  std::vector<double> loop_ms, pipelined_ms;
  for (int i = 0; i < kRounds; ++i) {  // in turn, so that both meet the same noise
    sum = 0;
    loop_ms.push_back(time(1, loop).min_ms / batches);
    const int64_t expected = std::exchange(sum, 0);
    pipelined_ms.push_back(time(1, pipelined).min_ms / batches);
    if (sum != expected) throw Error(Code::internal, "the pipeline has other results than the loop");
  }
  std::ranges::sort(loop_ms);
  std::ranges::sort(pipelined_ms);
  const double median = loop_ms[kRounds / 2];
  fmt::print("{}; BLAS has one thread\n\n", machine(device));
  fmt::print("| {} batches of {} pictures, {} layers | min | median |\n|---|---|---|\n", batches, kBatch, layers);
  fmt::print("| share of the host in a step | | {:.0f} % |\n", host_ms / median * 100);
  fmt::print("| one after the other, a step | {:.2f} ms | {:.2f} ms |\n", loop_ms[0], median);
  fmt::print("| two on their way, a step | {:.2f} ms | {:.2f} ms |\n", pipelined_ms[0], pipelined_ms[kRounds / 2]);
  fmt::print("| ratio | {:.2f} | {:.2f} |\n", loop_ms[0] / pipelined_ms[0], median / pipelined_ms[kRounds / 2]);
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  CLI::App app("Calls one after the other, and with two on their way");
  std::string device;
  int batches = 50;
  app.add_option("--device", device, "device of the engine");
  app.add_option("--batches", batches, "of each measurement");
  CLI11_PARSE(app, argc, argv);
  try {
    ingot::bench::run(device, batches);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
