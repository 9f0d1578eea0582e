#include <cmath>

#include "bench/mlx/networks.h"

namespace ingot::bench {
namespace {

constexpr int kLayers = 6, kWidth = 384, kHeads = 12, kHead = kWidth / kHeads, kTokens = 128, kFeed = 4 * kWidth;
constexpr int kVocabulary = 30522;
constexpr float kEps = 1e-12F;

struct Norm {
  Weights::Both scale, shift;
};
struct Linear {
  Weights::Both matrix, bias;
};
struct Layer {
  Linear q, k, v, o, up, down;
  Norm attention, feed;
};
struct Model {
  Weights::Both table, places;
  Norm first;
  std::vector<Layer> layers;
};

Model make_model(Weights& w) {
  const auto norm = [&] { return Norm{w.uniform({kWidth}, 1), w.uniform({kWidth}, 1)}; };
  const auto linear = [&](int in, int out) { return Linear{w.uniform({in, out}, 0.05), w.uniform({out}, 0.1)}; };
  Model model{w.uniform({kVocabulary, kWidth}, 0.02), w.uniform({kTokens, kWidth}, 0.02), norm(), {}};
  for (int i = 0; i < kLayers; ++i) {
    model.layers.push_back({linear(kWidth, kWidth), linear(kWidth, kWidth), linear(kWidth, kWidth),
                            linear(kWidth, kWidth), linear(kWidth, kFeed), linear(kFeed, kWidth), norm(), norm()});
  }
  return model;
}

Var ours(GraphBuilder& g, const Model& model, Var tokens) {
  const auto norm = [&](Var x, const Norm& n) {
    return g.layer_norm(x, {.weight = n.scale.ours, .bias = n.shift.ours, .eps = kEps});
  };
  const auto linear = [&](Var x, const Linear& l) { return g.matmul(x, l.matrix.ours) + l.bias.ours; };
  const auto heads = [&](Var x) { return g.transpose(g.reshape(x, {1, kTokens, kHeads, kHead}), {0, 2, 1, 3}); };
  Var x = norm(g.take(model.table.ours, tokens) + model.places.ours, model.first);
  for (const Layer& l : model.layers) {
    const Var seen = g.attention(heads(linear(x, l.q)), heads(linear(x, l.k)), heads(linear(x, l.v)));
    const Var joined = g.reshape(g.transpose(seen, {0, 2, 1, 3}), {1, kTokens, kWidth});
    x = norm(x + linear(joined, l.o), l.attention);
    x = norm(x + linear(g.gelu(linear(x, l.up)), l.down), l.feed);
  }
  return x;
}

// In: tokens, weights.
std::vector<array> by_hand(const Model& model, const std::vector<array>& in) {
  const auto at = [&](const Weights::Both& both) { return in[1 + both.by_hand]; };
  const auto norm = [&](const array& a, const Norm& n) {
    return mx::fast::layer_norm(a, at(n.scale), at(n.shift), kEps);
  };
  const auto linear = [&](const array& a, const Linear& l) { return mx::matmul(a, at(l.matrix)) + at(l.bias); };
  const auto heads = [&](const array& a) {
    return mx::transpose(mx::reshape(a, {1, kTokens, kHeads, kHead}), {0, 2, 1, 3});
  };
  const float scale = 1 / std::sqrt(static_cast<float>(kHead));
  array x = norm(mx::take(at(model.table), in[0], 0) + at(model.places), model.first);
  for (const Layer& l : model.layers) {
    const array seen = mx::fast::scaled_dot_product_attention(heads(linear(x, l.q)), heads(linear(x, l.k)),
                                                              heads(linear(x, l.v)), scale);
    const array joined = mx::reshape(mx::transpose(seen, {0, 2, 1, 3}), {1, kTokens, kWidth});
    x = norm(x + linear(joined, l.o), l.attention);
    const array up = linear(x, l.up);
    const array gelu = up * (array(1.0F) + mx::erf(up * array(0.70710678F))) * array(0.5F);
    x = norm(x + linear(gelu, l.down), l.feed);
  }
  return {x};
}

}  // namespace

Network encoder() {
  ProgramBuilder program;
  GraphBuilder& g = program.method("encode");
  Weights weights(program, g);
  const Model model = make_model(weights);
  g.output("y", ours(g, model, g.input("tokens", DType::i32, {1, kTokens})));
  std::vector<int32_t> tokens(kTokens);
  for (int i = 0; i < kTokens; ++i) tokens[static_cast<size_t>(i)] = (i * 7919) % kVocabulary;
  return {.program = program.build(),
          .by_hand = [model](const std::vector<array>& in) { return by_hand(model, in); },
          .inputs = {Tensor::of<int32_t>({1, kTokens}, tokens)},
          .weights = std::move(weights.arrays)};
}

}  // namespace ingot::bench
