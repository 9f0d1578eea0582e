// Fused norms, activations and products of ONNX Runtime's domain.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/product.h"
#include "import/onnx/sizes.h"
#include "import/onnx/window.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------------- norms

// input + skip + bias, which is an output too.
Var skipped(Node& node, size_t bias) {
  const Var x = node.input(0);
  const auto shape = Shape(x.shape());
  Var sum = x + broadcast_to(node.input(1), shape);
  if (node.has(bias)) sum = sum + broadcast_to(node.input(bias), shape);
  node.set(3, sum);
  return sum;
}

// A weight or bias of the last axis.
std::optional<Var> of_last_axis(Node& node, size_t i, Var x) {
  return node.has(i) ? std::optional(broadcast_to(node.input(i), {x.dim(-1)})) : std::nullopt;
}

void skip_layer_norm(Node& node, GraphBuilder& graph) {
  const double eps = node.real("epsilon", 1e-12F);
  const Var x = skipped(node, 4);
  node.set(0, graph.layer_norm(x, {.weight = of_last_axis(node, 2, x), .bias = of_last_axis(node, 3, x), .eps = eps}));
}

void skip_rms_norm(Node& node, GraphBuilder& graph) {
  const double eps = node.real("epsilon", 1e-12F);
  const Var x = skipped(node, 3);
  node.set(0, graph.rms_norm(x, {.weight = of_last_axis(node, 2, x), .eps = eps}));
}

// 1 / sqrt(mean(x²) + eps), in f32
Var inverse_rms(Var x, const std::vector<int64_t>& axes, double eps) {
  GraphBuilder& graph = x.graph();
  const Var mean = graph.reduce_mean(graph.square(as_dtype(x, widened(x.dtype()))), axes, {.keepdims = true});
  return as_dtype(graph.rsqrt(mean + eps), DType::f32);
}

void rms_norm(Node& node, GraphBuilder& graph) {
  if (const DType stash = node.dtype("stash_type", DType::f32); stash != DType::f32) {
    throw Unsupported(fmt::format("attribute stash_type is {}", to_string(stash)));
  }
  const int64_t rank = node.rank(0), axis = axis_of(node, "axis", node.integer("axis", -1), rank);
  const double eps = node.real("epsilon", 1e-5F);
  const Var x = node.input(0);
  const Var weight = broadcast_to(node.input(1), Shape(x.shape().begin() + axis, x.shape().end()));
  node.set(0, graph.rms_norm(x, {.weight = weight, .axis = axis, .eps = eps}));
  if (!node.wants(1)) return;
  std::vector<int64_t> axes;
  for (int64_t i = axis; i < rank; ++i) axes.push_back(i);
  node.set(1, inverse_rms(x, axes, eps));
}

// Rows of the tables of words, positions and segments, added up; the number of words that count beside it.
void embed_layer_norm(Node& node, GraphBuilder& graph) {
  node.ignore("mask_index_type", "the outputs say it");
  const double eps = node.real("epsilon", 1e-12F);
  const Var words = node.input(0);
  const Dim batch = words.dim(0), length = words.dim(1);
  const Var places = node.has(8) ? node.input(8) : unsqueeze(graph.iota(length), {0});
  const Var rows = graph.take(node.input(3), places);
  Var sum = graph.take(node.input(2), words);
  sum = sum + broadcast_to(rows, Shape(sum.shape()));
  if (node.has(1)) sum = sum + graph.take(node.input(4), ensure(node.input(1), {batch, length}));
  node.set(
      0, graph.layer_norm(sum, {.weight = of_last_axis(node, 5, sum), .bias = of_last_axis(node, 6, sum), .eps = eps}));
  node.set(2, sum);
  const std::optional<Var> mask = node.optional_input(7);
  if (!node.wants(1)) return;
  if (!mask) return node.set(1, graph.full({batch}, 0, {.dtype = DType::i32}));
  const Var counts = graph.eq(*mask, graph.scalar(1, mask->dtype()));
  node.set(1, graph.reduce_sum(as_dtype(counts, DType::i32), {1}, {.dtype = DType::i32}));
}

// -------------------------------------------------------------------------------------------------------- activations

Var plus_bias(Node& node) {
  const std::vector<Var> operands = broadcastable({node.input(0), node.input(1)});
  return operands[0] + operands[1];
}

void bias_gelu(Node& node, GraphBuilder& graph) { node.set(0, graph.gelu(plus_bias(node))); }
void gelu(Node& node, GraphBuilder& graph) { node.set(0, graph.gelu(node.input(0))); }
void fast_gelu(Node& node, GraphBuilder& graph) {
  node.set(0, graph.gelu_tanh(node.has(1) ? plus_bias(node) : node.input(0)));
}
void quick_gelu(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha", 1.702F);
  node.set(0, graph.swish(node.input(0), {.alpha = alpha}));
}

void bias_split_gelu(Node& node, GraphBuilder& graph) {
  const Var x = plus_bias(node);
  const int64_t last = x.type().rank() - 1;
  const Dim size = x.dim(last), half = quotient_of(size, 2);
  node.set(0, graph.slice(x, {last}, {0}, {half}) * graph.gelu(graph.slice(x, {last}, {half}, {half * 2})));
}

// The activation at the end of a fused op, with the parameters that it takes.
Var activated(Var x, const std::string& name, const std::vector<double>& parameters) {
  GraphBuilder& graph = x.graph();
  const auto parameter = [&](size_t i) { return i < parameters.size() ? std::optional(parameters[i]) : std::nullopt; };
  if (parameters.size() > (name == "HardSigmoid" || name == "Clip" ? 2U
                           : name == "LeakyRelu" || name == "Elu"  ? 1U
                                                                   : 0U)) {
    throw Unsupported(fmt::format("the activation {} has {} parameters", name, parameters.size()));
  }
  if (name.empty()) return x;
  if (name == "Relu") return graph.relu(x);
  if (name == "Sigmoid") return graph.sigmoid(x);
  if (name == "Tanh") return graph.tanh(x);
  if (name == "LeakyRelu") return graph.leaky_relu(x, {.alpha = parameter(0)});
  if (name == "Elu") return graph.elu(x, {.alpha = parameter(0)});
  if (name == "HardSigmoid") return graph.hard_sigmoid(x, {.alpha = parameter(0), .beta = parameter(1)});
  if (name == "Clip" && parameters.size() == 2) {
    return graph.clip(x,
                      {.low = graph.scalar(parameters[0], x.dtype()), .high = graph.scalar(parameters[1], x.dtype())});
  }
  throw Unsupported(fmt::format("the activation {} is not understood", name));
}

// ---------------------------------------------------------------------------------------------------------- products

Var transposed(Node& node, Var x, bool really) {
  if (!really) return x;
  const int64_t rank = x.type().rank();
  if (rank < 2) node.malformed("what is transposed", to_string(x.shape()), "rank 2 or more");
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < rank; ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return x.graph().transpose(x, perm);
}

void fused_matmul(Node& node, GraphBuilder&) {
  for (const std::string_view name : {"transBatchA", "transBatchB"}) {
    if (node.flag(name, false)) throw Unsupported(fmt::format("attribute {} is 1", name));
  }
  const bool transpose_a = node.flag("transA", false), transpose_b = node.flag("transB", false);
  const double alpha = node.real("alpha", 1.0);
  const Var y =
      product(node, transposed(node, node.input(0), transpose_a), transposed(node, node.input(1), transpose_b));
  node.set(0, alpha == 1 ? y : y * alpha);
}

void fused_gemm(Node& node, GraphBuilder&) {
  std::vector<double> parameters;
  for (const std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (node.has(name)) parameters.push_back(node.real(name));
  }
  node.set(0, activated(gemm(node), node.text("activation", ""), parameters));
}

void fused_conv(Node& node, GraphBuilder&) {
  const std::vector<double> parameters = node.reals("activation_params").value_or(std::vector<double>{});
  Var y = convolved(node, node.input(0), node.input(1), node.optional_input(2));
  if (node.has(3)) y = y + ensure(node.input(3), Shape(y.shape()));
  node.set(0, activated(y, node.text("activation", ""), parameters));
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr Handler rows[] = {
    {"BiasGelu", 1, bias_gelu, microsoft},
    {"BiasSplitGelu", 1, bias_split_gelu, microsoft},
    {"EmbedLayerNormalization", 1, embed_layer_norm, microsoft},
    {"FastGelu", 1, fast_gelu, microsoft},
    {"FusedConv", 1, fused_conv, microsoft},
    {"FusedGemm", 1, fused_gemm, microsoft},
    {"FusedMatMul", 1, fused_matmul, microsoft},
    {"Gelu", 1, gelu, microsoft},
    {"QuickGelu", 1, quick_gelu, microsoft},
    {"SimplifiedLayerNormalization", 1, rms_norm},
    {"SimplifiedLayerNormalization", 1, rms_norm, microsoft},
    {"SkipLayerNormalization", 1, skip_layer_norm, microsoft},
    {"SkipSimplifiedLayerNormalization", 1, skip_rms_norm, microsoft},
};

}  // namespace

std::span<const Handler> microsoft_handlers() { return rows; }

}  // namespace ingot::onnx
