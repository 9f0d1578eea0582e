// The MLX engine beside the same networks written by hand in MLX C++ with mlx::compile, in one run.
//
//   bench_mlx [CALLS]      prints rows of a markdown table: ours, by hand, ratio
#include <fmt/format.h>
#include <mlx/mlx.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "bench/timing.h"
#include "program/builder.h"
#include "runtime/engines.h"
#include "runtime/prepared.h"
#include "runtime/session.h"

namespace ingot::bench {
namespace {

namespace mx = ::mlx::core;
using mx::array;
using Clock = std::chrono::steady_clock;

// ------------------------------------------------------------------------------------------------------------- weights

// The same numbers for both sides.
class Weights {
 public:
  Weights(ProgramBuilder& program, GraphBuilder& graph) : program_(program), graph_(&graph) {}

  struct Both {
    Var ours;
    size_t by_hand;
  };
  Both matrix(std::vector<int64_t> sizes, double scale) {
    Tensor tensor = Tensor::allocate(DType::f32, sizes);
    auto* numbers = reinterpret_cast<float*>(tensor.mutable_bytes().data());
    std::normal_distribution<float> normal(0, static_cast<float>(scale));
    for (int64_t i = 0; i < tensor.elements(); ++i) numbers[i] = normal(random_);
    arrays.emplace_back(numbers, mx::Shape(sizes.begin(), sizes.end()), mx::float32);
    const Var weight = graph_->weight(program_.weight("w" + std::to_string(arrays.size()), tensor));
    return {weight, arrays.size() - 1};
  }
  std::vector<array> arrays;

 private:
  ProgramBuilder& program_;
  GraphBuilder* graph_;
  std::mt19937 random_{7};
};

using ByHand = std::function<std::vector<array>(const std::vector<array>&)>;

struct Sides {
  Program program;
  std::vector<array> weights;
  ByHand by_hand;  // of the inputs, the states, then the weights
};

// ------------------------------------------------------------------------------------------------------------- encoder

constexpr int kWidth = 384, kHeads = 12, kTokens = 128, kVocabulary = 30522, kFeed = 4 * kWidth;

// BERT as MiniLM has it, for one text of 128 tokens.
Sides encoder() {
  constexpr int layers = 6, head = kWidth / kHeads;
  ProgramBuilder program;
  GraphBuilder& g = program.method("encode");
  Weights w(program, g);
  const Var tokens = g.input("tokens", DType::i32, {1, kTokens});
  const auto table = w.matrix({kVocabulary, kWidth}, 0.02), places = w.matrix({kTokens, kWidth}, 0.02);
  std::vector<std::function<array(const array&, const std::vector<array>&)>> hand;
  struct Norm {
    Weights::Both scale, shift;
  };
  const auto norm_weights = [&] { return Norm{w.matrix({kWidth}, 1), w.matrix({kWidth}, 1)}; };
  const auto norm = [&](Var x, const Norm& n) {
    return g.layer_norm(x, {.weight = n.scale.ours, .bias = n.shift.ours, .eps = 1e-12});
  };
  struct Linear {
    Weights::Both matrix, bias;
  };
  const auto linear_weights = [&](int in, int out) { return Linear{w.matrix({in, out}, 0.05), w.matrix({out}, 0.1)}; };
  const auto linear = [&](Var x, const Linear& l) { return g.matmul(x, l.matrix.ours) + l.bias.ours; };
  const auto heads = [&](Var x) { return g.transpose(g.reshape(x, {1, kTokens, kHeads, head}), {0, 2, 1, 3}); };
  struct Layer {
    Linear q, k, v, o, up, down;
    Norm attention, feed;
  };
  const Norm first = norm_weights();
  std::vector<Layer> all;
  Var x = norm(g.take(table.ours, tokens, {.axis = 0}) + places.ours, first);
  for (int i = 0; i < layers; ++i) {
    Layer l{linear_weights(kWidth, kWidth),
            linear_weights(kWidth, kWidth),
            linear_weights(kWidth, kWidth),
            linear_weights(kWidth, kWidth),
            linear_weights(kWidth, kFeed),
            linear_weights(kFeed, kWidth),
            norm_weights(),
            norm_weights()};
    const Var seen = g.attention(heads(linear(x, l.q)), heads(linear(x, l.k)), heads(linear(x, l.v)));
    const Var joined = g.reshape(g.transpose(seen, {0, 2, 1, 3}), {1, kTokens, kWidth});
    x = norm(x + linear(joined, l.o), l.attention);
    x = norm(x + linear(g.gelu(linear(x, l.up)), l.down), l.feed);
    all.push_back(l);
  }
  g.output("y", x);

  const auto by_hand = [=](const std::vector<array>& in) {
    const auto at = [&](const Weights::Both& both) { return in[1 + both.by_hand]; };
    const auto norm_of = [&](const array& a, const Norm& n) {
      return mx::fast::layer_norm(a, at(n.scale), at(n.shift), 1e-12f);
    };
    const auto linear_of = [&](const array& a, const Linear& l) { return mx::matmul(a, at(l.matrix)) + at(l.bias); };
    const auto heads_of = [&](const array& a) {
      return mx::transpose(mx::reshape(a, {1, kTokens, kHeads, head}), {0, 2, 1, 3});
    };
    array y = norm_of(mx::take(at(table), in[0], 0) + at(places), first);
    for (const Layer& l : all) {
      const array seen =
          mx::fast::scaled_dot_product_attention(heads_of(linear_of(y, l.q)), heads_of(linear_of(y, l.k)),
                                                 heads_of(linear_of(y, l.v)), 1 / std::sqrt(static_cast<float>(head)));
      const array joined = mx::reshape(mx::transpose(seen, {0, 2, 1, 3}), {1, kTokens, kWidth});
      y = norm_of(y + linear_of(joined, l.o), l.attention);
      const array up = linear_of(y, l.up);
      const array gelu = up * (array(1.0f) + mx::erf(up * array(0.70710678f))) * array(0.5f);
      y = norm_of(y + linear_of(gelu, l.down), l.feed);
    }
    return std::vector<array>{y};
  };
  std::vector<array> weights = w.arrays;
  return {program.build(), weights, by_hand};
}

// --------------------------------------------------------------------------------------------------------- a few nodes

Sides five_nodes() {
  ProgramBuilder program;
  GraphBuilder& g = program.method("f");
  const Var x = g.input("x", DType::f32, {16});
  g.output("y", g.tanh((x * x + x) * x - x));
  return {program.build(), {}, [](const std::vector<array>& in) {
            const array& a = in[0];
            return std::vector<array>{mx::tanh((a * a + a) * a - a)};
          }};
}

// ------------------------------------------------------------------------------------------------------------ measuring

struct Times {
  std::vector<double> total;
  void add(Clock::time_point start) {
    total.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  double quantile(double q) {
    std::sort(total.begin(), total.end());
    return total[static_cast<size_t>(q * static_cast<double>(total.size() - 1))];
  }
};

array upload(const Tensor& tensor, mx::Dtype dtype) {
  const mx::Shape shape(tensor.sizes().begin(), tensor.sizes().end());
  mx::allocator::Data data = mx::allocator::malloc(tensor.bytes().size());
  std::memcpy(data.buffer().raw_ptr(), tensor.bytes().data(), tensor.bytes().size());
  return array(std::move(data), shape, dtype);
}

// Turn by turn, so that both meet the same noise.
void compare(std::string_view name, const Sides& sides, const Tensor& input, int calls, bool compile_by_hand = true) {
  Session session(compile(sides.program, {.engine = "mlx"}));
  PreparedCall call = session.prepare();
  call.bind_input(0, input);
  std::vector<array> arguments = {array(0)};
  arguments.insert(arguments.end(), sides.weights.begin(), sides.weights.end());
  const auto compiled = compile_by_hand ? mx::compile(sides.by_hand) : sides.by_hand;
  const mx::Dtype dtype = input.dtype() == DType::i32 ? mx::int32 : mx::float32;
  std::vector<std::byte> result;
  const auto by_hand = [&] {
    arguments[0] = upload(input, dtype);
    std::vector<array> outputs = compiled(arguments);
    mx::eval(outputs);
    result.resize(outputs[0].nbytes());
    std::memcpy(result.data(), outputs[0].data<std::byte>(), result.size());
  };
  for (int i = 0; i < 3; ++i) call(), by_hand();
  double worst = 0;
  const auto ours_values = call.output(0).as<float>();
  for (size_t i = 0; i < ours_values.size(); ++i) {
    float expected;
    std::memcpy(&expected, result.data() + i * sizeof(float), sizeof(float));
    worst = std::max(worst, std::abs(static_cast<double>(ours_values[i] - expected)));
  }
  Times ours, theirs;
  for (int i = 0; i < calls; ++i) {
    auto start = Clock::now();
    call();
    ours.add(start);
    start = Clock::now();
    by_hand();
    theirs.add(start);
  }
  fmt::print("| {} | {:.1f} / {:.1f} µs | {:.1f} / {:.1f} µs | {:.3f} / {:.3f} | {:.1e} |\n", name, ours.quantile(0),
             ours.quantile(0.5), theirs.quantile(0), theirs.quantile(0.5), ours.quantile(0) / theirs.quantile(0),
             ours.quantile(0.5) / theirs.quantile(0.5), worst);
}

}  // namespace
}  // namespace ingot::bench

int main(int argc, char** argv) {
  using namespace ingot;
  using namespace ingot::bench;
  const int calls = argc > 1 ? std::atoi(argv[1]) : 50;
  fmt::print("| case | Ingot min / median | by hand | ratio | difference |\n|---|---|---|---|---|\n");
  std::vector<float> few(16, 0.5F);
  const Tensor sixteen = Tensor::of<float>({16}, few);
  compare("5 nodes, prepared; fused by mlx::compile", five_nodes(), sixteen, 100 * calls);
  compare("5 nodes, prepared; not compiled", five_nodes(), sixteen, 100 * calls, false);
  std::vector<int32_t> tokens(kTokens);
  for (int i = 0; i < kTokens; ++i) tokens[static_cast<size_t>(i)] = (i * 7919) % kVocabulary;
  compare("encoder, 128 tokens", encoder(), Tensor::of<int32_t>({1, kTokens}, tokens), calls);
  return 0;
}
