// Fourier transforms. MLX computes them in f32, as the results are.
#include <bit>
#include <cmath>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

// x, the axes that are transformed, the size of each, and the number of elements that is.
struct Transform {
  array x;
  mx::Shape sizes;
  std::vector<int> axes;
  double n;
};

// What the results are multiplied by, for n elements in all.
double factor(FftNorm norm, bool inverse, double n) {
  if (norm == FftNorm::ortho) return 1 / std::sqrt(n);
  return (norm == FftNorm::backward) == inverse ? 1 / n : 1;
}

// For each of n elements: their logarithm.
int64_t steps_each(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)); }

// Reals, or complex numbers part by part: as a product of complex numbers an infinity would become NaN.
array by_reals(const array& x, const array& by, mx::Stream s) {
  if (x.dtype() != mx::complex64) return mx::multiply(x, by, s);
  const auto times = [&](const array& part) { return mx::astype(mx::multiply(part, by, s), mx::float32, s); };
  return complex_of(times(mx::real(x, s)), times(mx::imag(x, s)), s);
}

array scaled(const array& x, double by, mx::Stream s) { return by_reals(x, array(static_cast<float>(by)), s); }

// None where nothing is summed, which MLX refuses: at size 0, or x has no element, or the result none.
template <class O>
std::optional<Transform> transform_of(const O& op, Frame& frame) {
  const array x = frame.in(op.x, frame.dtype(op.x) == DType::c64 ? DType::c64 : DType::f32);
  Sizes sizes = frame.sizes(op.sizes);
  Transform result{x, {}, {}, 1};
  Sizes grid(x.shape().begin(), x.shape().end());
  int64_t steps = 0;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const int axis = from_front(op.axes[i], x.ndim());
    result.axes.push_back(axis);
    if (op.sizes.empty()) sizes.push_back(x.shape(axis));
    result.n *= static_cast<double>(sizes[i]);
    grid[static_cast<size_t>(axis)] = sizes[i];
    steps += steps_each(sizes[i]);
  }
  if (result.n == 0 || x.size() == 0 || frame.result_is_empty()) return {};
  result.sizes = to_mlx(sizes);
  grid.push_back(steps);
  frame.spend(static_cast<uint64_t>(element_count(grid)));
  return result;
}

// The sums alone, of x times a factor: behind them it would come too late for one that overflows.
array sums(const Transform& t, double factor, mx::Stream s) {
  const array x = factor == 1 ? t.x : scaled(t.x, factor, s);
  if (x.dtype() != mx::complex64) return mx::fft::rfftn(x, t.sizes, t.axes, mx::fft::FFTNorm::Backward, s);
  return mx::fft::fftn(x, t.sizes, t.axes, mx::fft::FFTNorm::Backward, s);
}

// ------------------------------------------------------------------------------------------------------------ lowerings

array emit(const op::Fft& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  auto t = transform_of(op, frame);
  if (!t) return frame.result_zeros();
  if (op.fn == FftFn::forward) return sums(*t, factor(op.norm, false, t->n), s);
  if (op.norm == FftNorm::backward && frame.on_cpu()) {
    return mx::fft::ifftn(t->x, t->sizes, t->axes, mx::fft::FFTNorm::Backward, s);
  }
  // MLX's inverse always divides by n, on a GPU by a complex number, which makes NaN of an infinity.
  t->x = mx::conjugate(t->x, s);
  return mx::conjugate(sums(*t, factor(op.norm, true, t->n), s), s);
}

array emit(const op::Rfft& op, Frame& frame) {
  const auto t = transform_of(op, frame);
  return t ? sums(*t, factor(op.norm, false, t->n), frame.stream()) : frame.result_zeros();
}

array emit(const op::Irfft& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const auto t = transform_of(op, frame);
  if (!t) return frame.result_zeros();
  const array y = mx::fft::irfftn(t->x, t->sizes, t->axes, mx::fft::FFTNorm::Backward, s);
  const double by = factor(op.norm, true, t->n) * t->n;  // MLX has divided by n
  return by == 1 ? y : scaled(y, by, s);
}

array emit(const op::Stft& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const Sizes y = frame.result_sizes();
  if (element_count(y) == 0) return frame.result_zeros();
  const Sizes x = frame.sizes(op.x);
  const int64_t samples = x.back(), step = frame.size(op.step);
  const Sizes frames{element_count(x) / samples, y.end()[-2], frame.size(op.length)};
  frame.spend(static_cast<uint64_t>(element_count(Sizes{frames[0], frames[1], frames[2], steps_each(frames[2])})));
  // f16 and bf16 are multiplied as f32.
  const auto wide = [&](Ref ref) { return frame.in(ref, widened(frame.dtype(ref))); };
  array windows = mx::as_strided(wide(op.x), to_mlx(frames), {samples, step, 1}, 0, s);
  if (op.window) windows = by_reals(windows, wide(*op.window), s);
  const auto norm = mx::fft::FFTNorm::Backward;  // scales nothing
  const array bins = op.onesided ? mx::fft::rfft(windows, -1, norm, s) : mx::fft::fft(windows, -1, norm, s);
  return mx::reshape(bins, frame.result_shape(), s);
}

}  // namespace

INGOT_LOWERINGS(fft)

}  // namespace ingot::mlx_engine
