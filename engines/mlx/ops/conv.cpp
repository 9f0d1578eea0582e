// Convolutions. MLX has those of f16, bf16 and f32 with up to three spatial axes, channels last; what it takes of f64 it
// computes in f32. Everything else is a product of matrices: the windows of x by w.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engines/mlx/cast.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/products.h"
#include "engines/mlx/sampling.h"
#include "engines/mlx/windows.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

// Windows over x, between whose elements lie spread - 1 zeros: those of `axes` count the zeros in.
struct Geometry {
  std::vector<WindowAxis> axes;
  std::vector<int64_t> spread;
  int64_t groups;
};

template <class O>
Geometry geometry_of(const O& op, const Frame& frame) {
  const Sizes in = spatial(frame.sizes(op.x)), kernel = spatial(frame.sizes(op.w));
  return {window_axes(op, frame, in, kernel, spatial(frame.result_sizes())), std::vector<int64_t>(in.size(), 1),
          op.groups};
}

// The transpose is a convolution of spread-out x by the reversed kernel, with so much padding that every element meets
// every position of it.
Geometry geometry_of(const op::ConvTranspose& op, const Frame& frame) {
  const Sizes in = spatial(frame.sizes(op.x)), kernel = spatial(frame.sizes(op.w));
  Geometry geometry{window_axes(op, frame, in, kernel, spatial(frame.result_sizes())), {}, op.groups};
  for (size_t i = 0; i < in.size(); ++i) {
    WindowAxis& axis = geometry.axes[i];
    geometry.spread.push_back(in[i] > 1 ? axis.stride : 1);
    axis.in = (in[i] - 1) * geometry.spread[i] + 1;
    axis.stride = 1;
    axis.before = axis.extent() - 1 - axis.before;
  }
  return geometry;
}

// On CUDA MLX keeps plans by the alignment of what it is given, and may compute with copies of that: of up to 8 bytes
// they lie anywhere.
bool is_too_small(const array& operand, mx::Stream s) { return is_cuda(s) && operand.nbytes() <= 8; }

bool fits(int64_t value) { return value <= std::numeric_limits<int32_t>::max(); }

// Whether MLX's own convolution computes this.
bool is_mlx_conv(const Geometry& geometry, DType dtype) {
  if (dtype != DType::f32 && widened(dtype) != DType::f32) return false;
  if (geometry.axes.size() > 3 || (geometry.axes.size() == 3 && geometry.groups > 1)) return false;
  return std::ranges::all_of(geometry.spread, fits) && std::ranges::all_of(geometry.axes, [](const WindowAxis& axis) {
           return is_close(axis) && fits(axis.stride) && fits(axis.dilation);
         });
}

// x with spread - 1 zeros between the elements of each spatial axis.
array spread_out(array x, const Geometry& geometry, mx::Stream s) {
  for (size_t i = 0; i < geometry.axes.size(); ++i) {
    if (geometry.spread[i] == 1) continue;
    const int axis = static_cast<int>(i) + 2;
    const mx::Shape zeros = to_mlx(Sizes{geometry.spread[i] - 1});
    static_cast<void>(to_mlx(Sizes{x.shape(axis) * geometry.spread[i]}));  // throws where that is too long for MLX
    const array apart = mx::pad(mx::expand_dims(x, axis + 1, s), {axis + 1}, {0}, zeros, number(0, x), "constant", s);
    const array all = mx::flatten(apart, axis, axis + 1, s);
    mx::Shape stop = all.shape();
    stop[static_cast<size_t>(axis)] = to_mlx(Sizes{geometry.axes[i].in})[0];
    x = mx::slice(all, mx::Shape(stop.size(), 0), stop, s);
  }
  return x;
}

// x [N, C, …], w [O, C/groups, kernel…] -> [N, O, …], by MLX.
array mlx_conv(array x, const array& w, Geometry geometry, mx::Stream s) {
  if (is_cuda(s)) {  // MLX keeps plans there without regard to the spread
    x = spread_out(x, geometry, s);
    std::ranges::fill(geometry.spread, 1);
  }
  // Nor may one for a copy that it makes serve a view.
  const auto channels_last = [&](const array& operand) {
    const array moved = mx::moveaxis(operand, 1, -1, s);
    return is_cuda(s) ? mx::contiguous(moved, false, s) : moved;
  };
  std::vector<int> strides, low, high, dilations, spread(geometry.spread.begin(), geometry.spread.end());
  mx::Shape start{0}, stop{x.shape(0)};
  for (const WindowAxis& axis : geometry.axes) {
    strides.push_back(static_cast<int>(axis.stride));
    dilations.push_back(static_cast<int>(axis.dilation));
    low.push_back(static_cast<int>(std::max<int64_t>(axis.before, 0)));
    high.push_back(static_cast<int>(std::max<int64_t>(lacks_behind(axis), 0)));
    // Windows that x loses in front: strides are 1 there.
    start.push_back(static_cast<int>(std::max<int64_t>(-axis.before, 0)));
    stop.push_back(start.back() + static_cast<int>(axis.out));
  }
  start.push_back(0);
  stop.push_back(w.shape(0));
  const array y = mx::conv_general(channels_last(x), channels_last(w), strides, low, high, dilations, spread,
                                   static_cast<int>(geometry.groups), false, s);
  return mx::moveaxis(mx::slice(y, start, stop, s), -1, 1, s);
}

// x [N, C, …] as the factor [N, groups, windows, C/groups·kernel] of a product.
array window_matrix(Frame& frame, const array& x, const Geometry& geometry) {
  const mx::Stream s = frame.stream();
  const array seen = windows(frame, spread_out(x, geometry, s), geometry.axes, number(0, x));
  int64_t count = 1, volume = 1;
  for (const WindowAxis& axis : geometry.axes) {
    count *= axis.out;
    volume *= axis.kernel;
  }
  const int64_t channels = x.shape(1) / geometry.groups;
  const array parts = mx::reshape(seen, to_mlx(Sizes{x.shape(0), geometry.groups, channels, count, volume}), s);
  return mx::flatten(mx::swapaxes(parts, 2, 3, s), 3, 4, s);
}

// w [O, C/groups, kernel…] as the other factor [groups, C/groups·kernel, O/groups].
array filter_matrix(const array& w, int64_t groups, mx::Stream s) {
  const mx::Shape rows = to_mlx(Sizes{groups, w.shape(0) / groups, -1});
  return mx::swapaxes(mx::reshape(w, rows, s), -1, -2, s);
}

// [N, groups, windows, O/groups] as the result.
array from_matrix(const Frame& frame, const array& y, mx::Stream s) {
  return mx::reshape(mx::swapaxes(y, -1, -2, s), frame.result_shape(), s);
}

// bias [O] for a result [N, O, …].
array beside_channels(const array& bias, size_t rank, mx::Stream s) {
  mx::Shape shape(rank, 1);
  shape[1] = bias.shape(0);
  return mx::reshape(bias, shape, s);
}

// Each element of the result adds up this many products.
void spend_products(Frame& frame, const array& w) {
  const auto each = static_cast<int64_t>(w.size()) / std::max(w.shape(0), 1);
  frame.spend(static_cast<uint64_t>(element_count(Sizes{element_count(frame.result_sizes()), each})));
}

// x by w [O, C/groups, kernel…], and the bias.
array convolve(Frame& frame, Ref ref, array w, const std::optional<Ref>& bias, const Geometry& geometry) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const mx::Shape shape = frame.result_shape();
  spend_products(frame, w);
  array x = frame.in(ref, dtype), y = mx::zeros({1}, to_mlx(dtype), s);
  const bool reads = x.size() > 0 && w.size() > 0 && element_count(frame.result_sizes()) > 0;
  const bool native = is_mlx_conv(geometry, dtype) && !is_too_small(x, s) && !is_too_small(w, s);
  // On a CPU MLX would convert halves by itself: this way the bias is added before they are rounded.
  const mx::Dtype computed = to_mlx(native && !frame.on_cpu() ? dtype : widened(dtype));
  x = mx::astype(x, computed, s);
  w = mx::astype(w, computed, s);
  if (reads && native) y = mlx_conv(x, w, geometry, s);
  if (reads && !native) {
    const array factor = window_matrix(frame, x, geometry), filter = filter_matrix(w, geometry.groups, s);
    y = from_matrix(frame, matrix_product(frame, factor, filter, from_mlx(computed)), s);
  }
  if (bias) y = mx::add(y, beside_channels(mx::astype(frame.in(*bias, dtype), computed, s), shape.size(), s), s);
  return mx::astype(mx::broadcast_to(y, shape, s), to_mlx(dtype), s);
}

array emit(const op::Conv& op, Frame& frame) {
  return convolve(frame, op.x, frame.in(op.w, frame.result_dtype()), op.bias, geometry_of(op, frame));
}

// w [C, O/groups, kernel…] as [O, C/groups, kernel…], the kernel reversed.
array transposed_filter(const array& w, int64_t groups, mx::Stream s) {
  if (w.size() == 0) return w;
  Sizes split{groups, w.shape(0) / groups, w.shape(1)};
  mx::Shape start(w.ndim(), 0), stop = w.shape(), steps(w.ndim(), 1);
  for (size_t axis = 2; axis < w.ndim(); ++axis) {
    split.push_back(w.shape(static_cast<int>(axis)));
    start[axis] = stop[axis] - 1;
    stop[axis] = -stop[axis] - 1;
    steps[axis] = -1;
  }
  const array reversed = mx::slice(w, start, stop, steps, s);
  return mx::flatten(mx::swapaxes(mx::reshape(reversed, to_mlx(split), s), 1, 2, s), 0, 1, s);
}

array emit(const op::ConvTranspose& op, Frame& frame) {
  const array w = transposed_filter(frame.in(op.w, frame.result_dtype()), op.groups, frame.stream());
  return convolve(frame, op.x, w, op.bias, geometry_of(op, frame));
}

array emit(const op::IntegerConv& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &w = frame.in(op.w);
  if (x.size() == 0 || w.size() == 0 || element_count(frame.result_sizes()) == 0) {
    return mx::zeros(frame.result_shape(), mx::int32, s);
  }
  spend_products(frame, w);
  const Geometry geometry = geometry_of(op, frame);
  const auto without = [&](const array& values, const std::optional<Ref>& zero) {
    array wide = mx::astype(values, mx::int32, s);
    if (!zero) return wide;
    const array point = mx::astype(frame.in(*zero), mx::int32, s);
    // A list of them has one for each channel of the result.
    const mx::Shape shape{static_cast<int>(point.size()), 1};
    const array rows = mx::flatten(wide, 1, -1, s);
    return mx::reshape(mx::subtract(rows, mx::reshape(point, shape, s), s), values.shape(), s);
  };
  const array factor = window_matrix(frame, without(x, op.x_zero), geometry);
  const array filter = filter_matrix(without(w, op.w_zero), op.groups, s);
  return from_matrix(frame, mx::astype(integer_product(frame, factor, filter, 8), mx::int32, s), s);
}

// ------------------------------------------------------------------------------------------------------------ deform

// The place that each position of the kernel reads in each window along one axis, without offsets: [kernel, windows].
array undeformed(Frame& frame, const Geometry& geometry, size_t which, mx::Dtype dtype) {
  const mx::Stream s = frame.stream();
  const WindowAxis& axis = geometry.axes[which];
  frame.hold_table({axis.kernel, axis.out}, 2 * sizeof(double));  // with MLX's copy
  std::vector<double> places;
  for (int64_t k = 0; k < axis.kernel; ++k) {
    for (int64_t o = 0; o < axis.out; ++o) places.push_back(static_cast<double>(axis.start(o) + k * axis.dilation));
  }
  const bool rows = which == 0;
  const WindowAxis& other = geometry.axes[1 - which];
  const auto pair = [&](int64_t mine, int64_t others) { return rows ? Sizes{mine, others} : Sizes{others, mine}; };
  Sizes one = pair(axis.kernel, 1), all = pair(axis.kernel, other.kernel);
  for (int64_t size : pair(axis.out, 1)) one.push_back(size);
  for (int64_t size : pair(axis.out, other.out)) all.push_back(size);
  const array spread = mx::broadcast_to(array(places.data(), to_mlx(one), dtype), to_mlx(all), s);
  return mx::reshape(spread, to_mlx(Sizes{all[0] * all[1], all[2] * all[3]}), s);
}

// What each position of the kernel reads in each window: [N, C, kernel, windows].
array deformed(const op::DeformConv& op, Frame& frame, const Geometry& geometry, mx::Dtype computed) {
  const mx::Stream s = frame.stream();
  const mx::Dtype dtype = place_dtype(frame);
  const Sizes sizes = frame.sizes(op.x), in = spatial(sizes);
  const int64_t entries = sizes[0] * op.offset_groups, channels = sizes[1] / op.offset_groups;
  const array rows_at = undeformed(frame, geometry, 0, dtype), columns_at = undeformed(frame, geometry, 1, dtype);
  const int kernel = rows_at.shape(0), count = rows_at.shape(1);
  const int groups = to_mlx(Sizes{entries})[0];
  const auto offset =
      mx::split(mx::reshape(mx::astype(frame.in(op.offset), dtype, s), {groups, kernel, 2, count}, s), 2, 2, s);
  const array row = mx::add(mx::squeeze(offset[0], 2, s), rows_at, s);
  const array column = mx::add(mx::squeeze(offset[1], 2, s), columns_at, s);
  const array x = mx::reshape(mx::astype(frame.in(op.x, frame.result_dtype()), computed, s),
                              to_mlx(Sizes{entries, channels, in[0], in[1]}), s);
  const array entry = mx::reshape(mx::arange(groups, mx::int32, s), {-1, 1, 1}, s);
  const auto samples = combined(entry, {samples_around(row, in[0], s), samples_around(column, in[1], s)}, in, s);
  const array lost = mx::expand_dims(mx::logical_or(mx::isnan(row, s), mx::isnan(column, s), s), -1, s);
  const array nan(std::numeric_limits<double>::quiet_NaN(), computed);
  array read = mx::where(lost, nan, weighted_sum(channel_rows(x, s), samples, s), s);
  if (op.mask) {
    const array mask = mx::reshape(mx::astype(frame.in(*op.mask), computed, s), {groups, kernel, count, 1}, s);
    read = mx::multiply(read, mask, s);
  }
  return mx::reshape(mx::moveaxis(read, -1, 1, s), to_mlx(Sizes{sizes[0], sizes[1], kernel, count}), s);
}

array emit(const op::DeformConv& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const mx::Dtype computed = to_mlx(widened(dtype));
  const mx::Shape shape = frame.result_shape();
  const array w = mx::astype(frame.in(op.w, dtype), computed, s);
  spend_products(frame, w);
  array y = mx::zeros({1}, computed, s);
  if (element_count(frame.result_sizes()) > 0 && frame.in(op.x).size() > 0) {
    const array read = deformed(op, frame, geometry_of(op, frame), computed);
    const mx::Shape factor = to_mlx(Sizes{read.shape(0), op.groups, -1, read.shape(3)});
    const array filter = mx::swapaxes(filter_matrix(w, op.groups, s), -1, -2, s);
    const array product = matrix_product(frame, filter, mx::reshape(read, factor, s), from_mlx(computed));
    y = mx::reshape(product, shape, s);
  }
  if (op.bias) y = mx::add(y, beside_channels(mx::astype(frame.in(*op.bias, dtype), computed, s), shape.size(), s), s);
  return mx::astype(mx::broadcast_to(y, shape, s), to_mlx(dtype), s);
}

}  // namespace

INGOT_LOWERINGS(conv)

}  // namespace ingot::mlx_engine
