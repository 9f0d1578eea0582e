// Fourier transforms. ONNX keeps complex numbers as a last axis of two reals, and reals as one of size 1.
#include <fmt/format.h>

#include <numbers>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ---------------------------------------------------------------------------------------------------- complex numbers

// How many reals the last axis holds.
int64_t parts_of(Node& node, Var x) {
  const Dim parts = x.shape().empty() ? Dim(0) : x.dim(-1);
  if (parts != Dim(1) && parts != Dim(2)) node.malformed("the last axis", to_string(parts), "1 or 2");
  return parts.literal();
}

// Ingot's complex numbers are pairs of f32.
Var as_f32(Var x) {
  if (x.dtype() == DType::f64) throw Unsupported("complex numbers of f64 are not supported");
  return as_dtype(x, DType::f32);
}

Var part(Var x, int64_t i) {
  const int64_t last = x.type().rank() - 1;
  return squeeze(x.graph().slice(x, {last}, {i}, {i + 1}), {last});
}

Var as_complex(Var x, int64_t parts) {
  const Var re = part(x, 0);
  return x.graph().complex(re, parts == 2 ? part(x, 1) : re.graph().scalar(0.0, DType::f32));
}

Var as_pairs(Var x, DType dtype) {
  GraphBuilder& graph = x.graph();
  const int64_t last = x.type().rank();
  const Var re = unsqueeze(graph.real(x), {last}), im = unsqueeze(graph.imag(x), {last});
  return as_dtype(graph.concatenate({re, im}, {.axis = last}), dtype);
}

// ------------------------------------------------------------------------------------------------------- transforms

int64_t axis_of_transform(Node& node) {
  const int64_t rank = node.rank(0);
  const int64_t given = node.version() < 20 ? node.integer("axis", 1) : node.has(2) ? node.constant_integer(2) : -2;
  const int64_t axis = axis_of(node, "axis", given, rank);
  if (axis == rank - 1) node.malformed("axis", fmt::format("{}", given), "one before the last");
  return axis;
}

Var dft_along(Node& node, Var x, int64_t axis) {
  GraphBuilder& graph = node.graph();
  const bool inverse = node.flag("inverse", false), onesided = node.flag("onesided", false);
  const DType dtype = node.type(0).dtype;
  x = as_f32(x);
  const int64_t parts = parts_of(node, x);
  if (inverse && onesided) x = ensure_at_least(x, axis, 1);
  const Dim own = x.dim(axis);
  const Dim length = node.has(1) ? node.dim(1) : inverse && onesided ? (own - 1) * 2 : own;
  if (inverse && onesided) {
    const Var y = graph.irfft(as_complex(x, parts), {axis}, {length});
    return as_dtype(unsqueeze(y, {y.type().rank()}), dtype);
  }
  if (onesided) {
    if (parts != 1) node.malformed("the last axis", "2", "1 (onesided transforms are of reals)");
    return as_pairs(graph.rfft(part(x, 0), {axis}, {.sizes = {length}}), dtype);
  }
  const Var z = as_complex(x, parts);
  return as_pairs(
      inverse ? graph.fft_inverse(z, {axis}, {.sizes = {length}}) : graph.fft_forward(z, {axis}, {.sizes = {length}}),
      dtype);
}

void dft(Node& node, GraphBuilder&) {
  const Var x = node.input(0);
  if (node.version() < 20 || !is_data(node, 2)) return node.set(0, dft_along(node, x, axis_of_transform(node)));
  const int64_t parts = parts_of(node, x);
  const Shape shape(x.shape().begin(), x.shape().end() - 1);
  const RuntimeAxis axis = runtime_axis(node, 2, shape, node.rank(0));
  const Var y = dft_along(node, reshape(x, {axis.before, axis.size, axis.after, parts}), 1);
  const Dim length = y.dim(1), numbers = y.dim(3);
  Shape result = replaced_sizes(node, shape, axis.named, length);
  result.push_back(numbers);
  node.set(0, reshape(y, result));
}

void stft(Node& node, GraphBuilder& graph) {
  const bool onesided = node.flag("onesided", true);
  const DType dtype = node.type(0).dtype;
  Var x = as_f32(node.input(0));
  const int64_t parts = parts_of(node, x);
  if (onesided && parts == 2) throw Unsupported("the transform of complex numbers has two sides");
  std::optional<Var> window = node.optional_input(2);
  const Dim length = node.has(3) ? positive_dim(node, 3) : window ? window->dim(0) : x.dim(1);
  if (window) window = ensure(as_f32(*window), {length});
  x = ensure_at_least(x, 1, length);
  const Var signal = parts == 2 ? as_complex(x, parts) : part(x, 0);
  node.set(
      0, as_pairs(graph.stft(signal, length, positive_dim(node, 1), {.window = window, .onesided = onesided}), dtype));
}

// -------------------------------------------------------------------------------------------------- mel weight matrix

// Triangles of height 1 between the bins of the spectrum at which neighbouring bands begin, peak and end.
void mel_weight_matrix(Node& node, GraphBuilder& graph) {
  const DType dtype = node.dtype("output_datatype", DType::f32);
  const auto number = [&](size_t input) { return graph.cast(as_scalar(node.input(input)), DType::f64); };
  const auto mel = [&](Var hertz) { return graph.log1p(hertz / 700.0) * (2595 / std::numbers::ln10); };
  const Dim bands = positive_dim(node, 0), bins = floor_div(positive_dim(node, 1), 2) + 1;
  const Var length = number(1), rate = number(2), low = number(3), high = number(4);
  const Var rises = graph.logical_and(graph.ge(low, graph.scalar(0.0, DType::f64)), graph.lt(low, high));
  const Var first = provided(node, graph.logical_and(rises, graph.le(high, rate)), "edges_are_in_order", mel(low));

  const Var step = (mel(high) - first) / graph.cast(graph.size_of(bands + 2), DType::f64);
  const Var hertz =
      graph.expm1((graph.iota(bands + 2, {.dtype = DType::f64}) * step + first) * (std::numbers::ln10 / 2595)) * 700.0;
  const Var edges = graph.floor((length + 1.0) * hertz / rate);
  const auto row = [&](int64_t from) { return reshape(graph.slice(edges, {0}, {from}, {bands + from}), {1, bands}); };
  const Var left = row(0), peak = row(1), right = row(2);
  const Var bin = reshape(graph.iota(bins, {.dtype = DType::f64}), {bins, 1});
  const Var all_fit = graph.reduce_all(graph.lt(edges, graph.cast(graph.size_of(bins), DType::f64)), {0});

  const Var rising = graph.logical_and(graph.ge(bin, left), graph.lt(bin, peak));
  const Var falling = graph.logical_and(graph.gt(bin, peak), graph.lt(bin, right));
  Var weights = graph.cast(graph.eq(bin, peak), DType::f64);
  weights = graph.select(rising, (bin - left) / (peak - left), weights);
  weights = graph.select(falling, (right - bin) / (right - peak), weights);
  node.set(0, graph.cast(provided(node, all_fit, "edges_are_in_the_spectrum", weights), dtype));
}

constexpr Handler rows[] = {
    {"DFT", 17, dft},
    {"MelWeightMatrix", 17, mel_weight_matrix},
    {"STFT", 17, stft},
};

}  // namespace

std::span<const Handler> fft_handlers() { return rows; }

}  // namespace ingot::onnx
