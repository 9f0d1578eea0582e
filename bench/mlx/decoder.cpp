#include <cmath>
#include <memory>
#include <string>

#include "bench/mlx/networks.h"

namespace ingot::bench {
namespace {

constexpr float kEps = 1e-5F, kRopeBase = 10000;

struct Layer {
  Weights::Both norm_attention, q, k, v, o, norm_feed, up, down;
};
struct Model {
  DecoderSizes sizes;
  Weights::Both table;
  std::vector<Layer> layers;
  Weights::Both norm, out;
};

Model make_model(Weights& w, const DecoderSizes& sizes) {
  const auto norm = [&] { return w.uniform({sizes.width}, 0.2, 1); };
  const auto linear = [&](int in, int out) { return w.uniform({in, out}, 1 / std::sqrt(static_cast<double>(in))); };
  const int width = sizes.width;
  const Weights::Both table = w.uniform({sizes.vocabulary, width}, 1);
  std::vector<Layer> layers;
  for (int i = 0; i < sizes.layers; ++i) {
    layers.push_back({norm(), linear(width, width), linear(width, width), linear(width, width), linear(width, width),
                      norm(), linear(width, sizes.feed), linear(sizes.feed, width)});
  }
  return {sizes, table, std::move(layers), norm(), linear(width, sizes.vocabulary)};
}

// The method `decode`; its states are keys and values of each layer.
void ours(ProgramBuilder& program, GraphBuilder& g, const Model& model) {
  const auto& [layers, width, heads, feed, vocabulary, positions] = model.sizes;
  const int head = model.sizes.head();
  const Var token = g.input("token", DType::i32, {1, 1}), position = g.input("position", DType::i32, {});
  const Var seen_so_far = g.le(g.iota(positions, {.dtype = DType::i32}), position);
  const auto norm = [&](Var x, const Weights::Both& weight) {
    return g.rms_norm(x, {.weight = weight.ours, .eps = kEps});
  };
  const auto split = [&](Var x) { return g.transpose(g.reshape(x, {1, 1, heads, head}), {0, 2, 1, 3}); };
  const auto updated = [&](const std::string& name, Var update) {
    const TensorType type{DType::f32, {1, heads, positions, head}};
    return g.state_update(program.state(name, type), update, {position}, {2});
  };
  Var x = g.take(model.table.ours, token);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& l = model.layers[i];
    const Var a = norm(x, l.norm_attention);
    const auto rows = [&](const Weights::Both& weight) { return split(g.matmul(a, weight.ours)); };
    const Var q = g.rope(rows(l.q), position, {.base = kRopeBase});
    const Var k = updated("k" + std::to_string(i), g.rope(rows(l.k), position, {.base = kRopeBase}));
    const Var v = updated("v" + std::to_string(i), rows(l.v));
    const Var seen = g.attention(q, k, v, {.mask = seen_so_far});
    x = x + g.matmul(g.reshape(g.transpose(seen, {0, 2, 1, 3}), {1, 1, width}), l.o.ours);
    x = x + g.matmul(g.gelu_tanh(g.matmul(norm(x, l.norm_feed), l.up.ours)), l.down.ours);
  }
  g.output("next", g.argmax(g.reshape(g.matmul(norm(x, model.norm), model.out.ours), {vocabulary})));
}

array gelu_tanh(const array& x) {
  const array inner = array(0.7978845608F) * (x + array(0.044715F) * x * x * x);
  return array(0.5F) * x * (array(1.0F) + mx::tanh(inner));
}

// In: token, position, the caches, the weights.
std::vector<array> by_hand(const Model& model, const std::vector<array>& in) {
  const auto& [layers, width, heads, feed, vocabulary, positions] = model.sizes;
  const int head = model.sizes.head();
  const size_t inputs = 2, caches = 2 * model.layers.size();
  const auto at = [&](const Weights::Both& both) { return in[inputs + caches + both.by_hand]; };
  const array &token = in[0], &position = in[1];
  const auto norm = [&](const array& x, const Weights::Both& weight) {
    return mx::fast::rms_norm(x, at(weight), kEps);
  };
  const auto rope = [&](const array& x) { return mx::fast::rope(x, x.shape(-1), false, kRopeBase, 1.0F, position); };
  const array start = mx::reshape(position, {1}), seen_so_far = mx::less_equal(mx::arange(positions), position);
  const float scale = 1 / std::sqrt(static_cast<float>(head));
  array x = mx::take(at(model.table), token, 0);
  std::vector<array> updated;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& l = model.layers[i];
    const array a = norm(x, l.norm_attention);
    const auto rows = [&](const Weights::Both& weight) {
      return mx::transpose(mx::reshape(mx::matmul(a, at(weight)), {1, 1, heads, head}), {0, 2, 1, 3});
    };
    const array k = mx::slice_update(in[inputs + 2 * i], rope(rows(l.k)), start, {2});
    const array v = mx::slice_update(in[inputs + 2 * i + 1], rows(l.v), start, {2});
    updated.insert(updated.end(), {k, v});
    const array seen = mx::fast::scaled_dot_product_attention(rope(rows(l.q)), k, v, scale, "array", seen_so_far);
    x = x + mx::matmul(mx::reshape(mx::transpose(seen, {0, 2, 1, 3}), {1, 1, width}), at(l.o));
    x = x + mx::matmul(gelu_tanh(mx::matmul(norm(x, l.norm_feed), at(l.up))), at(l.down));
  }
  std::vector<array> results = {mx::argmax(mx::flatten(mx::matmul(norm(x, model.norm), at(model.out))))};
  results.insert(results.end(), updated.begin(), updated.end());
  return results;
}

}  // namespace

Network decoder(const DecoderSizes& sizes) {
  ProgramBuilder program;
  GraphBuilder& g = program.method("decode");
  Weights weights(program, g);
  const Model model = make_model(weights, sizes);
  ours(program, g, model);

  struct Inputs {
    int32_t token = 1, position = 0;
  };
  const auto inputs = std::make_shared<Inputs>();
  const auto view = [&](Sizes shape, const int32_t& number) {
    return Tensor(DType::i32, std::move(shape), Buffer{inputs, std::as_bytes(std::span(&number, 1))});
  };
  const auto next = [inputs, positions = sizes.positions](const Tensor& output) {
    inputs->token = static_cast<int32_t>(output.as<int64_t>()[0]);
    inputs->position = (inputs->position + 1) % positions;
  };
  std::vector<array> caches;
  for (int i = 0; i < 2 * sizes.layers; ++i) {
    caches.push_back(mx::zeros({1, sizes.heads, sizes.positions, sizes.head()}));
  }
  mx::eval(caches);
  return {.program = program.build(),
          .by_hand = [model](const std::vector<array>& in) { return by_hand(model, in); },
          .inputs = {view({1, 1}, inputs->token), view({}, inputs->position)},
          .next = next,
          .states = std::move(caches),
          .weights = std::move(weights.arrays)};
}

}  // namespace ingot::bench
