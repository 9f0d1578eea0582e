// Norms. MLX's fused ones compute in f32, so f64 runs the decomposition, as do norms that are elementwise anyway.
#include <algorithm>

#include "engines/mlx/lowering.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

bool is_f64(const Graph& graph, Ref ref) { return graph.type(ref).dtype == DType::f64; }
bool is_f64(const Graph& graph, const std::optional<Ref>& ref) { return ref && is_f64(graph, *ref); }

// Rows to normalise: the axes from `axis` on as one, in the dtype that MLX computes in.
//
// A GPU's kernel reads halves and sums in f32; on a CPU, and where parameters have other dtypes, halves are converted
// first. So the result is rounded once, but for a GPU's product with the weight.
struct Rows {
  Frame& frame;
  mx::Dtype dtype;
  mx::Shape shape;

  Rows(Frame& f, Ref x, int64_t axis, std::initializer_list<std::optional<Ref>> parameters)
      : frame(f), dtype(mx::float32) {
    const auto alike = [&](const std::optional<Ref>& each) { return !each || frame.dtype(*each) == frame.dtype(x); };
    if (!frame.on_cpu() && std::ranges::all_of(parameters, alike)) dtype = to_mlx(frame.dtype(x));
    const Sizes sizes = frame.sizes(x);
    const auto split = sizes.begin() + (axis < 0 ? axis + std::ssize(sizes) : axis);
    shape = to_mlx(Sizes(sizes.begin(), split));
    shape.push_back(to_mlx(Sizes{element_count(Sizes(split, sizes.end()))})[0]);
  }

  array operator()(Ref x) const {
    return mx::reshape(mx::astype(frame.in(x), dtype, frame.stream()), shape, frame.stream());
  }
  std::optional<array> parameter(const std::optional<Ref>& ref) const {
    if (!ref) return {};
    return mx::flatten(mx::astype(frame.in(*ref), dtype, frame.stream()), frame.stream());
  }
  array result(const array& rows) const {
    const array whole = mx::reshape(rows, frame.result_shape(), frame.stream());
    return mx::astype(whole, to_mlx(frame.result_dtype()), frame.stream());
  }
};

// (x - mean) / sqrt(mean((x - mean)²) + eps) · weight + bias over the last axis
array normalised(const Frame& frame, const array& x, const std::optional<array>& weight,
                 const std::optional<array>& bias, double given_eps) {
  const mx::Stream s = frame.stream();
  const auto eps = static_cast<float>(given_eps);
  if (!frame.on_cpu()) return mx::fast::layer_norm(x, weight, bias, eps, s);
  // MLX composes it on a CPU, with a mean that is multiplied by a rounded 1/n, which costs digits.
  const array mean = mx::divide(mx::sum(x, -1, true, s), array(x.shape(-1), x.dtype()), s);
  const array y = mx::fast::rms_norm(mx::subtract(x, mean, s), weight, eps, s);
  return bias ? mx::add(y, *bias, s) : y;
}

bool is_native(const op::LayerNorm& op, const Graph& graph) {
  return !is_f64(graph, op.x) && !is_f64(graph, op.weight) && !is_f64(graph, op.bias);
}

array emit(const op::LayerNorm& op, Frame& frame) {
  const array& x = frame.in(op.x);
  frame.spend(2 * x.size());
  if (x.size() == 0) return x;
  const Rows rows(frame, op.x, op.axis, {op.weight, op.bias});
  return rows.result(normalised(frame, rows(op.x), rows.parameter(op.weight), rows.parameter(op.bias), op.eps));
}

bool is_native(const op::RmsNorm& op, const Graph& graph) { return !is_f64(graph, op.x) && !is_f64(graph, op.weight); }

array emit(const op::RmsNorm& op, Frame& frame) {
  const array& x = frame.in(op.x);
  frame.spend(x.size());
  if (x.size() == 0) return x;
  const Rows rows(frame, op.x, op.axis, {op.weight});
  const auto eps = static_cast<float>(op.eps);
  return rows.result(mx::fast::rms_norm(rows(op.x), rows.parameter(op.weight), eps, frame.stream()));
}

bool is_native(const op::GroupNorm& op, const Graph& graph) {
  return !is_f64(graph, op.x) && !is_f64(graph, op.weight) && !is_f64(graph, op.bias);
}

// One number for each channel of x [N,C,…], in f32.
array by_channel(const Frame& frame, Ref ref, const array& x) {
  mx::Shape shape(x.ndim() - 1, 1);
  shape[0] = x.shape(1);
  return mx::reshape(mx::astype(frame.in(ref), mx::float32, frame.stream()), std::move(shape), frame.stream());
}

array emit(const op::GroupNorm& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array x = frame.in(op.x, DType::f32);
  frame.spend(2 * x.size());
  const mx::Dtype dtype = to_mlx(frame.result_dtype());
  if (x.size() == 0) return mx::zeros(x.shape(), dtype, s);
  const array groups = mx::reshape(x, {x.shape(0), static_cast<int>(op.groups), -1}, s);
  array y = mx::reshape(normalised(frame, groups, {}, {}, op.eps), x.shape(), s);
  if (op.weight) y = mx::multiply(y, by_channel(frame, *op.weight, x), s);
  if (op.bias) y = mx::add(y, by_channel(frame, *op.bias, x), s);
  return mx::astype(y, dtype, s);
}

INGOT_EXPANDED(BatchNorm)

// Σ of the `before` elements in front of each element of axis 1, itself and the `after` behind it.
array window_sums(const array& x, int before, int after, mx::Stream s) {
  std::vector<std::pair<int, int>> widths(x.ndim(), {0, 0});
  widths[1] = {before, after};
  const array padded = mx::pad(x, widths, array(0, x.dtype()), "constant", s);
  const int batch = x.shape(0), channels = x.shape(1), window = before + 1 + after;
  const auto step = static_cast<int64_t>(x.size()) / batch / channels, row = step * padded.shape(1);
  const array windows =
      mx::as_strided(padded, {batch, channels, window, static_cast<int>(step)}, {row, step, step, 1}, 0, s);
  return mx::reshape(mx::sum(windows, 2, false, s), x.shape(), s);
}

array emit(const op::LocalResponseNorm& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const array x = frame.in(op.x, widened(dtype));
  const int64_t channels = frame.sizes(op.x)[1];
  frame.spend(static_cast<uint64_t>(element_count(Sizes{static_cast<int64_t>(x.size()), std::min(op.size, channels)})));
  if (x.size() == 0) return frame.in(op.x);
  // Neighbours beyond the first and the last channel do not exist.
  const int64_t before = (op.size - 1) / 2, after = op.size - 1 - before, most = channels - 1;
  const array sums = window_sums(mx::square(x, s), static_cast<int>(std::min(before, most)),
                                 static_cast<int>(std::min(after, most)), s);
  const auto number = [&](double value) { return array(value, x.dtype()); };
  const array base =
      mx::add(number(op.bias), mx::multiply(number(op.alpha / static_cast<double>(op.size)), sums, s), s);
  return mx::astype(mx::divide(x, mx::power(base, number(op.beta), s), s), to_mlx(dtype), s);
}

INGOT_EXPANDED(LpNormalize)

}  // namespace

INGOT_LOWERINGS(norm)

}  // namespace ingot::mlx_engine
