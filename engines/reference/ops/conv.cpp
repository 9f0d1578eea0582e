// Convolutions. Sums in double, channel by channel, one rounding at the store; integers wrap. Padding is not read: it
// adds nothing, whatever the weight there.
#include <cmath>
#include <limits>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/windows.h"

namespace ingot::reference {
namespace {

// Channels in groups: those of x and those of y that meet.
struct Channels {
  int64_t groups, inputs, outputs;  // the last two of one group
};

// The weight for output o and input c of a group: conv has w [O, C/groups, kernel…], its transpose [C, O/groups, kernel…].
int64_t forward_filter(const Channels& channels, int64_t group, int64_t o, int64_t c) {
  return (group * channels.outputs + o) * channels.inputs + c;
}
int64_t transposed_filter(const Channels& channels, int64_t group, int64_t o, int64_t c) {
  return (group * channels.inputs + c) * channels.outputs + o;
}

using Filter = int64_t (*)(const Channels&, int64_t group, int64_t o, int64_t c);

// What position p of a transposed convolution reads: x[i] by w[k] where p = i·stride + k·dilation - before. By k from the
// last on, so that i ascends and no more are tried than the kernel has.
template <class F>
void list_transposed(const WindowAxis& axis, int64_t p, F&& each) {
  const int64_t end = p + axis.before;
  for (int64_t k = std::min(axis.kernel - 1, end / axis.dilation); k >= 0; --k) {
    const int64_t distance = end - k * axis.dilation;
    if (distance / axis.stride >= axis.in) return;
    if (distance % axis.stride == 0) each(distance / axis.stride, k);
  }
}

// y[n, o, p] = Σ x[n, c, i]·w[o, c, k] + bias[o] over the channels c of o's group and the taps (i, k) of p, which
// list(axis, position, each) lists for an axis. x(i), w(i, o), bias(o): elements, o the channel of y.
template <class T, class O, class List, class X, class W, class Bias>
void convolve(const O& op, Frame& frame, const Out<T>& y, const Channels& channels, Filter filter, List&& list, X&& x,
              W&& w, Bias&& bias) {
  if (y.size() == 0) return;
  const Sizes in = spatial(frame.sizes(op.x)), kernel = spatial(frame.sizes(op.w)), out = spatial(y.sizes());
  const int64_t volume = element_count(kernel), positions = element_count(in), all = channels.groups * channels.outputs;
  frame.spend(y.size(), element_count(Sizes{channels.inputs, volume}));
  const auto axes = window_axes(op, frame, in, kernel, out);
  const bool reads = channels.inputs > 0 && positions > 0;
  TapList taps_of(frame, reads ? in : Sizes(), reads ? kernel : Sizes());
  for (int64_t p = 0, count = element_count(out); p < count; ++p) {
    std::span<const Tap> taps;
    if (reads) taps = taps_of.at(out, p, [&](size_t i, int64_t o, auto&& each) { list(axes[i], o, each); });
    for (int64_t n = 0; n < y.sizes()[0]; ++n) {
      for (int64_t o = 0; o < all; ++o) {
        const int64_t group = o / channels.outputs;
        T sum = 0;
        for (int64_t c = 0; c < channels.inputs && !taps.empty(); ++c) {
          const int64_t of_x = ((n * channels.groups + group) * channels.inputs + c) * positions;
          const int64_t of_w = filter(channels, group, o % channels.outputs, c) * volume;
          for (const Tap& tap : taps) sum = add(sum, multiply(x(of_x + tap.x), w(of_w + tap.w, o)));
        }
        y.store((n * all + o) * count + p, add(sum, bias(o)));
      }
    }
  }
}

constexpr auto forward_taps = [](const WindowAxis& axis, int64_t o, auto&& each) { list_window(axis, o, each); };
constexpr auto transposed_taps = [](const WindowAxis& axis, int64_t p, auto&& each) { list_transposed(axis, p, each); };

// x [N, C, …], w [O, C/groups, …]
Channels forward_channels(const Sizes& w, int64_t groups) { return {groups, w[1], w[0] / groups}; }

template <class T>
View<T> bias_or_zero(const std::optional<Ref>& bias, Frame& frame, DType dtype) {
  return bias ? frame.in<T>(*bias, dtype) : View<T>(T{});
}

// x at a place between its elements: the four around it, weighted by how near they are; outside x is 0.
double bilinear(const View<double>& x, int64_t plane, int64_t height, int64_t width, double row, double column) {
  if (std::isnan(row) || std::isnan(column)) return std::numeric_limits<double>::quiet_NaN();
  if (row <= -1 || row >= static_cast<double>(height) || column <= -1 || column >= static_cast<double>(width)) return 0;
  const double top = std::floor(row), left = std::floor(column);
  double sum = 0;
  for (int64_t i : {0, 1}) {
    for (int64_t j : {0, 1}) {
      const int64_t r = static_cast<int64_t>(top) + i, c = static_cast<int64_t>(left) + j;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      const double weight = (i ? row - top : 1 - (row - top)) * (j ? column - left : 1 - (column - left));
      if (weight != 0) sum += weight * x[(plane * height + r) * width + c];
    }
  }
  return sum;
}

}  // namespace

// y[n, o, p] = Σ x[n, c, p·stride - before + k·dilation]·w[o, c, k] + bias[o]
static void kernel(const op::Conv& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> x = frame.in<T>(op.x, dtype), w = frame.in<T>(op.w, dtype);
      const View<T> bias = bias_or_zero<T>(op.bias, frame, dtype);
      convolve(
          op, frame, frame.out<T>(), forward_channels(w.sizes(), op.groups), forward_filter, forward_taps,
          [&](int64_t i) { return x[i]; }, [&](int64_t i, int64_t) { return w[i]; },
          [&](int64_t o) { return bias[o]; });
    }
  });
}

// y[n, o, i·stride + k·dilation - before] = Σ x[n, c, i]·w[c, o, k] + bias[o]
static void kernel(const op::ConvTranspose& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> x = frame.in<T>(op.x, dtype), w = frame.in<T>(op.w, dtype);
      const View<T> bias = bias_or_zero<T>(op.bias, frame, dtype);
      const Channels channels{op.groups, x.sizes()[1] / op.groups, w.sizes()[1]};
      convolve(
          op, frame, frame.out<T>(), channels, transposed_filter, transposed_taps, [&](int64_t i) { return x[i]; },
          [&](int64_t i, int64_t) { return w[i]; }, [&](int64_t o) { return bias[o]; });
    }
  });
}

// y[n, o, p] = Σ (x[n, c, p·stride - before + k·dilation] - x_zero)·(w[o, c, k] - w_zero[o]) in i32
static void kernel(const op::IntegerConv& op, Frame& frame) {
  const View<int64_t> x = frame.indices(op.x), w = frame.indices(op.w);
  const View<int64_t> x_zero = op.x_zero ? frame.indices(*op.x_zero) : View<int64_t>(0);
  const View<int64_t> w_zero = op.w_zero ? frame.indices(*op.w_zero) : View<int64_t>(0);
  const bool by_channel = op.w_zero && w_zero.sizes().size() == 1;
  convolve(
      op, frame, frame.out<int64_t>(), forward_channels(w.sizes(), op.groups), forward_filter, forward_taps,
      [&](int64_t i) { return x[i] - x_zero[0]; },
      [&](int64_t i, int64_t o) { return w[i] - w_zero[by_channel ? o : 0]; }, [](int64_t) { return int64_t{0}; });
}

// y[n, o, p] = Σ x[n, c, p·stride - before + k·dilation + offset[n, g, k, p]]·mask[n, g, k, p]·w[o, c, k] + bias[o], where
// c is of offset group g
static void kernel(const op::DeformConv& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto x = frame.in<double>(op.x, dtype), w = frame.in<double>(op.w, dtype), offset = frame.in(op.offset);
  const auto mask = frame.in_or(op.mask, 1), bias = bias_or_zero<double>(op.bias, frame, dtype);
  const auto y = frame.out();
  if (y.size() == 0) return;
  const Sizes in = spatial(x.sizes()), kernel = spatial(w.sizes()), out = spatial(y.sizes());
  const auto axes = window_axes(op, frame, in, kernel, out);
  const Channels channels = forward_channels(w.sizes(), op.groups);
  const int64_t volume = element_count(kernel), count = element_count(out), all = y.sizes()[1], inputs = x.sizes()[1];
  const int64_t in_offset_group = inputs / op.offset_groups, batches = y.sizes()[0];
  frame.spend(element_count(Sizes{batches, count}), element_count(Sizes{inputs + all * channels.inputs, volume}));
  Scratch<double> read = frame.scratch<double>(inputs * volume);
  for (int64_t at = 0; at < batches * count; ++at) {
    const int64_t n = at / count, p = at % count;
    for (int64_t i = 0; i < inputs * volume; ++i) {
      const int64_t c = i / volume, k = i % volume;
      const int64_t moved = (n * op.offset_groups + c / in_offset_group) * volume + k;
      const auto place = [&](size_t axis, int64_t o, int64_t tap) {
        const int64_t from = axes[axis].start(o) + tap * axes[axis].dilation;
        return static_cast<double>(from) + offset[(2 * moved + static_cast<int64_t>(axis)) * count + p];
      };
      const double row = place(0, p / out[1], k / kernel[1]), column = place(1, p % out[1], k % kernel[1]);
      const double value = bilinear(x, n * inputs + c, in[0], in[1], row, column);
      read[static_cast<size_t>(i)] = value * mask[moved * count + p];
    }
    for (int64_t o = 0; o < all; ++o) {
      const int64_t first = o / channels.outputs * channels.inputs * volume, of_w = o * channels.inputs * volume;
      double sum = bias[o];
      for (int64_t i = 0; i < channels.inputs * volume; ++i) sum += read[static_cast<size_t>(first + i)] * w[of_w + i];
      y.store((n * all + o) * count + p, sum);
    }
  }
}

INGOT_KERNELS(conv)

}  // namespace ingot::reference
