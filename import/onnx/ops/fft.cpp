// Fourier transforms. ONNX keeps complex numbers as a last axis of two reals, and reals as one of size 1.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
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

void dft(Node& node, GraphBuilder& graph) {
  const bool inverse = node.flag("inverse", false), onesided = node.flag("onesided", false);
  const int64_t axis = axis_of_transform(node);
  const DType dtype = node.type(0).dtype;
  const Var x = as_f32(node.input(0));
  const int64_t parts = parts_of(node, x);
  const Dim own = x.dim(axis);
  const Dim length = node.has(1) ? node.dim(1) : inverse && onesided ? (own - 1) * 2 : own;
  if (inverse && onesided) {
    const Var y = graph.irfft(as_complex(x, parts), {axis}, {length});
    return node.set(0, as_dtype(unsqueeze(y, {y.type().rank()}), dtype));
  }
  if (onesided) {
    if (parts != 1) node.malformed("the last axis", "2", "1 (onesided transforms are of reals)");
    return node.set(0, as_pairs(graph.rfft(part(x, 0), {axis}, {.sizes = {length}}), dtype));
  }
  const Var z = as_complex(x, parts);
  node.set(0, as_pairs(inverse ? graph.fft_inverse(z, {axis}, {.sizes = {length}})
                               : graph.fft_forward(z, {axis}, {.sizes = {length}}),
                       dtype));
}

void stft(Node& node, GraphBuilder& graph) {
  const bool onesided = node.flag("onesided", true);
  const DType dtype = node.type(0).dtype;
  Var x = as_f32(node.input(0));
  const int64_t parts = parts_of(node, x);
  if (onesided && parts == 2) throw Unsupported("the transform of complex numbers has two sides");
  std::optional<Var> window = node.optional_input(2);
  const Dim length = node.has(3) ? node.dim(3) : window ? window->dim(0) : x.dim(1);
  if (window) window = ensure(as_f32(*window), {length});
  x = ensure_at_least(x, 1, length);
  const Var signal = parts == 2 ? as_complex(x, parts) : part(x, 0);
  node.set(0, as_pairs(graph.stft(signal, length, node.dim(1), {.window = window, .onesided = onesided}), dtype));
}

// -------------------------------------------------------------------------------------------------- mel weight matrix

// The bins of the spectrum at which the triangles begin, peak and end.
std::vector<int64_t> mel_edges(int64_t bands, int64_t length, int64_t rate, double low, double high) {
  const auto mel = [](double hertz) { return 2595 * std::log1p(hertz / 700) / std::numbers::ln10; };
  const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * std::expm1((static_cast<double>(i) * step + first) / 2595 * std::numbers::ln10);
    edges.push_back(
        static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  return edges;
}

void mel_weight_matrix(Node& node, GraphBuilder& graph) {
  const DType dtype = node.dtype("output_datatype", DType::f32);
  const int64_t bands = node.constant_integer(0), length = node.constant_integer(1);
  const int64_t rate = node.constant_integer(2), bins = length / 2 + 1;
  const double low = node.constant_scalar(3).as_real(), high = node.constant_scalar(4).as_real();
  if (bands < 1 || length < 1 || rate < 1 || !(low >= 0 && high > low && high <= static_cast<double>(rate)) ||
      bands > (int64_t{1} << 24) / bins) {
    node.malformed("the bands", fmt::format("{} of {}..{} Hz at {} Hz", bands, low, high, rate), "a small matrix");
  }
  const std::vector<int64_t> edges = mel_edges(bands, length, rate, low, high);
  if (edges.back() >= bins) node.malformed("upper_edge_hertz", fmt::format("{}", high), "within the spectrum");
  std::vector<float> weights(static_cast<size_t>(bins * bands));
  for (int64_t band = 0; band < bands; ++band) {
    const auto weight = [&](int64_t bin) -> float& { return weights[static_cast<size_t>(bin * bands + band)]; };
    const auto at = edges.begin() + band;
    const int64_t left = at[0], peak = at[1], right = at[2];
    for (int64_t bin = left; bin < peak; ++bin) {
      weight(bin) = static_cast<float>(bin - left) / static_cast<float>(peak - left);
    }
    weight(peak) = 1;
    for (int64_t bin = peak + 1; bin < right; ++bin) {
      weight(bin) = static_cast<float>(right - bin) / static_cast<float>(right - peak);
    }
  }
  const Tensor matrix = Tensor::of<float>({bins, bands}, weights);
  if (dtype == DType::f32) return node.set(0, matrix);
  node.set(0, graph.cast(node.as_var(matrix), dtype));
}

constexpr Handler rows[] = {
    {"DFT", 17, dft},
    {"MelWeightMatrix", 17, mel_weight_matrix},
    {"STFT", 17, stft},
};

}  // namespace

std::span<const Handler> fft_handlers() { return rows; }

}  // namespace ingot::onnx
