// Discrete Fourier transforms. All axes in double; one rounding, at the store.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/reference/kernel.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

// y[k] = Σ x[j]·e^(∓2πi·jk/n), by the prime factors of n: n·(their sum) steps.
class Dft {
 public:
  Dft(Frame& frame, int64_t n, bool inverse) : roots_(frame.scratch<Complex>(n)), row_(frame.scratch<Complex>(n)) {
    const double turn = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(n);
    for (size_t j = 0; j < roots_.size(); ++j) roots_[j] = std::polar(1.0, turn * static_cast<double>(j));
  }

  // y has n elements as well, and is another.
  void run(const Scratch<Complex>& x, Scratch<Complex>& y) {
    if (!x.empty()) run(x.data(), 1, x.size(), y.data());
  }

  // Steps for each of n elements: the sum of the prime factors.
  static int64_t steps_each(int64_t n) {
    int64_t sum = 1;
    for (int64_t rest = n; rest > 1;) {
      const auto factor = static_cast<int64_t>(smallest_factor(static_cast<size_t>(rest)));
      sum += factor;
      rest /= factor;
    }
    return sum;
  }

 private:
  static size_t smallest_factor(size_t n) {
    for (size_t p = 2; p <= n / p; ++p) {
      if (n % p == 0) return p;
    }
    return n;
  }

  // Of the n elements of x that are `stride` apart: the transforms of its p parts, each p times as far apart, joined.
  void run(const Complex* x, size_t stride, size_t n, Complex* y) {
    if (n == 1) {
      *y = *x;
      return;
    }
    const size_t p = smallest_factor(n), m = n / p;
    for (size_t part = 0; part < p; ++part) run(x + part * stride, stride * p, m, y + part * m);
    for (size_t k = 0; k < m; ++k) {
      for (size_t q = 0; q < p; ++q) row_[q] = joined(y + k, m, p, (k + q * m) * stride);
      for (size_t q = 0; q < p; ++q) y[k + q * m] = row_[q];
    }
  }

  // Σ over p parts, m apart, each turned by `angle` more than the one before.
  Complex joined(const Complex* parts, size_t m, size_t p, size_t angle) const {
    Complex sum = parts[0];
    for (size_t part = 1, at = angle; part < p; ++part) {
      sum += at == 0 ? parts[part * m] : parts[part * m] * roots_[at];  // 1·inf as complex numbers would be NaN
      at += angle;
      if (at >= roots_.size()) at -= roots_.size();
    }
    return sum;
  }

  Scratch<Complex> roots_;  // of 1, as many as there are elements
  Scratch<Complex> row_;
};

// Numbers of a transform on their way through its axes.
struct Grid {
  Sizes sizes;
  Scratch<Complex> values;
};

template <class T>
Grid grid_of(Frame& frame, const View<T>& x) {
  frame.spend(x.size());
  Grid grid{x.sizes(), frame.scratch<Complex>(x.size())};
  for (size_t i = 0; i < grid.values.size(); ++i) grid.values[i] = x[static_cast<int64_t>(i)];
  return grid;
}

// The grid transformed along `axis`, of which the first `kept` are left; read(o, k, i) gives each of n elements.
template <class Read>
Grid along(Frame& frame, const Grid& grid, int64_t axis, int64_t n, int64_t kept, bool inverse, Read&& read) {
  Sizes sizes = grid.sizes;
  sizes[static_cast<size_t>(axis)] = kept;
  Grid result{std::move(sizes), {}};
  const Lanes to(result.sizes, axis);
  result.values = frame.scratch<Complex>(element_count(result.sizes));
  if (n == 0 || result.values.empty()) return result;  // empty sums
  frame.spend(to.outer * to.inner * n, Dft::steps_each(n));
  Dft dft(frame, n, inverse);
  auto x = frame.scratch<Complex>(n), y = x;
  to.each([&](int64_t o, int64_t i) {
    for (int64_t k = 0; k < n; ++k) x[static_cast<size_t>(k)] = read(o, k, i);
    dft.run(x, y);
    for (int64_t k = 0; k < kept; ++k) result.values[static_cast<size_t>(to.at(o, k, i))] = y[static_cast<size_t>(k)];
  });
  return result;
}

// Element k of a lane; beyond its end 0.
auto padded(const Grid& grid, int64_t axis) {
  return [&grid, from = Lanes(grid.sizes, axis)](int64_t o, int64_t k, int64_t i) {
    return k < from.size ? grid.values[static_cast<size_t>(from.at(o, k, i))] : Complex(0);
  };
}

// Element k of n, of which the grid has the first half: what lies beyond is the conjugate of what mirrors it. 0 and n/2
// mirror themselves, so they are real.
auto mirrored(const Grid& grid, int64_t axis, int64_t n) {
  return [n, read = padded(grid, axis)](int64_t o, int64_t k, int64_t i) {
    const Complex value = read(o, std::min(k, n - k), i);
    if (k == 0 || 2 * k == n) return Complex(value.real());
    return 2 * k < n ? value : std::conj(value);
  };
}

// What the results are multiplied by, for n elements in all.
double factor(FftNorm norm, bool inverse, double n) {
  if (n == 0) return 1;
  if (norm == FftNorm::ortho) return 1 / std::sqrt(n);
  return (norm == FftNorm::backward) == inverse ? 1 / n : 1;
}

// The size that axis number i of the op is transformed at.
template <class O>
int64_t transform_size(const Frame& frame, const O& op, size_t i, const Sizes& x) {
  return op.sizes.empty() ? x[static_cast<size_t>(from_front(op.axes[i], x.size()))] : frame.size(op.sizes[i]);
}

template <class O>
double elements_of(const Frame& frame, const O& op, const Sizes& x) {
  double n = 1;
  for (size_t i = 0; i < op.axes.size(); ++i) n *= static_cast<double>(transform_size(frame, op, i, x));
  return n;
}

// All axes of the op but the last `left`.
template <class O>
Grid over_axes(Frame& frame, const O& op, Grid grid, const Sizes& x, bool inverse, size_t left) {
  for (size_t i = 0; i + left < op.axes.size(); ++i) {
    const int64_t axis = from_front(op.axes[i], x.size()), n = transform_size(frame, op, i, x);
    grid = along(frame, grid, axis, n, n, inverse, padded(grid, axis));
  }
  return grid;
}

}  // namespace

// y[k…] = factor · Σ x[j…]·e^(∓2πi·Σ jk/n)
static void kernel(const op::Fft& op, Frame& frame) {
  const View<Complex> x = frame.in<Complex>(op.x);
  const Out<Complex> y = frame.out<Complex>();
  if (y.size() == 0) return;
  const bool inverse = op.fn == FftFn::inverse;
  const double scale = factor(op.norm, inverse, elements_of(frame, op, x.sizes()));
  const Grid grid = over_axes(frame, op, grid_of(frame, x), x.sizes(), inverse, 0);
  for (int64_t i = 0; i < y.size(); ++i) y.store(i, grid.values[static_cast<size_t>(i)] * scale);
}

// The same of reals; the last axis first, of which the frequencies 0 … n/2 are kept.
static void kernel(const op::Rfft& op, Frame& frame) {
  const View<double> x = frame.in(op.x);
  const Out<Complex> y = frame.out<Complex>();
  if (y.size() == 0) return;
  const double scale = factor(op.norm, false, elements_of(frame, op, x.sizes()));
  const int64_t last = from_front(op.axes.back(), x.sizes().size());
  const int64_t n = transform_size(frame, op, op.axes.size() - 1, x.sizes());
  Grid grid = grid_of(frame, x);
  grid = along(frame, grid, last, n, n / 2 + 1, false, padded(grid, last));
  grid = over_axes(frame, op, std::move(grid), x.sizes(), false, 1);
  for (int64_t i = 0; i < y.size(); ++i) y.store(i, grid.values[static_cast<size_t>(i)] * scale);
}

// The other axes, then the last one, of which x has the frequencies 0 … n/2.
static void kernel(const op::Irfft& op, Frame& frame) {
  const View<Complex> x = frame.in<Complex>(op.x);
  const Out<double> y = frame.out();
  if (y.size() == 0) return;
  const double scale = factor(op.norm, true, elements_of(frame, op, x.sizes()));
  const int64_t last = from_front(op.axes.back(), x.sizes().size()), n = frame.size(op.sizes.back());
  Grid grid = over_axes(frame, op, grid_of(frame, x), x.sizes(), true, 1);
  grid = along(frame, grid, last, n, n, true, mirrored(grid, last, n));
  for (int64_t i = 0; i < y.size(); ++i) y.store(i, grid.values[static_cast<size_t>(i)].real() * scale);
}

// y[…, f, k] = Σ x[…, f·step + j]·window[j]·e^(-2πi·jk/length)
static void kernel(const op::Stft& op, Frame& frame) {
  const Out<Complex> y = frame.out<Complex>();
  if (y.size() == 0) return;
  const View<double> window = frame.in_or(op.window, 1);
  const int64_t samples = frame.sizes(op.x).back(), length = frame.size(op.length), step = frame.size(op.step);
  const int64_t frames = y.sizes().end()[-2], bins = y.sizes().back(), count = y.size() / bins;
  frame.spend(count * length, Dft::steps_each(length));
  Dft dft(frame, length, false);
  auto from = frame.scratch<Complex>(length), to = from;
  const auto transform = [&](const auto& x) {
    for (int64_t f = 0; f < count; ++f) {
      const int64_t first = f / frames * samples + f % frames * step;
      for (int64_t j = 0; j < length; ++j) from[static_cast<size_t>(j)] = x[first + j] * window[j];
      dft.run(from, to);
      for (int64_t k = 0; k < bins; ++k) y.store(f * bins + k, to[static_cast<size_t>(k)]);
    }
  };
  frame.dtype(op.x) == DType::c64 ? transform(frame.in<Complex>(op.x)) : transform(frame.in(op.x));
}

INGOT_KERNELS(fft)

}  // namespace ingot::reference
