// Random numbers and windows.
//
// ONNX leaves the numbers open, and wants others at every run. A node that draws gets a state that counts its draws; with
// a number made of its name and its seed that is the key.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numbers>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------------- keys

// FNV-1a: the same on every machine.
uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

StateId counter_of(Node& node) {
  ProgramBuilder& program = node.scope().context().program;
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(program.program().states, [&](const State& state) { return state.name == name; });
  };
  std::string name = node.label() + "_draws";
  for (int i = 2; taken(name); ++i) name = fmt::format("{}_draws_{}", node.label(), i);
  return program.state(name, {DType::u32, {}, {}});
}

// u32[2]; `seed` is the text of the attribute.
Var fresh_key(Node& node, GraphBuilder& graph, const std::string& seed) {
  const StateId counter = counter_of(node);
  const Var draws = graph.state_read(counter);
  graph.state_write(counter, draws + 1);
  const Var own = graph.full({1}, int64_t{hash_of(node.label() + "/" + seed)}, {.dtype = DType::u32});
  return graph.concatenate({own, reshape(draws, {1})});
}

Var fresh_key(Node& node, GraphBuilder& graph) {
  return fresh_key(node, graph, node.has("seed") ? fmt::format("{}", node.real("seed")) : "");
}

// ---------------------------------------------------------------------------------------------------- distributions

Shape shape_of(Node& node, bool like) {
  if (like) return node.type(0).shape;
  const auto shape = node.integers("shape");
  if (!shape) node.malformed("attribute shape", "missing", "ints");
  return {shape->begin(), shape->end()};
}

DType dtype_of_result(Node& node, bool like) { return node.dtype("dtype", like ? node.type(0).dtype : DType::f32); }

template <bool like>
void random_normal(Node& node, GraphBuilder& graph) {
  const double mean = node.real("mean", 0.0), scale = node.real("scale", 1.0);
  const DType dtype = dtype_of_result(node, like);
  node.set(0, graph.random_normal(fresh_key(node, graph), shape_of(node, like),
                                  {.dtype = dtype, .offset = mean, .scale = scale}));
}

template <bool like>
void random_uniform(Node& node, GraphBuilder& graph) {
  const double low = node.real("low", 0.0), high = node.real("high", 1.0);
  const DType dtype = dtype_of_result(node, like);
  node.set(0, graph.random_uniform(fresh_key(node, graph), shape_of(node, like),
                                   {.dtype = dtype, .offset = low, .scale = high - low}));
}

// Whether a uniform draw lies below the probability.
void bernoulli(Node& node, GraphBuilder& graph) {
  const DType dtype = dtype_of_result(node, true);
  const Var p = as_dtype(node.input(0), widened(node.type(0).dtype));
  const Var draw = graph.random_uniform(fresh_key(node, graph), Shape(p.shape()), {.dtype = p.dtype()});
  node.set(0, as_dtype(graph.lt(draw, p), dtype));
}

void multinomial(Node& node, GraphBuilder& graph) {
  const DType dtype = node.dtype("dtype", DType::i32);
  const int64_t samples = node.integer("sample_size", 1);
  const Var logits = node.input(0);
  if (samples < 0) node.malformed("sample_size", fmt::format("{}", samples), "0 or more");
  if (logits.type().rank() != 2) node.malformed("shape", to_string(logits.shape()), "[batch, classes]");
  const Var rows = broadcast_to(unsqueeze(logits, {1}), {logits.dim(0), samples, logits.dim(1)});
  node.set(0, as_dtype(graph.random_categorical(fresh_key(node, graph), rows), dtype));
}

// --------------------------------------------------------------------------------------------------------- dropout

void keep_all(Node& node, GraphBuilder& graph) {
  const bool real_mask = node.version() < 10;
  node.set(0, node.value(0));
  if (!node.wants(1)) return;
  const TensorType type = node.type(0);
  node.set(1, graph.full(type.shape, 1, {.dtype = real_mask ? type.dtype : DType::bool_}));
}

// Where the ratio, or whether it trains, is data.
void dropout_by_data(Node& node, GraphBuilder& graph, Var key) {
  const Var x = node.input(0), trains = as_scalar(node.input(2));
  const DType dtype = widened(x.dtype());
  const Var ratio = node.has(1) ? as_dtype(as_scalar(node.input(1)), dtype) : graph.scalar(0.5, dtype);
  const Var kept = graph.ge(graph.random_uniform(key, Shape(x.shape()), {.dtype = dtype}), ratio);
  const Var scaled = graph.select(kept, as_dtype(x, dtype) / (1 - ratio), graph.scalar(0.0, dtype));
  node.set(0, graph.select(trains, as_dtype(scaled, x.dtype()), x));
  node.set(1, graph.logical_or(kept, graph.logical_not(trains)));
}

// Before version 12 the op is for inference alone.
void dropout(Node& node, GraphBuilder& graph) {
  if (node.version() < 12) {
    node.ignore("ratio", "nothing is dropped");
    if (node.version() < 7 && !node.flag("is_test", false)) throw Unsupported("it trains");
    return keep_all(node, graph);
  }
  const std::string seed = node.has("seed") ? fmt::format("{}", node.integer("seed")) : "";
  const bool trains = is_data(node, 2) || (node.has(2) && node.constant_scalar(2).bits != 0);
  node.value(1);  // a ratio says nothing where nothing is dropped
  if (!trains) return keep_all(node, graph);
  if (is_data(node, 1) || is_data(node, 2)) return dropout_by_data(node, graph, fresh_key(node, graph, seed));
  const double ratio = node.has(1) ? node.constant_scalar(1).as_real() : 0.5;
  if (ratio == 0) return keep_all(node, graph);
  const auto [y, mask] = graph.dropout(node.input(0), fresh_key(node, graph, seed), {.ratio = ratio});
  node.set(0, y);
  node.set(1, mask);
}

// --------------------------------------------------------------------------------------------------------- windows

// Σ factors[k]·cos(2πk·i/N), N the size, or one less for a symmetric window.
struct Cosines {
  double constant, once, twice;
};
constexpr Cosines hann{0.5, -0.5, 0}, hamming{25.0 / 46, 25.0 / 46 - 1, 0}, blackman{0.42, -0.5, 0.08};

template <const Cosines& factors>
void window(Node& node, GraphBuilder& graph) {
  const DType dtype = node.dtype("output_datatype", DType::f32);
  const Dim size = node.dim(0), period = max(node.flag("periodic", true) ? size : size - 1, 1);
  const Var turns = graph.cast(graph.size_of(period), DType::f64);
  const Var angle = graph.iota(max(size, 0), {.dtype = DType::f64}) * (2 * std::numbers::pi) / turns;
  Var y = graph.cos(angle) * factors.once + factors.constant;
  if (factors.twice != 0) y = y + graph.cos(angle * 2.0) * factors.twice;
  node.set(0, as_dtype(y, dtype));
}

constexpr Handler rows[] = {
    {"Bernoulli", 15, bernoulli},
    {"BlackmanWindow", 17, window<blackman>},
    {"Dropout", 1, dropout},
    {"HammingWindow", 17, window<hamming>},
    {"HannWindow", 17, window<hann>},
    {"Multinomial", 7, multinomial},
    {"RandomNormal", 1, random_normal<false>},
    {"RandomNormalLike", 1, random_normal<true>},
    {"RandomUniform", 1, random_uniform<false>},
    {"RandomUniformLike", 1, random_uniform<true>},
};

}  // namespace

std::span<const Handler> create_handlers() { return rows; }

}  // namespace ingot::onnx
