// Matrix products. Reals and complex numbers in double, in the order of k, one rounding at the store; integers wrap.
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

// From one element of a stack of matrices to the next.
struct MatrixStrides {
  int64_t row, column;
};

MatrixStrides matrix_strides(const Sizes& sizes, bool transposed) {
  const int64_t columns = sizes.end()[-1];
  return transposed ? MatrixStrides{1, columns} : MatrixStrides{columns, 1};
}

// Strides over x for a walk over y, whose last two axes move by `m` and `n`.
Sizes strides_over(const Sizes& x, const Sizes& y, int64_t m, int64_t n) {
  Sizes strides = broadcast_strides({x.begin(), x.end() - 2}, {y.begin(), y.end() - 2});
  for (int64_t& stride : strides) stride *= x.end()[-2] * x.end()[-1];
  strides.insert(strides.end(), {m, n});
  return strides;
}

}  // namespace

// y[m, n] = Σ a[m, k]·b[k, n]
static void kernel(const op::Matmul& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> a = frame.in<T>(op.a, dtype), b = frame.in<T>(op.b, dtype);
      const Out<T> y = frame.out<T>();
      const int64_t count = a.sizes().end()[op.transpose_a ? -2 : -1];
      frame.spend(y.size(), count);
      const MatrixStrides of_a = matrix_strides(a.sizes(), op.transpose_a);
      const MatrixStrides of_b = matrix_strides(b.sizes(), op.transpose_b);
      const auto element = [&](int64_t i, int64_t in_a, int64_t in_b) {
        T sum = 0;
        for (int64_t k = 0; k < count; ++k) {
          sum = add(sum, multiply(a[in_a + k * of_a.column], b[in_b + k * of_b.row]));
        }
        y.store(i, sum);
      };
      walk(y.sizes(), element, strides_over(a.sizes(), y.sizes(), of_a.row, 0),
           strides_over(b.sizes(), y.sizes(), 0, of_b.column));
    }
  });
}

INGOT_KERNELS(matmul)

}  // namespace ingot::reference
