// Ops on packed tensors: engines/reference/packing.h has layout and arithmetic. Sums in double, in index order.
#include <cmath>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/packing.h"
#include "engines/reference/walk.h"

namespace ingot::reference {

// The codes of x / scale, group by group.
static void kernel(const op::Quantize& op, Frame& frame) {
  const auto x = frame.in(op.x);
  const double scale = frame.in_or(op.scale, 1)[0];
  Tensor& y = frame.allocate_result();
  if (x.size() == 0) return;
  const Packing packing(op.scheme, x.sizes());
  const auto bytes = y.mutable_bytes();
  auto values = frame.scratch<double>(packing.columns());
  for (int64_t row = 0; row < packing.rows(); ++row) {
    for (size_t k = 0; k < values.size(); ++k) values[k] = x[row * packing.columns() + static_cast<int64_t>(k)] / scale;
    packing.store_row(bytes, row, values);
  }
}

// The value of each code, times scale
static void kernel(const op::Dequantize& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  const double scale = frame.in_or(op.scale, 1)[0];
  const auto y = frame.out();
  if (y.size() == 0) return;
  const Packing packing(*x.scheme(), x.sizes());
  for (int64_t row = 0, at = 0; row < packing.rows(); ++row) {
    for (int64_t k = 0; k < packing.columns(); ++k) y.store(at++, packing.value(x.bytes(), row, k) * scale);
  }
}

// y[..., n] = Σ x[..., k] · w[n, k] · scale
static void kernel(const op::QuantizedMatmul& op, Frame& frame) {
  const auto x = frame.in(op.x);
  const Tensor& w = frame.tensor(op.w);
  const double scale = frame.in_or(op.scale, 1)[0];
  const auto y = frame.out();
  if (y.size() == 0) return;
  const Packing packing(*w.scheme(), w.sizes());
  const int64_t columns = packing.columns(), n = packing.rows();
  frame.spend(y.size(), columns);
  auto weights = frame.scratch<double>(columns);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < columns; ++k) weights[static_cast<size_t>(k)] = packing.value(w.bytes(), j, k) * scale;
    for (int64_t row = 0; row < y.size() / n; ++row) {
      double sum = 0;
      for (int64_t k = 0; k < columns; ++k) sum += x[row * columns + k] * weights[static_cast<size_t>(k)];
      y.store(row * n + j, sum);
    }
  }
}

// scale·(clip(round(x / scale) + zero, low, high) - zero)
static void kernel(const op::FakeQuantize& op, Frame& frame) {
  const auto x = frame.in(op.x), scale = frame.in(op.scale);
  const auto zero = op.zero ? frame.in<double>(*op.zero, DType::f64) : View<double>(0);
  const auto y = frame.out();
  const auto low = static_cast<double>(op.low), high = static_cast<double>(op.high);
  const Sizes zero_strides = op.zero ? broadcast_strides(zero.sizes(), x.sizes()) : Sizes(x.sizes().size());
  walk(
      x.sizes(),
      [&](int64_t i, int64_t s, int64_t z) {
        const double q = smaller(larger(std::nearbyint(x[i] / scale[s]) + zero[z], low), high);
        y.store(i, scale[s] * (q - zero[z]));
      },
      broadcast_strides(scale.sizes(), x.sizes()), zero_strides);
}

INGOT_KERNELS(quant)

}  // namespace ingot::reference
